// Which partition a key belongs to, and which node shall own a partition: the same
// answer at every node that knows the same nodes (docs/protocol/partitions.md). The
// answer only says who asks for a grant; who owns the partition is the grantors' to say.
//
// Pure. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::service {

// FNV-1a, 64 bits, mixed by splitmix64.
[[nodiscard]] std::uint64_t partition_digest (std::string_view octets, std::uint64_t salt) noexcept;

// partitions: not 0.
[[nodiscard]] inline std::uint32_t partition_of (std::string_view key, std::uint32_t partitions) noexcept
{
    return static_cast<std::uint32_t> (partition_digest (key, 0) % partitions);
}

// Of two nodes the one with the higher rank owns it: when a node comes or goes, only
// partitions move that it gets or had (rendezvous hashing).
[[nodiscard]] inline std::uint64_t
owner_rank (std::string_view topic, std::uint32_t partition, std::uint64_t node) noexcept
{
    return partition_digest (topic, partition_digest ({}, node) ^ partition);
}

// The highest of some nodes, any range of numbers; 0: there is none.
template <class Nodes>
[[nodiscard]] std::uint64_t
choose_owner (std::string_view topic, std::uint32_t partition, Nodes &&nodes) noexcept
{
    std::uint64_t best = 0, best_rank = 0;
    for (const std::uint64_t node : nodes) {
        const std::uint64_t rank = owner_rank (topic, partition, node);
        if (best == 0 || rank > best_rank || (rank == best_rank && node > best)) {
            best = node;
            best_rank = rank;
        }
    }
    return best;
}

}  // namespace zlink::service
