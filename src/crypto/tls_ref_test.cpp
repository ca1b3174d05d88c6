#include "crypto/tls_ref.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace zlink::crypto {
namespace {

TEST (tls_refs, keep_what_they_refer_to)
{
    auto number = std::make_shared<int> (7);
    {
        tls_ref<int> first (number);
        tls_ref<int> second (first);
        tls_ref<int> third;
        EXPECT_TRUE (third.empty ());
        EXPECT_EQ (third.shared (), nullptr);
        third = second;
        second = tls_ref<int> ();
        first = third;
        first = first;
        EXPECT_EQ (*third.shared (), 7);
        EXPECT_EQ (first.shared (), number);
        EXPECT_EQ (number.use_count (), 2);
    }
    EXPECT_EQ (number.use_count (), 1);
    EXPECT_TRUE (tls_ref<int> (std::shared_ptr<int> ()).empty ());
}

}  // namespace
}  // namespace zlink::crypto
