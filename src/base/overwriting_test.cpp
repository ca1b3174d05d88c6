#include "base/overwriting.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

TEST (overwriting, keeps_the_memory_and_nothing_else)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{40}, std::size_t{41}, std::size_t{5000}}) {
        const std::string text (size, 'a');
        const std::string next (size, 'b');
        message one;
        ASSERT_TRUE (one.init_copy (as_bytes (text)));
        one.set_more (true);
        one.set_event (message_event::connected);
        one.set_routing_id (7);
        const std::byte *const memory = one.data ();
        ASSERT_TRUE (overwrite (one, as_bytes (next)));
        EXPECT_EQ (as_text (one.view ()), next);
        EXPECT_EQ (one.data (), memory);
        EXPECT_FALSE (one.more ());
        EXPECT_EQ (one.event (), message_event::data);
        EXPECT_EQ (one.routing_id (), 0u);
        EXPECT_FALSE (overwrite (one, as_bytes (next + "b"))) << "of another size";
        EXPECT_EQ (as_text (one.view ()), next);
        one.close ();
    }
}

TEST (overwriting, leaves_alone_what_others_see)
{
    const std::string text (100, 'a');
    const std::string next (100, 'b');
    message one;
    ASSERT_TRUE (one.init_copy (as_bytes (text)));
    message copy;
    copy.init ();
    copy.copy_from (one);
    EXPECT_FALSE (overwrite (one, as_bytes (next)));
    EXPECT_FALSE (overwrite (copy, as_bytes (next)));
    EXPECT_EQ (as_text (copy.view ()), text);
    one.close ();
    copy.close ();
    std::string lent = text;
    ASSERT_TRUE (one.init_adopt (lent.data (), lent.size (), nullptr, nullptr));
    EXPECT_FALSE (overwrite (one, as_bytes (next)));
    EXPECT_EQ (lent, text);
    one.close ();
}

TEST (overwriting, takes_no_message_that_is_none_or_has_something_beside_it)
{
    const std::string text (100, 'a');
    message one;
    ASSERT_TRUE (one.init_copy (as_bytes (text)));
    ASSERT_TRUE (one.set_group ("group"));
    EXPECT_FALSE (overwrite (one, as_bytes (text)));
    one.close ();
    EXPECT_FALSE (overwrite (one, {}));
}

}  // namespace
}  // namespace zlink::base
