#include "bench/payload.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

TEST (payload, what_was_written_is_intact)
{
    for (const std::size_t size : {payload_smallest, std::size_t{64}, std::size_t{100}, std::size_t{8192}}) {
        std::vector<std::byte> body (size);
        for (std::uint64_t label = 0; label < 5000; ++label) {
            write_payload (body.data (), size, label);
            ASSERT_EQ (payload_label (body.data ()), label);
            ASSERT_TRUE (payload_intact (body.data (), size, label)) << size << " " << label;
        }
    }
}

TEST (payload, the_time_does_not_disturb_the_marks)
{
    std::vector<std::byte> body (64);
    for (std::uint64_t label = 0; label < 5000; ++label) {
        write_payload (body.data (), body.size (), label);
        write_payload_time (body.data (), 0x0123456789ABCDEF);
        ASSERT_TRUE (payload_intact (body.data (), body.size (), label));
        ASSERT_EQ (payload_time (body.data ()), 0x0123456789ABCDEF);
    }
}

// Whoever copies only the ends of a body is caught soon: the wandering mark
// falls into what was left out.
TEST (payload, a_body_that_was_not_copied_whole_is_noticed)
{
    constexpr std::size_t size = 1024;
    std::vector<std::byte> sent (size), received (size);
    unsigned caught = 0;
    for (std::uint64_t label = 0; label < 1000; ++label) {
        write_payload (sent.data (), size, label);
        std::memcpy (received.data (), sent.data (), 64);
        std::memcpy (received.data () + size - 64, sent.data () + size - 64, 64);
        caught += payload_intact (received.data (), size, label) ? 0u : 1u;
    }
    EXPECT_GT (caught, 800u);
}

}  // namespace
