// The grammar of WebSocket endpoints, the part behind "ws://". Pure text.
//
//   listen   as tcp's, then [path]
//   connect  as tcp's, then [path ["?" query]]
//
// A path begins with '/'. It consists of characters of ASCII that can be seen, but
// no '#', and is significant: "/a" and "/a/" are two.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.hpp"

namespace zlink::transport {

// As long as the HTTP of our own listeners takes it.
inline constexpr std::size_t web_target_bytes_max = 2048;

struct web_address
{
    std::string_view authority;  // what tcp's grammar is for
    std::string_view target;     // path and query; may be empty
};

// errc::invalid_argument for a target outside the grammar; the authority is not
// looked at. Views of the text.
[[nodiscard]] base::result<web_address> parse_web_listen_address (std::string_view text) noexcept;
[[nodiscard]] base::result<web_address> parse_web_remote_address (std::string_view text) noexcept;

}  // namespace zlink::transport
