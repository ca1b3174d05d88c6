// What the patterns with topics remember: PUB and XPUB who wants what, SUB and
// XSUB what they want themselves. Data only; socket_topics works on it.
// Thread rule: under the socket lock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "base/message.hpp"
#include "base/same_octets.hpp"
#include "engine/connection.hpp"
#include "engine/last_values.hpp"
#include "engine/pipe.hpp"
#include "engine/topic_patterns.hpp"
#include "engine/topic_trie.hpp"

namespace zlink::engine {

class lane;

// A change of topics, as the application reads it.
struct topic_notice
{
    base::message text;
    pipe *by = nullptr;  // null: it has gone
};

// As whom a topic_trie knows a peer for the beginnings of its patterns: as
// itself it has the topics. Pipes stand at even addresses.
[[nodiscard]] inline topic_trie::subscriber by_pattern (const pipe &who) noexcept
{
    return reinterpret_cast<const std::byte *> (&who) + 1;
}
[[nodiscard]] inline bool is_by_pattern (topic_trie::subscriber who) noexcept
{
    return (reinterpret_cast<std::uintptr_t> (who) & 1) != 0;
}
// Of either.
[[nodiscard]] inline pipe &pipe_of (topic_trie::subscriber who) noexcept
{
    const void *const at = static_cast<const std::byte *> (who) - is_by_pattern (who);
    return *const_cast<pipe *> (static_cast<const pipe *> (at));
}

// For which messages an answer that topics gave holds: those that begin with the
// bytes that were looked at, until topics change.
class choice
{
  public:
    static constexpr std::size_t beginning_max = 32;

    void keep (std::uint64_t changes, base::bytes_view message, std::size_t looked_at) noexcept
    {
        kept_ = looked_at <= beginning_max;
        name_ = 0;
        if (!kept_)
            return;
        changes_ = changes;
        size_ = looked_at;
        beginning_.fill (std::byte{0});
        std::copy_n (message.begin (), looked_at, beginning_.begin ());
        std::array<std::byte, word_bytes> looked{};
        std::fill_n (looked.begin (), std::min (looked_at, word_bytes), std::byte{0xff});
        word_mask_ = word_at (looked.data ());
    }
    void forget () noexcept { kept_ = false; }
    [[nodiscard]] bool holds (std::uint64_t changes, base::bytes_view message) const noexcept
    {
        if (!kept_ || changes != changes_ || message.size () < size_)
            return false;
        if (size_ <= word_bytes && message.size () >= word_bytes) [[likely]]
            return ((word_at (message.data ()) ^ word_at (beginning_.data ())) & word_mask_) == 0;
        return size_ == 0 || begins_so (message);
    }
    // The same of one that may have a name (not 0): what has been looked at is the same in all of that name.
    [[nodiscard]] bool
    holds_named (std::uint64_t changes, base::bytes_view message, std::uint64_t name) noexcept
    {
        if (name != 0 && name == name_ && kept_ && changes == changes_) [[likely]]
            return true;
        const bool held = holds (changes, message);
        name_ = held && name != 0 ? name : name_;
        return held;
    }
    // The same of a message that begins with the octet of a group's size and the group.
    [[nodiscard]] bool holds_group (std::uint64_t changes, base::bytes_view group) const noexcept
    {
        return kept_ && changes == changes_ && size_ > 0 && size_ <= group.size () + 1
               && beginning_[0] == static_cast<std::byte> (group.size ())
               && std::memcmp (beginning_.data () + 1, group.data (), size_ - 1) == 0;
    }

  private:
    // Most topics are short: one look without a loop.
    static constexpr std::size_t word_bytes = sizeof (std::uint64_t);
    [[nodiscard]] static std::uint64_t word_at (const std::byte *bytes) noexcept
    {
        std::uint64_t word = 0;
        std::memcpy (&word, bytes, word_bytes);
        return word;
    }

    // Apart, as topics are mostly short.
    [[gnu::noinline]] bool begins_so (base::bytes_view message) const noexcept
    {
        return base::same_octets (base::bytes_view (beginning_).first (size_), message.first (size_));
    }

    bool kept_ = false;
    std::uint64_t changes_ = 0;
    std::uint64_t name_ = 0;  // of the last for which it held; 0: none
    std::size_t size_ = 0;
    std::uint64_t word_mask_ = 0;
    std::array<std::byte, beginning_max> beginning_{};
};

// Lanes, so few that a copy of them needs neither memory nor a call.
class few_lanes
{
  public:
    static constexpr std::size_t max = 16;

    void clear () noexcept { size_ = 0; }
    // There are less than max.
    void add (lane &one) noexcept { lanes_[size_++] = &one; }
    [[nodiscard]] std::size_t size () const noexcept { return size_; }
    lane &operator[] (std::size_t i) const noexcept { return *lanes_[i]; }

  private:
    std::array<lane *, max> lanes_{};
    std::size_t size_ = 0;
};

struct publishing
{
    // Throws bad_alloc.
    publishing (buffer_pool &arenas, buffer_pool &slabs) : told (arenas, slabs) { last_group.init (); }
    ~publishing ()
    {
        last_group.close ();
        for (topic_notice &each : notices)
            each.text.close ();
    }
    publishing (const publishing &) = delete;
    publishing &operator= (const publishing &) = delete;

    topic_trie wanted;
    bool owing = false;        // some inproc link has topics_due
    unsigned subscribers = 0;  // peers that have asked for topics
    // SUB: patterns, of which wanted has the beginnings as theirs; and how often
    // publishers were asked for a change.
    topic_patterns patterns;
    std::uint64_t changes = 0;
    choice passes_for;  // what is known to be wanted
    // Whose a beginning is in wanted: of a pattern that publishers are told, or of
    // one of which they are only asked for the beginning.
    [[nodiscard]] topic_trie::subscriber of_patterns (bool said) const noexcept
    {
        return said ? static_cast<const void *> (&patterns) : &changes;
    }

    // Whom the message that is being sent goes to; not valid any more once the
    // lock was dropped, but for messages that the choice holds for. As much room
    // as there are pipes.
    std::vector<pipe *> chosen;
    choice chosen_for;
    std::vector<pipe *> for_all;     // who gets every message; likewise
    bool all_have_room = false;      // as long as chosen is valid
    bool choice_is_special = false;  // for what is owed, or by only
    std::uint64_t round = 0;         // grows with every choice, and with every message

    // The lanes of chosen, in its order, and how many messages more each of them is sure
    // to have room for (socket_audience); 0: nothing is known of them.
    few_lanes lanes;
    std::uint64_t lanes_room = 0;

    // XPUB: what the application has still to hear of topics, and the pipe that
    // it reads it from, which is no connection.
    std::deque<topic_notice> notices;
    connection told;

    // XPUB_MANUAL: what peers asked for, which is not what they get; who asked
    // for what stands to be read, and for what was read before it.
    topic_trie asked;
    bool by_hand = false;  // some of what follows has been set
    pipe *shown_by = nullptr;
    pipe *read_by = nullptr;
    pipe *only = nullptr;  // whom alone the next message may reach

    // RADIO, DISH: a group as a topic that no other begins with, which is its
    // length and it; and the group that was received last, for messages to share.
    std::array<std::byte, base::group_name_max + 1> key{};
    // Whether the key's group is joined, as of a time of the wanted's changes().
    std::uint64_t key_judged_at = UINT64_MAX;
    bool key_is_joined = false;
    base::message last_group;

    // LAST_VALUES; null: nothing is kept. And messages that were above a limit.
    std::unique_ptr<last_values> values;
    std::uint64_t values_not_kept = 0;

    // Whose change the application has read last; null: that has gone.
    [[nodiscard]] pipe *last_asker () const noexcept { return told.in.holds_parts () ? read_by : shown_by; }
    void forget (const pipe &gone) noexcept
    {
        if (!by_hand)
            return;
        for (topic_notice &each : notices)
            if (each.by == &gone)
                each.by = nullptr;
        for (pipe **each : {&shown_by, &read_by, &only})
            if (*each == &gone)
                *each = nullptr;
    }
};

}  // namespace zlink::engine
