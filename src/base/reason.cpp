#include "base/reason.hpp"

#include <array>
#include <cstddef>

namespace zlink::base {

namespace {

constexpr std::array names = {
  "none",
  "local-close",
  "disconnected",
  "context-terminated",
  "resolve-failed",
  "connect-refused",
  "connect-timeout",
  "connect-failed",
  "peer-closed",
  "connection-reset",
  "read-failed",
  "write-failed",
  "heartbeat-timeout",
  "handshake-timeout",
  "greeting-malformed",
  "version-unsupported",
  "mechanism-mismatch",
  "socket-type-incompatible",
  "metadata-malformed",
  "identity-malformed",
  "refused-by-peer",
  "authentication-failed",
  "frame-malformed",
  "command-malformed",
  "command-unexpected",
  "data-before-ready",
  "message-too-large",
  "too-many-frames",
  "second-peer",
  "limit-reached",
  "out-of-memory",
  "budget-reached",
  "identity-taken",
  "handed-over",
  "too-many-topics",
  "slow-consumer",
  "not-admitted",
  "proxy-refused",
  "proxy-authentication",
  "proxy-malformed",
  "hello-malformed",
  "welcome-malformed",
  "initiate-malformed",
  "ready-malformed",
  "message-malformed",
  "box-unopened",
  "key-exchange",
  "sequence-invalid",
  "no-keys",
  "zap-unavailable",
  "zap-reply-malformed",
  "zap-delimiter-bad",
  "zap-version-bad",
  "zap-request-bad",
  "zap-status-bad",
  "zap-metadata-bad",
  "turned-away",
  "upgrade-refused",
  "upgrade-malformed",
};
static_assert (names.size () == close_reasons);

}  // namespace

const char *reason_name (close_reason reason) noexcept
{
    const auto index = static_cast<std::size_t> (reason);
    return index < names.size () ? names[index] : "unknown";
}

}  // namespace zlink::base
