// A function of the application's that says who comes in, as zlink.h has it.
// Answers as a C function: -1 and errno on failure.
#pragma once

#include "zlink/zlink.h"

namespace zlink::api {

int set_authenticator (void *socket,
                       zlink_authenticator_fn *function,
                       void *hint,
                       zlink_free_fn *let_go) noexcept;

}  // namespace zlink::api
