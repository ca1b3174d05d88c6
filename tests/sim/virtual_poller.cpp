#include "sim/virtual_poller.hpp"

#include <algorithm>
#include <utility>

namespace zlink::sim {

using base::errc;

namespace {

std::uint32_t readiness_of (std::uint32_t level) noexcept
{
    std::uint32_t ready = 0;
    if ((level & level_in) != 0)
        ready |= base::ready_read;
    if ((level & level_out) != 0)
        ready |= base::ready_write;
    if ((level & (level_peer_ended | level_hangup | level_error)) != 0)
        ready |= base::ready_hangup;
    return ready;
}

base::time_ns deadline_of (const simulation &sim, base::time_ns timeout_ns) noexcept
{
    return timeout_ns < 0 ? base::never_ns : sim.now () + timeout_ns;
}

}  // namespace

virtual_poller::~virtual_poller ()
{
    if (waiting_ > 0)
        sim_.fail ("a poller is destroyed while somebody waits in it");
    for (auto &[number, each] : entries_)
        std::erase (each.file->watched_by_, this);
}

std::uint32_t virtual_poller::wanted (std::uint32_t interest) noexcept
{
    if ((interest & (base::interest_read | base::interest_write)) == 0)
        return 0;
    std::uint32_t bits = level_hangup | level_error;
    if ((interest & base::interest_read) != 0)
        bits |= level_in;
    if ((interest & base::interest_write) != 0)
        bits |= level_out;
    if ((interest & base::interest_edge) != 0)
        bits |= level_peer_ended;
    return bits;
}

std::uint32_t virtual_poller::to_report (const entry &which) noexcept
{
    const std::uint32_t asked = wanted (which.interest);
    return asked == 0 ? 0 : which.file->level () & asked;
}

void virtual_poller::list (entry &which) noexcept
{
    if (!which.listed) {
        which.listed = true;
        ready_.push_back (&which);
    }
    changed (level_in);
}

void virtual_poller::unlist (entry &which) noexcept
{
    if (std::exchange (which.listed, false))
        std::erase (ready_, &which);
}

void virtual_poller::hear (kernel_file &from, std::uint32_t bits) noexcept
{
    const auto found = entries_.find (from.number ());
    if (found != entries_.end () && (wanted (found->second.interest) & bits) != 0)
        list (found->second);
}

void virtual_poller::forget (kernel_file &gone) noexcept
{
    const auto found = entries_.find (gone.number ());
    if (found == entries_.end ())
        return;
    unlist (found->second);
    entries_.erase (found);
}

result<void> virtual_poller::add (io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept
{
    sim_.call ("poller add");
    kernel_file *const file = table_.find (handle);
    if (file == nullptr || file == this)
        return errc::invalid_argument;
    if (flat && dynamic_cast<virtual_poller *> (file) != nullptr)
        return errc::not_supported;
    const auto [place, fresh] = entries_.try_emplace (handle);
    if (!fresh)
        return errc::os_failure;
    place->second = {file, interest, tag, false};
    file->watched_by_.push_back (this);
    if (to_report (place->second) != 0)
        list (place->second);
    sim_.call ("poller added");
    return {};
}

result<void> virtual_poller::modify (io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept
{
    sim_.call ("poller modify");
    const auto found = entries_.find (handle);
    if (found == entries_.end ())
        return errc::no_such_file;
    found->second.interest = interest;
    found->second.tag = tag;
    if (to_report (found->second) != 0)
        list (found->second);
    sim_.call ("poller modified");
    return {};
}

void virtual_poller::remove (io_handle handle) noexcept
{
    sim_.call ("poller remove");
    const auto found = entries_.find (handle);
    if (found == entries_.end ())
        return;
    std::erase (found->second.file->watched_by_, this);
    unlist (found->second);
    entries_.erase (found);
}

std::uint32_t virtual_poller::level () noexcept
{
    const bool any = woken_ || std::any_of (ready_.begin (), ready_.end (), [] (const entry *each) {
                         return to_report (*each) != 0;
                     });
    return any ? std::uint32_t{level_in} : 0;
}

std::size_t virtual_poller::collect (std::span<base::poll_event> events) noexcept
{
    std::size_t count = 0;
    if (count < events.size () && std::exchange (woken_, false))
        events[count++] = {base::wake_tag, base::ready_read};
    for (std::size_t left = ready_.size (); left > 0 && count < events.size (); --left) {
        entry &which = *ready_.front ();
        ready_.pop_front ();
        which.listed = false;
        const std::uint32_t bits = to_report (which);
        if (bits == 0)
            continue;
        events[count++] = {which.tag, readiness_of (bits)};
        if ((which.interest & base::interest_one_shot) != 0) {
            which.interest = 0;
        } else if ((which.interest & base::interest_edge) == 0) {
            which.listed = true;
            ready_.push_back (&which);
        }
    }
    return count;
}

result<std::size_t> virtual_poller::wait (std::span<base::poll_event> events,
                                          base::time_ns timeout_ns) noexcept
{
    ++waiting_;
    sim_.call ("poller wait");
    std::size_t count = collect (events);
    wait_end end = wait_end::ready;
    if (count == 0 && timeout_ns != 0) {
        const base::time_ns deadline = deadline_of (sim_, timeout_ns);
        do {
            end = sim_.wait (
              "sleeps in a poller", deadline, [this] { return level () != 0; }, true);
            count = collect (events);
        } while (count == 0 && end == wait_end::ready);
    }
    if (count > 0)
        sim_.call ("poller events");
    --waiting_;
    if (count == 0 && end == wait_end::interrupted)
        return errc::interrupted;
    return count;
}

void virtual_poller::wake () noexcept
{
    sim_.call ("poller wake");
    woken_ = true;
    changed (level_in);
    sim_.call ("poller woken");
}

result<std::unique_ptr<base::poller>> virtual_poller_factory::make () noexcept
{
    if (table_.full ())
        return errc::too_many_files;
    auto made = std::make_unique<virtual_poller> (table_);
    made->flat = !nests_;
    return std::unique_ptr<base::poller> (std::move (made));
}

result<std::size_t> virtual_poller_factory::wait_list (std::span<base::poll_entry> entries,
                                                       base::time_ns timeout_ns,
                                                       base::signal_mask mask) noexcept
{
    if (mask.platform_set != nullptr)
        return errc::not_supported;  // no signals here but those of the script
    simulation &sim = table_.sim;
    sim.call ("poll");
    const auto look = [&] {
        std::size_t found = 0;
        for (base::poll_entry &each : entries) {
            kernel_file *const file = table_.find (each.handle);
            std::uint32_t asked = level_hangup | level_error;
            asked |= (each.interest & base::interest_read) != 0 ? std::uint32_t{level_in} : 0;
            asked |= (each.interest & base::interest_write) != 0 ? std::uint32_t{level_out} : 0;
            each.ready = readiness_of (file == nullptr ? std::uint32_t{level_error} : file->level () & asked);
            found += each.ready != 0;
        }
        return found;
    };
    std::size_t found = look ();
    if (found == 0 && timeout_ns != 0) {
        const wait_end end = sim.wait (
          "sleeps in poll", deadline_of (sim, timeout_ns), [&look] { return look () != 0; }, true);
        found = look ();
        if (found == 0 && end == wait_end::interrupted)
            return errc::interrupted;
    }
    sim.call ("polled");
    return found;
}

}  // namespace zlink::sim
