#include "sim/scenario.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "engine/limits.hpp"
#include "sim/callers.hpp"
#include "sim/doors.hpp"
#include "sim/engine_watch.hpp"
#include "sim/ledger.hpp"
#include "sim/onlooker.hpp"
#include "sim/socket_locks.hpp"
#include "sim/world.hpp"
#include "socket/facade.hpp"

namespace zlink::sim {

namespace {

// zmq.h's numbers of options.
enum option : int
{
    option_routing_id = 5,
    option_subscribe = 6,
    option_linger = 17,
    option_reconnect_ms = 18,
    option_send_hwm = 23,
    option_receive_hwm = 24,
    option_receive_timeout = 27,
    option_send_timeout = 28,
    option_router_mandatory = 33,
    option_immediate = 39,
    option_req_correlate = 52,
    option_req_relaxed = 53,
    option_connect_routing_id = 61,
    option_xpub_verbose = 40,
    option_no_drop = 69,
    option_xpub_manual = 71,
    option_stream_notify = 73,
    option_heartbeat_ms = 75,
    option_heartbeat_timeout_ms = 77,
    option_in_batch = 101,
    option_out_batch = 102,
    option_topics_count = 116,
    option_stream_raw = 3004,
    option_slow_consumer = 3010,
    option_report_gaps = 3011,
};
constexpr int option_io_threads = 1;  // of contexts

constexpr int type_pair = 0;
constexpr int type_pub = 1;
constexpr int type_sub = 2;
constexpr int type_req = 3;
constexpr int type_rep = 4;
constexpr int type_dealer = 5;
constexpr int type_router = 6;
constexpr int type_pull = 7;
constexpr int type_push = 8;
constexpr int type_xpub = 9;
constexpr int type_xsub = 10;
constexpr int type_stream = 11;
constexpr int type_server = 12;
constexpr int type_client = 13;
constexpr int type_gather = 16;
constexpr int type_scatter = 17;
constexpr int type_peer = 19;
constexpr int type_channel = 20;

// Values of SLOW_CONSUMER.
constexpr int slow_oldest = 1;
constexpr int slow_conflate = 2;
constexpr int slow_block = 3;
constexpr int slow_disconnect = 4;

bool publishes (const socket_seat &of) noexcept { return of.type == type_pub || of.type == type_xpub; }
bool subscribes (const socket_seat &of) noexcept { return of.type == type_sub || of.type == type_xsub; }
bool takes_one_part (const socket_seat &of) noexcept { return of.type >= type_server; }

// Of its own accord: a REP answers as it receives, and a REQ receives as it asks.
bool sends (const socket_seat &of) noexcept
{
    if (of.type == type_stream)
        return !of.any_label;
    return of.type != type_pull && of.type != type_gather && !subscribes (of) && of.type != type_rep;
}
bool receives (const socket_seat &of) noexcept
{
    if (of.type == type_stream)
        return of.any_label;
    return of.type != type_push && of.type != type_scatter && of.type != type_pub && of.type != type_req;
}

// What the callers and the weather do in a scenario, at least.
constexpr std::uint64_t steps_min = 300;
constexpr time_ns patience_ns = 100 * base::ns_per_s;
// A calm network brings a message within this, whoever sleeps.
constexpr time_ns calm_latency_max_ns = 2 * base::ns_per_s;
// Where there are cuts: who hears nothing for so long takes a peer for gone.
constexpr int cut_noticed_ms_max = 200;

// A sender's stream.
struct stream_plan
{
    std::uint16_t number = 0;
    const socket_seat *from = nullptr;
    std::string label;  // of a ROUTER: to whom
};

struct link_plan
{
    std::size_t binder = 0;  // seats
    std::size_t dialer = 0;
    std::string endpoint;
};

class scenario
{
  public:
    scenario (simulation &sim, const scenario_choice &choice, mood as)
      : sim_ (sim), choice_ (choice), mood_ (as), watch_ (sim)
    {
    }

    // In a fibre.
    void play ();
    [[nodiscard]] std::uint64_t received () const noexcept { return received_; }

  private:
    [[nodiscard]] world_choice choose_world ();
    void plan_sockets ();
    void plan_pair (std::size_t group);
    void plan_pipeline (std::size_t group);
    void plan_dealers (std::size_t group);
    void plan_router (std::size_t group);
    void plan_publisher (std::size_t group);
    void plan_slow_subscribers (std::size_t group);
    std::size_t plan_publishing_seat (const std::string &name);
    std::size_t plan_subscribing_seat (const std::string &name, std::size_t publisher);
    void plan_requests (std::size_t group);
    void plan_streams (std::size_t group);
    void plan_numbered (std::size_t group);
    void plan_group (std::size_t group);
    void plan_link (std::size_t a, std::size_t b);
    void plan_doors ();
    void start_door_fibres ();
    std::size_t plan_seat (const std::string &name, int type);

    void open_sockets ();
    void set (void *socket, int number, int value);
    void set_options (void *socket);
    void set_low_marks (void *socket);
    void set_text (void *socket, int number, std::string_view value);
    void set_pattern (const socket_seat &of);
    void set_publisher (const socket_seat &of);
    void set_topics (const socket_seat &of);
    [[nodiscard]] base::result<void> dial (socket_seat &from, const std::string &endpoint);
    void make_links ();
    void measure_inproc ();
    void start_callers ();
    void start_sender (std::size_t seat, bool several);
    void start_sender_fibre (std::size_t seat, const std::string &name, const std::string &label);
    void start_receiver (std::size_t seat);
    void run_sender (std::size_t seat, std::uint16_t stream, const std::string &label);
    template <class Send> bool send_through_weather (Send send);
    void run_requester (std::size_t seat, std::uint16_t stream);
    void change_slow_rule (socket_seat &at);
    void start_chooser (std::size_t seat);
    void choose (socket_seat &at, std::uint16_t stream);
    void await_subscribers (const socket_seat &at);
    [[nodiscard]] bool await_number (const socket_seat &at, std::size_t place);
    void send_again (socket_seat &at, const std::string &label, std::vector<std::size_t> &fibres);
    void start_onlooker ();
    void start_storm ();
    void blow ();
    void cut_off ();
    void see_cut (const link_plan &which);
    [[nodiscard]] std::uint32_t whom_to_let_go (const socket_seat &from) const;
    void let_go (socket_seat &from, std::uint32_t number);
    void shake_links ();
    void hurt_before_the_end ();
    void close_rudely (std::size_t seat);
    void note_injury (const std::string &endpoint);
    void note_broken (const socket_seat &at, const socket_seat &peer);
    [[nodiscard]] bool crosses_the_network (const socket_seat &from) const;
    void check_whole_streams ();

    bool wait_until (const char *what, const std::function<bool ()> &done, bool must);
    void let_it_settle ();
    [[nodiscard]] time_ns calm_latency_max_now () const;
    void settle_losses ();
    void await_last (const socket_seat &publisher);
    void check_losses (const socket_seat &publisher);
    void check_gaps (const socket_seat &publisher);
    void check_topics ();
    void check_topics (const socket_seat &publisher);
    [[nodiscard]] engine::tally counted (const socket_seat &at);
    [[nodiscard]] std::uint64_t accepted_from (const socket_seat &publisher) const;
    [[nodiscard]] std::uint64_t received_from (const socket_seat &publisher, unsigned copy) const;
    void end ();
    void check_nothing_is_left ();
    [[nodiscard]] std::string describe ();

    simulation &sim_;
    const scenario_choice choice_;
    const mood mood_;
    engine_watch watch_;
    std::unique_ptr<virtual_world> world_;
    std::unique_ptr<ledger> book_;
    std::unique_ptr<stage> stage_;
    void *context_ = nullptr;
    bool context_gone_ = false;
    std::vector<std::unique_ptr<socket_seat>> seats_;
    std::vector<link_plan> links_;
    std::unique_ptr<doors> doors_;  // null: there are no mechanisms
    std::vector<std::size_t> callers_;
    std::vector<std::size_t> sending_;
    std::vector<stream_plan> streams_;
    std::map<const socket_seat *, std::vector<std::uint16_t>> streams_of_;
    std::map<const socket_seat *, std::vector<const socket_seat *>> subscribers_of_;
    std::map<const socket_seat *, const socket_seat *> publisher_of_;
    std::size_t receivers_ = 0;
    bool narrow_ = false;  // a network that brings little at a time
    bool slow_ = false;    // and takes long for what it has
    bool cuts_ = false;    // partitions come and go
    bool cut_ = false;     // there was one
    bool linked_ = false;  // every bind and connect is made
    bool over_ = false;    // receivers go home
    bool sky_is_clear_ = false;
    std::uint64_t received_ = 0;
};

// --- plans ---------------------------------------------------------------------------

world_choice scenario::choose_world ()
{
    world_choice choice;
    choice.nests = choice_.nests;
    choice.cores = sim_.chance (300) ? 1 : 2;
    weather &sky = choice.sky;
    if (sim_.chance (300))
        sky.piece_bytes_max = 1 + sim_.roll_below (40);
    if (sim_.chance (500)) {
        sky.buffer_bytes_min = 16 + sim_.roll_below (600);
        sky.buffer_bytes_max = sky.buffer_bytes_min + sim_.roll_below (8000);
    }
    slow_ = sky.piece_bytes_max < 4096;
    narrow_ = sky.piece_bytes_max < 4096 || sky.buffer_bytes_min < 4096;
    if (!narrow_ && sim_.chance (400))
        sky.delay_max_ns = 5 * base::ns_per_ms;
    sky.short_write_per_mille = sim_.chance (500) ? 0 : 200;
    if (sim_.chance (500)) {
        sky.refuse_per_mille = 200;
        sky.full_per_mille = 100;
        sky.lookup_failure_per_mille = 200;
    }
    if (mood_ != mood::calm && sim_.chance (500))
        sky.silent_per_mille = 100;
    cuts_ = choice_.mixed && mood_ != mood::calm && !slow_ && sim_.chance (500);
    return choice;
}

std::size_t scenario::plan_seat (const std::string &name, int type)
{
    seats_.push_back (std::make_unique<socket_seat> ());
    seats_.back ()->name = name;
    seats_.back ()->type = type;
    return seats_.size () - 1;
}

// The two of them, over a transport of their own choice.
void scenario::plan_link (std::size_t a, std::size_t b)
{
    if (sim_.chance (500))
        std::swap (a, b);
    std::string endpoint = sim_.chance (300) ? "inproc://" : "sim://";
    if (endpoint == "sim://" && sim_.chance (300))
        endpoint += "host.";
    // One listener may serve several dialers.
    endpoint += seats_[a]->name;
    links_.push_back ({a, b, endpoint});
}

void scenario::plan_pair (std::size_t group)
{
    const std::string name = "pair" + std::to_string (group);
    const int type = choice_.mixed && sim_.chance (400) ? type_channel : type_pair;
    const std::size_t a = plan_seat (name + "a", type);
    const std::size_t b = plan_seat (name + "b", type);
    plan_link (a, b);
}

void scenario::plan_pipeline (std::size_t group)
{
    const std::string name = std::to_string (group);
    std::vector<std::size_t> push;
    std::vector<std::size_t> pull;
    const std::size_t pushes = 1 + sim_.roll_below (3);
    const std::size_t pulls = 1 + sim_.roll_below (2);
    const bool one_part = choice_.mixed && sim_.chance (400);
    for (std::size_t i = 0; i < pushes; ++i)
        push.push_back (
          plan_seat ("push" + name + static_cast<char> ('a' + i), one_part ? type_scatter : type_push));
    for (std::size_t i = 0; i < pulls; ++i)
        pull.push_back (
          plan_seat ("pull" + name + static_cast<char> ('a' + i), one_part ? type_gather : type_pull));
    for (std::size_t i = 0; i < pushes; ++i)
        for (std::size_t j = 0; j < pulls; ++j)
            if (i % pulls == j || j % pushes == i || sim_.chance (500))
                plan_link (push[i], pull[j]);
}

// Some dealers, each of which has one or two others.
void scenario::plan_dealers (std::size_t group)
{
    const std::size_t count = 2 + sim_.roll_below (2);
    const std::size_t first = seats_.size ();
    for (std::size_t i = 0; i < count; ++i)
        plan_seat ("dealer" + std::to_string (group) + static_cast<char> ('a' + i), type_dealer);
    for (std::size_t i = 1; i < count; ++i)
        plan_link (first, first + i);
}

// A router with some dealers, which it knows by their seats' names.
void scenario::plan_router (std::size_t group)
{
    const std::string name = std::to_string (group);
    const std::size_t router = plan_seat ("router" + name, type_router);
    const std::size_t dealers = 1 + sim_.roll_below (3);
    seats_[router]->labels = true;
    for (std::size_t i = 0; i < dealers; ++i) {
        const std::size_t dealer = plan_seat ("client" + name + static_cast<char> ('a' + i), type_dealer);
        seats_[router]->labelled.push_back (seats_[dealer]->name);
        plan_link (router, dealer);
    }
}

std::size_t scenario::plan_publishing_seat (const std::string &name)
{
    const std::size_t made = plan_seat (name, sim_.chance (500) ? type_xpub : type_pub);
    socket_seat &at = *seats_[made];
    at.hears_topics = at.type == type_xpub;
    at.by_hand = at.hears_topics && sim_.chance (300);
    at.told_anew = at.hears_topics && !at.by_hand && sim_.chance (400);
    return made;
}

std::size_t scenario::plan_subscribing_seat (const std::string &name, std::size_t publisher)
{
    const std::size_t made = plan_seat (name, sim_.chance (400) ? type_xsub : type_sub);
    publisher_of_[seats_[made].get ()] = seats_[publisher].get ();
    return made;
}

// A publisher that waits for all of its subscribers.
void scenario::plan_publisher (std::size_t group)
{
    const std::string name = std::to_string (group);
    const std::size_t publisher = plan_publishing_seat ("pub" + name);
    const auto subscribers = static_cast<unsigned> (1 + sim_.roll_below (3));
    seats_[publisher]->copies = subscribers;
    for (unsigned i = 0; i < subscribers; ++i) {
        const std::size_t subscriber =
          plan_subscribing_seat ("sub" + name + static_cast<char> ('a' + i), publisher);
        seats_[subscriber]->copy = i;
        plan_link (publisher, subscriber);
    }
}

// A publisher that waits for nobody, or as its rule says, which may change. Its
// senders have a topic each, in a part of its own.
void scenario::plan_slow_subscribers (std::size_t group)
{
    const std::string name = std::to_string (group);
    const std::size_t publisher = plan_publishing_seat ("news" + name);
    socket_seat &at = *seats_[publisher];
    at.labels = true;
    at.copies = static_cast<unsigned> (1 + sim_.roll_below (3));
    at.slow = static_cast<int> (sim_.roll_below (slow_disconnect + 1));
    // Who was disconnected may not be waited for by another sender.
    const std::size_t topics = at.slow == slow_disconnect ? 1 : 1 + sim_.roll_below (3);
    for (std::size_t i = 0; i < topics; ++i)
        at.labelled.push_back ("topic " + std::to_string (i));
    for (unsigned i = 0; i < at.copies; ++i) {
        const std::size_t subscriber =
          plan_subscribing_seat ("reader" + name + static_cast<char> ('a' + i), publisher);
        socket_seat &to = *seats_[subscriber];
        to.labels = true;
        to.labelled = seats_[publisher]->labelled;
        to.copy = i;
        to.wants_gaps = to.type == type_sub && sim_.chance (700);
        to.late = sim_.chance (700);
        subscribers_of_[seats_[publisher].get ()].push_back (&to);
        plan_link (publisher, subscriber);
    }
}

// Some who ask, and one or two who answer.
void scenario::plan_requests (std::size_t group)
{
    const std::string name = std::to_string (group);
    const std::size_t answering = 1 + sim_.roll_below (2);
    const std::size_t asking = 1 + sim_.roll_below (3);
    const std::size_t first = seats_.size ();
    for (std::size_t i = 0; i < answering; ++i)
        seats_[plan_seat ("rep" + name + static_cast<char> ('a' + i), type_rep)]->answers = true;
    for (std::size_t i = 0; i < asking; ++i) {
        const std::size_t asks = plan_seat ("req" + name + static_cast<char> ('a' + i), type_req);
        for (std::size_t j = 0; j < answering; ++j)
            if (i % answering == j || sim_.chance (500))
                plan_link (first + j, asks);
    }
}

// Some who speak to one that knows them by numbers, and speaks to each of whom it
// has heard.
void scenario::plan_numbered (std::size_t group)
{
    const std::string name = std::to_string (group);
    const bool alike = sim_.chance (400);
    const std::size_t server = plan_seat ("host" + name, alike ? type_peer : type_server);
    const std::size_t clients = 1 + sim_.roll_below (3);
    seats_[server]->by_number = clients;
    for (std::size_t i = 0; i < clients; ++i) {
        const std::size_t client =
          plan_seat ("guest" + name + static_cast<char> ('a' + i), alike ? type_peer : type_client);
        seats_[client]->by_number = alike;
        plan_link (server, client);
    }
}

// Some who send packets to one that does not know them.
void scenario::plan_streams (std::size_t group)
{
    const std::string name = std::to_string (group);
    const std::size_t server = plan_seat ("server" + name, type_stream);
    seats_[server]->labels = seats_[server]->any_label = true;
    const std::size_t clients = 1 + sim_.roll_below (2);
    for (std::size_t i = 0; i < clients; ++i) {
        const std::size_t client = plan_seat ("stream" + name + static_cast<char> ('a' + i), type_stream);
        seats_[client]->labels = true;
        seats_[client]->labelled.push_back (seats_[server]->name);
        links_.push_back ({server, client, "sim://" + seats_[server]->name});
    }
}

void scenario::plan_group (std::size_t group)
{
    const std::uint64_t dice = choice_.mixed ? sim_.roll_below (100) : 0;
    if (dice < 15)
        sim_.chance (400) ? plan_pair (group) : plan_pipeline (group);
    else if (dice < 27)
        plan_dealers (group);
    else if (dice < 38)
        plan_router (group);
    else if (dice < 47)
        plan_numbered (group);
    else if (dice < 58)
        plan_publisher (group);
    else if (dice < 74)
        plan_requests (group);
    else if (dice < 90)
        plan_slow_subscribers (group);
    else
        plan_streams (group);
}

void scenario::plan_sockets ()
{
    for (std::size_t group = 0; seats_.size () < 3 || (group < 3 && sim_.chance (400)); ++group)
        plan_group (group);
    for (const auto &each : seats_) {
        // Whoever sends to several peers by name has several senders.
        each->alone_sending = sim_.chance (600) && each->labelled.size () < 2;
        each->alone_receiving = sim_.chance (600);
        // Whoever takes turns has one thread.
        if (each->type == type_req || each->type == type_rep)
            each->alone_sending = each->alone_receiving = true;
        // Who is told of topics is told in turn.
        if (each->hears_topics)
            each->alone_receiving = true;
    }
    plan_doors ();
}

void scenario::plan_doors ()
{
    if (!choice_.secured)
        return;
    std::vector<doors::link> links;
    for (const link_plan &each : links_)
        links.push_back ({each.binder, each.dialer, each.endpoint});
    doors_ = std::make_unique<doors> (*stage_, seats_);
    doors_->plan (links);
}

void scenario::start_door_fibres ()
{
    if (doors_ == nullptr)
        return;
    if (doors_->has_handler ())
        callers_.push_back (
          sim_.spawn ("says who comes in", [this] { doors_->answer_questions (context_, over_); }));
    for (std::size_t i = 0; i < doors_->strangers (); ++i)
        callers_.push_back (
          sim_.spawn ("stranger " + std::to_string (i), [this, i] { doors_->knock (context_, i, over_); }));
}

// --- the set-up ----------------------------------------------------------------------

void scenario::set (void *socket, int number, int value)
{
    if (!sim_.called ("set_option", socket::set_option (socket, number, &value, sizeof value)).ok ())
        sim_.fail ("option " + std::to_string (number) + " is refused");
}

void scenario::set_text (void *socket, int number, std::string_view value)
{
    if (!sim_.called ("set_option", socket::set_option (socket, number, value.data (), value.size ())).ok ())
        sim_.fail ("option " + std::to_string (number) + " is refused");
}

// A subscriber asks for everything and for a topic of its own, by which its
// publisher counts it.
void scenario::set_pattern (const socket_seat &of)
{
    if (of.type == type_router)
        set (of.handle, option_router_mandatory, 1);
    if (of.type == type_dealer)
        set_text (of.handle, option_routing_id, of.name);
    if (of.type == type_peer)
        set (of.handle, option_immediate, 0);  // whose number is told is somebody to send to
    if (publishes (of))
        set_publisher (of);
    if (subscribes (of))
        set_topics (of);
    if (of.type == type_req) {
        set (of.handle, option_req_relaxed, 1);
        set (of.handle, option_req_correlate, 1);
    }
    if (of.type == type_stream) {
        set (of.handle, option_stream_raw, 0);
        set (of.handle, option_stream_notify, 0);
    }
}

void scenario::set_publisher (const socket_seat &of)
{
    if (of.slow < 0)
        set (of.handle, option_no_drop, 1);
    else
        set (of.handle, option_slow_consumer, of.slow);
    if (of.hears_topics) {
        set (of.handle, option_xpub_verbose, of.told_anew);
        set (of.handle, option_xpub_manual, of.by_hand);
    }
}

void scenario::set_topics (const socket_seat &of)
{
    for (const std::string_view topic : {std::string_view (of.name), std::string_view ()}) {
        if (of.type == type_sub) {
            set_text (of.handle, option_subscribe, topic);
            continue;
        }
        const std::string text = "\1" + std::string (topic);
        if (!sim_.called ("send (bytes)", socket::send (of.handle, base::as_bytes (text), 0)).ok ())
            sim_.fail ("a topic is refused");
    }
    if (of.type == type_sub)
        set (of.handle, option_report_gaps, of.wants_gaps);
}

// A STREAM has a name for whom it dials, and a PEER is told a number.
base::result<void> scenario::dial (socket_seat &from, const std::string &endpoint)
{
    if (from.type == type_peer) {
        const auto number = sim_.called ("connect_peer", socket::connect_peer (from.handle, endpoint));
        if (!number.ok ())
            return number.failure ();
        from.numbers.push_back (number.value ());
        from.dialled_by_number[number.value ()] = endpoint;
        return {};
    }
    if (from.type == type_stream)
        set_text (from.handle, option_connect_routing_id, from.labelled.front ());
    return sim_.called ("connect", socket::connect (from.handle, endpoint));
}

void scenario::set_options (void *socket)
{
    static constexpr int marks[] = {1, 2, 3, 10, 100, 1000, 0};
    set (socket, option_send_hwm, marks[sim_.roll_below (std::size (marks))]);
    set (socket, option_receive_hwm, marks[sim_.roll_below (std::size (marks))]);
    set (socket, option_reconnect_ms, 1 + static_cast<int> (sim_.roll_below (sim_.chance (500) ? 100 : 5)));
    set (socket, option_linger,
         mood_ == mood::calm ? -1 : static_cast<int> (sim_.roll_below (sim_.chance (600) ? 1 : 500)));
    if (sim_.chance (300))
        set (socket, option_send_timeout, static_cast<int> (sim_.roll_below (60)));
    if (sim_.chance (300))
        set (socket, option_receive_timeout, static_cast<int> (sim_.roll_below (60)));
    // A peer that hears nothing is patient; what matters is that there is input
    // nobody asked for. Where a kernel takes more than a second to hand over
    // what it has, a closing socket waits for it no longer.
    if (mood_ == mood::calm && !slow_ && sim_.chance (400)) {
        set (socket, option_heartbeat_ms, 2 + static_cast<int> (sim_.roll_below (30)));
        set (socket, option_heartbeat_timeout_ms, 60'000);
    }
    if (cuts_) {
        set (socket, option_heartbeat_ms, 30 + static_cast<int> (sim_.roll_below (50)));
        set (socket, option_heartbeat_timeout_ms,
             cut_noticed_ms_max / 2 + static_cast<int> (sim_.roll_below (cut_noticed_ms_max / 2)));
    }
    if (sim_.chance (250))
        set (socket, option_immediate, 1);
    if (sim_.chance (300)) {
        set (socket, option_in_batch, 8193 + static_cast<int> (sim_.roll_below (30'000)));
        set (socket, option_out_batch, 8193 + static_cast<int> (sim_.roll_below (30'000)));
    }
}

// So that some are full.
void scenario::set_low_marks (void *socket)
{
    for (const int each : {option_send_hwm, option_receive_hwm})
        set (socket, each, 1 + static_cast<int> (sim_.roll_below (4)));
}

void scenario::open_sockets ()
{
    for (std::size_t i = 0; i < seats_.size (); ++i) {
        const auto &each = seats_[i];
        const auto made = sim_.called ("open", socket::open (context_, each->type));
        if (!made.ok ())
            sim_.fail ("a socket cannot be opened");
        each->handle = made.value ();
        sim_.guard (*lock_word_of (each->handle));
        watch_.add (each->handle);
        set_options (each->handle);
        if (each->slow >= 0 || each->late)
            set_low_marks (each->handle);
        // What waits for a subscriber that was disconnected is waited for by nobody
        // here: it would be dialled for ever.
        if (each->slow == slow_disconnect)
            set (each->handle, option_linger, 0);
        set_pattern (*each);
        if (doors_ != nullptr)
            doors_->furnish (i);
    }
}

void scenario::make_links ()
{
    struct step
    {
        const link_plan *link;
        bool bind;
    };
    std::vector<step> steps;
    std::vector<std::string> bound;
    for (const link_plan &each : links_) {
        steps.push_back ({&each, false});
        if (std::find (bound.begin (), bound.end (), each.endpoint) == bound.end ())
            steps.push_back ({&each, true});
        bound.push_back (each.endpoint);
    }
    for (std::size_t i = steps.size (); i > 1; --i)
        std::swap (steps[i - 1], steps[sim_.roll_below (i)]);
    for (const step &each : steps) {
        socket_seat &at = *seats_[each.bind ? each.link->binder : each.link->dialer];
        const auto done = each.bind ? sim_.called ("bind", socket::bind (at.handle, each.link->endpoint))
                                    : dial (at, each.link->endpoint);
        if (!done.ok () && !stage_->may_be_refused)
            sim_.fail (std::string (each.bind ? "bind " : "connect ") + each.link->endpoint + " answers "
                       + std::to_string (static_cast<int> (done.failure ().code)));
        if (sim_.chance (200))
            sim_.pass_time (sim_.roll_time (5 * base::ns_per_ms));
    }
}

// An inproc link takes exactly what both marks say.
void scenario::measure_inproc ()
{
    const int send_hwm = 1 + static_cast<int> (sim_.roll_below (5));
    const int receive_hwm = 1 + static_cast<int> (sim_.roll_below (5));
    const auto open = [this] (int type, int hwm_option, int hwm) {
        const auto made = sim_.called ("open", socket::open (context_, type));
        if (!made.ok ())
            sim_.fail ("a socket cannot be opened");
        set (made.value (), hwm_option, hwm);
        set (made.value (), option_linger, 0);
        return made.value ();
    };
    void *const push = open (type_push, option_send_hwm, send_hwm);
    void *const pull = open (type_pull, option_receive_hwm, receive_hwm);
    const bool bound_first = sim_.chance (500);
    if (bound_first)
        (void)sim_.called ("bind", socket::bind (pull, "inproc://measured"));
    (void)sim_.called ("connect", socket::connect (push, "inproc://measured"));
    if (!bound_first)
        (void)sim_.called ("bind", socket::bind (pull, "inproc://measured"));
    const base::bytes_view body = base::as_bytes ("x");
    int taken = 0;
    while (taken < 100 && sim_.called ("send (bytes)", socket::send (push, body, socket::io_dont_wait)).ok ())
        ++taken;
    if (taken != send_hwm + receive_hwm)
        sim_.fail ("an inproc link of " + std::to_string (send_hwm) + " and " + std::to_string (receive_hwm)
                   + " took " + std::to_string (taken));
    for (void *each : {push, pull})
        (void)sim_.called ("close", socket::close (each));
}

// --- callers -------------------------------------------------------------------------

// Until all of its subscribers are known to a publisher, or it is closed.
void scenario::await_subscribers (const socket_seat &at)
{
    for (int topics = 0; publishes (at) && topics <= static_cast<int> (at.copies) && !over_;) {
        std::size_t size = sizeof topics;
        if (!sim_.called ("get_option", socket::get_option (at.handle, option_topics_count, &topics, &size))
               .ok ())
            return;
        if (topics <= static_cast<int> (at.copies))
            sim_.pass_time (base::ns_per_ms);
    }
}

// In a storm until the sky clears. False when the socket has ended.
template <class Send> bool scenario::send_through_weather (Send send)
{
    while (mood_ == mood::storm && !sky_is_clear_) {
        sim_.pass_time (sim_.roll_time (50 * base::ns_per_ms));
        if (!send (1 + static_cast<std::uint32_t> (sim_.roll_below (4))))
            return false;
    }
    return true;
}

// Where answers may get lost, nobody waits for one for ever.
void scenario::run_requester (std::size_t seat, std::uint16_t stream)
{
    requester early (*stage_, *seats_[seat], stream);
    early.impatient = mood_ == mood::storm || sim_.chance (400);
    if (early.ask (static_cast<std::uint32_t> (5 + sim_.roll_below (30))))
        (void)send_through_weather ([&early] (std::uint32_t some) { return early.ask (some); });
}

// Now and then a publisher has another rule for those who are slow, of those by
// which it loses something and nobody waits.
void scenario::change_slow_rule (socket_seat &at)
{
    while (!over_ && at.handle != nullptr) {
        sim_.pass_time (sim_.roll_time (20 * base::ns_per_ms));
        const int rule = static_cast<int> (sim_.roll_below (slow_block));
        const auto done = sim_.called (
          "set_option", socket::set_option (at.handle, option_slow_consumer, &rule, sizeof rule));
        if (!done.ok ())
            return;
        sim_.seen.saw ("slow rule changed");
        const bool all_sent = std::all_of (sending_.begin (), sending_.end (),
                                           [this] (std::size_t each) { return sim_.finished (each); });
        if (all_sent)
            return;
    }
}

// Until so many and one have been heard of. False: not in time, in a storm.
bool scenario::await_number (const socket_seat &at, std::size_t place)
{
    const time_ns latest = mood_ == mood::calm ? base::never_ns : sim_.now () + base::ns_per_s;
    while (at.numbers.size () <= place && at.handle != nullptr && !over_ && sim_.now () < latest)
        sim_.pass_time (base::ns_per_ms);
    return at.numbers.size () > place;
}

void scenario::run_sender (std::size_t seat, std::uint16_t stream, const std::string &label)
{
    socket_seat &at = *seats_[seat];
    if (mood_ == mood::calm)
        await_subscribers (at);
    const auto count = static_cast<std::uint32_t> (5 + sim_.roll_below (at.slow >= 0 ? 400 : 60));
    sender early (*stage_, at, stream);
    early.label = label;
    if (at.by_number > 0 && !await_number (at, std::stoul (label)))
        return;
    early.gives_up = mood_ == mood::storm;
    if (sim_.chance (200))
        early.pause_max_ns = 6 * base::ns_per_s;
    if (!early.send (count)
        || !send_through_weather ([&early] (std::uint32_t some) { return early.send (some); }))
        return;
    if (mood_ == mood::calm && linked_ && at.type == type_push && at.alone_sending && sim_.chance (400))
        if (!sim_.called ("close", socket::close (std::exchange (at.handle, nullptr))).ok ())
            sim_.fail ("a close fails");
}

void scenario::start_sender_fibre (std::size_t seat, const std::string &name, const std::string &label)
{
    const socket_seat &at = *seats_[seat];
    ledger::terms how;
    how.sizes = static_cast<size_class> (sim_.roll_below (narrow_ ? 2 : 3));
    how.multipart = sim_.chance (500) && at.type != type_stream && !takes_one_part (at);
    how.ordered = at.slow != slow_disconnect;
    how.copies = at.copies;
    how.may_lose = at.slow >= 0;
    how.heard_late = publishes (at);  // in a storm it waits for nobody at first
    const std::uint16_t stream = book_->open_stream (name, how);
    if (cuts_)
        book_->broke (stream);  // a stall may be taken for the peer's end
    streams_of_[&at].push_back (stream);
    streams_.push_back ({stream, &at, label});
    const std::size_t fibre = sim_.spawn (name, [this, seat, stream, label] {
        if (seats_[seat]->type == type_req)
            run_requester (seat, stream);
        else
            run_sender (seat, stream, label);
    });
    callers_.push_back (fibre);
    sending_.push_back (fibre);
}

void scenario::start_sender (std::size_t seat, bool several)
{
    const socket_seat &at = *seats_[seat];
    for (const std::string &each : at.labelled)
        start_sender_fibre (seat, at.name + " sender to " + each, each);
    for (std::size_t i = 0; i < at.by_number; ++i)
        start_sender_fibre (seat, at.name + " sender to number " + std::to_string (i), std::to_string (i));
    const std::size_t fibres = at.labels || at.by_number > 0 ? 0 : several ? 1 + sim_.roll_below (3) : 1;
    for (std::size_t i = 0; i < fibres; ++i)
        start_sender_fibre (seat, at.name + " sender " + std::to_string (i), {});
}

void scenario::start_receiver (std::size_t seat)
{
    socket_seat &at = *seats_[seat];
    const std::size_t fibres = at.alone_receiving ? 1 : 1 + sim_.roll_below (3);
    for (std::size_t i = 0; i < fibres; ++i) {
        const std::size_t number = receivers_++;
        callers_.push_back (sim_.spawn (at.name + " receiver " + std::to_string (i), [this, &at, number] {
            if (at.late)
                sim_.pass_time (sim_.roll_time (base::ns_per_s));
            receiver taker (*stage_, at, number);
            taker.receive_until (over_);
        }));
    }
}

void scenario::start_callers ()
{
    for (std::size_t i = 0; i < seats_.size (); ++i) {
        socket_seat &at = *seats_[i];
        if (sends (at))
            start_sender (i, !at.alone_sending);
        if (receives (at))
            start_receiver (i);
        // One that was disconnected within the process does not come back.
        if (subscribes (at) && publisher_of_.at (&at)->slow != slow_disconnect && sim_.chance (500))
            start_chooser (i);
        at.rule_changes = at.slow >= 0 && at.slow < slow_block && sim_.chance (500);
        if (at.rule_changes)
            callers_.push_back (
              sim_.spawn (at.name + " changes its rule", [this, &at] { change_slow_rule (at); }));
    }
}

// Not before the publisher counts its subscribers by their first topics.
void scenario::choose (socket_seat &at, std::uint16_t stream)
{
    if (mood_ == mood::calm)
        await_subscribers (*publisher_of_.at (&at));
    chooser picky (*stage_, at);
    if (!picky.change (3 + static_cast<unsigned> (sim_.roll_below (20))) || at.type != type_xsub)
        return;
    sender upwards (*stage_, at, stream);
    upwards.gives_up = mood_ == mood::storm;
    if (at.labels)
        upwards.label = at.labelled.front ();
    (void)upwards.send (3 + static_cast<std::uint32_t> (sim_.roll_below (10)));
}

void scenario::start_chooser (std::size_t seat)
{
    socket_seat &at = *seats_[seat];
    at.alone_sending = true;
    const std::uint16_t stream = book_->open_stream (
      at.name + " upwards", {.sizes = size_class::tiny, .multipart = sim_.chance (500), .may_lose = true});
    callers_.push_back (sim_.spawn (at.name + " chooses", [this, &at, stream] { choose (at, stream); }));
    sending_.push_back (callers_.back ());
}

// It looks on for as long as the scenario is short of steps.
void scenario::start_onlooker ()
{
    std::vector<known_endpoint> known;
    for (const link_plan &each : links_) {
        known.push_back ({seats_[each.binder].get (), each.endpoint, true});
        known.push_back ({seats_[each.dialer].get (), each.endpoint, false});
    }
    callers_.push_back (sim_.spawn ("onlooker", [this, known = std::move (known)] {
        onlooker curious (*stage_, context_, known);
        curious.look (2 + static_cast<unsigned> (sim_.roll_below (16)));
        while (!over_ && sim_.seen.steps () < steps_min)
            curious.look (1);
    }));
}

// --- bad weather ---------------------------------------------------------------------

// Everybody who dials one name is cut off from it, or it from them, or both, for
// longer than it takes to notice.
void scenario::cut_off ()
{
    const link_plan &which = links_[sim_.roll_below (links_.size ())];
    const std::string scheme = "sim://";
    if (!which.endpoint.starts_with (scheme))
        return;
    const std::uint64_t dice = sim_.roll_below (4);
    const time_ns length = 2 * cut_noticed_ms_max * base::ns_per_ms + sim_.roll_time (base::ns_per_s);
    cut_ = true;
    world_->net.cut (which.endpoint.substr (scheme.size ()), dice != 0, dice != 1, length);
    sim_.pass_time (length - base::ns_per_ms);
    see_cut (which);
    sim_.pass_time (2 * base::ns_per_ms + sim_.roll_time (200 * base::ns_per_ms));
}

void scenario::see_cut (const link_plan &which)
{
    for (const std::size_t each : {which.binder, which.dialer}) {
        void *const at = seats_[each]->handle;
        if (at == nullptr)
            continue;
        const auto now = sim_.called ("status", socket::status (at, which.endpoint));
        if (!now.ok () || now.value ().last_reason != base::close_reason::heartbeat_timeout)
            continue;
        sim_.seen.saw_if ("cut noticed by who had dialled", each == which.dialer);
        sim_.seen.saw_if ("cut noticed by who was dialled", each == which.binder);
    }
}

// The one it dialled last by number; or met last where nobody but kernels' peers,
// who dial again, can be that. 0: there is none.
std::uint32_t scenario::whom_to_let_go (const socket_seat &from) const
{
    if (!from.dialled_by_number.empty ())
        return from.dialled_by_number.rbegin ()->first;
    const bool others = std::ranges::any_of (links_, [&] (const link_plan &each) {
        return seats_[each.dialer].get () == &from
               || (seats_[each.binder].get () == &from && each.endpoint.starts_with ("inproc"));
    });
    return others || from.numbers.empty () ? 0 : from.numbers.back ();
}

// Who was dialled is not dialled again by itself.
void scenario::let_go (socket_seat &from, std::uint32_t number)
{
    const auto gone = sim_.called ("disconnect_peer", socket::disconnect_peer (from.handle, number));
    const auto dialled = from.dialled_by_number.extract (number);
    if (!gone.ok () || dialled.empty ())
        return;
    note_injury (dialled.mapped ());
    const auto back = dial (from, dialled.mapped ());
    if (!back.ok () && !stage_->may_be_refused)
        sim_.fail ("a peer is not dialled again: " + dialled.mapped () + " answers "
                   + std::to_string (static_cast<int> (back.failure ().code)));
}

void scenario::shake_links ()
{
    const link_plan &which = links_[sim_.roll_below (links_.size ())];
    const bool bind = sim_.chance (300);
    socket_seat &from = *seats_[bind ? which.binder : which.dialer];
    void *const at = from.handle;
    if (from.type == type_stream)
        return;  // its name for the peer is taken until the old stream has gone
    hurt_before_the_end ();
    note_injury (which.endpoint);
    sim_.note ("fault: endpoint");
    sim_.seen.saw ("endpoint taken away");
    const std::uint32_t met = whom_to_let_go (from);
    if (met != 0 && sim_.chance (900)) {
        let_go (from, met);
        return;
    }
    const auto gone = bind ? sim_.called ("unbind", socket::unbind (at, which.endpoint))
                           : sim_.called ("disconnect", socket::disconnect (at, which.endpoint));
    if (sim_.chance (500))
        sim_.pass_time (sim_.roll_time (20 * base::ns_per_ms));
    if (!gone.ok ())
        return;
    const auto back =
      bind ? sim_.called ("bind", socket::bind (at, which.endpoint)) : dial (from, which.endpoint);
    if (!back.ok () && !stage_->may_be_refused)
        sim_.fail ("an endpoint does not come back: " + which.endpoint + " answers "
                   + std::to_string (static_cast<int> (back.failure ().code)));
}

void scenario::blow ()
{
    const std::size_t gusts = 3 + sim_.roll_below (20);
    const bool shakes = sim_.chance (500);
    for (std::size_t i = 0; i < gusts && !over_; ++i) {
        sim_.pass_time (sim_.roll_time (30 * base::ns_per_ms));
        if (cuts_ && sim_.chance (200)) {
            cut_off ();
            continue;
        }
        const std::uint64_t dice = sim_.roll_below (100);
        if (dice < 40)
            world_->net.break_one ();
        else if (dice < 55)
            world_->net.end_one (sim_.chance (500) ? 0 : sim_.roll_time (100 * base::ns_per_ms));
        else if (dice < 75)
            world_->net.stall_one (sim_.roll_time (300 * base::ns_per_ms));
        else if (shakes)
            shake_links ();
    }
}

// A connection that cannot be written any more, or is stuck, is sometimes
// taken away in that state.
void scenario::hurt_before_the_end ()
{
    const time_ns stall = sim_.roll_time (300 * base::ns_per_ms);
    const std::uint64_t dice = sim_.roll_below (100);
    if (dice < 30)
        world_->net.end_one (stall);
    else if (dice < 40)
        world_->net.stall_one (stall);
    else if (dice < 70)
        world_->net.stall_all (stall);
    if (dice < 70)
        sim_.pass_time (sim_.roll_time (20 * base::ns_per_ms));
}

void scenario::close_rudely (std::size_t seat)
{
    sim_.pass_time (sim_.roll_time (100 * base::ns_per_ms));
    hurt_before_the_end ();
    for (const link_plan &each : links_)
        if (each.binder == seat || each.dialer == seat)
            note_injury (each.endpoint);
    sim_.note ("fault: close");
    sim_.seen.saw ("closed under callers");
    (void)sim_.called ("close", socket::close (seats_[seat]->handle));
}

// Whose streams may go over a connection to that endpoint. Which of several
// dialers' it was nobody asks.
void scenario::note_injury (const std::string &endpoint)
{
    for (const link_plan &each : links_) {
        if (each.endpoint != endpoint)
            continue;
        note_broken (*seats_[each.binder], *seats_[each.dialer]);
        note_broken (*seats_[each.dialer], *seats_[each.binder]);
    }
}

void scenario::note_broken (const socket_seat &at, const socket_seat &peer)
{
    for (const stream_plan &each : streams_)
        if (each.from == &at && (at.type != type_router || each.label == peer.name))
            book_->broke (each.number);
}

bool scenario::crosses_the_network (const socket_seat &from) const
{
    return std::any_of (links_.begin (), links_.end (), [&] (const link_plan &each) {
        return each.endpoint.starts_with ("sim://")
               && (seats_[each.binder].get () == &from || seats_[each.dialer].get () == &from);
    });
}

// What no fault has touched has lost nothing, whatever the storm did elsewhere.
void scenario::check_whole_streams ()
{
    for (const stream_plan &each : streams_) {
        book_->check_whole (each.number);
        sim_.seen.saw_if ("stream unhurt by the storm",
                          book_->is_whole (each.number) && crosses_the_network (*each.from));
    }
}

void scenario::start_storm ()
{
    callers_.push_back (sim_.spawn ("weather", [this] { blow (); }));
    const std::size_t weather_fibre = callers_.back ();
    if (mood_ == mood::storm) {
        callers_.push_back (sim_.spawn ("clearing", [this, weather_fibre] {
            wait_until (
              "waits for the storm's end", [this, weather_fibre] { return sim_.finished (weather_fibre); },
              true);
            weather &sky = world_->net.how ();
            sky.refuse_per_mille = sky.silent_per_mille = sky.full_per_mille = sky.lookup_failure_per_mille =
              0;
            sky_is_clear_ = true;
        }));
        return;
    }
    for (std::size_t i = 0; i < seats_.size (); ++i)
        if (sim_.chance (400))
            callers_.push_back (sim_.spawn ("closes " + seats_[i]->name, [this, i] { close_rudely (i); }));
}

// --- the course of things ------------------------------------------------------------

bool scenario::wait_until (const char *what, const std::function<bool ()> &done, bool must)
{
    const wait_end end = sim_.wait (what, sim_.now () + patience_ns, done);
    if (end != wait_end::ready && must)
        sim_.fail (std::string ("in vain: ") + what);
    return end == wait_end::ready;
}

// What is sent under a clear sky.
void scenario::send_again (socket_seat &at, const std::string &label, std::vector<std::size_t> &fibres)
{
    const std::uint16_t stream =
      book_->open_stream (at.name + " after", {.copies = at.copies, .may_lose = at.slow >= 0});
    fibres.push_back (sim_.spawn (at.name + " sends again", [this, &at, label, stream] {
        if (at.type == type_req) {
            // Behind what the storm has left there may be no room for an answer,
            // and a REP does not wait for some.
            requester late (*stage_, at, stream);
            late.impatient = true;
            for (int answers = 0; answers < 20 && late.ask (1);)
                answers += at.answered;
            return;
        }
        sender late (*stage_, at, stream);
        late.label = label;
        late.send (20);
    }));
    callers_.push_back (fibres.back ());
}

// Everything that was accepted has to arrive.
// Who is turned away comes again after a rest.
time_ns scenario::calm_latency_max_now () const
{
    const unsigned rests = doors_ == nullptr ? 0 : doors_->turned_away ();
    return calm_latency_max_ns + world_->net.busy_ns ()
           + rests * engine::refused_interval_ms_max * base::ns_per_ms;
}

void scenario::let_it_settle ()
{
    const auto all_sent = [this] {
        return std::all_of (sending_.begin (), sending_.end (),
                            [this] (std::size_t each) { return sim_.finished (each); });
    };
    wait_until ("waits for the senders", all_sent, true);
    if (mood_ == mood::calm) {
        wait_until (
          "waits for the messages", [this] { return book_->settled (); }, true);
        settle_losses ();
        check_topics ();
        return;
    }
    // What the storm took with it is gone for good; what follows is not. Where
    // there are heartbeats, nobody sleeps meanwhile.
    sim_.pass_time (cuts_ ? patience_ns / 40 : patience_ns);
    check_whole_streams ();
    const std::uint64_t lost = book_->accepted_total () - book_->received_total ();
    std::vector<std::size_t> again;
    for (const auto &each : seats_) {
        // Whose peers may all have other numbers by now sends nothing.
        if (!sends (*each) || each->slow >= 0 || each->by_number > 0)
            continue;
        await_subscribers (*each);
        if (!each->labels)
            send_again (*each, {}, again);
        for (const std::string &label : each->labelled)
            send_again (*each, label, again);
    }
    const auto sent_again = [this, &again] {
        return std::all_of (again.begin (), again.end (),
                            [this] (std::size_t each) { return sim_.finished (each); });
    };
    wait_until ("waits for the senders after the storm", sent_again, true);
    const auto arrived = [this, lost] { return book_->accepted_total () - book_->received_total () <= lost; };
    wait_until ("waits for the messages after the storm", arrived, true);
    sim_.seen.saw_if ("traffic after a cut", cut_ && !again.empty ());
    check_topics ();
}

// --- what slow subscribers lose ------------------------------------------------------

engine::tally scenario::counted (const socket_seat &at)
{
    const auto all = sim_.called ("statistics", socket::statistics (at.handle));
    if (!all.ok ())
        sim_.fail ("statistics are refused");
    return all.value ().total;
}

std::uint64_t scenario::accepted_from (const socket_seat &publisher) const
{
    std::uint64_t sum = 0;
    for (const std::uint16_t each : streams_of_.at (&publisher))
        sum += book_->accepted_of (each);
    return sum;
}

std::uint64_t scenario::received_from (const socket_seat &publisher, unsigned copy) const
{
    std::uint64_t sum = 0;
    for (const std::uint16_t each : streams_of_.at (&publisher))
        sum += book_->received_of (each, copy);
    return sum;
}

// Nobody has more to send: what was accepted has arrived, or was given up and
// counted; and whoever wished it is told how much.
void scenario::settle_losses ()
{
    for (const auto &[publisher, subscribers] : subscribers_of_) {
        const engine::tally lost = counted (*publisher);
        sim_.seen.saw_if ("slow subscriber disconnected", lost.connections_lost > 0);
        if (publisher->slow == slow_disconnect)
            continue;  // what went with the connections is in no count
        check_losses (*publisher);
        await_last (*publisher);
        check_losses (*publisher);
        check_gaps (*publisher);
    }
}

void scenario::check_losses (const socket_seat &publisher)
{
    const auto missing = [&] {
        std::uint64_t sum = accepted_from (publisher) * publisher.copies;
        for (const socket_seat *each : subscribers_of_.at (&publisher))
            sum -= received_from (publisher, each->copy);
        return sum;
    };
    const time_ns latest = sim_.now () + patience_ns;
    engine::tally lost = counted (publisher);
    // What comes from subscribers is no loss of theirs.
    const auto given_up = [&lost] { return lost.dropped_total () - lost.of (engine::drop_reason::unwanted); };
    for (; missing () != given_up (); lost = counted (publisher)) {
        if (sim_.now () > latest)
            sim_.fail (publisher.name + " counts " + std::to_string (given_up ()) + " given up, and "
                       + std::to_string (missing ()) + " are missing");
        sim_.pass_time (base::ns_per_ms);
    }
    sim_.seen.saw ("losses added up");
    sim_.seen.saw_if ("newest given up", lost.of (engine::drop_reason::full) > 0);
    sim_.seen.saw_if ("oldest given up", lost.of (engine::drop_reason::oldest) > 0);
    sim_.seen.saw_if ("older of a topic given up", lost.of (engine::drop_reason::conflated) > 0);
    if (publisher.rule_changes)
        return;
    if (publisher.slow == slow_block && given_up () > 0)
        sim_.fail (publisher.name + " loses what it should wait with");
    // The newest is kept; which of two senders' that is nobody can say.
    const std::vector<std::uint16_t> &streams = streams_of_.at (&publisher);
    if ((publisher.slow != slow_conflate && publisher.slow != slow_oldest) || streams.size () > 1)
        return;
    for (const socket_seat *to : subscribers_of_.at (&publisher))
        if (!book_->has_last_of (streams.front (), to->copy))
            sim_.fail (publisher.name + " gives up the newest");
}

// One more message, for which there is room now: in front of it everybody has
// heard of what is missing.
void scenario::await_last (const socket_seat &publisher)
{
    const std::uint16_t last =
      book_->open_stream (publisher.name + " last", {.copies = publisher.copies, .may_lose = true});
    streams_of_[&publisher].push_back (last);
    socket_seat at = publisher;
    sender closing (*stage_, at, last);
    closing.label = publisher.labelled.front ();
    closing.send (1);
    for (const socket_seat *each : subscribers_of_.at (&publisher))
        wait_until (
          "waits for the last of the news",
          [this, last, each] { return book_->has_last_of (last, each->copy); }, true);
}

void scenario::check_gaps (const socket_seat &publisher)
{
    for (const socket_seat *each : subscribers_of_.at (&publisher)) {
        if (!each->wants_gaps)
            continue;
        const std::uint64_t missed = counted (*each).messages_missed;
        const std::uint64_t got = received_from (publisher, each->copy);
        if (missed + got != accepted_from (publisher))
            sim_.fail (each->name + " has " + std::to_string (got) + " messages and was told of "
                       + std::to_string (missed) + " missing, of "
                       + std::to_string (accepted_from (publisher)));
        sim_.seen.saw_if ("gaps added up", missed > 0);
    }
}

// What subscribers wanted at first, and no more, is what publishers know.
void scenario::check_topics ()
{
    for (const auto &each : seats_)
        if (publishes (*each) && each->slow < 0)
            check_topics (*each);
}

void scenario::check_topics (const socket_seat &publisher)
{
    const auto wanted = static_cast<int> (publisher.copies) + 1;
    const time_ns latest = sim_.now () + patience_ns;
    for (int topics = 0;;) {
        std::size_t size = sizeof topics;
        (void)sim_.called ("get_option",
                           socket::get_option (publisher.handle, option_topics_count, &topics, &size));
        const auto told = std::count_if (publisher.told.begin (), publisher.told.end (),
                                         [] (const auto &each) { return each.second; });
        if (topics == wanted && (!publisher.hears_topics || publisher.by_hand || told == wanted))
            break;
        if (sim_.now () > latest)
            sim_.fail (publisher.name + " knows " + std::to_string (topics) + " topics and was told of "
                       + std::to_string (told) + ", not of " + std::to_string (wanted));
        sim_.pass_time (base::ns_per_ms);
    }
    sim_.seen.saw ("topics as they should be");
}

void scenario::end ()
{
    stage_->may_be_refused = true;
    if (mood_ == mood::rude && sim_.chance (700)) {
        world_->net.stall_all (300 * base::ns_per_ms);
        sim_.pass_time (sim_.roll_time (100 * base::ns_per_ms));
    }
    over_ = true;
    sim_.calm ();
    const bool shut_down_first = sim_.chance (500);
    const auto close_all = [this] {
        for (const auto &each : seats_)
            if (each->handle != nullptr)
                (void)sim_.called ("close", socket::close (each->handle));
    };
    if (shut_down_first) {
        sim_.seen.saw ("context ended under callers");
        (void)sim_.called ("context_shutdown", socket::context_shutdown (context_));
    } else
        close_all ();
    const auto all_home = [this] {
        return std::all_of (callers_.begin (), callers_.end (),
                            [this] (std::size_t each) { return sim_.finished (each); });
    };
    wait_until ("waits for the callers to come home", all_home, true);
    if (shut_down_first)
        close_all ();
    const auto ended =
      sim_.called ("context_terminate", socket::context_terminate (context_, sim_.now () + patience_ns));
    if (!ended.ok ())
        sim_.fail ("terminate answers " + std::to_string (static_cast<int> (ended.failure ().code)));
    context_ = nullptr;
    wait_until (
      "waits for the last of the context", [this] { return context_gone_; }, true);
    if (!stage_->lent.empty ())
        sim_.fail ("memory that was given away is not given back");
}

void scenario::check_nothing_is_left ()
{
    if (world_->net.streams () + world_->net.listeners () + world_->files.open_files ()
          + world_->threads.running ()
        > 0)
        sim_.fail ("left behind: " + std::to_string (world_->net.streams ()) + " streams, "
                   + std::to_string (world_->net.listeners ()) + " listeners, "
                   + std::to_string (world_->files.open_files ()) + " files, "
                   + std::to_string (world_->threads.running ()) + " threads");
}

std::string scenario::describe ()
{
    std::string text = std::string ("  mood ") + sim::name_of (mood_) + "\n";
    if (world_ != nullptr)
        text += world_->net.describe ();
    if (book_ != nullptr)
        text += book_->describe ();
    return text;
}

void scenario::play ()
{
    world_ = std::make_unique<virtual_world> (sim_, choose_world ());
    book_ = std::make_unique<ledger> (sim_);
    stage_ = std::make_unique<stage> (stage{*world_, *book_, mood_ == mood::rude, {}, {}});
    world_->net.on_injury ([this] (const std::string &name) { note_injury ("sim://" + name); });
    sim_.on_failure ([this] { return describe (); });
    std::shared_ptr<void> keep (nullptr, [this] (void *) { context_gone_ = true; });
    const auto made = sim_.called (
      "context_open", socket::context_open (world_->seams, socket::header::zmq, std::move (keep)));
    if (!made.ok ())
        sim_.fail ("a context cannot be opened");
    context_ = made.value ();
    if (sim_.chance (300))
        (void)sim_.called ("context_set", socket::context_set (context_, option_io_threads, 2));
    plan_sockets ();
    open_sockets ();
    start_door_fibres ();
    const bool callers_first = sim_.chance (300);
    if (callers_first)
        start_callers ();
    make_links ();
    linked_ = true;
    if (!callers_first)
        start_callers ();
    start_onlooker ();
    if (sim_.chance (100))
        measure_inproc ();
    if (mood_ != mood::calm)
        start_storm ();
    if (mood_ == mood::rude)
        sim_.pass_time (sim_.roll_time (200 * base::ns_per_ms));
    else
        let_it_settle ();
    if (mood_ == mood::calm && book_->slowest_ns () > calm_latency_max_now ())
        sim_.fail ("a message took " + std::to_string (book_->slowest_ns () / base::ns_per_ms) + " ms");
    wait_until (
      "waits for enough to happen", [this] { return sim_.seen.steps () >= steps_min; }, true);
    end ();
    check_nothing_is_left ();
    received_ = book_->received_total ();
    world_.reset ();
}

schedule choose_schedule (std::uint64_t seed, bool trace)
{
    schedule how;
    how.trace = trace;
    simulation dice (seed ^ 0x5CED, how);
    static constexpr unsigned switches[] = {20, 100, 300, 700};
    how.switch_per_mille = switches[dice.roll_below (std::size (switches))];
    how.weight_spread = dice.chance (400) ? 1 : dice.chance (500) ? 20 : 400;
    how.interrupt_per_mille = dice.chance (300) ? 20 : 0;
    how.spurious_per_mille = dice.chance (300) ? 20 : 0;
    how.call_cost_max_ns = dice.chance (300) ? 100 : dice.chance (200) ? 40'000 : 2'000;
    return how;
}

}  // namespace

const char *name_of (mood which) noexcept
{
    switch (which) {
    case mood::calm:
        return "calm";
    case mood::storm:
        return "storm";
    case mood::rude:
        return "rude";
    }
    return "";
}

mood mood_of (std::uint64_t seed) noexcept { return static_cast<mood> (seed % 3); }

scenario_outcome run_scenario (const scenario_choice &choice)
{
    simulation sim (choice.seed, choose_schedule (choice.seed, choice.trace));
    scenario play (sim, choice, choice.as.value_or (mood_of (choice.seed)));
    sim.spawn ("director", [&play] { play.play (); });
    sim.run ();
    return {sim.fingerprint (), sim.calls (), play.received (), sim.seen};
}

}  // namespace zlink::sim
