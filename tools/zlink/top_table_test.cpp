#include "tools/zlink/top_table.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

told_statistics told (const char *json)
{
    told_statistics made = parse_statistics (std::string ("HTTP/1.1 200 OK\r\n\r\n") + json);
    made.endpoint = "tcp://there:1";
    return made;
}

constexpr const char *first = R"({"monotonic_ns":1000000000,"sockets":[{"type":"PULL","socket":1,
  "messages_received":10,"bytes_received":100,"connections_ready":2,"queued_messages":3,"reconnects":4,
  "dropped":{"full":5},"endpoints":[{"endpoint":"tcp://a:1","bound":true},{"endpoint":"ipc://\u001b[2J","bound":false}]}]})";
constexpr const char *second = R"({"monotonic_ns":3000000000,"sockets":[{"type":"PULL","socket":1,
  "messages_received":30010,"bytes_received":5000100},{"type":"PUB","socket":2,"messages_sent":7}]})";

TEST (top_table, one_reading_shows_what_was_done_in_all)
{
    const std::vector<std::string> lines = table_of (told (first), nullptr);
    ASSERT_EQ (lines.size (), 4U);
    EXPECT_EQ (lines[0], "tcp://there:1: 1 socket");
    EXPECT_EQ (
      lines[1],
      "   # TYPE      PEERS        IN       OUT      IN B     OUT B   QUEUED  DROPPED RECONN  ENDPOINTS");
    EXPECT_EQ (lines[2],
               "   1 PULL          2        10         0       100         0        3        5      4"
               "  @tcp://a:1 >ipc://?[2J");
    EXPECT_EQ (lines[3], "     dropped: full 5");
}

TEST (top_table, two_readings_show_rates)
{
    const told_statistics before = told (first);
    const std::vector<std::string> lines = table_of (told (second), &before);
    ASSERT_EQ (lines.size (), 4U);
    EXPECT_NE (lines[1].find (" IN/s "), std::string::npos);
    EXPECT_NE (lines[2].find ("      15 K         0     2.5 M "), std::string::npos) << lines[2];
    EXPECT_NE (lines[3].find ("PUB           0         -         - "), std::string::npos) << lines[3];
}

TEST (top_table, trouble_is_a_line)
{
    told_statistics none;
    none.endpoint = "tcp://there:1";
    none.trouble = "it is dark\033[2J";
    EXPECT_EQ (table_of (none, nullptr), std::vector<std::string>{"tcp://there:1: it is dark?[2J"});
    EXPECT_EQ (table_of (told (R"({"sockets":[5]})"), nullptr).size (), 1U);
    EXPECT_EQ (table_of (told (R"({"sockets":[{"type":5}]})"), nullptr).size (), 1U);
    // A process that has begun anew is as one that is seen for the first time.
    const told_statistics begun = told (first);
    EXPECT_EQ (table_of (told (first), &none), table_of (begun, nullptr));
}

TEST (top_table, answers_that_tell_nothing_are_trouble)
{
    EXPECT_EQ (parse_statistics ("").trouble, "it hung up without an answer");
    EXPECT_EQ (parse_statistics ("SSH-2.0").trouble, "what answers there is no HTTP");
    EXPECT_EQ (parse_statistics ("HTTP/1.1 404 Not Found\r\n\r\n{\"sockets\":[]}").trouble,
               "no statistics are served there (HTTP/1.1 404 Not Found)");
    EXPECT_FALSE (parse_statistics ("HTTP/1.1 200 OK\r\n\r\n{").trouble.empty ());
    EXPECT_FALSE (parse_statistics ("HTTP/1.1 200 OK\r\n\r\n[]").trouble.empty ());
    EXPECT_TRUE (parse_statistics ("HTTP/1.1 200 OK\r\n\r\n{\"sockets\":[]}").trouble.empty ());
}

TEST (top_table, endpoints_may_be_short)
{
    EXPECT_EQ (endpoint_of ("9600"), "tcp://127.0.0.1:9600");
    EXPECT_EQ (endpoint_of ("host:9600"), "tcp://host:9600");
    EXPECT_EQ (endpoint_of ("http://host:9600/metrics"), "tcp://host:9600");
    EXPECT_EQ (endpoint_of ("ipc:///run/a"), "ipc:///run/a");
}

}  // namespace
}  // namespace zlink::tool
