#include "bench/library_size.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <elf.h>

namespace zlink::bench {

namespace {

template <class T> bool read_at (std::string_view file, std::uint64_t at, T *to)
{
    if (at > file.size () || file.size () - at < sizeof *to)
        return false;
    std::memcpy (to, file.data () + at, sizeof *to);
    return true;
}

}  // namespace

std::uint64_t stripped_bytes (const std::string &path)
{
    std::ifstream in (path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char> (in), std::istreambuf_iterator<char> ()};
    Elf64_Ehdr head{};
    if (!read_at (file, 0, &head) || std::memcmp (head.e_ident, ELFMAG, SELFMAG) != 0
        || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shnum == 0)
        return 0;
    std::uint64_t loaded = 0;
    std::uint64_t sections = 2;  // the first, which is none, and that of the names
    for (unsigned i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section{};
        if (!read_at (file, head.e_shoff + std::uint64_t{i} * sizeof section, &section))
            return 0;
        if ((section.sh_flags & SHF_ALLOC) == 0)
            continue;
        ++sections;
        if (section.sh_type != SHT_NOBITS)
            loaded = std::max (loaded, section.sh_offset + section.sh_size);
    }
    return loaded == 0 ? 0 : loaded + sections * sizeof (Elf64_Shdr);
}

}  // namespace zlink::bench
