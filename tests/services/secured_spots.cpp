// Nodes of SPOT that prove to each other who they are, with certificates or with keys,
// plain topics and partitioned ones over them; strangers hear nothing, and are told why.
#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/z85.hpp"
#include "support/identities.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"
#include "support/warnings.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

using zlink::test::heard_warnings;
using zlink::test::identity;

constexpr int watchdog_ms = 60'000;
constexpr int short_ms = 200;
constexpr const char *plain_topic = "t";
constexpr const char *parted_topic = "prices";

zlink::test::wanted valid_now (const char *name)
{
    const std::int64_t now_s = std::time (nullptr);
    return {.name = name,
            .alternative = "IP:127.0.0.1",
            .from_s = now_s - zlink::test::day_s,
            .until_s = now_s + zlink::test::day_s};
}

// An authority, and a host that it vouches for.
struct authority
{
    explicit authority (const char *name = "root") : root (valid_now (name)) {}
    identity root;
    identity host{valid_now ("host"), &root};
    std::string trusted = root.certificate (), certificate = host.certificate (), key = host.key ();
};

struct key_pair
{
    key_pair () { EXPECT_EQ (zlink_curve_keypair (open.data (), secret.data ()), 0); }
    std::array<char, 41> open{}, secret{};
};

std::string file_of (const std::string &text)
{
    std::string path = zlink::test::ipc_path () + ".pem";
    std::ofstream (path) << text;
    return path;
}

std::string endpoint_of (int (*ask) (void *, char *, size_t *), void *whom)
{
    std::array<char, 256> text{};
    size_t size = text.size ();
    EXPECT_EQ (ask (whom, text.data (), &size), 0);
    return text.data ();
}

// A node with a publisher, and a subscriber that wants the plain topic.
class station
{
  public:
    explicit station (void *context)
      : node_ (zlink_spot_node_new (context)), pub_ (zlink_spot_pub_new (node_)),
        sub_ (zlink_spot_sub_new (node_))
    {
        EXPECT_EQ (zlink_spot_sub_subscribe (sub_, plain_topic), 0);
    }
    ~station ()
    {
        EXPECT_TRUE (reader_ == nullptr || zlink_spot_reader_destroy (&reader_) == 0);
        EXPECT_EQ (zlink_spot_sub_destroy (&sub_), 0);
        EXPECT_EQ (zlink_spot_pub_destroy (&pub_), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&node_), 0);
    }
    station (const station &) = delete;
    station &operator= (const station &) = delete;

    [[nodiscard]] void *node () const { return node_; }
    void text (int role, int option, std::string_view value) const
    {
        EXPECT_EQ (zlink_spot_node_setsockopt (node_, role, option, value.data (), value.size ()), 0);
    }
    void number (int role, int option, int value) const
    {
        EXPECT_EQ (zlink_spot_node_setsockopt (node_, role, option, &value, sizeof value), 0);
    }
    // It shows who it is to those that read it.
    void show (const authority &by) const
    {
        text (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_TLS_CERT, by.certificate);
        text (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_TLS_KEY, by.key);
    }
    // Whom it reads is looked at; with that role those that grant to it.
    void trust (const authority &by, int role = ZLINK_SPOT_NODE_SOCKET_SUB) const
    {
        text (role, ZLINK_TLS_CA, by.trusted);
        number (role, ZLINK_TLS_TRUST_SYSTEM, 0);
    }
    // Who reads it has to show that somebody vouches for it.
    void demand (const authority &by) const
    {
        text (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_TLS_CA, by.trusted);
        number (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_TLS_REQUIRE_CLIENT_CERT, 1);
    }
    void show_when_reading (const authority &by) const
    {
        text (ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_TLS_CERT, by.certificate);
        text (ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_TLS_KEY, by.key);
    }
    // All of a mesh listen with one pair, and each reads with its own.
    void listen_with (const key_pair &all, const std::vector<const key_pair *> &allowed) const
    {
        number (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_CURVE_SERVER, 1);
        text (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_CURVE_SECRETKEY, all.secret.data ());
        std::string listed;
        for (const key_pair *const each : allowed) {
            std::array<std::uint8_t, 32> raw{};
            EXPECT_TRUE (base::z85_decode (raw.data (), each->open.data ()));
            listed.append (raw.begin (), raw.end ());
        }
        text (ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_CURVE_ALLOWED_KEYS, listed);
    }
    void read_with (const key_pair &own, const key_pair &all) const
    {
        text (ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_CURVE_SERVERKEY, all.open.data ());
        text (ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_CURVE_PUBLICKEY, own.open.data ());
        text (ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_CURVE_SECRETKEY, own.secret.data ());
    }

    std::string bind (const std::string &scheme) const
    {
        EXPECT_EQ (zlink_spot_node_bind (node_, (scheme + "://127.0.0.1:*").c_str ()), 0)
          << zlink_strerror (errno);
        return endpoint_of (zlink_spot_node_endpoint, node_);
    }
    void join (const std::string &seed) const
    {
        EXPECT_EQ (zlink_spot_node_join (node_, seed.empty () ? nullptr : seed.c_str ()), 0);
    }
    void wait_read_by (std::size_t others) const
    {
        ASSERT_EQ (zlink_spot_node_wait (node_, others, watchdog_ms), 0) << zlink_strerror (errno);
    }
    void publish (std::string_view text) const
    {
        ASSERT_EQ (zlink_spot_pub_send (pub_, plain_topic, text.data (), text.size ()), 0);
    }
    std::string next (int timeout_ms = watchdog_ms) const
    {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        if (zlink_spot_sub_next (sub_, &got, timeout_ms) != 0)
            return "error " + std::to_string (zlink_errno ());
        if (got.gap != ZLINK_SPOT_GAP_NONE)
            return "gap " + std::to_string (got.gap);
        return {static_cast<const char *> (got.body), got.body_size};
    }
    [[nodiscard]] bool has_heard_nothing () const
    {
        zlink_spot_counters_t counts{};
        counts.size = sizeof counts;
        return zlink_spot_sub_counters (sub_, &counts) == 0 && counts.queued == 0;
    }

    // --- with partitions ---
    void be_granted_by (const std::string &grantor) const
    {
        EXPECT_EQ (zlink_spot_node_add_grantor (node_, grantor.c_str ()), 0);
    }
    void declare ()
    {
        EXPECT_EQ (zlink_spot_node_declare (node_, parted_topic, 1), 0);
        reader_ = zlink_spot_reader_new (node_, parted_topic, ZLINK_SPOT_FROM_SEQUENCE, 1);
        EXPECT_NE (reader_, nullptr);
    }
    // 0, or why it is not numbered.
    [[nodiscard]] int number_it (std::string_view text, int timeout_ms = watchdog_ms) const
    {
        const int sent = zlink_spot_pub_send_key (pub_, parted_topic, "k", 1, text.data (), text.size (),
                                                  nullptr, timeout_ms);
        return sent == 0 ? 0 : zlink_errno ();
    }
    // The next message of the partition.
    [[nodiscard]] std::string next_numbered (int timeout_ms = watchdog_ms) const
    {
        zlink_spot_event_t got{};
        got.size = sizeof got;
        while (zlink_spot_reader_next (reader_, &got, timeout_ms) == 0)
            if (got.kind == ZLINK_SPOT_EVENT_MESSAGE)
                return std::to_string (got.sequence) + "="
                       + std::string (static_cast<const char *> (got.body), got.body_size);
        return "error " + std::to_string (zlink_errno ());
    }

  private:
    void *node_, *pub_, *sub_, *reader_ = nullptr;
};

using stations = std::vector<std::unique_ptr<station>>;

// All know one another by the first.
std::string join_all (const stations &all, const std::string &scheme)
{
    std::string seed;
    for (const auto &each : all) {
        const std::string bound = each->bind (scheme);
        each->join (seed);
        seed = seed.empty () ? bound : seed;
    }
    for (const auto &each : all)
        each->wait_read_by (all.size () - 1);
    return seed;
}

// What each says all hear, once.
void talk (const stations &all, const std::string &what)
{
    for (std::size_t i = 0; i < all.size (); ++i) {
        const std::string text = what + std::to_string (i);
        all[i]->publish (text);
        for (const auto &each : all)
            ASSERT_EQ (each->next (), text);
    }
}

// What each has numbered all read, in one order.
void number_all (const stations &all)
{
    for (std::size_t i = 0; i < all.size (); ++i) {
        ASSERT_EQ (all[i]->number_it ("of " + std::to_string (i)), 0);
        for (const auto &each : all)
            ASSERT_EQ (each->next_numbered (), std::to_string (i + 1) + "=of " + std::to_string (i));
    }
}

class granting_registry
{
  public:
    explicit granting_registry (void *context) : handle_ (zlink_registry_new (context)) {}
    ~granting_registry () { EXPECT_EQ (zlink_registry_destroy (&handle_), 0); }
    granting_registry (const granting_registry &) = delete;
    granting_registry &operator= (const granting_registry &) = delete;
    void show (const authority &by) const
    {
        zlink_security_t how{};
        how.size = sizeof how;
        how.tls_cert = by.certificate.c_str ();
        how.tls_key = by.key.c_str ();
        EXPECT_EQ (zlink_service_secure (handle_, &how), 0);
    }
    [[nodiscard]] std::string bind (const std::string &scheme) const
    {
        EXPECT_EQ (zlink_registry_bind (handle_, (scheme + "://127.0.0.1:*").c_str ()), 0);
        return endpoint_of (zlink_registry_endpoint, handle_);
    }

  private:
    void *handle_;
};

struct secured_spots : testing::Test
{
    secured_spots () = default;
    ~secured_spots () override
    {
        all.clear ();
        stranger.reset ();
        books.reset ();
        EXPECT_EQ (zlink_ctx_term_ms (elsewhere, watchdog_ms), 0);
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }
    void open (std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            all.push_back (std::make_unique<station> (context));
    }
    // It is bound, so that they could read it too.
    void let_stranger_ask_for_all (const std::string &scheme, const std::string &seed)
    {
        (void)stranger->bind (scheme);
        stranger->join (seed);
        stranger->declare ();
    }
    // To the stranger, though the others go on.
    void expect_nothing_came ()
    {
        talk (all, "without the stranger ");
        EXPECT_EQ (stranger->number_it ("?", short_ms), EHOSTUNREACH);
        EXPECT_EQ (stranger->next_numbered (0), "error " + std::to_string (EAGAIN));
        EXPECT_TRUE (stranger->has_heard_nothing ());
        EXPECT_EQ (zlink_spot_node_wait (stranger->node (), 1, 0), -1) << "nobody reads it";
        for (const auto &each : all)
            EXPECT_EQ (zlink_spot_node_wait (each->node (), all.size (), 0), -1) << "it reads nobody";
    }

    heard_warnings warnings;
    void *context = zlink_ctx_new (), *elsewhere = zlink_ctx_new ();
    std::unique_ptr<granting_registry> books;
    stations all;
    std::unique_ptr<station> stranger;
};

// --- certificates ------------------------------------------------------------------------

// What is told of an alert is its number (RFC 8446, 6): 48 of an unknown authority, 116 that
// a certificate is demanded.
struct certified_spots : secured_spots, testing::WithParamInterface<const char *>
{
    authority ours{};
};

TEST_P (certified_spots, speak_both_ways)
{
    open (3);
    for (const auto &each : all) {
        each->show (ours);
        each->trust (ours);
    }
    (void)join_all (all, GetParam ());
    talk (all, "");
}

TEST_P (certified_spots, read_a_peer_by_the_functions_of_zlink_1)
{
    open (2);
    const station &far = *all[0], &here = *all[1];
    const std::string certificate = file_of (ours.certificate), key = file_of (ours.key),
                      trusted = file_of (ours.trusted);
    ASSERT_EQ (zlink_spot_node_set_tls_server (far.node (), certificate.c_str (), key.c_str ()), 0);
    ASSERT_EQ (zlink_spot_node_set_tls_client (here.node (), trusted.c_str (), "127.0.0.1", 0), 0);
    const std::string where = far.bind (GetParam ());
    ASSERT_EQ (zlink_spot_node_connect_peer_pub (here.node (), where.c_str ()), 0);
    far.wait_read_by (1);
    far.publish ("from afar");
    EXPECT_EQ (here.next (), "from afar");
}

TEST_P (certified_spots, read_nobody_of_another_name_than_was_asked_for)
{
    open (2);
    const station &far = *all[0], &here = *all[1];
    ASSERT_EQ (zlink_spot_node_set_tls_server (far.node (), ours.certificate.c_str (), ours.key.c_str ()), 0);
    ASSERT_EQ (zlink_spot_node_set_tls_client (here.node (), ours.trusted.c_str (), "other.example", 0), 0);
    const std::string where = far.bind (GetParam ());
    ASSERT_EQ (zlink_spot_node_connect_peer_pub (here.node (), where.c_str ()), 0);
    EXPECT_EQ (heard_warnings::find ("certificate-of-another").about, where);
    EXPECT_EQ (zlink_spot_node_wait (far.node (), 1, 0), -1);
}

TEST_P (certified_spots, number_what_is_partitioned)
{
    books = std::make_unique<granting_registry> (context);
    books->show (ours);
    const std::string grantor = books->bind (GetParam ());
    open (2);
    for (const auto &each : all) {
        each->show (ours);
        each->trust (ours);
        each->trust (ours, ZLINK_SPOT_NODE_SOCKET_GRANTOR);
        each->be_granted_by (grantor);
        each->declare ();
    }
    (void)join_all (all, GetParam ());
    number_all (all);
}

TEST_P (certified_spots, demand_certificates_of_both_sides_and_say_so_to_who_has_none)
{
    open (3);
    for (const auto &each : all) {
        each->show (ours);
        each->trust (ours);
        each->demand (ours);
        each->show_when_reading (ours);
    }
    const std::string seed = join_all (all, GetParam ());
    talk (all, "");
    stranger = std::make_unique<station> (elsewhere);
    stranger->show (ours);
    stranger->trust (ours);
    let_stranger_ask_for_all (GetParam (), seed);
    EXPECT_FALSE (heard_warnings::find ("certificate-missing").text.empty ()) << "here";
    EXPECT_EQ (heard_warnings::find ("tls-alert (errno 116)").about, seed) << "there";
    expect_nothing_came ();
}

TEST_P (certified_spots, refuse_who_is_vouched_for_by_nobody_they_trust)
{
    const authority theirs ("their root");
    open (2);
    for (const auto &each : all) {
        each->show (ours);
        each->trust (ours);
        each->demand (ours);
        each->show_when_reading (ours);
    }
    const std::string seed = join_all (all, GetParam ());
    stranger = std::make_unique<station> (elsewhere);
    stranger->show (theirs);
    stranger->trust (ours);
    stranger->show_when_reading (theirs);
    let_stranger_ask_for_all (GetParam (), seed);
    EXPECT_FALSE (heard_warnings::find ("certificate-untrusted").text.empty ()) << "here";
    EXPECT_EQ (heard_warnings::find ("tls-alert (errno 48)").about, seed) << "there";
    expect_nothing_came ();
}

INSTANTIATE_TEST_SUITE_P (, certified_spots, testing::Values ("tls", "wss"), [] (const auto &of) {
    return of.param;
});

// --- keys ----------------------------------------------------------------------------------

struct keyed_spots : secured_spots
{
    static constexpr std::size_t members = 3;
    keyed_spots ()
    {
        if (zlink_has ("curve") == 0)
            return;
        books = std::make_unique<granting_registry> (context);
        const std::string grantor = books->bind ("tcp");
        open (members);
        std::vector<const key_pair *> allowed;
        for (const key_pair &each : own)
            allowed.push_back (&each);
        for (std::size_t i = 0; i < members; ++i) {
            all[i]->listen_with (common, allowed);
            all[i]->read_with (own[i], common);
            all[i]->be_granted_by (grantor);
            all[i]->declare ();
        }
        seed = join_all (all, "tcp");
    }

    // A stranger with that key, who expects that one of servers.
    void refuse (const key_pair &servers, const key_pair &its, std::string_view warning)
    {
        stranger = std::make_unique<station> (elsewhere);
        stranger->listen_with (servers, {&its});
        stranger->read_with (its, servers);
        let_stranger_ask_for_all ("tcp", seed);
        EXPECT_FALSE (heard_warnings::find (warning).text.empty ());
        expect_nothing_came ();
        number_all (all);
    }

    const key_pair common{};
    const std::array<key_pair, members> own{};
    std::string seed;
};

TEST_F (keyed_spots, speak_both_ways_and_number_what_is_partitioned)
{
    if (all.empty ())
        GTEST_SKIP () << "no CURVE here";
    talk (all, "");
    number_all (all);
}

TEST_F (keyed_spots, refuse_a_key_that_is_not_listed)
{
    if (all.empty ())
        GTEST_SKIP () << "no CURVE here";
    refuse (common, key_pair (), "authentication-failed");
}

TEST_F (keyed_spots, say_nothing_to_who_expects_another_key_of_them)
{
    if (all.empty ())
        GTEST_SKIP () << "no CURVE here";
    refuse (key_pair (), own[0], "box-unopened");
}

}  // namespace
}  // namespace zlink::service::test
