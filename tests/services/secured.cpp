// A registry, a receiver, a gateway and nodes of SPOT over every transport, in the clear and with the
// keys, passwords and certificates of one structure; strangers get nowhere.
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/z85.hpp"
#include "support/identities.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

using zlink::test::identity;

constexpr int watchdog_ms = 30'000;

zlink::test::wanted valid_now (const char *name)
{
    const std::int64_t now_s = std::time (nullptr);
    return {.name = name,
            .alternative = "IP:127.0.0.1",
            .from_s = now_s - zlink::test::day_s,
            .until_s = now_s + zlink::test::day_s};
}

// What a whole system agrees on.
struct agreed
{
    agreed () { zlink_curve_keypair (public_key.data (), secret_key.data ()); }
    [[nodiscard]] zlink_security_t nothing () const
    {
        zlink_security_t how{};
        how.size = sizeof how;
        return how;
    }
    [[nodiscard]] zlink_security_t certificates () const
    {
        zlink_security_t how = nothing ();
        how.tls_cert = certificate.c_str ();
        how.tls_key = key.c_str ();
        how.tls_ca = authority.c_str ();
        return how;
    }
    [[nodiscard]] zlink_security_t keys () const
    {
        zlink_security_t how = certificates ();
        how.curve_public_key = public_key.data ();
        how.curve_secret_key = secret_key.data ();
        how.curve_server_key = public_key.data ();
        std::array<std::uint8_t, 32> &raw = const_cast<agreed *> (this)->raw_key;
        EXPECT_TRUE (base::z85_decode (raw.data (), public_key.data ()));
        how.curve_allowed_keys = raw.data ();
        how.curve_allowed_keys_size = raw.size ();
        return how;
    }
    [[nodiscard]] zlink_security_t passwords ()
    {
        zlink_security_t how = certificates ();
        if (hashes.empty ()) {
            std::array<char, 256> hash{};
            EXPECT_EQ (zlink_hash_password (hash.data (), hash.size (), "secret", 6), 0);
            hashes = std::string ("us:") + hash.data ();
        }
        how.plain_username = "us";
        how.plain_password = "secret";
        how.plain_passwords = hashes.c_str ();
        return how;
    }

    identity root{valid_now ("root")};
    identity host{valid_now ("host"), &root};
    std::string certificate = host.certificate (), key = host.key (), authority = root.certificate ();
    std::array<char, 41> public_key{}, secret_key{};
    std::array<std::uint8_t, 32> raw_key{};
    std::string hashes;
};

class secured_services : public testing::TestWithParam<const char *>
{
  protected:
    ~secured_services () override
    {
        end (gateway, zlink_gateway_destroy);
        end (stranger_gateway, zlink_gateway_destroy);
        end (receiver, zlink_receiver_destroy);
        end (discovery, zlink_discovery_destroy);
        end (stranger, zlink_discovery_destroy);
        end (registry, zlink_registry_destroy);
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }
    static void end (void *&which, int (*destroy) (void **))
    {
        const bool there = which != nullptr;
        EXPECT_TRUE (!there || destroy (&which) == 0);
    }
    [[nodiscard]] std::string scheme () const { return GetParam (); }
    [[nodiscard]] bool has_mechanisms () const { return scheme () != "inproc"; }
    [[nodiscard]] std::string place () const
    {
        if (scheme () == "ipc")
            return zlink::test::ipc_place ();
        return scheme () == "inproc" ? zlink::test::inproc_place () : scheme () + "://127.0.0.1:*";
    }
    static std::string endpoint_of (int (*ask) (void *, char *, size_t *), void *whom)
    {
        std::array<char, 256> text{};
        size_t size = text.size ();
        EXPECT_EQ (ask (whom, text.data (), &size), 0);
        return text.data ();
    }
    void *watch (const zlink_security_t &how)
    {
        void *const by = zlink_discovery_new_typed (context, ZLINK_SERVICE_GATEWAY);
        EXPECT_EQ (zlink_service_secure (by, &how), 0) << zlink_strerror (errno);
        EXPECT_EQ (zlink_discovery_subscribe (by, "calc"), 0);
        EXPECT_EQ (zlink_discovery_connect_registry (by, registry_place.c_str ()), 0);
        return by;
    }
    void begin (const zlink_security_t &how)
    {
        registry = zlink_registry_new (context);
        ASSERT_EQ (zlink_service_secure (registry, &how), 0) << zlink_strerror (errno);
        ASSERT_EQ (zlink_registry_bind (registry, place ().c_str ()), 0) << zlink_strerror (errno);
        registry_place = endpoint_of (zlink_registry_endpoint, registry);
        receiver = zlink_receiver_new (context, nullptr);
        ASSERT_EQ (zlink_service_secure (receiver, &how), 0) << zlink_strerror (errno);
        ASSERT_EQ (zlink_receiver_bind (receiver, place ().c_str ()), 0) << zlink_strerror (errno);
        ASSERT_EQ (zlink_receiver_connect_registry (receiver, registry_place.c_str ()), 0);
        ASSERT_EQ (zlink_receiver_register (receiver, "calc", nullptr, 1), 0);
        discovery = watch (how);
        gateway = zlink_gateway_new (context, discovery, nullptr);
        ASSERT_EQ (zlink_service_secure (gateway, &how), 0) << zlink_strerror (errno);
    }
    // A question and its answer.
    void ask ()
    {
        ASSERT_EQ (zlink_discovery_wait (discovery, "calc", 1, watchdog_ms), 0) << zlink_strerror (errno);
        std::thread answering ([this] {
            zlink_request_t *request = nullptr;
            ASSERT_EQ (zlink_receiver_recv (receiver, &request, watchdog_ms), 0);
            zlink_msg_t answer;
            zlink_msg_init_buffer (&answer, "42", 2);
            EXPECT_EQ (zlink_request_reply (&request, &answer, 1), 0);
        });
        zlink_msg_t part;
        zlink_msg_init_buffer (&part, "6 * 7", 5);
        zlink_request_options_t options{};
        options.size = sizeof options;
        options.timeout_ms = watchdog_ms;
        zlink_reply_t reply{};
        EXPECT_EQ (zlink_gateway_request (gateway, "calc", &part, 1, &options, &reply), 0);
        EXPECT_EQ (reply.status, ZLINK_REQUEST_REPLIED);
        ASSERT_EQ (reply.count, 1U);
        EXPECT_EQ (std::memcmp (zlink_msg_data (&reply.parts[0]), "42", 2), 0);
        zlink_reply_close (&reply);
        zlink_msg_close (&part);
        answering.join ();
    }
    // Who does not have what was agreed on is refused by the registry, and by the receiver.
    void expect_strangers_to_fail (const zlink_security_t &theirs)
    {
        stranger = watch (theirs);
        stranger_gateway = zlink_gateway_new (context, nullptr, nullptr);
        EXPECT_EQ (zlink_service_secure (stranger_gateway, &theirs), 0);
        const std::string where = endpoint_of (zlink_receiver_endpoint, receiver);
        const char *const endpoints[] = {where.c_str ()};
        EXPECT_EQ (zlink_gateway_set_providers (stranger_gateway, "calc", endpoints, nullptr, 1), 0);
        zlink_msg_t part;
        zlink_msg_init_buffer (&part, "?", 1);
        zlink_request_options_t options{};
        options.size = sizeof options;
        options.timeout_ms = 300;
        zlink_reply_t reply{};
        EXPECT_EQ (zlink_gateway_request (stranger_gateway, "calc", &part, 1, &options, &reply), -1);
        EXPECT_EQ (reply.status, ZLINK_REQUEST_NO_PROVIDER);
        zlink_reply_close (&reply);
        zlink_msg_close (&part);
        EXPECT_EQ (zlink_gateway_connection_count (stranger_gateway, "calc"), 0);
        EXPECT_EQ (zlink_discovery_receiver_count (stranger, "calc"), 0);
    }

    agreed all;
    void *context = zlink_ctx_new ();
    void *registry = nullptr, *receiver = nullptr, *discovery = nullptr, *gateway = nullptr;
    void *stranger = nullptr, *stranger_gateway = nullptr;
    std::string registry_place;
};

TEST_P (secured_services, speak_with_certificates_alone)
{
    begin (all.certificates ());
    ask ();
}

TEST_P (secured_services, speak_curve_and_refuse_who_has_no_key)
{
    begin (all.keys ());
    ask ();
    if (!has_mechanisms ())
        return;
    expect_strangers_to_fail (all.certificates ());
    // Another key than those of the list.
    std::array<char, 41> public_key{}, secret_key{};
    zlink_curve_keypair (public_key.data (), secret_key.data ());
    zlink_security_t theirs = all.keys ();
    theirs.curve_public_key = public_key.data ();
    theirs.curve_secret_key = secret_key.data ();
    end (stranger, zlink_discovery_destroy);
    end (stranger_gateway, zlink_gateway_destroy);
    expect_strangers_to_fail (theirs);
}

TEST_P (secured_services, speak_plain_and_refuse_another_password)
{
    begin (all.passwords ());
    ask ();
    if (!has_mechanisms ())
        return;
    zlink_security_t theirs = all.passwords ();
    theirs.plain_password = "guessed";
    expect_strangers_to_fail (theirs);
}

TEST_P (secured_services, demand_certificates_of_both_sides)
{
    zlink_security_t how = all.certificates ();
    how.tls_mutual = 1;
    begin (how);
    ask ();
    if (scheme () == "tls" || scheme () == "wss")
        expect_strangers_to_fail (all.certificates ());
}

// A node that publishes, one that finds it in the registry and owns a partition by its grant,
// and a stranger.
class secured_spots : public secured_services
{
  protected:
    ~secured_spots () override
    {
        end (sub, zlink_spot_sub_destroy);
        end (pub, zlink_spot_pub_destroy);
        end (ordered, zlink_spot_pub_destroy);
        for (void **const each : {&here, &far, &stranger_node})
            end (*each, zlink_spot_node_destroy);
    }
    void *secured_node (const zlink_security_t &how)
    {
        void *const made = zlink_spot_node_new (context);
        EXPECT_EQ (zlink_service_secure (made, &how), 0) << zlink_strerror (errno);
        return made;
    }
    void meet (const zlink_security_t &how)
    {
        registry = zlink_registry_new (context);
        ASSERT_EQ (zlink_service_secure (registry, &how), 0);
        ASSERT_EQ (zlink_registry_bind (registry, place ().c_str ()), 0);
        registry_place = endpoint_of (zlink_registry_endpoint, registry);
        far = secured_node (how);
        ASSERT_EQ (zlink_spot_node_bind (far, place ().c_str ()), 0) << zlink_strerror (errno);
        ASSERT_EQ (zlink_spot_node_connect_registry (far, registry_place.c_str ()), 0);
        ASSERT_EQ (zlink_spot_node_register (far, "spots", nullptr), 0);
        discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_SPOT);
        ASSERT_EQ (zlink_service_secure (discovery, &how), 0);
        ASSERT_EQ (zlink_discovery_connect_registry (discovery, registry_place.c_str ()), 0);
        here = secured_node (how);
        sub = zlink_spot_sub_new (here);
        ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
        ASSERT_EQ (zlink_spot_node_set_discovery (here, discovery, "spots"), 0);
        ASSERT_EQ (zlink_spot_node_wait (far, 1, watchdog_ms), 0) << zlink_strerror (errno);
        pub = zlink_spot_pub_new (far);
        ASSERT_EQ (zlink_spot_pub_send (pub, "t", "x", 1), 0);
        zlink_spot_message_t got{};
        got.size = sizeof got;
        EXPECT_EQ (zlink_spot_sub_next (sub, &got, watchdog_ms), 0) << zlink_strerror (errno);
        ASSERT_EQ (zlink_spot_node_add_grantor (here, registry_place.c_str ()), 0);
        ASSERT_EQ (zlink_spot_node_declare (here, "ordered", 1), 0);
        ordered = zlink_spot_pub_new (here);
        EXPECT_EQ (zlink_spot_pub_send_key (ordered, "ordered", "k", 1, "x", 1, nullptr, watchdog_ms), 0);
    }
    void expect_a_stranger_to_fail (const zlink_security_t &theirs)
    {
        stranger_node = secured_node (theirs);
        const std::string where = endpoint_of (zlink_spot_node_endpoint, far);
        ASSERT_EQ (zlink_spot_node_connect_peer_pub (stranger_node, where.c_str ()), 0);
        EXPECT_EQ (zlink_spot_node_wait (far, 2, 300), -1);
        EXPECT_EQ (zlink_errno (), ETIMEDOUT);
    }

    void *here = nullptr, *far = nullptr, *stranger_node = nullptr;
    void *sub = nullptr, *pub = nullptr, *ordered = nullptr;
};

TEST_P (secured_spots, speak_curve_and_refuse_who_has_no_key)
{
    meet (all.keys ());
    if (has_mechanisms ())
        expect_a_stranger_to_fail (all.certificates ());
}

TEST_P (secured_spots, speak_plain_and_refuse_another_password)
{
    meet (all.passwords ());
    zlink_security_t theirs = all.passwords ();
    theirs.plain_password = "guessed";
    if (has_mechanisms ())
        expect_a_stranger_to_fail (theirs);
}

TEST_P (secured_spots, demand_certificates_of_both_sides)
{
    zlink_security_t how = all.certificates ();
    how.tls_mutual = 1;
    meet (how);
    if (scheme () == "tls" || scheme () == "wss")
        expect_a_stranger_to_fail (all.certificates ());
}

INSTANTIATE_TEST_SUITE_P (,
                          secured_spots,
                          testing::Values ("tcp", "ipc", "inproc", "tls", "ws", "wss"),
                          [] (const auto &of) { return of.param; });
INSTANTIATE_TEST_SUITE_P (,
                          secured_services,
                          testing::Values ("tcp", "ipc", "inproc", "tls", "ws", "wss"),
                          [] (const auto &of) { return of.param; });

TEST (SecuredServices, WhatIsWrongIsRefused)
{
    void *const context = zlink_ctx_new ();
    void *registry = zlink_registry_new (context);
    zlink_security_t how{};
    const auto refused = [] (int answer, int number) {
        EXPECT_EQ (answer, -1);
        EXPECT_EQ (errno, number);
    };
    refused (zlink_service_secure (registry, &how), EINVAL);
    how.size = sizeof how;
    EXPECT_EQ (zlink_service_secure (registry, &how), 0);
    refused (zlink_service_secure (registry, nullptr), EFAULT);
    refused (zlink_service_secure (nullptr, &how), EFAULT);
    refused (zlink_service_secure (context, &how), EFAULT);
    how.curve_secret_key = "short";
    refused (zlink_service_secure (registry, &how), EINVAL);
    EXPECT_EQ (zlink_registry_destroy (&registry), 0);
    EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
}

}  // namespace
}  // namespace zlink::service::test
