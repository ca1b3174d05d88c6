// Where tests bind: endpoints that no other process of the test run shares.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace zlink::test {

// A loopback address of this process's own, so that ports cannot collide.
[[nodiscard]] inline std::string own_loopback ()
{
    const auto process = static_cast<unsigned> (::getpid ());
    return "127." + std::to_string (128 + (process >> 16 & 127)) + '.' + std::to_string (process >> 8 & 255)
           + '.' + std::to_string (process & 255);
}

[[nodiscard]] inline int next_place ()
{
    static std::atomic<int> next{1};
    return next++;
}

[[nodiscard]] inline std::string tcp_place ()
{
    constexpr int ports = 50'000;  // a loop may ask for more; the first are free again by then
    return "tcp://" + own_loopback () + ':' + std::to_string (10'000 + next_place () % ports);
}

// A folder that goes with the process.
[[nodiscard]] inline const std::string &own_folder ()
{
    struct folder
    {
        std::string path = "/tmp/zlink-test-XXXXXX";
        pid_t owner = ::getpid ();
        folder () { path = ::mkdtemp (path.data ()); }
        ~folder ()
        {
            if (owner != ::getpid ())  // a forked child's copy
                return;
            const std::string sweep = "rm -rf " + path;
            if (std::system (sweep.c_str ()) != 0)
                ::rmdir (path.c_str ());
        }
    };
    static folder only;
    return only.path;
}

[[nodiscard]] inline std::string ipc_path () { return own_folder () + '/' + std::to_string (next_place ()); }
[[nodiscard]] inline std::string ipc_place () { return "ipc://" + ipc_path (); }
[[nodiscard]] inline std::string inproc_place ()
{
    return "inproc://place-" + std::to_string (next_place ());
}
[[nodiscard]] inline std::string sim_place () { return "sim://place-" + std::to_string (next_place ()); }

}  // namespace zlink::test
