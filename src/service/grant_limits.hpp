// Named times and limits of grants: who owns a partition, and for how long.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace zlink::service {

// How long a grant lasts unless it is renewed, and so how long a grantor that has
// just started grants nothing, and how long a partition stands still when its owner
// dies. At most lease_max.
inline constexpr base::time_ns grant_lease_ns = 2 * base::ns_per_s;
inline constexpr base::time_ns grant_lease_max_ns = 60 * base::ns_per_s;
// A shorter one counts as refused by who asks: it would be over, or to be renewed, at once.
inline constexpr base::time_ns grant_lease_min_ns = 10 * base::ns_per_ms;

// An owner stops numbering this part of its lease before the lease can have run out by
// its own clock: 250 ms of 2 s. Clocks of owner and grantor may differ in their rate by
// as much, an eighth; a machine's quartz is off by a ten-thousandth.
[[nodiscard]] constexpr base::time_ns grant_margin_of (base::time_ns lease) noexcept { return lease / 8; }
// Renewals begin after this part of a lease: two may be lost.
[[nodiscard]] constexpr base::time_ns grant_renewal_of (base::time_ns lease) noexcept { return lease / 4; }

// What one round of questions to the grantors may take, and the pauses between rounds
// that failed: up to the first, doubled each time, up to the last, by chance.
inline constexpr base::time_ns grant_round_ns = 400 * base::ns_per_ms;
inline constexpr base::time_ns grant_pause_first_ns = 20 * base::ns_per_ms;
inline constexpr base::time_ns grant_pause_last_ns = 640 * base::ns_per_ms;
// While another holds it, so many rounds of who has just been wanted as owner, or has heard of
// that other one, wait no longer than this and by chance: it may be giving it back.
inline constexpr unsigned grant_rounds_in_hurry = 5;
inline constexpr base::time_ns grant_pause_in_hurry_ns = base::ns_per_ms;

// Grantors of a fixed list.
inline constexpr std::size_t grantors_max = 9;
// Partitions that one grantor keeps.
inline constexpr std::size_t granted_partitions_max = 100'000;

static_assert (grant_renewal_of (grant_lease_ns) * 3 < grant_lease_ns - grant_margin_of (grant_lease_ns),
               "two renewals may be lost");
static_assert (grant_round_ns < grant_renewal_of (grant_lease_ns), "a round ends before the next begins");
static_assert (grantors_max < 32, "sets of grantors are masks");

}  // namespace zlink::service
