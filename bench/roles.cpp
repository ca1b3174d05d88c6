#include "bench/roles.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <unistd.h>

namespace zlink::bench {

shared_state *make_shared_state ()
{
    void *memory = os::shared_memory (sizeof (shared_state));
    if (memory == nullptr)
        fail ("no shared memory");
    return new (memory) shared_state{};
}

void fail (std::string_view why)
{
    outcome failed;
    failed.error = std::string (why);
    std::puts (format_outcome (failed).c_str ());
    std::fflush (stdout);
    _exit (1);
}

void lack (std::string_view what) { fail (std::string (lacks_prefix) + std::string (what)); }

void wait_for_endpoint (const shared_state *state, unsigned slot)
{
    await ([&] { return (state->endpoints_ready.load (std::memory_order_acquire) & (1u << slot)) != 0; });
}

void wait_for_the_end (const shared_state *state)
{
    await ([&] { return state->finished.load (std::memory_order_acquire) != 0; });
}

void note_sender_cost (shared_state *state)
{
    state->sender_cpu_ns.store (os::cpu_ns ());
    state->sender_peak_kib.store (os::peak_memory_kib ());
}

void add_sender_cost (const cell &measured, const shared_state *state, outcome *found)
{
    if (!measured.with.processes || found->all_messages <= 0)
        return;
    found->cpu_s +=
      static_cast<double> (state->sender_cpu_ns.load ()) / 1e9 * found->messages / found->all_messages;
    found->peak_memory_kib += static_cast<double> (state->sender_peak_kib.load ());
}

void place_thread (const cell &measured, role r)
{
    if (!measured.with.pinned)
        return;
    const std::vector<int> usable = os::processors ();
    os::bind_to_processor (r == role::sender ? usable.front () : usable.back ());
}

void run_roles (const cell &measured,
                const std::function<void ()> &sender,
                const std::function<void ()> &receiver)
{
    const std::function<void ()> placed_sender = [&] {
        place_thread (measured, role::sender);
        sender ();
    };
    if (!measured.with.processes) {
        std::thread thread (placed_sender);
        place_thread (measured, role::receiver);
        receiver ();
        thread.join ();
        return;
    }
    const int child = os::fork_role (placed_sender);
    if (child < 0)
        fail ("fork failed");
    // A sender that ends early would leave the receiver waiting for ever.
    std::thread watch ([child] {
        if (!os::wait_role (child))
            _exit (1);
    });
    place_thread (measured, role::receiver);
    receiver ();
    watch.join ();
}

}  // namespace zlink::bench
