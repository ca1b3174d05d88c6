#include "tools/zlink/advice.hpp"

#include <gtest/gtest.h>

#include "base/reason.hpp"

namespace zlink::tool {
namespace {

TEST (advice, is_there_for_every_reason)
{
    for (unsigned i = 0; i < base::close_reasons; ++i) {
        const char *const word = base::reason_name (static_cast<base::close_reason> (i));
        EXPECT_FALSE (advice_for (word).empty ()) << word;
    }
    EXPECT_TRUE (advice_for ("no-such-reason").empty ());
}

}  // namespace
}  // namespace zlink::tool
