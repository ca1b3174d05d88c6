#include "tools/decode/tcp_streams.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

// What each way said, a bar where it was over.
struct listener
{
    std::map<flow, std::string> said;
    tcp_streams streams{[this] (const flow &way, std::int64_t, bytes_view octets) {
        std::string &text = said[way];
        for (const std::byte each : octets)
            text += static_cast<char> (each);
        if (octets.empty ())
            text += '|';
    }};

    void
    take (std::uint32_t sequence, std::string_view payload, bool opens = false, const flow &way = {"a", "b"})
    {
        streams.take_segment (
          {0, way, sequence, opens, false, std::as_bytes (std::span (payload.data (), payload.size ()))});
    }
    std::string end ()
    {
        streams.finish ();
        return said[{"a", "b"}];
    }
};

TEST (tcp_streams, puts_segments_in_order)
{
    listener one;
    one.take (99, "", true);
    one.take (103, "de");
    one.take (100, "ab");
    one.take (100, "abc");
    one.take (104, "ef");
    EXPECT_EQ (one.end (), "abcdef|");
    EXPECT_EQ (one.streams.with_gaps (), 0u);
}

TEST (tcp_streams, goes_round_and_begins_in_the_middle)
{
    listener one;
    one.take (0xFFFFFFFE, "ab");
    one.take (1, "d");
    one.take (0, "c");
    EXPECT_EQ (one.end (), "abcd|");
}

TEST (tcp_streams, counts_gaps)
{
    listener one;
    one.take (99, "", true);
    one.take (101, "b");
    EXPECT_EQ (one.end (), "|");
    EXPECT_EQ (one.streams.with_gaps (), 1u);
}

TEST (tcp_streams, keeps_ways_apart_and_begins_anew)
{
    listener one;
    one.take (99, "", true);
    one.take (100, "a");
    one.take (5, "x", false, {"b", "a"});
    one.take (99, "", true);  // again
    one.take (700, "", true);
    one.take (701, "b");
    EXPECT_EQ (one.end (), "a|b|");
    EXPECT_EQ ((one.said[{"b", "a"}]), "x|");
}

}  // namespace
}  // namespace zlink::tool
