// What a refused send of a pattern that takes turns leaves behind. The rest is
// tested whole: tests/conformance, tests/sim.
#include "engine/scripted_world.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::engine {
namespace {

using wire::test::frame;

pattern_traits req_traits ()
{
    pattern_traits traits;
    traits.type = 3;
    traits.name = "REQ";
    traits.sends = send_rule::request;
    traits.receives = receive_rule::replies;
    return traits;
}

// One socket, which its peers come to.
struct talks : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref ours{};

    void open (const pattern_traits &traits, const settings &wish = {})
    {
        ours = socket_core::create (of, traits, wish).value ();
        EXPECT_TRUE (of->admit (ours, 1).ok ());
        EXPECT_TRUE (ours.slot->bind (ours.generation, "script://here").ok ());
    }
    ~talks () override
    {
        EXPECT_TRUE (ours.slot->close (ours.generation).ok ());
        around.time ().now.fetch_add (base::ns_per_s * 10);
        around.settle (*of);
    }
};

struct requests : talks
{
    const std::string introduction = wire::test::greeting_of (3, 1) + wire::test::ready_of ("REP");

    requests () { open (req_traits ()); }
    io_count say (std::string_view part, unsigned flags)
    {
        return ours.slot->send (ours.generation, base::as_bytes (part), flags);
    }
    // In one part, as a whole message.
    errc ask (std::string_view text)
    {
        base::message part;
        EXPECT_TRUE (part.init_copy (base::as_bytes (text)).ok ());
        const errc answer =
          ours.slot->send_parts (ours.generation, std::span (&part, 1), send_dont_wait).code ();
        part.close ();
        return answer;
    }
};

// Its only peer breaks a rule, which is seen when what it has sent is passed
// over for the request.
TEST_F (requests, that_lose_their_peer_while_they_are_sent_have_not_begun)
{
    const auto bad = around.peer (introduction);
    around.settle (*of, 2);
    bad->says += frame (5, "more of a command there cannot be");
    EXPECT_EQ (say ("one", send_dont_wait).code (), errc::would_block);
    around.settle (*of);
    EXPECT_FALSE (bad->open);
    EXPECT_EQ (ask ("two"), errc::would_block) << "it is in the middle of nothing";
    const auto good = around.peer (introduction);
    around.settle (*of);
    EXPECT_EQ (ask ("three"), errc::ok);
    EXPECT_TRUE (good->hears.ends_with (frame (1, "") + frame (0, "three")));
}

// A sender waits with the last part, for a peer, and others try to have their say.
TEST_F (requests, that_wait_with_their_last_part_are_not_added_to)
{
    const auto leaving = around.peer (introduction);
    around.settle (*of, 2);
    EXPECT_TRUE (say ("first", send_more).ok ());
    leaving->ends = true;
    around.settle (*of);
    ASSERT_FALSE (leaving->open);
    int tries = 0;
    around.sleep ().meanwhile = [&] {
        ++tries;
        EXPECT_EQ (say ("more", send_more | send_dont_wait).code (), errc::wrong_state);
        EXPECT_EQ (ask ("whole"), errc::wrong_state);
    };
    EXPECT_EQ (say ("last", 0).code (), errc::interrupted);
    EXPECT_GT (tries, 0);
    around.sleep ().meanwhile = nullptr;
    const auto good = around.peer (introduction);
    around.settle (*of);
    EXPECT_TRUE (say ("last", 0).ok ());
    EXPECT_TRUE (good->hears.ends_with (frame (1, "") + frame (1, "first") + frame (0, "last")));
}

// A STREAM's words have no parts; whoever has its slot next sends parts.
TEST_F (requests, have_parts_whoever_had_the_slot_before)
{
    pattern_traits streams;
    streams.type = 11;
    streams.name = "STREAM";
    streams.sends = send_rule::address;
    streams.receives = receive_rule::labelled;
    settings raw;
    raw.speaks = wire::framing::raw;
    const socket_ref before = socket_core::create (of, streams, raw).value ();
    ASSERT_TRUE (before.slot->send (before.generation, base::as_bytes ("nobody"), send_more).ok ());
    ASSERT_TRUE (before.slot->close (before.generation).ok ());

    const socket_ref after = socket_core::create (of, req_traits (), {}).value ();
    ASSERT_EQ (after.slot, before.slot);
    ASSERT_TRUE (of->admit (after, 2).ok ());
    const std::shared_ptr<test::script> peer = around.peer (introduction);
    ASSERT_TRUE (after.slot->connect (after.generation, "script://there").ok ());
    around.settle (*of);
    ASSERT_TRUE (
      after.slot->send (after.generation, base::as_bytes ("first"), send_more | send_dont_wait).ok ());
    ASSERT_TRUE (after.slot->send (after.generation, base::as_bytes ("second"), send_dont_wait).ok ());
    around.settle (*of);
    EXPECT_TRUE (peer->hears.ends_with (frame (1, "") + frame (1, "first") + frame (0, "second")));
    EXPECT_TRUE (after.slot->close (after.generation).ok ());
}

settings room_for_one ()
{
    settings narrow;
    narrow.send_hwm = 1;
    return narrow;
}

pattern_traits rep_traits ()
{
    pattern_traits rep;
    rep.type = 4;
    rep.name = "REP";
    rep.sends = send_rule::reply;
    rep.receives = receive_rule::requests;
    return rep;
}

// Sockets that never wait with their answers, with little room.
struct answers : talks
{
    std::shared_ptr<test::script> peer;

    void meet_asker (const pattern_traits &traits, const settings &narrow)
    {
        open (traits, narrow);
        peer = around.peer (wire::test::greeting_of (3, 1) + wire::test::ready_of ("REQ"));
        around.settle (*of);
        peer->hears.clear ();
    }
    // A request, and what goes back for it.
    static std::string talk (std::string_view text) { return frame (1, "") + frame (0, text); }
    void ask (std::string_view text)
    {
        peer->says += talk (text);
        std::array<base::message, 3> parts{};
        const io_count got = ours.slot->receive_parts (ours.generation, parts, send_dont_wait, nullptr, 0);
        ASSERT_TRUE (got.ok ());
        const std::span<base::message> all = std::span (parts).first (got.size ());
        EXPECT_TRUE (ours.slot->send_parts (ours.generation, all, send_dont_wait).ok ());
    }
    std::uint64_t dropped ()
    {
        return ours.slot->counters (ours.generation).value ().total.of (drop_reason::full);
    }
    // The peer has an answer, and asks again, before it is known here that it is written.
    void ask_while_the_answer_is_written ()
    {
        peer->on_hearing = [this] {
            ask ("two");
            EXPECT_EQ (dropped (), 0u);
            ask ("three");
            EXPECT_EQ (dropped (), 1u) << "no more than one above the mark";
        };
        ask ("one");
        around.settle (*of);
        EXPECT_EQ (peer->hears, talk ("one") + talk ("two"));
        ask ("four");
        around.settle (*of);
        EXPECT_TRUE (peer->hears.ends_with (talk ("four")));
        EXPECT_EQ (dropped (), 1u);
    }
};

TEST_F (answers, of_a_rep_go_behind_what_is_being_written)
{
    meet_asker (rep_traits (), room_for_one ());
    ask_while_the_answer_is_written ();
}

TEST_F (answers, of_a_router_go_behind_what_is_being_written)
{
    pattern_traits router;
    router.type = 6;
    router.name = "ROUTER";
    router.sends = send_rule::address;
    router.receives = receive_rule::labelled;
    meet_asker (router, room_for_one ());
    ask_while_the_answer_is_written ();
}

// Each is larger than what may wait, and goes alone.
TEST_F (answers, go_behind_what_is_being_written_by_the_mark_of_bytes_too)
{
    settings narrow;
    narrow.send_hwm_bytes = 2;
    meet_asker (rep_traits (), narrow);
    ask_while_the_answer_is_written ();
}

// Who writes much does not go on with what has come behind it, which is above the mark.
TEST_F (answers, have_room_behind_one_above_the_mark_that_can_be_written)
{
    const std::string much (combine_bytes_max, 'm');
    meet_asker (rep_traits (), room_for_one ());
    peer->on_hearing = [this] { ask ("two"); };
    ask (much);
    EXPECT_TRUE (peer->hears.ends_with (much));
    ask ("three");
    around.settle (*of);
    EXPECT_TRUE (peer->hears.ends_with (talk ("two") + talk ("three")));
    EXPECT_EQ (dropped (), 0u);
}

}  // namespace
}  // namespace zlink::engine
