#include "sim/network.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>

#include "sim/test_world.hpp"

namespace zlink::sim {

namespace {

using base::errc;

// Both ends of a connection.
struct ends
{
    std::unique_ptr<base::listener> listener;
    std::unique_ptr<base::stream> near;
    std::unique_ptr<base::stream> far;
};

void pause (virtual_world &world) { world.sim.pass_time (base::ns_per_s); }

ends connect (virtual_world &world)
{
    ends made;
    made.listener = world.net.listen ("there", {}).value ();
    while (made.near == nullptr) {
        auto dialled = world.net.dial ({"sim://there", {}}, {});
        if (dialled.ok ())
            made.near = std::move (dialled).value ();
    }
    pause (world);
    EXPECT_TRUE (made.near->finish_connect ().ok ());
    made.far = made.listener->accept ().value ();
    return made;
}

base::result<std::size_t> write (base::stream &to, const std::string &text)
{
    const base::bytes_view bytes = base::as_bytes (text);
    return to.write (std::span (&bytes, 1));
}

base::result<std::size_t> read (base::stream &from, std::string &text)
{
    std::array<std::byte, 4096> buffer;
    const base::bytes_span whole (buffer);
    const auto got = from.read (std::span (&whole, 1));
    if (got.ok ())
        text.append (reinterpret_cast<const char *> (buffer.data ()), got.value ());
    return got;
}

// All of it, and what ended it.
errc read_on (virtual_world &world, base::stream &from, std::string &text)
{
    for (;;) {
        const auto got = read (from, text);
        if (got.code () == errc::would_block && text.size () < 1'000'000) {
            const std::size_t before = text.size ();
            pause (world);
            if (read (from, text).code () == errc::would_block && text.size () == before)
                return errc::would_block;
        } else if (!got.ok ()) {
            return got.code ();
        } else if (got.value () == 0) {
            return errc::ok;
        }
    }
}

world_choice rough ()
{
    world_choice choice;
    choice.sky.piece_bytes_max = 3;
    choice.sky.buffer_bytes_min = choice.sky.buffer_bytes_max = 100;
    choice.sky.short_write_per_mille = 300;
    return choice;
}

TEST (Network, BytesArriveWholeAndInOrder)
{
    in_world (
      [] (virtual_world &world) {
          const ends on = connect (world);
          std::string sent;
          std::string got;
          for (int i = 0; i < 300; ++i) {
              const std::string piece = std::to_string (i) + ",";
              const auto done = write (*on.near, piece);
              if (done.ok ())
                  sent += piece.substr (0, done.value ());
              else
                  read_on (world, *on.far, got);
          }
          EXPECT_EQ (read_on (world, *on.far, got), errc::would_block);
          EXPECT_EQ (got, sent);
      },
      rough ());
}

TEST (Network, AFullBufferBlocksUntilItIsRead)
{
    in_world (
      [] (virtual_world &world) {
          const ends on = connect (world);
          std::string sent;
          while (write (*on.near, "abcdefgh").ok ())
              pause (world);
          EXPECT_EQ (write (*on.near, "x").code (), errc::would_block);
          EXPECT_TRUE (on.near->output_pending ());
          EXPECT_FALSE (on.near->wait_writable (base::ns_per_s));
          std::string got;
          read_on (world, *on.far, got);
          EXPECT_TRUE (on.near->wait_writable (base::ns_per_s));
          EXPECT_FALSE (on.near->output_pending ());
          EXPECT_GE (got.size (), 190u);  // both kernels' buffers
      },
      rough ());
}

TEST (Network, AShortReadHasEmptiedTheBuffer)
{
    in_world ([] (virtual_world &world) {
        const ends on = connect (world);
        ASSERT_TRUE (write (*on.near, std::string (5000, 'x')).ok ());
        pause (world);
        std::string got;
        EXPECT_EQ (read (*on.far, got).value (), 4096u);
        EXPECT_EQ (read (*on.far, got).value (), 904u);
        EXPECT_EQ (read (*on.far, got).code (), errc::would_block);
    });
}

TEST (Network, AfterShutdownThePeerReadsToTheEndAndMayStillSend)
{
    in_world ([] (virtual_world &world) {
        const ends on = connect (world);
        ASSERT_TRUE (write (*on.near, "last").ok ());
        on.near->shutdown_write ();
        EXPECT_FALSE (write (*on.near, "more").ok ());
        std::string got;
        EXPECT_EQ (read_on (world, *on.far, got), errc::ok);
        EXPECT_EQ (got, "last");
        ASSERT_TRUE (write (*on.far, "answer").ok ());
        pause (world);
        std::string answer;
        EXPECT_EQ (read (*on.near, answer).value (), 6u);
        EXPECT_EQ (answer, "answer");
    });
}

TEST (Network, ClosingLetsThePeerReadEverything)
{
    in_world ([] (virtual_world &world) {
        ends on = connect (world);
        ASSERT_TRUE (write (*on.near, "last").ok ());
        on.near.reset ();
        std::string got;
        EXPECT_EQ (read_on (world, *on.far, got), errc::ok);
        EXPECT_EQ (got, "last");
        EXPECT_EQ (world.net.streams (), 1u);
    });
}

TEST (Network, ClosingWithUnreadInputResets)
{
    in_world ([] (virtual_world &world) {
        ends on = connect (world);
        ASSERT_TRUE (write (*on.far, "unread").ok ());
        pause (world);
        on.near.reset ();
        pause (world);
        std::string got;
        EXPECT_EQ (read (*on.far, got).code (), errc::connection_reset);
        EXPECT_EQ (read (*on.far, got).value (), 0u);
        EXPECT_FALSE (write (*on.far, "x").ok ());
    });
}

TEST (Network, AResetLosesWhatFliesNotWhatArrived)
{
    in_world ([] (virtual_world &world) {
        const ends on = connect (world);
        ASSERT_TRUE (write (*on.near, "here").ok ());
        pause (world);
        ASSERT_TRUE (write (*on.near, "flying").ok ());
        ASSERT_TRUE (world.net.break_one ());
        std::string got;
        EXPECT_EQ (read (*on.far, got).value (), 4u);
        EXPECT_EQ (read (*on.far, got).code (), errc::connection_reset);
        EXPECT_EQ (got, "here");
        EXPECT_EQ (write (*on.near, "x").code (), errc::connection_reset);
        EXPECT_FALSE (world.net.break_one ());
    });
}

TEST (Network, AStallHoldsBytesBack)
{
    in_world ([] (virtual_world &world) {
        const ends on = connect (world);
        ASSERT_TRUE (world.net.stall_one (10 * base::ns_per_s));
        ASSERT_TRUE (write (*on.near, "late").ok ());
        pause (world);
        std::string got;
        EXPECT_EQ (read (*on.far, got).code (), errc::would_block);
        world.sim.pass_time (10 * base::ns_per_s);
        EXPECT_EQ (read (*on.far, got).value (), 4u);
    });
}

TEST (Network, WithoutAListenerConnectsAreRefused)
{
    in_world ([] (virtual_world &world) {
        for (int i = 0; i < 20; ++i) {
            auto dialled = world.net.dial ({"sim://nobody", {}}, {});
            if (!dialled.ok ()) {
                EXPECT_EQ (dialled.code (), errc::connection_refused);
                continue;
            }
            pause (world);
            EXPECT_EQ (dialled.value ()->finish_connect ().code (), errc::connection_refused);
        }
        EXPECT_EQ (world.net.streams (), 0u);
    });
}

TEST (Network, NamesAreTakenOnceAndWildcardsFilledIn)
{
    in_world ([] (virtual_world &world) {
        auto first = world.net.listen ("a", {});
        EXPECT_EQ (world.net.listen ("a", {}).code (), errc::address_in_use);
        first = errc::ok;
        EXPECT_TRUE (world.net.listen ("a", {}).ok ());
        EXPECT_NE (world.net.listen ("*", {}).value ()->local_endpoint (), "sim://*");
        EXPECT_EQ (world.files.open_files (), 0u);
    });
}

TEST (Network, TheSetHearsOfDataAndOfTheEndInOneEdge)
{
    in_world ([] (virtual_world &world) {
        ends on = connect (world);
        virtual_poller set (world.files);
        ASSERT_TRUE (set.add (on.far->handle (), base::interest_read | base::interest_edge, 5).ok ());
        std::array<base::poll_event, 4> events;
        EXPECT_EQ (set.wait (events, 0).value (), 0u);
        ASSERT_TRUE (write (*on.near, "x").ok ());
        on.near.reset ();
        pause (world);
        ASSERT_EQ (set.wait (events, -1).value (), 1u);
        EXPECT_EQ (events[0].ready, base::ready_read | base::ready_hangup);
        EXPECT_EQ (set.wait (events, 0).value (), 0u);
        on.far.reset ();
        on.listener.reset ();
        EXPECT_EQ (world.files.open_files (), 1u);
    });
}

}  // namespace

}  // namespace zlink::sim
