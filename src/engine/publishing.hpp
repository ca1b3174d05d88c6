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
#include "engine/topic_trie.hpp"

namespace zlink::engine {

struct publishing
{
    // Throws bad_alloc.
    publishing (buffer_pool &arenas, buffer_pool &slabs) : told (arenas, slabs) {}
    ~publishing ()
    {
        for (base::message &each : notices)
            each.close ();
    }
    publishing (const publishing &) = delete;
    publishing &operator= (const publishing &) = delete;

    topic_trie wanted;

    // Whom the message that is being sent goes to; not valid any more once the
    // lock was dropped. As much room as there are pipes.
    std::vector<pipe *> chosen;
    std::uint64_t round = 0;  // grows with every choice, and with every message

    // XPUB: what the application has still to hear of topics, and the pipe that
    // it reads it from, which is no connection.
    std::deque<base::message> notices;
    connection told;
};

}  // namespace zlink::engine
