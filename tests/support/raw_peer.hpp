// A peer that is plain POSIX: connects or listens, sends octets as they are
// told and reads what comes. It speaks ZMTP only as far as a test spells it.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "support/waiting.hpp"

namespace zlink::test {

// --- octets of ZMTP ----------------------------------------------------------

[[nodiscard]] inline std::string octet (unsigned value) { return std::string (1, static_cast<char> (value)); }

[[nodiscard]] inline std::string big_endian (std::uint64_t value, unsigned octets)
{
    std::string text;
    for (unsigned i = octets; i-- > 0;)
        text += octet (static_cast<unsigned> (value >> (8 * i) & 255));
    return text;
}

[[nodiscard]] inline std::string zmtp_signature () { return octet (0xFF) + big_endian (1, 8) + octet (0x7F); }

[[nodiscard]] inline std::string
zmtp_greeting (unsigned major = 3, unsigned minor = 1, std::string mechanism = "NULL")
{
    mechanism.resize (20, '\0');
    return zmtp_signature () + octet (major) + octet (minor) + mechanism + std::string (32, '\0');
}

inline constexpr unsigned command_flag = 4;

// flags: 1: more parts follow, command_flag.
[[nodiscard]] inline std::string zmtp_frame (unsigned flags, std::string_view body)
{
    if (body.size () > 255)
        return octet (flags | 2) + big_endian (body.size (), 8) + std::string (body);
    return octet (flags) + octet (static_cast<unsigned> (body.size ())) + std::string (body);
}

[[nodiscard]] inline std::string zmtp_property (std::string_view name, std::string_view value)
{
    return octet (static_cast<unsigned> (name.size ())) + std::string (name) + big_endian (value.size (), 4)
           + std::string (value);
}

[[nodiscard]] inline std::string zmtp_ready (std::string_view type, const std::string &more_properties = "")
{
    return zmtp_frame (command_flag, "\5READY" + zmtp_property ("Socket-Type", type) + more_properties);
}

// --- the peer ----------------------------------------------------------------

class raw_peer
{
  public:
    explicit raw_peer (int descriptor = -1) : descriptor_ (descriptor) {}
    ~raw_peer () { close (); }
    raw_peer (raw_peer &&other) noexcept : descriptor_ (std::exchange (other.descriptor_, -1)) {}
    raw_peer &operator= (raw_peer &&other) noexcept
    {
        std::swap (descriptor_, other.descriptor_);
        return *this;
    }

    // tcp://a.b.c.d:port or ipc://path, as LAST_ENDPOINT tells it.
    [[nodiscard]] static raw_peer connect_to (const std::string &endpoint, int receive_buffer_bytes = 0)
    {
        const address to (endpoint);
        raw_peer made (::socket (to.family (), SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (receive_buffer_bytes > 0)
            ::setsockopt (made.descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof (int));
        if (::connect (made.descriptor_, to.raw (), to.size) != 0)
            made.close ();
        return made;
    }
    // A listening one; accept() gives its peers.
    [[nodiscard]] static raw_peer listen_at (const std::string &endpoint, int backlog = 16)
    {
        const address at (endpoint);
        raw_peer made (::socket (at.family (), SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int yes = 1;
        ::setsockopt (made.descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (::bind (made.descriptor_, at.raw (), at.size) != 0 || ::listen (made.descriptor_, backlog) != 0)
            made.close ();
        return made;
    }
    [[nodiscard]] raw_peer accept () const
    {
        if (!becomes_readable (descriptor_))
            return raw_peer ();
        return raw_peer (::accept4 (descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
    }

    [[nodiscard]] bool valid () const { return descriptor_ >= 0; }
    [[nodiscard]] int descriptor () const { return descriptor_; }
    void close ()
    {
        if (descriptor_ >= 0)
            ::close (std::exchange (descriptor_, -1));
    }
    void end_output () const { ::shutdown (descriptor_, SHUT_WR); }
    // Closes so that the other side meets a reset.
    void reset ()
    {
        const linger abrupt{1, 0};
        ::setsockopt (descriptor_, SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
        close ();
    }

    // All of it; false when the other side is gone.
    bool send (std::string_view octets) const
    {
        while (!octets.empty ()) {
            const ssize_t taken = ::send (descriptor_, octets.data (), octets.size (), MSG_NOSIGNAL);
            if (taken <= 0)
                return false;
            octets.remove_prefix (static_cast<std::size_t> (taken));
        }
        return true;
    }
    // One octet a segment.
    bool trickle (std::string_view octets) const
    {
        const int yes = 1;
        ::setsockopt (descriptor_, IPPROTO_TCP, 1 /* TCP_NODELAY */, &yes, sizeof yes);
        for (const char each : octets)
            if (!send ({&each, 1}))
                return false;
        return true;
    }
    // Exactly so many; fewer when the stream ends before.
    [[nodiscard]] std::string read_exactly (std::size_t size) const
    {
        std::string octets;
        std::string piece (65'536, '\0');
        while (octets.size () < size && becomes_readable (descriptor_)) {
            const ssize_t got =
              ::recv (descriptor_, piece.data (), std::min (piece.size (), size - octets.size ()), 0);
            if (got <= 0)
                break;
            octets.append (piece, 0, static_cast<std::size_t> (got));
        }
        return octets;
    }
    // What has come by now, if anything.
    [[nodiscard]] std::string read_what_is_there () const
    {
        std::string piece (65'536, '\0');
        const ssize_t got = ::recv (descriptor_, piece.data (), piece.size (), MSG_DONTWAIT);
        piece.resize (got > 0 ? static_cast<std::size_t> (got) : 0);
        return piece;
    }
    // Everything up to the end of the stream.
    [[nodiscard]] std::string read_to_end () const { return read_exactly (std::string::npos); }
    // True when the other side ends the stream, whatever it says before.
    [[nodiscard]] bool sees_end () const
    {
        std::string piece (65'536, '\0');
        while (becomes_readable (descriptor_)) {
            const ssize_t got = ::recv (descriptor_, piece.data (), piece.size (), 0);
            if (got == 0 || (got < 0 && errno != EINTR))
                return true;
        }
        return false;
    }

    // The whole handshake of ZMTP 3.1 with NULL, up to and with the other
    // side's READY. False when it went wrong.
    [[nodiscard]] bool shake_hands (std::string_view type) const
    {
        if (!send (zmtp_greeting ()) || read_exactly (64).size () != 64 || !send (zmtp_ready (type)))
            return false;
        const std::string frame = read_frame ();
        return frame.size () > 6 && frame.substr (1, 5) == "READY";
    }
    // The body of the next frame; empty when the stream ends.
    [[nodiscard]] std::string read_frame () const
    {
        const std::string flags = read_exactly (1);
        if (flags.empty ())
            return {};
        const bool is_long = (flags[0] & 2) != 0;
        std::uint64_t size = 0;
        for (const char each : read_exactly (is_long ? 8 : 1))
            size = size << 8 | static_cast<unsigned char> (each);
        return read_exactly (size);
    }

  private:
    struct address
    {
        explicit address (const std::string &endpoint)
        {
            if (endpoint.starts_with ("ipc://")) {
                auto &local = reinterpret_cast<sockaddr_un &> (store);
                local.sun_family = AF_UNIX;
                const std::string path = endpoint.substr (6);
                std::memcpy (local.sun_path, path.data (), path.size ());
                if (local.sun_path[0] == '@')
                    local.sun_path[0] = '\0';
                size = static_cast<socklen_t> (offsetof (sockaddr_un, sun_path) + path.size ()
                                               + (local.sun_path[0] == '\0' ? 0 : 1));
                return;
            }
            auto &inet = reinterpret_cast<sockaddr_in &> (store);
            const std::size_t colon = endpoint.rfind (':');
            inet.sin_family = AF_INET;
            inet.sin_port = htons (static_cast<std::uint16_t> (std::stoi (endpoint.substr (colon + 1))));
            ::inet_pton (AF_INET, endpoint.substr (6, colon - 6).c_str (), &inet.sin_addr);
            size = sizeof (sockaddr_in);
        }
        [[nodiscard]] int family () const { return store.ss_family; }
        [[nodiscard]] const sockaddr *raw () const { return reinterpret_cast<const sockaddr *> (&store); }
        sockaddr_storage store{};
        socklen_t size = 0;
    };

    int descriptor_;
};

}  // namespace zlink::test
