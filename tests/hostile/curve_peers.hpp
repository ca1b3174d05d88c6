// What peers of a CURVE server say: keys, good clients, and a HELLO that opens.
#pragma once

#include <string>
#include <string_view>

#include "hostile/corpus.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"
#include "wire/test_mechanism.hpp"

namespace zlink::test {

[[nodiscard]] inline const wire::test::key_pair &servers ()
{
    static const wire::test::key_pair keys (1000);
    return keys;
}

[[nodiscard]] inline const wire::test::key_pair &clients ()
{
    static const wire::test::key_pair keys (2000);
    return keys;
}

template <class Key> void set_key (void *of, int option, const Key &key)
{
    ASSERT_EQ (zmq_setsockopt (of, option, key.data (), base::key_bytes), 0) << option;
}

inline void be_curve_server (socket &who)
{
    who.set (ZMQ_CURVE_SERVER, 1);
    set_key (who, ZMQ_CURVE_SECRETKEY, servers ().secret);
}

inline void be_curve_client (void *who)
{
    set_key (who, ZMQ_CURVE_PUBLICKEY, clients ().open);
    set_key (who, ZMQ_CURVE_SECRETKEY, clients ().secret);
    set_key (who, ZMQ_CURVE_SERVERKEY, servers ().open);
}

[[nodiscard]] inline std::string hello_of (std::string_view data) { return zmtp_command ("HELLO", data); }

// One that opens, once.
[[nodiscard]] inline std::string good_hello ()
{
    wire::test::counting_entropy dice (1);
    wire::session client (wire::test::end_of (wire::socket_type::push,
                                              wire::test::curve_client (clients (), servers ().open), &dice));
    client.start ();
    std::size_t consumed = 0;
    const std::string theirs = zmtp_greeting (3, 1, "CURVE");
    (void)client.feed (base::as_bytes (theirs), consumed);
    return wire::test::drain (client).substr (64);
}

}  // namespace zlink::test
