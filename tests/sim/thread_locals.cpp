#include "sim/thread_locals.hpp"

#include <algorithm>
#include <cstring>
#include <link.h>

namespace zlink::sim {

namespace {

struct image
{
    const std::byte *initial = nullptr;
    std::size_t initial_bytes = 0;
    std::byte *live = nullptr;
    std::size_t bytes = 0;
};

// The first object that is told of is the program itself.
int look (dl_phdr_info *info, std::size_t, void *to) noexcept
{
    auto &found = *static_cast<image *> (to);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &header = info->dlpi_phdr[i];
        if (header.p_type != PT_TLS)
            continue;
        found.initial = reinterpret_cast<const std::byte *> (info->dlpi_addr + header.p_vaddr);
        found.initial_bytes = header.p_filesz;
        found.bytes = header.p_memsz;
        found.live = static_cast<std::byte *> (info->dlpi_tls_data);
    }
    return 1;
}

image find () noexcept
{
    image found;
    ::dl_iterate_phdr (look, &found);
    if (found.live == nullptr)
        found.bytes = 0;
    return found;
}

const image &own () noexcept
{
    static const image only = find ();
    return only;
}

}  // namespace

std::vector<std::byte> fresh_thread_locals ()
{
    const image &of = own ();
    std::vector<std::byte> made (of.bytes);
    std::copy_n (of.initial, std::min (of.initial_bytes, of.bytes), made.begin ());
    return made;
}

void swap_thread_locals (std::vector<std::byte> &with) noexcept
{
    std::byte *const live = own ().live;
    for (std::size_t i = 0; i < with.size (); ++i)
        std::swap (with[i], live[i]);
}

}  // namespace zlink::sim
