#include "platform/shared_code.hpp"

#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

TEST (SharedCode, AFunctionIsFoundWhereTheSystemLooks)
{
    load_complaint why{};
    const base::result<void *> found = function_of_library ("libm.so.6", "cos", why);
    ASSERT_TRUE (found.ok ()) << why.data ();
    EXPECT_EQ (reinterpret_cast<double (*) (double)> (found.value ()) (0), 1);
}

TEST (SharedCode, WhatIsNotThereIsNamed)
{
    load_complaint why{};
    EXPECT_EQ (function_of_library ("libnot_there.so.1", "cos", why).code (), base::errc::no_such_file);
    EXPECT_NE (std::string_view (why.data ()).find ("libnot_there.so.1"), std::string_view::npos);
    EXPECT_EQ (function_of_library ("libm.so.6", "no_such_function", why).code (), base::errc::no_such_file);
    EXPECT_NE (std::string_view (why.data ()).find ("no_such_function"), std::string_view::npos);
}

}  // namespace
}  // namespace zlink::platform
