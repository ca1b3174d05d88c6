// Named limits of the messages of services. What a peer sends beyond one of them is
// malformed, and costs that peer alone.
#pragma once

#include <cstddef>

namespace zlink::wire {

// A service's name, an endpoint (as in an address of libzmq
// and in zlink_receiver_info_t), a host or zone, the labels of one provider with
// their framing, and the text of a fault.
inline constexpr std::size_t service_name_bytes_max = 255;
inline constexpr std::size_t service_endpoint_bytes_max = 255;
inline constexpr std::size_t service_place_bytes_max = 64;
inline constexpr std::size_t service_labels_bytes_max = 4096;
inline constexpr std::size_t service_text_bytes_max = 255;

// What is added to one request: its key, and its context of a trace (W3C
// allows 512 for the list, and 55 octets are what version 00 has).
inline constexpr std::size_t request_key_bytes_max = 1024;
inline constexpr std::size_t request_traceparent_bytes_max = 128;
inline constexpr std::size_t request_tracestate_bytes_max = 512;
inline constexpr std::size_t request_head_bytes_max = 4096;

// One message to or from a registry. Lists are sent in pages that are
// smaller, so that a later version has room for more.
inline constexpr std::size_t registry_message_bytes_max = 128 * 1024;
inline constexpr std::size_t registry_page_bytes_max = 64 * 1024;
inline constexpr std::size_t registry_others_max = 16;  // other registries told of

// A page has room for the largest provider several times, and the head of a
// request for all that may stand in it.
static_assert (registry_page_bytes_max
               > 4
                   * (service_labels_bytes_max + service_name_bytes_max + service_endpoint_bytes_max
                      + 2 * service_place_bytes_max + 256));
static_assert (request_head_bytes_max > request_key_bytes_max + request_traceparent_bytes_max
                                          + request_tracestate_bytes_max + service_name_bytes_max
                                          + service_text_bytes_max + 256);

}  // namespace zlink::wire
