// SPDX-License-Identifier: MPL-2.0
//
// Waiting for several sockets and descriptors at once, and passing messages on
// between two sockets.
//
// Thread rule: a poller belongs to one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <zlink/error.hpp>
#include <zlink/sockets.hpp>
#include <zlink/zlink.h>

namespace zlink {

// Bits of what to wait for, and of what was found.
enum class events : short
{
    none = 0,
    receive = ZLINK_POLLIN,
    send = ZLINK_POLLOUT,
    error = ZLINK_POLLERR,
};
[[nodiscard]] constexpr events operator| (events one, events other) noexcept
{
    return static_cast<events> (static_cast<short> (one) | static_cast<short> (other));
}
[[nodiscard]] constexpr bool has (events all, events one) noexcept
{
    return (static_cast<short> (all) & static_cast<short> (one)) != 0;
}

class poller
{
  public:
    // Something that is ready.
    struct ready_item
    {
        void *socket = nullptr;  // its handle; null: a descriptor
        zlink_fd_t descriptor = -1;
        void *tag = nullptr;  // what it was added with
        events found = events::none;
    };

    // failure: no_memory.
    poller () : handle_ (zlink_poller_new ())
    {
        if (handle_ == nullptr)
            throw failure (last_error (), "zlink::poller");
    }
    poller (poller &&other) noexcept
      : handle_ (std::exchange (other.handle_, nullptr)), raw_ (std::move (other.raw_)),
        found_ (std::move (other.found_)), items_ (std::exchange (other.items_, 0))
    {
    }
    poller &operator= (poller &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        std::swap (raw_, other.raw_);
        std::swap (found_, other.found_);
        std::swap (items_, other.items_);
        return *this;
    }
    poller (const poller &) = delete;
    poller &operator= (const poller &) = delete;
    ~poller ()
    {
        if (handle_ != nullptr)
            zlink_poller_destroy (&handle_);
    }

    // The socket must be removed before it is closed. failure: invalid_argument:
    // it is there already.
    void add (const socket_base &socket, events wanted, void *tag = nullptr)
    {
        check (add (std::nothrow, socket, wanted, tag));
    }
    result<void> add (std::nothrow_t, const socket_base &socket, events wanted, void *tag = nullptr) noexcept
    {
        return more (zlink_poller_add (handle_, socket.handle (), tag, static_cast<short> (wanted)));
    }
    void add (zlink_fd_t descriptor, events wanted, void *tag = nullptr)
    {
        check (add (std::nothrow, descriptor, wanted, tag));
    }
    result<void> add (std::nothrow_t, zlink_fd_t descriptor, events wanted, void *tag = nullptr) noexcept
    {
        return more (zlink_poller_add_fd (handle_, descriptor, tag, static_cast<short> (wanted)));
    }
    // failure: invalid_argument: it is not there.
    void modify (const socket_base &socket, events wanted) { check (modify (std::nothrow, socket, wanted)); }
    result<void> modify (std::nothrow_t, const socket_base &socket, events wanted) noexcept
    {
        return detail::outcome (zlink_poller_modify (handle_, socket.handle (), static_cast<short> (wanted)));
    }
    void modify (zlink_fd_t descriptor, events wanted) { check (modify (std::nothrow, descriptor, wanted)); }
    result<void> modify (std::nothrow_t, zlink_fd_t descriptor, events wanted) noexcept
    {
        return detail::outcome (zlink_poller_modify_fd (handle_, descriptor, static_cast<short> (wanted)));
    }
    void remove (const socket_base &socket) { check (remove (std::nothrow, socket)); }
    result<void> remove (std::nothrow_t, const socket_base &socket) noexcept
    {
        return less (zlink_poller_remove (handle_, socket.handle ()));
    }
    void remove (zlink_fd_t descriptor) { check (remove (std::nothrow, descriptor)); }
    result<void> remove (std::nothrow_t, zlink_fd_t descriptor) noexcept
    {
        return less (zlink_poller_remove_fd (handle_, descriptor));
    }
    [[nodiscard]] std::size_t size () const noexcept { return items_; }
    // For calls of the C interface; what they add is not counted here.
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // What is ready, after at most so long; empty: the time is over. Valid until
    // the next call. failure: interrupted, terminated.
    [[nodiscard]] std::span<const ready_item> wait (std::chrono::milliseconds limit = for_ever)
    {
        return detail::value_of (look (limit), "zlink::poller");
    }
    // failure: no_memory, too.
    [[nodiscard]] result<std::span<const ready_item>>
    wait (std::nothrow_t, std::chrono::milliseconds limit = for_ever) noexcept
    {
        return detail::no_throw ([&] { return look (limit); });
    }

    // Readable while a wait may find something: for other event loops. Closed
    // with the poller. failure: invalid_argument: there is no socket in it.
    [[nodiscard]] zlink_fd_t descriptor () const
    {
        return detail::value_of (descriptor (std::nothrow), "zlink::poller::descriptor");
    }
    [[nodiscard]] result<zlink_fd_t> descriptor (std::nothrow_t) const noexcept
    {
        zlink_fd_t found = -1;
        if (zlink_poller_fd (handle_, &found) != 0)
            return last_error ();
        return found;
    }

  private:
    static void check (result<void> answer) { detail::value_of (std::move (answer), "zlink::poller"); }
    result<void> more (int answer) noexcept
    {
        items_ += answer >= 0;
        return detail::outcome (answer);
    }
    result<void> less (int answer) noexcept
    {
        items_ -= answer >= 0;
        return detail::outcome (answer);
    }
    result<std::span<const ready_item>> look (std::chrono::milliseconds limit)
    {
        using items = std::span<const ready_item>;
        raw_.resize (items_ > 0 ? items_ : 1);
        const int count = zlink_poller_wait_all (handle_, raw_.data (), static_cast<int> (raw_.size ()),
                                                 static_cast<long> (limit.count ()));
        if (count < 0)
            return zlink_errno () == EAGAIN ? result<items> (items ()) : result<items> (last_error ());
        found_.clear ();
        for (const zlink_poller_event_t &each : std::span (raw_).first (static_cast<std::size_t> (count)))
            found_.push_back ({each.socket, each.fd, each.user_data, static_cast<events> (each.events)});
        return items (found_);
    }

    void *handle_;
    std::vector<zlink_poller_event_t> raw_;
    std::vector<ready_item> found_;
    std::size_t items_ = 0;
};

// Passes whole messages on between two sockets, in both directions as far as
// their types go, until the context ends or one of them is closed. Blocks. The
// sockets are its alone.
inline void proxy (socket_base &frontend, socket_base &backend, socket_base *capture = nullptr)
{
    zlink_proxy (frontend.handle (), backend.handle (), capture == nullptr ? nullptr : capture->handle ());
    const std::error_code why = last_error ();
    if (why != errc::terminated && why != errc::not_a_socket)
        throw failure (why, "zlink::proxy");
}

// The same, and returns when control receives TERMINATE; it takes PAUSE, RESUME
// and STATISTICS, too.
inline void proxy (socket_base &frontend, socket_base &backend, socket_base *capture, socket_base &control)
{
    const int answer =
      zlink_proxy_steerable (frontend.handle (), backend.handle (),
                             capture == nullptr ? nullptr : capture->handle (), control.handle ());
    const std::error_code why = last_error ();
    if (answer != 0 && why != errc::terminated && why != errc::not_a_socket)
        throw failure (why, "zlink::proxy");
}

}  // namespace zlink
