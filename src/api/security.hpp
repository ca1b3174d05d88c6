// Who a service is, and whom it lets in and trusts, for all its sockets in one call: the
// options that zlink_security_t stands for.
//
// Thread rule: any thread. Blocking: while certificates are read from files.
#pragma once

#define ZLINK_BUILD
#include "zlink/zlink.h"

namespace zlink::api {

int service_secure (void *service, const zlink_security_t *how) noexcept;

}  // namespace zlink::api
