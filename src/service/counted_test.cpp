#include "service/counted.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

class shop final : public counted
{
  public:
    explicit shop (std::uint64_t sold) noexcept : sold_ (sold) {}
    [[nodiscard]] std::string_view kind () const noexcept override { return "shop"; }
    [[nodiscard]] std::vector<counted_number> numbers () override
    {
        return {{.name = "sold", .help = "What was sold.", .value = sold_}};
    }

  private:
    const std::uint64_t sold_;
};

TEST (counted_list, tells_of_who_is_there_by_numbers_that_are_not_given_again)
{
    counted_list all;
    EXPECT_TRUE (all.rows ().empty ());
    auto first = std::make_shared<shop> (10);
    const auto second = std::make_shared<shop> (20);
    all.add (first);
    all.add (second);
    ASSERT_EQ (all.rows ().size (), 2u);
    EXPECT_EQ (all.rows ()[0].number, 1u);
    EXPECT_EQ (all.rows ()[0].kind, "shop");
    EXPECT_EQ (all.rows ()[0].numbers[0].value, 10u);
    first.reset ();
    ASSERT_EQ (all.rows ().size (), 1u);
    EXPECT_EQ (all.rows ()[0].number, 2u);
    const auto third = std::make_shared<shop> (30);
    all.add (third);
    ASSERT_EQ (all.rows ().size (), 2u);
    EXPECT_EQ (all.rows ()[1].number, 3u);
    EXPECT_EQ (all.rows ()[1].numbers[0].value, 30u);
}

}  // namespace
}  // namespace zlink::service
