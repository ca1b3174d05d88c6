#include "base/same_octets.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

TEST (same_octets, tells_every_difference_at_every_size)
{
    for (std::size_t size = 0; size <= 40; ++size) {
        const std::string one (size, 'a');
        EXPECT_TRUE (same_octets (one, std::string (size, 'a'))) << size;
        EXPECT_FALSE (same_octets (one, one + "a")) << size;
        EXPECT_FALSE (same_octets (one + "a", one)) << size;
        for (std::size_t at = 0; at < size; ++at) {
            std::string other = one;
            other[at] = 'b';
            EXPECT_FALSE (same_octets (one, other)) << size << ' ' << at;
            EXPECT_FALSE (same_octets (as_bytes (other), as_bytes (one))) << size << ' ' << at;
        }
    }
}

}  // namespace
}  // namespace zlink::base
