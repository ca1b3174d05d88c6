// Patterns that somebody wants beside topics: a SUB's own, and at a publisher
// those of each peer.
//
// A publisher that does not know patterns is asked for the bytes that all texts of
// one begin with, and what comes is looked at here.
//
// A pattern that ends with a 0 is, without it, compared with what stands in front of
// the first 0, for messages whose topic is followed by more.
// Thread rule: under the socket lock. A look costs one match a pattern whose
// beginning fits.
#pragma once

#include <algorithm>
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
    [[nodiscard]] std::size_t size () const noexcept { return all_.size (); }  // different ones
    [[nodiscard]] bool holds (base::bytes_view pattern) const noexcept;
    [[nodiscard]] bool holds_once (base::bytes_view pattern) const noexcept;  // the next remove() ends it
    // Is it one of the patterns_per_peer_max that publishers are told? It stays so
    // as long as it is here.
    [[nodiscard]] bool is_said (base::bytes_view pattern) const noexcept;
    // Calls visit(pattern) for those; false, early, when visit answers false.
    template <class Visit> bool each_said (Visit visit) const noexcept
    {
        return std::ranges::all_of (
          all_, [&visit] (const entry &each) { return !each.said || visit (base::as_bytes (each.text)); });
    }

    // What publishers are asked for.
    [[nodiscard]] static base::bytes_view beginning (base::bytes_view pattern) noexcept;

  private:
    struct entry
    {
        std::string text;
        std::size_t literal_bytes = 0;  // in front
        std::uint64_t count = 0;
        bool said = false;
    };
    [[nodiscard]] std::vector<entry>::const_iterator find (base::bytes_view pattern) const noexcept;

    std::vector<entry> all_;
    std::size_t said_ = 0;
};

}  // namespace zlink::engine
