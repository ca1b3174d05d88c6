#include "bench/run_record.hpp"

#include <gtest/gtest.h>

#include "bench/os.hpp"

namespace {

using namespace zlink::bench;

series series_of (double value)
{
    series made;
    for (const double factor : {0.9, 1.0, 1.1}) {
        outcome run;
        run.value = value * factor;
        run.library = "lib \"x\" 1.0";
        made.runs.push_back (run);
    }
    return made;
}

run_record sample ()
{
    run_record record;
    record.facts = {{"processor", "one"}, {"kernel", "two <3>"}};
    cell_result &one = record.cells.emplace_back ();
    one.measured = *parse_cell ("PUB_SUB/ipc/1024/throughput");
    one.ours = series_of (6e6);
    one.theirs = series_of (1.5e6);
    one.decision = verdict::won;
    cell_result &other = record.cells.emplace_back ();
    other.measured = *parse_cell ("ROUTER_ROUTER/tcp/64/latency+poll");
    other.ours = series_of (4);
    for (outcome &run : other.ours.runs)
        run.p50_us = run.p99_us = run.p999_us = run.mean_us = 4;
    cell_result &failed = record.cells.emplace_back ();
    failed.measured = *parse_cell ("PAIR/tcp/64/latency");
    failed.error = "a \"quoted\" word\n";
    return record;
}

TEST (run_record, is_read_as_it_was_written)
{
    const run_record written = sample ();
    run_record read;
    std::string why;
    ASSERT_TRUE (from_json (to_json (written), read, why)) << why;
    EXPECT_EQ (read.facts, written.facts);
    ASSERT_EQ (read.cells.size (), written.cells.size ());
    for (std::size_t i = 0; i < read.cells.size (); ++i) {
        EXPECT_EQ (read.cells[i].measured, written.cells[i].measured);
        EXPECT_EQ (read.cells[i].error, written.cells[i].error);
        EXPECT_EQ (read.cells[i].decision, written.cells[i].decision);
        EXPECT_EQ (read.cells[i].ours.value (), written.cells[i].ours.value ());
    }
    EXPECT_EQ (read.cells[0].ours.runs[1].library, "lib \"x\" 1.0");
    EXPECT_EQ (to_json (read), to_json (written));
}

TEST (run_record, finds_a_cell_by_what_it_is)
{
    const run_record record = sample ();
    EXPECT_EQ (record.find (*parse_cell ("PUB_SUB/ipc/1024/throughput")), &record.cells[0]);
    EXPECT_EQ (record.find (*parse_cell ("PUB_SUB/ipc/1024/throughput+pinned")), nullptr);
}

TEST (run_record, what_is_none_is_refused)
{
    for (const char *text : {"", "[]", "{}", R"({"format":"zlink bench","version":2})",
                             R"({"format":"zlink bench","version":1})",
                             R"({"format":"zlink bench","version":1,"facts":{"a":1},"cells":[]})",
                             R"({"format":"zlink bench","version":1,"facts":{},"cells":[1]})"}) {
        run_record record;
        std::string why;
        EXPECT_FALSE (from_json (text, record, why)) << text;
        EXPECT_FALSE (why.empty ()) << text;
    }
}

TEST (run_record, results_are_lines_of_seven_words)
{
    const run_record record = sample ();
    EXPECT_EQ (result_lines (record.cells[0]), "RESULT,zlink,PUBSUB,ipc,1024,throughput,6000000.000\n"
                                               "RESULT,libzmq,PUBSUB,ipc,1024,throughput,1500000.000\n");
    const std::string latency = result_lines (record.cells[1]);
    EXPECT_EQ (latency.find ("RESULT,zlink,ROUTER_ROUTER_POLL,tcp,64,latency,4.000\n"), 0u) << latency;
    EXPECT_NE (latency.find ("RESULT,zlink,ROUTER_ROUTER_POLL,tcp,64,latency_p99.9,4.000\n"),
               std::string::npos);
    EXPECT_EQ (result_lines (record.cells[2]), "") << "a cell that failed";
}

TEST (run_record, noise_is_how_far_rounds_lie_apart)
{
    const noise found = noise_of (sample ().cells);
    EXPECT_NEAR (found.ours, 0.2, 1e-9);
    EXPECT_NEAR (found.theirs, 0.2, 1e-9);
    EXPECT_EQ (found.floor, 0);
}

TEST (run_record, is_stored_whole)
{
    const std::string folder = os::make_directory ();
    const std::string path = folder + "/run.json";
    EXPECT_EQ (store_text (path, to_json (sample ())), "");
    EXPECT_FALSE (os::file_exists (path + ".part"));
    run_record read;
    EXPECT_EQ (load_record (path, read), "");
    EXPECT_EQ (read.cells.size (), 3u);
    EXPECT_NE (load_record (folder + "/none.json", read), "");
    EXPECT_NE (store_text (folder + "/none/run.json", ""), "");
    os::remove_directory (folder);
}

}  // namespace
