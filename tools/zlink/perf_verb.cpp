// The measurements of libzmq's perf programs, by the same arguments and with the same
// lines, through whatever library is asked for.
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/installation.hpp"
#include "bench/library.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

using bench::library;
using clock = std::chrono::steady_clock;
namespace number = bench::number;

constexpr int proxied_messages_max = 10000;  // high-water mark of each socket around the proxy

struct perf_call
{
    std::string tool;
    std::vector<std::string> words;
    std::string library_path;

    std::string endpoint;  // of the local and remote ones
    std::size_t body_bytes = 0;
    std::uint64_t count = 0;
};

// One socket; what fails ends the measurement.
class wire_end
{
  public:
    wire_end (const library &by, void *context, int type) : by_ (by), socket_ (by.socket (context, type))
    {
        demand (socket_ != nullptr, "cannot make a socket");
    }
    ~wire_end () { by_.close (socket_); }
    wire_end (const wire_end &) = delete;
    wire_end &operator= (const wire_end &) = delete;

    void bind (const std::string &to)
    {
        demand (by_.bind (socket_, to.c_str ()) == 0, "cannot bind to " + to);
    }
    void connect (const std::string &to)
    {
        demand (by_.connect (socket_, to.c_str ()) == 0, "cannot connect to " + to);
    }
    void set (int option, int value)
    {
        demand (by_.setsockopt (socket_, option, &value, sizeof value) == 0, "cannot set an option");
    }
    void subscribe ()
    {
        demand (by_.setsockopt (socket_, number::subscribe, "", 0) == 0, "cannot subscribe");
    }

    void send (std::size_t body_bytes)
    {
        bench::message_storage message;
        demand (by_.msg_init_size (&message, body_bytes) == 0, "no memory for a message");
        std::memset (by_.msg_data (&message), 0, body_bytes);
        demand (by_.msg_send (&message, socket_, 0) >= 0, "cannot send");
    }
    void send_word (const char *word)
    {
        demand (by_.send (socket_, word, std::strlen (word), 0) >= 0, "cannot send");
    }
    // A message of another size is an error.
    void receive (std::size_t body_bytes)
    {
        bench::message_storage message;
        by_.msg_init (&message);
        demand (by_.msg_recv (&message, socket_, 0) >= 0, "cannot receive");
        const std::size_t came = by_.msg_size (&message);
        by_.msg_close (&message);
        if (came != body_bytes)
            throw stop{exit_failed, "a message of " + std::to_string (came) + " bytes came, not of "
                                      + std::to_string (body_bytes)};
    }
    void receive_any ()
    {
        char body[1];
        demand (by_.recv (socket_, body, sizeof body, 0) >= 0, "cannot receive");
    }
    [[nodiscard]] void *handle () const { return socket_; }

  private:
    void demand (bool good, const std::string &what) const
    {
        if (!good)
            throw stop{exit_failed, what + ": " + by_.error_text (by_.error_number ())};
    }

    const library &by_;
    void *socket_;
};

class context
{
  public:
    explicit context (const library &by) : by_ (by), made_ (by.ctx_new ()) {}
    ~context () { by_.ctx_term (made_); }
    context (const context &) = delete;
    context &operator= (const context &) = delete;
    [[nodiscard]] void *handle () const { return made_; }

  private:
    const library &by_;
    void *made_;
};

// A thread of its own for one end. What it cannot do ends the process, for nobody
// else would come to know of it.
template <class Body> std::thread other_end (Body body)
{
    return std::thread ([body] {
        try {
            body ();
        } catch (const stop &why) {
            std::_Exit (say_why ("perf", why));
        }
    });
}

double seconds_since (clock::time_point began)
{
    return std::chrono::duration<double> (clock::now () - began).count ();
}

void print_latency (const perf_call &what, double seconds)
{
    std::printf ("message size: %zu [B]\n", what.body_bytes);
    std::printf ("roundtrip count: %llu\n", static_cast<unsigned long long> (what.count));
    std::printf ("average latency: %.3f [us]\n", seconds * 1e6 / (2.0 * static_cast<double> (what.count)));
}

void print_throughput (const perf_call &what, std::uint64_t counted, double seconds)
{
    const double rate = static_cast<double> (counted) / seconds;
    std::printf ("message size: %zu [B]\n", what.body_bytes);
    std::printf ("message count: %llu\n", static_cast<unsigned long long> (what.count));
    std::printf ("mean throughput: %.0f [msg/s]\n", rate);
    std::printf ("mean throughput: %.3f [Mb/s]\n", rate * static_cast<double> (what.body_bytes) * 8 / 1e6);
}

void echo (wire_end &by, const perf_call &what)
{
    for (std::uint64_t i = 0; i < what.count; ++i) {
        by.receive (what.body_bytes);
        by.send (what.body_bytes);
    }
}

double time_round_trips (wire_end &by, const perf_call &what)
{
    const auto began = clock::now ();
    for (std::uint64_t i = 0; i < what.count; ++i) {
        by.send (what.body_bytes);
        by.receive (what.body_bytes);
    }
    return seconds_since (began);
}

void send_all (wire_end &by, const perf_call &what)
{
    for (std::uint64_t i = 0; i < what.count; ++i)
        by.send (what.body_bytes);
}

// From the first message's arrival to the last one's.
void measure_arrivals (wire_end &by, const perf_call &what, std::uint64_t expected)
{
    by.receive (what.body_bytes);
    const auto began = clock::now ();
    for (std::uint64_t i = 1; i < expected; ++i)
        by.receive (what.body_bytes);
    print_throughput (what, expected - 1, seconds_since (began));
}

void local_lat (const library &by, const perf_call &what)
{
    const context all (by);
    wire_end answers (by, all.handle (), number::rep);
    answers.bind (what.endpoint);
    echo (answers, what);
}

void remote_lat (const library &by, const perf_call &what)
{
    const context all (by);
    wire_end asks (by, all.handle (), number::req);
    asks.connect (what.endpoint);
    print_latency (what, time_round_trips (asks, what));
}

void local_thr (const library &by, const perf_call &what)
{
    const context all (by);
    wire_end takes (by, all.handle (), number::pull);
    takes.bind (what.endpoint);
    measure_arrivals (takes, what, what.count);
}

void remote_thr (const library &by, const perf_call &what)
{
    const context all (by);
    wire_end gives (by, all.handle (), number::push);
    gives.connect (what.endpoint);
    send_all (gives, what);
}

void inproc_lat (const library &by, const perf_call &what)
{
    const context all (by);
    wire_end asks (by, all.handle (), number::req);
    asks.bind ("inproc://lat_test");
    std::thread other = other_end ([&] {
        wire_end answers (by, all.handle (), number::rep);
        answers.connect ("inproc://lat_test");
        echo (answers, what);
    });
    const double took = time_round_trips (asks, what);
    other.join ();
    print_latency (what, took);
}

void inproc_thr (const library &by, const perf_call &what)
{
    const context all (by);
    wire_end takes (by, all.handle (), number::pull);
    takes.bind ("inproc://thr_test");
    std::thread other = other_end ([&] {
        wire_end gives (by, all.handle (), number::push);
        gives.connect ("inproc://thr_test");
        send_all (gives, what);
    });
    measure_arrivals (takes, what, what.count);
    other.join ();
}

// Two publishers, each of which sends `count`, through a proxy to one subscriber.
void publish (const library &by, const context &all, const perf_call &what, const char *to)
{
    wire_end gives (by, all.handle (), number::xpub);
    gives.set (number::xpub_no_drop, 1);
    gives.set (number::send_hwm, proxied_messages_max);
    gives.bind (to);
    gives.receive_any ();  // the subscription
    send_all (gives, what);
}

void forward (const library &by, const context &all, const std::array<const char *, 2> &from)
{
    wire_end control (by, all.handle (), number::pair);
    control.bind ("inproc://control");
    wire_end frontend (by, all.handle (), number::xsub);
    frontend.set (number::receive_hwm, proxied_messages_max);
    for (const char *each : from)
        frontend.connect (each);
    wire_end backend (by, all.handle (), number::xpub);
    backend.set (number::xpub_no_drop, 1);
    backend.set (number::send_hwm, proxied_messages_max);
    backend.bind ("inproc://subscribers");
    by.proxy_steerable (frontend.handle (), backend.handle (), nullptr, control.handle ());
}

void proxy_thr (const library &by, const perf_call &what)
{
    if (by.proxy_steerable == nullptr)
        throw stop{exit_failed, by.path + " has no steerable proxy"};
    const context all (by);
    constexpr std::array publishers{"inproc://publisher1", "inproc://publisher2"};
    std::vector<std::thread> others;
    for (const char *each : publishers)
        others.push_back (other_end ([&, each] { publish (by, all, what, each); }));
    others.push_back (other_end ([&] { forward (by, all, publishers); }));
    {
        wire_end takes (by, all.handle (), number::sub);
        takes.set (number::receive_hwm, proxied_messages_max);
        takes.connect ("inproc://subscribers");
        takes.subscribe ();
        measure_arrivals (takes, what, what.count * publishers.size ());
    }
    {
        wire_end control (by, all.handle (), number::pair);
        control.connect ("inproc://control");
        control.send_word ("TERMINATE");
    }
    for (std::thread &each : others)
        each.join ();
}

struct perf_row
{
    const char *name;
    bool has_endpoint;
    void (*run) (const library &by, const perf_call &what);
};

constexpr std::array rows = std::to_array<perf_row> ({
  {"local_lat", true, local_lat},
  {"remote_lat", true, remote_lat},
  {"local_thr", true, local_thr},
  {"remote_thr", true, remote_thr},
  {"inproc_lat", false, inproc_lat},
  {"inproc_thr", false, inproc_thr},
  {"proxy_thr", false, proxy_thr},
});

template <class T> void read_number (const std::string &text, const char *name, T least, T &to)
{
    const char *const end = text.data () + text.size ();
    const auto [at, failure] = std::from_chars (text.data (), end, to);
    if (text.empty () || failure != std::errc () || at != end || to < least)
        throw stop{exit_wrong_call, std::string (name) + " '" + text + "' is no number from "
                                      + std::to_string (least) + " on"};
}

// The words behind the tool's name.
void read_words (const perf_row &row, perf_call &what)
{
    const std::size_t wanted = row.has_endpoint ? 3 : 2;
    if (what.words.size () != wanted)
        throw stop{exit_wrong_call, std::string (row.name) + " takes "
                                      + (row.has_endpoint ? "an endpoint, " : "")
                                      + "the bytes of a message and a count"};
    if (row.has_endpoint)
        what.endpoint = what.words[0];
    read_number<std::size_t> (what.words[wanted - 2], "the size", 0, what.body_bytes);
    const bool is_rate = std::strstr (row.name, "_thr") != nullptr;
    read_number<std::uint64_t> (what.words[wanted - 1], "the count", is_rate ? 2 : 1, what.count);
}

void load (library &by, std::string path)
{
    if (path.empty ())
        path = bench::find_own_library ("libzmq.so.5");
    if (path.empty ())
        throw stop{exit_failed, "no libzmq.so.5 is beside this program: say which --library"};
    const std::string why = by.load (path, bench::abi::zmq);
    if (!why.empty () && !by.load (path, bench::abi::zlink).empty ())
        throw stop{exit_failed, "--library: " + why};
}

int run_perf (perf_call &what)
{
    for (const perf_row &row : rows) {
        if (what.tool != row.name)
            continue;
        read_words (row, what);
        library by;
        load (by, what.library_path);
        row.run (by, what);
        return exit_done;
    }
    throw stop{exit_wrong_call, "no tool is called '" + what.tool + "'"};
}

std::vector<std::string> tool_names ()
{
    std::vector<std::string> names;
    for (const perf_row &each : rows)
        names.emplace_back (each.name);
    return names;
}

}  // namespace

action prepare_perf (CLI::App &command)
{
    auto what = std::make_shared<perf_call> ();
    command.add_option ("tool", what->tool, "Which one")->required ()->check (CLI::IsMember (tool_names ()));
    command.add_option ("arguments", what->words, "As the tool takes them: [ENDPOINT] BYTES COUNT")
      ->required ();
    command.add_option ("--library", what->library_path,
                        "The library to measure, any with zmq.h's or zlink.h's calls (ours)");
    command.footer (
      "A pair of tools measures between two processes; the local one binds, the remote one connects:\n"
      "zlink perf local_thr tcp://*:5555 64 1000000\n"
      "zlink perf remote_thr tcp://localhost:5555 64 1000000");
    return [what] {
        try {
            return run_perf (*what);
        } catch (const stop &why) {
            return say_why ("perf", why);
        }
    };
}

}  // namespace zlink::tool
