// Requests through libcurl. Proxies of the environment are passed by, redirections are not
// followed.
#pragma once

#include <memory>

#include "etcd/poster.hpp"

namespace zlink::etcd {

// Bodies of answers that nobody reads as they come end here.
inline constexpr std::size_t body_bytes_max = std::size_t{16} << 20;

// Null: no memory.
[[nodiscard]] std::unique_ptr<poster> make_curl_poster () noexcept;

}  // namespace zlink::etcd
