#include "service/partition_choice.hpp"

#include "base/fnv.hpp"

namespace zlink::service {

std::uint64_t partition_digest (std::string_view octets, std::uint64_t salt) noexcept
{
    std::uint64_t digest = base::fnv1a (octets, salt) + 0x9e3779b97f4a7c15;
    digest = (digest ^ (digest >> 30)) * 0xbf58476d1ce4e5b9;
    digest = (digest ^ (digest >> 27)) * 0x94d049bb133111eb;
    return digest ^ (digest >> 31);
}

}  // namespace zlink::service
