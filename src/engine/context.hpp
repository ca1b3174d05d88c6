// What the sockets of one context share: the world, the reactors, the buffer
// pools, the names of inproc endpoints, the list of sockets.
//
// Ownership: whoever holds the shared_ptr; a socket holds one until the last
// of it is gone. Thread rule: every member from any thread; the locks inside
// are never taken while a socket lock is held, except the inproc names' by
// nobody and the reactors' leaf locks.
// Blocking: only terminate().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/world.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/reactor.hpp"
#include "engine/warnings.hpp"

namespace zlink::crypto {
class tls_world;
}

namespace zlink::engine {

class judge_desk;
class socket_core;
class lane;

// A socket and the life of it that is meant: slots are reused.
struct socket_ref
{
    socket_core *slot = nullptr;
    std::uint32_t generation = 0;
    [[nodiscard]] bool operator== (const socket_ref &) const noexcept = default;
};

class context
{
  public:
    context (base::world &world, std::shared_ptr<void> keep_alive);
    ~context ();
    context (const context &) = delete;
    context &operator= (const context &) = delete;

    base::world &world;
    byte_budget budget;
    buffer_pool arenas;
    buffer_pool slabs;
    // Threads inside blocking calls now: with more of them than cores nobody spins.
    base::atomic<int> threads_waiting{0};

    // Notes a warning, under a socket's lock; say_warnings() once none is held.
    [[nodiscard]] bool warn (const warning &what, std::string_view place, std::string_view peer) noexcept
    {
        return world.log != nullptr && warnings_.note (what, place, peer, world.time.now_ns ());
    }
    void say_warnings () noexcept
    {
        if (world.log != nullptr)
            warnings_.say (*world.log);
    }

    // Before the first socket; later calls have no effect. 0 = no limit.
    void set_budget (std::int64_t bytes) noexcept;
    // Null: there is none.
    [[nodiscard]] byte_budget *account () noexcept { return budget.limited () ? &budget : nullptr; }
    // There is room in the budget again: for all sockets that were held back.
    // No lock is held.
    void resume_held () noexcept;

    // Set before the first kernel endpoint; later changes have no effect.
    void set_threads (unsigned io_threads, base::thread_options options);
    // The reactor for a socket, started now if need be. errc::no_io_thread
    // when the context has none, or why it cannot start.
    base::result<reactor *> choose_reactor (std::uint64_t affinity) noexcept;

    // The transport of a scheme, or null.
    [[nodiscard]] base::transport *transport_of (std::string_view scheme) const noexcept;

    // --- sockets ---

    // errc::too_many_sockets, errc::terminated.
    base::result<void> admit (socket_ref socket, unsigned sockets_max) noexcept;
    void dismiss (socket_ref socket) noexcept;
    [[nodiscard]] std::vector<socket_ref> sockets ();
    [[nodiscard]] bool terminating () const noexcept { return terminating_.load (std::memory_order_acquire); }

    // Every blocking call answers errc::terminated from now on.
    void shutdown () noexcept;
    // shutdown, then waits for the last socket. timed_out, interrupted.
    base::result<void> terminate (base::time_ns deadline) noexcept;

    // --- inproc names ---

    // errc::address_in_use.
    base::result<void> bind_name (const std::string &name, socket_ref by);
    // False when by has not bound it.
    bool unbind_name (const std::string &name, socket_ref by) noexcept;
    void forget_names (socket_ref by) noexcept;
    [[nodiscard]] bool is_bound (std::string_view name) noexcept;
    // Who has bound it; if nobody, the link is remembered for take_waiting,
    // in one step: no bind can slip in between.
    struct waiting_link
    {
        socket_ref from;
        std::uint64_t endpoint_id = 0;
    };
    [[nodiscard]] socket_ref find_name_or_wait (const std::string &name, waiting_link who);
    // The one that waits longest, taken out; empty when nobody does. It can be
    // put back, which needs no memory.
    using waiting_links = std::multimap<std::string, waiting_link, std::less<>>;
    [[nodiscard]] waiting_links::node_type take_waiting (const std::string &name) noexcept;
    void wait_on (waiting_links::node_type who) noexcept;

    // --- who is let in ---

    // Made when it is first asked for. Null: the world does nothing that takes
    // long. May throw std::bad_alloc. In judge_desk.cpp.
    [[nodiscard]] std::shared_ptr<judge_desk> judges ();

    // --- TLS (socket_layers.cpp) ---

    // Made when it is first asked for. Null: there is no memory, or the world has no
    // files or no entropy.
    [[nodiscard]] std::shared_ptr<crypto::tls_world> tls () noexcept;

  private:
    std::shared_ptr<void> keep_alive_;
    warnings warnings_;
    base::atomic<bool> budget_settled_{false};

    base::exchange_lock reactors_lock_;
    unsigned io_threads_ = 1;
    base::thread_options thread_options_;
    std::vector<std::unique_ptr<reactor>> reactors_;

    base::exchange_lock sockets_lock_;
    std::vector<socket_ref> sockets_;
    base::atomic<bool> terminating_{false};
    base::atomic<std::uint32_t> open_sockets_{0};  // a futex word for terminate()

    base::exchange_lock names_lock_;
    std::map<std::string, socket_ref, std::less<>> names_;
    waiting_links waiting_;

    base::exchange_lock judges_lock_;
    std::shared_ptr<judge_desk> judges_;
};

}  // namespace zlink::engine
