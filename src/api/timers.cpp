#include "api/timers.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <utility>
#include <vector>

namespace zlink::api {

using base::errc;
using base::result;
using base::time_ns;

namespace {

// A century: longer intervals are as good as this.
constexpr std::size_t interval_ms_max = std::size_t{100} * 365 * 24 * 3600 * 1000;

time_ns in_ns (std::size_t interval_ms)
{
    return static_cast<time_ns> (std::min (interval_ms, interval_ms_max)) * base::ns_per_ms;
}

}  // namespace

// Takes no memory, so that no timer is lost for want of it.
void timers::restart (int id, entry &of, time_ns now_ns) noexcept
{
    auto place = order_.extract ({of.due_ns, id});
    of.due_ns = now_ns + of.interval_ns;
    place.value ().first = of.due_ns;
    order_.insert (std::move (place));
}

int timers::add (std::size_t interval_ms, handler *call, void *argument)
{
    const int id = ++last_id_;
    const time_ns interval_ns = in_ns (interval_ms);
    const entry made{interval_ns, time_.now_ns () + interval_ns, call, argument};
    entries_.emplace (id, made);
    try {
        order_.insert ({made.due_ns, id});
    } catch (const std::bad_alloc &) {
        entries_.erase (id);
        throw;
    }
    return id;
}

result<void> timers::cancel (int id)
{
    const auto found = entries_.find (id);
    if (found == entries_.end ())
        return errc::invalid_argument;
    order_.erase ({found->second.due_ns, id});
    entries_.erase (found);
    return {};
}

result<void> timers::set_interval (int id, std::size_t interval_ms)
{
    const auto found = entries_.find (id);
    if (found == entries_.end ())
        return errc::invalid_argument;
    found->second.interval_ns = in_ns (interval_ms);
    restart (id, found->second, time_.now_ns ());
    return {};
}

result<void> timers::reset (int id)
{
    const auto found = entries_.find (id);
    if (found == entries_.end ())
        return errc::invalid_argument;
    restart (id, found->second, time_.now_ns ());
    return {};
}

std::optional<long> timers::timeout_ms ()
{
    if (order_.empty ())
        return std::nullopt;
    const time_ns left_ns = std::max<time_ns> (order_.begin ()->first - time_.now_ns (), 0);
    return static_cast<long> (
      std::min<time_ns> ((left_ns + base::ns_per_ms - 1) / base::ns_per_ms, LONG_MAX));
}

void timers::execute ()
{
    const time_ns now_ns = time_.now_ns ();
    std::vector<int> due;
    for (const auto &[due_ns, id] : order_) {
        if (due_ns > now_ns)
            break;
        due.push_back (id);
    }
    for (const int id : due) {
        const auto found = entries_.find (id);
        // A handler before this one may have cancelled or postponed it.
        if (found == entries_.end () || found->second.due_ns > now_ns)
            continue;
        restart (id, found->second, now_ns);
        const entry chosen = found->second;
        chosen.call (id, chosen.argument);
    }
}

}  // namespace zlink::api
