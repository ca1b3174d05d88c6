#include <memory>
#include <thread>

#include "bench/cipher.hpp"
#include "bench/closed_loop.hpp"
#include "bench/floor_link.hpp"
#include "bench/handshake_run.hpp"
#include "bench/stream_run.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

namespace {

// A body buffer that receive callables copy into.
class inbox
{
  public:
    explicit inbox (std::size_t size)
      : bytes_ (std::make_unique<std::byte[]> (size + 64)), capacity_ (size + 64)
    {
    }
    [[nodiscard]] std::byte *data () noexcept { return bytes_.get (); }
    [[nodiscard]] std::size_t capacity () const noexcept { return capacity_; }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t capacity_;
};

template <class Send, class Flush, class Receive>
outcome run_streams (const worker_task &task, Send &&send, Flush &&flush, Receive &&receive)
{
    stream_plan plan;
    plan.size_bytes = task.measured.size_bytes;
    plan.duration_ns = static_cast<std::int64_t> (task.seconds * 1e9);
    constexpr std::uint64_t kernel_bytes = 8 << 20;
    plan.held_messages = kernel_bytes / (plan.size_bytes + 2);
    shared_state *state = make_shared_state ();
    inbox in (plan.size_bytes);
    outcome found;
    const auto sender = [&] {
        send_stream (plan, state, 0, 1, send, flush);
        state->sender_cpu_ns.store (os::cpu_ns ());
    };
    run_roles (task.measured, sender, [&] {
        found = receive_stream (plan, state, [&] (std::size_t *size) -> const std::byte * {
            *size = receive (in);
            return in.data ();
        });
    });
    if (task.measured.with.processes)
        found.cpu_s +=
          static_cast<double> (state->sender_cpu_ns.load ()) / 1e9 * found.messages / found.all_messages;
    return found;
}

// Spinning is the floor of a library that spins; without processors to spin
// on, or with spinning off, it is blocking.
waiting waiting_of (const cell &measured)
{
    const modifiers &with = measured.with;
    const bool blocks = with.no_spin || with.one_cpu || with.busy || measured.measured == metric::latency_fd;
    return blocks ? waiting::blocking : waiting::spinning;
}

outcome stream_throughput (const worker_task &task, waiting how)
{
    const stream_ends ends = open_stream (task.measured.transport, task.directory);
    framed_writer writer (ends.here);
    framed_reader reader (ends.there, how);
    return run_streams (
      task, [&] (std::size_t, const std::byte *body, std::size_t size) { writer.send (body, size); },
      [&] (std::size_t) { writer.flush (); },
      [&] (inbox &in) { return reader.receive (in.data (), in.capacity ()); });
}

// A reader that sleeps lets small messages gather; one that spins takes large
// ones while they are warm. What is possible is the better of the two.
outcome best_stream_throughput (const worker_task &task)
{
    outcome best = stream_throughput (task, waiting::blocking);
    if (waiting_of (task.measured) == waiting::blocking)
        return best;
    outcome spinning = stream_throughput (task, waiting::spinning);
    return spinning.value > best.value ? spinning : best;
}

// Of tls: what one core enciphers, in records. What else it costs is tcp's.
outcome cipher_throughput (const worker_task &task)
{
    const enciphered done = encipher (static_cast<std::int64_t> (task.seconds * 1e9));
    outcome found;
    found.seconds = done.seconds;
    found.cpu_s = done.seconds;
    found.messages = done.bytes / static_cast<double> (task.measured.size_bytes);
    found.all_messages = found.messages;
    found.value = found.messages / done.seconds;
    return found;
}

outcome ring_throughput (const worker_task &task)
{
    byte_ring ring (task.measured.size_bytes);
    return run_streams (
      task, [&] (std::size_t, const std::byte *body, std::size_t size) { ring.send (body, size); },
      [&] (std::size_t) { ring.flush (); },
      [&] (inbox &in) { return ring.receive (in.data (), in.capacity ()); });
}

loop_plan plan_of (const worker_task &task, double legs)
{
    loop_plan plan;
    plan.size_bytes = task.measured.size_bytes;
    plan.duration_ns = static_cast<std::int64_t> (task.seconds * 1e9);
    plan.legs = legs;
    return plan;
}

template <class SendThere, class ReceiveThere, class SendBack, class ReceiveBack>
outcome run_ping_pong (const worker_task &task,
                       SendThere &&send_there,
                       ReceiveThere &&receive_there,
                       SendBack &&send_back,
                       ReceiveBack &&receive_back)
{
    const loop_plan plan = plan_of (task, 2);
    inbox there (plan.size_bytes), here (plan.size_bytes);
    outcome found;
    run_roles (
      task.measured,
      [&] {
          run_responder (plan, send_back, [&] (std::size_t *size) -> const std::byte * {
              *size = receive_there (there);
              return there.data ();
          });
      },
      [&] {
          found = run_initiator (plan, send_there, [&] (std::size_t *size) -> const std::byte * {
              *size = receive_back (here);
              return here.data ();
          });
      });
    return found;
}

outcome stream_latency (const worker_task &task)
{
    const stream_ends ends = open_stream (task.measured.transport, task.directory);
    const waiting how = waiting_of (task.measured);
    framed_writer there_writer (ends.here), back_writer (ends.there);
    framed_reader there_reader (ends.there, how), back_reader (ends.here, how);
    return run_ping_pong (
      task,
      [&] (const std::byte *body, std::size_t size) {
          there_writer.send (body, size);
          there_writer.flush ();
      },
      [&] (inbox &in) { return there_reader.receive (in.data (), in.capacity ()); },
      [&] (const std::byte *body, std::size_t size) {
          back_writer.send (body, size);
          back_writer.flush ();
      },
      [&] (inbox &in) { return back_reader.receive (in.data (), in.capacity ()); });
}

outcome ring_latency (const worker_task &task)
{
    const unsigned looks = task.measured.with.one_cpu ? 1 : byte_ring::looks_before_yield;
    byte_ring there (task.measured.size_bytes, looks), back (task.measured.size_bytes, looks);
    // On one processor, too: giving it away is all that the other one needs.
    const bool spins = waiting_of (task.measured) == waiting::spinning
                       || (task.measured.with.one_cpu && !task.measured.with.no_spin);
    const auto send = [spins] (byte_ring &ring, const std::byte *body, std::size_t size) {
        ring.send (body, size);
        spins ? ring.flush () : ring.flush_and_wake ();
    };
    const auto receive = [spins] (byte_ring &ring, inbox &in) {
        return spins ? ring.receive (in.data (), in.capacity ())
                     : ring.receive_sleeping (in.data (), in.capacity ());
    };
    return run_ping_pong (
      task, [&] (const std::byte *body, std::size_t size) { send (there, body, size); },
      [&] (inbox &in) { return receive (there, in); },
      [&] (const std::byte *body, std::size_t size) { send (back, body, size); },
      [&] (inbox &in) { return receive (back, in); });
}

template <class Send, class Receive>
outcome run_one_thread (const worker_task &task, Send &&send, Receive &&receive)
{
    const loop_plan plan = plan_of (task, 1);
    inbox in (plan.size_bytes);
    return run_initiator (plan, send, [&] (std::size_t *size) -> const std::byte * {
        *size = receive (in);
        return in.data ();
    });
}

outcome stream_one_thread (const worker_task &task)
{
    const stream_ends ends = open_stream (task.measured.transport, task.directory);
    framed_writer writer (ends.here);
    framed_reader reader (ends.there, waiting::blocking);
    return run_one_thread (
      task,
      [&] (const std::byte *body, std::size_t size) {
          writer.send (body, size);
          writer.flush ();
      },
      [&] (inbox &in) { return reader.receive (in.data (), in.capacity ()); });
}

outcome ring_one_thread (const worker_task &task)
{
    byte_ring ring (task.measured.size_bytes);
    return run_one_thread (
      task,
      [&] (const std::byte *body, std::size_t size) {
          ring.send (body, size);
          ring.flush ();
      },
      [&] (inbox &in) { return ring.receive (in.data (), in.capacity ()); });
}

}  // namespace

namespace {

// Of TLS: the cipher, and another program's handshakes.
bool has_other_floor (const cell &measured)
{
    return measured.transport == "tls" && !measured.with.curve
           && (measured.measured == metric::throughput || measured.measured == metric::handshakes);
}

// Bodies that are read where they stand, or move by reference, have no floor that copies.
bool goes_uncopied (const cell &measured)
{
    const bool spots = measured.wiring ().services && publishes (measured.wiring ());
    return measured.transport == "inproc" && (measured.with.message || spots);
}

bool is_plain (const std::string &transport)
{
    return transport != "tls" && transport != "ws" && transport != "wss";
}

}  // namespace

bool has_floor (const cell &measured)
{
    const modifiers &with = measured.with;
    if (!is_plain (measured.transport))
        return has_other_floor (measured);
    if (goes_uncopied (measured))
        return false;
    switch (measured.measured) {
    case metric::throughput:
        return !with.threads8 && !with.peers100 && !with.drop && with.fan () == 0;
    case metric::latency:
    case metric::latency_fd:
        return measured.transport != "inproc" || !with.processes;
    // One thread cannot push more into the kernel than its buffers hold.
    case metric::latency_one:
        return measured.transport == "inproc" || measured.size_bytes <= (128u << 10);
    default:
        return false;
    }
}

outcome run_floor (const worker_task &task)
{
    if (task.measured.measured == metric::handshakes)
        return openssl_handshakes (task);
    if (task.measured.transport == "tls")
        return cipher_throughput (task);
    const bool inproc = task.measured.transport == "inproc";
    switch (task.measured.measured) {
    case metric::throughput:
        return inproc ? ring_throughput (task) : best_stream_throughput (task);
    case metric::latency:
    case metric::latency_fd:
        return inproc ? ring_latency (task) : stream_latency (task);
    case metric::latency_one:
        return inproc ? ring_one_thread (task) : stream_one_thread (task);
    default:
        break;
    }
    fail ("this cell has no floor");
}

}  // namespace zlink::bench
