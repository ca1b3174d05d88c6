// Closed loops: one message is on its way at a time. The same for libraries
// and floors.
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

struct loop_plan
{
    std::size_t size_bytes = 64;
    std::int64_t warm_up_ns = 50'000'000;
    std::int64_t duration_ns = 300'000'000;
    double legs = 1;  // one-way trips per turn
};

class loop_clock
{
  public:
    explicit loop_clock (const loop_plan &plan) : plan_ (plan) {}

    // Turns in batches of `batch`; a sample per batch, in microseconds one way.
    template <class Turn>
    std::uint64_t
    sample (Turn &&turn, unsigned batch, std::int64_t duration_ns, std::vector<double> *samples) const
    {
        constexpr std::size_t samples_max = 2'000'000;
        std::uint64_t turns = 0;
        const std::int64_t first_ns = os::now_ns ();
        std::int64_t before_ns = first_ns;
        while (before_ns - first_ns < duration_ns) {
            for (unsigned i = 0; i < batch; ++i)
                turn ();
            turns += batch;
            const std::int64_t after_ns = os::now_ns ();
            if (samples->size () < samples_max)
                samples->push_back (static_cast<double> (after_ns - before_ns) / 1e3 / batch / plan_.legs);
            before_ns = after_ns;
        }
        return turns;
    }

  private:
    loop_plan plan_;
};

// Short turns are timed in batches, so that reading the clock does not count;
// their tail is then taken in a second pass, turn by turn.
template <class Turn> outcome run_closed_loop (const loop_plan &plan, Turn &&turn)
{
    watchdog::stage ("measuring");
    const loop_clock clock (plan);
    std::vector<double> samples;
    std::uint64_t turns = clock.sample (turn, 8, plan.warm_up_ns, &samples);
    constexpr double short_us = 2;
    const unsigned batch = median (samples) < short_us ? 32 : 1;
    samples.clear ();

    outcome found;
    const std::int64_t start_ns = os::now_ns ();
    const std::int64_t start_cpu_ns = os::cpu_ns ();
    const std::uint64_t measured = clock.sample (turn, batch, plan.duration_ns, &samples);
    found.seconds = static_cast<double> (os::now_ns () - start_ns) / 1e9;
    found.cpu_s = static_cast<double> (os::cpu_ns () - start_cpu_ns) / 1e9;
    turns += measured;
    found.messages = static_cast<double> (measured) * plan.legs;
    found.mean_us = found.seconds * 1e6 / found.messages;
    found.p50_us = median (samples);
    if (batch > 1) {
        samples.clear ();
        turns += clock.sample (turn, 1, plan.duration_ns / 2, &samples);
    }
    found.p99_us = percentile (samples, 0.99);
    found.p999_us = percentile (samples, 0.999);
    found.value = found.p50_us;
    found.all_messages = static_cast<double> (turns) * plan.legs;
    return found;
}

// The side that starts: sends, waits for the answer, verifies it. Ends with a
// last message.
template <class Send, class Receive>
outcome run_initiator (const loop_plan &plan, Send &&send, Receive &&receive)
{
    scratch_bodies bodies (plan.size_bytes, 1);
    std::byte *body = bodies.at (0);
    std::uint64_t sequence = 0;
    outcome found = run_closed_loop (plan, [&] {
        const std::uint64_t label = sequence++;
        write_payload (body, plan.size_bytes, label);
        send (body, plan.size_bytes);
        std::size_t size = 0;
        const std::byte *answer = receive (&size);
        if (size != plan.size_bytes || payload_label (answer) != label
            || !payload_intact (answer, size, label))
            fail ("an answer arrived damaged");
    });
    write_payload (body, plan.size_bytes, last_sequence);
    send (body, plan.size_bytes);
    return found;
}

// The side that answers with what it got, until the last message.
template <class Send, class Receive>
void run_responder (const loop_plan &plan, Send &&send, Receive &&receive)
{
    for (;;) {
        std::size_t size = 0;
        const std::byte *body = receive (&size);
        if (size != plan.size_bytes)
            fail ("a message of the wrong size arrived");
        if (payload_label (body) == last_sequence)
            return;
        send (body, size);
    }
}

}  // namespace zlink::bench
