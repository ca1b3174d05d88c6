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
#include <type_traits>
#include <vector>

#include "bench/call_counts.hpp"
#include "bench/lines.hpp"
#include "bench/outcome.hpp"
#include "bench/payload.hpp"
#include "bench/roles.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

struct stream_plan
{
    std::size_t size_bytes = 64;
    std::size_t senders = 1;          // numbers that must all be heard
    unsigned run_length = 16;         // messages of one sender in turn
    bool lossy = false;               // messages may be missing; how many is counted
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
    lines_of_bytes bytes_;
};

// How many messages of a run stand in memory together.
[[nodiscard]] inline unsigned group_of (const stream_plan &plan) noexcept
{
    constexpr std::size_t labelled_ahead_max = 1024;
    return plan.size_bytes <= labelled_ahead_max ? plan.run_length : 1;
}

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
    const unsigned group = group_of (plan);
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
            for (unsigned i = 0; i < plan.run_length; i += group)
                put_group (index);
            sent += plan.run_length;
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
    explicit stream_check (const stream_plan &plan)
      : size_bytes_ (plan.size_bytes), left_ (plan.senders), lossy_ (plan.lossy)
    {
    }

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
            skip_to (sequence, sender);
        heard_ += expected_[sender] == 0 ? 1u : 0u;
        ++expected_[sender];
        ++count_;
    }
    [[nodiscard]] std::uint64_t count () const noexcept { return count_; }
    [[nodiscard]] std::uint64_t lost () const noexcept { return lost_; }
    [[nodiscard]] std::size_t heard () const noexcept { return heard_; }
    [[nodiscard]] bool finished () const noexcept { return left_ == 0; }

  private:
    void skip_to (std::uint64_t sequence, std::uint64_t sender) noexcept
    {
        if (!lossy_ || sequence < expected_[sender])
            fail ("a message was lost, repeated or out of order");
        lost_ += sequence - expected_[sender];
        expected_[sender] = sequence;
    }

    std::size_t size_bytes_;
    std::size_t left_;
    bool lossy_;
    std::size_t heard_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t expected_[senders_max] = {};
};

// Fills in what the calls of the measured window come to per message.
inline void note_calls (const call_counts &start, const call_counts &end, outcome *found) noexcept
{
    const auto per_message = [found] (std::uint64_t first, std::uint64_t last) {
        return static_cast<double> (last - first) / found->messages;
    };
    found->reads_writes = per_message (start.reads_writes, end.reads_writes);
    found->polls = per_message (start.polls, end.polls);
    found->wakes = per_message (start.wakes, end.wakes);
    found->allocations = per_message (start.allocations, end.allocations);
    found->bytes_written = per_message (start.bytes_written, end.bytes_written);
}

// The receiving end of a stream, a chunk at a time.
template <class Receive> class stream_receiver
{
  public:
    stream_receiver (const stream_plan &plan, Receive &receive)
      : plan_ (plan), receive_ (receive), check_ (plan), chunk_ (chunk_of (plan.size_bytes))
    {
    }

    void take_one ()
    {
        std::size_t size = 0;
        const std::byte *body = receive_ (&size);
        check_.take (body, size);
    }

    // Until at least duration_ns passed, wanted messages came and all senders
    // were heard; at most the plan's longest time. Answers the time it took.
    std::int64_t take_for (std::int64_t duration_ns, std::uint64_t wanted)
    {
        const std::int64_t start_ns = os::now_ns ();
        const std::uint64_t start_count = check_.count ();
        std::int64_t spent_ns = 0;
        while (spent_ns < plan_.longest_ns
               && (spent_ns < duration_ns || check_.count () - start_count < wanted
                   || check_.heard () < plan_.senders)) {
            for (unsigned i = 0; i < chunk_; ++i)
                take_one ();
            spent_ns = os::now_ns () - start_ns;
        }
        return spent_ns;
    }

    void drain ()
    {
        while (!check_.finished ())
            take_one ();
    }
    [[nodiscard]] std::uint64_t count () const noexcept { return check_.count (); }
    [[nodiscard]] std::uint64_t lost () const noexcept { return check_.lost (); }

  private:
    // The clock is read once per chunk, so that it costs small messages nothing.
    static unsigned chunk_of (std::size_t size_bytes) noexcept
    {
        return size_bytes <= 1024 ? 64 : size_bytes <= 16384 ? 8 : 1;
    }

    const stream_plan &plan_;
    Receive &receive_;
    stream_check check_;
    unsigned chunk_;
};

// Warms up, measures by the receiver's clock, then drains to the last message
// of every sender. Stream: as stream_receiver.
template <class Stream> outcome measure_stream (const stream_plan &plan, shared_state *state, Stream &stream)
{
    watchdog::stage ("warming up");
    stream.take_for (plan.warm_up_ns, plan.held_messages);

    watchdog::stage ("measuring");
    call_counts start_calls, end_calls;
    const bool counted = read_call_counts (&start_calls);
    const std::uint64_t start_count = stream.count ();
    const std::uint64_t start_lost = stream.lost ();
    const std::int64_t start_cpu_ns = os::cpu_ns ();
    const std::int64_t spent_ns = stream.take_for (plan.duration_ns, 3 * plan.held_messages);
    outcome found;
    found.cpu_s = static_cast<double> (os::cpu_ns () - start_cpu_ns) / 1e9;
    found.seconds = static_cast<double> (spent_ns) / 1e9;
    found.messages = static_cast<double> (stream.count () - start_count);
    found.value = found.messages / found.seconds;
    const auto lost = static_cast<double> (stream.lost () - start_lost);
    found.lost = lost / (lost + found.messages);
    if (counted && read_call_counts (&end_calls))
        note_calls (start_calls, end_calls, &found);
    if (spent_ns >= plan.longest_ns)
        found.note = "cut at the longest time";

    watchdog::stage ("draining to the last message");
    state->stop.store (1, std::memory_order_relaxed);
    stream.drain ();
    state->finished.store (1, std::memory_order_release);
    found.all_messages = static_cast<double> (stream.count ());
    return found;
}

template <class Receive>
outcome receive_stream (const stream_plan &plan, shared_state *state, Receive &&receive)
{
    stream_receiver<std::remove_reference_t<Receive>> stream (plan, receive);
    return measure_stream (plan, state, stream);
}

}  // namespace zlink::bench
