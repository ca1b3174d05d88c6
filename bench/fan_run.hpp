// The receiving end of one stream that goes to several subscribers: one thread
// reads a run from each in turn. Everybody must get everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/stream_run.hpp"

namespace zlink::bench {

// As stream_receiver, for measure_stream; count() is of all subscribers.
// receive (index, &size): one message of a subscriber's.
template <class Receive> class fan_receiver
{
  public:
    fan_receiver (const stream_plan &plan, std::size_t subscribers, Receive receive)
      : plan_ (plan), receive_ (std::move (receive)), checks_ (subscribers, stream_check (plan))
    {
    }

    std::int64_t take_for (std::int64_t duration_ns, std::uint64_t wanted)
    {
        const std::int64_t start_ns = os::now_ns ();
        const std::uint64_t start_count = count ();
        std::int64_t spent_ns = 0;
        while (spent_ns < plan_.longest_ns
               && (spent_ns < duration_ns || count () - start_count < wanted * checks_.size ())) {
            take_runs ();
            spent_ns = os::now_ns () - start_ns;
        }
        return spent_ns;
    }

    // All of them stand at the same message, so they end together.
    void drain ()
    {
        while (!checks_.back ().finished ())
            for (std::size_t i = 0; i < checks_.size (); ++i)
                take_one (i);
    }

    [[nodiscard]] std::uint64_t count () const noexcept
    {
        std::uint64_t sum = 0;
        for (const stream_check &each : checks_)
            sum += each.count ();
        return sum;
    }
    [[nodiscard]] std::uint64_t lost () const noexcept { return 0; }

  private:
    void take_runs ()
    {
        constexpr unsigned run_length = 64;
        for (std::size_t i = 0; i < checks_.size (); ++i)
            for (unsigned taken = 0; taken < run_length; ++taken)
                take_one (i);
    }
    void take_one (std::size_t index)
    {
        std::size_t size = 0;
        const std::byte *body = receive_ (index, &size);
        checks_[index].take (body, size);
    }

    const stream_plan &plan_;
    Receive receive_;
    std::vector<stream_check> checks_;
};

}  // namespace zlink::bench
