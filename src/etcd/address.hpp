// Where an etcd is, from a URL: etcd://HOST[:PORT][,HOST[:PORT]...]/PREFIX. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::etcd {

inline constexpr std::size_t hosts_max = 16;
inline constexpr std::size_t prefix_bytes_max = 255;
inline constexpr std::string_view default_port = "2379";

struct address
{
    std::vector<std::string> hosts;  // "127.0.0.1:2379", "[::1]:2379"
    std::string prefix;              // "zlink/prod": no '/' at its ends
};

// Nothing: it is no such URL. The prefix has to be there, so that two who share an etcd
// know what they do. May throw std::bad_alloc.
[[nodiscard]] std::optional<address> read_address (std::string_view url);

}  // namespace zlink::etcd
