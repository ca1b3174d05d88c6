#include "api/utilities.hpp"

#include <algorithm>
#include <memory>

#include "api/errors.hpp"
#include "api/proxy.hpp"
#include "api/real_world_access.hpp"
#include "api/sockets.hpp"
#include "api/timers.hpp"
#include "api/utility_handle.hpp"

namespace zlink::api {

using base::errc;

namespace {

timers *timers_of (void *handle) noexcept { return object_of<timers> (handle, handle_kind::timers); }

void *new_record (handle_kind kind, void *object) noexcept
{
    utility_record *record = open_handle (kind, object);
    return record != nullptr ? record : failed_pointer (errc::no_memory);
}

}  // namespace

// --- counters ---------------------------------------------------------------

void *counter_new () noexcept { return new_record (handle_kind::counter, nullptr); }

void counter_set (void *counter, int value) noexcept
{
    if (utility_record *record = find_handle (counter, handle_kind::counter))
        record->number.store (value);
}

int counter_increment (void *counter) noexcept
{
    utility_record *record = find_handle (counter, handle_kind::counter);
    return record == nullptr ? 0 : record->number.fetch_add (1);
}

int counter_decrement (void *counter) noexcept
{
    utility_record *record = find_handle (counter, handle_kind::counter);
    return record != nullptr && record->number.fetch_sub (1) > 1 ? 1 : 0;
}

int counter_value (void *counter) noexcept
{
    utility_record *record = find_handle (counter, handle_kind::counter);
    return record == nullptr ? 0 : record->number.load ();
}

void counter_destroy (void **counter) noexcept
{
    if (counter == nullptr)
        return;
    static_cast<void> (close_handle (*counter, handle_kind::counter));
    *counter = nullptr;
}

// --- stopwatches ------------------------------------------------------------

void *stopwatch_start () noexcept
{
    base::world *const process = process_world ();
    utility_record *record = process == nullptr ? nullptr : open_handle (handle_kind::stopwatch, nullptr);
    if (record == nullptr)
        return failed_pointer (errc::no_memory);
    record->start_ns = process->time.now_ns ();
    return record;
}

unsigned long stopwatch_read (void *watch) noexcept
{
    const utility_record *record = find_handle (watch, handle_kind::stopwatch);
    if (record == nullptr)
        return 0;
    const base::time_ns now = process_world ()->time.now_ns ();  // was there when it was started
    return static_cast<unsigned long> ((now - record->start_ns) / base::ns_per_us);
}

unsigned long stopwatch_stop (void *watch) noexcept
{
    const unsigned long elapsed_us = stopwatch_read (watch);
    static_cast<void> (close_handle (watch, handle_kind::stopwatch));
    return elapsed_us;
}

// --- timers -----------------------------------------------------------------

void *timers_new () noexcept
{
    base::world *const process = process_world ();
    auto *made = process == nullptr ? nullptr : new (std::nothrow) timers (process->time);
    utility_record *record = made == nullptr ? nullptr : open_handle (handle_kind::timers, made);
    if (record == nullptr) {
        delete made;
        return failed_pointer (errc::no_memory);
    }
    return record;
}

int timers_destroy (void **handle) noexcept
{
    auto *ended =
      static_cast<timers *> (handle == nullptr ? nullptr : close_handle (*handle, handle_kind::timers));
    if (ended == nullptr)
        return failed (errc::bad_address);
    delete ended;
    *handle = nullptr;
    return 0;
}

int timers_add (void *handle, std::size_t interval_ms, void (*handler) (int, void *), void *argument) noexcept
{
    timers *set = timers_of (handle);
    if (set == nullptr || handler == nullptr)
        return failed (errc::bad_address);
    return without_throwing ([&] { return set->add (interval_ms, handler, argument); });
}

int timers_cancel (void *handle, int id) noexcept
{
    timers *set = timers_of (handle);
    return set == nullptr ? failed (errc::bad_address) : answer (set->cancel (id));
}

int timers_set_interval (void *handle, int id, std::size_t interval_ms) noexcept
{
    timers *set = timers_of (handle);
    if (set == nullptr)
        return failed (errc::bad_address);
    return without_throwing ([&] { return answer (set->set_interval (id, interval_ms)); });
}

int timers_reset (void *handle, int id) noexcept
{
    timers *set = timers_of (handle);
    if (set == nullptr)
        return failed (errc::bad_address);
    return without_throwing ([&] { return answer (set->reset (id)); });
}

long timers_timeout (void *handle) noexcept
{
    timers *set = timers_of (handle);
    return set == nullptr ? failed (errc::bad_address) : set->timeout_ms ().value_or (-1);
}

int timers_execute (void *handle) noexcept
{
    timers *set = timers_of (handle);
    if (set == nullptr)
        return failed (errc::bad_address);
    return without_throwing ([&] {
        set->execute ();
        return 0;
    });
}

// --- threads ----------------------------------------------------------------

void *thread_start (void (*body) (void *), void *argument) noexcept
{
    if (body == nullptr)
        return failed_pointer (errc::bad_address);
    base::world *const process = process_world ();
    utility_record *record = process == nullptr ? nullptr : open_handle (handle_kind::thread, nullptr);
    if (record == nullptr)
        return failed_pointer (errc::no_memory);
    base::thread_options options;
    options.name = "application";
    auto started = process->threads.start (options, [body, argument] { body (argument); });
    if (!started) {
        static_cast<void> (close_handle (record, handle_kind::thread));
        return failed_pointer (started.failure ());
    }
    record->object = std::move (started).value ().release ();
    return record;
}

void thread_close (void *thread) noexcept
{
    delete static_cast<base::joinable *> (close_handle (thread, handle_kind::thread));
}

void sleep_seconds (int seconds) noexcept
{
    base::world *const process = process_world ();
    if (process == nullptr)
        return;
    std::atomic<std::uint32_t> never_changes{0};
    const base::time_ns deadline = process->time.now_ns () + std::max (seconds, 0) * base::ns_per_s;
    while (process->sleep.wait (never_changes, 0, deadline) == base::wait_outcome::woken)
        continue;
}

// --- others -----------------------------------------------------------------

int proxy_sockets (void *frontend, void *backend, void *capture, void *control) noexcept
{
    if (frontend == nullptr || backend == nullptr)
        return failed (errc::bad_address);
    for (void *socket : {frontend, backend, capture, control})
        if (socket != nullptr && !is_socket (socket))
            return failed (errc::not_a_socket);
    base::world *const process = process_world ();
    if (process == nullptr)
        return failed (errc::no_memory);
    return without_throwing (
      [&] { return answer (proxy (*process, frontend, backend, capture, control).run ()); });
}

bool has_transport (std::string_view scheme) noexcept
{
    base::world *const process = process_world ();
    if (process == nullptr)
        return false;
    const auto transports = process->transports;
    return std::ranges::any_of (transports,
                                [scheme] (const base::transport *each) { return each->scheme () == scheme; });
}

void version_into (int major, int minor, int patch, int *to_major, int *to_minor, int *to_patch) noexcept
{
    if (to_major != nullptr)
        *to_major = major;
    if (to_minor != nullptr)
        *to_minor = minor;
    if (to_patch != nullptr)
        *to_patch = patch;
}

}  // namespace zlink::api
