#include "bench/report_page.hpp"

#include <string_view>

#include <fmt/format.h>

namespace zlink::bench {

const char *const report_style = R"css(
:root { color-scheme: light dark; --back: #fbfbfa; --card: #fff; --text: #1c1f23; --faint: #6b7280; --line: #e3e5e8;
  --ours: #0f766e; --theirs: #c2571a; --floor: #8b93a1; --lost: #b42318; --won: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --card: #1c2024; --text: #e8eaed; --faint: #9aa3ad;
  --line: #2e3439; --ours: #2dd4bf; --theirs: #fb923c; --floor: #7b8592; --lost: #f87171; --won: #2dd4bf; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; letter-spacing: -.01em; }
h2 { font-size: 17px; margin: 0 0 2px; }
p { margin: 0 0 12px; color: var(--faint); max-width: 75ch; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-top: 18px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin-top: 18px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tile b { display: block; font-size: 25px; line-height: 1.25; font-weight: 650; }
.tile span { color: var(--faint); font-size: 13px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 18px; }
.pair section { margin-top: 0; } .pair { margin-top: 18px; }
.choice { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 12px; }
select { font: inherit; font-size: 14px; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: 6px; padding: 3px 8px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .faint { fill: var(--faint); } svg .grid { stroke: var(--line); }
.legend { display: flex; flex-wrap: wrap; gap: 16px; font-size: 13px; color: var(--faint); }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--faint); font-weight: 500; } td, th { padding: 3px 10px 3px 0; white-space: nowrap; }
tr + tr td { border-top: 1px solid var(--line); } td.n, th.n { text-align: right; }
td.won, td.even, td.lost, td.error { padding-left: 12px; }
.won { color: var(--won); } .lost, .error { color: var(--lost); font-weight: 600; } .even { color: var(--faint); }
.heat td { padding: 0; border: 0; } .heat td.c { text-align: center; border: 2px solid var(--card); border-radius: 6px;
  height: 28px; min-width: 62px; color: #14171a; } .heat .k { padding-right: 14px; } .heat th { padding: 2px 0; text-align: center; }
details summary { cursor: pointer; color: var(--faint); }
)css";

namespace {

// Data of a script element end where a tag begins: it has none.
std::string without_tags (std::string text)
{
    for (std::size_t at = text.find ('<'); at != std::string::npos; at = text.find ('<', at))
        text.replace (at, 1, "\\u003c");
    return text;
}

constexpr std::string_view body = R"html(<main>
<h1>zlink bench</h1><p id="about"></p>
<div class="tiles" id="tiles"></div>
<section><h2>Against libzmq</h2><p>How many times better ours is: above 1 faster, below 1 slower, in the same run.
A dashed frame is a cell that did not count.</p><div class="choice" id="heat-choice"></div><div class="wide" id="heat"></div></section>
<div class="pair">
<section><h2>Throughput over size</h2><p>Messages per second, both axes logarithmic.</p><div class="choice" id="rate-choice"></div><div id="rate"></div></section>
<section><h2>Latency distribution</h2><p>One way, in microseconds: middle of the rounds, by percentile.</p><div class="choice" id="tail-choice"></div><div id="tail"></div></section>
</div>
<section><h2>Percent of the floor</h2><p>What a program without any library reaches over the same transport is 100 %.</p><div class="choice" id="floor-choice"></div><div id="floor"></div></section>
<section id="changes" hidden><h2>Since the baseline</h2><p>Our advantage over libzmq now, divided by that of the earlier run. Only ratios outlive a run.</p><div class="wide" id="change-table"></div></section>
<section><details open><summary>Every cell</summary><div class="wide" id="table"></div></details></section>
<section><details open><summary>Machine and method</summary><div class="wide" id="facts"></div></details></section>
</main>
)html";

}  // namespace

std::string report_page (const run_record &record, const run_record *baseline)
{
    std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>zlink bench</title>\n<style>";
    page += report_style;
    page += "</style></head><body>\n";
    page += body;
    page +=
      "<script type=\"application/json\" id=\"data\">" + without_tags (to_json (record)) + "</script>\n";
    page += "<script type=\"application/json\" id=\"baseline\">"
            + (baseline == nullptr ? std::string ("null") : without_tags (to_json (*baseline)))
            + "</script>\n";
    page += "<script>\n";
    page += report_script;
    page += "</script></body></html>\n";
    return page;
}

}  // namespace zlink::bench
