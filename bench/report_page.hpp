// One page with everything a run found: tables and charts, in a file that needs no
// other. Pure.
#pragma once

#include <string>

#include "bench/run_record.hpp"

namespace zlink::bench {

// baseline: an earlier run to compare with; null: none.
[[nodiscard]] std::string report_page (const run_record &record, const run_record *baseline);

// Its parts: the style, and the script that draws (report_script.cpp).
extern const char *const report_style;
extern const char *const report_script;

}  // namespace zlink::bench
