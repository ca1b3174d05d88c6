// Every number of the engine that bounds something, with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace zlink::engine {

// One write moves an arena: below 64 KiB the system call shows, above it
// nothing is gained.
inline constexpr std::size_t arena_bytes_default = 64 * 1024;
inline constexpr std::size_t arena_bytes_min = 8 * 1024;

// One read fills a slab.
inline constexpr std::size_t slab_bytes_default = 128 * 1024;
inline constexpr std::size_t slab_bytes_min = 8 * 1024;
// Of all connections that take turns together, the slabs' used part: half of
// a common second-level cache.
inline constexpr std::size_t slabs_in_turn_bytes_max = 1024 * 1024;

// From this size on a body travels as a slice of its own instead of through
// the arena; 8 KiB is still twice as fast through the arena.
inline constexpr std::size_t large_body_bytes_min = 16 * 1024;

// A partial frame at the end of a slab is read on into a buffer of its own
// from this size on; below it is moved to the slab's start.
inline constexpr std::size_t direct_read_bytes_min = 32 * 1024;

// A body of this size on may be read straight into the caller's buffer.
inline constexpr std::size_t landing_bytes_min = 32 * 1024;
// Looks in vain for the rest of one: by who answers what it reads, and by who only reads.
// That one lets pass about what it takes to copy what it waits for; so it does before it
// looks for the next body, until a few small reads in a row say that bodies are small.
inline constexpr unsigned keen_looks_max = 5;
inline constexpr std::uint64_t keen_lull_ns = 30;
inline constexpr unsigned patient_looks_max = 2;
inline constexpr std::size_t patient_bytes_per_ns = 28;
inline constexpr std::uint64_t patient_lull_max_ns = 10'000;
inline constexpr unsigned small_reads_max = 4;
// One read brings no more than this behind a large body.
inline constexpr std::size_t behind_large_bytes_max = 512;
inline constexpr unsigned landing_backoff_max = 8;  // misses switch it off for 2^k reads

// A blocking send with at least this much to go waits for room this long
// before it copies.
inline constexpr std::size_t room_wait_bytes_min = 32 * 1024;
inline constexpr base::time_ns room_wait_max_ns = 300 * base::ns_per_us;

// The burst rule.
inline constexpr std::uint32_t burst_tokens_max = 16;
inline constexpr std::uint64_t burst_token_us = 6;
inline constexpr std::uint64_t tail_age_us_max = 20;
// Of tails that are written one after the other: so many times as long as that takes, up to
// a limit, so that a third of the sender's time goes into writes of few.
inline constexpr std::uint64_t round_rests = 2;
inline constexpr std::uint64_t tails_age_us_max = 100;
static_assert (tail_age_us_max <= tails_age_us_max);
// Octets behind which more follow at once wait no longer for them.
inline constexpr std::uint64_t among_age_us_max = 6;
// Messages so far apart are no burst, and are written at once when the last
// write lies so far back.
inline constexpr std::uint64_t paced_gap_us_min = 2;
inline constexpr std::uint64_t paced_rest_us_min = 4;
inline constexpr std::uint32_t age_check_interval_max = 64;
inline constexpr base::time_ns dirty_first_tick_ns = 50 * base::ns_per_us;
inline constexpr base::time_ns dirty_tick_ns = 250 * base::ns_per_us;
// A tick that took long is followed by a rest so many times as long, up to a limit: who
// fills many tails at once fills them further meanwhile.
inline constexpr int dirty_rest_factor = 2;
inline constexpr base::time_ns dirty_rest_max_ns = base::ns_per_ms;
// A connection over which its senders have written so much between each two of so many ticks
// has its tail left to them.
inline constexpr std::uint64_t flow_tick_bytes_min = 16 * 1024;
inline constexpr unsigned flow_ticks_min = 4;
// So long without a tick that found something, and what follows is another burst.
inline constexpr base::time_ns flow_pause_ns_min = 2 * base::ns_per_ms;
static_assert (flow_pause_ns_min > dirty_rest_max_ns && flow_pause_ns_min > dirty_tick_ns);

// Combining: the holder of a tx claim hands over after this much.
inline constexpr unsigned combine_rounds_max = 4;
inline constexpr std::size_t combine_bytes_max = 256 * 1024;
inline constexpr std::size_t slices_per_write_max = 16;

// A turn that has something to say by many connections writes after so many: what one
// wrote from, the next writes from.
inline constexpr std::size_t tails_in_turn_max = 4;

// Credit that has lain unreturned for this long is returned by any call that
// finds its connection full.
inline constexpr std::uint64_t credit_age_us_max = 1000;

// The adaptive spin before a sleep: so long for small messages, and longer for large
// ones, as they take longer to come.
inline constexpr base::time_ns spin_ns = 30 * base::ns_per_us;
inline constexpr std::size_t spin_bytes_per_ns = 1;
// After so many failures a look lasts so long, longer than a slow wake of the peer
// takes, and so many of them in a row may be late.
inline constexpr unsigned spin_failures_min = 2;
inline constexpr base::time_ns spin_long_ns = 300 * base::ns_per_us;
inline constexpr unsigned spin_late_max = 8;

// A steady pace: so long are its gaps, and so many in a row agree to a quarter.
inline constexpr base::time_ns pace_min_ns = 80 * base::ns_per_us;
inline constexpr base::time_ns pace_max_ns = 400 * base::ns_per_us;
inline constexpr unsigned pace_agreed_min = 8;
// A receiver is up so long before the next one is due, and looks so long after it.
inline constexpr base::time_ns pace_early_ns = 15 * base::ns_per_us;
inline constexpr base::time_ns pace_late_ns = 30 * base::ns_per_us;
inline constexpr base::time_ns pace_wake_max_ns = 200 * base::ns_per_us;  // what getting up may cost

// The lease: how long the reactor leaves a socket alone that somebody seems
// to attend.
inline constexpr base::time_ns lease_first_ns = 2 * base::ns_per_ms;
inline constexpr base::time_ns lease_max_ns = 64 * base::ns_per_ms;

// Of what comes for a connection that is closing a turn throws away so many reads.
inline constexpr unsigned discards_per_look_max = 64;

// A turn looks at so many connections that wait for the peer's end of stream.
inline constexpr std::size_t drain_looks_per_turn_max = 64;

// Our close waits this long for the peer's end of stream.
inline constexpr base::time_ns drain_read_max_ns = base::ns_per_s;

// A peer that a STREAM has ended and that takes nothing of what is still due to
// it is given up after so long without a single byte.
inline constexpr base::time_ns ended_stall_max_ns = 30 * base::ns_per_s;

// New arrivals are looked for at least once in this many messages.
inline constexpr unsigned harvest_interval_messages = 256;
inline constexpr std::size_t events_per_harvest_max = 64;

// What one message may hold, and one connection keep of it while it is
// incomplete.
inline constexpr std::size_t frames_per_message_max = 1'000'000;

// No allocator has room for a larger body; smaller ones are tried.
inline constexpr std::uint64_t body_bytes_max = PTRDIFF_MAX / 2;

// A command after the handshake; the longest are subscriptions.
inline constexpr std::size_t command_bytes_max = 64 * 1024;

// PINGs of a peer that leaves so much of what we say unread get no answer: any
// octet of it is life enough.
inline constexpr std::size_t answers_behind_bytes_max = 256 * 1024;

// Octets of PLAIN_PASSWORDS: more than 100,000 users.
inline constexpr std::size_t password_list_bytes_max = 16 * 1024 * 1024;
// Keys in CURVE_ALLOWED_KEYS: 3 MiB.
inline constexpr std::size_t allowed_keys_max = 100'000;

// Who was not let in comes again less and less often, down to this, though
// RECONNECT_IVL_MAX says nothing: each time somebody is asked about it.
inline constexpr std::int64_t refused_interval_ms_max = 5000;

// Without a time-out of the user's an address that does not answer is left for
// the next one of the same name after so long: the system may go on for minutes.
inline constexpr base::time_ns silent_address_max_ns = 4 * base::ns_per_s;

// Listeners pause this long after running out of descriptors or memory.
inline constexpr base::time_ns accept_backoff_ns = 100 * base::ns_per_ms;
inline constexpr unsigned accepts_per_turn_max = 64;

// Accepted peers that have left before the application has received what they
// had sent. A socket looks for them whenever it has admitted so many peers.
inline constexpr unsigned admissions_per_look = 64;
inline constexpr unsigned harvests_per_look_max = 16;
// A listener without a descriptor for the next peer ends the handshake that began
// first, if that has lasted so long, and those that began this soon after it: good
// peers need less, and a crowd that says nothing keeps nobody out.
inline constexpr base::time_ns half_open_min_ns = base::ns_per_s;
inline constexpr base::time_ns half_open_together_ns = 10 * base::ns_per_ms;
// What an accepted connection holds of memory until its peer has said more than
// HELLO, as tests ask. Beyond it only octets that have come are held, up to
// wire::handshake_command_bytes_max.
inline constexpr std::size_t half_open_bytes_max = 8 * 1024;
// Of those whose end has been read so many keep their streams, as a peer that
// has ended only its side may still hear an answer.
inline constexpr std::size_t leaver_streams_kept = 64;
// With so many streams of leavers, most of them more than there is room to
// read, or so many leavers, or so much from them, nobody is accepted until
// something has been received.
inline constexpr std::size_t leaver_streams_max = 256;
inline constexpr std::size_t leavers_max = 10'000;
inline constexpr std::size_t leaver_bytes_max = 128 * 1024 * 1024;
static_assert (leaver_streams_kept < leaver_streams_max && leaver_streams_max < leavers_max);

// What is prepared to stand in front of messages (base/prepared_head.hpp), at most.
inline constexpr std::size_t prepared_head_bytes_max = 256;

// inproc: bytes per ring segment, and the largest body that stands inside.
inline constexpr std::size_t lane_segment_bytes = 64 * 1024;
inline constexpr std::size_t lane_inline_bytes_max = 16 * 1024;
// What messages of a row begin with, where they share it in a segment.
inline constexpr std::size_t lane_row_front_bytes_max = 512;
// Who reads where messages stand has smaller ones copied, as what is copied is read once, but
// where so many of them stand together.
inline constexpr std::size_t placed_bytes_min = 512;
inline constexpr std::uint64_t placed_messages_min = 8;

// A blocking send of a large body waits a moment when this much is queued
// already: what lies there and what turns over stays within the cache that cores share.
inline constexpr std::uint64_t lane_warm_bytes = 4096 * 1024;

// Somebody who came with a name in use: how often and for how long the holder
// of the name is looked at before it counts as gone.
inline constexpr base::time_ns name_look_ns = 10 * base::ns_per_ms;
inline constexpr base::time_ns name_silence_ns = base::ns_per_s;
// Notices of a ROUTER that nobody has read; above it they are dropped.
inline constexpr std::size_t notices_max = 10'000;
// Messages of a ROUTER that came back and that nobody has read; above it they are
// dropped, and counted, as without ROUTER_NOTIFY's 4.
inline constexpr std::size_t recalled_max = 100'000;
// Different topics that one peer may have at a publisher, and their bytes, unless
// the socket says otherwise; who asks for more is disconnected.
inline constexpr std::int64_t topics_per_peer_default = 4'000'000;
inline constexpr std::int64_t topic_bytes_per_peer_default = 256 * 1024 * 1024;
// The bytes of the messages that a publisher keeps for those who come later,
// where LAST_VALUES is set and nothing is said of them.
inline constexpr std::int64_t last_value_bytes_default = 64 * 1024 * 1024;
// Patterns of a SUB: each is looked at for every message that may match.
inline constexpr std::size_t patterns_max = 10'000;
// Of these so many are said to publishers as they are, and a publisher takes so
// many from one peer: each costs a match for every message that begins like it.
// In place of more their beginnings are asked for.
inline constexpr std::size_t patterns_per_peer_max = 1000;
// In which a publisher of ours says, in READY, how many that is.
inline constexpr const char *pattern_property = "X-Zlink-Patterns";
// Changes of topics that an XPUB's application has not read; what is above is
// dropped, and counted.
inline constexpr std::size_t topic_notices_max = 1'000'000;
// A message to many is written for so many by its sender.
inline constexpr std::size_t writes_per_message_max = 16;
// Messages from before a request that make way for it.
inline constexpr std::size_t discarded_per_request_max = 10'000;

// By which one of ours that comes with a name says, in READY, that it understands
// an ERROR in place of ours: other peers would never come back.
inline constexpr const char *kin_property = "X-Zlink";  // wire::newer_property

// By which a subscriber of ours asks, in READY, to be told of gaps ("1").
inline constexpr const char *gap_property = "X-Zlink-Gaps";

// Events that a listener has not fetched: above it they are lost, and counted.
inline constexpr std::size_t events_queued_default = 1000;
inline constexpr std::size_t events_queued_max = 1'000'000;

// Who has topics to ask for or to store, for which there was no memory, tries
// again at least so often.
inline constexpr base::time_ns topics_look_ns = 5 * base::ns_per_ms;

// A sender that the byte budget holds back looks again at least so often.
inline constexpr base::time_ns budget_look_ns = 5 * base::ns_per_ms;

// Files of certificates are looked at again at most so often.
inline constexpr base::time_ns certificates_look_ns = base::ns_per_s;

// What was read for one endpoint serves those that are made so much later with the same
// settings, if the files have not changed.
inline constexpr std::int64_t certificates_shared_s_max = 60;

// Hosts whose tickets are kept for all endpoints of the same settings; each has a box of
// its own beside that.
inline constexpr std::size_t ticketed_hosts_max = 8;

// Warnings of one kind and reason are said at most so often.
inline constexpr base::time_ns warning_interval_ns = 10 * base::ns_per_s;

inline constexpr std::size_t sockets_max = 65'535;

}  // namespace zlink::engine
