// Requests in a window: so many are under way, and each reply lets the next one go. The
// same for sockets and for services, whose replies come by themselves.
#pragma once

#include <cstdint>
#include <vector>

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
    unsigned window = 64;  // of each
    std::size_t clients = 1;
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

// Clients by their numbers, whose requests are told apart by their labels. A client's
// replies come in the order of its requests.
template <class Send, class Receive> class window_clients
{
  public:
    window_clients (const window_plan &plan, Send &send, Receive &receive)
      : plan_ (plan), send_ (send), receive_ (receive), bodies_ (plan.size_bytes, 1), asked_ (plan.clients),
        replied_ (plan.clients)
    {
    }
    void ask (std::size_t who)
    {
        write_payload (bodies_.at (0), plan_.size_bytes, label (who, asked_[who]++));
        send_ (who, bodies_.at (0), plan_.size_bytes);
    }
    void take (std::size_t who)
    {
        std::size_t size = 0;
        const std::byte *const body = receive_ (who, &size);
        if (check_reply (plan_, body, size) != label (who, replied_[who]++))
            fail ("a reply is another request's");
        ++replies_;
    }
    void fill ()
    {
        for (std::size_t who = 0; who < plan_.clients; ++who)
            for (unsigned i = 0; i < plan_.window; ++i)
                ask (who);
    }
    void run_for (std::int64_t duration_ns)
    {
        const std::int64_t end_ns = os::now_ns () + duration_ns;
        for (std::size_t who = 0; os::now_ns () < end_ns; who = (who + 1) % plan_.clients)
            for (unsigned i = 0; i < plan_.window; ++i) {
                take (who);
                ask (who);
            }
    }
    void end ()
    {
        for (std::size_t who = 0; who < plan_.clients; ++who)
            while (replied_[who] < asked_[who])
                take (who);
        write_payload (bodies_.at (0), plan_.size_bytes, last_sequence);
        send_ (0, bodies_.at (0), plan_.size_bytes);
    }
    [[nodiscard]] std::uint64_t replies () const noexcept { return replies_; }

  private:
    [[nodiscard]] std::uint64_t label (std::size_t who, std::uint64_t count) const noexcept
    {
        return count * plan_.clients + who;
    }

    const window_plan &plan_;
    Send &send_;
    Receive &receive_;
    scratch_bodies bodies_;
    std::vector<std::uint64_t> asked_;
    std::vector<std::uint64_t> replied_;
    std::uint64_t replies_ = 0;
};

// One thread asks and reads, for one client after the other. Ends with a last message.
template <class Send, class Receive>
outcome run_window (const window_plan &plan, Send &&send, Receive &&receive)
{
    window_clients clients (plan, send, receive);
    watchdog::stage ("warming up");
    clients.fill ();
    clients.run_for (plan.warm_up_ns);
    window_clock clock;
    clock.start (clients.replies ());
    clients.run_for (plan.duration_ns);
    outcome found = clock.stop (clients.replies ());
    clients.end ();
    found.all_messages = static_cast<double> (clients.replies ());
    return found;
}

}  // namespace zlink::bench
