#include "tools/zlink/proxy_run.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

#include <zlink/zlink.h>

#include "tools/zlink/served_counters.hpp"

namespace zlink::tool {

namespace {

constexpr const char *control_endpoint = "inproc://control";

// Null: it could not be, and why is on standard error.
void *open_side (void *context, const char *verb, const proxy_side &which)
{
    void *const made = zlink_socket (context, which.type);
    const auto is_bad = [made] (const option_value &each) {
        return zlink_setsockopt (made, each.number, each.bytes.data (), each.bytes.size ()) != 0;
    };
    const auto bad = std::find_if (which.options.begin (), which.options.end (), is_bad);
    if (bad != which.options.end ()) {
        std::fprintf (stderr, "zlink %s: cannot set %s: %s\n", verb, bad->name.c_str (),
                      zlink_strerror (zlink_errno ()));
        zlink_close (made);
        return nullptr;
    }
    const auto attach = which.connects ? zlink_connect : zlink_bind;
    if (which.type == ZLINK_SUB)
        zlink_setsockopt (made, ZLINK_SUBSCRIBE, "", 0);
    if (made != nullptr && attach (made, which.endpoint.c_str ()) == 0)
        return made;
    std::fprintf (stderr, "zlink %s: cannot %s %s: %s\n", verb, which.connects ? "connect to" : "bind to",
                  which.endpoint.c_str (), zlink_strerror (zlink_errno ()));
    if (made != nullptr)
        zlink_close (made);
    return nullptr;
}

// SIGINT and SIGTERM, which nothing else gets from now on, end the proxy. The
// thread ends with the process.
void end_on_signal (void *context)
{
    sigset_t wanted;
    sigemptyset (&wanted);
    sigaddset (&wanted, SIGINT);
    sigaddset (&wanted, SIGTERM);
    pthread_sigmask (SIG_BLOCK, &wanted, nullptr);
    std::thread ([context, wanted] {
        int got = 0;
        sigwait (&wanted, &got);
        void *const steer = zlink_socket (context, ZLINK_PAIR);
        zlink_connect (steer, control_endpoint);
        zlink_send (steer, "TERMINATE", 9, 0);
        zlink_close (steer);
    }).detach ();
}

}  // namespace

int run_proxy (const char *verb,
               const proxy_side &front,
               const proxy_side &back,
               const std::string &statistics)
{
    void *const context = zlink_ctx_new ();
    void *const control = zlink_socket (context, ZLINK_PAIR);
    zlink_bind (control, control_endpoint);
    end_on_signal (context);
    void *const frontend = open_side (context, verb, front);
    void *const backend = frontend == nullptr ? nullptr : open_side (context, verb, back);
    int answer = -1;
    served_counters counters;
    if (backend != nullptr && !counters.start (context, statistics)) {
        std::fprintf (stderr, "zlink %s: cannot serve statistics at %s: %s\n", verb, statistics.c_str (),
                      zlink_strerror (zlink_errno ()));
    } else if (backend != nullptr) {
        answer = zlink_proxy_steerable (frontend, backend, nullptr, control);
        if (answer != 0)
            std::fprintf (stderr, "zlink %s: %s\n", verb, zlink_strerror (zlink_errno ()));
    }
    counters.stop ();
    for (void *const each : {frontend, backend, control})
        if (each != nullptr)
            zlink_close (each);
    zlink_ctx_term_ms (context, 1000);
    return answer == 0 ? 0 : 1;
}

}  // namespace zlink::tool
