// What many peers that leave early may hold. Over real transports:
// tests/hostile/leavers.cpp.
#include "engine/scripted_world.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::engine {
namespace {

using wire::test::frame;

pattern_traits dealer_traits ()
{
    pattern_traits traits;
    traits.type = 5;
    traits.name = "DEALER";
    traits.sends = send_rule::balance;
    traits.receives = receive_rule::fair;
    return traits;
}

class ends_told final : public event_sink
{
  public:
    bool take (const event_record &what) noexcept override
    {
        left += what.kind == event_kind::lost && what.reason == base::close_reason::peer_closed;
        not_accepting += what.kind == event_kind::accept_failed;
        return true;
    }
    void deliver () noexcept override {}

    std::size_t left = 0;
    std::size_t not_accepting = 0;
};

// Each comes by itself, and is served before the next one knocks.
struct leavers : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    std::shared_ptr<ends_told> told = std::make_shared<ends_told> ();
    std::vector<std::shared_ptr<test::script>> peers;
    socket_ref ours;

    void open (const pattern_traits &traits)
    {
        of->set_budget (std::int64_t{1} << 40);  // for its account
        ours = socket_core::create (of, traits, {}).value ();
        ASSERT_TRUE (of->admit (ours, 1).ok ());
        ASSERT_TRUE (ours.slot->add_sink (ours.generation, told).ok ());
        ASSERT_TRUE (ours.slot->bind (ours.generation, "script://here").ok ());
    }
    ~leavers () override
    {
        EXPECT_TRUE (ours.slot->close (ours.generation).ok ());
        for (int i = 0; i < 2; ++i) {
            around.time ().now.fetch_add (base::ns_per_s * 10);
            around.settle (*of);
        }
        EXPECT_TRUE (of->sockets ().empty ());
        EXPECT_EQ (open_streams (), 0U);
        EXPECT_EQ (of->budget.used (), 0);
    }
    // They come, say one thing and go.
    void come (std::size_t count, std::string_view theirs, std::string_view behind = {})
    {
        for (std::size_t i = 0; i < count; ++i) {
            std::string says = wire::test::greeting_of (3, 1) + wire::test::ready_of (theirs);
            says += frame (0, "message " + std::to_string (peers.size ()));
            says += behind;
            peers.push_back (around.peer (std::move (says), true));
            around.settle (*of, 3);  // those who have left never settle
        }
    }
    void time_passes ()
    {
        around.time ().now.fetch_add (accept_backoff_ns);
        around.settle (*of, 100);
    }
    [[nodiscard]] std::size_t open_streams () const
    {
        return static_cast<std::size_t> (std::count_if (
          peers.begin (), peers.end (), [] (const auto &each) { return each->said > 0 && each->open; }));
    }
    [[nodiscard]] std::size_t accepted () const
    {
        return static_cast<std::size_t> (
          std::count_if (peers.begin (), peers.end (), [] (const auto &each) { return each->said > 0; }));
    }
    // Empty: there is nothing.
    std::string received ()
    {
        std::array<std::byte, 64> memory;
        const io_count got = ours.slot->receive (ours.generation, memory, send_dont_wait);
        if (!got.ok ())
            return {};
        const std::size_t size = std::min (got.size (), memory.size ());
        return std::string (base::as_text (base::bytes_view (memory).first (size)));
    }
    [[nodiscard]] std::set<std::string> all_received ()
    {
        std::set<std::string> all;
        for (std::string text = received (); !text.empty (); text = received ())
            EXPECT_TRUE (all.insert (text).second) << text;
        return all;
    }
};

constexpr std::size_t streams_max = leaver_streams_kept + 2 * admissions_per_look;

TEST_F (leavers, hold_few_streams_and_little_memory_and_lose_nothing)
{
    constexpr std::size_t count = 2000;
    open (test::pull_traits ());
    come (count, "PUSH");
    EXPECT_EQ (accepted (), count);
    EXPECT_LE (open_streams (), streams_max);
    EXPECT_LE (of->budget.used (), static_cast<std::int64_t> (streams_max * slab_bytes_default));
    EXPECT_EQ (told->left, 0U) << "what they sent comes first";
    EXPECT_EQ (told->not_accepting, 0U);
    EXPECT_EQ (all_received ().size (), count);
    EXPECT_EQ (told->left, count);
    EXPECT_EQ (open_streams (), 0U);
}

TEST_F (leavers, may_be_unread_when_the_socket_closes)
{
    open (test::pull_traits ());
    come (5 * admissions_per_look, "PUSH");
    EXPECT_LE (open_streams (), streams_max);
    EXPECT_EQ (received ().substr (0, 7), "message");
}

// A peer may end its side only, and wait for an answer.
TEST_F (leavers, that_are_few_are_still_answered)
{
    open (dealer_traits ());
    come (1, "DEALER");
    EXPECT_EQ (open_streams (), 1U);
    ASSERT_TRUE (ours.slot->send (ours.generation, base::as_bytes ("answer"), send_dont_wait).ok ());
    EXPECT_NE (peers[0]->hears.find (frame (0, "answer")), std::string::npos);
    EXPECT_EQ (received (), "message 0");
    EXPECT_EQ (received (), "");
    EXPECT_EQ (told->left, 1U);
}

// Of those whose streams are closed nobody is sent to any more.
TEST_F (leavers, that_are_many_get_no_messages)
{
    open (dealer_traits ());
    come (5 * admissions_per_look, "DEALER");
    const std::size_t there = open_streams ();
    ASSERT_LT (there, peers.size ());
    for (std::size_t i = 0; i < there; ++i)
        EXPECT_TRUE (ours.slot->send (ours.generation, base::as_bytes ("answer"), send_dont_wait).ok ());
    around.settle (*of, 3);
    for (const auto &each : peers)
        EXPECT_EQ (each->hears.find ("answer") != std::string::npos, each->open);
}

// The half of one more message: nobody will ever say the rest.
TEST_F (leavers, that_break_off_lose_only_what_they_did_not_finish)
{
    constexpr std::size_t count = 5 * admissions_per_look;
    open (test::pull_traits ());
    come (count, "PUSH", frame (0, "broken off").substr (0, 5));
    EXPECT_LE (open_streams (), streams_max);
    EXPECT_EQ (all_received ().size (), count);
    EXPECT_EQ (told->left, count);
}

}  // namespace
}  // namespace zlink::engine
