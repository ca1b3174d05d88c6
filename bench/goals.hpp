// The goals: what must hold before work counts as done, and what to aim for.
// The table is the "must" and "aim" columns of the design's performance page;
// a goal whose part is not built yet is printed and does not count. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contest.hpp"

namespace zlink::bench {

enum class goal_kind
{
    ratio_at_least,  // ours / theirs
    ratio_at_most,   // of the compared figure
    p50_ratio_at_most,
    p99_ratio_at_most,
    floor_times_at_most,   // ours / floor, of latencies
    floor_share_at_least,  // ours / what stands in the floor's place
    own_ratio_at_least,    // ours here / ours in the reference cell
    own_ratio_at_most,
    // Ours against what is possible if the work of the reference cell and of the floor
    // is done one after the other: 1 / (1 / reference + 1 / floor).
    own_ceiling_at_least,
    bytes_at_most,         // ours, of metrics in bytes
    bytes_each_at_most,    // of each thing that the cell holds many of
    cpu_share_at_most,     // ours: CPU seconds of both sides per second
    cpu_ratio_at_most,     // CPU per message, ours / theirs
    calls_ratio_at_most,   // reads, writes and polls per message, ours / theirs
    reads_writes_at_most,  // per message
    polls_at_most,
    wakes_at_most,
    allocations_at_most,
    us_at_most,  // ours, of metrics in microseconds
    not_lost,
};

// How much a goal asks for: single rows, the plain matrix, or the matrix under
// every condition. Each includes what stands before it.
enum class goal_scope
{
    quick,
    plain,
    everything,
};

struct goal
{
    std::string_view what;
    std::string_view cells = {};  // a filter; empty: not built
    goal_kind kind = goal_kind::not_lost;
    double must = 0;
    double aim = 0;                   // 0 = none
    std::string_view reference = {};  // of own ratios: parts that replace the cell's
    goal_scope scope = goal_scope::quick;
};

[[nodiscard]] std::span<const goal> goals () noexcept;

// The cells that the goal is about, without what they are compared with.
[[nodiscard]] std::vector<cell> cells_of (const goal &wanted);

// Cells that goals compare with each other: they are measured in turn.
using cell_group = std::vector<wanted_cell>;

// What one cell of a goal needs: the cell, counted if the goal is about calls, and its reference.
[[nodiscard]] cell_group compared_cells (const goal &wanted, const cell &of);

// Puts cells into one of the groups: a new one at the end, or the first that has one of them. Other groups
// that have one of them become part of it, so no cell is in two. A cell is counted if anybody wants it so.
void add_group (std::vector<cell_group> *groups, const cell_group &together);

// Results by cell, as they were measured.
class result_book
{
  public:
    void put (cell_result result);
    // Null when the cell was not measured.
    [[nodiscard]] const cell_result *find (const cell &wanted) const;

  private:
    std::vector<cell_result> results_;
};

enum class goal_state
{
    reached,  // the aim
    met,      // the must
    missed,
    unknown,  // not measured, or not countable here
};

struct goal_answer
{
    goal_state state = goal_state::unknown;
    double measured = 0;
    std::string error;  // the cell failed: a miss
};

// One cell of a goal. A ratio to a reference is the median of the ratios round by round, over the rounds that
// both have, so the book has to have both from one call of run_contests.
[[nodiscard]] goal_answer answer_goal (const goal &wanted, const cell &of, const result_book &book);

// The better of two runs of the same goal.
[[nodiscard]] const goal_answer &
better_answer (const goal &wanted, const goal_answer &first, const goal_answer &second);

// "at least 4.50x", "not lost".
[[nodiscard]] std::string format_must (const goal &wanted);

}  // namespace zlink::bench
