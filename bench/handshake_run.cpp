#include "bench/handshake_run.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "bench/cipher.hpp"
#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/roles.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

namespace {

constexpr std::size_t dials_in_flight = 64;
constexpr std::int64_t warm_up_ns = 200'000'000;

void set_number (const library &calls, void *socket, int option, int value, const char *what)
{
    need (calls, calls.setsockopt (socket, option, &value, sizeof value), what);
}

// Whoever comes says so by an empty message, and is answered.
void answer_all (const library &calls,
                 const cell &measured,
                 shared_state *state,
                 const std::string &directory)
{
    const library_context context (calls, measured);
    node sockets (calls, context.handle (), measured, state, directory);
    void *router = sockets.bind (number::router, 0);
    constexpr int look_ms = 100;
    set_number (calls, router, number::receive_timeout, look_ms, "RCVTIMEO");
    while (state->stop.load (std::memory_order_acquire) == 0) {
        char name[256];
        char empty = 0;
        const int named = calls.recv (router, name, sizeof name, 0);
        if (named < 0 || calls.recv (router, &empty, sizeof empty, 0) < 0)
            continue;
        (void)calls.send (router, name, static_cast<std::size_t> (named), number::send_more);
        (void)calls.send (router, "x", 1, 0);
    }
}

class dialling
{
  public:
    dialling (const library &calls, const cell &measured, void *context, const char *endpoint)
      : calls_ (calls), measured_ (measured), context_ (context), endpoint_ (endpoint)
    {
        if (calls_.poll == nullptr || (measured_.with.resumed && calls_.disconnect == nullptr))
            lack ("no such call");
        for (poll_item &each : items_) {
            each = {open (), 0, number::poll_in, 0};
            dial (each.socket);
        }
    }
    ~dialling ()
    {
        for (const poll_item &each : items_)
            calls_.close (each.socket);
    }
    dialling (const dialling &) = delete;
    dialling &operator= (const dialling &) = delete;

    // How many became ready until then.
    std::uint64_t run_until (std::int64_t deadline_ns)
    {
        std::uint64_t ready = 0;
        while (os::now_ns () < deadline_ns) {
            constexpr long look_ms = 100;
            need (calls_, calls_.poll (items_.data (), dials_in_flight, look_ms), "poll");
            for (poll_item &each : items_)
                if ((each.found & number::poll_in) != 0) {
                    again (each);
                    ++ready;
                }
        }
        return ready;
    }

  private:
    void *open ()
    {
        void *const socket = make_socket (calls_, context_, number::dealer);
        set_number (calls_, socket, number::probe_router, 1, "PROBE_ROUTER");
        set_number (calls_, socket, number::linger, 0, "LINGER");
        give_certificate (calls_, socket, measured_);
        give_keys (calls_, socket, measured_, curve_role::client);
        return socket;
    }
    void dial (void *socket) { need (calls_, calls_.connect (socket, endpoint_), "connect"); }
    void again (poll_item &which)
    {
        char answer = 0;
        need (calls_, calls_.recv (which.socket, &answer, sizeof answer, number::dont_wait), "recv");
        if (measured_.with.resumed) {
            need (calls_, calls_.disconnect (which.socket, endpoint_), "disconnect");
        } else {
            calls_.close (which.socket);
            which.socket = open ();
        }
        dial (which.socket);
    }

    const library &calls_;
    const cell &measured_;
    void *context_;
    const char *endpoint_;
    std::array<poll_item, dials_in_flight> items_{};
};

outcome measure_dials (const library &calls, const worker_task &task, shared_state *state)
{
    const cell &measured = task.measured;
    const library_context context (calls, measured);
    wait_for_endpoint (state, 0);
    outcome found;
    {
        dialling dials (calls, measured, context.handle (), state->endpoints[0]);
        watchdog::stage ("shaking hands");
        (void)dials.run_until (os::now_ns () + warm_up_ns);
        const std::int64_t begun_ns = os::now_ns ();
        const std::int64_t begun_cpu_ns = os::cpu_ns ();
        found.messages =
          static_cast<double> (dials.run_until (begun_ns + static_cast<std::int64_t> (task.seconds * 1e9)));
        found.seconds = static_cast<double> (os::now_ns () - begun_ns) / 1e9;
        found.cpu_s = static_cast<double> (os::cpu_ns () - begun_cpu_ns) / 1e9;
    }
    found.value = found.messages / found.seconds;
    state->stop.store (1, std::memory_order_release);
    return found;
}

// --- openssl's ---------------------------------------------------------------------

void write_file (const std::string &path, const std::string &text) { std::ofstream (path) << text; }

// "1234 connections in 2 real seconds": the count.
double connections_in (const std::string &said)
{
    constexpr std::string_view mark = " connections in ";
    std::size_t at = said.rfind (mark);
    if (at == said.npos)
        lack ("no openssl s_time");
    std::size_t first = at;
    while (first > 0 && said[first - 1] >= '0' && said[first - 1] <= '9')
        --first;
    unsigned long count = 0;
    std::from_chars (said.data () + first, said.data () + at, count);
    return static_cast<double> (count);
}

std::vector<std::string> server_words (const worker_task &task, const std::string &port)
{
    return {"openssl",      "s_server",
            "-accept",      "127.0.0.1:" + port,
            "-www",         "-quiet",
            "-cert",        task.directory + "/own.pem",
            "-key",         task.directory + "/own.key",
            "-num_tickets", "1"};
}

std::vector<std::string> client_words (const worker_task &task, const std::string &port, const char *seconds)
{
    // It says how it verifies where we say what is wrong.
    return {"sh",
            "-c",
            "exec \"$@\" 2>/dev/null",
            "sh",
            "openssl",
            "s_time",
            "-connect",
            "127.0.0.1:" + port,
            "-www",
            "/",
            "-time",
            seconds,
            task.measured.with.resumed ? "-reuse" : "-new",
            "-tls1_3",
            "-CAfile",
            task.directory + "/own.pem",
            "-verify",
            "1"};
}

}  // namespace

outcome run_handshakes (const library &calls, const worker_task &task)
{
    cell measured = task.measured;
    measured.with.processes = true;
    worker_task split = task;
    split.measured = measured;
    shared_state *state = make_shared_state ();
    os::raise_descriptor_limit ();
    make_certificate (measured);
    make_keys (calls, measured);
    outcome found;
    run_roles (
      measured, [&] { answer_all (calls, measured, state, task.directory); },
      [&] { found = measure_dials (calls, split, state); });
    return found;
}

outcome openssl_handshakes (const worker_task &task)
{
    const certificate &ours = own_certificate ();
    write_file (task.directory + "/own.pem", ours.text);
    write_file (task.directory + "/own.key", ours.key);
    constexpr int first_port = 20'000;
    constexpr int ports = 10'000;
    const std::string port = std::to_string (first_port + os::process_id () % ports);
    const int server = os::fork_role ([&] {
        os::become (server_words (task, port));
        fail ("no openssl");
    });
    // Until it answers: a run of a second that brings some connections.
    constexpr std::int64_t patience_ns = 10'000'000'000;
    constexpr std::int64_t pause_ns = 100'000'000;
    os::wait_until (os::now_ns () + pause_ns);
    const std::int64_t begun_ns = os::now_ns ();
    const os::command_result ran = os::run_command (client_words (task, port, "2"), patience_ns);
    const double seconds = static_cast<double> (os::now_ns () - begun_ns) / 1e9;
    os::end_role (server);
    if (!ran.started || ran.exit_code != 0)
        lack ("no openssl s_time");
    // It says of each connection whether it was resumed.
    if (task.measured.with.resumed && ran.output.find ("rrr") == std::string::npos)
        lack ("no openssl s_time that resumes TLS 1.3");
    outcome found;
    found.messages = connections_in (ran.output);
    found.seconds = seconds;
    found.value = found.messages / seconds;
    return found;
}

}  // namespace zlink::bench
