// The counters of a context's sockets, gateways and receivers for those who collect them: as Prometheus' text
// (exposition format 0.0.4) and as one object of JSON. docs/observing.md says what each
// number means; the names are those of zlink_counters_t.
//
// Pure; any thread. May throw std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "service/counted.hpp"
#include "socket/facade.hpp"

namespace zlink::service {

// A socket by the number that its readers know it by, and its rows: its own, then those
// of its endpoints and connections. The rows outlive the call.
struct numbered_rows
{
    std::uint64_t number = 0;
    std::span<const socket::count_row> rows;
};

// Connections are no series: there may be many, and they come and go. Times are in
// seconds there.
void append_prometheus (std::span<const numbered_rows> sockets, std::string &to);
// The label of an object is its kind, with its number.
void append_prometheus (std::span<const counted_rows> services, std::string &to);

// now: of a clock that never goes back, from which readers compute rates.
void append_json (std::span<const numbered_rows> sockets,
                  std::span<const counted_rows> services,
                  base::time_ns now,
                  std::string &to);

// A text between two quotes of either format. What is no UTF-8 has question marks in
// place of its octets above ASCII.
void append_quoted (std::string_view text, std::string &to);

}  // namespace zlink::service
