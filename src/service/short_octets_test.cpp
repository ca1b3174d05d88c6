#include "service/short_octets.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace zlink::service {
namespace {

std::vector<std::byte> octets (std::size_t count)
{
    std::vector<std::byte> made (count);
    for (std::size_t i = 0; i < count; ++i)
        made[i] = static_cast<std::byte> (i);
    return made;
}

TEST (short_octets, are_as_they_were_given_be_they_few_or_many)
{
    short_octets again;
    for (const std::size_t count : {std::size_t{0}, 10 * short_octets::inside, std::size_t{1},
                                    short_octets::inside, short_octets::inside + 1, std::size_t{7}}) {
        const std::vector<std::byte> given = octets (count);
        again.assign (given);
        EXPECT_TRUE (std::ranges::equal (again.view (), given)) << count << ", once more";
        short_octets first;
        first.assign (given);
        const short_octets second (std::move (first));
        EXPECT_TRUE (std::ranges::equal (second.view (), given)) << count << ", moved";
    }
    EXPECT_TRUE (short_octets ().view ().empty ());
}

TEST (short_octets, can_be_written_over)
{
    for (const std::size_t count : {std::size_t{4}, 2 * short_octets::inside}) {
        short_octets made;
        made.assign (octets (count));
        made.octets ()[count - 1] = std::byte{0xff};
        EXPECT_EQ (made.view ().back (), std::byte{0xff});
        EXPECT_EQ (made.view ().front (), std::byte{0});
    }
}

}  // namespace
}  // namespace zlink::service
