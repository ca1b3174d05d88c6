#include "base/reason.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace zlink::base {

namespace {

// One behind the other: a table of addresses would be as large as the words.
constexpr char names[] = "none\0"
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
                         "not-admitted\0"
                         "proxy-refused\0"
                         "proxy-authentication\0"
                         "proxy-malformed\0"
                         "hello-malformed\0"
                         "welcome-malformed\0"
                         "initiate-malformed\0"
                         "ready-malformed\0"
                         "message-malformed\0"
                         "box-unopened\0"
                         "key-exchange\0"
                         "sequence-invalid\0"
                         "no-keys\0"
                         "zap-unavailable\0"
                         "zap-reply-malformed\0"
                         "zap-delimiter-bad\0"
                         "zap-version-bad\0"
                         "zap-request-bad\0"
                         "zap-status-bad\0"
                         "zap-metadata-bad\0"
                         "turned-away\0"
                         "upgrade-refused\0"
                         "upgrade-malformed\0"
                         "not-tls\0"
                         "certificate-untrusted\0"
                         "certificate-expired\0"
                         "certificate-of-another\0"
                         "certificate-unsuitable\0"
                         "certificate-missing\0"
                         "tls-nothing-in-common\0"
                         "tls-alert\0"
                         "tls-forged\0"
                         "tls-violation\0"
                         "tls-truncated\0";
static_assert (std::count (std::begin (names), std::end (names), '\0') == close_reasons + 1);

}  // namespace

const char *reason_name (close_reason reason) noexcept
{
    const char *name = names;
    for (auto left = static_cast<std::size_t> (reason); left > 0; --left) {
        name += std::strlen (name) + 1;
        if (name == std::end (names) - 1)
            return "unknown";
    }
    return name;
}

}  // namespace zlink::base
