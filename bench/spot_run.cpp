#include "bench/spot_run.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cipher.hpp"
#include "bench/closed_loop.hpp"
#include "bench/fan_run.hpp"
#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/roles.hpp"
#include "bench/service_run.hpp"
#include "bench/spot_calls.hpp"
#include "bench/spot_scale_run.hpp"
#include "bench/stream_run.hpp"
#include "zlink/zlink.h"

namespace zlink::bench {

namespace {

constexpr const char *topics[] = {"bench/there", "bench/back"};

// What a role has in hand.
struct equipment
{
    const library &calls;
    const spot_calls &spots;
    void *context;
    const worker_task &task;
    shared_state *state;
};

class spot
{
  public:
    explicit spot (const equipment &with) : with_ (with), handle_ (with.spots.node_new (with.context))
    {
        if (handle_ == nullptr)
            need (with.calls, -1, "spot_node_new");
        const int on = 1;
        say (ZLINK_SPOT_NODE_SOCKET_PUB, number::xpub_no_drop, &on, sizeof on);
        const std::string &over = with.task.measured.transport;
        if (over != "tls" && over != "wss")
            return;
        const certificate &ours = own_certificate ();
        say (ZLINK_SPOT_NODE_SOCKET_PUB, number::certificate, ours.text.data (), ours.text.size ());
        say (ZLINK_SPOT_NODE_SOCKET_PUB, number::key, ours.key.data (), ours.key.size ());
        say (ZLINK_SPOT_NODE_SOCKET_SUB, number::trusted, ours.text.data (), ours.text.size ());
    }
    ~spot () { with_.spots.node_destroy (&handle_); }
    spot (const spot &) = delete;
    spot &operator= (const spot &) = delete;

    void bind (unsigned slot)
    {
        const std::string &over = with_.task.measured.transport;
        const std::string where = over == "ipc"
                                    ? "ipc://" + with_.task.directory + "/n" + std::to_string (slot)
                                    : over + "://127.0.0.1:*";
        need (with_.calls, with_.spots.node_bind (handle_, where.c_str ()), "spot_node_bind");
        std::size_t size = sizeof with_.state->endpoints[slot];
        need (with_.calls, with_.spots.node_endpoint (handle_, with_.state->endpoints[slot], &size),
              "spot_node_endpoint");
        with_.state->endpoints_ready.fetch_or (1u << slot, std::memory_order_release);
    }
    // Reads the node of that slot.
    void connect (unsigned slot)
    {
        wait_for_endpoint (with_.state, slot);
        need (with_.calls, with_.spots.node_connect (handle_, with_.state->endpoints[slot]),
              "spot_node_connect_peer_pub");
    }
    void wait_for (unsigned readers)
    {
        need (with_.calls, with_.spots.node_wait (handle_, readers, -1), "spot_node_wait");
    }
    [[nodiscard]] void *handle () const noexcept { return handle_; }

  private:
    void say (int role, int option, const void *value, std::size_t size)
    {
        need (with_.calls, with_.spots.node_setsockopt (handle_, role, option, value, size),
              "spot_node_setsockopt");
    }

    const equipment with_;
    void *handle_;
};

class publisher
{
  public:
    publisher (const equipment &with, const spot &at, unsigned slot)
      : with_ (with), topic_ (topics[slot]), handle_ (with.spots.pub_new (at.handle ()))
    {
        if (handle_ == nullptr)
            need (with.calls, -1, "spot_pub_new");
    }
    ~publisher () { with_.spots.pub_destroy (&handle_); }
    publisher (const publisher &) = delete;
    publisher &operator= (const publisher &) = delete;

    // Publishing does not wait by itself.
    void send (const std::byte *body, std::size_t size)
    {
        constexpr std::int64_t full_ns = 20'000;
        while (with_.spots.pub_send (handle_, topic_, body, size) != 0) {
            if (with_.calls.error_number () != EAGAIN)
                need (with_.calls, -1, "spot_pub_send");
            os::wait_until (os::now_ns () + full_ns);
        }
    }

  private:
    const equipment with_;
    const char *const topic_;
    void *handle_;
};

class subscriber
{
  public:
    subscriber (const equipment &with, const spot &at, unsigned slot)
      : with_ (with), handle_ (with.spots.sub_new (at.handle ()))
    {
        if (handle_ == nullptr)
            need (with.calls, -1, "spot_sub_new");
        // Nothing is lost, as between PUB with NODROP and SUB.
        need (with.calls, with.spots.sub_set_policy (handle_, ZLINK_SPOT_BLOCK, 0), "spot_sub_set_policy");
        need (with.calls, with.spots.sub_subscribe (handle_, topics[slot]), "spot_sub_subscribe");
    }
    ~subscriber () { with_.spots.sub_destroy (&handle_); }
    subscriber (const subscriber &) = delete;
    subscriber &operator= (const subscriber &) = delete;

    const std::byte *receive (std::size_t *size)
    {
        got_.size = sizeof got_;
        need (with_.calls, with_.spots.sub_next (handle_, &got_, -1), "spot_sub_next");
        if (got_.gap != ZLINK_SPOT_GAP_NONE || got_.count != 1)
            fail ("a subscriber was told of a gap");
        *size = got_.body_size;
        return static_cast<const std::byte *> (got_.body);
    }

  private:
    const equipment with_;
    void *handle_;
    zlink_spot_message_t got_{};
};

class spot_run
{
  public:
    spot_run (const library &calls, const worker_task &task)
      : calls_ (calls), spots_ (calls), task_ (task), state_ (make_shared_state ())
    {
        make_certificate (task.measured);
        if (!task.measured.with.processes)
            shared_.emplace (calls, task.measured);
        if (inside ())
            node_.emplace (equipment{calls_, spots_, shared_->handle (), task_, state_});
    }

    outcome throughput ()
    {
        stream_plan plan;
        plan.size_bytes = task_.measured.size_bytes;
        plan.duration_ns = static_cast<std::int64_t> (task_.seconds * 1e9);
        plan.held_messages = held_by_services (task_.measured);
        outcome found;
        run ([&] (const equipment &with) { send_all (with, plan); },
             [&] (const equipment &with) { found = receive_all (with, plan); });
        add_sender_cost (task_.measured, state_, &found);
        return found;
    }

    outcome latency ()
    {
        loop_plan plan;
        plan.size_bytes = task_.measured.size_bytes;
        plan.duration_ns = static_cast<std::int64_t> (task_.seconds * 1e9);
        plan.legs = 2;
        outcome found;
        run (
          [&] (const equipment &with) {
              both_ways (with, 1, [&] (publisher &to, subscriber &from) {
                  run_responder (
                    plan, [&] (const std::byte *body, std::size_t size) { to.send (body, size); },
                    [&] (std::size_t *size) { return from.receive (size); });
                  state_->finished.store (1, std::memory_order_release);
              });
          },
          [&] (const equipment &with) {
              both_ways (with, 0, [&] (publisher &to, subscriber &from) {
                  found = run_initiator (
                    plan, [&] (const std::byte *body, std::size_t size) { to.send (body, size); },
                    [&] (std::size_t *size) { return from.receive (size); });
                  wait_for_the_end (state_);
              });
          });
        add_sender_cost (task_.measured, state_, &found);
        return found;
    }

  private:
    [[nodiscard]] bool inside () const { return task_.measured.transport == "inproc"; }
    [[nodiscard]] unsigned subscribers () const { return std::max (task_.measured.with.fan (), 1u); }

    template <class Sender, class Receiver> void run (Sender &&sends, Receiver &&receives)
    {
        const auto equipped = [&] (auto &&role) {
            std::optional<library_context> own;
            if (!shared_)
                own.emplace (calls_, task_.measured);
            role (equipment{calls_, spots_, shared_ ? shared_->handle () : own->handle (), task_, state_});
        };
        run_roles (
          task_.measured,
          [&] {
              equipped (sends);
              note_sender_cost (state_);
          },
          [&] { equipped (receives); });
    }

    void send_all (const equipment &with, const stream_plan &plan)
    {
        std::optional<spot> own;
        if (!inside ()) {
            own.emplace (with);
            own->bind (0);
            own->wait_for (subscribers ());
        }
        await ([&] { return state_->heard[0].load (std::memory_order_acquire) != 0; });
        publisher by (with, own ? *own : *node_, 0);
        send_stream (
          plan, state_, 0, 1,
          [&] (std::size_t, const std::byte *body, std::size_t size) { by.send (body, size); },
          [] (std::size_t) {});
        wait_for_the_end (state_);
    }

    outcome receive_all (const equipment &with, const stream_plan &plan)
    {
        std::vector<std::unique_ptr<spot>> nodes;
        std::vector<std::unique_ptr<subscriber>> all;
        for (unsigned i = 0; i < subscribers (); ++i) {
            if (!inside ())
                nodes.push_back (std::make_unique<spot> (with));
            all.push_back (std::make_unique<subscriber> (with, inside () ? *node_ : *nodes.back (), 0));
            if (!inside ())
                nodes.back ()->connect (0);
        }
        state_->heard[0].store (1, std::memory_order_release);
        if (all.size () == 1 && task_.measured.with.fan () == 0)
            return receive_stream (plan, state_, [&] (std::size_t *size) { return all[0]->receive (size); });
        fan_receiver stream (plan, all.size (), [&] (std::size_t index, std::size_t *size) {
            return all[index]->receive (size);
        });
        return measure_stream (plan, state_, stream);
    }

    // Who speaks on the topic of a slot, and hears the other.
    template <class Talk> void both_ways (const equipment &with, unsigned slot, Talk &&talk)
    {
        std::optional<spot> own;
        if (!inside ())
            own.emplace (with);
        const spot &at = own ? *own : *node_;
        subscriber from (with, at, 1 - slot);
        if (own) {
            own->bind (slot);
            own->connect (1 - slot);
            own->wait_for (1);
        }
        state_->heard[slot].store (1, std::memory_order_release);
        await ([&] { return state_->heard[1 - slot].load (std::memory_order_acquire) != 0; });
        publisher to (with, at, slot);
        talk (to, from);
    }

    const library &calls_;
    const spot_calls spots_;
    const worker_task &task_;
    shared_state *state_;
    std::optional<library_context> shared_;
    std::optional<spot> node_;  // of both roles
};

}  // namespace

outcome run_spots (const library &calls, const worker_task &task)
{
    switch (task.measured.measured) {
    case metric::throughput:
        return spot_run (calls, task).throughput ();
    case metric::latency:
        return spot_run (calls, task).latency ();
    case metric::publish_10:
    case metric::publish_1m:
        return run_spot_publish (calls, task);
    case metric::mesh_32:
        return run_spot_mesh (calls, task);
    default:
        fail ("no such metric of SPOT");
    }
}

}  // namespace zlink::bench
