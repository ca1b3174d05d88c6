// One way out of a socket: a connection to a peer over a byte stream, or one
// end of an inproc link. Patterns choose between pipes; what a pipe is made
// of is the engine's business.
// Thread rule: under the socket lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "engine/backlog.hpp"
#include "engine/counters.hpp"
#include "engine/topic_patterns.hpp"

namespace zlink::engine {

enum class pipe_kind : std::uint8_t
{
    stream,
    inproc,
};

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max () / 4;

// The high-water mark of a pipe, counted down. A message needs one message
// credit and any byte credit at all, so a message above the byte mark passes
// when nothing else is queued.
struct credit_line
{
    // Apart from each other, see tally.
    std::int64_t messages = 0;
    std::int64_t messages_mark = unlimited;
    std::int64_t bytes = 0;
    std::int64_t bytes_mark = unlimited;

    // Written, not returned yet.
    std::int64_t owed_messages = 0;
    std::int64_t owed_bytes = 0;
    std::uint64_t owed_since_ticks = 0;

    bool held = false;  // nothing is given back: something goes before what comes next

    void set_marks (std::int64_t hwm_messages, std::int64_t hwm_bytes) noexcept
    {
        messages_mark = hwm_messages > 0 ? hwm_messages : unlimited;
        bytes_mark = hwm_bytes > 0 ? hwm_bytes : unlimited;
    }
    void refill () noexcept
    {
        messages = messages_mark;
        bytes = bytes_mark;
        owed_messages = owed_bytes = 0;
    }
    [[nodiscard]] bool available () const noexcept { return messages > 0 && bytes > 0; }
    // Bytes as they will be given back: of frames where there are frames.
    void take (std::size_t size_bytes) noexcept
    {
        --messages;
        bytes -= static_cast<std::int64_t> (size_bytes);
    }
    [[nodiscard]] std::int64_t low_water () const noexcept
    {
        return messages_mark == unlimited ? 1 : (messages_mark + 1) / 2;
    }
    // Returns what is owed in multiples of the low-water mark. True when the
    // line has credit afterwards.
    bool give_back () noexcept
    {
        if (held) [[unlikely]]
            return false;
        const std::int64_t step = low_water ();
        const std::int64_t whole = owed_messages / step * step;
        messages += whole;
        owed_messages -= whole;
        if (whole > 0 || bytes <= 0) {
            bytes += owed_bytes;
            owed_bytes = 0;
        }
        return available ();
    }
};

struct alignas (64) pipe
{
    explicit pipe (pipe_kind what) noexcept : kind (what) {}

    const pipe_kind kind;
    bool attached = false;  // the pattern may use it
    bool listed = false;    // in the ready list
    tally passed{};
    void count_sent (std::size_t bytes) noexcept
    {
        ++passed.messages_sent;
        passed.bytes_sent += bytes;
    }
    std::size_t ready_index = 0;
    std::size_t balance_index = 0;
    credit_line credit{};

    // A publisher's: in which choice of an audience it was taken, and for which
    // message it was last asked for room.
    std::uint64_t chosen_in = 0;
    std::uint64_t asked_in = 0;
    std::int64_t topics = 0;                   // different ones that the peer has asked for, and patterns
    std::int64_t topic_bytes = 0;              // of them
    std::unique_ptr<topic_patterns> patterns;  // null: none
    std::uint64_t matched_in = 0;              // in which choice these were last looked at
    bool tells_gaps = false;                   // the peer wants to hear what was dropped for it
    std::uint64_t missed = 0;                  // such messages, behind all that is queued; not said yet
    std::unique_ptr<backlog> behind;           // what it keeps for a peer without room; null: nothing

    // A SUB's: the publisher knows patterns. Of an inproc link that nobody has
    // joined yet that is not known: it is asked for none before.
    bool takes_patterns = false;

    // A ROUTER's: by what it knows the peer. A SERVER's and a PEER's: the octets
    // of its number. A DISH's, of a link: the group of the body at its front.
    std::string name{};
    std::uint32_t number = 0;  // 0: none
    bool routed = false;       // listed under it
    bool name_kept = false;    // it is ours, not the peer's: losses do not change it
};

}  // namespace zlink::engine
