// Seam: byte streams, listeners and the transports that make them.
//
// Everything here is non-blocking: what would block answers
// errc::would_block. Thread rule: one reader and one writer at a time, which
// may be different threads; close() only by the last user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/accept_filter.hpp"
#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/datagram.hpp"
#include "base/error.hpp"
#include "base/poller.hpp"
#include "base/reason.hpp"

namespace zlink::base {

// What an endpoint's options ask of the system. Units in names; -1 = leave
// the system's default.
struct stream_options
{
    int send_buffer_bytes = -1;  // of local sockets -1 is a default of ours
    int receive_buffer_bytes = -1;
    int keepalive = -1;
    int keepalive_count = -1;
    int keepalive_idle_s = -1;
    int keepalive_interval_s = -1;
    int max_retransmit_ms = 0;  // 0 = the system's default
    int type_of_service = 0;
    int priority = 0;
    int backlog = 100;
    int busy_poll_us = 0;
    bool ipv6 = false;
    bool dial_both_families = false;  // connect to IPv6 addresses even so
    std::string bind_to_device;
    int multicast_hops = 1;
    bool multicast_loop = true;  // this host hears what it sends to a group
    int use_handle = -1;         // adopt this listening descriptor instead of making one
    accept_filter admits;
    std::string proxy;  // "host:port" of a SOCKS5 proxy to connect through; empty = none
    std::string proxy_user;
    std::string proxy_password;
};

// An address ready to be dialled or listened on: resolved, opaque to all but
// its transport. text is what a user would read ("tcp://127.0.0.1:5555").
struct address
{
    std::string text;
    std::vector<std::byte> raw;
    // Behind a proxy, whose address this is then: whom the proxy is to connect
    // us with, a number or a name that it looks up itself.
    std::string beyond_host{};
    std::uint16_t beyond_port = 0;
};

class stream
{
  public:
    virtual ~stream () = default;  // closes

    // Writes a prefix of the slices, at least one byte, or would_block. Of no slices:
    // only what the stream owes, 0 when that is done.
    virtual result<std::size_t> write (std::span<const bytes_view> slices) noexcept = 0;

    // Reads at least one byte into the slices in order; 0 = end of stream.
    virtual result<std::size_t> read (std::span<const bytes_span> slices) noexcept = 0;

    // The system did not connect at once when it was asked to.
    [[nodiscard]] virtual bool connecting () const noexcept = 0;

    // After a dial: errc::ok once connected, in_progress while not, else why not.
    virtual result<void> finish_connect () noexcept = 0;

    // Ends the writing side; the peer reads what was written, then the end.
    virtual void shutdown_write () noexcept = 0;

    // Blocks until writing may make progress, at most timeout_ns. True if so.
    virtual bool wait_writable (time_ns timeout_ns) noexcept = 0;

    // True while the kernel holds output that the peer has not acknowledged.
    [[nodiscard]] virtual bool output_pending () noexcept = 0;

    [[nodiscard]] virtual io_handle handle () const noexcept = 0;

    // Of an accepted one: whether the listener's filter lets the peer in. The
    // system is not asked any more.
    [[nodiscard]] virtual bool admitted () const noexcept = 0;

    // Where the peer is, as text without scheme: "127.0.0.1", or of ipc who it
    // was when it connected, "localhost:user:group:process" in numbers. And both
    // ends as endpoints. All of them may ask the system.
    [[nodiscard]] virtual std::string peer_address () const = 0;
    [[nodiscard]] virtual std::string local_endpoint () const = 0;
    [[nodiscard]] virtual std::string remote_endpoint () const = 0;

    // --- of a stream around another, which has more to say than the system ------

    // It is one: nobody else is asked what follows.
    [[nodiscard]] virtual bool wraps () const noexcept { return false; }

    // Goes on with a handshake of its own, which comes before anything is read or
    // written. would_block: more has to come, or what it owes has to be taken.
    virtual result<void> open () noexcept { return {}; }

    // It has octets of its own to write, an answer or an alert; every write begins
    // with them. Any thread.
    [[nodiscard]] virtual bool owes () const noexcept { return false; }

    // The next read has something to say that no event will tell. For the reader.
    [[nodiscard]] virtual bool pending () const noexcept { return false; }

    // Behind a call of open or read that failed: why. none: the stream inside has
    // failed. For the reader.
    [[nodiscard]] virtual close_reason fault () const noexcept { return close_reason::none; }

    // Once open: what it knows of the peer, as names and values for the metadata of
    // messages. Throws bad_alloc.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> peer_facts () const { return {}; }

    // Nobody has said anything for a while: memory that is not needed now may be given
    // back. Any thread; it neither waits nor asks the system.
    virtual void rest () noexcept {}

    // The peer is one of ours, which reads whatever comes: what is cut small for others
    // need not be from now on. For who has both sides.
    virtual void widen () noexcept {}
};

class listener
{
  public:
    virtual ~listener () = default;  // closes, and unlinks what it made

    // would_block when nobody waits. A peer that the filter does not let in is
    // an answer like any other: see stream::admitted. too_many_files and no_memory leave the
    // listener usable: back off and try again.
    virtual result<std::unique_ptr<stream>> accept () noexcept = 0;

    [[nodiscard]] virtual io_handle handle () const noexcept = 0;

    // The endpoint with wildcards filled in ("tcp://127.0.0.1:41231").
    [[nodiscard]] virtual std::string local_endpoint () const = 0;

    // It will not be used after all: a descriptor that was adopted stays open,
    // its giver's again. Nothing else may be called behind it.
    virtual void hand_back () noexcept {}
};

// What stands around a transport's streams, the outermost last, and what it has to
// know of the endpoint.
struct stream_layers
{
    bool tls = false;
    bool web = false;  // WebSocket
    // Of one that is dialled: its host as in the endpoint, without brackets, and
    // its port in digits.
    std::string host{};
    std::string port{};
    // web: the path that is asked for; of one that listens what it answers for,
    // nothing: whatever is asked for.
    std::string target{};
};

// What a dialer needs: one or more addresses, tried in order.
struct resolve_result
{
    std::vector<address> addresses;
    error failure{};
};

// One transport ("tcp", "ipc"). Passed to the context in an explicit list.
// Thread rule: any thread; listen, parse and dial do not block, resolve may.
class transport
{
  public:
    virtual ~transport () = default;

    [[nodiscard]] virtual std::string_view scheme () const noexcept = 0;

    // Checks the part behind "scheme://" for a connect. Answers
    // invalid_argument and the like without asking the network.
    virtual result<void> check_remote (std::string_view address, const stream_options &options) noexcept = 0;

    // True when resolve() must ask somebody (a host name) and may block.
    [[nodiscard]] virtual bool must_ask (std::string_view address,
                                         const stream_options &options) const noexcept = 0;

    // All addresses behind "host:port", or "source;host:port"; with a proxy,
    // those of the proxy.
    virtual resolve_result resolve (std::string_view address, const stream_options &options) noexcept = 0;

    // Starts a connection. The stream may still be connecting.
    virtual result<std::unique_ptr<stream>> dial (const address &to,
                                                  const stream_options &options) noexcept = 0;

    // Binds and listens. Blocks at most for a local name lookup.
    virtual result<std::unique_ptr<listener>> listen (std::string_view address,
                                                      const stream_options &options) noexcept = 0;

    // What its streams are to be put into, for an endpoint that check_remote or listen
    // found good; false: into nothing, and `to` is as it was. Pure; throws bad_alloc.
    virtual bool wraps (std::string_view, stream_layers &) const { return false; }

    // True of one that carries datagrams: in place of dial and listen, which
    // answer not_supported, it has what follows. The others answer not_supported.
    [[nodiscard]] virtual bool carries_datagrams () const noexcept { return false; }

    // A port that sends to an address of resolve()'s.
    virtual result<std::unique_ptr<datagram_port>> open_remote (const address &,
                                                                const stream_options &) noexcept
    {
        return errc::not_supported;
    }

    // A port that receives at an address of this host, or what is sent to a
    // group of hosts. Blocks at most for a local name lookup.
    virtual result<std::unique_ptr<datagram_port>> open_local (std::string_view,
                                                               const stream_options &) noexcept
    {
        return errc::not_supported;
    }
};

}  // namespace zlink::base
