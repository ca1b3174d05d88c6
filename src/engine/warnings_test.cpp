#include "engine/warnings.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

struct heard final : base::log_sink
{
    void take (const base::log_line &line) noexcept override
    {
        lines.push_back (std::string (line.text) + " [" + line.about + "]");
        errors += line.weight == base::severity::error;
    }
    std::vector<std::string> lines;
    int errors = 0;
};

struct warnings_case : testing::Test
{
    // What is said when this is noted now.
    std::vector<std::string> say (const warning &what, base::time_ns now)
    {
        if (about.note (what, "tcp://a:1", "tcp://b:2", now))
            about.say (log);
        return std::exchange (log.lines, {});
    }
    warnings about;
    heard log;
};

TEST_F (warnings_case, say_what_and_why_and_about_whom)
{
    EXPECT_EQ (say (warning::dropped (drop_reason::peer_lost, 3), 0),
               std::vector<std::string>{"messages given up: 3, peer-lost [tcp://a:1, peer tcp://b:2]"});
    EXPECT_EQ (
      say (warning::refused (base::close_reason::mechanism_mismatch), 0),
      std::vector<std::string>{"a peer turned away: mechanism-mismatch [tcp://a:1, peer tcp://b:2]"});
    EXPECT_EQ (log.errors, 0);
    EXPECT_EQ (
      say (warning::not_accepting (base::close_reason::limit_reached, 24), 0).front ().substr (0, 51),
      "cannot accept for a while: limit-reached (errno 24)");
    EXPECT_EQ (say (warning::odd_answer (base::close_reason::read_failed, 71), 0).size (), 1U);
    EXPECT_EQ (log.errors, 2);
    EXPECT_EQ (say (warning::gave_up (base::close_reason::connect_refused, 111), 0).front ().substr (0, 59),
               "an endpoint is not tried again: connect-refused (errno 111)");
    EXPECT_EQ (say (warning::refused (base::close_reason::authentication_failed, 300), 0).front (),
               "a peer turned away: authentication-failed (status 300: not now, perhaps later) "
               "[tcp://a:1, peer tcp://b:2]");
    EXPECT_EQ (say (warning::events_lost (7), 0).front ().substr (0, 34),
               "events lost that nobody fetched: 7");
    EXPECT_EQ (say (warning::unguarded (true), 0).front ().substr (0, 70),
               "a server of PLAIN or CURVE with nobody to ask about peers: all come in");
    EXPECT_EQ (say (warning::refused (base::close_reason::turned_away), 0).front ().substr (0, 33),
               "not let in by a peer: turned-away");
    EXPECT_EQ (say (warning::budget_reached (), 0).front ().substr (0, 27), "the byte budget is reached:");
    EXPECT_EQ (say (warning::refused (base::close_reason::budget_reached), 0).size (), 1U);
}

TEST_F (warnings_case, of_one_reason_come_at_intervals_and_lose_no_count)
{
    const warning one = warning::dropped (drop_reason::cut, 1);
    EXPECT_EQ (say (one, 0).size (), 1U);
    EXPECT_TRUE (say (one, 1).empty ());
    EXPECT_TRUE (say (one, warning_interval_ns - 1).empty ());
    EXPECT_EQ (say (warning::dropped (drop_reason::closed, 1), 2).size (), 1U);  // of another
    EXPECT_EQ (say (one, warning_interval_ns).front ().substr (0, 47),
               "messages given up: 3, cut, and 2 like it before");
    EXPECT_TRUE (say (one, warning_interval_ns + 1).empty ());
}

TEST_F (warnings_case, are_said_once_however_many_were_noted_before)
{
    EXPECT_TRUE (about.note (warning::events_lost (1), "", "", 0));
    EXPECT_FALSE (about.note (warning::events_lost (1), "", "", 0));
    EXPECT_TRUE (about.note (warning::refused (base::close_reason::out_of_memory), "", "", 0));
    about.say (log);
    about.say (log);
    EXPECT_EQ (log.lines, (std::vector<std::string>{
                            "a peer turned away: out-of-memory []",
                            "events lost that nobody fetched: 2, and 1 like it before []",
                          }));
}

// Endpoints and addresses may be of any length, and a peer's say.
TEST_F (warnings_case, are_lines_of_bounded_length)
{
    const std::string place (500, 'p');
    EXPECT_TRUE (about.note (warning::events_lost (1), place, "x", 0));
    EXPECT_TRUE (about.note (warning::dropped (drop_reason::cut, 1), "a\nb\x01", "", 0));
    about.say (log);
    ASSERT_EQ (log.lines.size (), 2U);
    EXPECT_EQ (log.lines[0], "messages given up: 1, cut [a?b?]");
    EXPECT_LT (log.lines[1].size (), 300U);
}

}  // namespace
}  // namespace zlink::engine
