// How many cores this process may keep busy.
//
// The affinity mask of the calling thread, cut down to the processor quota of
// the process's control group (v2 and v1) and of the groups above it.
#pragma once

#include <optional>
#include <string_view>

namespace zlink::platform {

// At least 1. Reads some small files; not for hot paths.
[[nodiscard]] unsigned core_count () noexcept;

// "200000 100000" (cpu.max) is 2.0 cores; "max 100000" and nonsense are no limit.
[[nodiscard]] std::optional<double> parse_cpu_max (std::string_view text) noexcept;

// The group of a controller in the text of /proc/self/cgroup: "" asks for the
// line of the unified hierarchy ("0::/path"), "cpu" for that controller's.
[[nodiscard]] std::optional<std::string_view> find_group (std::string_view text,
                                                          std::string_view controller) noexcept;

}  // namespace zlink::platform
