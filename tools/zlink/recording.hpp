// Recordings of messages: JSON, a line each (docs/recordings.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/zlink/line_format.hpp"

namespace zlink::tool {

inline constexpr int recording_version = 1;

// The first line.
struct recording_head
{
    std::string type;   // of the socket that received, such as "sub"
    std::string begun;  // when, by the clock on the wall; nothing reads it
};

// Every other.
struct recorded_message
{
    std::int64_t at_ns = 0;  // since the recording began; never less than of the one before
    parts message;           // at least one part
};

// Without a line's end.
[[nodiscard]] std::string line_of (const recording_head &head);
[[nodiscard]] std::string line_of (const recorded_message &message);

// False: `why` says what is wrong with the line.
[[nodiscard]] bool read_recorded (std::string_view line, recording_head &head, std::string &why);
[[nodiscard]] bool read_recorded (std::string_view line, recorded_message &message, std::string &why);

}  // namespace zlink::tool
