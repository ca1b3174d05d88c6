// A whole run of the benchmark: its facts and its cells, as JSON and back. What is
// written is read as the same again; `zlink bench --json`, `--save` and `--baseline`
// are of this. Pure but for the two that say so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/contest.hpp"
#include "bench/machine.hpp"

namespace zlink::bench {

struct run_record
{
    std::vector<fact> facts;
    std::vector<cell_result> cells;

    // Null: it was not measured.
    [[nodiscard]] const cell_result *find (const cell &measured) const;
};

// How far the rounds of a cell lie apart, (max - min) / median: the middle over all cells.
struct noise
{
    double ours = 0;
    double theirs = 0;
    double floor = 0;
};
[[nodiscard]] noise noise_of (const std::vector<cell_result> &cells);

[[nodiscard]] std::string to_json (const run_record &record);
// False: `why` says what is wrong. Cells that this program does not know are left out.
[[nodiscard]] bool from_json (std::string_view text, run_record &record, std::string &why);

// RESULT,<lib>,<pattern>,<transport>,<size>,<metric>,<value>, a line for each library
// and the floor: messages a second or microseconds, in the words of the reports that
// zlink 1.x and its kin wrote.
[[nodiscard]] std::string result_lines (const cell_result &result);

// Reads and writes files; a file is there whole or as it was before. Not empty: what
// went wrong.
[[nodiscard]] std::string load_record (const std::string &path, run_record &record);
[[nodiscard]] std::string store_text (const std::string &path, const std::string &text);

}  // namespace zlink::bench
