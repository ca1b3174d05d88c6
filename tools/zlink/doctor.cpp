// What is wrong with an endpoint: one attempt to connect, step by step.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <zlink/zlink.h>

#include "tools/zlink/advice.hpp"
#include "tools/zlink/attachment.hpp"
#include "tools/zlink/checks.hpp"
#include "tools/zlink/socket_run.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr int exit_ill = 1;
constexpr int exit_late = 3;

struct examination
{
    std::string endpoint;
    std::string type = "dealer";
    std::vector<std::string> options;
    double time_limit_s = 5;
};

int refuse (const std::string &why)
{
    std::fprintf (stderr, "zlink doctor: %s\n", why.c_str ());
    return exit_wrong_call;
}

void say (const char *what, const std::string &more)
{
    std::printf ("%-12s %s\n", what, more.c_str ());
    std::fflush (stdout);
}

std::string way_of (const zlink_event_t &event)
{
    if (event.local_addr[0] == '\0' || event.remote_addr[0] == '\0')
        return event.endpoint;
    return fmt::format ("{} -> {}", event.local_addr, event.remote_addr);
}

std::string why_of (const zlink_event_t &event)
{
    std::string text = event.reason_text;
    if (event.os_error != 0)
        text += fmt::format (", error {} ({})", event.os_error, zlink_strerror (event.os_error));
    return text;
}

class diagnosis
{
  public:
    // False: the examination goes on.
    bool judge (const zlink_event_t &event)
    {
        switch (event.event) {
        case ZLINK_EVENT_CONNECT_DELAYED:
            say ("connecting", way_of (event));
            return false;
        case ZLINK_EVENT_CONNECTED:
            say ("connected", way_of (event));
            refused_.reset ();
            return false;
        case ZLINK_EVENT_CONNECTION_READY:
            say ("ready", "the peer is a ZeroMQ peer, and both understand each other");
            code_ = 0;
            return true;
        case ZLINK_EVENT_CLOSED:
            // A name may have another address: it has failed when all have.
            refused_ = event;
            return false;
        case ZLINK_EVENT_CONNECT_RETRIED:
            return tell_refusal ();
        case ZLINK_EVENT_HANDSHAKE_FAILED_AUTH:
        case ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        case ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        case ZLINK_EVENT_DISCONNECTED:
            return tell_failure (event);
        default:
            return false;
        }
    }
    // False: there was none.
    bool tell_refusal () { return refused_ && tell_failure (*refused_); }
    [[nodiscard]] int code () const { return code_; }

  private:
    bool tell_failure (const zlink_event_t &event)
    {
        say ("failed", why_of (event));
        say ("", std::string (advice_for (event.reason_text)));
        code_ = exit_ill;
        return true;
    }

    std::optional<zlink_event_t> refused_;
    int code_ = exit_ill;
};

// The events of one attempt, as they come.
int watch (void *events, double time_limit_s)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now () + std::chrono::duration<double> (time_limit_s);
    for (diagnosis found;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds> (end - clock::now ()).count ();
        zlink_event_t event;
        if (zlink_events_recv (events, &event, static_cast<int> (std::max<long> (left, 0))) != 0) {
            if (found.tell_refusal ())
                return found.code ();
            say ("nothing",
                 fmt::format ("came within {} s: {}", time_limit_s, advice_for ("connect-timeout")));
            return exit_late;
        }
        if (found.judge (event))
            return found.code ();
    }
}

int examine (const examination &what, int type, const std::vector<option_value> &options)
{
    void *const context = zlink_ctx_new ();
    void *const patient = zlink_socket (context, type);
    int code = exit_ill;
    const int none = 0;
    zlink_setsockopt (patient, ZLINK_LINGER, &none, sizeof none);
    const auto is_bad = [patient] (const option_value &each) {
        return zlink_setsockopt (patient, each.number, each.bytes.data (), each.bytes.size ()) != 0;
    };
    const auto bad = std::find_if (options.begin (), options.end (), is_bad);
    void *const events = zlink_events_open (patient, ZLINK_EVENT_ALL, 0);
    if (bad != options.end ())
        say ("failed", fmt::format ("cannot set {}: {}", bad->name, zlink_strerror (zlink_errno ())));
    else if (zlink_connect (patient, what.endpoint.c_str ()) != 0)
        say ("failed", fmt::format ("{}: {}", what.endpoint, zlink_strerror (zlink_errno ())));
    else
        code = watch (events, what.time_limit_s);
    zlink_close (patient);
    zlink_events_close (events);
    zlink_ctx_term (context);
    return code;
}

}  // namespace

action prepare_doctor (CLI::App &command)
{
    auto what = std::make_shared<examination> ();
    command.add_option ("endpoint", what->endpoint, "Where to connect, such as tcp://host:5555")->required ();
    command.add_option ("--type", what->type, "As which type of socket (dealer)");
    add_options (command, what->options);
    command.add_option ("-t,--timeout", what->time_limit_s, "Seconds to wait (5)")->check (above_0 ());
    return [what] {
        const socket_kind *const kind = find_kind (what->type);
        if (kind == nullptr)
            return refuse ("no socket type is called '" + what->type + "'");
        std::vector<option_value> options;
        std::string why;
        if (!read_options (what->options, options, why))
            return refuse (why);
        return examine (*what, kind->type, options);
    };
}

}  // namespace zlink::tool
