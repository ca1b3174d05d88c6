// A subscriber that a publisher cannot write to any more. The rest is tested
// whole: tests/conformance/topics.cpp.
#include "engine/scripted_world.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::engine {
namespace {

using wire::test::frame;

pattern_traits xpub_traits ()
{
    pattern_traits traits;
    traits.type = 9;
    traits.name = "XPUB";
    traits.sends = send_rule::publish;
    traits.receives = receive_rule::fair;
    traits.takes_topics = true;
    return traits;
}

// Its application has the descriptor, and so is the one who is to read.
struct publishers : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref xpub = socket_core::create (of, xpub_traits (), {}).value ();
    const std::string gone_a{"\0a", 2};
    const std::string gone_b{"\0b", 2};
    const std::string introduction = wire::test::greeting_of (3, 1) + wire::test::ready_of ("XSUB");

    publishers ()
    {
        EXPECT_TRUE (of->admit (xpub, 1).ok ());
        EXPECT_TRUE (xpub.slot->bind (xpub.generation, "script://here").ok ());
        EXPECT_TRUE (xpub.slot->event_handle (xpub.generation).ok ());
    }
    ~publishers () override
    {
        EXPECT_TRUE (xpub.slot->close (xpub.generation).ok ());
        around.time ().now.fetch_add (base::ns_per_s * 10);
        around.settle (*of);
    }
    // It wants what begins with a, says more, and hears nothing any more.
    std::shared_ptr<test::script> half_dead_peer (std::string_view more)
    {
        auto made = around.peer (introduction + frame (0, "\1a"));
        around.settle (*of, 4);
        EXPECT_EQ (received (), "\1a");
        made->says += more;
        made->refuses = true;
        EXPECT_TRUE (xpub.slot->send (xpub.generation, base::as_bytes ("a message"), 0).ok ());
        around.settle (*of, 4);
        return made;
    }
    std::multiset<std::string> all_received ()
    {
        std::multiset<std::string> all;
        for (std::string text = received (); !text.empty (); text = received ())
            all.insert (text);
        return all;
    }
    // Empty: there is nothing.
    std::string received ()
    {
        std::array<std::byte, 64> memory;
        const io_count got = xpub.slot->receive (xpub.generation, memory, send_dont_wait);
        if (!got.ok ())
            return {};
        return std::string (base::as_text (base::bytes_view (memory).first (got.size ())));
    }
};

TEST_F (publishers, leave_a_subscriber_that_hears_nothing)
{
    const auto peer = half_dead_peer (frame (0, "\1b"));
    EXPECT_FALSE (peer->open) << "it is to come anew";
    EXPECT_EQ (all_received (), (std::multiset<std::string>{"\1b", gone_a, gone_b}));
}

TEST_F (publishers, give_what_it_had_said_to_who_asks_later)
{
    const auto peer = half_dead_peer (frame (0, "\1b") + frame (1, "one") + frame (0, "two"));
    EXPECT_FALSE (peer->open);
    EXPECT_EQ (all_received (), (std::multiset<std::string>{"\1b", "one", "two", gone_a, gone_b}));
}

// So long what is unwritten for two subscribers waits at most in a burst.
struct bursts : publishers
{
    std::vector<std::shared_ptr<test::script>> subscribers;
    base::time_ns write_takes_ns = 0;

    bursts ()
    {
        for (int i = 0; i < 2; ++i)
            subscribers.push_back (around.peer (introduction + frame (0, "\1a")));
        around.settle (*of, 4);
        EXPECT_EQ (received (), "\1a");  // of both
        for (const auto &each : subscribers)
            let_time_pass_with (each);
    }
    void let_time_pass_with (const std::shared_ptr<test::script> &each)
    {
        each->on_hearing = [this, each] {
            around.time ().now.fetch_add (write_takes_ns);
            let_time_pass_with (each);
        };
    }
    ~bursts () override
    {
        for (const auto &each : subscribers)
            each->on_hearing = nullptr;
    }
    // True when it has been written, be it with others.
    bool say ()
    {
        const std::size_t before = subscribers[0]->hears.size ();
        EXPECT_TRUE (xpub.slot->send (xpub.generation, base::as_bytes ("a message"), 0).ok ());
        return subscribers[0]->hears.size () > before;
    }
    std::uint64_t waited_us ()
    {
        std::uint64_t us = 0;
        for (; us < 1000 && !say (); ++us)
            around.time ().now.fetch_add (base::ns_per_us);
        return us;
    }
};

TEST_F (bursts, that_take_long_to_write_are_written_less_often)
{
    while (say ())
        ;
    (void)waited_us ();
    EXPECT_LE (waited_us (), tail_age_us_max + tail_age_us_max / 2);
    write_takes_ns = tail_age_us_max * base::ns_per_us;
    (void)waited_us ();
    EXPECT_GT (waited_us (), 2 * tail_age_us_max);
}

}  // namespace
}  // namespace zlink::engine
