// What both ABIs do with contexts and sockets: checks of C arguments before
// the facade, errno after it. Whatever runs per message is inline.
#pragma once

#include <algorithm>
#include <cstring>

#include "api/errors.hpp"
#include "api/messages.hpp"
#include "api/thread_poll.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

// --- contexts -------------------------------------------------------------

// A context in a real world of its own; NULL with errno.
void *context_new (socket::header made_by) noexcept;
int context_terminate (void *context) noexcept;
// ETIMEDOUT after timeout_ms; negative = no limit.
int context_terminate (void *context, std::int64_t timeout_ms) noexcept;
// Copies a text: at most *size bytes, NUL included; *size becomes what the
// whole text needs.
using text_call = base::result<std::string> (void *);
int text_into (text_call &ask, void *of, char *text, std::size_t *size) noexcept;

// --- sockets --------------------------------------------------------------

[[nodiscard]] bool is_socket (void *socket) noexcept;

// POLLOUT when the peer of that name has room, else 0.
int peer_state (void *socket, const void *name, std::size_t size) noexcept;

// The number by which the peer is known; 0 with errno.
std::uint32_t connect_peer (void *socket, const char *endpoint) noexcept;

using endpoint_call = base::result<void> (void *, std::string_view);
// Of a type that has no groups nothing is looked at.
int with_group (endpoint_call &call, void *socket, const char *group) noexcept;
inline int with_endpoint (endpoint_call &call, void *socket, const char *endpoint) noexcept
{
    if (endpoint == nullptr)
        return failed (base::errc::invalid_argument);
    return answer (call (socket, endpoint));
}

// --- one part -------------------------------------------------------------

inline unsigned io_flags_of (int flags) noexcept
{
    return static_cast<unsigned> (flags) & (socket::io_dont_wait | socket::io_send_more);
}

inline int send_bytes (void *socket, const void *bytes, std::size_t size, int flags) noexcept
{
    if (bytes == nullptr && size != 0) [[unlikely]]
        return failed (base::errc::bad_address);
    return answer_count (socket::send (socket, base::bytes_view{static_cast<const std::byte *> (bytes), size},
                                       io_flags_of (flags)));
}

inline int send_constant (void *socket, const void *bytes, std::size_t size, int flags) noexcept
{
    if (bytes == nullptr && size != 0) [[unlikely]]
        return failed (base::errc::bad_address);
    return answer_count (socket::send_constant (
      socket, base::bytes_view{static_cast<const std::byte *> (bytes), size}, io_flags_of (flags)));
}

inline int receive_bytes (void *socket, void *buffer, std::size_t size, int flags) noexcept
{
    if (buffer == nullptr && size != 0) [[unlikely]]
        return failed (base::errc::bad_address);
    return answer_count (socket::receive (socket, base::bytes_span{static_cast<std::byte *> (buffer), size},
                                          io_flags_of (flags)));
}

inline int send_message (base::message *msg, void *socket, int flags) noexcept
{
    if (!usable (msg)) [[unlikely]]
        return failed (base::errc::bad_address);
    return answer_count (socket::send (socket, *msg, io_flags_of (flags)));
}

inline int receive_message (base::message *msg, void *socket, int flags) noexcept
{
    if (!usable (msg)) [[unlikely]]
        return failed (base::errc::bad_address);
    return answer_count (socket::receive (socket, *msg, io_flags_of (flags)));
}

// --- whole messages -------------------------------------------------------

// False unless all are initialised messages.
[[nodiscard]] bool all_usable (const base::message *msgs, std::size_t count) noexcept;

int send_parts (void *socket, base::message *parts, std::size_t count, int flags) noexcept;
int receive_parts (void *socket, base::message *parts, std::size_t *count, int flags) noexcept;
int send_many (void *socket, base::message *msgs, std::size_t count, int flags) noexcept;
int receive_many (void *socket, base::message *msgs, std::size_t count, int flags) noexcept;
int send_packed (void *socket,
                 const void *bytes,
                 std::size_t size,
                 const std::uint32_t *sizes,
                 std::size_t count,
                 int flags) noexcept;
int receive_packed (
  void *socket, void *buffer, std::size_t size, std::uint32_t *sizes, std::size_t count, int flags) noexcept;

// --- waiting --------------------------------------------------------------

inline constexpr unsigned all_events =
  socket::event_in | socket::event_out | socket::event_error | socket::event_priority;

// Room for a few elements in place, for more from the heap.
template <class T, std::size_t InPlace> class scratch
{
  public:
    explicit scratch (std::size_t count) noexcept
      : rest_ (count > InPlace ? new (std::nothrow) T[count]{} : nullptr), count_ (count)
    {
    }
    ~scratch () { delete[] rest_; }
    scratch (const scratch &) = delete;
    scratch &operator= (const scratch &) = delete;
    [[nodiscard]] bool ok () const noexcept { return count_ <= InPlace || rest_ != nullptr; }
    [[nodiscard]] std::span<T> all () noexcept { return {rest_ != nullptr ? rest_ : in_place_, count_}; }

  private:
    T in_place_[InPlace]{};
    T *rest_;
    std::size_t count_;
};

inline constexpr std::size_t poll_items_in_place = 16;

// For items that are not the thread's kept ones; with a mask own is null, and
// it may be null without.
base::result<std::size_t> poll_others (thread_poll *own,
                                       std::span<socket::poll_item> items,
                                       std::int64_t timeout_ms,
                                       base::signal_mask mask) noexcept;

template <class Item> socket::poll_item poll_item_of (const Item &item) noexcept
{
    return {item.socket, static_cast<base::io_handle> (item.fd),
            static_cast<unsigned> (item.events) & all_events, 0};
}

template <class Item> bool are_kept (std::span<const socket::poll_item> kept, std::span<Item> items) noexcept
{
    return std::equal (
      items.begin (), items.end (), kept.begin (), kept.end (),
      [] (const Item &item, const socket::poll_item &each) { return same_wish (poll_item_of (item), each); });
}

// Copies the outcome into the caller's items.
template <class Item>
int poll_answer (base::result<std::size_t> ready,
                 std::span<const socket::poll_item> found,
                 std::span<Item> items) noexcept
{
    for (std::size_t i = 0; i < items.size (); ++i)
        items[i].revents = static_cast<short> (ready ? found[i].ready : 0U);
    return ready ? static_cast<int> (ready.value ()) : failed (ready.failure ());
}

// poll and ppoll over either header's item struct.
template <class Item>
int poll_items (Item *items, int count, long timeout_ms, base::signal_mask mask = {}) noexcept
{
    if (count < 0)
        return failed (base::errc::invalid_argument);
    if (items == nullptr && count != 0)
        return failed (base::errc::bad_address);
    const std::int64_t timeout = timeout_ms < 0 ? -1 : timeout_ms;
    const std::span<Item> given{items, static_cast<std::size_t> (count)};
    const bool may_keep = count > 0 && mask.platform_set == nullptr;
    thread_poll *const own = may_keep ? thread_poll::mine () : nullptr;
    if (own != nullptr && are_kept (own->kept (), given)) {
        const base::result<std::size_t> ready = own->wait (timeout);
        return poll_answer (ready, own->kept (), given);
    }
    scratch<socket::poll_item, poll_items_in_place> list (given.size ());
    if (!list.ok ())
        return failed (base::errc::no_memory);
    std::transform (given.begin (), given.end (), list.all ().begin (), poll_item_of<Item>);
    return poll_answer (poll_others (own, list.all (), timeout, mask),
                        std::span<const socket::poll_item> (list.all ()), given);
}

}  // namespace zlink::api
