#include "base/far_reasons.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/reason.hpp"

namespace zlink::base {
namespace {

TEST (reasons, have_a_name_each)
{
    std::set<std::string> seen;
    for (unsigned i = 0; i < close_reasons; ++i) {
        const std::string name = reason_name (static_cast<close_reason> (i));
        EXPECT_NE (name, "unknown") << i;
        EXPECT_TRUE (seen.insert (name).second) << name;
    }
    EXPECT_STREQ (reason_name (close_reason::none), "none");
    EXPECT_STREQ (reason_name (close_reason::not_admitted), "not-admitted");
    EXPECT_STREQ (reason_name (close_reason::proxy_refused), "proxy-refused");
    EXPECT_STREQ (reason_name (close_reason::tls_truncated), "tls-truncated");
    EXPECT_STREQ (reason_name (static_cast<close_reason> (close_reasons)), "unknown");
    EXPECT_STREQ (reason_name (static_cast<close_reason> (255)), "unknown");
}

}  // namespace
}  // namespace zlink::base
