// Why a connection does not come about, in words: what each reason means, and what
// to look at. Pure.
#pragma once

#include <string_view>

namespace zlink::tool {

// reason: a word of zlink_connect_status, such as "connect-refused". Empty: none of them.
[[nodiscard]] std::string_view advice_for (std::string_view reason) noexcept;

}  // namespace zlink::tool
