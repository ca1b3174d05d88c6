// The facade: all that stands above src/socket (the C ABIs, the services)
// uses. Handles are addresses of records that are never unmapped, so any
// pointer may be passed: what is not a live handle answers not_a_socket
// (sockets) or bad_address (contexts).
//
// In a forked child every handle of the parent answers terminated; close,
// context_shutdown and context_terminate succeed at once and touch nothing
// that the parent still uses. What the child opens itself is its own.
//
// Thread rule: every call from any thread, on the same handle too.
// Blocking: send and receive block up to SNDTIMEO and RCVTIMEO unless
// dont_wait is given; terminate blocks; nothing else does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/headed_message.hpp"
#include "base/io_count.hpp"
#include "base/joined_part.hpp"
#include "base/message.hpp"
#include "base/placed_parts.hpp"
#include "base/prepared_head.hpp"
#include "base/reason.hpp"
#include "base/world.hpp"
#include "engine/counters.hpp"
#include "engine/event.hpp"
#include "engine/keys.hpp"
#include "engine/policy.hpp"
#include "socket/monitor.hpp"
#include "socket/options.hpp"
#include "socket/poll_item.hpp"
#include "socket/poll_set.hpp"

namespace zlink::socket {

using base::io_count;

enum io_flags : unsigned
{
    io_dont_wait = 1,  // zmq.h's and zlink.h's numbers
    io_send_more = 2,
    // send_parts() alone, and of ours: what was promised room goes above the mark;
    // would_block only where nobody is there to get it.
    io_send_admitted = 4,
};

// The first thing in a forked child; see above. Takes no lock and no memory.
void forsake_parent () noexcept;

// --- contexts -------------------------------------------------------------

// world must outlive the context; keep_alive is dropped after the last of it.
base::result<void *> context_open (base::world &world, header made_by, std::shared_ptr<void> keep_alive);
// Every blocking call on its sockets answers terminated from now on.
base::result<void> context_shutdown (void *context);
// shutdown, then waits until all sockets are closed and drained, at most
// until deadline (base::never_ns = no limit; timed_out then, and the context
// lives on). interrupted after a signal: call again.
base::result<void> context_terminate (void *context, base::time_ns deadline = base::never_ns);
base::result<void> context_set (void *context, int number, int value);
base::result<int> context_get (void *context, int number);
// The same with any value: a thread name, sizes checked.
base::result<void> context_set_bytes (void *context, int number, const void *value, std::size_t size);
base::result<void> context_get_bytes (void *context, int number, void *value, std::size_t *size);
[[nodiscard]] bool is_context (void *context) noexcept;
// Who holds a terminating context: one line a socket (type, endpoints, queued).
base::result<std::string> context_holders (void *context);

// --- sockets --------------------------------------------------------------

base::result<void *> open (void *context, int type);
base::result<void> close (void *socket);

base::result<void> bind (void *socket, std::string_view endpoint);
base::result<void> connect (void *socket, std::string_view endpoint);
// PEER: connect, and by which number the peer is known from then on; not
// supported with other types. bad_address: with IMMEDIATE.
base::result<std::uint32_t> connect_peer (void *socket, std::string_view endpoint);
// SERVER, PEER: this peer goes, behind what was sent to it. host_unreachable:
// there is none; not_supported: peers have no numbers here.
base::result<void> disconnect_peer (void *socket, std::uint32_t number);
// ROUTER, STREAM: the same of the peer of that name, which is there or is being
// dialled: whoever dialled it tries no more.
base::result<void> disconnect_peer (void *socket, base::bytes_view name);
// DISH: what is sent to exactly this group is received, or no longer.
// invalid_argument: it is already, or was not; or it is too long; not_supported:
// not with this type.
base::result<void> join (void *socket, std::string_view group);
base::result<void> leave (void *socket, std::string_view group);
base::result<void> unbind (void *socket, std::string_view endpoint);
base::result<void> disconnect (void *socket, std::string_view endpoint);

// Options by the number of the header the socket was made through. A getter
// writes at most *size bytes and sets *size to what it wrote.
base::result<void> set_option (void *socket, int number, const void *value, std::size_t size);
base::result<void> get_option (void *socket, int number, void *value, std::size_t *size);

// ROUTER: whether the peer of that name has room. host_unreachable: there is
// none; not_supported: peers have no names here.
base::result<bool> peer_has_room (void *socket, base::bytes_view name);

// One part each. A failed send leaves the message with the caller; a
// successful one leaves it empty. recv copies at most buffer.size() and
// answers the full size.
io_count send (void *socket, base::bytes_view part, unsigned flags) noexcept;
// As send, but the bytes stay valid for ever, so they need not be copied.
io_count send_constant (void *socket, base::bytes_view part, unsigned flags) noexcept;
io_count send (void *socket, base::message &part, unsigned flags) noexcept;
io_count receive (void *socket, base::bytes_span buffer, unsigned flags) noexcept;
io_count receive (void *socket, base::message &part, unsigned flags) noexcept;

// Whole messages, atomically: all parts or none. receive_parts answers how
// many parts the message has; with fewer slots than parts it takes nothing
// and answers message_too_long, *needed telling how many are wanted.
io_count send_parts (void *socket, std::span<base::message> parts, unsigned flags) noexcept;
io_count
receive_parts (void *socket, std::span<base::message> parts, unsigned flags, std::size_t *needed) noexcept;

// ROUTER: the same, and waits until a time of the caller's, in place of RCVTIMEO.
io_count receive_parts_until (void *socket,
                              std::span<base::message> parts,
                              std::size_t *needed,
                              base::time_ns deadline) noexcept;

// ROUTER, of small messages: the parts behind a head, to the peer of that name; all is
// copied, and the parts stay as they are. Never waits. in_progress: nothing was done, and
// send_parts is to do it or to say what is wrong. more_follow: the thread sends more at
// once, for which the octets may wait some microseconds, or until it waits for something.
io_count send_headed (void *socket,
                      base::bytes_view name,
                      base::bytes_view head,
                      std::span<const base::message> parts,
                      bool more_follow = false) noexcept;
// The same of one part.
io_count send_headed (void *socket,
                      base::bytes_view name,
                      base::bytes_view head,
                      base::bytes_view body,
                      bool more_follow = false) noexcept;
// What a ROUTER sends again and again (base/prepared_head.hpp), in place of the one before;
// null: nothing any more. To be taken back before the socket is closed. message_too_long: the
// head has more than 256 bytes; not_supported: no ROUTER; not_a_socket, terminated.
base::result<void> prepare_headed (void *socket, base::prepared_head *what) noexcept;
// That, under its key (ends with a NUL), with a body behind it. in_progress: nothing was done,
// and it is to be sent otherwise.
io_count send_prepared (void *socket, const char *key, base::bytes_view body) noexcept;
// ROUTER: messages of two parts, as many of those that are there as there is room for;
// answers how many. Without the facts about peers, and no part says that more come. The
// first message has its name and head in any case. would_block: there is none, which says
// nothing of others. With a deadline the first is waited for until then; in_progress: what
// comes next is to be received otherwise.
io_count
receive_headed (void *socket, std::span<base::headed_message> messages, base::time_ns deadline = 0) noexcept;

// What the calling thread has left unwritten is written, on whatever sockets: before it
// waits for something that is none of theirs.
void flush_own_tails () noexcept;

// Where a socket stands, for whom the way through its handle takes too long for every small
// message. It stays valid behind the socket's end, and says so then. Null: it is no socket.
struct standing
{
    void *at = nullptr;
    std::uint32_t life = 0;
};
[[nodiscard]] standing where_stands (void *socket) noexcept;

// PUB, XPUB, of small messages: one part that stands in two places, the first of which
// holds its topic and what stands behind that; or one of a row, which may share a frame
// with those in front of it. Never waits; with XPUB_NODROP nobody misses it. in_progress:
// nothing was done, and send is to do it or to say what is wrong. The socket is one, or was.
io_count send_joined (const standing &socket, const base::joined_part &what) noexcept;
// PUB, XPUB with XPUB_NODROP: how much its only reader in the process has still to read. 0 also:
// there is none, or there are more.
std::uint64_t unread_bytes (void *socket) noexcept;

// Up to N single-part messages under one lock; answers how many were moved,
// at least one. A multipart message is refused by send (invalid_argument for
// a part with the more flag) and stops receive before it (wrong_state when it
// is the first).
io_count send_many (void *socket, std::span<base::message> messages, unsigned flags) noexcept;
io_count receive_many (void *socket, std::span<base::message> messages, unsigned flags) noexcept;
// The same over plain memory: messages are laid out in one buffer, sizes[i]
// bytes each. receive_packed fills buffer and sizes; a message that does not
// fit into an empty buffer answers message_too_long and stays.
io_count send_packed (void *socket,
                      base::bytes_view bytes,
                      std::span<const std::uint32_t> sizes,
                      unsigned flags) noexcept;
io_count receive_packed (void *socket,
                         base::bytes_span buffer,
                         std::span<std::uint32_t> sizes,
                         unsigned flags) noexcept;
// The same where it stands: room is filled as buffer is, what is not copied there is held,
// and a batch ends where holds do.
io_count receive_placed (void *socket, base::placed_parts &to, unsigned flags) noexcept;

// Answers how many items are ready; 0 = timed out. timeout_ms -1 = no limit.
// The mask counts while the call sleeps, and for a single look (timeout_ms 0)
// that found nothing; what is ready goes before a signal. Looks at every item;
// poll_set.hpp is for whoever waits for the same items again.
base::result<std::size_t>
poll (base::world &world, std::span<poll_item> items, std::int64_t timeout_ms, base::signal_mask mask = {});

// For those who wait elsewhere: what the socket is ready for now (event_bits),
// and from now on, until unwatch or close, watcher is woken whenever that may
// have changed; for_room false: unless it is room in the process. kernel becomes
// what has to be waited for, too (readable, a change), or no_handle while the
// socket has no connections of the kernel. Ask again after every wake.
base::result<unsigned> watch (void *socket,
                              const std::shared_ptr<base::watcher> &watcher,
                              base::io_handle &kernel,
                              bool for_room = true);
void unwatch (void *socket, const std::shared_ptr<base::watcher> &watcher);

// The state of the last attempt of the endpoint (exactly as passed to
// connect or bind).
struct endpoint_status
{
    bool is_listener = false;
    unsigned connected = 0;  // connections that are ready now
    std::uint64_t attempts = 0;
    base::close_reason last_reason = base::close_reason::none;
    int os_error = 0;
};
base::result<endpoint_status> status (void *socket, std::string_view endpoint);

// Blocks until count peers are ready, or timeout_ns have passed (timed_out);
// negative = no limit.
base::result<void> wait_peers (void *socket, unsigned count, base::time_ns timeout_ns);
// The same of peers that have asked for a topic (PUB, XPUB), and of those that
// have read what we asked for (SUB, XSUB); not_supported with other types.
base::result<void> wait_subscribers (void *socket, unsigned count, base::time_ns timeout_ns);
base::result<void> wait_subscribed (void *socket, unsigned count, base::time_ns timeout_ns);

// --- events ---------------------------------------------------------------

using event = engine::event_record;
using engine::event_kind;
using engine::is_local;

// A socket has one monitor at a time: events as messages on a socket of type
// (PAIR or PUSH) that is bound to an inproc endpoint. A new one takes the
// place of the old one, which says that it stops; stop ends it.
// protocol_not_supported: not inproc; invalid_argument: no such endpoint or
// type; address_in_use, too_many_sockets, terminated.
base::result<void> monitor_start (
  void *socket, std::string_view endpoint, std::uint64_t mask, int type, const monitor_format &format);
base::result<void> monitor_stop (void *socket);
// Has the monitor say how many messages wait, per peer. invalid_argument: it
// does not want that (mask), or there is none; would_block: no peers.
base::result<void> monitor_pipes (void *socket, std::uint64_t mask);
// The same with a PAIR that reads it, which is the caller's to close.
base::result<void *> monitor_open (void *socket, std::uint64_t mask, const monitor_format &format);

// A queue of up to events_max events (0: a default), beside any others. The
// handle outlives the socket. process outlives both; events_receive is the
// only one that blocks. would_block, interrupted; terminated: the socket has
// ended and all is read; bad_address: no such handle; not_a_socket: closed by
// another thread meanwhile.
base::result<void *> events_open (
  base::world &process, void *socket, std::size_t events_max, event_numbering number, std::uint64_t mask);
base::result<void>
events_receive (base::world &process, void *events, event &oldest, std::int64_t timeout_ms) noexcept;
base::result<void> events_close (void *events);

// Who is connected and ready now.
using peer = engine::peer_report;
base::result<std::vector<peer>> peers (void *socket);

// --- who is let in, keys of CURVE ---

using policy = engine::policy;
using engine::peer_claim;
using verdict = wire::zap_reply;
// engine::socket_core::judge_by. bad_address, not_supported.
base::result<void> judge_by (void *socket, std::shared_ptr<const policy> whom);

// False: the library has no CURVE, and the calls below answer not_supported.
[[nodiscard]] bool has_curve () noexcept;
// no_memory: there are no random numbers.
base::result<void>
make_key_pair (base::entropy &from, base::public_key &open, base::secret_key &secret) noexcept;
base::result<base::public_key> public_key_of (const base::secret_key &secret) noexcept;
// What PLAIN_PASSWORDS takes for it; computes for a tenth of a second. no_memory:
// also of random numbers.
using engine::password_hash;
base::result<void> hash_password (base::entropy &from, base::bytes_view password, password_hash &to) noexcept;

// Counters of a socket; all grow only.
using counters = engine::socket_counters;
using engine::count_of;
using engine::count_row;
using engine::drop_name;
using engine::drop_reason;
using engine::gauges;
using engine::tally;
base::result<counters> statistics (void *socket);

// All counters at one moment: the socket's own row first, then those of its
// endpoints and connections. no_memory.
base::result<std::vector<count_row>> count_rows (void *socket);
// The same as text, a line a row; of a context: of all its sockets.
base::result<std::string> counters_text (void *socket);
base::result<std::string> context_counters_text (void *context);

// A socket as those know it who do not hold it: no two of a process are alike, and it
// keeps it while it lives.
struct socket_key
{
    const void *slot = nullptr;
    std::uint32_t generation = 0;
    [[nodiscard]] auto operator<=> (const socket_key &) const noexcept = default;
};
[[nodiscard]] socket_key key_of (void *socket) noexcept;

// The counters of all sockets of a context, of each at one moment of its own.
struct socket_rows
{
    socket_key whose;
    std::vector<count_row> rows;
};
base::result<std::vector<socket_rows>> context_count_rows (void *context);

}  // namespace zlink::socket
