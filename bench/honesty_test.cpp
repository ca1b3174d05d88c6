// The benchmark measured: stand-in libraries that are slow or cheat must be
// noticed.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/contest.hpp"
#include "bench/os.hpp"

namespace {

using namespace zlink::bench;

std::string stand_in (const std::string &fault)
{
    return std::string (ZLINK_STAND_IN_FOLDER) + "/libzlink_stand_in_" + fault + ".so";
}

class honesty : public testing::Test
{
  protected:
    void SetUp () override
    {
        if (!os::file_exists (stand_in ("none")))
            GTEST_SKIP () << "no libzmq in the system to stand in for";
    }

    static cell_result
    measure (const std::string &fault, const char *name, unsigned rounds, const std::string &counter = {})
    {
        contest_settings settings;
        settings.tool_path = ZLINK_TOOL_PATH;
        settings.ours.path = stand_in (fault);
        settings.theirs.path = stand_in ("none");
        settings.rounds = rounds;
        settings.floor_rounds = 0;
        settings.seconds = 0.1;
        settings.counter_path = counter;
        settings.confirm_losses = false;
        return run_contest (settings, *parse_cell (name));
    }
};

TEST_F (honesty, a_faultless_library_passes_every_check)
{
    for (const char *name : {"PAIR/tcp/64/throughput", "PUSH_PULL/inproc/1024/latency",
                             "PUSH_PULL/ipc/64/latency-one", "PAIR/inproc/64/throughput+message"}) {
        const cell_result result = measure ("none", name, 1);
        EXPECT_EQ (result.error, "") << name;
        EXPECT_GT (result.ours.value (), 0) << name;
        EXPECT_GT (result.theirs.value (), 0) << name;
    }
}

TEST_F (honesty, every_floor_moves_its_messages)
{
    contest_settings settings;
    settings.tool_path = ZLINK_TOOL_PATH;
    settings.seconds = 0.05;
    const std::string directory = os::make_directory ();
    for (const cell &one : select_cells ("PAIR/64,1024,65536/throughput,latency,latency-one")) {
        const outcome found = run_once (settings, contestant{}, one, directory);
        EXPECT_EQ (found.error, "") << one.name ();
        EXPECT_GT (found.value, 0) << one.name ();
    }
    os::remove_directory (directory);
}

// One thread and medians of short batches: what else the machine does falls
// on few of them.
TEST_F (honesty, a_library_slowed_by_a_fifth_loses)
{
    const cell_result result = measure ("slow", "PAIR/inproc/64/latency-one", pairs_for_verdict);
    EXPECT_EQ (result.error, "");
    EXPECT_EQ (result.decision, verdict::lost) << result.ratio ();
}

TEST_F (honesty, bodies_that_are_not_copied_whole_are_an_error)
{
    const cell_result stream = measure ("skip", "PAIR/tcp/1024/throughput", 1);
    EXPECT_NE (stream.error.find ("damaged"), std::string::npos) << stream.error;
    const cell_result loop = measure ("skip", "PAIR/inproc/65536/latency-one", 1);
    EXPECT_NE (loop.error.find ("damaged"), std::string::npos) << loop.error;
}

TEST_F (honesty, lost_messages_are_an_error)
{
    const cell_result result = measure ("drop", "PUSH_PULL/tcp/64/throughput", 1);
    EXPECT_NE (result.error.find ("lost"), std::string::npos) << result.error;
}

TEST_F (honesty, bytes_that_go_around_the_kernel_are_an_error)
{
    const std::string counter = ZLINK_COUNTER_PATH;
    if (counter.empty ())
        GTEST_SKIP () << "calls cannot be counted here";
    const cell_result straight = measure ("none", "PAIR/tcp/1024/throughput", 1, counter);
    EXPECT_EQ (straight.error, "");
    ASSERT_FALSE (straight.ours_counted.empty ());
    EXPECT_GT (straight.ours_counted.middle (&outcome::reads_writes), 0);
    const cell_result around = measure ("shortcut", "PAIR/tcp/1024/throughput", 1, counter);
    EXPECT_NE (around.error.find ("kernel"), std::string::npos) << around.error;
}

TEST_F (honesty, a_rival_that_loses_messages_is_not_compared_with)
{
    contest_settings settings;
    settings.tool_path = ZLINK_TOOL_PATH;
    settings.ours.path = stand_in ("none");
    settings.theirs.path = stand_in ("drop");
    settings.rounds = 2;
    settings.floor_rounds = 0;
    settings.seconds = 0.1;
    settings.confirm_losses = false;
    const cell_result result = run_contest (settings, *parse_cell ("PUSH_PULL/tcp/64/throughput"));
    EXPECT_EQ (result.error, "");
    EXPECT_EQ (result.ours.runs.size (), 2u);
    EXPECT_TRUE (result.theirs.empty ());
    EXPECT_NE (result.lacking.find ("lost"), std::string::npos) << result.lacking;
}

TEST_F (honesty, cells_that_are_compared_are_measured_in_turn)
{
    contest_settings settings;
    settings.tool_path = ZLINK_TOOL_PATH;
    settings.ours.path = settings.theirs.path = stand_in ("none");
    settings.rounds = 2;
    settings.floor_rounds = 0;
    settings.seconds = 0.05;
    settings.counter_path = ZLINK_COUNTER_PATH;
    settings.confirm_losses = false;
    std::vector<std::string> played;
    settings.on_progress = [&] (const cell &current, double) { played.push_back (current.name ()); };
    const std::string first = "PUSH_PULL/tcp/64/throughput", second = "PUSH_PULL/inproc/64/throughput";
    const std::vector<wanted_cell> wanted = {
      {*parse_cell (first), true},
      {*parse_cell ("GATEWAY/tcp/64/throughput"), true},  // fails: no library with services
      {*parse_cell (second), false},
    };
    const std::vector<cell_result> results = run_contests (settings, wanted);
    ASSERT_EQ (results.size (), 3u);
    EXPECT_EQ (results[0].error, "");
    EXPECT_TRUE (results[1].failed ());
    EXPECT_EQ (results[2].error, "");
    EXPECT_EQ (results[2].measured.name (), second);
    EXPECT_EQ (results[0].ours_counted.empty (), settings.counter_path.empty ());
    EXPECT_TRUE (results[2].ours_counted.empty ());
    ASSERT_GE (played.size (), 8u);
    played.resize (8);
    EXPECT_EQ (played, (std::vector{first, first, second, second, first, first, second, second}));
}

TEST_F (honesty, a_library_that_cannot_be_loaded_is_an_error)
{
    contest_settings settings;
    settings.tool_path = ZLINK_TOOL_PATH;
    settings.ours.path = "/nonexistent/libzmq.so.5";
    settings.theirs.path = stand_in ("none");
    EXPECT_TRUE (run_contest (settings, *parse_cell ("inproc/latency-one")).failed ());
}

}  // namespace
