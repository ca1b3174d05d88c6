#include "engine/context.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engine/test_world.hpp"

namespace zlink::engine {
namespace {

using base::errc;

struct context_case : testing::Test
{
    test::quiet_world around;
    context of{around.world (), nullptr};

    reactor *chosen (std::uint64_t affinity = 0)
    {
        const base::result<reactor *> found = of.choose_reactor (affinity);
        EXPECT_TRUE (found.ok ());
        return found.ok () ? found.value () : nullptr;
    }
};

// Names and lists only look at these, they never follow them.
socket_ref ref (std::uint32_t generation) { return {nullptr, generation}; }

// --- reactors --------------------------------------------------------------------

TEST_F (context_case, starts_no_thread_before_somebody_needs_one)
{
    EXPECT_TRUE (around.threads.names.empty ());
    EXPECT_NE (chosen (), nullptr);
    EXPECT_EQ (around.threads.names, (std::vector<std::string>{"zlink/0"}));
}

TEST_F (context_case, one_thread_serves_all)
{
    reactor *const first = chosen ();
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ (chosen (), first);
    EXPECT_EQ (first->sockets.load (), 6U);
    EXPECT_EQ (around.threads.names.size (), 1U);
}

TEST_F (context_case, without_threads_there_is_an_answer)
{
    of.set_threads (0, {});
    EXPECT_EQ (of.choose_reactor (0).code (), errc::no_io_thread);
}

TEST_F (context_case, sockets_are_spread_over_the_threads)
{
    base::thread_options options;
    options.name = "mine-";
    of.set_threads (3, options);
    reactor *const first = chosen ();
    reactor *const second = chosen ();
    reactor *const third = chosen ();
    EXPECT_NE (first, second);
    EXPECT_NE (second, third);
    EXPECT_NE (first, third);
    for (int i = 0; i < 6; ++i)
        (void)chosen ();
    for (const reactor *each : {first, second, third})
        EXPECT_EQ (each->sockets.load (), 3U);
    EXPECT_EQ (around.threads.names,
               (std::vector<std::string>{"mine-zlink/0", "mine-zlink/1", "mine-zlink/2"}));
}

TEST_F (context_case, affinity_says_which_threads_may_serve)
{
    of.set_threads (3, {});
    reactor *const third = chosen (4);
    EXPECT_EQ (around.threads.names, (std::vector<std::string>{"zlink/2"}));
    EXPECT_EQ (chosen (4), third);
    EXPECT_NE (chosen (2), third);
    EXPECT_EQ (of.choose_reactor (8).code (), errc::no_io_thread) << "there is no fourth";
}

TEST_F (context_case, says_why_a_thread_cannot_start)
{
    around.threads.failure = errc::no_memory;
    EXPECT_EQ (of.choose_reactor (0).code (), errc::no_memory);
    around.threads.failure = errc::ok;
    around.pollers.failure = errc::too_many_files;
    EXPECT_EQ (of.choose_reactor (0).code (), errc::too_many_files);
    around.pollers.failure = errc::ok;
    EXPECT_NE (chosen (), nullptr) << "and the next one may";
}

TEST_F (context_case, an_unknown_transport_is_null)
{
    EXPECT_EQ (of.transport_of ("tcp"), nullptr);
    EXPECT_EQ (of.transport_of (""), nullptr);
}

// --- sockets ---------------------------------------------------------------------

TEST_F (context_case, admits_so_many_sockets)
{
    EXPECT_TRUE (of.admit (ref (1), 2).ok ());
    EXPECT_TRUE (of.admit (ref (2), 2).ok ());
    EXPECT_EQ (of.admit (ref (3), 2).code (), errc::too_many_sockets);
    of.dismiss (ref (1));
    EXPECT_TRUE (of.admit (ref (3), 2).ok ());
    EXPECT_EQ (of.sockets (), (std::vector<socket_ref>{ref (2), ref (3)}));
    of.dismiss (ref (2));
    of.dismiss (ref (3));
    EXPECT_TRUE (of.sockets ().empty ());
}

TEST_F (context_case, the_last_dismissed_wakes_who_terminates)
{
    ASSERT_TRUE (of.admit (ref (1), 2).ok ());
    const int before = around.sleep.wakes;
    of.dismiss (ref (1));
    EXPECT_GT (around.sleep.wakes, before);
}

TEST_F (context_case, admits_nobody_once_it_terminates)
{
    EXPECT_FALSE (of.terminating ());
    of.shutdown ();
    EXPECT_TRUE (of.terminating ());
    EXPECT_EQ (of.admit (ref (1), 10).code (), errc::terminated);
    EXPECT_TRUE (of.terminate (base::never_ns).ok ());
    EXPECT_TRUE (of.terminate (base::never_ns).ok ()) << "again";
}

// --- inproc names ----------------------------------------------------------------

TEST_F (context_case, a_name_has_one_owner)
{
    EXPECT_TRUE (of.bind_name ("a", ref (1)).ok ());
    EXPECT_EQ (of.bind_name ("a", ref (2)).code (), errc::address_in_use);
    EXPECT_EQ (of.bind_name ("a", ref (1)).code (), errc::address_in_use);
    EXPECT_TRUE (of.bind_name ("b", ref (1)).ok ());
    EXPECT_FALSE (of.unbind_name ("a", ref (2)));
    EXPECT_FALSE (of.unbind_name ("c", ref (1)));
    EXPECT_TRUE (of.unbind_name ("a", ref (1)));
    EXPECT_FALSE (of.unbind_name ("a", ref (1)));
    EXPECT_TRUE (of.bind_name ("a", ref (2)).ok ());
}

TEST_F (context_case, who_connects_first_waits_for_the_name)
{
    EXPECT_EQ (of.find_name_or_wait ("a", {ref (1), 11}), socket_ref{});
    EXPECT_EQ (of.find_name_or_wait ("b", {ref (2), 12}), socket_ref{});
    EXPECT_EQ (of.find_name_or_wait ("a", {ref (3), 13}), socket_ref{});
    ASSERT_TRUE (of.bind_name ("a", ref (9)).ok ());
    auto waiting = of.take_waiting ("a");
    ASSERT_FALSE (waiting.empty ());
    EXPECT_EQ (waiting.mapped ().from, ref (1));
    EXPECT_EQ (waiting.mapped ().endpoint_id, 11U);
    of.wait_on (std::move (waiting));
    EXPECT_EQ (of.take_waiting ("a").mapped ().from, ref (1)) << "back in its place";
    EXPECT_EQ (of.take_waiting ("a").mapped ().from, ref (3));
    EXPECT_TRUE (of.take_waiting ("a").empty ()) << "each is told once";
    EXPECT_EQ (of.find_name_or_wait ("a", {ref (4), 14}), ref (9));
    EXPECT_TRUE (of.take_waiting ("a").empty ()) << "who found it does not wait";
    EXPECT_FALSE (of.take_waiting ("b").empty ());
}

TEST_F (context_case, forgets_all_of_a_socket)
{
    ASSERT_TRUE (of.bind_name ("a", ref (1)).ok ());
    ASSERT_TRUE (of.bind_name ("b", ref (1)).ok ());
    ASSERT_TRUE (of.bind_name ("c", ref (2)).ok ());
    (void)of.find_name_or_wait ("d", {ref (1), 1});
    (void)of.find_name_or_wait ("d", {ref (2), 2});
    of.forget_names (ref (1));
    EXPECT_TRUE (of.bind_name ("a", ref (3)).ok ());
    EXPECT_TRUE (of.bind_name ("b", ref (3)).ok ());
    EXPECT_EQ (of.bind_name ("c", ref (3)).code (), errc::address_in_use);
    EXPECT_EQ (of.take_waiting ("d").mapped ().from, ref (2));
    EXPECT_TRUE (of.take_waiting ("d").empty ());
}

TEST (context, keeps_what_it_was_given_alive)
{
    test::quiet_world around;
    const auto held = std::make_shared<int> (1);
    {
        const context of (around.world (), held);
        EXPECT_EQ (held.use_count (), 2);
    }
    EXPECT_EQ (held.use_count (), 1);
}

}  // namespace
}  // namespace zlink::engine
