// What one run of one cell found, and its form as one line of text, which is
// how a worker process hands it to the tool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::bench {

struct outcome
{
    std::string error;  // not empty: the run failed and nothing else counts
    // The figure that is compared: messages per second or microseconds.
    double value = 0;
    double mean_us = 0;
    double p50_us = 0;
    double p99_us = 0;
    double p999_us = 0;
    double messages = 0;         // in the measured window, or all of a latency run
    double seconds = 0;          // of the measured window
    double cpu_s = 0;            // of both sides, in the measured window
    double all_messages = 0;     // with warm-up and drain
    double peak_memory_kib = 0;  // of both sides
    // Calls into the C library per message, where they were counted; -1 = not.
    double reads_writes = -1;
    double polls = -1;
    double wakes = -1;
    double allocations = -1;
    double bytes_written = -1;  // into sockets and pipes
    double lost = 0;            // share of what was sent in the measured window
    double bytes_each = 0;      // memory of each thing that is held many times
    std::string library;        // path and version of what was measured
    std::string note;           // "spin option refused" and the like

    // CPU seconds of both sides per million messages; 0 = unknown.
    [[nodiscard]] double cpu_per_million () const { return messages > 0 ? cpu_s * 1e6 / messages : 0; }
};

// Every figure by its name, in the order in which they are written.
struct number_field
{
    std::string_view name;
    double outcome::*member;
};
inline constexpr number_field number_fields[] = {
  {"value", &outcome::value},
  {"mean_us", &outcome::mean_us},
  {"p50_us", &outcome::p50_us},
  {"p99_us", &outcome::p99_us},
  {"p999_us", &outcome::p999_us},
  {"messages", &outcome::messages},
  {"seconds", &outcome::seconds},
  {"cpu_s", &outcome::cpu_s},
  {"all_messages", &outcome::all_messages},
  {"peak_memory_kib", &outcome::peak_memory_kib},
  {"reads_writes", &outcome::reads_writes},
  {"polls", &outcome::polls},
  {"wakes", &outcome::wakes},
  {"allocations", &outcome::allocations},
  {"bytes_written", &outcome::bytes_written},
  {"lost", &outcome::lost},
  {"bytes_each", &outcome::bytes_each},
};

// One line without its end. Texts lose tabs and line ends.
[[nodiscard]] std::string format_outcome (const outcome &found);
// Nothing when the line is not one that format_outcome made.
[[nodiscard]] std::optional<outcome> parse_outcome (std::string_view line);

}  // namespace zlink::bench
