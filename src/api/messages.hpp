// The message functions of both ABIs. A zmq_msg_t or zlink_msg_t is the
// memory of a base::message; null and closed ones answer EFAULT, or what the
// public headers say where a function has no -1 to answer.
//
// Thread rule: one message is used by one thread at a time. Ownership: the
// caller's memory, the library's content. Blocking: no.
#pragma once

#include <cstring>
#include <new>
#include <span>

#include "api/errors.hpp"
#include "base/message.hpp"

namespace zlink::api {

// The memory of a public message struct as what it is.
template <class Public> [[nodiscard]] base::message *as_message (Public *msg) noexcept
{
    static_assert (sizeof (Public) == sizeof (base::message));
    return reinterpret_cast<base::message *> (msg);
}

template <class Public> [[nodiscard]] const base::message *as_message (const Public *msg) noexcept
{
    static_assert (sizeof (Public) == sizeof (base::message));
    return reinterpret_cast<const base::message *> (msg);
}

// Initialised and not closed.
[[nodiscard]] inline bool usable (const base::message *msg) noexcept
{
    return msg != nullptr && msg->valid ();
}

// Making: memory that holds anything becomes a message.
inline int message_init (base::message *msg) noexcept
{
    if (msg == nullptr)
        return failed (base::errc::bad_address);
    msg->init ();
    return 0;
}

inline int message_init_size (base::message *msg, std::size_t size) noexcept
{
    return msg == nullptr ? failed (base::errc::bad_address) : answer (msg->init_size (size));
}

inline int message_init_copy (base::message *msg, const void *bytes, std::size_t size) noexcept
{
    if (msg == nullptr || (bytes == nullptr && size != 0))
        return failed (base::errc::bad_address);
    return answer (msg->init_copy ({static_cast<const std::byte *> (bytes), size}));
}

inline int message_init_adopt (
  base::message *msg, void *data, std::size_t size, base::free_function *release, void *hint) noexcept
{
    if (msg == nullptr || (data == nullptr && size != 0))
        return failed (base::errc::bad_address);
    return answer (msg->init_adopt (data, size, release, hint));
}

// Ending and handing over.
inline int message_close (base::message *msg) noexcept
{
    if (!usable (msg))
        return failed (base::errc::bad_address);
    msg->close ();
    return 0;
}

inline int message_move (base::message *to, base::message *from) noexcept
{
    if (!usable (to) || !usable (from))
        return failed (base::errc::bad_address);
    to->move_from (*from);
    return 0;
}

inline int message_copy (base::message *to, base::message *from) noexcept
{
    if (!usable (to) || !usable (from))
        return failed (base::errc::bad_address);
    to->copy_from (*from);
    return 0;
}

inline void *message_data (base::message *msg) noexcept
{
    return usable (msg) ? msg->data () : failed_pointer (base::errc::bad_address);
}

inline std::size_t message_size (const base::message *msg) noexcept
{
    return usable (msg) ? msg->size () : 0;
}

inline int message_more (const base::message *msg) noexcept { return usable (msg) && msg->more () ? 1 : 0; }

int message_get (const base::message *msg, int property) noexcept;
// No property can be set: EINVAL.
inline int message_set (const base::message *msg) noexcept
{
    return failed (usable (msg) ? base::errc::invalid_argument : base::errc::bad_address);
}
const char *message_gets (const base::message *msg, const char *property) noexcept;
int message_set_routing_id (base::message *msg, std::uint32_t id) noexcept;
std::uint32_t message_routing_id (const base::message *msg) noexcept;
int message_set_group (base::message *msg, const char *group) noexcept;
const char *message_group (const base::message *msg) noexcept;

}  // namespace zlink::api
