// What the patterns that say whom they talk to remember between calls: ROUTER,
// STREAM, REQ and REP. Data only; socket_talk and socket_names work on it.
// Thread rule: under the socket lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/message.hpp"
#include "base/prepared_head.hpp"
#include "engine/counters.hpp"
#include "engine/pipe.hpp"
#include "engine/routing_table.hpp"

namespace zlink::engine {

// Somebody came or went; or what was for somebody, and comes back.
struct notice
{
    std::string name;
    base::message_event what = base::message_event::data;
    std::string body;
    std::vector<base::message> parts;  // of what comes back, whole; else none
};

struct conversation
{
    // A message of ours that is sent part by part: its first part is here.
    bool sending = false;
    // Its last part is here, and the lock may drop while it looks for whom it is
    // for: other threads have nothing to add.
    bool ending = false;
    pipe *to = nullptr;                              // ROUTER: where it goes; null: nowhere
    drop_reason lost_why = drop_reason::unroutable;  // and why
    bool in_bytes = false;  // and then: of what goes nowhere, too, the first part is all

    // REQ: a reply is due to us. REP: a reply is due from us. To it belongs the
    // pipe; null when that has gone.
    bool awaited = false;
    pipe *partner = nullptr;
    std::uint32_t request = 0;            // REQ: the last one's number
    std::vector<base::message> envelope;  // REP: what the reply goes back in
    std::size_t envelope_parts = 0;       // and how many of a begun reply's it is
    // ROUTER: what is sent again and again. Written under the lock; who sees none need not
    // take it.
    base::atomic<base::prepared_head *> prepared{nullptr};

    // ROUTER and STREAM.
    routing_table routes;
    std::uint32_t next_name = 0;
    std::string made_name;       // the last that was made up
    std::deque<notice> notices;  // unread
    std::size_t recalled = 0;    // of these, what comes back

    void reset () noexcept
    {
        close_envelope ();
        routes.clear ();
        close_notices ();
        next_name = 0;
        made_name.clear ();
        sending = ending = in_bytes = awaited = false;
        to = partner = nullptr;
        prepared.store (nullptr, std::memory_order_relaxed);
        lost_why = drop_reason::unroutable;
        request = 0;
    }
    void close_notices () noexcept
    {
        for (notice &each : notices)
            for (base::message &part : each.parts)
                part.close ();
        notices.clear ();
        recalled = 0;
    }
    void close_envelope () noexcept
    {
        for (base::message &part : envelope)
            part.close ();
        envelope.clear ();
    }
};

}  // namespace zlink::engine
