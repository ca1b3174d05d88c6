#include "tools/zlink/event_table.hpp"

#include <array>

#include <zlink/zlink.h>

namespace zlink::tool {

namespace {

constexpr std::array rows = std::to_array<event_row> ({
  {"CONNECTED", ZLINK_EVENT_CONNECTED, "The system has connected; the handshake comes next.",
   "the descriptor", ""},
  {"CONNECT_DELAYED", ZLINK_EVENT_CONNECT_DELAYED,
   "The system does not connect at once; CONNECTED or CLOSED follows.", "an errno", ""},
  {"CONNECT_RETRIED", ZLINK_EVENT_CONNECT_RETRIED, "Another attempt will be made.", "milliseconds until then",
   ""},
  {"LISTENING", ZLINK_EVENT_LISTENING, "The endpoint is bound: peers can connect.", "the descriptor", ""},
  {"BIND_FAILED", ZLINK_EVENT_BIND_FAILED, "The endpoint could not be bound.", "an errno", ""},
  {"ACCEPTED", ZLINK_EVENT_ACCEPTED, "A listener took a connection; the handshake comes next.",
   "the descriptor", ""},
  {"ACCEPT_FAILED", ZLINK_EVENT_ACCEPT_FAILED,
   "A listener could not take a connection, or its filters or the byte budget turned a peer away.",
   "an errno", ""},
  {"CLOSED", ZLINK_EVENT_CLOSED, "A listener is closed, or an attempt to connect failed.", "the descriptor",
   ""},
  {"CLOSE_FAILED", ZLINK_EVENT_CLOSE_FAILED, "Closing failed.", "an errno", ""},
  {"DISCONNECTED", ZLINK_EVENT_DISCONNECTED, "A connection is gone; of a connected endpoint another follows.",
   "in zlink.h ZLINK_DISCONNECT_*, in zmq.h the descriptor", ""},
  {"MONITOR_STOPPED", ZLINK_EVENT_MONITOR_STOPPED, "The last event: the socket was closed or nobody watches.",
   "", ""},
  {"HANDSHAKE_FAILED_NO_DETAIL", ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL,
   "The handshake broke; DISCONNECTED follows.", "an errno", ""},
  {"CONNECTION_READY", ZLINK_EVENT_CONNECTION_READY, "The handshake is done: messages may flow.", "",
   "HANDSHAKE_SUCCEEDED"},
  {"HANDSHAKE_FAILED_PROTOCOL", ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL,
   "The peer broke a rule of the protocol in the handshake; DISCONNECTED follows.", "*_PROTOCOL_ERROR_*", ""},
  {"HANDSHAKE_FAILED_AUTH", ZLINK_EVENT_HANDSHAKE_FAILED_AUTH,
   "Whoever decides who comes in said no; DISCONNECTED follows.", "the status: 300 later, 400 no, 500 error",
   ""},
  {"BUDGET_REACHED", ZLINK_EVENT_BUDGET_REACHED,
   "The context holds as much as BUDGET_KIB allows; the socket is held back. In queues only.", "", "-"},
  {"PIPES_STATS", 0x10000, "What was asked of zmq_socket_monitor_pipes_stats. In monitors of version 2 only.",
   "messages that wait to go out, and in", "PIPES_STATS"},
  {"GAP", ZLINK_EVENT_GAP, "The publisher dropped messages for this subscriber (REPORT_GAPS).",
   "how many are missing before the next", "-"},
});

}  // namespace

std::span<const event_row> event_rows () noexcept { return rows; }

}  // namespace zlink::tool
