// awaiting [ROUNDS [MESSAGES]]: what a message costs in processor time, all threads
// together, where coroutines await it and where calls block for it.
//
// The two take turns within each round, so that what else the machine does meets
// both; a row shows the medians, and the median of the rounds' ratios. A stream
// inside a process costs more than twice as much where its two threads happen to
// run side by side than where they take turns, in either way: that row wants many
// rounds.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <zlink/zlink.hpp>

namespace {

constexpr std::size_t body_bytes = 64;
constexpr double allowed = 1.3;

struct linked
{
    explicit linked (const std::string &place) { there.connect (here.bind (place)); }

    zlink::context in;
    zlink::pair_socket here{in};
    zlink::pair_socket there{in};
};

zlink::message body ()
{
    static const std::array<std::byte, body_bytes> bytes{};
    return zlink::message (bytes);
}

// --- what one end does, in either way ---

void send_blocking (zlink::pair_socket &to, long count)
{
    for (long i = 0; i < count; ++i)
        to.send (body ());
}

void receive_blocking (zlink::pair_socket &from, long count)
{
    for (long i = 0; i < count; ++i)
        static_cast<void> (from.receive ());
}

void ask_blocking (zlink::pair_socket &of, long count)
{
    for (long i = 0; i < count; ++i) {
        of.send (body ());
        static_cast<void> (of.receive ());
    }
}

void answer_blocking (zlink::pair_socket &of, long count)
{
    for (long i = 0; i < count; ++i)
        of.send (of.receive ());
}

using coroutine = zlink::task<> (*) (zlink::loop<> &, zlink::pair_socket &, long);

zlink::task<> send_awaiting (zlink::loop<> &in, zlink::pair_socket &to, long count)
{
    for (long i = 0; i < count; ++i)
        co_await in.send (to, body ());
}

zlink::task<> receive_awaiting (zlink::loop<> &in, zlink::pair_socket &from, long count)
{
    for (long i = 0; i < count; ++i)
        static_cast<void> (co_await in.receive (from));
}

zlink::task<> ask_awaiting (zlink::loop<> &in, zlink::pair_socket &of, long count)
{
    for (long i = 0; i < count; ++i) {
        co_await in.send (of, body ());
        static_cast<void> (co_await in.receive (of));
    }
}

zlink::task<> answer_awaiting (zlink::loop<> &in, zlink::pair_socket &of, long count)
{
    for (long i = 0; i < count; ++i) {
        zlink::message found = co_await in.receive (of);
        co_await in.send (of, std::move (found));
    }
}

template <coroutine What> void run (zlink::pair_socket &of, long count)
{
    zlink::loop<> in;
    in.spawn (What (in, of, count));
    in.run_until_done ();
}

// --- both ends ---

using end = void (*) (zlink::pair_socket &, long);

struct exercise
{
    const char *name;
    std::array<end, 2> blocking;
    std::array<end, 2> awaiting;
};
constexpr exercise exercises[] = {
  {"stream", {send_blocking, receive_blocking}, {run<send_awaiting>, run<receive_awaiting>}},
  {"ping-pong", {ask_blocking, answer_blocking}, {run<ask_awaiting>, run<answer_awaiting>}},
};
constexpr const char *places[] = {"inproc://awaiting", "ipc://*", "tcp://127.0.0.1:*"};

double processor_ns ()
{
    std::timespec now{};
    ::clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double> (now.tv_sec) * 1e9 + static_cast<double> (now.tv_nsec);
}

double cost_of (const std::array<end, 2> &ends, const char *place, long count)
{
    linked of (place);
    const double before = processor_ns ();
    {
        const std::jthread other ([&] { ends[1](of.here, count); });
        ends[0](of.there, count);
    }
    return (processor_ns () - before) / static_cast<double> (count);
}

double median (std::vector<double> of)
{
    std::sort (of.begin (), of.end ());
    return of[of.size () / 2];
}

void compare (const exercise &which, const char *place, int rounds, long count)
{
    std::vector<double> blocking, awaiting, ratios;
    for (int i = 0; i < rounds; ++i) {
        blocking.push_back (cost_of (which.blocking, place, count));
        awaiting.push_back (cost_of (which.awaiting, place, count));
        ratios.push_back (awaiting.back () / blocking.back ());
    }
    const double ratio = median (ratios);
    std::printf ("%-10s %-18s blocking %8.1f ns  awaiting %8.1f ns  ratio %5.2f%s\n", which.name, place,
                 median (blocking), median (awaiting), ratio, ratio > allowed ? "  (above 1.3)" : "");
    std::fflush (stdout);
}

}  // namespace

int main (int count, char **arguments)
{
    const int rounds = count > 1 ? std::atoi (arguments[1]) : 7;
    const long messages = count > 2 ? std::atol (arguments[2]) : 200'000;
    if (rounds < 1 || messages < 1)
        return 2;
    for (const exercise &each : exercises)
        for (const char *const place : places) {
            const long some = each.blocking[0] == ask_blocking ? messages / 10 + 1 : messages;
            compare (each, place, rounds, some);
        }
    return 0;
}
