// What `zlink bench` does, behind its command line.
#pragma once

#include <string>
#include <vector>

namespace zlink::bench {

struct bench_options
{
    std::vector<std::string> filters;      // --cell, may be several; empty: the matrix
    std::string library_path;              // ours; empty: beside the program
    std::string against_path;              // empty: the system's libzmq
    std::string abi = "zmq";               // zmq, zlink or both
    std::string calls = "copy";            // copy, message or batch
    std::vector<std::string> sized_paths;  // --size-of: more libraries whose sizes are shown
    std::string json_path;
    std::string page_path;      // --html
    std::string saved_name;     // --save: NAME.json after every cell, NAME.html at the end
    std::string baseline_name;  // --baseline: NAME.json
    double seconds = 0.4;
    unsigned rounds = 5;
    bool quick = false;
    bool full = false;
    bool resumes = false;       // goes on with what saved_name has
    bool prints_lines = false;  // RESULT lines instead of the table
    bool sweeps = false;
    bool sizes = false;  // nothing else
    bool all = false;
    bool details = false;
    bool count_calls = false;
    bool no_floor = false;
    bool must = false;
};

// The exit code: 0 well, 1 a cell was lost, failed or missed a must, 2 the
// command line or the installation is wrong (said on standard error).
[[nodiscard]] int run_bench (const bench_options &options);

}  // namespace zlink::bench
