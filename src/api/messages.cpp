#include "api/messages.hpp"

#include <string_view>

#include "zlink/zlink.h"

namespace zlink::api {

using base::errc;

int message_get (const base::message *msg, int property) noexcept
{
    if (!usable (msg))
        return failed (errc::bad_address);
    if (property == ZLINK_MORE)
        return msg->more () ? 1 : 0;
    if (property == ZLINK_SHARED)
        return msg->shared () ? 1 : 0;
    if (property == ZLINK_MSG_EVENT)
        return static_cast<int> (msg->event ());
    return failed (errc::invalid_argument);
}

const char *message_gets (const base::message *msg, const char *property) noexcept
{
    if (!usable (msg) || property == nullptr)
        return failed_pointer (errc::bad_address);
    const char *value = msg->facts () == nullptr ? nullptr : msg->facts ()->find (property);
    return value != nullptr ? value : failed_pointer (errc::invalid_argument);
}

int message_set_routing_id (base::message *msg, std::uint32_t id) noexcept
{
    if (!usable (msg))
        return failed (errc::bad_address);
    if (id == 0)
        return failed (errc::invalid_argument);
    msg->set_routing_id (id);
    return 0;
}

std::uint32_t message_routing_id (const base::message *msg) noexcept
{
    return usable (msg) ? msg->routing_id () : 0;
}

int message_set_group (base::message *msg, const char *group) noexcept
{
    if (!usable (msg) || group == nullptr)
        return failed (errc::bad_address);
    return answer (msg->set_group (group));
}

const char *message_group (const base::message *msg) noexcept
{
    return usable (msg) ? msg->group () : failed_pointer (errc::bad_address);
}

}  // namespace zlink::api
