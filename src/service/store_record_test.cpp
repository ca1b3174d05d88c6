#include "service/store_record.hpp"

#include <gtest/gtest.h>

#include "service/test_providers.hpp"

namespace zlink::service {
namespace {

using namespace test;

TEST (StoreRecord, AKeyIsOfOneProviderAlone)
{
    EXPECT_EQ (store_key (1, "calc", "tcp://10.0.0.7:5555"), "1/calc/tcp://10.0.0.7:5555");
    EXPECT_EQ (store_key (2, "a/b%", "tcp://h:1"), "2/a%2Fb%25/tcp://h:1");
    EXPECT_NE (store_key (1, "a/tcp:", "//h:1"), store_key (1, "a", "tcp://h:1"));
}

TEST (StoreRecord, WhatIsWrittenIsRead)
{
    wire::provider_view told = provider ("calc", "tcp://127.0.0.1:1", 7, 3);
    told.weight = 0;
    told.registered_at_ms = 1000;
    told.host = "h";
    told.zone = "z";
    const std::vector<std::byte> value = store_value (told);
    wire::provider_view read;
    ASSERT_TRUE (read_store_record (store_key (told.family, told.service, told.endpoint), value, read));
    EXPECT_EQ (read, told);
}

TEST (StoreRecord, WhatIsNoneIsNotRead)
{
    wire::provider_view read;
    const wire::provider_view told = provider ("calc", "tcp://10.0.0.1:1", 7);
    const std::string key = store_key (told.family, told.service, told.endpoint);
    const std::vector<std::byte> value = store_value (told);
    EXPECT_TRUE (read_store_record (key, value, read));
    EXPECT_FALSE (read_store_record (key + "1", value, read)) << "another provider's key";
    EXPECT_FALSE (read_store_record (key, {}, read));
    EXPECT_FALSE (read_store_record (key, base::bytes_view (value).first (value.size () - 1), read));
    std::vector<std::byte> twice = value;
    twice.insert (twice.end (), value.begin (), value.end ());
    EXPECT_FALSE (read_store_record (key, twice, read));
    std::vector<std::byte> longer = value;
    longer.push_back (std::byte{0});
    EXPECT_FALSE (read_store_record (key, longer, read));
    std::vector<std::byte> removed;
    wire::append_removed (
      {.family = family, .why = 1, .service = "calc", .endpoint = "tcp://10.0.0.1:1", .instance = 7},
      removed);
    EXPECT_FALSE (read_store_record (key, removed, read));
    for (const auto &[endpoint, instance] : {std::pair{"tcp://*:1", 7U},
                                             {"inproc://x", 7U},
                                             {"tcp://10.0.0.1:0", 7U},
                                             {"tcp://10.0.0.1:1", 0U}}) {
        const wire::provider_view wrong = provider ("calc", endpoint, instance);
        EXPECT_FALSE (read_store_record (store_key (wrong.family, wrong.service, wrong.endpoint),
                                         store_value (wrong), read))
          << endpoint;
    }
}

}  // namespace
}  // namespace zlink::service
