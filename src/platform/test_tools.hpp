// What the tests of this folder and of src/transport share: waiting on a
// condition under a watchdog, counting descriptors, connected pairs. For
// *_test.cpp files only.
#pragma once

#include <cstddef>
#include <dirent.h>
#include <functional>
#include <memory>
#include <poll.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stream.hpp"
#include "platform/system_clock.hpp"

namespace zlink::platform::test_tools {

// Long enough for a loaded machine; reaching it fails the test.
inline constexpr base::time_ns watchdog_ns = 20 * base::ns_per_s;

// Waits until one of the interests is ready. False when the watchdog bites.
[[nodiscard]] inline bool wait_ready (base::io_handle handle, std::uint32_t interest)
{
    pollfd entry{handle, 0, 0};
    if ((interest & base::interest_read) != 0)
        entry.events |= POLLIN;
    if ((interest & base::interest_write) != 0)
        entry.events |= POLLOUT;
    return ::poll (&entry, 1, static_cast<int> (watchdog_ns / base::ns_per_ms)) == 1;
}

// Repeats the look until it holds, giving the core away in between.
template <class Condition> [[nodiscard]] bool eventually (Condition holds)
{
    system_clock time;
    const base::time_ns deadline = time.now_ns () + watchdog_ns;
    while (!holds ()) {
        if (time.now_ns () > deadline)
            return false;
        ::sched_yield ();
    }
    return true;
}

// Open descriptors of this process.
[[nodiscard]] inline std::size_t open_descriptors ()
{
    DIR *list = ::opendir ("/proc/self/fd");
    std::size_t count = 0;
    while (list != nullptr && ::readdir (list) != nullptr)
        ++count;
    if (list != nullptr)
        ::closedir (list);
    return count;
}

// Runs body in a forked child and returns its answer, 0 .. 99; 100 when the
// child did not end by itself.
template <class Body> [[nodiscard]] int in_child (Body body)
{
    const pid_t child = ::fork ();
    if (child == 0)
        ::_exit (body ());
    int status = 0;
    if (child < 0 || ::waitpid (child, &status, 0) != child || !WIFEXITED (status))
        return 100;
    return WEXITSTATUS (status);
}

// The part behind "scheme://".
[[nodiscard]] inline std::string without_scheme (const std::string &endpoint)
{
    const auto mark = endpoint.find ("://");
    return mark == std::string::npos ? endpoint : endpoint.substr (mark + 3);
}

// A stream towards the first address behind remote; null on failure.
[[nodiscard]] inline std::unique_ptr<base::stream>
dial (base::transport &by, std::string_view remote, const base::stream_options &options = {})
{
    const base::resolve_result to = by.resolve (remote, options);
    if (to.addresses.empty ())
        return nullptr;
    auto made = by.dial (to.addresses.front (), options);
    return made ? std::move (made.value ()) : nullptr;
}

// Waits for a caller and accepts it; null on failure.
[[nodiscard]] inline std::unique_ptr<base::stream> accept (base::listener &listener)
{
    if (!wait_ready (listener.handle (), base::interest_read))
        return nullptr;
    auto accepted = listener.accept ();
    return accepted ? std::move (accepted.value ()) : nullptr;
}

struct connected_pair
{
    std::unique_ptr<base::listener> listener;
    std::unique_ptr<base::stream> client;
    std::unique_ptr<base::stream> server;

    [[nodiscard]] bool complete () const noexcept { return listener && client && server; }
};

// Listens, dials what the listener says and accepts.
[[nodiscard]] inline connected_pair
connect_pair (base::transport &by, std::string_view at, const base::stream_options &options = {})
{
    connected_pair pair;
    auto listening = by.listen (at, options);
    if (!listening)
        return pair;
    pair.listener = std::move (listening.value ());
    pair.client = dial (by, without_scheme (pair.listener->local_endpoint ()), options);
    if (pair.client && wait_ready (pair.client->handle (), base::interest_write)
        && pair.client->finish_connect ())
        pair.server = accept (*pair.listener);
    return pair;
}

}  // namespace zlink::platform::test_tools
