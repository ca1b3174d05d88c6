// The hot paths, each run by itself for budgets.py to measure.
//
// hot_paths: prints a line a path: name, messages, allocations, system calls.
// Under callgrind, with --toggle-collect=hot_section --dump-after=path_done,
// dump n holds the instructions of line n.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/message.hpp"
#include "budgets/measuring.hpp"
#include "budgets/still_world.hpp"
#include "budgets/turned_lanes.hpp"
#include "socket/facade.hpp"

namespace {

using namespace zlink;
using test::must;

constexpr int option_max_sockets = 2;
constexpr int option_routing_id = 5;
constexpr int option_subscribe = 6;
constexpr int option_spin = 3003;

constexpr int type_pair = 0;
constexpr int type_sub = 2;
constexpr int type_dealer = 5;
constexpr int type_router = 6;
constexpr int type_xpub = 9;
constexpr int type_radio = 14;
constexpr int type_dish = 15;
constexpr int rounds = 5;
constexpr int rounds_before = 20;

// Two ends of a link and what the steps below need.
struct pair_of_ends
{
    void *a = nullptr;
    void *b = nullptr;
    std::vector<void *> more = {};  // that hear what b hears
    std::array<std::byte, 4096> memory{};
    std::array<std::uint32_t, 32> sizes{};
    std::size_t size_bytes = 64;
    socket::poll_set *set = nullptr;  // that b is in

    [[nodiscard]] base::bytes_view body () const { return base::bytes_view (memory).first (size_bytes); }
    [[nodiscard]] base::bytes_view bodies () const
    {
        return base::bytes_view (memory).first (size_bytes * sizes.size ());
    }
};

// --- steps: one message each, or one batch -----------------------------------

void send_bytes (pair_of_ends &on) { must (socket::send (on.a, on.body (), 0).ok (), "send"); }
void receive_bytes (pair_of_ends &on) { must (socket::receive (on.b, on.memory, 0).ok (), "receive"); }

void send_message (pair_of_ends &on)
{
    base::message part;
    must (part.init_copy (on.body ()).ok () && socket::send (on.a, part, 0).ok (), "send");
    part.close ();
}

void receive_message (pair_of_ends &on)
{
    base::message part;
    part.init ();
    must (socket::receive (on.b, part, 0).ok (), "receive");
    part.close ();
}

void send_packed (pair_of_ends &on)
{
    must (socket::send_packed (on.a, on.bodies (), on.sizes, 0).size () == on.sizes.size (), "send_packed");
}

void receive_packed (pair_of_ends &on)
{
    const auto got =
      socket::receive_packed (on.b, base::bytes_span (on.memory).first (on.bodies ().size ()), on.sizes, 0);
    must (got.ok () && got.size () == on.sizes.size (), "receive_packed");
}

// A lone message there and one back.
void turn (pair_of_ends &on)
{
    must (socket::send (on.a, on.body (), 0).ok (), "send");
    must (socket::receive (on.b, on.memory, 0).ok (), "receive");
    must (socket::send (on.b, on.body (), 0).ok (), "send");
    must (socket::receive (on.a, on.memory, 0).ok (), "receive");
}

// What a ROUTER sends and receives has two parts.
constexpr char dealer_name[] = {'d', 'e', 'a', 'l', 'e', 'r'};

void send_to_name (pair_of_ends &on)
{
    must (socket::send (on.a, std::as_bytes (std::span (dealer_name)), socket::io_send_more).ok ()
            && socket::send (on.a, on.body (), 0).ok (),
          "send");
}

void receive_with_name (pair_of_ends &on)
{
    must (socket::receive (on.b, on.memory, 0).ok () && socket::receive (on.b, on.memory, 0).ok (),
          "receive");
}

// A message that is waited for among all of them; then there is none.
void poll_turn (pair_of_ends &on)
{
    must (socket::send (on.a, on.body (), 0).ok (), "send");
    must (on.set->wait (-1).value () == 1, "wait");
    must (socket::receive (on.b, on.memory, 0).ok (), "receive");
    must (on.set->wait (0).value () == 0, "wait");
}

constexpr char group[] = "group";

void send_to_group (pair_of_ends &on)
{
    base::message part;
    must (part.init_copy (on.body ()).ok () && part.set_group (group).ok ()
            && socket::send (on.a, part, 0).ok (),
          "send");
    part.close ();
}

// A look before every receive; there is always something.
void poll_ready (pair_of_ends &on) { must (on.set->wait (-1).value () == 1, "wait"); }

// One message, by all who hear it.
void receive_everywhere (pair_of_ends &on)
{
    receive_bytes (on);
    for (void *const each : on.more)
        must (socket::receive (each, on.memory, 0).ok (), "receive");
}

using step = void (pair_of_ends &);

// --- measuring ---------------------------------------------------------------

template <step *Step> void erased (void *on) { Step (*static_cast<pair_of_ends *> (on)); }

struct half
{
    void (*run) (void *);
    int messages;  // in one step
};

template <step *Step, int Messages = 1> constexpr half of () { return {&erased<Step>, Messages}; }

// Writes what the burst rule has left: a look that finds nothing.
void flush (pair_of_ends &on) { (void)socket::receive (on.a, on.memory, socket::io_dont_wait); }

void print (const std::string &name, int messages, const test::counted &seen)
{
    test::print_path (name, messages, seen);
}

test::counted run (const half &which, pair_of_ends &on, int messages)
{
    return test::measure (which.run, &on, messages / which.messages);
}

void run_unmeasured (const half &which, pair_of_ends &on, int messages)
{
    for (int i = 0; i < messages / which.messages; ++i)
        which.run (&on);
}

void add (test::counted &to, const test::counted &more)
{
    to.allocations += more.allocations;
    to.system_calls += more.system_calls;
}

// Streaming: so many messages in a row out, then so many in. One half is
// measured at a time; before that rounds for nothing, in which the tokens of the burst
// rule are used up.
void stream (
  const std::string &name, pair_of_ends &on, std::size_t size_bytes, int messages, half out, half in)
{
    on.size_bytes = size_bytes;
    on.sizes.fill (static_cast<std::uint32_t> (size_bytes));
    test::counted sent;
    test::counted received;
    for (int i = -rounds_before; i < rounds; ++i) {
        if (i < 0)
            run_unmeasured (out, on, messages);
        else
            add (sent, run (out, on, messages));
        flush (on);
        run_unmeasured (in, on, messages);
    }
    print (name + "_send", rounds * messages, sent);
    for (int i = 0; i < rounds; ++i) {
        run_unmeasured (out, on, messages);
        flush (on);
        add (received, run (in, on, messages));
    }
    print (name + "_receive", rounds * messages, received);
}

void turns (const std::string &name, pair_of_ends &on)
{
    constexpr int count = 500;
    on.size_bytes = 64;
    run_unmeasured (of<turn> (), on, count);
    print (name, 2 * count, run (of<turn> (), on, count));
}

void poll_turns (const std::string &name, pair_of_ends &on)
{
    constexpr int count = 500;
    on.size_bytes = 64;
    run_unmeasured (of<poll_turn> (), on, count);
    print (name, count, run (of<poll_turn> (), on, count));
}

void *opened (void *context, int type)
{
    const auto made = socket::open (context, type);
    must (made.ok (), "open");
    const int off = 0;
    must (socket::set_option (made.value (), option_spin, &off, sizeof off).ok (), "set_option");
    return made.value ();
}

void connect (pair_of_ends &to, void *context, const std::string &endpoint)
{
    to.a = opened (context, type_pair);
    to.b = opened (context, type_pair);
    must (socket::bind (to.b, endpoint).ok (), "bind");
    must (socket::connect (to.a, endpoint).ok (), "connect");
    for (void *const each : {to.a, to.b})
        must (socket::wait_peers (each, 1, -1).ok (), "wait_peers");
}

// A ROUTER is a of one and b of the other: a DEALER is at the other end.
void connect_router (pair_of_ends &from_dealer, pair_of_ends &to_dealer, void *context, std::string endpoint)
{
    void *const router = opened (context, type_router);
    void *const dealer = opened (context, type_dealer);
    must (socket::set_option (dealer, option_routing_id, dealer_name, sizeof dealer_name).ok (),
          "set_option");
    must (socket::bind (router, endpoint).ok () && socket::connect (dealer, endpoint).ok (), "connect");
    for (void *const each : {router, dealer})
        must (socket::wait_peers (each, 1, -1).ok (), "wait_peers");
    from_dealer.a = to_dealer.b = dealer;
    from_dealer.b = to_dealer.a = router;
}

// Each subscriber has so many topics, the last of which every body begins with
// (a body is all zeros): the publisher hears of all of them.
void connect_subscribers (
  pair_of_ends &to, void *context, const std::string &endpoint, int subscribers, int topics)
{
    to.a = opened (context, type_xpub);
    must (socket::bind (to.a, endpoint).ok (), "bind");
    for (int i = 0; i < subscribers; ++i) {
        void *const each = opened (context, type_sub);
        if (i == 0)
            to.b = each;
        else
            to.more.push_back (each);
        must (socket::connect (each, endpoint).ok (), "connect");
        for (int topic = topics - 1; topic >= 0; --topic) {
            const std::string text =
              topic == 0 ? std::string (8, '\0') : std::string (7, '\0') + "topic" + std::to_string (topic);
            must (socket::set_option (each, option_subscribe, text.data (), text.size ()).ok (),
                  "set_option");
        }
    }
    // What is not written at once is written by whoever
    // looks and finds nothing.
    for (int heard = 0; heard < topics;) {
        (void)socket::receive (to.b, to.memory, socket::io_dont_wait);
        heard += socket::receive (to.a, to.memory, socket::io_dont_wait).ok ();
    }
    must (socket::wait_peers (to.a, static_cast<unsigned> (subscribers), -1).ok (), "wait_peers");
    to.memory.fill (std::byte{0});
}

void connect_dish (pair_of_ends &to, void *context, const std::string &endpoint)
{
    to.a = opened (context, type_radio);
    to.b = opened (context, type_dish);
    must (socket::bind (to.a, endpoint).ok () && socket::join (to.b, group).ok ()
            && socket::connect (to.b, endpoint).ok (),
          "connect");
    while (!socket::receive (to.b, to.memory, socket::io_dont_wait).ok ()) {
        std::this_thread::yield ();
        send_to_group (to);
    }
    while (socket::receive (to.b, to.memory, socket::io_dont_wait).ok ())
        std::this_thread::yield ();
}

// Only the first to ask for a topic is heard of: a message to all of them
// shows that they have asked.
void meet (pair_of_ends &subscribed)
{
    subscribed.size_bytes = 64;
    for (void *const each : subscribed.more) {
        for (;;) {
            send_bytes (subscribed);
            flush (subscribed);
            if (socket::receive (each, subscribed.memory, socket::io_dont_wait).ok ())
                break;
            std::this_thread::yield ();
        }
    }
    for (bool more = true; more;) {
        more = socket::receive (subscribed.b, subscribed.memory, socket::io_dont_wait).ok ();
        for (void *const each : subscribed.more)
            more = socket::receive (each, subscribed.memory, socket::io_dont_wait).ok () || more;
    }
}

void run_patterns (pair_of_ends &from_dealer,
                   pair_of_ends &to_dealer,
                   pair_of_ends &one,
                   pair_of_ends &eight,
                   pair_of_ends &topics,
                   pair_of_ends &inner_four,
                   pair_of_ends &radio)
{
    constexpr int messages = 1000;
    constexpr int below_mark = 960;
    stream ("dealer_to_router_64", from_dealer, 64, messages, of<send_bytes> (), of<receive_with_name> ());
    stream ("router_to_dealer_64", to_dealer, 64, messages, of<send_to_name> (), of<receive_bytes> ());
    stream ("publish_to_1_64", one, 64, messages, of<send_bytes> (), of<receive_everywhere> ());
    stream ("publish_to_8_64", eight, 64, messages, of<send_bytes> (), of<receive_everywhere> ());
    stream ("publish_topics_1000_64", topics, 64, messages, of<send_bytes> (), of<receive_everywhere> ());
    stream ("publish_to_4_inproc_64", inner_four, 64, below_mark, of<send_bytes> (),
            of<receive_everywhere> ());
    stream ("group_64", radio, 64, messages, of<send_to_group> (), of<receive_bytes> ());
    stream ("group_64_message", radio, 64, messages, of<send_to_group> (), of<receive_message> ());
}

void run_all (pair_of_ends &wire, pair_of_ends &inner)
{
    // 1 KiB: what a local socket's default buffers hold.
    constexpr int small_ones = 2000;
    constexpr int large_ones = 120;
    stream ("stream_64", wire, 64, small_ones, of<send_bytes> (), of<receive_bytes> ());
    stream ("stream_64_message", wire, 64, small_ones, of<send_message> (), of<receive_message> ());
    stream ("stream_64_packed", wire, 64, small_ones - small_ones % 32, of<send_packed, 32> (),
            of<receive_packed, 32> ());
    stream ("stream_1024", wire, 1024, large_ones, of<send_bytes> (), of<receive_bytes> ());
    turns ("stream_64_turn", wire);

    constexpr int below_mark = 960;
    stream ("inproc_64", inner, 64, below_mark, of<send_bytes> (), of<receive_bytes> ());
    stream ("inproc_64_message", inner, 64, below_mark, of<send_message> (), of<receive_message> ());
    stream ("inproc_64_packed", inner, 64, below_mark, of<send_packed, 32> (), of<receive_packed, 32> ());
    stream ("inproc_1024", inner, 1024, below_mark, of<send_bytes> (), of<receive_bytes> ());
    turns ("inproc_64_turn", inner);
}

// Among so many sockets that have nothing.
void run_polls (base::world &world, pair_of_ends &wire, pair_of_ends &inner, std::span<void *const> idle)
{
    const socket::poll_item one{inner.b, base::no_handle, socket::event_in, 0};
    socket::poll_set small (world);
    must (small.assign ({&one, 1}).ok (), "assign");
    inner.set = &small;
    must (socket::send (inner.a, inner.body (), 0).ok (), "send");
    run_unmeasured (of<poll_ready> (), inner, 10);
    print ("poll_of_1_ready", 1000, run (of<poll_ready> (), inner, 1000));
    must (socket::receive (inner.b, inner.memory, 0).ok (), "receive");

    std::vector<socket::poll_item> items;
    for (void *const each : idle)
        items.push_back ({each, base::no_handle, socket::event_in, 0});
    for (void *const each : {wire.b, inner.b})
        items.push_back ({each, base::no_handle, socket::event_in, 0});
    socket::poll_set set (world);
    must (set.assign (items).ok (), "assign");
    wire.set = inner.set = &set;
    poll_turns ("poll_of_2000_64_turn", wire);
    poll_turns ("poll_of_2000_inproc_64_turn", inner);
}

}  // namespace

int main ()
{
    test::still_world still;
    const auto context_opened = socket::context_open (still.world (), socket::header::zlink, nullptr);
    must (context_opened.ok (), "context_open");
    void *const context = context_opened.value ();
    constexpr int sockets_max = 4000;
    must (socket::context_set (context, option_max_sockets, sockets_max).ok (), "context_set");
    pair_of_ends wire, inner, from_dealer, to_dealer, one, eight, topics, inner_four, radio;
    const std::string base = "ipc://@zlink-budgets-" + std::to_string (::getpid ());
    connect (wire, context, base);
    connect (inner, context, "inproc://budgets");
    connect_router (from_dealer, to_dealer, context, base + "-router");
    connect_subscribers (one, context, base + "-1", 1, 1);
    connect_subscribers (eight, context, base + "-8", 8, 1);
    connect_subscribers (topics, context, base + "-topics", 1, 1000);
    connect_subscribers (inner_four, context, "inproc://budgets-4", 4, 1);
    connect_dish (radio, context, base + "-radio");
    meet (eight);
    meet (inner_four);
    test::turn_lanes_over (context);
    std::vector<void *> idle (2000);
    for (void *&each : idle)
        each = opened (context, type_pair);
    still.stop ();
    run_all (wire, inner);
    run_patterns (from_dealer, to_dealer, one, eight, topics, inner_four, radio);
    run_polls (still.world (), wire, inner, idle);
    still.reactor.open ();
    std::vector<void *> all = {wire.a, wire.b, inner.a, inner.b, from_dealer.a, from_dealer.b};
    for (const pair_of_ends *const each : {&one, &eight, &topics, &inner_four, &radio}) {
        all.insert (all.end (), {each->a, each->b});
        all.insert (all.end (), each->more.begin (), each->more.end ());
    }
    all.insert (all.end (), idle.begin (), idle.end ());
    for (void *const each : all)
        must (socket::close (each).ok (), "close");
    must (socket::context_terminate (context).ok (), "context_terminate");
    return 0;
}
