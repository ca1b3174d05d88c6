// Authentication requests and their replies (RFC 27): parts of messages to and
// from the handler at inproc://zeromq.zap.01. Pure functions.
//
//   request  "", "1.0", request id, domain, address, identity, mechanism,
//            credentials (NULL 0, PLAIN 2, CURVE 1 parts)
//   reply    "", "1.0", request id, status, text, user id, metadata
//
// One request is asked over a link of its own, so the id is the same in all, as
// libzmq's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/reason.hpp"
#include "wire/mechanism.hpp"
#include "wire/metadata.hpp"

namespace zlink::wire {

inline constexpr std::string_view zap_name = "zeromq.zap.01";
inline constexpr std::string_view zap_endpoint = "inproc://zeromq.zap.01";
inline constexpr std::size_t zap_reply_parts = 7;

// May throw std::bad_alloc.
[[nodiscard]] std::vector<std::string> zap_request (std::string_view domain,
                                                    std::string_view address,
                                                    std::string_view identity,
                                                    const credentials &shown);

// Statuses.
inline constexpr unsigned zap_status_good = 200;
inline constexpr unsigned zap_status_later = 300;
inline constexpr unsigned zap_status_refused = 400;
inline constexpr unsigned zap_status_failed = 500;

struct zap_reply
{
    base::close_reason fault = base::close_reason::none;  // or nothing else is of use
    unsigned status = 0;                                  // one of those
    std::string text{};
    std::string user_id{};
    metadata properties{};
};

// May throw std::bad_alloc.
[[nodiscard]] zap_reply read_zap_reply (std::span<const bytes_view> parts);

// What a status says of a peer, in a few words; empty: it is none.
[[nodiscard]] std::string_view zap_status_meaning (int status) noexcept;
// What is to be said of a server that has nobody to ask.
[[nodiscard]] std::string_view unguarded_text (bool all_come_in) noexcept;
// What is to be said of a list of passwords, before the number of its line.
[[nodiscard]] std::string_view bad_password_text () noexcept;

}  // namespace zlink::wire
