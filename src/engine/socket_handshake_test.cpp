// What a connection's way through its states owes to the moments between. The
// rest of it is tested whole: tests/conformance, tests/hostile, tests/sim.
#include "engine/scripted_world.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

pattern_traits stream_traits ()
{
    pattern_traits traits;
    traits.type = 11;
    traits.name = "STREAM";
    traits.sends = send_rule::address;
    traits.receives = receive_rule::labelled;
    traits.never_full = true;
    return traits;
}

settings stream_settings ()
{
    settings wish;
    wish.speaks = wire::framing::raw;
    wish.mandatory = wish.notify_connect = wish.notify_disconnect = true;
    return wish;
}

struct drains : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref stream = socket_core::create (of, stream_traits (), stream_settings ()).value ();

    drains ()
    {
        EXPECT_TRUE (of->admit (stream, 1).ok ());
        EXPECT_TRUE (stream.slot->bind (stream.generation, "script://here").ok ());
    }
    ~drains () override
    {
        EXPECT_TRUE (stream.slot->close (stream.generation).ok ());
        around.time ().now.fetch_add (base::ns_per_s * 10);
        around.settle (*of);
    }
    std::string part ()
    {
        base::message got;
        got.init ();
        EXPECT_TRUE (stream.slot->receive (stream.generation, got, send_dont_wait).ok ());
        const std::string text (base::as_text (got.view ()));
        got.close ();
        return text;
    }
    void send (std::string_view text, unsigned flags)
    {
        EXPECT_TRUE (
          stream.slot->send (stream.generation, base::as_bytes (text), flags | send_dont_wait).ok ());
    }
    std::string peers_name;
    // A peer that has heard something; the next part is for it.
    std::shared_ptr<test::script> ended ()
    {
        const auto peer = around.peer ("");
        peer->acknowledges = false;
        around.settle (*of);
        peers_name = part ();
        EXPECT_EQ (part (), "");
        send (peers_name, send_more);
        send ("bytes", 0);
        EXPECT_EQ (peer->hears, "bytes");
        send (peers_name, send_more);
        return peer;
    }
};

TEST_F (drains, end_when_the_peer_has_gone)
{
    const auto peer = ended ();
    send ("", 0);
    around.settle (*of);
    EXPECT_TRUE (peer->open);
    peer->ends = true;
    around.settle (*of);
    EXPECT_FALSE (peer->open);
}

TEST_F (drains, end_after_a_while)
{
    const auto peer = ended ();
    send ("", 0);
    around.settle (*of);
    EXPECT_TRUE (peer->open);
    around.time ().now.fetch_add (base::ns_per_s * 2);
    around.settle (*of);
    EXPECT_FALSE (peer->open);
}

// It may have never so little to say, but it must take what is due to it.
TEST_F (drains, end_when_the_peer_takes_nothing_for_long)
{
    const auto peer = ended ();
    peer->room_bytes = 0;
    send ("more", 0);
    send (peers_name, send_more);
    send ("", 0);
    around.settle (*of);
    for (int i = 0; i < 2; ++i) {
        around.time ().now.fetch_add (ended_stall_max_ns - 1);
        around.settle (*of);
        ASSERT_TRUE (peer->open);
        peer->room_bytes = 1;
        around.settle (*of);
        around.time ().now.fetch_add (2);
        around.settle (*of);
        ASSERT_TRUE (peer->open) << "it took something";
    }
    around.time ().now.fetch_add (ended_stall_max_ns);
    around.settle (*of);
    EXPECT_FALSE (peer->open);
    EXPECT_EQ (peer->hears, "bytesmo");
    const auto counted = stream.slot->counters (stream.generation);
    ASSERT_TRUE (counted.ok ());
    EXPECT_EQ (counted.value ().total.dropped_total (), 1U);
}

// The caller's thread stands still between two of its steps for so long that the
// reactor gives the connection up: nobody else will let go of it.
TEST_F (drains, end_when_patience_ends_in_the_middle)
{
    const auto peer = ended ();
    peer->on_shutdown = [this] {
        around.time ().now.fetch_add (base::ns_per_s * 2);
        around.turn (*of);
    };
    send ("", 0);
    around.settle (*of);
    EXPECT_FALSE (peer->open);
}

}  // namespace
}  // namespace zlink::engine
