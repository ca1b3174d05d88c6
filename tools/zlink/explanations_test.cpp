#include "tools/zlink/explanations.hpp"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>
#include <zlink/zlink.h>

#include "socket/options.hpp"
#include "tools/zlink/error_table.hpp"
#include "tools/zlink/event_table.hpp"

namespace {

using zlink::tool::explain;
using zlink::tool::explain_all;
using zlink::tool::explain_error;
using zlink::tool::explain_event;
using zlink::tool::explain_option;
using zlink::tool::explain_reason;

TEST (explain, finds_errors_by_name_in_any_case)
{
    EXPECT_NE (explain ("EAGAIN").find ("EAGAIN: error"), std::string::npos);
    EXPECT_EQ (explain ("eagain"), explain ("EAGAIN"));
}

TEST (explain, finds_errors_by_number)
{
    EXPECT_NE (explain_error (std::to_string (ENOTSOCK)).find ("ENOTSOCK"), std::string::npos);
    EXPECT_NE (explain_error ("156384763").find ("EFSM"), std::string::npos);
}

TEST (explain, finds_options_with_and_without_prefix)
{
    const std::string text = explain ("SNDHWM");
    EXPECT_NE (text.find ("socket option 23 in both headers"), std::string::npos) << text;
    EXPECT_EQ (explain ("ZMQ_SNDHWM"), text);
    EXPECT_EQ (explain ("zlink_sndhwm"), text);
}

TEST (explain, shows_both_numbers_where_the_headers_differ)
{
    const std::string text = explain_option ("OUT_BATCH_SIZE");
    EXPECT_NE (text.find ("102 in zmq.h, 1102 in zlink.h"), std::string::npos) << text;
}

TEST (explain, a_number_may_be_an_error_and_options)
{
    const std::string text = explain (std::to_string (EAGAIN));
    EXPECT_NE (text.find ("EAGAIN"), std::string::npos);
    EXPECT_NE (text.find ("socket option"), std::string::npos);
}

TEST (explain, finds_context_options)
{
    EXPECT_NE (explain_option ("IO_THREADS").find ("context option 1"), std::string::npos);
}

TEST (explain, finds_events)
{
    for (const char *word : {"DISCONNECTED", "disconnected", "ZMQ_EVENT_DISCONNECTED",
                             "ZLINK_EVENT_DISCONNECTED", "EVENT_DISCONNECTED", "0x0200", "0x200"})
        EXPECT_EQ (explain (word).find ("DISCONNECTED: event 0x0200\n"), 0u) << word;
    const std::string ready = explain ("HANDSHAKE_SUCCEEDED");
    EXPECT_EQ (ready, explain_event ("CONNECTION_READY"));
    EXPECT_NE (ready.find ("in zmq.h HANDSHAKE_SUCCEEDED"), std::string::npos) << ready;
    EXPECT_NE (explain_event ("GAP").find ("not in zmq.h"), std::string::npos);
    EXPECT_EQ (explain_event ("-"), "");
}

// Every bit of the headers' masks, each once.
TEST (explain, has_every_event)
{
    std::uint64_t all = 0;
    for (const auto &row : zlink::tool::event_rows ()) {
        EXPECT_EQ (all & row.number, 0u) << row.name;
        all |= row.number;
    }
    EXPECT_EQ (all, 0x10000u | ZLINK_EVENT_ALL);
}

TEST (explain, finds_reasons)
{
    EXPECT_NE (explain ("connect-refused").find ("nobody listens"), std::string::npos);
    EXPECT_EQ (explain_reason ("no-such-reason"), "");
}

// One paragraph for each row of the tables, under four headings.
TEST (explain, all_is_every_row)
{
    const std::string all = explain_all ();
    std::size_t paragraphs = 0;
    for (std::size_t at = all.find ("\n\n"); at != std::string::npos; at = all.find ("\n\n", at + 1))
        ++paragraphs;
    const std::size_t headings = 4;
    EXPECT_EQ (paragraphs, zlink::tool::error_rows ().size () + zlink::socket::option_rows ().size ()
                             + zlink::socket::context_option_rows ().size ()
                             + zlink::tool::event_rows ().size () + headings - 1);
    for (const auto &row : zlink::tool::error_rows ())
        EXPECT_NE (all.find ("\n\n" + std::string (row.name) + ": error "), std::string::npos) << row.name;
    for (const auto &row : zlink::socket::option_rows ())
        EXPECT_NE (all.find ("\n\n" + std::string (row.name) + ": socket option "), std::string::npos);
    for (const auto &row : zlink::socket::context_option_rows ())
        EXPECT_NE (all.find ("\n\n" + std::string (row.name) + ": context option "), std::string::npos);
}

TEST (explain, knows_nothing_of_nonsense)
{
    EXPECT_EQ (explain ("NOSUCHTHING"), "");
    EXPECT_EQ (explain ("987654321"), "");
    EXPECT_EQ (explain (""), "");
}

}  // namespace
