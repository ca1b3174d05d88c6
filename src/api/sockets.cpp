#include "api/sockets.hpp"

#include <algorithm>
#include <numeric>

#include "api/real_world_access.hpp"
#include "zlink/zlink.h"

namespace zlink::api {

using base::errc;
using base::message;
using base::result;

// --- contexts -------------------------------------------------------------

void *context_new (socket::header made_by) noexcept
{
    std::shared_ptr<base::world> world = make_world ();
    if (world == nullptr)
        return failed_pointer (errc::no_memory);
    base::world &seams = *world;
    return answer (socket::context_open (seams, made_by, std::move (world)));
}

// Who terminates is done with its sockets: what it kept for them goes, too.
int context_terminate (void *context) noexcept
{
    thread_poll::end_mine ();
    return answer (socket::context_terminate (context, base::never_ns));
}

int context_terminate (void *context, std::int64_t timeout_ms) noexcept
{
    if (timeout_ms < 0)
        return context_terminate (context);
    base::world *const process = process_world ();
    if (process == nullptr)
        return failed (errc::no_memory);
    thread_poll::end_mine ();
    const base::time_ns deadline = process->time.now_ns () + timeout_ms * base::ns_per_ms;
    return answer (socket::context_terminate (context, deadline));
}

int text_into (text_call &ask, void *of, char *text, std::size_t *size) noexcept
{
    if (size == nullptr || (text == nullptr && *size != 0))
        return failed (errc::bad_address);
    const result<std::string> lines = ask (of);
    if (!lines)
        return failed (lines.failure ());
    const std::string &all = lines.value ();
    if (*size != 0) {
        const std::size_t copied = std::min (all.size (), *size - 1);
        std::memcpy (text, all.data (), copied);
        text[copied] = '\0';
    }
    *size = all.size () + 1;
    return 0;
}

// --- sockets --------------------------------------------------------------

bool is_socket (void *socket) noexcept
{
    constexpr int type_option = 16;
    int type = 0;
    std::size_t size = sizeof (type);
    return socket::get_option (socket, type_option, &type, &size).code () != errc::not_a_socket;
}

int with_group (endpoint_call &call, void *socket, const char *group) noexcept
{
    if (group != nullptr)
        return answer (call (socket, group));
    constexpr int type_option = 16;
    int type = 0;
    std::size_t size = sizeof (type);
    const base::result<void> known = socket::get_option (socket, type_option, &type, &size);
    if (!known.ok ())
        return failed (known.failure ());
    return failed (type == ZLINK_DISH ? errc::bad_address : errc::not_supported);
}

int peer_state (void *socket, const void *name, std::size_t size) noexcept
{
    const bool bad_name = name == nullptr && size > 0;
    const base::result<bool> room =
      socket::peer_has_room (socket, {static_cast<const std::byte *> (name), bad_name ? 0 : size});
    if (bad_name && (room.ok () || room.code () == errc::host_unreachable))
        return failed (errc::invalid_argument);
    if (!room.ok ())
        return failed (room.code ());
    return room.value () ? ZLINK_POLLOUT : 0;
}

// Of a type that has none nothing is looked at; and nothing is no endpoint.
std::uint32_t connect_peer (void *socket, const char *endpoint) noexcept
{
    const base::result<std::uint32_t> number =
      socket::connect_peer (socket, endpoint == nullptr ? "" : endpoint);
    if (!number.ok ()) {
        (void)failed (number.failure ());
        return 0;
    }
    return number.value ();
}

// --- whole messages -------------------------------------------------------

bool all_usable (const message *msgs, std::size_t count) noexcept
{
    return msgs != nullptr
           && std::all_of (msgs, msgs + count, [] (const message &each) { return each.valid (); });
}

int send_parts (void *socket, message *parts, std::size_t count, int flags) noexcept
{
    if (count == 0)
        return failed (errc::invalid_argument);
    if (!all_usable (parts, count))
        return failed (errc::bad_address);
    return answer_count (socket::send_parts (socket, {parts, count}, io_flags_of (flags)));
}

int receive_parts (void *socket, message *parts, std::size_t *count, int flags) noexcept
{
    if (count == nullptr || !all_usable (parts, *count))
        return failed (errc::bad_address);
    std::size_t needed = 0;
    const auto taken = socket::receive_parts (socket, {parts, *count}, io_flags_of (flags), &needed);
    if (taken.ok ())
        *count = taken.size ();
    else if (taken.code () == errc::message_too_long)
        *count = needed;
    return answer_count (taken);
}

int send_many (void *socket, message *msgs, std::size_t count, int flags) noexcept
{
    if (count == 0)
        return failed (errc::invalid_argument);
    if (!all_usable (msgs, count))
        return failed (errc::bad_address);
    return answer_count (socket::send_many (socket, {msgs, count}, io_flags_of (flags)));
}

int receive_many (void *socket, message *msgs, std::size_t count, int flags) noexcept
{
    if (count == 0)
        return failed (errc::invalid_argument);
    if (!all_usable (msgs, count))
        return failed (errc::bad_address);
    return answer_count (socket::receive_many (socket, {msgs, count}, io_flags_of (flags)));
}

int send_packed (void *socket,
                 const void *bytes,
                 std::size_t size,
                 const std::uint32_t *sizes,
                 std::size_t count,
                 int flags) noexcept
{
    if (count == 0)
        return failed (errc::invalid_argument);
    if (sizes == nullptr || (bytes == nullptr && size != 0))
        return failed (errc::bad_address);
    const std::uint64_t total = std::accumulate (sizes, sizes + count, std::uint64_t{0});
    if (total > size)
        return failed (errc::invalid_argument);
    return answer_count (socket::send_packed (socket, {static_cast<const std::byte *> (bytes), size},
                                              {sizes, count}, io_flags_of (flags)));
}

int receive_packed (
  void *socket, void *buffer, std::size_t size, std::uint32_t *sizes, std::size_t count, int flags) noexcept
{
    if (count == 0)
        return failed (errc::invalid_argument);
    if (sizes == nullptr || (buffer == nullptr && size != 0))
        return failed (errc::bad_address);
    return answer_count (socket::receive_packed (socket, {static_cast<std::byte *> (buffer), size},
                                                 {sizes, count}, io_flags_of (flags)));
}

// --- waiting --------------------------------------------------------------

result<std::size_t> poll_others (thread_poll *own,
                                 std::span<socket::poll_item> items,
                                 std::int64_t timeout_ms,
                                 base::signal_mask mask) noexcept
{
    if (own != nullptr)
        return own->wait_for (items, timeout_ms);
    base::world *const process = process_world ();
    return process == nullptr ? result<std::size_t> (errc::no_memory)
                              : socket::poll (*process, items, timeout_ms, mask);
}

}  // namespace zlink::api
