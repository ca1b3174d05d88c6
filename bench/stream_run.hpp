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
#include <vector>

#include "bench/call_counts.hpp"
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

// Bodies that were filled once; every message only gets its label and marks.
class scratch_bodies
{
  public:
    scratch_bodies (std::size_t size, std::size_t count)
      : stride_ ((size + 63) / 64 * 64), bytes_ (stride_ * count, std::byte{0x5A})
    {
    }
    [[nodiscard]] std::byte *at (std::size_t index) noexcept { return bytes_.data () + index * stride_; }

  private:
    std::size_t stride_;
    std::vector<std::byte> bytes_;
};

inline constexpr unsigned run_length = 16;

// Senders first_sender .. first_sender + count - 1, a run of messages each in
// turn, until the receiver has enough; then a last message of each.
//
// Small messages of a run are labelled before the first of them is sent: a
// copy right behind the label's narrow stores would wait for them to drain,
// which says something about the benchmark and nothing about a library.
template <class Send, class Flush>
void send_stream (const stream_plan &plan,
                  shared_state *state,
                  std::size_t first_sender,
                  std::size_t count,
                  Send &&send,
                  Flush &&flush)
{
    constexpr std::size_t labelled_ahead_max = 1024;
    const bool ahead = plan.size_bytes <= labelled_ahead_max;
    const unsigned group = ahead ? run_length : 1;
    scratch_bodies bodies (plan.size_bytes, group);
    std::uint64_t sequences[senders_max] = {};
    std::uint64_t sent = 0;
    const auto put_group = [&] (std::size_t index) {
        const std::uint64_t sender = std::uint64_t{first_sender + index} << sender_shift;
        for (unsigned i = 0; i < group; ++i)
            write_payload (bodies.at (i), plan.size_bytes, sender | sequences[index]++);
        for (unsigned i = 0; i < group; ++i)
            send (index, bodies.at (i), plan.size_bytes);
    };
    while (state->stop.load (std::memory_order_relaxed) == 0)
        for (std::size_t index = 0; index < count; ++index) {
            for (unsigned i = 0; i < run_length; i += group)
                put_group (index);
            sent += run_length;
        }
    for (std::size_t index = 0; index < count; ++index) {
        write_payload (bodies.at (0), plan.size_bytes,
                       std::uint64_t{first_sender + index} << sender_shift | last_sequence);
        send (index, bodies.at (0), plan.size_bytes);
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

inline void note_calls (const call_counts &start, const call_counts &end, outcome *found) noexcept
{
    const auto per_message = [found] (std::uint64_t first, std::uint64_t last) {
        return static_cast<double> (last - first) / found->messages;
    };
    found->reads_writes = per_message (start.reads_writes, end.reads_writes);
    found->polls = per_message (start.polls, end.polls);
    found->wakes = per_message (start.wakes, end.wakes);
    found->allocations = per_message (start.allocations, end.allocations);
}

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
    call_counts start_calls, end_calls;
    const bool counted = read_call_counts (&start_calls);
    while (
      time_ns - start_ns < plan.longest_ns
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
    if (counted && read_call_counts (&end_calls))
        note_calls (start_calls, end_calls, &found);
    state->stop.store (1, std::memory_order_relaxed);
    while (!check.finished ())
        take_one ();
    found.all_messages = static_cast<double> (check.count ());
    if (time_ns - start_ns >= plan.longest_ns)
        found.note = "cut at the longest time";
    return found;
}

}  // namespace zlink::bench
