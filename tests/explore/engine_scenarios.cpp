// The library's protocols between threads, each with as few callers, sockets
// and messages as it takes.
#include <array>
#include <string>

#include "base/lock.hpp"
#include "explore/scenarios.hpp"
#include "explore/stage.hpp"
#include "socket/facade.hpp"

namespace zlink::explore {

namespace {

constexpr int option_descriptor = 14;
constexpr int option_events = 15;

sim::world_choice quiet_world ()
{
    base::lock_spins_max.store (0);
    sim::world_choice choice;
    choice.cores = 1;  // no spinning: it only puts off what is looked for
    choice.sky.short_write_per_mille = 0;
    choice.sky.delay_min_ns = choice.sky.delay_max_ns = 5'000;
    return choice;
}

// Its kernels hold a handshake, but only one message of narrow_bytes.
constexpr std::size_t narrow_bytes = 80;
sim::world_choice narrow_world ()
{
    sim::world_choice choice = quiet_world ();
    choice.sky.buffer_bytes_min = choice.sky.buffer_bytes_max = 128;
    return choice;
}

struct pipeline
{
    pipeline (stage &on, const std::string &endpoint, const marks &hwm)
      : push (on.open (kind::push, hwm)), pull (on.open (kind::pull, hwm))
    {
        on.link (pull, push, endpoint);
    }
    void *push;
    void *pull;
};

void start (stage &on, start_exploring *begin)
{
    on.begin ();
    begin (on.sim);
}

// A lane with room for one: both sides sleep in turn.
void lane_of_one (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "inproc://a", {1, 1});
    start (on, begin);
    on.caller ("sender", [&] { on.send (at.push, 4); });
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.expect_received (4);
    on.end ();
}

// The same with two callers at either end.
void lane_crowd (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "inproc://a", {1, 1});
    start (on, begin);
    for (const char *name : {"sender a", "sender b"})
        on.caller (name, [&] { on.send (at.push, 3); });
    for (const char *name : {"receiver a", "receiver b"})
        on.caller (name, [&] { on.receive_all (at.pull); });
    on.expect_received (6);
    on.end ();
}

// A message meets a receiver that has taken the one before and is about to
// sleep.
void lane_publish (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "inproc://a", {1, 1});
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.send (at.push, 1);
    start (on, begin);
    on.caller ("sender", [&] { on.send (at.push, 1); });
    on.expect_received (2);
    on.end ();
}

// Three write to one connection: who finds it claimed leaves its message to the
// one who writes.
void combined_writes (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {100, 100});
    start (on, begin);
    for (const char *name : {"sender a", "sender b", "sender c"})
        on.caller (name, [&] { on.send (at.push, 5); });
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.expect_received (15);
    on.end ();
}

// A leader in the inner set and a follower on the word.
void leader_and_follower (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {2, 2});
    start (on, begin);
    for (const char *name : {"receiver a", "receiver b"})
        on.caller (name, [&] { on.receive_all (at.pull); });
    on.caller ("sender", [&] { on.send (at.push, 5); });
    on.expect_received (5);
    on.end ();
}

// A leader sleeps in the kernel; the message comes by a lane.
void kick_of_a_leader (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {1, 1});
    void *const near = on.open (kind::push);
    on.link (at.pull, near, "inproc://b");
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    start (on, begin);
    on.send (near, 1);
    on.expect_received (1);
    on.end ();
}

// The same with followers, DONTWAIT receivers that swallow the kick, and news
// from both sides.
void kicks_and_harvests (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {2, 2});
    void *const near = on.open (kind::push);
    on.link (at.pull, near, "inproc://b");
    start (on, begin);
    for (const char *name : {"receiver a", "receiver b"})
        on.caller (name, [&] { on.receive_all (at.pull); });
    on.caller ("looks", [&] {
        for (int i = 0; i < 6; ++i)
            (void)on.receive (at.pull, socket::io_dont_wait);
    });
    on.caller ("near", [&] { on.send (near, 3); });
    on.caller ("far", [&] { on.send (at.push, 3); });
    on.expect_received (6);
    on.end ();
}

// A socket is closed under those who wait on it.
void close_under_callers (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, sim.chance (500) ? "sim://a" : "inproc://a", {1, 1});
    on.may_lose = true;
    start (on, begin);
    for (const char *name : {"receiver a", "receiver b"})
        on.caller (name, [&] { on.receive_all (at.pull); });
    on.caller ("sender", [&] { on.send (at.push, 3); });
    on.caller ("closes", [&] {
        (void)socket::close (at.pull);
        sim.pass_time (static_cast<time_ns> (sim.roll_below (30'000)));
        (void)socket::close (at.push);
    });
    on.expect_home ();
    on.end ();
}

// The context ends under them.
void shutdown_under_callers (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, sim.chance (500) ? "sim://a" : "inproc://a", {1, 1});
    on.may_lose = true;
    start (on, begin);
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.caller ("sender a", [&] { on.send (at.push, 3); });
    on.caller ("sender b", [&] { on.send (at.push, 3); });
    on.shut_down ();
    on.expect_home ();
    on.end ();
}

// An endpoint goes while a sender writes to it, and comes again.
void disconnect_under_a_write (sim::simulation &sim, start_exploring *begin)
{
    const bool near = sim.chance (300);
    stage on (sim, narrow_world ());
    on.body_bytes = narrow_bytes;
    const std::string endpoint = near ? "inproc://a" : "sim://a";
    const pipeline at (on, endpoint, {2, 2});
    on.may_lose = true;
    start (on, begin);
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.caller ("sender a", [&] { on.send (at.push, 6); });
    on.caller ("sender b", [&] { on.send (at.push, 6); });
    on.caller ("disconnects", [&] {
        sim.pass_time (static_cast<time_ns> (sim.roll_below (30'000)));
        if (!socket::disconnect (at.push, endpoint).ok () || !socket::connect (at.push, endpoint).ok ())
            sim.fail ("an endpoint does not go or does not come");
    });
    on.expect_home_but_receivers (1);
    on.end ();
}

// An event loop on the descriptor: events until there are none, then it waits
// for a signal, for ever.
void descriptor_loop (stage &on, void *pull, unsigned wanted)
{
    int descriptor = -1;
    std::size_t size = sizeof descriptor;
    if (!socket::get_option (pull, option_descriptor, &descriptor, &size).ok ())
        on.sim.fail ("no descriptor");
    for (unsigned got = 0; got < wanted;) {
        int events = 0;
        size = sizeof events;
        if (!socket::get_option (pull, option_events, &events, &size).ok ())
            on.sim.fail ("no events");
        if ((events & socket::event_in) != 0) {
            got += on.receive (pull, socket::io_dont_wait) == stage::taken::message;
            continue;
        }
        std::array<base::poll_entry, 1> entries{{{descriptor, base::interest_read, 0}}};
        (void)on.world->pollers.wait_list (entries, -1, {});
    }
}

void descriptor_signals (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {2, 2});
    void *const near = on.open (kind::push);
    on.link (at.pull, near, "inproc://b");
    start (on, begin);
    on.caller ("loop", [&] { descriptor_loop (on, at.pull, 6); });
    on.caller ("near", [&] { on.send (near, 3); });
    on.caller ("far", [&] { on.send (at.push, 3); });
    on.expect_received (6);
    on.end ();
}

// A poll for ever over two sockets.
void poll_sleeps (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline far (on, "sim://a", {1, 1});
    const pipeline near (on, "inproc://b", {1, 1});
    start (on, begin);
    on.caller ("poll", [&] {
        std::array<socket::poll_item, 2> items{{{far.pull, base::no_handle, socket::event_in, 0},
                                                {near.pull, base::no_handle, socket::event_in, 0}}};
        for (unsigned got = 0; got < 6;) {
            if (!socket::poll (on.world->seams, items, -1).ok ())
                continue;
            for (const socket::poll_item &each : items)
                if ((each.ready & socket::event_in) != 0)
                    got += on.receive (each.socket, socket::io_dont_wait) == stage::taken::message;
        }
    });
    on.caller ("near", [&] { on.send (near.push, 3); });
    on.caller ("far", [&] { on.send (far.push, 3); });
    on.expect_received (6);
    on.end ();
}

// Senders without credit, a kernel that takes a message at a time.
void credit_comes_late (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, narrow_world ());
    on.body_bytes = narrow_bytes;
    const int mark = sim.chance (500) ? 1 : 2;
    const pipeline at (on, "sim://a", {mark, mark});
    start (on, begin);
    for (const char *name : {"sender a", "sender b", "sender c"})
        on.caller (name, [&] { on.send (at.push, 3); });
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.expect_received (9);
    on.end ();
}

constexpr std::array all{
  scenario{"lane_of_one", lane_of_one},
  scenario{"lane_crowd", lane_crowd},
  scenario{"lane_publish", lane_publish},
  scenario{"combined_writes", combined_writes},
  scenario{"leader_and_follower", leader_and_follower},
  scenario{"kick_of_a_leader", kick_of_a_leader},
  scenario{"kicks_and_harvests", kicks_and_harvests},
  scenario{"close_under_callers", close_under_callers},
  scenario{"shutdown_under_callers", shutdown_under_callers},
  scenario{"disconnect_under_a_write", disconnect_under_a_write},
  scenario{"descriptor_signals", descriptor_signals},
  scenario{"poll_sleeps", poll_sleeps},
  scenario{"credit_comes_late", credit_comes_late},
};

}  // namespace

std::span<const scenario> engine_scenarios () noexcept { return all; }

}  // namespace zlink::explore
