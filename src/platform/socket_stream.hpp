// A TCP or local stream socket as a byte stream.
//
// No error of the kernel is fatal: each is answered as a value and ends, at
// most, this one stream. Thread rule: as base::stream; nothing allocates but
// the names.
#pragma once

#include "base/stream.hpp"
#include "platform/descriptor.hpp"
#include "platform/socket_address.hpp"

namespace zlink::platform {

class socket_stream final : public base::stream
{
  public:
    // Takes a connected or connecting, non-blocking socket. scheme is a
    // literal ("tcp") that names both ends' endpoints. far is where it leads.
    socket_stream (descriptor socket, std::string_view scheme, const socket_address &far) noexcept;
    // Ends the connection, though a forked child may still have it open.
    ~socket_stream () override;

    // Starts a connection to far, from near unless that is no address. The
    // source address may be shared with other connections.
    // A local listener whose queue is full answers connection_refused.
    [[nodiscard]] static base::result<std::unique_ptr<base::stream>>
    dial (std::string_view scheme,
          const socket_address &far,
          const socket_address &near,
          const base::stream_options &options) noexcept;

    // At most 64 slices a call; one slice takes the cheaper call.
    base::result<std::size_t> write (std::span<const base::bytes_view> slices) noexcept override;
    base::result<std::size_t> read (std::span<const base::bytes_span> slices) noexcept override;

    // A socket that found itself at the other end (possible on loopback when
    // nobody listens on an ephemeral port) answers connection_refused.
    base::result<void> finish_connect () noexcept override;

    [[nodiscard]] bool connecting () const noexcept override { return connecting_; }
    void shutdown_write () noexcept override;
    // A negative time-out is no limit. False also after a signal.
    bool wait_writable (base::time_ns timeout_ns) noexcept override;
    [[nodiscard]] bool output_pending () noexcept override;
    [[nodiscard]] base::io_handle handle () const noexcept override { return socket_.get (); }

    [[nodiscard]] bool admitted () const noexcept override { return admitted_; }
    // Said by the listener, before anybody else knows the stream.
    void turn_away () noexcept { admitted_ = false; }

    [[nodiscard]] std::string peer_address () const override;
    [[nodiscard]] std::string local_endpoint () const override;
    [[nodiscard]] std::string remote_endpoint () const override;

  private:
    descriptor socket_;
    std::string_view scheme_;
    socket_address far_;
    base::error connect_failure_{};
    bool connecting_ = false;
    bool admitted_ = true;
};

// "tcp" and an address as "tcp://127.0.0.1:5555"; "" without an address.
[[nodiscard]] std::string endpoint_text (std::string_view scheme, const socket_address &address);

}  // namespace zlink::platform
