// Pollers and proxies of the C++ interface.
#include <array>
#include <chrono>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <zlink/zlink.hpp>

#include "support/waiting.hpp"

namespace zlink::test {
namespace {

using namespace std::chrono_literals;

TEST (cpp_pollers, find_what_is_ready)
{
    context in;
    pair_socket one (in), other (in);
    other.connect (one.bind ("inproc://polled"));
    poller set;
    int tag = 0;
    set.add (one, events::receive, &tag);
    EXPECT_TRUE (set.wait (0ms).empty ());
    other.send ("x");
    const auto found = set.wait ();
    ASSERT_EQ (found.size (), 1u);
    EXPECT_EQ (found[0].socket, one.handle ());
    EXPECT_EQ (found[0].tag, &tag);
    EXPECT_TRUE (has (found[0].found, events::receive));
    EXPECT_FALSE (has (found[0].found, events::send));
    EXPECT_GE (set.descriptor (), 0);
    set.modify (one, events::receive | events::send);
    EXPECT_TRUE (has (set.wait ()[0].found, events::send));
    set.remove (one);
    EXPECT_EQ (set.size (), 0u);
    EXPECT_THROW (set.remove (one), failure);
    EXPECT_THROW (static_cast<void> (poller ().descriptor ()), failure);
}

TEST (cpp_pollers, wait_for_descriptors_too)
{
    int ends[2];
    ASSERT_EQ (::pipe (ends), 0);
    poller set;
    set.add (ends[0], events::receive);
    poller moved (std::move (set));
    EXPECT_TRUE (moved.wait (0ms).empty ());
    ASSERT_EQ (::write (ends[1], "x", 1), 1);
    const auto found = moved.wait ();
    ASSERT_EQ (found.size (), 1u);
    EXPECT_EQ (found[0].socket, nullptr);
    EXPECT_EQ (found[0].descriptor, ends[0]);
    moved.remove (ends[0]);
    ::close (ends[0]);
    ::close (ends[1]);
}

TEST (cpp_proxies, pass_messages_on_until_told_to_stop)
{
    context in;
    pull_socket front (in);
    push_socket back (in), source (in);
    pull_socket sink (in);
    pair_socket control (in), steering (in);
    source.connect (front.bind ("inproc://front"));
    sink.connect (back.bind ("inproc://back"));
    steering.connect (control.bind ("inproc://control"));
    {
        const worker passes ([&] { proxy (front, back, nullptr, control); });
        source.send ("through");
        EXPECT_EQ (sink.receive ().text (), "through");
        steering.send ("TERMINATE");
    }
    const worker ends ([&] { proxy (front, back); });
    source.send ("again");
    EXPECT_EQ (sink.receive ().text (), "again");
    in.shutdown ();
}

}  // namespace
}  // namespace zlink::test
