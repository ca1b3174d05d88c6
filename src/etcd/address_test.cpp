#include "etcd/address.hpp"

#include <gtest/gtest.h>

namespace zlink::etcd {
namespace {

TEST (Address, NamesHostsAndAPrefix)
{
    const auto one = read_address ("etcd://127.0.0.1:2380/zlink/prod");
    ASSERT_TRUE (one);
    EXPECT_EQ (one->hosts, std::vector<std::string>{"127.0.0.1:2380"});
    EXPECT_EQ (one->prefix, "zlink/prod");
    const auto many = read_address ("etcd://a,b.example:7,[::1],[fe80::1]:9/p/");
    ASSERT_TRUE (many);
    EXPECT_EQ (many->hosts, (std::vector<std::string>{"a:2379", "b.example:7", "[::1]:2379", "[fe80::1]:9"}));
    EXPECT_EQ (many->prefix, "p");
}

TEST (Address, WhatIsNoneIsNone)
{
    for (const char *const each : {"",
                                   "tcp://a:1/p",
                                   "etcd://",
                                   "etcd://a:1",
                                   "etcd://a:1/",
                                   "etcd:///p",
                                   "etcd://a:0/p",
                                   "etcd://a:/p",
                                   "etcd://a:65536/p",
                                   "etcd://a:123456/p",
                                   "etcd://a:x/p",
                                   "etcd://a,,b/p",
                                   "etcd://a,/p",
                                   "etcd://a//p",
                                   "etcd://a/p//",
                                   "etcd://a/p q",
                                   "etcd://a b/p",
                                   "etcd://u@a/p",
                                   "etcd://::1/p",
                                   "etcd://[a/p",
                                   "etcd://[x]/p",
                                   "etcd://[1]/p"})
        EXPECT_FALSE (read_address (each)) << each;
    EXPECT_FALSE (read_address ("etcd://a/" + std::string (256, 'p')));
    std::string many = "etcd://h";
    for (std::size_t i = 0; i < hosts_max; ++i)
        many += ",h";
    EXPECT_FALSE (read_address (many + "/p"));
}

}  // namespace
}  // namespace zlink::etcd
