#include "bench/registry_run.hpp"

#include <array>
#include <atomic>
#include <new>
#include <string>
#include <vector>

#include "bench/needed_functions.hpp"
#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/quiet_time.hpp"
#include "bench/roles.hpp"
#include "bench/statistics.hpp"
#include "bench/watchdog.hpp"
#include "zlink/zlink.h"

namespace zlink::bench {

namespace {

constexpr unsigned receivers = 100;
constexpr unsigned services_each = 100;
constexpr unsigned services = 1000;
constexpr unsigned registrations = receivers * services_each;
constexpr unsigned providers_of_each = registrations / services;
constexpr unsigned watchers = 100;
constexpr unsigned watched_each = 100;
constexpr unsigned changes = 9;
constexpr std::int64_t idle_ns = 5'000'000'000;  // two heartbeats of each receiver

struct registry_calls
{
    decltype (&zlink_registry_new) registry_new = nullptr;
    decltype (&zlink_registry_destroy) registry_destroy = nullptr;
    decltype (&zlink_registry_bind) registry_bind = nullptr;
    decltype (&zlink_registry_endpoint) registry_endpoint = nullptr;
    decltype (&zlink_receiver_new) receiver_new = nullptr;
    decltype (&zlink_receiver_destroy) receiver_destroy = nullptr;
    decltype (&zlink_receiver_bind) receiver_bind = nullptr;
    decltype (&zlink_receiver_connect_registry) receiver_connect = nullptr;
    decltype (&zlink_receiver_register) receiver_register = nullptr;
    decltype (&zlink_receiver_register_result) register_result = nullptr;
    decltype (&zlink_discovery_new_typed) discovery_new = nullptr;
    decltype (&zlink_discovery_destroy) discovery_destroy = nullptr;
    decltype (&zlink_discovery_connect_registry) discovery_connect = nullptr;
    decltype (&zlink_discovery_subscribe) discovery_subscribe = nullptr;
    decltype (&zlink_discovery_wait) discovery_wait = nullptr;

    explicit registry_calls (const library &from)
    {
        const needed_functions find{from};
        find ("zlink_registry_new", registry_new);
        find ("zlink_registry_destroy", registry_destroy);
        find ("zlink_registry_bind", registry_bind);
        find ("zlink_registry_endpoint", registry_endpoint);
        find ("zlink_receiver_new", receiver_new);
        find ("zlink_receiver_destroy", receiver_destroy);
        find ("zlink_receiver_bind", receiver_bind);
        find ("zlink_receiver_connect_registry", receiver_connect);
        find ("zlink_receiver_register", receiver_register);
        find ("zlink_receiver_register_result", register_result);
        find ("zlink_discovery_new_typed", discovery_new);
        find ("zlink_discovery_destroy", discovery_destroy);
        find ("zlink_discovery_connect_registry", discovery_connect);
        find ("zlink_discovery_subscribe", discovery_subscribe);
        find ("zlink_discovery_wait", discovery_wait);
    }
};

// What the three processes say to each other. Everything starts as zero.
struct shared_registry
{
    std::atomic<unsigned> bound;       // the registry is, at endpoint
    std::atomic<unsigned> registered;  // all there is to begin with
    std::atomic<unsigned> known;       // all of it, to all who watch
    std::atomic<unsigned> goes_on;     // changes may be made
    std::atomic<unsigned> heard;       // so many changes, by all who watch
    std::atomic<std::int64_t> changed_ns;
    std::array<std::atomic<std::int64_t>, changes> took_ns;
    std::atomic<std::uint32_t> stop;
    char endpoint[256];
};

void wait_for (const std::atomic<unsigned> &what, unsigned wanted)
{
    await ([&] { return what.load (std::memory_order_acquire) >= wanted; });
}

// Nobody wakes up to look.
void sleep_to_the_end (const shared_registry &state)
{
    while (state.stop.load (std::memory_order_acquire) == 0)
        os::sleep_on (&state.stop, 0);
}

std::string service_of (unsigned index) { return "service-" + std::to_string (index); }
std::string change_of (unsigned index) { return "another-" + std::to_string (index); }

std::string watched_by (unsigned watcher, unsigned index)
{
    return service_of ((watcher * 10 + index) % services);
}

// Objects of one kind, destroyed in the end.
class handles
{
  public:
    explicit handles (int (*destroy) (void **)) : destroy_ (destroy) {}
    ~handles ()
    {
        for (void *each : all_)
            destroy_ (&each);
    }
    handles (const handles &) = delete;
    handles &operator= (const handles &) = delete;

    void *add (const library &calls, void *made, const char *what)
    {
        need (calls, made == nullptr ? -1 : 0, what);
        all_.push_back (made);
        return made;
    }
    [[nodiscard]] const std::vector<void *> &all () const noexcept { return all_; }

  private:
    int (*destroy_) (void **);
    std::vector<void *> all_;
};

void provide (const library &calls, const cell &measured, shared_registry &state)
{
    const registry_calls by (calls);
    const library_context context (calls, measured);
    handles made (by.receiver_destroy);
    wait_for (state.bound, 1);
    for (unsigned i = 0; i < receivers; ++i) {
        void *const one = made.add (calls, by.receiver_new (context.handle (), nullptr), "receiver_new");
        need (calls, by.receiver_bind (one, "tcp://127.0.0.1:*"), "receiver_bind");
        need (calls, by.receiver_connect (one, state.endpoint), "receiver_connect_registry");
        for (unsigned k = 0; k < services_each; ++k) {
            const std::string name = service_of ((i * services_each + k) % services);
            need (calls, by.receiver_register (one, name.c_str (), nullptr, 1), "receiver_register");
        }
    }
    for (unsigned i = 0; i < receivers; ++i) {
        const std::string last = service_of ((i * services_each + services_each - 1) % services);
        int status = -1;
        need (calls, by.register_result (made.all ()[i], last.c_str (), &status, nullptr, nullptr),
              "receiver_register_result");
        if (status != 0)
            fail ("a registration was refused");
    }
    state.registered.store (1, std::memory_order_release);
    wait_for (state.goes_on, 1);
    for (unsigned i = 0; i < changes; ++i) {
        state.changed_ns.store (os::now_ns (), std::memory_order_release);
        need (calls, by.receiver_register (made.all ()[i], change_of (i).c_str (), nullptr, 1),
              "receiver_register");
        wait_for (state.heard, i + 1);
    }
    sleep_to_the_end (state);
}

void watch (const library &calls, const cell &measured, shared_registry &state)
{
    const registry_calls by (calls);
    const library_context context (calls, measured);
    handles made (by.discovery_destroy);
    wait_for (state.registered, 1);
    for (unsigned i = 0; i < watchers; ++i) {
        void *const one =
          made.add (calls, by.discovery_new (context.handle (), ZLINK_SERVICE_GATEWAY), "discovery_new");
        need (calls, by.discovery_connect (one, state.endpoint), "discovery_connect_registry");
        for (unsigned k = 0; k < watched_each; ++k)
            need (calls, by.discovery_subscribe (one, watched_by (i, k).c_str ()), "discovery_subscribe");
        for (unsigned k = 0; k < changes; ++k)
            need (calls, by.discovery_subscribe (one, change_of (k).c_str ()), "discovery_subscribe");
    }
    for (unsigned i = 0; i < watchers; ++i)
        for (unsigned k = 0; k < watched_each; ++k)
            need (calls,
                  by.discovery_wait (made.all ()[i], watched_by (i, k).c_str (), providers_of_each, -1),
                  "discovery_wait");
    state.known.store (1, std::memory_order_release);
    for (unsigned i = 0; i < changes; ++i) {
        for (void *const each : made.all ())
            need (calls, by.discovery_wait (each, change_of (i).c_str (), 1, -1), "discovery_wait");
        state.took_ns[i].store (os::now_ns () - state.changed_ns.load (std::memory_order_acquire));
        state.heard.store (i + 1, std::memory_order_release);
    }
    sleep_to_the_end (state);
}

// The registry's own process.
outcome measure (const library &calls, const cell &measured, shared_registry &state)
{
    const registry_calls by (calls);
    const library_context context (calls, measured);
    handles made (by.registry_destroy);
    const std::int64_t before = os::resident_bytes ();
    void *const registry = made.add (calls, by.registry_new (context.handle ()), "registry_new");
    need (calls, by.registry_bind (registry, "tcp://127.0.0.1:*"), "registry_bind");
    std::size_t size = sizeof state.endpoint;
    need (calls, by.registry_endpoint (registry, state.endpoint, &size), "registry_endpoint");
    state.bound.store (1, std::memory_order_release);
    watchdog::stage ("waiting for 10,000 registrations");
    wait_for (state.registered, 1);
    watchdog::stage ("waiting for those who watch");
    wait_for (state.known, 1);
    outcome found;
    found.bytes_each = static_cast<double> (os::resident_bytes () - before) / registrations;
    measure_quiet (idle_ns, {}, found);
    watchdog::stage ("changing");
    state.goes_on.store (1, std::memory_order_release);
    wait_for (state.heard, changes);
    std::vector<double> took_us;
    for (const auto &each : state.took_ns)
        took_us.push_back (static_cast<double> (each.load ()) / 1e3);
    found.messages = changes;
    found.p50_us = median (took_us);
    found.value = found.p99_us = percentile (took_us, 1);
    state.stop.store (1, std::memory_order_release);
    os::wake_sleepers (&state.stop);
    return found;
}

}  // namespace

outcome run_registry (const library &calls, const worker_task &task)
{
    os::raise_descriptor_limit ();
    void *const memory = os::shared_memory (sizeof (shared_registry));
    if (memory == nullptr)
        fail ("no shared memory");
    auto &state = *new (memory) shared_registry{};
    const int provider = os::fork_role ([&] { provide (calls, task.measured, state); });
    const int watcher = os::fork_role ([&] { watch (calls, task.measured, state); });
    if (provider < 0 || watcher < 0)
        fail ("fork failed");
    const outcome found = measure (calls, task.measured, state);
    for (const int each : {provider, watcher})
        if (!os::wait_role (each))
            fail ("a process of the registry's peers failed");
    return found;
}

}  // namespace zlink::bench
