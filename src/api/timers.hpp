// A set of repeating timers, run by whoever asks (zmq_timers_*).
//
// Thread rule: one thread at a time; handlers run inside execute() and may
// call everything but the destructor. Blocking: no.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace zlink::api {

class timers
{
  public:
    using handler = void (int id, void *argument);

    // The clock outlives the set.
    explicit timers (base::clock &time) : time_ (time) {}

    // The timer's number, from 1 on; first due one interval from now.
    int add (std::size_t interval_ms, handler *call, void *argument);

    // invalid_argument: no such timer. The last two start the interval again.
    base::result<void> cancel (int id);
    base::result<void> set_interval (int id, std::size_t interval_ms);
    base::result<void> reset (int id);

    // Until the next is due, rounded up to ms, 0 = now; none = no timers.
    [[nodiscard]] std::optional<long> timeout_ms ();

    // Calls the handler of every timer that is due now, once.
    void execute ();

  private:
    struct entry
    {
        base::time_ns interval_ns;
        base::time_ns due_ns;
        handler *call;
        void *argument;
    };

    void restart (int id, entry &of, base::time_ns now_ns) noexcept;

    base::clock &time_;
    int last_id_ = 0;
    std::map<int, entry> entries_;
    std::set<std::pair<base::time_ns, int>> order_;  // due_ns and id of all entries
};

}  // namespace zlink::api
