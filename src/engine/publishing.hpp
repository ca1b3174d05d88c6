// What the patterns with topics remember: PUB and XPUB who wants what, SUB and
// XSUB what they want themselves. Data only; socket_topics works on it.
// Thread rule: under the socket lock.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/message.hpp"
#include "engine/connection.hpp"
#include "engine/pipe.hpp"
#include "engine/topic_patterns.hpp"
#include "engine/topic_trie.hpp"

namespace zlink::engine {

// A change of topics, as the application reads it.
struct topic_notice
{
    base::message text;
    pipe *by = nullptr;  // null: it has gone
};

struct publishing
{
    // Throws bad_alloc.
    publishing (buffer_pool &arenas, buffer_pool &slabs) : told (arenas, slabs) {}
    ~publishing ()
    {
        for (topic_notice &each : notices)
            each.text.close ();
    }
    publishing (const publishing &) = delete;
    publishing &operator= (const publishing &) = delete;

    topic_trie wanted;
    unsigned subscribers = 0;  // peers that have asked for topics
    // SUB: patterns, of which wanted has the beginnings as theirs; and how often
    // publishers were asked for a change.
    topic_patterns patterns;
    std::uint64_t changes = 0;

    // Whom the message that is being sent goes to; not valid any more once the
    // lock was dropped. As much room as there are pipes.
    std::vector<pipe *> chosen;
    bool all_have_room = false;  // as long as chosen is valid
    std::uint64_t round = 0;     // grows with every choice, and with every message

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
