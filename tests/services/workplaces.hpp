// What tests of partitions share: nodes with partitions, and registries whose grants are short.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/spot_partitions.hpp"
#include "services/spots.hpp"

namespace zlink::service::test {

inline constexpr std::string_view parted_topic = "prices";
inline constexpr base::time_ns short_lease = 400 * ns_per_ms;

// A node with partitions of one topic.
struct place_of_work
{
    place_of_work (town &in, const std::vector<std::string> &grantors, const partitioned_topic &how)
      : node (open_node (in)),
        parts (spot_partitions::open (in.world, in.context.handle (), in.loop, node.share ()))
    {
        for (const std::string &each : grantors)
            EXPECT_TRUE (parts->add_grantor (each).ok ());
        EXPECT_TRUE (parts->declare (parted_topic, how).ok ());
        endpoint = node->bind (place_in (in.world)).value ();
    }
    ~place_of_work () { close (); }
    void close ()
    {
        parts.close ();
        node.close ();
    }
    publish_outcome
    publish (std::string_view key, std::string_view body, base::time_ns deadline = base::never_ns)
    {
        const auto done = parts->publish (parted_topic, key, base::as_bytes (body), deadline);
        EXPECT_TRUE (done.ok ()) << static_cast<int> (done.code ());
        return done.ok () ? done.value () : publish_outcome{};
    }
    std::unique_ptr<spot_ordered> subscribe (read_from how = read_from::now, std::uint64_t value = 0)
    {
        return std::move (parts->subscribe (parted_topic, how, value, 1000).value ());
    }

    closing<spot_node> node;
    closing<spot_partitions> parts;
    std::string endpoint;
};

inline registry_options granting (base::time_ns lease)
{
    registry_options made;
    made.grant_lease_ns = lease;
    return made;
}

}  // namespace zlink::service::test
