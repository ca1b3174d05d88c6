// What zlink.h has of a ROUTER's peers and a minimal library has not.
#define ZLINK_BUILD
#include "zlink/zlink.h"

#include "api/errors.hpp"
#include "api/sockets.hpp"
#include "socket/facade.hpp"

namespace api = zlink::api;
namespace facade = zlink::socket;

int zlink_disconnect_routing_id (void *socket, const void *routing_id, size_t size)
{
    if (routing_id == nullptr && size > 0)
        return api::failed (zlink::base::errc::bad_address);
    const zlink::base::bytes_view name (static_cast<const std::byte *> (routing_id), size);
    return api::answer (facade::disconnect_peer (socket, name));
}
