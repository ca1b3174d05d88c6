#include "engine/keys.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

class sevens final : public base::entropy
{
  public:
    [[nodiscard]] bool fill (base::bytes_span to) noexcept override
    {
        std::fill (to.begin (), to.end (), std::byte{7});
        return !dry;
    }
    bool dry = false;
};

TEST (keys, pairs_belong_together)
{
    sevens from;
    base::public_key open{};
    base::secret_key secret;
    ASSERT_TRUE (make_key_pair (from, open, secret).ok ());
    EXPECT_EQ (secret.data ()[31], std::byte{7});
    EXPECT_NE (open, base::public_key{});
    EXPECT_EQ (public_key_of (secret).value (), open);
}

TEST (keys, without_random_numbers_there_are_none)
{
    sevens from;
    from.dry = true;
    base::public_key open{};
    base::secret_key secret;
    EXPECT_EQ (make_key_pair (from, open, secret).code (), base::errc::no_memory);
}

TEST (keys, all_mechanisms_are_here)
{
    for (const auto each :
         {wire::mechanism_kind::null, wire::mechanism_kind::plain, wire::mechanism_kind::curve})
        EXPECT_TRUE (knows_mechanism (each));
}

}  // namespace
}  // namespace zlink::engine
