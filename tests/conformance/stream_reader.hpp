// What a STREAM socket says: who came, who went, and what was said, with the peer's
// name in front of each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

struct stream_reader
{
    enum what
    {
        data = 0,
        came = 1,
        gone = 2,
    };

    // What stands behind a peer's name, and what kind of thing it is.
    struct news
    {
        std::string name;
        std::string body;
        int event = -1;
    };
    static news next (socket &from)
    {
        news got;
        const std::optional<std::string> name = from.receive ();
        EXPECT_TRUE (name.has_value ()) << zmq_strerror (errno);
        part body;
        if (!name || from.get (ZMQ_RCVMORE) != 1 || zmq_msg_recv (body.raw (), from, 0) < 0)
            return got;
        EXPECT_FALSE (body.more ());
        return {*name, body.text (), zmq_msg_get (body.raw (), ZLINK_MSG_EVENT)};
    }
    // The peer that comes next.
    static std::string next_comer (socket &from)
    {
        const news got = next (from);
        EXPECT_EQ (got.event, came);
        return got.name;
    }
    // Bytes of that peer, as many as are asked for.
    static std::string read (socket &from, const std::string &name, std::size_t size)
    {
        std::string all;
        while (all.size () < size) {
            const news got = next (from);
            EXPECT_EQ (got.event, data);
            EXPECT_EQ (got.name, name);
            if (got.event != data)
                break;
            all += got.body;
        }
        return all;
    }
    static std::string packet (const std::string &body) { return big_endian (body.size (), 4) + body; }
};

}  // namespace zlink::test
