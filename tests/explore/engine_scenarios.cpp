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
constexpr int option_linger = 17;
constexpr int option_conflate = 54;

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

// A receiver that keeps the newest only: no mark holds the senders, what is
// older gives way under the receiver's hands, and the last one gets there.
void lane_of_the_newest (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    void *const newest = on.open (kind::pull, {1, 1});
    on.set (newest, option_conflate, 1);
    void *const push = on.open (kind::push, {1, 1});
    on.link (newest, push, "inproc://a");
    on.may_lose = true;
    start (on, begin);
    on.caller ("receiver", [&] { on.receive_all (newest); });
    on.caller ("sender", [&] { on.send (push, 4); });
    on.expect_last_of (4);
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

// The same with a set that is kept between the waits.
void kept_poll_sleeps (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline far (on, "sim://a", {1, 1});
    const pipeline near (on, "inproc://b", {1, 1});
    socket::poll_set set (on.world->seams);
    const std::array<socket::poll_item, 2> items{
      {{far.pull, base::no_handle, socket::event_in, 0}, {near.pull, base::no_handle, socket::event_in, 0}}};
    if (!set.assign (items).ok () || !set.wait (0).ok ())
        sim.fail ("no set");
    start (on, begin);
    on.caller ("poll", [&] {
        for (unsigned got = 0; got < 6;) {
            if (!set.wait (-1).ok ())
                continue;
            for (const socket::poll_item &each : set.items ())
                if ((each.ready & socket::event_in) != 0)
                    got += on.receive (each.socket, socket::io_dont_wait) == stage::taken::message;
        }
    });
    on.caller ("near", [&] { on.send (near.push, 3); });
    on.caller ("far", [&] { on.send (far.push, 3); });
    on.expect_received (6);
    on.expect_home ();
    set.clear ();
    on.end ();
}

// Two send to what a third one, who keeps a set, polls for without waiting: a
// send that is over is seen by the next poll, even if the other sender has yet
// to wake somebody.
void kept_poll_sees_at_once (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "inproc://b", {10, 10});
    void *const other = on.open (kind::push, {10, 10});
    on.link (at.pull, other, "inproc://c");
    socket::poll_set set (on.world->seams);
    const std::array<socket::poll_item, 1> items{{{at.pull, base::no_handle, socket::event_in, 0}}};
    if (!set.assign (items).ok () || !set.wait (0).ok ())
        sim.fail ("no set");
    start (on, begin);
    on.caller ("other", [&] { on.send (other, 1); });
    on.caller ("sender and poll", [&] {
        on.send (at.push, 1);
        for (unsigned got = 0; got < 2;) {
            const auto found = set.wait (got == 0 ? 0 : -1);
            if (got == 0 && (!found.ok () || found.value () != 1))
                sim.fail ("a poll does not see what was sent before");
            got += on.receive (at.pull, socket::io_dont_wait) == stage::taken::message;
        }
    });
    on.expect_received (2);
    on.expect_home ();
    set.clear ();
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

// A call with a handle that another one closes under it; the next socket takes
// its slot. Nobody ever sends there.
void stale_handle (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline old (on, "inproc://old", {20, 20});
    void *const other = on.open (kind::pull, {20, 20});
    if (!socket::bind (other, "inproc://other").ok ())
        sim.fail ("no name");
    on.may_lose = true;
    start (on, begin);
    on.caller ("sender", [&] { on.send (old.push, 8); });
    on.caller ("reopens", [&] {
        (void)socket::close (old.push);
        void *const fresh = on.open (kind::push, {20, 20});
        if (!socket::connect (fresh, "inproc://other").ok ())
            sim.fail ("no link");
    });
    on.expect_home ();
    if (on.receive (other, socket::io_dont_wait) != stage::taken::nothing)
        sim.fail ("a message goes out through the socket that took the slot");
    on.end ();
}

// A write that the kernel has no room for, an end of the other side and a close
// of this one, all at once.
void close_under_claims (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, narrow_world ());
    on.body_bytes = narrow_bytes;
    const pipeline at (on, "sim://a", {2, 2});
    on.may_lose = true;
    start (on, begin);
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.caller ("sender a", [&] { on.send (at.push, 4); });
    on.caller ("sender b", [&] { on.send (at.push, 4); });
    on.caller ("breaks", [&] {
        sim.pass_time (static_cast<time_ns> (sim.roll_below (20'000)));
        (void)on.world->net.break_one ();
    });
    on.caller ("closes", [&] {
        sim.pass_time (static_cast<time_ns> (sim.roll_below (30'000)));
        (void)socket::close (at.push);
    });
    on.expect_home_but_receivers (1);
    on.end ();
}

// Nobody waits: the reactor reads for the owner, who comes back at any time.
// What it does not fetch itself takes the lease's time.
void lease_and_owner (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {2, 2});
    begin (sim);
    on.caller ("sender", [&] { on.send (at.push, 6); });
    on.caller ("owner", [&] {
        for (unsigned got = 0; got < 6;) {
            got += on.receive (at.pull, socket::io_dont_wait) == stage::taken::message;
            if (sim.chance (300))
                sim.pass_time (static_cast<time_ns> (sim.roll_below (5 * base::ns_per_ms)));
        }
    });
    on.expect_received (6);
    on.end ();
}

// Nobody sends: only the reactor sees that a connection has ended, and it does
// so every time.
void lease_sees_every_end (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {2, 2});
    begin (sim);
    for (std::uint64_t ends = 1; ends <= 3; ++ends) {
        sim.pass_time (static_cast<time_ns> (sim.roll_below (20 * base::ns_per_ms)));
        (void)on.world->net.break_one ();
        const auto is_back = [&] {
            const auto now = socket::statistics (at.push);
            return now.ok () && now.value ().total.reconnects >= ends;
        };
        const time_ns until = sim.now () + 5 * base::ns_per_s;
        while (!is_back () && sim.now () < until)
            sim.pass_time (10 * base::ns_per_ms);
        if (!is_back ())
            sim.fail ("a connection has ended, and nobody noticed");
    }
    on.end ();
}

// A socket closes while its peer still sends, and it never read any of it: what
// it had sent itself arrives all the same.
void close_with_input_unread (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, narrow_world ());
    on.body_bytes = narrow_bytes;
    void *const stays = on.open (kind::pair, {50, 50});
    void *const leaves = on.open (kind::pair, {50, 50});
    on.link (stays, leaves, "sim://a");
    on.set (leaves, option_linger, -1);
    begin (sim);
    on.caller ("sends in vain", [&] {
        const std::array<std::byte, narrow_bytes> body{};
        for (int i = 0; i < 20; ++i)
            (void)socket::send (stays, base::bytes_view (body), socket::io_dont_wait);
    });
    on.caller ("receives", [&] { on.receive_all (stays); });
    on.caller ("leaves", [&] {
        on.send (leaves, 6);
        (void)socket::close (leaves);
    });
    on.expect_received (6);
    on.end ();
}

// A signal ends the leader's sleep, and it goes home: another one has to lead.
void signal_for_a_leader (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "sim://a", {5, 5});
    const std::size_t first = on.caller ("first", [&] { (void)on.receive (at.pull, 0); });
    sim.pass_time (base::ns_per_ms);
    on.caller ("second", [&] { on.receive_all (at.pull); });
    sim.pass_time (base::ns_per_ms);
    start (on, begin);
    sim.interrupt (first);
    sim.pass_time (static_cast<time_ns> (sim.roll_below (50'000)));
    on.send (at.push, 2);
    on.expect_received (2);
    on.end ();
}

// Three messages at once for three who sleep.
void several_sleepers (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, sim.chance (500) ? "sim://a" : "inproc://a", {5, 5});
    for (const char *name : {"receiver a", "receiver b", "receiver c"})
        on.caller (name, [&] {
            std::byte buffer[64];
            (void)socket::receive (at.pull, base::bytes_span (buffer), 0);
        });
    sim.pass_time (base::ns_per_ms);
    start (on, begin);
    const std::array<std::byte, 12> bodies{};
    const std::array<std::uint32_t, 3> sizes{4, 4, 4};
    if (socket::send_packed (at.push, bodies, sizes, 0).size () != 3)
        sim.fail ("not all are sent");
    on.expect_home ();
    on.end ();
}

// A name is bound while others connect to it and send already.
void late_bind (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    void *const pull = on.open (kind::pull, {1, 1});
    void *const a = on.open (kind::push, {1, 1});
    void *const b = on.open (kind::push, {1, 1});
    start (on, begin);
    for (void *push : {a, b})
        on.caller ("sender", [&on, push] {
            if (!socket::connect (push, "inproc://late").ok ())
                on.sim.fail ("no connect");
            on.send (push, 3);
        });
    on.caller ("binder", [&] {
        if (!socket::bind (pull, "inproc://late").ok ())
            sim.fail ("no bind");
        for (unsigned got = 0; got < 6;)
            got += on.receive (pull, 0) == stage::taken::message;
    });
    on.expect_received (6);
    on.end ();
}

// Both ends of a lane close at once, under a sender and a receiver.
void both_ends_close (sim::simulation &sim, start_exploring *begin)
{
    stage on (sim, quiet_world ());
    const pipeline at (on, "inproc://a", {1, 1});
    on.may_lose = true;
    start (on, begin);
    on.caller ("receiver", [&] { on.receive_all (at.pull); });
    on.caller ("sender", [&] { on.send (at.push, 3); });
    on.caller ("closes one", [&] { (void)socket::close (at.pull); });
    on.caller ("closes the other", [&] { (void)socket::close (at.push); });
    on.expect_home ();
    on.end ();
}

constexpr std::array all{
  scenario{"lane_of_one", lane_of_one},
  scenario{"lane_crowd", lane_crowd},
  scenario{"lane_publish", lane_publish},
  scenario{"lane_of_the_newest", lane_of_the_newest},
  scenario{"combined_writes", combined_writes},
  scenario{"leader_and_follower", leader_and_follower},
  scenario{"kick_of_a_leader", kick_of_a_leader},
  scenario{"kicks_and_harvests", kicks_and_harvests},
  scenario{"close_under_callers", close_under_callers},
  scenario{"shutdown_under_callers", shutdown_under_callers},
  scenario{"disconnect_under_a_write", disconnect_under_a_write},
  scenario{"descriptor_signals", descriptor_signals},
  scenario{"poll_sleeps", poll_sleeps},
  scenario{"kept_poll_sleeps", kept_poll_sleeps},
  scenario{"kept_poll_sees_at_once", kept_poll_sees_at_once},
  scenario{"credit_comes_late", credit_comes_late},
  scenario{"stale_handle", stale_handle},
  scenario{"close_under_claims", close_under_claims},
  scenario{"lease_and_owner", lease_and_owner},
  scenario{"lease_sees_every_end", lease_sees_every_end},
  scenario{"several_sleepers", several_sleepers},
  scenario{"signal_for_a_leader", signal_for_a_leader},
  scenario{"close_with_input_unread", close_with_input_unread},
  scenario{"late_bind", late_bind},
  scenario{"both_ends_close", both_ends_close},
};

}  // namespace

std::span<const scenario> engine_scenarios () noexcept { return all; }

}  // namespace zlink::explore
