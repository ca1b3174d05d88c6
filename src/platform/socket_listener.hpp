// A listening TCP, local or vsock socket.
//
// Thread rule: one thread accepts at a time. Poll its handle level-triggered:
// accept() answers would_block also when a caller has hung up meanwhile.
#pragma once

#include "base/stream.hpp"
#include "platform/descriptor.hpp"
#include "platform/local_path.hpp"
#include "platform/socket_address.hpp"
#include "platform/socket_setup.hpp"

namespace zlink::platform {

class socket_listener final : public base::listener
{
  public:
    // Takes a listening, non-blocking socket; path removes what it made.
    // accepted is for those it accepts: what they do not inherit.
    // adopted: the socket was the caller's, and may be others' still.
    socket_listener (descriptor socket,
                     std::string_view scheme,
                     local_path path,
                     std::string endpoint,
                     const accepted_options &accepted,
                     bool adopted,
                     base::accept_filter admits) noexcept;
    // Frees the port, though a forked child may still have it open.
    ~socket_listener () override;

    base::result<std::unique_ptr<base::stream>> accept () noexcept override;
    [[nodiscard]] base::io_handle handle () const noexcept override { return socket_.get (); }
    [[nodiscard]] std::string local_endpoint () const override { return endpoint_; }
    void hand_back () noexcept override;

  private:
    descriptor socket_;
    std::string_view scheme_;
    local_path path_;  // removed before the socket closes: see the destructor order
    std::string endpoint_;
    accepted_options accepted_;
    bool adopted_;
    base::accept_filter admits_;
};

// Listens on an address of IP or of a virtual machine. The local endpoint names the
// port that was chosen.
[[nodiscard]] base::result<std::unique_ptr<base::listener>>
listen_at (const socket_address &at, std::string_view scheme, const base::stream_options &options);

// Listens on a path, "@name", or "*" (a fresh path in a private folder). A
// stale file is taken over; a live listener or any other file is
// address_in_use.
[[nodiscard]] base::result<std::unique_ptr<base::listener>>
listen_local (std::string_view path, std::string_view scheme, const base::stream_options &options);

// Adopts options.use_handle, which must be a listening stream socket of this family,
// v4 being any of IP; else invalid_argument or not_a_socket, and it stays the caller's.
[[nodiscard]] base::result<std::unique_ptr<base::listener>>
adopt_listener (std::string_view scheme, address_family of, const base::stream_options &options);

}  // namespace zlink::platform
