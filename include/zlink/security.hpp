// SPDX-License-Identifier: MPL-2.0
//
// Who a service is, whom it trusts and whom it lets in: zlink.h's structure, with its
// size set.
#pragma once

#include <zlink/zlink.h>

namespace zlink {

// Texts are the caller's, and read within the call.
struct security : zlink_security_t
{
    security () noexcept : zlink_security_t{} { size = sizeof (zlink_security_t); }
};

}  // namespace zlink
