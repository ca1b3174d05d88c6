// A proxy between two sockets, until a signal ends it.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <zlink/zlink.h>

#include "tools/zlink/socket_run.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr const char *control_endpoint = "inproc://control";

struct side
{
    std::string text;
    bool connects = false;
    int type = -1;
    std::string endpoint;
};

// False: `why` says what is wrong with the text.
bool read_side (side &which, std::string &why)
{
    const std::size_t at = which.text.find ('@');
    const std::string name = which.text.substr (0, at);
    const socket_kind *const kind = find_kind (name);
    if (at == std::string::npos)
        why = "'" + which.text + "' is not of the form TYPE@ENDPOINT, such as xsub@tcp://*:5555";
    else if (kind == nullptr)
        why = "no socket type is called '" + name + "'";
    else {
        which.type = kind->type;
        which.endpoint = which.text.substr (at + 1);
        return true;
    }
    return false;
}

void *open_side (void *context, const side &which)
{
    void *const made = zlink_socket (context, which.type);
    const auto attach = which.connects ? zlink_connect : zlink_bind;
    if (which.type == ZLINK_SUB)
        zlink_setsockopt (made, ZLINK_SUBSCRIBE, "", 0);
    if (made != nullptr && attach (made, which.endpoint.c_str ()) == 0)
        return made;
    std::fprintf (stderr, "zlink proxy: cannot %s %s: %s\n", which.connects ? "connect to" : "bind to",
                  which.endpoint.c_str (), zlink_strerror (zlink_errno ()));
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

int run_proxy (const side &front, const side &back)
{
    void *const context = zlink_ctx_new ();
    void *const control = zlink_socket (context, ZLINK_PAIR);
    zlink_bind (control, control_endpoint);
    end_on_signal (context);
    void *const frontend = open_side (context, front);
    void *const backend = frontend == nullptr ? nullptr : open_side (context, back);
    int answer = -1;
    if (backend != nullptr) {
        answer = zlink_proxy_steerable (frontend, backend, nullptr, control);
        if (answer != 0)
            std::fprintf (stderr, "zlink proxy: %s\n", zlink_strerror (zlink_errno ()));
    }
    for (void *const each : {frontend, backend, control})
        if (each != nullptr)
            zlink_close (each);
    zlink_ctx_term_ms (context, 1000);
    return answer == 0 ? 0 : 1;
}

}  // namespace

action prepare_proxy (CLI::App &command)
{
    auto sides = std::make_shared<std::pair<side, side>> ();
    command.add_option ("frontend", sides->first.text, "TYPE@ENDPOINT, such as xsub@tcp://*:5555")
      ->required ();
    command.add_option ("backend", sides->second.text, "The same, such as xpub@tcp://*:5556")->required ();
    command.add_flag ("--connect-frontend", sides->first.connects, "Connect it, do not bind it");
    command.add_flag ("--connect-backend", sides->second.connects, "Connect it, do not bind it");
    return [sides] {
        std::string why;
        if (!read_side (sides->first, why) || !read_side (sides->second, why)) {
            std::fprintf (stderr, "zlink proxy: %s\n", why.c_str ());
            return exit_wrong_call;
        }
        return run_proxy (sides->first, sides->second);
    };
}

}  // namespace zlink::tool
