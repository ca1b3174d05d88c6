// The patterns of a SUB: what it wants beside the topics that it has. Publishers
// are asked for the bytes that all texts of a pattern begin with; what comes is
// looked at here.
//
// Thread rule: under the socket lock. A look costs one match a pattern whose
// beginning fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace zlink::engine {

class topic_patterns
{
  public:
    // Once more; each takes a remove() to undo. errc::invalid_argument: it is no
    // pattern; too_many_sockets: there are patterns_max; no_memory.
    base::result<void> add (base::bytes_view pattern) noexcept;
    // False: it is not there.
    bool remove (base::bytes_view pattern) noexcept;
    [[nodiscard]] bool matches (base::bytes_view text) const noexcept;
    [[nodiscard]] bool empty () const noexcept { return all_.empty (); }

    // What publishers are asked for.
    [[nodiscard]] static base::bytes_view beginning (base::bytes_view pattern) noexcept;

  private:
    struct entry
    {
        std::string text;
        std::size_t literal_bytes = 0;  // in front
        std::uint64_t count = 0;
    };
    [[nodiscard]] std::vector<entry>::iterator find (base::bytes_view pattern) noexcept;

    std::vector<entry> all_;
};

}  // namespace zlink::engine
