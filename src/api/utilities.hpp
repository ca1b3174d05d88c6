// Counters, stopwatches, timers and threads behind the handles of both ABIs,
// and the other functions that no socket has a part in.
//
// Thread rule: counters from any thread, the others one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zlink::api {

// --- counters: what is no counter counts as 0 -------------------------------

void *counter_new () noexcept;
void counter_set (void *counter, int value) noexcept;
int counter_increment (void *counter) noexcept;  // the old value
int counter_decrement (void *counter) noexcept;  // 1 while the new value is above 0
int counter_value (void *counter) noexcept;
void counter_destroy (void **counter) noexcept;

// --- stopwatches: microseconds ----------------------------------------------

void *stopwatch_start () noexcept;
unsigned long stopwatch_read (void *watch) noexcept;
unsigned long stopwatch_stop (void *watch) noexcept;

// --- timers -----------------------------------------------------------------

void *timers_new () noexcept;
int timers_destroy (void **timers) noexcept;
int timers_add (void *timers,
                std::size_t interval_ms,
                void (*handler) (int, void *),
                void *argument) noexcept;
int timers_cancel (void *timers, int id) noexcept;
int timers_set_interval (void *timers, int id, std::size_t interval_ms) noexcept;
int timers_reset (void *timers, int id) noexcept;
long timers_timeout (void *timers) noexcept;
int timers_execute (void *timers) noexcept;

// --- threads ----------------------------------------------------------------

void *thread_start (void (*body) (void *), void *argument) noexcept;
void thread_close (void *thread) noexcept;
void sleep_seconds (int seconds) noexcept;

// --- others -----------------------------------------------------------------

// What a proxy of the sockets answers; capture and control may be null.
int proxy_sockets (void *frontend, void *backend, void *capture, void *control) noexcept;

// True when a transport of this scheme is built.
[[nodiscard]] bool has_transport (std::string_view scheme) noexcept;

// Fill the three numbers that are not null.
void version_into (int major, int minor, int patch, int *to_major, int *to_minor, int *to_patch) noexcept;

}  // namespace zlink::api
