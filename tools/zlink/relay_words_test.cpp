#include "tools/zlink/relay_words.hpp"

#include <gtest/gtest.h>
#include <zlink/zlink.h>

namespace {

using namespace zlink::tool;

relay_wish read (std::string_view text)
{
    relay_wish made;
    std::string why;
    EXPECT_TRUE (read_relay_wish (text, made, why)) << why;
    return made;
}

std::string why_not (std::string_view text)
{
    relay_wish made;
    std::string why;
    EXPECT_FALSE (read_relay_wish (text, made, why)) << text;
    return why;
}

TEST (relay_words, a_service_is_enough)
{
    const relay_wish plain = read ("calc");
    EXPECT_EQ (plain.service, "calc");
    EXPECT_EQ (plain.timeout_ms, -1);
    EXPECT_FALSE (plain.idempotent || plain.one_way);
}

TEST (relay_words, further_lines_say_how)
{
    const relay_wish all = read ("calc\ntimeout=250\nidempotent\none-way\nkey=a=b\ntraceparent=00-1-2-3\n"
                                 "tracestate=x=1\nlater=7\n\n");
    EXPECT_EQ (all.timeout_ms, 250);
    EXPECT_TRUE (all.idempotent && all.one_way);
    EXPECT_EQ (all.key, "a=b");
    EXPECT_EQ (all.traceparent, "00-1-2-3");
    EXPECT_EQ (all.tracestate, "x=1");
}

TEST (relay_words, what_is_wrong_is_named)
{
    EXPECT_NE (why_not ("").find ("no service"), std::string::npos);
    EXPECT_NE (why_not (std::string (256, 'x')).find ("255"), std::string::npos);
    for (const char *value : {"", "0", "-1", "1s", "86400001", "99999999999"})
        EXPECT_NE (why_not (std::string ("calc\ntimeout=") + value).find ("timeout"), std::string::npos);
    EXPECT_NE (why_not ("calc\nidempotent=1").find ("no value"), std::string::npos);
    EXPECT_NE (why_not ("calc\nkey=" + std::string (1025, 'k')).find ("1024"), std::string::npos);
    EXPECT_NE (why_not ("calc\n" + std::string (5000, 'x')).find ("4096"), std::string::npos);
}

TEST (relay_words, endings_are_lines)
{
    EXPECT_EQ (relay_line ({.status = ZLINK_REQUEST_NO_PROVIDER}), "ERROR no-provider");
    EXPECT_EQ (relay_line ({.status = ZLINK_REQUEST_LOST, .maybe_done = true}), "ERROR lost maybe-done");
    EXPECT_EQ (relay_line ({.status = ZLINK_REQUEST_REFUSED, .code = 8, .detail = 7, .retry_after_ms = 50}),
               "ERROR refused code=8 detail=7 retry-after=50");
    EXPECT_EQ (relay_line ({.status = ZLINK_REQUEST_TERMINATED}), "ERROR terminated");
}

}  // namespace
