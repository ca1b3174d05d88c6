// How many cores' time the process's control group may take (v2 and v1), and the
// groups above it.
//
// Any thread. Reads some small files; not for hot paths.
#pragma once

#include <optional>
#include <string_view>

namespace zlink::platform {

// The tightest quota, in cores; none: no limit, or none that can be read.
// Throws bad_alloc. A minimal library knows of none.
[[nodiscard]] std::optional<double> quota_cores ();

// "200000 100000" (cpu.max) is 2.0 cores; "max 100000" and nonsense are no limit.
[[nodiscard]] std::optional<double> parse_cpu_max (std::string_view text) noexcept;

// The group of a controller in the text of /proc/self/cgroup: "" asks for the
// line of the unified hierarchy ("0::/path"), "cpu" for that controller's.
[[nodiscard]] std::optional<std::string_view> find_group (std::string_view text,
                                                          std::string_view controller) noexcept;

}  // namespace zlink::platform
