// Seam: datagrams. A port sends them to one place, or to whom each one names,
// and receives them from anybody.
//
// Everything here is non-blocking. Thread rule: as of a stream, one reader and
// one writer at a time, which may be different threads; close() only by the
// last user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/poller.hpp"

namespace zlink::base {

// Octets of the largest datagram that is sent or received: libzmq's, which
// would not read more.
inline constexpr std::size_t datagram_bytes_max = 8192;

// The address of a datagram's sender, as text: "127.0.0.1:5555", "[::1]:5555".
struct sender_name
{
    static constexpr std::size_t bytes_max = 80;
    std::array<char, bytes_max> text{};
    std::size_t size = 0;
    [[nodiscard]] std::string_view view () const noexcept { return {text.data (), size}; }
};

// What receive() has put into the buffer.
struct arrival
{
    std::size_t size_bytes = 0;
    bool cut = false;  // the datagram was larger than the buffer
};

class datagram_port
{
  public:
    virtual ~datagram_port () = default;  // closes

    // One datagram. to: empty where the port leads somewhere, else an address as
    // sender_name has it. would_block: there is no room now. All other failures
    // are about this datagram, which is lost, and not about the port:
    // message_too_long; bad_address (to is none); no_memory; host_unreachable
    // for whatever else keeps it from leaving.
    virtual result<void> send (bytes_view datagram, std::string_view to) noexcept = 0;

    // would_block: there is none. from: null where nobody asks. Any other failure
    // is the end of the port.
    virtual result<arrival> receive (bytes_span buffer, sender_name *from) noexcept = 0;

    // How many datagrams for this port the system has dropped so far as there was
    // no room for them; known once a later one was received. By the reader.
    [[nodiscard]] virtual std::uint64_t overrun () const noexcept = 0;

    // Blocks until a datagram may be sent, at most timeout_ns. True if so.
    virtual bool wait_writable (time_ns timeout_ns) noexcept = 0;

    [[nodiscard]] virtual io_handle handle () const noexcept = 0;

    // Where it receives and where it sends, as endpoints, wildcards filled in;
    // empty where it does not. peer_address: the host of the latter.
    [[nodiscard]] virtual std::string local_endpoint () const = 0;
    [[nodiscard]] virtual std::string remote_endpoint () const = 0;
    [[nodiscard]] virtual std::string peer_address () const = 0;
};

}  // namespace zlink::base
