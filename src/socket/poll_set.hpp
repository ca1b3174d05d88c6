// A set of sockets and plain handles that one thread waits for, again and
// again: the cost of a wait follows what is ready, not how many there are.
//
// A socket that was ready for nothing is asked to tell, and not looked at
// before it does: by its watcher, or by its kernel handle, which is a member
// of the set's own poller. What was ready is looked at again in every wait, so
// that it is reported for as long as it lasts, and so is who wants to write:
// room may be there before a socket tells of it. Plain handles are handed to
// the kernel anew in every wait, as their numbers may have changed hands: each
// costs a look of the kernel. Few items are all looked at, and asked only before
// a sleep.
// Thread rule: one thread at a time; sockets may be closed by others at any
// time, which the next wait answers with not_a_socket.
// Lifetime: the world outlives the set; sockets need not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/poller.hpp"
#include "base/world.hpp"
#include "socket/poll_item.hpp"

namespace zlink::socket {

// A socket of a set, and what is behind the set (poll_sources.hpp).
struct poll_source;
struct poll_sources;

class poll_set
{
  public:
    // Whose sockets wake it where there is room again at the other end of an inproc link.
    enum class room : unsigned char
    {
        of_all,
        where_waited_for,  // only if an item waits for room
    };
    explicit poll_set (base::world &world, room of = room::of_all) noexcept
      : world_ (world), of_all_ (of == room::of_all)
    {
    }
    ~poll_set () { clear (); }
    poll_set (const poll_set &) = delete;
    poll_set &operator= (const poll_set &) = delete;

    // From now on exactly these, in this order; a socket may come more than
    // once. Costs a glance at each, and what is new, gone or wanted for other
    // events. no_memory: the set is empty then.
    base::result<void> assign (std::span<const poll_item> items) noexcept;
    // As assigned; ready as the last wait found it.
    [[nodiscard]] std::span<const poll_item> items () const noexcept { return items_; }

    // As socket::poll. What can not be kept (the system gives no more pollers,
    // memory is out) is polled for the plain way, until the next assign. After
    // not_a_socket and terminated the set is empty.
    base::result<std::size_t> wait (std::int64_t timeout_ms) noexcept;

    void clear () noexcept;
    // In a forked child: empty, and all that the parent has is left alone.
    void forsake () noexcept;

  private:
    // --- members ---
    void gather (std::span<const poll_item> items);
    poll_source &source_of (void *socket);
    void drop_unlinked () noexcept;
    void let_go (poll_source &which) noexcept;
    void leave_poller (poll_source &which) noexcept;
    void leave_sockets () noexcept;
    void forget_members () noexcept;
    base::errc rebuild ();
    void heat (poll_source &which) noexcept;

    // --- one wait ---
    void forget_ready () noexcept;
    void note_ready (poll_source &which, unsigned now) noexcept;
    void take_noted () noexcept;
    base::errc look () noexcept;
    base::errc look_first () noexcept;
    [[nodiscard]] bool all_ready () const noexcept;
    base::errc make_poller () noexcept;
    base::errc ask_sockets (bool sleeps);
    base::errc ask_socket (poll_source &which);
    base::errc join_poller (poll_source &which, base::io_handle kernel);
    void take_event (const base::poll_event &told) noexcept;
    base::errc ask_poller (base::time_ns timeout_ns) noexcept;
    base::errc ask_list (base::time_ns timeout_ns);
    void take_handles (std::size_t first_entry) noexcept;
    base::errc ask_kernel (base::time_ns timeout_ns);
    base::errc step (base::time_ns timeout_ns);
    base::result<std::size_t> wait_kept (std::int64_t timeout_ms) noexcept;

    base::world &world_;
    std::vector<poll_item> items_;
    std::vector<std::size_t> next_;          // of an item: the next with the same socket
    std::vector<std::size_t> plain_;         // items without a socket
    std::vector<std::size_t> reported_;      // items that are ready
    std::shared_ptr<poll_sources> sources_;  // null: no sockets yet
    std::unordered_map<void *, poll_source *> by_socket_;
    std::unordered_map<base::io_handle, poll_source *> by_kernel_;  // members of the poller
    std::vector<poll_source *> writers_;                            // who wants to write
    std::vector<poll_source *> hot_;                                // to be looked at
    std::size_t looked_at_ = 0;                                     // how many of those
    std::vector<base::poll_entry> entries_;
    bool stale_ = false;  // the poller told of what is no member any more
    const bool of_all_;
    bool given_up_ = false;  // nothing is kept
};

}  // namespace zlink::socket
