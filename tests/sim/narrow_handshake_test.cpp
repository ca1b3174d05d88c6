// Handshakes through kernels that take less than a greeting at once.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/test_world.hpp"
#include "socket/facade.hpp"

namespace zlink::sim {

namespace {

using base::errc;

constexpr int type_pair = 0;
constexpr std::size_t our_handshake_bytes = 64 + 28;  // greeting and READY of a PAIR

world_choice narrow ()
{
    world_choice choice;
    choice.sky.buffer_bytes_min = choice.sky.buffer_bytes_max = 4;
    choice.sky.short_write_per_mille = 0;
    return choice;
}

// A context and a socket in it; closed and ended behind the test.
class lone_socket
{
  public:
    explicit lone_socket (virtual_world &world)
      : context_ (socket::context_open (world.seams, socket::header::zlink, nullptr).value ())
    {
        handle = open ();
    }
    ~lone_socket ()
    {
        for (void *const each : opened_)
            EXPECT_TRUE (socket::close (each).ok ());
        EXPECT_TRUE (socket::context_terminate (context_).ok ());
    }
    lone_socket (const lone_socket &) = delete;
    lone_socket &operator= (const lone_socket &) = delete;

    void *open ()
    {
        opened_.push_back (socket::open (context_, type_pair).value ());
        return opened_.back ();
    }

    void *handle = nullptr;

  private:
    void *context_;
    std::vector<void *> opened_;
};

std::unique_ptr<base::stream> dial (virtual_world &world)
{
    for (;;) {
        auto dialled = world.net.dial ({"sim://there", {}}, {});
        world.sim.pass_time (base::ns_per_s);
        if (dialled.ok () && dialled.value ()->finish_connect ().ok ())
            return std::move (dialled).value ();
    }
}

// As much as goes now.
std::size_t read (base::stream &from)
{
    std::size_t count = 0;
    std::array<std::byte, 4096> buffer;
    const base::bytes_span whole (buffer);
    for (;;) {
        const auto got = from.read (std::span (&whole, 1));
        if (!got.ok () || got.value () == 0)
            return count;
        count += got.value ();
    }
}

void write_all (virtual_world &world, base::stream &to, std::string_view octets)
{
    while (!octets.empty ()) {
        const base::bytes_view bytes = base::as_bytes (octets);
        const auto done = to.write (std::span (&bytes, 1));
        if (done.ok ())
            octets.remove_prefix (done.value ());
        else
            world.sim.pass_time (base::ns_per_ms);
    }
}

std::string greeting_and_ready ()
{
    std::string octets ("\xFF\0\0\0\0\0\0\0\0\x7F\3\1NULL", 16);
    octets.resize (64);
    return octets + std::string ("\4\x1A\5READY\x0BSocket-Type\0\0\0\4PAIR", 28);
}

TEST (NarrowHandshake, DoesNotSpinWhileThePeerTalksAndDoesNotRead)
{
    in_world (
      [] (virtual_world &world) {
          const lone_socket ours (world);
          ASSERT_TRUE (socket::bind (ours.handle, "sim://there").ok ());
          const auto peer = dial (world);
          write_all (world, *peer, greeting_and_ready ().substr (0, 64));
          world.sim.pass_time (base::ns_per_s);
          const std::uint64_t before = world.sim.calls ();
          world.sim.pass_time (10 * base::ns_per_s);
          EXPECT_LT (world.sim.calls () - before, 100u);
      },
      narrow ());
}

TEST (NarrowHandshake, DoesNotSpinWhenThePeerHasSaidAllAndDoesNotRead)
{
    in_world (
      [] (virtual_world &world) {
          const lone_socket ours (world);
          ASSERT_TRUE (socket::bind (ours.handle, "sim://there").ok ());
          const auto peer = dial (world);
          write_all (world, *peer, greeting_and_ready ());
          world.sim.pass_time (base::ns_per_s);
          // What follows stays with the kernel.
          const std::string message ("\0\4next", 6);
          const base::bytes_view first = base::as_bytes (std::string_view (message)).first (4);
          ASSERT_EQ (peer->write (std::span (&first, 1)).value (), 4u);
          world.sim.pass_time (base::ns_per_s);
          const std::uint64_t before = world.sim.calls ();
          world.sim.pass_time (10 * base::ns_per_s);
          EXPECT_LT (world.sim.calls () - before, 100u);
          EXPECT_EQ (socket::wait_peers (ours.handle, 1, 0).code (), errc::timed_out);
      },
      narrow ());
}

TEST (NarrowHandshake, IsDoneWhenAPeerThatHasSaidAllReadsAtLast)
{
    in_world (
      [] (virtual_world &world) {
          const lone_socket ours (world);
          ASSERT_TRUE (socket::bind (ours.handle, "sim://there").ok ());
          const auto peer = dial (world);
          write_all (world, *peer, greeting_and_ready ());
          world.sim.pass_time (base::ns_per_s);
          std::size_t got = 0;
          while (got < our_handshake_bytes && world.sim.now () < 100 * base::ns_per_s) {
              got += read (*peer);
              world.sim.pass_time (base::ns_per_ms);
          }
          EXPECT_EQ (got, our_handshake_bytes);
          EXPECT_TRUE (socket::wait_peers (ours.handle, 1, base::ns_per_s).ok ());
          // What comes behind READY is heard.
          write_all (world, *peer, std::string_view ("\0\4next", 6));
          std::array<std::byte, 8> buffer;
          EXPECT_EQ (socket::receive (ours.handle, buffer, 0).size (), 4u);
      },
      narrow ());
}

TEST (NarrowHandshake, BringsTwoOfOursTogether)
{
    in_world (
      [] (virtual_world &world) {
          lone_socket ours (world);
          void *const other = ours.open ();
          ASSERT_TRUE (socket::bind (ours.handle, "sim://there").ok ());
          ASSERT_TRUE (socket::connect (other, "sim://there").ok ());
          ASSERT_TRUE (socket::wait_peers (other, 1, 20 * base::ns_per_s).ok ());
          ASSERT_EQ (socket::send (other, base::as_bytes (std::string_view ("hello")), 0).code (), errc::ok);
          std::array<std::byte, 8> buffer;
          EXPECT_EQ (socket::receive (ours.handle, buffer, 0).size (), 5u);
      },
      narrow ());
}

}  // namespace

}  // namespace zlink::sim
