#include "base/far_reasons.hpp"

namespace zlink::base {

namespace {

constexpr char far_names[] = "proxy-refused\0"
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

}  // namespace

const char *far_reason_names () noexcept { return far_names; }

}  // namespace zlink::base
