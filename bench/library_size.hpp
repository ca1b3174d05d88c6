// How large a shared library is without its symbols: what is shipped of it. Blocks for
// the reading of a file.
#pragma once

#include <cstdint>
#include <string>

namespace zlink::bench {

// Bytes of what a program loads, the headers that say so among them: what strip leaves,
// but for a few hundred bytes. 0: it cannot be read, or is no library.
[[nodiscard]] std::uint64_t stripped_bytes (const std::string &path);

}  // namespace zlink::bench
