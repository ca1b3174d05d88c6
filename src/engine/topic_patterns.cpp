#include "engine/topic_patterns.hpp"

#include <algorithm>
#include <new>

#include "base/glob.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

using base::as_text;
using base::bytes_view;
using base::errc;
using base::result;

namespace {

constexpr auto end_of_topic = std::byte{0};

bool is_of_topics (bytes_view pattern) noexcept
{
    return !pattern.empty () && pattern.back () == end_of_topic;
}

// Without the 0 that says that it is of topics.
bytes_view sign_free (bytes_view pattern) noexcept
{
    return is_of_topics (pattern) ? pattern.first (pattern.size () - 1) : pattern;
}

// Is what stands in front of the first 0 such a topic?
bool matches_topic (bytes_view pattern, bytes_view text) noexcept
{
    const std::size_t end = as_text (text).find ('\0');
    return end != std::string_view::npos && base::glob_matches (pattern, text.first (end));
}

}  // namespace

std::vector<topic_patterns::entry>::const_iterator topic_patterns::find (bytes_view pattern) const noexcept
{
    return std::ranges::find_if (all_,
                                 [pattern] (const entry &each) { return each.text == as_text (pattern); });
}

result<void> topic_patterns::add (bytes_view pattern) noexcept
try {
    if (!base::glob_valid (sign_free (pattern)) || pattern.size () > base::glob_bytes_max)
        return errc::invalid_argument;
    if (const auto found = find (pattern); found != all_.end ()) {
        ++all_[static_cast<std::size_t> (found - all_.begin ())].count;
        return {};
    }
    if (all_.size () >= patterns_max)
        return errc::too_many_sockets;
    const bool said = said_ < patterns_per_peer_max;
    all_.push_back ({std::string (as_text (pattern)), beginning (pattern).size (), 1, said});
    said_ += said;
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

bool topic_patterns::remove (bytes_view pattern) noexcept
{
    const auto found = find (pattern);
    if (found == all_.end ())
        return false;
    if (--all_[static_cast<std::size_t> (found - all_.begin ())].count == 0) {
        said_ -= found->said;
        all_.erase (found);
    }
    return true;
}

bool topic_patterns::holds (bytes_view pattern) const noexcept { return find (pattern) != all_.end (); }

bool topic_patterns::holds_once (bytes_view pattern) const noexcept
{
    const auto found = find (pattern);
    return found != all_.end () && found->count == 1;
}

bool topic_patterns::is_said (bytes_view pattern) const noexcept
{
    const auto found = find (pattern);
    return found != all_.end () && found->said;
}

bool topic_patterns::matches (bytes_view text) const noexcept
{
    return std::ranges::any_of (all_, [text] (const entry &each) {
        const bytes_view pattern = base::as_bytes (each.text);
        if (!as_text (text).starts_with (as_text (pattern.first (each.literal_bytes))))
            return false;
        return is_of_topics (pattern) ? matches_topic (sign_free (pattern), text)
                                      : base::glob_matches (pattern, text);
    });
}

bytes_view topic_patterns::beginning (bytes_view pattern) noexcept
{
    return pattern.first (base::glob_literal_bytes (sign_free (pattern)));
}

}  // namespace zlink::engine
