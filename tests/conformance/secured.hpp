// Servers that let in whom they know, and their clients.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unistd.h>

#include "conformance/transport.hpp"
#include "support/events.hpp"

namespace zlink::test {

struct keys
{
    keys () { EXPECT_EQ (zmq_curve_keypair (open.data (), secret.data ()), 0); }
    std::array<char, 41> open{};
    std::array<char, 41> secret{};
};

inline void set_text (socket &of, int option, std::string_view text)
{
    ASSERT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << option << zmq_strerror (errno);
}

// As servers see us.
inline std::string own_address ()
{
    const std::string_view by = under_test ().name;
    if (by == "ipc")
        return "localhost:" + std::to_string (::getuid ()) + ":" + std::to_string (::getgid ()) + ":"
               + std::to_string (::getpid ());
    if (by == "vsock")
        return "1";  // this machine's own number
    return by.starts_with ("sim") ? "sim" : "127.0.0.1";
}

// What both ends speak is settled by an upgrade of HTTP, before ZMTP begins.
inline bool settles_by_upgrade ()
{
    const std::string_view by = under_test ().name;
    return by.ends_with ("ws") || by.ends_with ("wss");
}

inline std::string raw_key (const keys &of)
{
    std::array<std::uint8_t, 32> raw{};
    EXPECT_NE (zmq_z85_decode (raw.data (), of.open.data ()), nullptr);
    return {raw.begin (), raw.end ()};
}

// A client that comes once, with these keys or with this password, and whether it
// gets in.
struct caller
{
    explicit caller (void *of)
      : push (of, ZMQ_PUSH), told (push,
                                   ZLINK_EVENT_CONNECTION_READY | ZLINK_EVENT_HANDSHAKE_FAILED_AUTH
                                     | ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
    {
        push.set (ZMQ_RECONNECT_IVL, -1);
    }
    caller (void *of, const keys &server, const keys &own, const std::string &where) : caller (of)
    {
        set_text (push, ZMQ_CURVE_PUBLICKEY, own.open.data ());
        set_text (push, ZMQ_CURVE_SECRETKEY, own.secret.data ());
        set_text (push, ZMQ_CURVE_SERVERKEY, server.open.data ());
        push.connect (where);
    }
    // Of PLAIN.
    caller (void *of, std::string_view name, std::string_view password, const std::string &where)
      : caller (of)
    {
        set_text (push, ZMQ_PLAIN_USERNAME, name);
        set_text (push, ZMQ_PLAIN_PASSWORD, password);
        push.connect (where);
    }
    [[nodiscard]] bool gets_in () { return told.next ().event == ZLINK_EVENT_CONNECTION_READY; }

    socket push;
    events told;
};

}  // namespace zlink::test
