#include "wire/zap.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

using texts = std::vector<std::string>;

zap_reply read (const texts &parts)
{
    std::vector<bytes_view> views;
    for (const std::string &each : parts)
        views.push_back (as_bytes (each));
    return read_zap_reply (views);
}

TEST (zap, requests_are_as_the_rfc_says)
{
    EXPECT_EQ (zap_request ("home", "127.0.0.1", "me", {"PLAIN", {"user", "secret"}}),
               (texts{"", "1.0", "1", "home", "127.0.0.1", "me", "PLAIN", "user", "secret"}));
    EXPECT_EQ (zap_request ("", "", "", {}), (texts{"", "1.0", "1", "", "", "", "NULL"}));
}

TEST (zap, replies_are_read)
{
    const zap_reply good = read ({"", "1.0", "1", "200", "OK", "joe", property_octets ("Rank", "high")});
    EXPECT_EQ (good.fault, close_reason::none);
    EXPECT_EQ (good.status, 200u);
    EXPECT_EQ (good.text, "OK");
    EXPECT_EQ (good.user_id, "joe");
    ASSERT_NE (good.properties.find ("Rank"), nullptr);
    EXPECT_EQ (*good.properties.find ("Rank"), "high");
    for (const char *const status : {"300", "400", "500"})
        EXPECT_EQ (read ({"", "1.0", "1", status, "", "", ""}).status,
                   static_cast<unsigned> (std::stoi (status)));
}

TEST (zap, replies_that_are_none)
{
    const auto fault = [] (const texts &parts) { return read (parts).fault; };
    EXPECT_EQ (fault ({}), close_reason::zap_reply_malformed);
    EXPECT_EQ (fault ({"", "1.0", "1", "200", "OK", ""}), close_reason::zap_reply_malformed);
    EXPECT_EQ (fault ({"", "1.0", "1", "200", "OK", "", "", ""}), close_reason::zap_reply_malformed);
    EXPECT_EQ (fault ({"x", "1.0", "1", "200", "OK", "", ""}), close_reason::zap_delimiter_bad);
    EXPECT_EQ (fault ({"", "1.1", "1", "200", "OK", "", ""}), close_reason::zap_version_bad);
    EXPECT_EQ (fault ({"", "1.0", "2", "200", "OK", "", ""}), close_reason::zap_request_bad);
    for (const char *const status : {"", "20", "2000", "100", "600", "201", "2x0", "OK!"})
        EXPECT_EQ (fault ({"", "1.0", "1", status, "OK", "", ""}), close_reason::zap_status_bad) << status;
    EXPECT_EQ (fault ({"", "1.0", "1", "200", "OK", "", "\4Rank"}), close_reason::zap_metadata_bad);
}

TEST (zap, what_a_status_says)
{
    EXPECT_EQ (zap_status_meaning (300), "not now, perhaps later");
    EXPECT_EQ (zap_status_meaning (400), "the credentials are not good");
    EXPECT_EQ (zap_status_meaning (500), "who was asked has failed");
    EXPECT_EQ (zap_status_meaning (200), "");
}

}  // namespace
}  // namespace zlink::wire
