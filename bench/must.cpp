#include "bench/must.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "bench/goals.hpp"
#include "bench/os.hpp"
#include "bench/report.hpp"

namespace zlink::bench {

namespace {

bool contains (const std::vector<cell> &cells, const cell &one)
{
    return std::find (cells.begin (), cells.end (), one) != cells.end ();
}

class must_run
{
  public:
    must_run (contest_settings settings, const std::vector<cell> &chosen, goal_scope scope)
      : settings_ (std::move (settings)), chosen_ (chosen), scope_ (scope)
    {
        for_each_answer (
          [&] (const goal &row, const cell &one) { add_group (&wanted_, compared_cells (row, one)); });
    }

    int run ()
    {
        double expected_s = 0;
        std::size_t cells = 0;
        for (const cell_group &group : wanted_)
            for (const wanted_cell &one : group) {
                expected_s += expected_seconds (settings_, one.measured);
                ++cells;
            }
        fmt::print ("{} cells, about {:.0f} s\n\n{}", cells, expected_s, table_header (false));
        std::fflush (stdout);
        progress_line progress (expected_s);
        settings_.on_progress = [&] (const cell &current, double run_s) {
            progress.advance (current.name (), run_s);
        };
        for (const cell_group &group : wanted_)
            measure (group, &progress, &first_);
        second_ = first_;
        const std::vector<cell_group> again = collect_misses ();
        if (!again.empty ())
            fmt::print ("\nonce more, what was missed:\n{}", table_header (false));
        for (const cell_group &group : again)
            measure (group, &progress, &second_);
        progress.clear ();
        return print_goals () && !os::interrupted () ? 0 : 1;
    }

  private:
    [[nodiscard]] bool is_chosen (const cell &one) const
    {
        return chosen_.empty () || contains (chosen_, one);
    }

    void measure (const cell_group &group, progress_line *progress, result_book *into)
    {
        if (os::interrupted ())
            return;
        std::vector<cell_result> results = run_contests (settings_, group);
        progress->clear ();
        for (cell_result &result : results) {
            fmt::print ("{}", table_row (result, false));
            into->put (std::move (result));
        }
        std::fflush (stdout);
    }

    // Calls visit (goal, cell) for what is to be answered.
    template <class Visit> void for_each_answer (Visit &&visit) const
    {
        for (const goal &row : goals ()) {
            if (row.scope > scope_)
                continue;
            for (const cell &one : cells_of (row))
                if (is_chosen (one))
                    visit (row, one);
        }
    }

    [[nodiscard]] std::vector<cell_group> collect_misses () const
    {
        std::vector<cell_group> missed;
        for_each_answer ([&] (const goal &row, const cell &one) {
            if (answer_goal (row, one, first_).state == goal_state::missed)
                add_group (&missed, compared_cells (row, one));
        });
        return missed;
    }

    bool print_goals ()
    {
        fmt::print ("\n{:<58} {:<38} {:<16} {:>9} {:>9}\n", "goal", "cell", "must", "measured", "again");
        unsigned missed = 0, met = 0, reached = 0, unknown = 0;
        for_each_answer ([&] (const goal &row, const cell &one) {
            const goal_answer first = answer_goal (row, one, first_);
            const bool twice = first.state == goal_state::missed;
            // Of other goals only some of the cells may have been measured again.
            const goal_answer second = twice ? answer_goal (row, one, second_) : first;
            const goal_answer &best = better_answer (row, first, second);
            missed += best.state == goal_state::missed ? 1u : 0u;
            met += best.state == goal_state::met ? 1u : 0u;
            reached += best.state == goal_state::reached ? 1u : 0u;
            unknown += best.state == goal_state::unknown ? 1u : 0u;
            fmt::print ("{:<58} {:<38} {:<16} {:>9.4g} {:>9} {}{}\n", row.what, one.name (),
                        format_must (row), first.measured,
                        twice ? fmt::format ("{:.4g}", second.measured) : "", state_text (best.state),
                        best.error.empty () ? "" : ": " + best.error);
        });
        if (chosen_.empty ())
            for (const goal &row : goals ())
                if (row.cells.empty ())
                    fmt::print ("{:<58} not built\n", row.what);
        fmt::print ("\n{} at the aim, {} hold, {} missed, {} not measured\n", reached, met, missed, unknown);
        return missed == 0;
    }

    static const char *state_text (goal_state state)
    {
        switch (state) {
        case goal_state::reached:
            return "holds, aim reached";
        case goal_state::met:
            return "holds";
        case goal_state::missed:
            return "MISSED";
        case goal_state::unknown:
            break;
        }
        return "not measured";
    }

    contest_settings settings_;
    std::vector<cell> chosen_;
    goal_scope scope_;
    std::vector<cell_group> wanted_;
    result_book first_;
    result_book second_;
};

}  // namespace

int run_must (contest_settings settings, const std::vector<cell> &chosen, goal_scope scope)
{
    must_run run (std::move (settings), chosen, scope);
    return run.run ();
}

}  // namespace zlink::bench
