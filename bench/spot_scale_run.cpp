#include "bench/spot_scale_run.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/quiet_time.hpp"
#include "bench/roles.hpp"
#include "bench/spot_calls.hpp"
#include "bench/statistics.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

namespace {

// A node with subscribers and a publisher, as far as they are asked for.
class scaled_node
{
  public:
    scaled_node (const library &calls, const spot_calls &spots, void *context)
      : calls_ (calls), spots_ (spots), handle_ (spots.node_new (context))
    {
        must_be (handle_, "spot_node_new");
    }
    ~scaled_node ()
    {
        for (void *each : subscribers_)
            spots_.sub_destroy (&each);
        if (publisher_ != nullptr)
            spots_.pub_destroy (&publisher_);
        spots_.node_destroy (&handle_);
    }
    scaled_node (const scaled_node &) = delete;
    scaled_node &operator= (const scaled_node &) = delete;

    void add_subscriber ()
    {
        subscribers_.push_back (spots_.sub_new (handle_));
        must_be (subscribers_.back (), "spot_sub_new");
    }
    // Of the subscriber that was added last.
    void subscribe (const std::string &topic)
    {
        need (calls_, spots_.sub_subscribe (subscribers_.back (), topic.c_str ()), "spot_sub_subscribe");
    }
    void publish (const std::string &topic, const std::vector<std::byte> &body)
    {
        if (publisher_ == nullptr) {
            publisher_ = spots_.pub_new (handle_);
            must_be (publisher_, "spot_pub_new");
        }
        need (calls_, spots_.pub_send (publisher_, topic.c_str (), body.data (), body.size ()),
              "spot_pub_send");
    }
    void receive_all (unsigned count, std::size_t which)
    {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        for (unsigned i = 0; i < count; ++i) {
            need (calls_, spots_.sub_next (subscribers_[which], &got, -1), "spot_sub_next");
            if (got.gap != ZLINK_SPOT_GAP_NONE)
                fail ("a subscriber was told of a gap");
        }
    }
    void bind () { need (calls_, spots_.node_bind (handle_, "tcp://127.0.0.1:*"), "spot_node_bind"); }
    void write_endpoint (char *to, std::size_t size)
    {
        need (calls_, spots_.node_endpoint (handle_, to, &size), "spot_node_endpoint");
    }
    void join (const char *seed) { need (calls_, spots_.node_join (handle_, seed), "spot_node_join"); }
    void wait (std::size_t others)
    {
        need (calls_, spots_.node_wait (handle_, others, -1), "spot_node_wait");
    }

  private:
    void must_be (const void *handle, const char *what) { need (calls_, handle == nullptr ? -1 : 0, what); }

    const library &calls_;
    const spot_calls &spots_;
    void *handle_;
    void *publisher_ = nullptr;
    std::vector<void *> subscribers_;
};

// --- topics of one node ----------------------------------------------------------------

constexpr std::size_t subscribers = 10;
constexpr unsigned published = 10;  // topics
constexpr unsigned topics_many = 100'000;

// The numbers are spread, so that neighbours in time are no neighbours in the topics' order.
std::string topic_of (unsigned long index)
{
    constexpr unsigned long spread = 7'368'787;  // prime, so that no topic comes twice
    char text[32];
    std::snprintf (text, sizeof text, "markets.%08lu.prices", index * spread % 100'000'000);
    return text;
}

// One burst is of each topic so often.
constexpr unsigned turns = 20;

double publish_burst (scaled_node &by, const std::vector<std::string> &to, const std::vector<std::byte> &body)
{
    const std::int64_t before_ns = os::now_ns ();
    for (unsigned i = 0; i < turns; ++i)
        for (const std::string &each : to)
            by.publish (each, body);
    return static_cast<double> (os::now_ns () - before_ns) / 1e3 / turns / published;
}

// --- nodes of one mesh -----------------------------------------------------------------

constexpr unsigned processes = 4;
constexpr unsigned nodes_each = 8;
constexpr unsigned nodes_all = processes * nodes_each;
constexpr std::int64_t idle_ns = 5'000'000'000;  // each connection has one heartbeat, as nodes have them

// A gate that all of them pass together.
void reach (std::atomic<std::uint64_t> &gate, unsigned wanted)
{
    gate.fetch_add (1, std::memory_order_acq_rel);
    await ([&] { return gate.load (std::memory_order_acquire) >= wanted; });
}

// One process's nodes. then: when all know each other; behind it each hears one node of every
// process, as proof of that.
template <class Then>
void be_of_mesh (
  const library &calls, const cell &measured, unsigned process, shared_state *state, Then &&then)
{
    const spot_calls spots (calls);
    const library_context context (calls, measured);
    std::vector<std::unique_ptr<scaled_node>> nodes;
    for (unsigned i = 0; i < nodes_each; ++i) {
        nodes.push_back (std::make_unique<scaled_node> (calls, spots, context.handle ()));
        nodes[i]->add_subscriber ();
        nodes[i]->subscribe (topic_of (process * nodes_each + i));
        nodes[i]->bind ();
    }
    if (process == 0)
        nodes[0]->write_endpoint (state->endpoints[0], sizeof state->endpoints[0]);
    reach (state->sent, processes);
    const std::int64_t begun_ns = os::now_ns ();
    for (const auto &each : nodes)
        each->join (process == 0 && each == nodes[0] ? nullptr : state->endpoints[0]);
    for (const auto &each : nodes)
        each->wait (nodes_all - 1);
    reach (state->round, processes);
    then (static_cast<double> (os::now_ns () - begun_ns) / 1e3);
    watchdog::stage ("hearing all");
    for (unsigned i = 0; i < nodes_all; ++i)
        nodes[0]->publish (topic_of (i), {std::byte{0x5A}});
    for (const auto &each : nodes)
        each->receive_all (processes, 0);
    reach (state->round, 2 * processes);
}

}  // namespace

outcome run_spot_publish (const library &calls, const worker_task &task)
{
    const spot_calls spots (calls);
    const library_context context (calls, task.measured);
    scaled_node node (calls, spots, context.handle ());
    const bool many = task.measured.measured == metric::publish_1m;
    std::vector<std::string> to;
    for (unsigned i = 0; i < published; ++i)
        to.push_back (topic_of (i));
    const std::int64_t before = os::resident_bytes ();
    watchdog::stage ("subscribing");
    for (unsigned i = 0; i < subscribers; ++i) {
        node.add_subscriber ();
        if (!many)
            node.subscribe (to[i]);
        for (unsigned topic = 0; many && topic < topics_many; ++topic)
            node.subscribe (topic_of (topic));
    }
    outcome found;
    if (many)
        found.bytes_each = static_cast<double> (os::resident_bytes () - before) / subscribers / topics_many;
    watchdog::stage ("publishing");
    const std::vector<std::byte> body (task.measured.size_bytes, std::byte{0x5A});
    std::vector<double> samples_us;
    const std::int64_t start_ns = os::now_ns ();
    const auto duration_ns = static_cast<std::int64_t> (task.seconds * 1e9);
    while (os::now_ns () - start_ns < duration_ns) {
        samples_us.push_back (publish_burst (node, to, body));
        for (std::size_t i = 0; i < subscribers; ++i)
            node.receive_all (many ? turns * published : turns, i);
    }
    found.messages = static_cast<double> (samples_us.size () * turns * published);
    found.seconds = static_cast<double> (os::now_ns () - start_ns) / 1e9;
    found.value = found.p50_us = median (samples_us);
    found.p99_us = percentile (samples_us, 0.99);
    return found;
}

outcome run_spot_mesh (const library &calls, const worker_task &task)
{
    shared_state *const state = make_shared_state ();
    std::array<int, processes - 1> others{};
    for (unsigned i = 0; i < others.size (); ++i) {
        others[i] = os::fork_role ([&] {
            be_of_mesh (calls, task.measured, i + 1, state, [&] (double) {
                while (state->stop.load (std::memory_order_acquire) == 0)
                    os::sleep_on (&state->stop, 0);
            });
        });
        if (others[i] < 0)
            fail ("fork failed");
    }
    outcome found;
    be_of_mesh (calls, task.measured, 0, state, [&] (double took_us) {
        found.value = took_us;
        found.messages = nodes_all;
        measure_quiet (idle_ns, others, found);
        state->stop.store (1, std::memory_order_release);
        os::wake_sleepers (&state->stop);
    });
    for (const int each : others)
        if (!os::wait_role (each))
            fail ("a process of the mesh failed");
    return found;
}

}  // namespace zlink::bench
