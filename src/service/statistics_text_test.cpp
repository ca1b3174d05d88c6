#include "service/statistics_text.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using socket::count_of;
using socket::count_row;
using socket::drop_reason;

// A socket with an endpoint that is bound, and a connection of it.
std::vector<count_row> rows_of_a_pull ()
{
    std::vector<count_row> rows (3);
    rows[0].address = "PULL";
    rows[0].total.messages_received = 70;
    rows[0].total.of (drop_reason::full) = 3;
    rows[0].now.queue_age_ns = 1'002'003'004;
    rows[0].wakes = 9;
    rows[1].what = count_of::endpoint;
    rows[1].is_listener = true;
    rows[1].id = 4;
    rows[1].address = "ipc:///run/a\"b\\c\n";
    rows[1].attempts = 2;
    rows[1].last_reason = base::close_reason::peer_closed;
    rows[2].what = count_of::connection;
    rows[2].address = "a connection's";
    return rows;
}

bool has (const std::string &text, std::string_view line)
{
    return ("\n" + text).find ("\n" + std::string (line) + "\n") != std::string::npos;
}

TEST (statistics_text, prometheus_has_a_series_for_each_socket_and_endpoint)
{
    const std::vector<count_row> rows = rows_of_a_pull ();
    std::string text;
    append_prometheus (std::array{numbered_rows{7, rows}}, text);
    EXPECT_TRUE (has (text, "zlink_sockets 1"));
    EXPECT_TRUE (has (text, "# HELP zlink_messages_received_total Whole messages handed to the caller."));
    EXPECT_TRUE (has (text, "# TYPE zlink_messages_received_total counter"));
    EXPECT_TRUE (has (text, "zlink_messages_received_total{socket=\"7\",type=\"PULL\"} 70"));
    EXPECT_TRUE (has (text, "zlink_dropped_total{socket=\"7\",type=\"PULL\",reason=\"full\"} 3"));
    EXPECT_TRUE (has (text, "zlink_dropped_total{socket=\"7\",type=\"PULL\",reason=\"cut\"} 0"));
    EXPECT_TRUE (has (text, "# TYPE zlink_queue_age_seconds gauge"));
    EXPECT_TRUE (has (text, "zlink_queue_age_seconds{socket=\"7\",type=\"PULL\"} 1.002003004"));
    EXPECT_TRUE (has (text, "zlink_endpoint_attempts_total{socket=\"7\",type=\"PULL\",id=\"4\","
                            "endpoint=\"ipc:///run/a\\\"b\\\\c?\",direction=\"bound\"} 2"));
    EXPECT_EQ (text.find ("a connection's"), std::string::npos);
    EXPECT_EQ (text.back (), '\n');
}

TEST (statistics_text, json_has_a_member_for_each_number)
{
    const std::vector<count_row> rows = rows_of_a_pull ();
    std::string text;
    append_json (std::array{numbered_rows{7, rows}, numbered_rows{8, rows}}, {}, 123, text);
    EXPECT_TRUE (text.starts_with ("{\"monotonic_ns\":123,\"sockets\":[{\"type\":\"PULL\",\"socket\":7,"));
    for (const char *part :
         {"\"messages_received\":70", "\"queue_age_ns\":1002003004", "\"wakes\":9",
          "\"dropped\":{\"full\":3}",
          "\"endpoints\":[{\"endpoint\":\"ipc:///run/a\\\"b\\\\c?\",\"bound\":true,\"id\":4,",
          "\"attempts\":2",
          "\"dropped\":{},\"last_reason\":\"peer-closed\"}]},\n{\"type\":\"PULL\",\"socket\":8,"})
        EXPECT_NE (text.find (part), std::string::npos) << part << " in " << text;
    EXPECT_TRUE (text.ends_with ("]}],\"services\":[]}\n"));
}

TEST (statistics_text, nothing_is_an_empty_list)
{
    std::string text;
    append_json ({}, {}, 5, text);
    EXPECT_EQ (text, "{\"monotonic_ns\":5,\"sockets\":[],\"services\":[]}\n");
    text.clear ();
    append_prometheus (std::span<const numbered_rows> (), text);
    append_prometheus (std::span<const counted_rows> (), text);
    EXPECT_TRUE (has (text, "zlink_sockets 0"));
    EXPECT_EQ (text.find ('{'), std::string::npos);
}

// Two gateways, and one of another kind between them.
std::vector<counted_rows> rows_of_services ()
{
    const auto gateway = [] (std::uint64_t requests, std::uint64_t late) {
        return std::vector<counted_number>{
          {"requests", "Requests.", requests},
          {"failed", "Failures.", 1, true, "deadline"},
          {"failed", "Failures.", 2, true, "refused"},
          {"under_way", "Now.", late, false},
        };
    };
    return {{"gateway", 1, gateway (10, 0)},
            {"receiver", 2, {{"requests", "Taken.", 5}}},
            {"gateway", 3, gateway (20, 4)}};
}

TEST (statistics_text, prometheus_has_the_series_of_a_name_behind_each_other)
{
    std::string text;
    append_prometheus (rows_of_services (), text);
    EXPECT_EQ (text, "# HELP zlink_gateway_requests_total Requests.\n"
                     "# TYPE zlink_gateway_requests_total counter\n"
                     "zlink_gateway_requests_total{gateway=\"1\"} 10\n"
                     "zlink_gateway_requests_total{gateway=\"3\"} 20\n"
                     "# HELP zlink_gateway_failed_total Failures.\n"
                     "# TYPE zlink_gateway_failed_total counter\n"
                     "zlink_gateway_failed_total{gateway=\"1\",error_type=\"deadline\"} 1\n"
                     "zlink_gateway_failed_total{gateway=\"1\",error_type=\"refused\"} 2\n"
                     "zlink_gateway_failed_total{gateway=\"3\",error_type=\"deadline\"} 1\n"
                     "zlink_gateway_failed_total{gateway=\"3\",error_type=\"refused\"} 2\n"
                     "# HELP zlink_gateway_under_way Now.\n"
                     "# TYPE zlink_gateway_under_way gauge\n"
                     "zlink_gateway_under_way{gateway=\"1\"} 0\n"
                     "zlink_gateway_under_way{gateway=\"3\"} 4\n"
                     "# HELP zlink_receiver_requests_total Taken.\n"
                     "# TYPE zlink_receiver_requests_total counter\n"
                     "zlink_receiver_requests_total{receiver=\"2\"} 5\n");
}

TEST (statistics_text, json_has_an_object_for_each_service)
{
    std::string text;
    append_json ({}, rows_of_services (), 5, text);
    EXPECT_EQ (text, "{\"monotonic_ns\":5,\"sockets\":[],\"services\":["
                     "{\"kind\":\"gateway\",\"number\":1,\"requests\":10,\"failed_deadline\":1,"
                     "\"failed_refused\":2,\"under_way\":0},\n"
                     "{\"kind\":\"receiver\",\"number\":2,\"requests\":5},\n"
                     "{\"kind\":\"gateway\",\"number\":3,\"requests\":20,\"failed_deadline\":1,"
                     "\"failed_refused\":2,\"under_way\":4}]}\n");
}

TEST (statistics_text, what_is_no_text_is_not_passed_on)
{
    std::string text;
    append_quoted ("\xC3\xA4", text);
    append_quoted ("\xC3(\x7F", text);
    EXPECT_EQ (text, "\xC3\xA4?(?");
}

}  // namespace
}  // namespace zlink::service
