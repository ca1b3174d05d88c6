#include "bench/must.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "bench/goals.hpp"
#include "bench/os.hpp"
#include "bench/report.hpp"

namespace zlink::bench {

namespace {

struct wanted_cell
{
    cell measured;
    bool counted = false;
};

bool contains (const std::vector<cell> &cells, const cell &one)
{
    return std::find (cells.begin (), cells.end (), one) != cells.end ();
}

class must_run
{
  public:
    must_run (contest_settings settings, const std::vector<cell> &chosen, goal_scope scope)
      : settings_ (std::move (settings)), counter_path_ (settings_.counter_path), chosen_ (chosen),
        scope_ (scope)
    {
        for (const goal &row : goals ())
            if (row.scope <= scope_)
                want (row);
    }

    int run ()
    {
        double expected_s = 0;
        for (const wanted_cell &one : wanted_)
            expected_s += expected_seconds (settings_, one.measured);
        fmt::print ("{} cells, about {:.0f} s\n\n{}", wanted_.size (), expected_s, table_header (false));
        std::fflush (stdout);
        progress_line progress (expected_s);
        settings_.on_progress = [&] (const cell &current, double run_s) {
            progress.advance (current.name (), run_s);
        };
        for (const wanted_cell &one : wanted_)
            measure (one, &progress, &first_);
        second_ = first_;
        if (!again_.empty () || collect_misses ())
            fmt::print ("\nonce more, what was missed:\n{}", table_header (false));
        for (const wanted_cell &one : again_)
            measure (one, &progress, &second_);
        progress.clear ();
        return print_goals () && !os::interrupted () ? 0 : 1;
    }

  private:
    [[nodiscard]] bool is_chosen (const cell &one) const
    {
        return chosen_.empty () || contains (chosen_, one);
    }

    // The cells of a goal, unless none of them was chosen.
    void want (const goal &row)
    {
        const std::vector<cell> cells = cells_of (row);
        if (std::none_of (cells.begin (), cells.end (), [&] (const cell &one) { return is_chosen (one); }))
            return;
        for (const cell &one : cells) {
            const bool reference = !row.reference.empty ();
            if (reference || is_chosen (one))
                add (&wanted_, {one, needs_counts (row)});
        }
    }

    static void add (std::vector<wanted_cell> *to, const wanted_cell &one)
    {
        for (wanted_cell &known : *to)
            if (known.measured == one.measured) {
                known.counted = known.counted || one.counted;
                return;
            }
        to->push_back (one);
    }

    void measure (const wanted_cell &one, progress_line *progress, result_book *into)
    {
        if (os::interrupted ())
            return;
        settings_.counter_path = one.counted ? counter_path_ : std::string ();
        cell_result result = run_contest (settings_, one.measured);
        progress->clear ();
        fmt::print ("{}", table_row (result, false));
        std::fflush (stdout);
        into->put (std::move (result));
    }

    // Calls visit (goal, cell) for what is to be answered.
    template <class Visit> void for_each_answer (Visit &&visit) const
    {
        for (const goal &row : goals ()) {
            if (row.scope > scope_)
                continue;
            for (const cell &one : select_goal_cells (row))
                visit (row, one);
        }
    }

    [[nodiscard]] std::vector<cell> select_goal_cells (const goal &row) const
    {
        std::vector<cell> cells;
        if (!row.cells.empty ())
            for (const cell &one : select_cells (row.cells))
                if (is_chosen (one))
                    cells.push_back (one);
        return cells;
    }

    bool collect_misses ()
    {
        for_each_answer ([&] (const goal &row, const cell &one) {
            if (answer_goal (row, one, first_).state != goal_state::missed)
                return;
            add (&again_, {one, needs_counts (row)});
            if (row.reference.empty ())
                return;
            for (const cell &related : cells_of (row))
                add (&again_, {related, false});
        });
        return !again_.empty ();
    }

    bool print_goals ()
    {
        fmt::print ("\n{:<58} {:<38} {:<16} {:>9} {:>9}\n", "goal", "cell", "must", "measured", "again");
        unsigned missed = 0, met = 0, reached = 0, unknown = 0;
        for_each_answer ([&] (const goal &row, const cell &one) {
            const goal_answer first = answer_goal (row, one, first_);
            const goal_answer second = answer_goal (row, one, second_);
            const goal_answer &best = better_answer (row, first, second);
            missed += best.state == goal_state::missed ? 1u : 0u;
            met += best.state == goal_state::met ? 1u : 0u;
            reached += best.state == goal_state::reached ? 1u : 0u;
            unknown += best.state == goal_state::unknown ? 1u : 0u;
            const bool twice = first.state == goal_state::missed;
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
    std::string counter_path_;
    std::vector<cell> chosen_;
    goal_scope scope_;
    std::vector<wanted_cell> wanted_;
    std::vector<wanted_cell> again_;
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
