// How events look to C programs: numbers and values of zmq.h and zlink.h, and
// the messages of their monitors.
//
// Pure functions over events. Thread rule: any thread. Integers of messages
// are in the machine's own byte order, as they do not leave the process.
// Source: zmq_socket_monitor(3) and zmq_socket_monitor_versioned(3); zlink
// 1.x: event, number of values, values, routing id, local and remote address.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/message.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

// 0: not an event of that header. The first two know nothing of inproc links,
// and zmq.h's nothing of connections that we end ourselves, as libzmq does.
[[nodiscard]] std::uint64_t zmq_event_number (const socket::event &what) noexcept;
[[nodiscard]] std::uint64_t zlink_monitor_number (const socket::event &what) noexcept;
[[nodiscard]] std::uint64_t zlink_event_number (const socket::event &what) noexcept;

// The one value of an event: a descriptor, an errno, an interval in
// milliseconds or a protocol error; of zlink.h's DISCONNECTED a reason.
[[nodiscard]] std::uint64_t zmq_event_value (const socket::event &what) noexcept;
[[nodiscard]] std::uint64_t zlink_event_value (const socket::event &what) noexcept;

// The system's number for why, as near as it gets; 0: no error.
[[nodiscard]] int event_errno (const socket::event &what) noexcept;

// Two parts (16-bit event and 32-bit value, address); 64-bit parts (event,
// number of values, values) and both addresses; zlink 1.x's.
extern const socket::monitor_format zmq_monitor_v1;
extern const socket::monitor_format zmq_monitor_v2;
extern const socket::monitor_format zlink_monitor;

// What a message in zlink_monitor's format says. The views live as long as
// the parts.
struct monitor_message
{
    std::uint64_t event = 0;
    std::uint64_t value = 0;
    std::string_view routing_id;
    std::string_view local;
    std::string_view remote;
};

// False when it is not one.
[[nodiscard]] bool read_monitor_message (std::span<const base::message> parts, monitor_message &to) noexcept;

}  // namespace zlink::api
