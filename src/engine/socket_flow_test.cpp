// What the reactor does about the tails of a sender that never pauses. How such a one is
// told from others: steady_flow.
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "engine/scripted_world.hpp"
#include "wire/test_bytes.hpp"

namespace zlink::engine {
namespace {

constexpr std::size_t header_bytes = 9;  // of a body of more than 255 octets
// In a tick: the sender writes one arena, and the tail is what is behind it.
constexpr std::size_t more_than_an_arena = arena_bytes_default + arena_bytes_default / 4;
constexpr std::size_t less_than_an_arena = arena_bytes_default / 2;
static_assert (more_than_an_arena > flow_tick_bytes_min && less_than_an_arena > flow_tick_bytes_min);

struct flow_of_messages : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref ours = socket_core::create (of, test::pair_traits (), {}).value ();
    std::shared_ptr<test::script> peer;
    std::size_t due = 0;  // what the peer is to hear of it in the end

    flow_of_messages ()
    {
        EXPECT_TRUE (of->admit (ours, 1).ok ());
        EXPECT_TRUE (ours.slot->bind (ours.generation, "script://here").ok ());
        peer = around.peer (wire::test::greeting_of (3, 1) + wire::test::ready_of ("PAIR"));
        around.settle (*of);
        due = peer->hears.size ();
    }
    ~flow_of_messages () override
    {
        EXPECT_TRUE (ours.slot->close (ours.generation).ok ());
        around.settle (*of);
    }
    void send (std::size_t octets)
    {
        const std::string body (1000, 'm');
        for (const std::size_t until = due + octets; due < until; due += header_bytes + body.size ())
            ASSERT_TRUE (ours.slot->send (ours.generation, base::as_bytes (body), send_dont_wait).ok ());
    }
    // As many ticks as make one; each but the last writes all that there is.
    void flow (std::size_t octets_each)
    {
        for (unsigned i = 0; i < flow_ticks_min; ++i) {
            EXPECT_EQ (peer->hears.size (), due);
            send (octets_each);
            EXPECT_LT (peer->hears.size (), due) << "there is no tail";
            around.turn (*of);
        }
    }
};

TEST_F (flow_of_messages, has_its_tail_written_by_the_tick_behind_its_end)
{
    flow (more_than_an_arena);
    EXPECT_LT (peer->hears.size (), due);
    around.turn (*of);
    EXPECT_EQ (peer->hears.size (), due);
}

TEST_F (flow_of_messages, that_is_none_has_its_tail_written_at_each_tick)
{
    flow (flow_tick_bytes_min / 2);
    EXPECT_EQ (peer->hears.size (), due);
}

// As far as it moves it is the reactor that moves it.
TEST_F (flow_of_messages, that_no_sender_writes_is_none)
{
    for (int twice = 0; twice < 2; ++twice)
        flow (less_than_an_arena);
    EXPECT_EQ (peer->hears.size (), due);
}

// Each of them is over before it is a flow.
TEST_F (flow_of_messages, that_pauses_is_none)
{
    for (unsigned i = 0; i < 2 * flow_ticks_min; ++i) {
        send (more_than_an_arena);
        around.turn (*of);
        EXPECT_EQ (peer->hears.size (), due);
        around.time ().now.fetch_add (flow_pause_ns_min);
    }
}

}  // namespace
}  // namespace zlink::engine
