// One-way streams: the sending and the receiving loop, the same for
// libraries and for floors, which differ in the two callables only.
//
//   send (index, body, size)   one message from sender number `index`;
//   flush (index)              nothing may stay behind in the sender;
//   receive (&size)            one message; its bytes stay valid until the
//                              next call.
// All of them end the process when they fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/outcome.hpp"
#include "bench/payload.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

struct stream_plan
{
    std::size_t size_bytes = 64;
    std::size_t senders = 1;          // numbers that must all be heard
    std::uint64_t held_messages = 0;  // what marks and buffers can hold
    std::int64_t warm_up_ns = 60'000'000;
    std::int64_t duration_ns = 400'000'000;
    std::int64_t longest_ns = 6'000'000'000;
};

// A body that was filled once; every message only gets its label and marks.
class scratch_body
{
  public:
    explicit scratch_body (std::size_t size) : bytes_ (std::make_unique<std::byte[]> (size))
    {
        for (std::size_t i = 0; i < size; ++i)
            bytes_[i] = static_cast<std::byte> (i * 7 + 3);
    }
    [[nodiscard]] std::byte *data () noexcept { return bytes_.get (); }

  private:
    std::unique_ptr<std::byte[]> bytes_;
};

// Senders first_sender .. first_sender + count - 1 in runs of run_length
// messages each, until the receiver has enough; then a last message of each.
template <class Send, class Flush>
void send_stream (const stream_plan &plan,
                  shared_state *state,
                  std::size_t first_sender,
                  std::size_t count,
                  unsigned run_length,
                  Send &&send,
                  Flush &&flush)
{
    scratch_body body (plan.size_bytes);
    std::uint64_t sequences[senders_max] = {};
    std::uint64_t sent = 0;
    const auto put = [&] (std::size_t index, std::uint64_t sequence) {
        const std::uint64_t label = std::uint64_t{first_sender + index} << sender_shift | sequence;
        write_payload (body.data (), plan.size_bytes, label);
        send (index, body.data (), plan.size_bytes);
    };
    while (state->stop.load (std::memory_order_relaxed) == 0)
        for (std::size_t index = 0; index < count; ++index) {
            for (unsigned i = 0; i < run_length; ++i)
                put (index, sequences[index]++);
            sent += run_length;
        }
    for (std::size_t index = 0; index < count; ++index) {
        put (index, last_sequence);
        flush (index);
    }
    state->sent.fetch_add (sent, std::memory_order_relaxed);
}

// Verifies order, sizes and marks of what arrives.
class stream_check
{
  public:
    explicit stream_check (const stream_plan &plan) : size_bytes_ (plan.size_bytes), left_ (plan.senders) {}

    void take (const std::byte *body, std::size_t size) noexcept
    {
        if (size != size_bytes_)
            fail ("a message of the wrong size arrived");
        const std::uint64_t label = payload_label (body);
        const std::uint64_t sender = label >> sender_shift;
        const std::uint64_t sequence = label & sequence_mask;
        if (sender >= senders_max)
            fail ("a damaged message arrived");
        if (!payload_intact (body, size, label))
            fail ("a body arrived damaged");
        if (sequence == last_sequence) {
            --left_;
            return;
        }
        if (sequence != expected_[sender])
            fail ("a message was lost, repeated or out of order");
        heard_ += expected_[sender] == 0 ? 1u : 0u;
        ++expected_[sender];
        ++count_;
    }
    [[nodiscard]] std::uint64_t count () const noexcept { return count_; }
    [[nodiscard]] std::size_t heard () const noexcept { return heard_; }
    [[nodiscard]] bool finished () const noexcept { return left_ == 0; }

  private:
    std::size_t size_bytes_;
    std::size_t left_;
    std::size_t heard_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t expected_[senders_max] = {};
};

// Warms up, measures by the receiver's clock, then drains to the last message
// of every sender.
template <class Receive>
outcome receive_stream (const stream_plan &plan, shared_state *state, Receive &&receive)
{
    stream_check check (plan);
    const auto take_one = [&] {
        std::size_t size = 0;
        const std::byte *body = receive (&size);
        check.take (body, size);
    };
    // The clock is read once per chunk, so that it costs small messages nothing.
    const unsigned chunk = plan.size_bytes <= 1024 ? 64 : plan.size_bytes <= 16384 ? 8 : 1;
    const std::int64_t first_ns = os::now_ns ();
    std::int64_t time_ns = first_ns;
    while (time_ns - first_ns < plan.longest_ns
           && (time_ns - first_ns < plan.warm_up_ns || check.heard () < plan.senders
               || check.count () < plan.held_messages)) {
        for (unsigned i = 0; i < chunk; ++i)
            take_one ();
        time_ns = os::now_ns ();
    }
    const std::int64_t start_ns = time_ns;
    const std::int64_t start_cpu_ns = os::cpu_ns ();
    const std::uint64_t start_count = check.count ();
    while (time_ns - start_ns < plan.longest_ns
           && (time_ns - start_ns < plan.duration_ns || check.count () - start_count < 3 * plan.held_messages)) {
        for (unsigned i = 0; i < chunk; ++i)
            take_one ();
        time_ns = os::now_ns ();
    }
    outcome found;
    found.cpu_s = static_cast<double> (os::cpu_ns () - start_cpu_ns) / 1e9;
    found.seconds = static_cast<double> (time_ns - start_ns) / 1e9;
    found.messages = static_cast<double> (check.count () - start_count);
    found.value = found.messages / found.seconds;
    state->stop.store (1, std::memory_order_relaxed);
    while (!check.finished ())
        take_one ();
    found.all_messages = static_cast<double> (check.count ());
    if (time_ns - start_ns >= plan.longest_ns)
        found.note = "cut at the longest time";
    return found;
}

}  // namespace zlink::bench
