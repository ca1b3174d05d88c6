#include "bench/scale_run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/payload.hpp"
#include "bench/quiet_time.hpp"
#include "bench/roles.hpp"
#include "bench/statistics.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

namespace {

constexpr std::int64_t look_every_ns = 1'000'000;

cell in_two_processes (const cell &measured)
{
    cell with = measured;
    with.with.processes = true;
    return with;
}

void set_number (const library &calls, void *socket, int option, int value, const char *what)
{
    need (calls, calls.setsockopt (socket, option, &value, sizeof value), what);
}

// --- connections -------------------------------------------------------------

constexpr int connections_many = 10'000;

// Each connection says once that it is there. Then this process sleeps, so
// that its account shows what the library does by itself.
void connect_many (const library &calls, const cell &measured, shared_state *state)
{
    const library_context context (calls, measured);
    void *socket = calls.socket (context.handle (), number::router);
    need (calls, socket == nullptr ? -1 : 0, "socket");
    set_number (calls, socket, number::probe_router, 1, "PROBE_ROUTER");
    give_certificate (calls, socket, measured);
    while ((state->endpoints_ready.load (std::memory_order_acquire) & 1u) == 0)
        os::wait_until (os::now_ns () + look_every_ns);
    for (int i = 0; i < connections_many; ++i)
        need (calls, calls.connect (socket, state->endpoints[0]), "connect");
    state->other_process.store (os::process_id (), std::memory_order_release);
    while (state->stop.load (std::memory_order_acquire) == 0)
        os::sleep_on (&state->stop, 0);
    calls.close (socket);
}

void hear_of_all (const library &calls, void *router)
{
    watchdog::stage ("waiting for 10,000 connections");
    for (int heard = 0; heard < connections_many; ++heard) {
        char name[256];
        char empty = 0;
        need (calls, calls.recv (router, name, sizeof name, 0), "recv of a name");
        need (calls, calls.recv (router, &empty, sizeof empty, 0), "recv of a probe");
    }
}

outcome measure_idle (const shared_state *state)
{
    const int other = state->other_process.load (std::memory_order_acquire);
    constexpr std::int64_t window_ns = 1'000'000'000;
    outcome found;
    measure_quiet (window_ns, {&other, 1}, found);
    found.messages = connections_many;
    return found;
}

// --- subscriptions -------------------------------------------------------------

constexpr std::size_t topic_bytes = 24;
constexpr unsigned long topics_few = 10;
constexpr unsigned long topics_many = 1'000'000;

// The numbers are spread, so that neighbours in time are no neighbours in the
// topics' order.
void write_topic (char *to, unsigned long index)
{
    constexpr unsigned long spread = 7'368'787;  // prime, so that no topic comes twice
    char text[topic_bytes + 1];
    std::snprintf (text, sizeof text, "markets.%08lu.prices/", index * spread % 100'000'000);
    std::memcpy (to, text, topic_bytes);
}

void subscribe_many (const library &calls, const cell &measured, shared_state *state, unsigned long topics)
{
    const library_context context (calls, measured);
    void *socket = calls.socket (context.handle (), number::xsub);
    need (calls, socket == nullptr ? -1 : 0, "socket");
    // All of them may be on their way together.
    set_number (calls, socket, number::send_hwm, 0, "SNDHWM");
    while ((state->endpoints_ready.load (std::memory_order_acquire) & 1u) == 0)
        os::wait_until (os::now_ns () + look_every_ns);
    need (calls, calls.connect (socket, state->endpoints[0]), "connect");
    // What is asked of a publisher before it is there may be forgotten.
    std::vector<std::byte> body (measured.size_bytes);
    need (calls, calls.send (socket, "\1", 1, 0), "send of a subscription");
    need (calls, calls.recv (socket, body.data (), body.size (), 0), "recv");
    need (calls, calls.send (socket, "\0", 1, 0), "send of a subscription");
    char subscription[topic_bytes + 1] = {1};
    for (unsigned long i = 0; i < topics; ++i) {
        write_topic (subscription + 1, i);
        need (calls, calls.send (socket, subscription, sizeof subscription, 0), "send of a subscription");
    }
    while (state->stop.load (std::memory_order_acquire) == 0) {
        const int got = calls.recv (socket, body.data (), body.size (), 0);
        need (calls, got, "recv");
        if (static_cast<std::size_t> (got) != body.size ())
            continue;  // a call
        state->sent.fetch_add (1, std::memory_order_release);
    }
    calls.close (socket);
}

void hear_subscriptions (const library &calls, void *publisher, unsigned long count)
{
    for (unsigned long heard = 0; heard < count; ++heard) {
        char subscription[topic_bytes + 1];
        need (calls, calls.recv (publisher, subscription, sizeof subscription, 0), "recv of a subscription");
    }
}

// Bursts that fit below every mark; the clock runs only while they are sent.
class publisher_run
{
  public:
    publisher_run (const library &calls, void *socket, const cell &measured)
      : calls_ (calls), socket_ (socket),
        published_ (measured.measured == metric::publish_all ? topics_many : topics_few),
        bodies_ (burst_messages, std::vector<std::byte> (measured.size_bytes, std::byte{0x5A}))
    {
    }

    outcome measure (const shared_state *state, std::int64_t duration_ns)
    {
        watchdog::stage ("publishing");
        std::vector<double> samples_us;
        const std::int64_t start_ns = os::now_ns ();
        for (std::uint64_t sent = 0; os::now_ns () - start_ns < duration_ns;) {
            choose_topics ();
            const std::int64_t before_ns = os::now_ns ();
            for (const std::vector<std::byte> &body : bodies_)
                need (calls_, calls_.send (socket_, body.data (), body.size (), 0), "send");
            samples_us.push_back (static_cast<double> (os::now_ns () - before_ns) / 1e3 / burst_messages);
            sent += burst_messages;
            while (state->sent.load (std::memory_order_acquire) < sent)
                os::wait_until (os::now_ns () + 1);
        }
        outcome found;
        found.messages = static_cast<double> (samples_us.size () * burst_messages);
        found.seconds = static_cast<double> (os::now_ns () - start_ns) / 1e9;
        found.value = found.p50_us = median (samples_us);
        found.p99_us = percentile (samples_us, 0.99);
        return found;
    }

  private:
    static constexpr unsigned burst_messages = 200;

    void choose_topics ()
    {
        constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;
        for (std::vector<std::byte> &body : bodies_) {
            place_ += step;
            write_topic (reinterpret_cast<char *> (body.data ()),
                         static_cast<unsigned long> ((place_ >> 32) % published_));
        }
    }

    const library &calls_;
    void *socket_;
    unsigned long published_;
    std::uint64_t place_ = 1;
    std::vector<std::vector<std::byte>> bodies_;
};

// The subscriber only looks at its orders when a message comes.
void end_subscriber (const library &calls, void *publisher, shared_state *state)
{
    state->stop.store (1, std::memory_order_release);
    char topic[topic_bytes];
    write_topic (topic, 0);
    need (calls, calls.send (publisher, topic, sizeof topic, 0), "send");
}

outcome publish (const library &calls,
                 const worker_task &task,
                 const cell &measured,
                 shared_state *state,
                 unsigned long topics)
{
    const library_context context (calls, measured);
    node sockets (calls, context.handle (), measured, state, task.directory);
    void *publisher = sockets.bind (number::xpub, 0);
    set_number (calls, publisher, number::xpub_no_drop, 1, "XPUB_NODROP");
    hear_subscriptions (calls, publisher, 1);
    need (calls, calls.send (publisher, "!", 1, 0), "send");
    hear_subscriptions (calls, publisher, 1);
    const std::int64_t before = os::resident_bytes ();
    watchdog::stage ("taking subscriptions");
    hear_subscriptions (calls, publisher, topics);
    const auto grown = static_cast<double> (os::resident_bytes () - before);
    const auto duration_ns = static_cast<std::int64_t> (task.seconds * 1e9);
    outcome found = publisher_run (calls, publisher, measured).measure (state, duration_ns);
    if (topics == topics_many)
        found.bytes_each = grown / static_cast<double> (topics) - topic_bytes;
    end_subscriber (calls, publisher, state);
    return found;
}

}  // namespace

outcome run_idle (const library &calls, const worker_task &task)
{
    const cell measured = in_two_processes (task.measured);
    shared_state *state = make_shared_state ();
    os::raise_descriptor_limit ();
    make_certificate (measured);
    outcome found;
    run_roles (
      measured, [&] { connect_many (calls, measured, state); },
      [&] {
          const library_context context (calls, measured);
          node sockets (calls, context.handle (), measured, state, task.directory);
          const std::int64_t before = os::resident_bytes ();
          void *router = sockets.bind (number::router, 0);
          hear_of_all (calls, router);
          found = measure_idle (state);
          found.value = static_cast<double> (os::resident_bytes () - before) / connections_many;
          state->stop.store (1, std::memory_order_release);
          os::wake_sleepers (&state->stop);
      });
    return found;
}

outcome run_publish (const library &calls, const worker_task &task)
{
    const cell measured = in_two_processes (task.measured);
    const unsigned long topics = measured.measured == metric::publish_10 ? topics_few : topics_many;
    shared_state *state = make_shared_state ();
    outcome found;
    run_roles (
      measured, [&] { subscribe_many (calls, measured, state, topics); },
      [&] { found = publish (calls, task, measured, state, topics); });
    return found;
}

}  // namespace zlink::bench
