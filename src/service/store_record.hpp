// A provider as a record of a store (docs/protocol/etcd.md): its key, and the octets of
// its value. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/registry_message.hpp"

namespace zlink::service {

// A name as one part of a key: '/' and '%' are written as %2F and %25. May throw
// std::bad_alloc.
[[nodiscard]] std::string store_name (std::string_view name);
// "1/calc/tcp://10.0.0.7:5555", behind the store's prefix. No two providers have one key. May
// throw std::bad_alloc.
[[nodiscard]] std::string
store_key (std::uint16_t family, std::string_view service, std::string_view endpoint);
// May throw std::bad_alloc.
[[nodiscard]] std::vector<std::byte> store_value (const wire::provider_view &provider);

// The provider that the value is, which borrows from it. False: it is none, it is followed
// by something, its key is another one, or nobody can be reached at its endpoint. May
// throw std::bad_alloc.
[[nodiscard]] bool
read_store_record (std::string_view key, base::bytes_view value, wire::provider_view &provider);

}  // namespace zlink::service
