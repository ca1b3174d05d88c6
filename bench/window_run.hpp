// Requests in a window: so many are under way, and each reply lets the next one go. The
// same for sockets and for services, whose replies come by themselves.
#pragma once

#include <cstdint>

#include "bench/os.hpp"
#include "bench/outcome.hpp"
#include "bench/payload.hpp"
#include "bench/roles.hpp"
#include "bench/stream_run.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

struct window_plan
{
    std::size_t size_bytes = 64;
    unsigned window = 64;
    std::int64_t warm_up_ns = 60'000'000;
    std::int64_t duration_ns = 400'000'000;
};

// Whose reply came, as its label has it.
inline std::uint64_t check_reply (const window_plan &plan, const std::byte *body, std::size_t size) noexcept
{
    if (size != plan.size_bytes || !payload_intact (body, size, payload_label (body)))
        fail ("a reply arrived damaged");
    return payload_label (body);
}

// What was counted between two looks at the clock.
class window_clock
{
  public:
    void start (std::uint64_t replies)
    {
        watchdog::stage ("measuring");
        replies_ = replies;
        start_ns_ = os::now_ns ();
        start_cpu_ns_ = os::cpu_ns ();
    }
    [[nodiscard]] outcome stop (std::uint64_t replies) const
    {
        outcome found;
        found.cpu_s = static_cast<double> (os::cpu_ns () - start_cpu_ns_) / 1e9;
        found.seconds = static_cast<double> (os::now_ns () - start_ns_) / 1e9;
        found.messages = static_cast<double> (replies - replies_);
        found.value = found.messages / found.seconds;
        return found;
    }

  private:
    std::uint64_t replies_ = 0;
    std::int64_t start_ns_ = 0;
    std::int64_t start_cpu_ns_ = 0;
};

// One thread asks and reads; replies come in the order of the requests. Ends with a last
// message.
template <class Send, class Receive>
outcome run_window (const window_plan &plan, Send &&send, Receive &&receive)
{
    scratch_bodies bodies (plan.size_bytes, 1);
    std::uint64_t asked = 0;
    std::uint64_t replies = 0;
    const auto ask = [&] {
        write_payload (bodies.at (0), plan.size_bytes, asked++);
        send (bodies.at (0), plan.size_bytes);
    };
    const auto take = [&] {
        std::size_t size = 0;
        const std::byte *const body = receive (&size);
        if (check_reply (plan, body, size) != replies++)
            fail ("a reply is another request's");
    };
    const auto run_for = [&] (std::int64_t duration_ns) {
        const std::int64_t end_ns = os::now_ns () + duration_ns;
        while (os::now_ns () < end_ns)
            for (unsigned i = 0; i < plan.window; ++i) {
                take ();
                ask ();
            }
    };
    watchdog::stage ("warming up");
    for (unsigned i = 0; i < plan.window; ++i)
        ask ();
    run_for (plan.warm_up_ns);
    window_clock clock;
    clock.start (replies);
    run_for (plan.duration_ns);
    outcome found = clock.stop (replies);
    while (replies < asked)
        take ();
    write_payload (bodies.at (0), plan.size_bytes, last_sequence);
    send (bodies.at (0), plan.size_bytes);
    found.all_messages = static_cast<double> (replies);
    return found;
}

}  // namespace zlink::bench
