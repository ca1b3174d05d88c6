#include "base/reason.hpp"

#include <cstddef>
#include <cstring>

#include "base/far_reasons.hpp"

namespace zlink::base {

namespace {

// One behind the other: a table of addresses would be as large as the words.
constexpr char near_names[] = "none\0"
                              "local-close\0"
                              "disconnected\0"
                              "context-terminated\0"
                              "resolve-failed\0"
                              "connect-refused\0"
                              "connect-timeout\0"
                              "connect-failed\0"
                              "peer-closed\0"
                              "connection-reset\0"
                              "read-failed\0"
                              "write-failed\0"
                              "heartbeat-timeout\0"
                              "handshake-timeout\0"
                              "greeting-malformed\0"
                              "version-unsupported\0"
                              "mechanism-mismatch\0"
                              "socket-type-incompatible\0"
                              "metadata-malformed\0"
                              "identity-malformed\0"
                              "refused-by-peer\0"
                              "authentication-failed\0"
                              "frame-malformed\0"
                              "command-malformed\0"
                              "command-unexpected\0"
                              "data-before-ready\0"
                              "message-too-large\0"
                              "too-many-frames\0"
                              "second-peer\0"
                              "limit-reached\0"
                              "out-of-memory\0"
                              "budget-reached\0"
                              "identity-taken\0"
                              "handed-over\0"
                              "too-many-topics\0"
                              "slow-consumer\0"
                              "not-admitted\0";

// An empty name is the end.
const char *find_name (const char *from, std::size_t index) noexcept
{
    for (; index > 0 && *from != '\0'; --index)
        from += std::strlen (from) + 1;
    return *from != '\0' ? from : "unknown";
}

}  // namespace

const char *reason_name (close_reason reason) noexcept
{
    const auto index = static_cast<std::size_t> (reason);
    constexpr auto first_far = static_cast<std::size_t> (close_reason::proxy_refused);
    return index < first_far ? find_name (near_names, index)
                             : find_name (far_reason_names (), index - first_far);
}

}  // namespace zlink::base
