#include "engine/context.hpp"

#include <algorithm>
#include <new>

#include "engine/limits.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

constexpr std::size_t buffers_kept_max = 16;

}  // namespace

context::context (base::world &seams, std::shared_ptr<void> keep_alive)
  : world (seams), arenas (arena_bytes_default, buffers_kept_max),
    slabs (slab_bytes_default, buffers_kept_max), keep_alive_ (std::move (keep_alive))
{
    if (world.sleep.cores () == 1)
        base::lock_spins_max.store (0, std::memory_order_relaxed);
}

context::~context () = default;

void context::set_budget (std::int64_t bytes) noexcept
{
    if (budget_settled_.exchange (true, std::memory_order_acq_rel))
        return;
    budget.set_limit (bytes);
    for (buffer_pool *each : {&arenas, &slabs})
        each->charge_to (account ());
}

void context::resume_held () noexcept
try {
    for (const socket_ref &each : sockets ())
        each.slot->resume_held (each.generation);
} catch (const std::bad_alloc &) {
    // Those who sleep look again by themselves.
}

void context::set_threads (unsigned io_threads, base::thread_options options)
{
    const base::locked hold (reactors_lock_);
    io_threads_ = io_threads;
    thread_options_ = std::move (options);
}

result<reactor *> context::choose_reactor (std::uint64_t affinity) noexcept
try {
    const base::locked hold (reactors_lock_);
    if (io_threads_ == 0)
        return errc::no_io_thread;
    reactor *best = nullptr;
    for (unsigned i = 0; i < io_threads_; ++i) {
        if (affinity != 0 && (i >= 64 || (affinity >> i & 1) == 0))
            continue;
        if (i >= reactors_.size () || reactors_[i] == nullptr) {
            // A reactor starts when the ones before it have work.
            if (best != nullptr && best->sockets.load (std::memory_order_relaxed) == 0)
                break;
            auto fresh = std::make_unique<reactor> (world);
            base::thread_options options = thread_options_;
            options.name += "zlink/" + std::to_string (i);
            if (const auto started = fresh->start (options); !started.ok ())
                return started.failure ();
            if (reactors_.size () <= i)
                reactors_.resize (i + 1);
            reactors_[i] = std::move (fresh);
        }
        reactor *const each = reactors_[i].get ();
        if (best == nullptr
            || each->sockets.load (std::memory_order_relaxed)
                 < best->sockets.load (std::memory_order_relaxed))
            best = each;
    }
    if (best == nullptr)
        return errc::no_io_thread;
    best->sockets.fetch_add (1, std::memory_order_relaxed);
    return best;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

base::transport *context::transport_of (std::string_view scheme) const noexcept
{
    for (base::transport *each : world.transports)
        if (each->scheme () == scheme)
            return each;
    return nullptr;
}

// --- sockets -----------------------------------------------------------------------

result<void> context::admit (socket_ref socket, unsigned sockets_max_wished) noexcept
try {
    const base::locked hold (sockets_lock_);
    if (terminating_.load (std::memory_order_relaxed))
        return errc::terminated;
    if (sockets_.size () >= sockets_max_wished)
        return errc::too_many_sockets;
    sockets_.push_back (socket);
    open_sockets_.store (static_cast<std::uint32_t> (sockets_.size ()), std::memory_order_release);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void context::dismiss (socket_ref socket) noexcept
{
    {
        const base::locked hold (sockets_lock_);
        std::erase (sockets_, socket);
        open_sockets_.store (static_cast<std::uint32_t> (sockets_.size ()), std::memory_order_release);
    }
    world.sleep.wake (open_sockets_, INT32_MAX);
}

std::vector<socket_ref> context::sockets ()
{
    const base::locked hold (sockets_lock_);
    return sockets_;
}

void context::shutdown () noexcept
{
    {
        const base::locked hold (sockets_lock_);
        terminating_.store (true, std::memory_order_release);
    }
    // From the end, as those who go meanwhile move others to the front; nobody
    // comes any more.
    for (std::size_t left = SIZE_MAX; left > 0;) {
        socket_ref each;
        {
            const base::locked hold (sockets_lock_);
            left = std::min (left, sockets_.size ());
            if (left == 0)
                break;
            each = sockets_[--left];
        }
        each.slot->stop (each.generation);
    }
}

result<void> context::terminate (base::time_ns deadline) noexcept
{
    shutdown ();
    for (;;) {
        const std::uint32_t left = open_sockets_.load (std::memory_order_acquire);
        if (left == 0)
            break;
        const base::wait_outcome outcome = world.sleep.wait (open_sockets_, left, deadline);
        if (outcome == base::wait_outcome::interrupted)
            return errc::interrupted;
        if (outcome == base::wait_outcome::timed_out && deadline != base::never_ns
            && world.time.now_ns () >= deadline)
            return errc::timed_out;
    }
    const base::locked hold (reactors_lock_);
    for (const auto &each : reactors_)
        if (each != nullptr)
            each->stop ();
    return {};
}

// --- inproc names --------------------------------------------------------------------

result<void> context::bind_name (const std::string &name, socket_ref by)
{
    const base::locked hold (names_lock_);
    return names_.emplace (name, by).second ? result<void> () : result<void> (errc::address_in_use);
}

bool context::unbind_name (const std::string &name, socket_ref by) noexcept
{
    const base::locked hold (names_lock_);
    const auto found = names_.find (name);
    if (found == names_.end () || !(found->second == by))
        return false;
    names_.erase (found);
    return true;
}

void context::forget_names (socket_ref by) noexcept
{
    const base::locked hold (names_lock_);
    std::erase_if (names_, [by] (const auto &each) { return each.second == by; });
    std::erase_if (waiting_, [by] (const auto &each) { return each.second.from == by; });
}

bool context::is_bound (std::string_view name) noexcept
{
    const base::locked hold (names_lock_);
    return names_.find (name) != names_.end ();
}

socket_ref context::find_name_or_wait (const std::string &name, waiting_link who)
{
    const base::locked hold (names_lock_);
    const auto found = names_.find (name);
    if (found != names_.end ())
        return found->second;
    waiting_.emplace (name, who);
    return {};
}

context::waiting_links::node_type context::take_waiting (const std::string &name) noexcept
{
    const base::locked hold (names_lock_);
    const auto oldest = waiting_.lower_bound (name);
    return oldest == waiting_.end () || oldest->first != name ? waiting_links::node_type ()
                                                              : waiting_.extract (oldest);
}

void context::wait_on (waiting_links::node_type who) noexcept
{
    const base::locked hold (names_lock_);
    waiting_.insert (waiting_.lower_bound (who.key ()), std::move (who));
}

}  // namespace zlink::engine
