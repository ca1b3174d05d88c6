#include "api/vectors.hpp"

#include <cstdlib>

#include "api/sockets.hpp"
#include "base/copying.hpp"

namespace zlink::api {

using base::errc;
using base::message;

namespace {

constexpr std::size_t slices_in_place = 16;

// One message of all slices.
int send_together (void *socket, const io_slice *slices, std::size_t count, int flags) noexcept
{
    scratch<message, slices_in_place> parts (count);
    if (!parts.ok ())
        return failed (errc::no_memory);
    int outcome = 0;
    std::size_t made = 0;
    while (outcome == 0 && made < count) {
        outcome = message_init_copy (&parts.all ()[made], slices[made].base, slices[made].size);
        ++made;
    }
    const int last_size = static_cast<int> (message_size (&parts.all ()[count - 1]));
    if (outcome == 0
        && send_parts (socket, parts.all ().data (), count, flags & ~int{socket::io_send_more}) < 0)
        outcome = -1;
    for (message &part : parts.all ().first (made))
        part.close ();
    return outcome == 0 ? last_size : -1;
}

// Copies a received part to memory of its own.
int copy_out (const message &part, io_slice &to) noexcept
{
    void *memory = std::malloc (part.size () == 0 ? 1 : part.size ());
    if (memory == nullptr)
        return failed (errc::no_memory);
    base::copy_octets (memory, part.data (), part.size ());
    to = {memory, part.size ()};
    return 0;
}

}  // namespace

int send_slices (void *socket, const io_slice *slices, std::size_t count, int flags) noexcept
{
    if (!is_socket (socket))
        return failed (errc::not_a_socket);
    if (slices == nullptr || count == 0)
        return failed (errc::invalid_argument);
    if ((flags & int{socket::io_send_more}) != 0)
        return send_together (socket, slices, count, flags);
    int sent = 0;
    for (std::size_t i = 0; i < count && sent >= 0; ++i)
        sent = send_bytes (socket, slices[i].base, slices[i].size, flags);
    return sent;
}

int receive_slices (void *socket, io_slice *slices, std::size_t *count, int flags) noexcept
{
    if (!is_socket (socket))
        return failed (errc::not_a_socket);
    if (slices == nullptr || count == nullptr || *count == 0)
        return failed (errc::invalid_argument);
    const std::size_t room = *count;
    *count = 0;
    message part;
    part.init ();
    bool more = true;
    int outcome = 0;
    while (more && outcome >= 0 && *count < room) {
        outcome = receive_message (&part, socket, flags);
        if (outcome < 0)
            break;
        more = part.more ();
        outcome = copy_out (part, slices[*count]);
        *count += outcome == 0 ? 1 : 0;
    }
    part.close ();
    return outcome < 0 ? -1 : static_cast<int> (*count);
}

}  // namespace zlink::api
