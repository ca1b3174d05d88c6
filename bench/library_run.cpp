#include "bench/library_run.hpp"

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "bench/closed_loop.hpp"
#include "bench/fan_run.hpp"
#include "bench/library.hpp"
#include "bench/meeting.hpp"
#include "bench/node.hpp"
#include "bench/paced_run.hpp"
#include "bench/readiness.hpp"
#include "bench/socket_calls.hpp"
#include "bench/stream_run.hpp"
#include "bench/window_run.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

namespace {

constexpr std::size_t peers_many = 100;
constexpr std::size_t threads_many = 8;
constexpr unsigned window_of_many = 30;  // requests of each that are under way
std::size_t sender_count (const cell &measured)
{
    return measured.with.peers100 ? peers_many : measured.with.threads8 ? threads_many : 1;
}

// A hundred clients are played by one thread that lets each of them send a
// run; a client's own stream is long, so its run is longer than what any
// library writes at once without thinking.
unsigned run_length_of (const modifiers &with)
{
    if (with.turns)
        return 1;
    return with.batch || with.peers100 ? 64 : 16;
}

// What high-water marks and kernel buffers can hold: a stream that is not
// several times longer would measure them instead of the library.
std::uint64_t held_messages (const worker_task &task)
{
    const cell &measured = task.measured;
    const std::uint64_t connections = measured.with.peers100 ? peers_many : 1;  // of a fan: each
    constexpr std::uint64_t marks_zmq = 2 * 1000;
    constexpr std::uint64_t marks_zlink = 2 * 300'000;
    constexpr std::uint64_t mark_bytes_zlink = std::uint64_t{2} << 26;
    const std::uint64_t marks = task.names == abi::zmq || measured.with.zmq_marks
                                  ? marks_zmq
                                  : std::min (marks_zlink, mark_bytes_zlink / measured.size_bytes + 2);
    constexpr std::uint64_t kernel_bytes_one = 8 << 20;
    constexpr std::uint64_t kernel_bytes_many = 256 << 10;
    const std::uint64_t kernel_bytes = connections > 1 ? connections * kernel_bytes_many : kernel_bytes_one;
    const std::uint64_t kernel =
      measured.transport == "inproc" ? 0 : kernel_bytes / (measured.size_bytes + 2);
    // Marks in messages are per connection; few connections ever fill them all.
    const std::uint64_t filled = std::min<std::uint64_t> (connections, 10);
    return filled * marks + kernel;
}

// One run: the library, the cell, and a context per process.
class library_run
{
  public:
    library_run (const library &calls, const worker_task &task)
      : calls_ (calls), task_ (task), measured_ (task.measured), state_ (make_shared_state ())
    {
        make_certificate (measured_);
        make_keys (calls_, measured_);
        if (!measured_.with.processes)
            shared_context_.emplace (calls_, measured_);
    }

    outcome throughput ();
    outcome latency ();
    outcome latency_one ();
    outcome pipelined ();
    outcome burst ();
    outcome open_loop ();

  private:
    // A role's context: the shared one, or its own in a process of its own.
    class role_context
    {
      public:
        explicit role_context (library_run &run)
        {
            if (!run.shared_context_)
                own_.emplace (run.calls_, run.measured_);
            handle_ = run.shared_context_ ? run.shared_context_->handle () : own_->handle ();
        }
        [[nodiscard]] void *handle () const noexcept { return handle_; }

      private:
        std::optional<library_context> own_;
        void *handle_ = nullptr;
    };

    node make_node (const role_context &context)
    {
        return node (calls_, context.handle (), measured_, state_, task_.directory);
    }
    [[nodiscard]] std::int64_t duration_ns () const
    {
        return static_cast<std::int64_t> (task_.seconds * 1e9);
    }

    void send_throughput (const stream_plan &plan, node &sockets);
    void answer (const loop_plan &plan);
    template <class Receiver> outcome initiate (const loop_plan &plan);
    outcome receive_throughput (const stream_plan &plan, node &sockets);
    outcome receive_fan (const stream_plan &plan, node &sockets);
    void repeat_last (const stream_plan &plan, socket_calls &end);

    // The sending end of a stream, connected; the receiving one, bound. A
    // publisher is heard by all before either returns.
    [[nodiscard]] void *connect_sender (node &sockets);
    [[nodiscard]] void *bind_receiver (node &sockets);
    [[nodiscard]] void *bind_fan (node &sockets);
    [[nodiscard]] bool publishes () const { return bench::publishes (measured_.wiring ()); }

    const library &calls_;
    const worker_task &task_;
    const cell &measured_;
    shared_state *state_;
    std::optional<library_context> shared_context_;
};

void *library_run::connect_sender (node &sockets)
{
    void *socket = sockets.connect (measured_.wiring ().sender_type, 0);
    if (publishes ())
        meet_as_publisher (calls_, socket, state_, 0, 1);
    return socket;
}

void *library_run::bind_receiver (node &sockets)
{
    void *socket = sockets.bind (measured_.wiring ().receiver_type, 0);
    if (publishes ())
        meet_as_subscribers (calls_, {socket}, state_, 0);
    return socket;
}

// A publisher that drops may have dropped the last message, too.
void library_run::repeat_last (const stream_plan &plan, socket_calls &end)
{
    std::vector<std::byte> body (plan.size_bytes);
    write_payload (body.data (), body.size (), last_sequence);
    constexpr std::int64_t repeat_every_ns = 1'000'000;
    while (state_->finished.load (std::memory_order_acquire) == 0) {
        end.send (body.data (), body.size ());
        end.flush ();
        os::wait_until (os::now_ns () + repeat_every_ns);
    }
}

void library_run::send_throughput (const stream_plan &plan, node &sockets)
{
    const int type = measured_.wiring ().sender_type;
    const std::size_t socket_count = measured_.with.peers100 ? peers_many : 1;
    std::vector<std::unique_ptr<socket_calls>> ends;
    for (std::size_t i = 0; i < socket_count; ++i) {
        void *socket = measured_.with.fan () != 0 ? bind_fan (sockets) : connect_sender (sockets);
        ends.push_back (std::make_unique<socket_calls> (calls_, socket, type, plan.size_bytes, measured_.with,
                                                        group_of (plan)));
    }
    const auto send = [&] (std::size_t index, const std::byte *body, std::size_t size) {
        ends[index]->send (body, size);
    };
    const auto flush = [&] (std::size_t index) { ends[index]->flush (); };
    if (!measured_.with.threads8) {
        send_stream (plan, state_, 0, socket_count, send, flush);
        if (plan.lossy)
            repeat_last (plan, *ends[0]);
        return;
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_many; ++i)
        threads.emplace_back ([&, i] {
            const auto shared_send = [&] (std::size_t, const std::byte *body, std::size_t size) {
                ends[0]->send (body, size);
            };
            send_stream (plan, state_, i, 1, shared_send, [] (std::size_t) {});
        });
    for (std::thread &thread : threads)
        thread.join ();
}

// Of a fan the publisher binds and the subscribers connect.
void *library_run::bind_fan (node &sockets)
{
    void *socket = sockets.bind (measured_.wiring ().sender_type, 0);
    meet_as_publisher (calls_, socket, state_, 0, measured_.with.fan ());
    return socket;
}

outcome library_run::receive_fan (const stream_plan &plan, node &sockets)
{
    std::vector<void *> subscribers;
    std::vector<std::unique_ptr<socket_calls>> ends;
    for (unsigned i = 0; i < measured_.with.fan (); ++i) {
        subscribers.push_back (sockets.connect (number::sub, 0));
        ends.push_back (std::make_unique<socket_calls> (calls_, subscribers.back (), number::sub,
                                                        plan.size_bytes, measured_.with));
    }
    meet_as_subscribers (calls_, subscribers, state_, 0);
    fan_receiver stream (plan, ends.size (),
                         [&] (std::size_t index, std::size_t *size) { return ends[index]->receive (size); });
    return measure_stream (plan, state_, stream);
}

outcome library_run::receive_throughput (const stream_plan &plan, node &sockets)
{
    if (measured_.with.fan () != 0)
        return receive_fan (plan, sockets);
    socket_calls end (calls_, bind_receiver (sockets), measured_.wiring ().receiver_type, plan.size_bytes,
                      measured_.with);
    return receive_stream (plan, state_, [&] (std::size_t *size) { return end.receive (size); });
}

outcome library_run::throughput ()
{
    stream_plan plan;
    plan.size_bytes = measured_.size_bytes;
    plan.senders = sender_count (measured_);
    plan.run_length = run_length_of (measured_.with);
    plan.held_messages = held_messages (task_);
    plan.lossy = measured_.with.drop;
    plan.duration_ns = duration_ns ();
    outcome found;
    run_roles (
      measured_,
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          send_throughput (plan, sockets);
          note_sender_cost (state_);
      },
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          found = receive_throughput (plan, sockets);
          if (!sockets.spin_option_taken ())
              found.note = "no spin option";
      });
    add_sender_cost (measured_, state_, &found);
    return found;
}

// Receives through a blocking call.
class blocking_receiver
{
  public:
    blocking_receiver (const library &, void *, socket_calls &end) : end_ (end) {}
    const std::byte *operator() (std::size_t *size) { return end_.receive (size); }

  private:
    socket_calls &end_;
};

// Receives as an event loop does: epoll on the socket's descriptor, then its
// events, then the message.
class descriptor_receiver
{
  public:
    descriptor_receiver (const library &calls, void *socket, socket_calls &end)
      : calls_ (calls), socket_ (socket), end_ (end)
    {
        int descriptor = -1;
        std::size_t size = sizeof descriptor;
        need (calls_, calls_.getsockopt (socket_, number::fd, &descriptor, &size), "FD");
        if (!set_.watch (descriptor))
            fail ("epoll_ctl failed");
    }
    const std::byte *operator() (std::size_t *size)
    {
        while (!readable ())
            set_.wait ();
        return end_.receive (size);
    }

  private:
    bool readable ()
    {
        int events = 0;
        std::size_t size = sizeof events;
        need (calls_, calls_.getsockopt (socket_, number::events, &events, &size), "EVENTS");
        return (events & number::poll_in) != 0;
    }

    const library &calls_;
    void *socket_;
    socket_calls &end_;
    readiness_set set_;
};

void library_run::answer (const loop_plan &plan)
{
    const pattern &wiring = measured_.wiring ();
    const role_context context (*this);
    node sockets = make_node (context);
    void *in = bind_receiver (sockets);
    void *out = wiring.two_way ? in : sockets.bind (wiring.sender_type, 1);
    if (publishes ())
        meet_as_publisher (calls_, out, state_, 1, 1);
    socket_calls in_calls (calls_, in, wiring.receiver_type, plan.size_bytes, measured_.with);
    socket_calls own_out_calls (calls_, out, wiring.sender_type, plan.size_bytes, measured_.with);
    // One socket both ways answers whom it heard.
    socket_calls &out_calls = wiring.two_way ? in_calls : own_out_calls;
    const auto send = [&] (const std::byte *body, std::size_t size) { out_calls.send (body, size); };
    if (measured_.measured == metric::latency_fd)
        run_responder (plan, send, descriptor_receiver (calls_, in, in_calls));
    else
        run_responder (plan, send, blocking_receiver (calls_, in, in_calls));
}

template <class Receiver> outcome library_run::initiate (const loop_plan &plan)
{
    const pattern &wiring = measured_.wiring ();
    const role_context context (*this);
    node sockets = make_node (context);
    void *out = connect_sender (sockets);
    void *in = wiring.two_way ? out : sockets.connect (wiring.receiver_type, 1);
    if (publishes ())
        meet_as_subscribers (calls_, {in}, state_, 1);
    socket_calls out_calls (calls_, out, wiring.sender_type, plan.size_bytes, measured_.with);
    const int in_type = wiring.two_way ? wiring.sender_type : wiring.receiver_type;
    socket_calls in_calls (calls_, in, in_type, plan.size_bytes, measured_.with);
    outcome found = run_initiator (
      plan, [&] (const std::byte *body, std::size_t size) { out_calls.send (body, size); },
      Receiver (calls_, in, in_calls));
    if (!sockets.spin_option_taken ())
        found.note = "no spin option";
    return found;
}

outcome library_run::latency ()
{
    loop_plan plan;
    plan.size_bytes = measured_.size_bytes;
    plan.duration_ns = duration_ns ();
    plan.legs = 2;
    outcome found;
    // The initiator's clock counts, so it is the one that stays in this process.
    run_roles (
      measured_,
      [&] {
          answer (plan);
          note_sender_cost (state_);
      },
      [&] {
          found = measured_.measured == metric::latency_fd ? initiate<descriptor_receiver> (plan)
                                                           : initiate<blocking_receiver> (plan);
      });
    add_sender_cost (measured_, state_, &found);
    return found;
}

outcome library_run::latency_one ()
{
    loop_plan plan;
    plan.size_bytes = measured_.size_bytes;
    plan.duration_ns = duration_ns ();
    const role_context context (*this);
    node sockets = make_node (context);
    void *receiver = sockets.bind (measured_.wiring ().receiver_type, 0);
    void *sender = sockets.connect (measured_.wiring ().sender_type, 0);
    if (publishes ()) {
        std::thread calling ([&] { meet_as_publisher (calls_, sender, state_, 0, 1); });
        meet_as_subscribers (calls_, {receiver}, state_, 0);
        calling.join ();
    }
    socket_calls in (calls_, receiver, measured_.wiring ().receiver_type, plan.size_bytes, measured_.with);
    socket_calls out (calls_, sender, measured_.wiring ().sender_type, plan.size_bytes, measured_.with);
    outcome found = run_initiator (
      plan, [&] (const std::byte *body, std::size_t size) { out.send (body, size); },
      [&] (std::size_t *size) { return in.receive (size); });
    std::size_t size = 0;
    (void)in.receive (&size);  // the last message
    if (!sockets.spin_option_taken ())
        found.note = "no spin option";
    return found;
}

outcome library_run::pipelined ()
{
    loop_plan answering;
    answering.size_bytes = measured_.size_bytes;
    window_plan plan;
    plan.size_bytes = measured_.size_bytes;
    plan.duration_ns = duration_ns ();
    if (measured_.with.peers100) {
        plan.clients = peers_many;
        plan.window = window_of_many;
    }
    outcome found;
    run_roles (
      measured_,
      [&] {
          answer (answering);
          note_sender_cost (state_);
      },
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          std::vector<std::unique_ptr<socket_calls>> ends;
          for (std::size_t i = 0; i < plan.clients; ++i)
              ends.push_back (std::make_unique<socket_calls> (calls_, connect_sender (sockets),
                                                              measured_.wiring ().sender_type,
                                                              plan.size_bytes, measured_.with));
          found = run_window (
            plan,
            [&] (std::size_t who, const std::byte *body, std::size_t size) { ends[who]->send (body, size); },
            [&] (std::size_t who, std::size_t *size) { return ends[who]->receive (size); });
          if (!sockets.spin_option_taken ())
              found.note = "no spin option";
      });
    add_sender_cost (measured_, state_, &found);
    return found;
}

outcome library_run::burst ()
{
    burst_plan plan;
    plan.size_bytes = measured_.size_bytes;
    outcome found;
    run_roles (
      measured_,
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          socket_calls end (calls_, connect_sender (sockets), measured_.wiring ().sender_type,
                            plan.size_bytes, measured_.with);
          send_bursts (plan, state_,
                       [&] (const std::byte *body, std::size_t size) { end.send (body, size); });
      },
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          socket_calls end (calls_, bind_receiver (sockets), measured_.wiring ().receiver_type,
                            plan.size_bytes, measured_.with);
          found =
            bench::receive_bursts (plan, state_, [&] (std::size_t *size) { return end.receive (size); });
      });
    return found;
}

outcome library_run::open_loop ()
{
    open_plan plan;
    plan.size_bytes = measured_.size_bytes;
    plan.rate_per_s = facts_of (measured_.measured).rate_per_s;
    plan.duration_ns = std::max<std::int64_t> (duration_ns (), 1'000'000'000LL * 1000 / plan.rate_per_s);
    outcome found;
    run_roles (
      measured_,
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          socket_calls end (calls_, connect_sender (sockets), measured_.wiring ().sender_type,
                            plan.size_bytes, modifiers{});
          send_on_schedule (plan, [&] (const std::byte *body, std::size_t size) { end.send (body, size); });
      },
      [&] {
          const role_context context (*this);
          node sockets = make_node (context);
          socket_calls end (calls_, bind_receiver (sockets), measured_.wiring ().receiver_type,
                            plan.size_bytes, modifiers{});
          found = receive_scheduled (plan, [&] (std::size_t *size) { return end.receive (size); });
      });
    return found;
}

bool is_open_loop (metric measured)
{
    return measured == metric::open_1k || measured == metric::open_10k || measured == metric::open_100k
           || measured == metric::open_300k;
}

outcome dispatch (library_run &run, metric measured)
{
    if (is_open_loop (measured))
        return run.open_loop ();
    switch (measured) {
    case metric::throughput:
        return run.throughput ();
    case metric::latency:
    case metric::latency_fd:
        return run.latency ();
    case metric::latency_one:
        return run.latency_one ();
    case metric::pipelined:
        return run.pipelined ();
    case metric::burst:
        return run.burst ();
    default:
        break;  // not of one cell's sockets
    }
    fail ("no such metric");
}

}  // namespace

outcome run_sockets (const library &calls, const worker_task &task)
{
    library_run run (calls, task);
    return dispatch (run, task.measured.measured);
}

}  // namespace zlink::bench
