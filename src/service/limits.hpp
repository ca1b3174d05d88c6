// Named limits and times of the services. What peers can make us hold ends at one
// of them, with a typed fault for the peer that wanted more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "wire/registry_message.hpp"
#include "wire/spot_message.hpp"

namespace zlink::service {

// --- registry ---------------------------------------------------------------------

// How long a provider counts as alive after its last renewal, and how often it is
// asked to renew: three renewals may be lost.
inline constexpr base::time_ns lease_ns = 10 * base::ns_per_s;
inline constexpr base::time_ns renew_ns = lease_ns / 4;
// How long after its connection broke: enough to connect again on one host or
// across a continent, short enough for a killed process to be gone within a second.
inline constexpr base::time_ns lost_grace_ns = 500 * base::ns_per_ms;

inline constexpr std::size_t registry_providers_max = 1'000'000;
inline constexpr std::size_t registry_instances_max = 100'000;
inline constexpr std::size_t registry_bytes_max = std::size_t{512} << 20;
inline constexpr std::size_t providers_per_instance_max = 10'000;
inline constexpr std::size_t watches_per_peer_max = 10'000;
inline constexpr std::size_t watches_max = 1'000'000;
// Providers that are gone and remembered, so that watchers are told of them; who
// was away for longer gets the whole list.
inline constexpr std::size_t gone_providers_max = 16'384;

static_assert (lost_grace_ns < lease_ns, "a broken connection shortens a lease");
static_assert (3 * renew_ns < lease_ns, "three renewals may be lost");

// Of who speaks to a registry: how often a silent connection is asked for a sign of
// life, the longest pause before it is made anew, and how long a farewell may take.
inline constexpr int registry_heartbeat_ms = 2'000;
inline constexpr int registry_reconnect_max_ms = 1'000;
inline constexpr int farewell_ms = 500;

// What failed for want of memory or descriptors is tried again after so long.
inline constexpr base::time_ns want_pause_ns = 10 * base::ns_per_ms;

// After which a registry that has refused to speak with us is asked again, also when it
// was out of memory; and after which what it has not answered is asked again.
inline constexpr base::time_ns refused_pause_ns = renew_ns;
inline constexpr base::time_ns wanting_pause_ns = 100 * base::ns_per_ms;
inline constexpr base::time_ns unanswered_ns = base::ns_per_s;
[[nodiscard]] constexpr base::time_ns pause_after (std::uint16_t fault) noexcept
{
    const bool passes = fault == wire::fault_out_of_memory || fault == wire::fault_store_lost;
    return passes ? wanting_pause_ns : refused_pause_ns;
}
// How often it is looked for a registry that is not connected and may have come without
// a word.
inline constexpr base::time_ns registry_look_ns = 500 * base::ns_per_ms;
// What a line to registries gives its owner in one turn.
inline constexpr unsigned line_news_per_turn = 256;
// What a full connection is given before it is tried again.
inline constexpr base::time_ns full_pause_ns = 5 * base::ns_per_ms;

// --- discovery --------------------------------------------------------------------

inline constexpr std::size_t known_providers_max = registry_providers_max;
inline constexpr std::size_t known_sources_max = wire::registry_others_max + 1;

// --- gateway ----------------------------------------------------------------------

inline constexpr std::size_t requests_in_flight_max = 1'000'000;
inline constexpr unsigned attempts_per_request_max = 8;
// What a provider has received and not answered, unless it says so itself.
inline constexpr std::size_t requests_at_provider_max = 1'000'000;
// Sendings of one request that may be under way at a time: the first and a hedge.
inline constexpr unsigned attempts_at_once_max = 2;

// A provider that fails so often in a row gets nothing for a while: from the first
// pause, doubled each time, to the last, each with up to a quarter of chance.
inline constexpr unsigned failures_to_eject = 3;
inline constexpr base::time_ns eject_first_ns = 100 * base::ns_per_ms;
inline constexpr base::time_ns eject_last_ns = 30 * base::ns_per_s;
// Who is outrun so often in a row, by those asked behind it, and says nothing meanwhile,
// is asked whether it is there before it gets more.
inline constexpr unsigned outruns_to_doubt = 8;
// So many providers may be found full before a request is given up as overloaded.
inline constexpr unsigned full_max = 64;
// How long a provider that is probed may take to say that it is there.
inline constexpr base::time_ns probe_answer_ns = base::ns_per_s;

// What providers have sent unasked and nobody has read; above it, it is dropped.
inline constexpr std::size_t unasked_max = 100'000;

// How long a registry that could not write down its votes waits before it tries again.
inline constexpr base::time_ns votes_pause_ns = base::ns_per_s;

// --- SPOT -------------------------------------------------------------------------

// Other nodes that are known; and for how long one that has gone is still dialled.
inline constexpr std::size_t spot_nodes_max = 4'096;
inline constexpr base::time_ns spot_forget_ns = 30 * base::ns_per_s;
// Endpoints at which one node says that it is, at a time.
inline constexpr std::size_t spot_presences_max = 4;
// How often a node that is silent is asked for a sign of life, by who reads it; how long its
// answer may take, and an answer to who dials it. So a host that is lost without a word is
// noticed within twice that, and dialled until it is back, while a mesh of 32 nodes, a
// thousand connections, is asked 200 times a second.
inline constexpr int spot_heartbeat_ms = 5'000;
// How long who is read waits for the next question: until one has certainly failed to come.
[[nodiscard]] constexpr int spot_heartbeat_ttl_ms (int interval_ms) noexcept
{
    constexpr int ttl_max_ms = 6'553'500;  // of HEARTBEAT_TTL
    return interval_ms > ttl_max_ms / 2 ? ttl_max_ms : 2 * interval_ms;
}
// What is to be done for what letters told, until the loop has done it: so that who tells of
// one node at ever new endpoints is not kept up with at any price.
inline constexpr std::size_t spot_actions_max = 2 * spot_nodes_max;
// Nodes that have declared one topic with partitions, those among them that are not known to be
// there; of more those that are not are forgotten.
inline constexpr std::size_t partition_candidates_max = 2 * spot_nodes_max;
// What a node that others no longer name has sent is read for so long.
inline constexpr base::time_ns spot_parting_ns = 10 * base::ns_per_s;
// Publishers whose numbers are remembered; of more those that were heard of longest ago are
// forgotten, so many at once.
inline constexpr std::size_t spot_publishers_max = 2 * spot_nodes_max;
inline constexpr std::ptrdiff_t spot_publishers_forgotten = spot_publishers_max / 8;
// A message of one part is one part also on its way up to this; above it the
// application's memory goes there as it is.
inline constexpr std::size_t spot_packed_bytes_max = 15'360;
// A publisher looks behind so many octets whether the reader in its own node is so far behind
// that caches have lost what is still to be read; then it waits so long for that one to come
// half as near.
inline constexpr std::size_t spot_look_bytes = std::size_t{64} << 10;
inline constexpr std::uint64_t spot_near_bytes = std::uint64_t{4} << 20;
inline constexpr base::time_ns spot_near_ns = 300 * base::ns_per_us;
// Who waits for another one to read looks for so long before it sleeps, while that has helped.
inline constexpr base::time_ns follower_look_ns = 30 * base::ns_per_us;
// What is read at once.
inline constexpr std::size_t spot_batch_bytes = std::size_t{64} << 10;
inline constexpr std::size_t spot_batch_frames = 256;
inline constexpr std::size_t spot_batch_holds = 4;  // pieces of memory of a node's own in which they stand
inline constexpr std::size_t spot_batch_messages = 1'024;  // that one who reads for itself has at hand
// Of a connection that broke nothing is unread any more behind so many of those.
inline constexpr unsigned spot_broken_batches = 32;
// How long a node is without a reader before the loop reads for it.
inline constexpr base::time_ns spot_unread_ns = 2 * base::ns_per_ms;

static_assert (spot_heartbeat_ttl_ms (spot_heartbeat_ms) * base::ns_per_ms < spot_forget_ns,
               "who is silent is noticed before it is forgotten");
static_assert (spot_packed_bytes_max + wire::spot_opening_bytes_max < spot_batch_bytes);

// --- statistics -------------------------------------------------------------------

// Who reads them: so many at a time, those who do not take their answer among them.
// Above that, who comes is turned away.
inline constexpr std::size_t readers_max = 64;
// How long one may take to ask, and how long its answer waits to be taken by the system.
inline constexpr base::time_ns reader_asks_ns = 5 * base::ns_per_s;
inline constexpr int reader_linger_ms = 1'000;
// The answer goes first, and then at most a second is waited for its reader to hang up.
inline constexpr base::time_ns reader_leaves_ns = reader_linger_ms * base::ns_per_ms + base::ns_per_s;

}  // namespace zlink::service
