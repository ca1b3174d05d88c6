// Bursts and open loops: messages sent at moments that the sender chooses,
// whatever the receiver does.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/os.hpp"
#include "bench/outcome.hpp"
#include "bench/payload.hpp"
#include "bench/roles.hpp"
#include "bench/statistics.hpp"
#include "bench/stream_run.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

// `length` messages as fast as they go, then silence; the tail is the time
// from the last send to the last receive.
struct burst_plan
{
    std::size_t size_bytes = 64;
    unsigned length = 1000;
    unsigned rounds = 300;
    unsigned warm_up_rounds = 20;
    std::int64_t silence_ns = 1'000'000;
};

template <class Send> void send_bursts (const burst_plan &plan, shared_state *state, Send &&send)
{
    scratch_bodies bodies (plan.size_bytes, 1);
    std::byte *body = bodies.at (0);
    std::uint64_t label = 0;
    for (std::uint64_t round = 0; round < plan.rounds + plan.warm_up_rounds; ++round) {
        for (unsigned i = 0; i + 1 < plan.length; ++i) {
            write_payload (body, plan.size_bytes, label++);
            send (body, plan.size_bytes);
        }
        write_payload (body, plan.size_bytes, label++);
        state->last_send_ns.store (os::now_ns (), std::memory_order_release);
        send (body, plan.size_bytes);
        os::wait_until (os::now_ns () + plan.silence_ns);
        while (state->round.load (std::memory_order_acquire) <= round)
            os::wait_until (os::now_ns () + plan.silence_ns);
    }
}

template <class Receive>
outcome receive_bursts (const burst_plan &plan, shared_state *state, Receive &&receive)
{
    watchdog::stage ("measuring");
    std::vector<double> tails;
    std::uint64_t label = 0;
    const std::int64_t start_cpu_ns = os::cpu_ns ();
    for (std::uint64_t round = 0; round < plan.rounds + plan.warm_up_rounds; ++round) {
        for (unsigned i = 0; i < plan.length; ++i) {
            std::size_t size = 0;
            const std::byte *body = receive (&size);
            if (size != plan.size_bytes || payload_label (body) != label
                || !payload_intact (body, size, label))
                fail ("a message arrived damaged or out of order");
            ++label;
        }
        const std::int64_t tail_ns = os::now_ns () - state->last_send_ns.load (std::memory_order_acquire);
        if (round >= plan.warm_up_rounds)
            tails.push_back (static_cast<double> (tail_ns) / 1e3);
        state->round.store (round + 1, std::memory_order_release);
    }
    outcome found;
    found.cpu_s = static_cast<double> (os::cpu_ns () - start_cpu_ns) / 1e9;
    found.messages = found.all_messages = static_cast<double> (label);
    found.p50_us = median (tails);
    found.p99_us = percentile (tails, 0.99);
    found.p999_us = largest (tails);
    found.value = found.p99_us;
    return found;
}

// One message per period; its age counts from the moment it was due, so a
// sender that is held up makes the following messages late, too.
struct open_plan
{
    std::size_t size_bytes = 64;
    unsigned rate_per_s = 1000;
    std::int64_t warm_up_ns = 100'000'000;
    std::int64_t duration_ns = 500'000'000;
};

template <class Send> void send_on_schedule (const open_plan &plan, Send &&send)
{
    scratch_bodies bodies (plan.size_bytes, 1);
    std::byte *body = bodies.at (0);
    const double period_ns = 1e9 / plan.rate_per_s;
    const auto total =
      static_cast<std::uint64_t> (static_cast<double> (plan.warm_up_ns + plan.duration_ns) / period_ns);
    // The connection first: the schedule starts when it had time to come up.
    const std::int64_t start_ns = os::now_ns () + 50'000'000;
    for (std::uint64_t i = 0; i <= total; ++i) {
        const std::int64_t due_ns =
          start_ns + static_cast<std::int64_t> (static_cast<double> (i) * period_ns);
        os::wait_until (due_ns);
        write_payload (body, plan.size_bytes, i == total ? last_sequence : i);
        write_payload_time (body, due_ns);
        send (body, plan.size_bytes);
    }
}

template <class Receive> outcome receive_scheduled (const open_plan &plan, Receive &&receive)
{
    watchdog::stage ("measuring");
    std::vector<double> ages;
    const auto skipped =
      static_cast<std::uint64_t> (static_cast<double> (plan.warm_up_ns) / 1e9 * plan.rate_per_s);
    const std::int64_t start_cpu_ns = os::cpu_ns ();
    double total_us = 0;
    for (std::uint64_t expected = 0;; ++expected) {
        std::size_t size = 0;
        const std::byte *body = receive (&size);
        const std::int64_t now_ns = os::now_ns ();
        const std::uint64_t label = payload_label (body);
        if (size != plan.size_bytes || !payload_intact (body, size, label))
            fail ("a body arrived damaged");
        if (label == last_sequence)
            break;
        if (label != expected)
            fail ("a message was lost, repeated or out of order");
        if (label < skipped)
            continue;
        ages.push_back (static_cast<double> (now_ns - payload_time (body)) / 1e3);
        total_us += ages.back ();
    }
    outcome found;
    found.cpu_s = static_cast<double> (os::cpu_ns () - start_cpu_ns) / 1e9;
    found.messages = static_cast<double> (ages.size () + skipped);
    found.all_messages = found.messages;
    found.mean_us = ages.empty () ? 0 : total_us / static_cast<double> (ages.size ());
    found.p50_us = median (ages);
    found.p99_us = percentile (ages, 0.99);
    found.p999_us = percentile (ages, 0.999);
    found.value = found.p50_us;
    return found;
}

}  // namespace zlink::bench
