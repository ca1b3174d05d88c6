// The events of sockets: number, meaning, and what follows. Constant; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace zlink::tool {

struct event_row
{
    std::string_view name;  // without ZLINK_EVENT_
    std::uint64_t number;   // in both headers
    std::string_view meaning;
    std::string_view value;     // what the event's value is; empty: nothing that is said of it
    std::string_view zmq_name;  // where zmq.h calls it otherwise; "-": it has none
};

[[nodiscard]] std::span<const event_row> event_rows () noexcept;

}  // namespace zlink::tool
