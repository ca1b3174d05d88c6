// A set of sockets and descriptors to wait on (zmq_poller_*).
//
// In a forked child a set goes on with what the child adds and with its plain
// descriptors; sockets of the parent make wait answer terminated, and
// descriptor() answers a new one.
// Thread rule: one thread at a time. Sockets are removed before they are
// closed; a closed one makes wait answer not_a_socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/poller.hpp"
#include "base/world.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

// What to wait for: a socket, or (socket null) a descriptor.
struct poll_target
{
    void *socket = nullptr;
    base::io_handle handle = base::no_handle;
    [[nodiscard]] bool operator== (const poll_target &) const noexcept = default;
};

struct ready_event
{
    poll_target target;
    void *user_data = nullptr;
    unsigned events = 0;  // socket::event_bits
};

class poller_set
{
  public:
    // The world outlives the set.
    explicit poller_set (base::world &world);
    ~poller_set ();
    poller_set (const poller_set &) = delete;
    poller_set &operator= (const poller_set &) = delete;

    // invalid_argument: unknown event bits; add: is there already; the
    // others: is not there.
    base::result<void> add (poll_target target, void *user_data, unsigned events);
    base::result<void> modify (poll_target target, unsigned events);
    base::result<void> remove (poll_target target);
    [[nodiscard]] std::size_t size () const noexcept { return items_.size (); }

    // Fills events, beginning behind the last one reported, so that nobody
    // starves; answers how many, 0 = timed out. timeout_ms -1 = no limit,
    // which an empty set answers with bad_address. not_a_socket, terminated,
    // interrupted.
    base::result<std::size_t> wait (std::span<ready_event> events, std::int64_t timeout_ms);

    // For a foreign event loop: readable while wait may report something, so
    // that only a wait that reports nothing takes that back. The set's own,
    // closed with it. invalid_argument: there is no socket in the set, or the
    // platform has no such thing.
    base::result<base::io_handle> descriptor ();

  private:
    // In a forked child what the parent waits with is left alone.
    void leave_parents () noexcept;
    // Waits; items_ learn what they are ready for.
    base::result<std::size_t> look (std::int64_t timeout_ms);
    // What signal_ waits for on behalf of an item.
    void erase (std::size_t at) noexcept;
    base::result<void> attach (std::size_t at);
    void detach (std::size_t at);
    base::result<void> rearm ();
    void raise () noexcept;

    [[nodiscard]] std::size_t find (poll_target target) const noexcept;

    base::world &world_;
    std::vector<socket::poll_item> items_;
    socket::poll_set set_;                  // waits for them while there is no signal_
    bool settled_ = true;                   // set_ holds items_
    std::vector<void *> user_data_;         // of the item with the same index
    std::vector<base::io_handle> watched_;  // likewise: what is in signal_, or no_handle
    std::shared_ptr<base::poller> signal_;  // behind the descriptor; null until asked for
    std::uint32_t made_in_;                 // the process that set_ and signal_ belong to
    std::size_t first_ = 0;                 // where the next report begins
};

}  // namespace zlink::api
