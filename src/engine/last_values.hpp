// The last message of each topic, for subscribers that come later. A topic is
// the whole first part of a message of several parts.
//
// What is kept is a copy: bodies are shared where they are the library's own, so
// that nobody's release function waits for the next message of a topic.
// Thread rule: under the socket lock; nothing here blocks.
// Bounds: a number of values, and their bytes. A message above either is not
// kept, and neither is the older one of its topic: what is here is always the
// last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/message.hpp"

namespace zlink::engine {

class last_values
{
  public:
    struct value
    {
        std::vector<base::message> parts;
        std::size_t bytes = 0;     // as the limit counts them
        std::uint64_t number = 0;  // grows with every message that is kept
    };
    // Valid until anything is kept or forgotten.
    using list = std::vector<value *>;

    last_values () = default;
    ~last_values ();
    last_values (const last_values &) = delete;
    last_values &operator= (const last_values &) = delete;

    // Forgets as many as are above.
    void set_limits (std::size_t values_max, std::size_t bytes_max) noexcept;

    enum class outcome : std::uint8_t
    {
        kept,
        full,       // by either limit
        no_memory,  // likewise not kept
    };
    // Of two parts or more, which stay the caller's.
    outcome keep (std::span<const base::message> parts) noexcept;
    void forget (base::bytes_view topic) noexcept;

    [[nodiscard]] std::size_t size () const noexcept { return all_.size (); }
    // Of bodies, 64 a part, and the topics once more.
    [[nodiscard]] std::size_t bytes () const noexcept { return bytes_; }

    // Those whose topic begins so, and for whose topic wants(topic) is true, in
    // the order in which they were published. errc::no_memory.
    template <class Wants> base::result<list> find (base::bytes_view beginning, Wants wants) noexcept
    try {
        list found;
        const std::string_view text = base::as_text (beginning);
        for (auto at = all_.lower_bound (text); at != all_.end () && at->first.starts_with (text); ++at)
            if (wants (base::as_bytes (at->first)))
                found.push_back (&at->second);
        std::sort (found.begin (), found.end (),
                   [] (const value *one, const value *other) { return one->number < other->number; });
        return found;
    } catch (const std::bad_alloc &) {
        return base::errc::no_memory;
    }

  private:
    using values = std::map<std::string, value, std::less<>>;
    void forget (values::iterator which) noexcept;

    values all_;
    std::size_t bytes_ = 0;
    std::size_t values_max_ = 0;
    std::size_t bytes_max_ = 0;
    std::uint64_t last_number_ = 0;
    std::vector<base::message> spare_;  // empty; only its memory is used again
};

}  // namespace zlink::engine
