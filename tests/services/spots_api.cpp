// SPOT through zlink.h: what is answered, and what is refused.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/places.hpp"
#include "support/waiting.hpp"
#include "support/warnings.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr int watchdog_ms = 30'000;

struct spots_api : testing::Test
{
    ~spots_api () override
    {
        EXPECT_EQ (zlink_spot_sub_destroy (&sub), 0);
        EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }
    // The call fails with that number.
    template <class Call> static void refused (int number, Call call)
    {
        errno = 0;
        EXPECT_EQ (call (), -1);
        EXPECT_EQ (zlink_errno (), number);
    }
    std::string next (int timeout_ms = watchdog_ms)
    {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        if (zlink_spot_sub_next (sub, &got, timeout_ms) != 0)
            return "error " + std::to_string (zlink_errno ());
        if (got.gap != ZLINK_SPOT_GAP_NONE)
            return "gap " + std::to_string (got.gap) + ":" + std::to_string (got.missing);
        return std::string (got.topic, got.topic_size) + "="
               + std::string (static_cast<const char *> (got.body), got.body_size);
    }
    void publish (const char *topic, std::string_view text)
    {
        ASSERT_EQ (zlink_spot_pub_send (pub, topic, text.data (), text.size ()), 0);
    }

    void *context = zlink_ctx_new ();
    void *node = zlink_spot_node_new (context);
    void *pub = zlink_spot_pub_new (node);
    void *sub = zlink_spot_sub_new (node);
};

// Subscribed, connected and heard.
void reach (void *pub, void *sub)
{
    zlink_spot_message_t got{};
    got.size = sizeof got;
    do
        ASSERT_EQ (zlink_spot_pub_send (pub, "t", "far", 3), 0);
    while (zlink_spot_sub_next (sub, &got, 20) != 0);
    EXPECT_EQ (std::string_view (got.topic, got.topic_size), "t");
    EXPECT_EQ (std::string_view (static_cast<const char *> (got.body), got.body_size), "far");
}

TEST_F (spots_api, give_what_was_published_without_copies)
{
    ASSERT_EQ (zlink_spot_sub_subscribe_glob (sub, "room.*"), 0);
    publish ("room.a", "hello");
    publish ("room.a.b", "deeper");
    publish ("room.c", "");
    EXPECT_EQ (next (), "room.a=hello");
    EXPECT_EQ (next (), "room.c=");
    EXPECT_EQ (next (0), "error " + std::to_string (EAGAIN));
    ASSERT_EQ (zlink_spot_sub_unsubscribe_glob (sub, "room.*"), 0);
    refused (EINVAL, [&] { return zlink_spot_sub_unsubscribe_glob (sub, "room.*"); });
}

TEST_F (spots_api, tell_of_gaps_and_count)
{
    ASSERT_EQ (zlink_spot_sub_set_policy (sub, ZLINK_SPOT_DROP_OLDEST, 2), 0);
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    void *const other = zlink_spot_sub_new (node);
    ASSERT_EQ (zlink_spot_sub_subscribe (other, "t"), 0);
    for (const char *const each : {"1", "2", "3", "4"})
        publish ("t", each);
    zlink_spot_message_t got{};
    got.size = sizeof got;
    for (int i = 0; i < 4; ++i)
        ASSERT_EQ (zlink_spot_sub_next (other, &got, watchdog_ms), 0);
    zlink_spot_counters_t counts{};
    counts.size = sizeof counts;
    ASSERT_EQ (zlink_spot_sub_counters (sub, &counts), 0);
    EXPECT_EQ (counts.dropped, 2u);
    EXPECT_EQ (counts.waiting, 2u);
    EXPECT_EQ (next (), "gap 1:2");
    EXPECT_EQ (next (), "t=3");
    EXPECT_EQ (next (), "t=4");
    void *gone = other;
    EXPECT_EQ (zlink_spot_sub_destroy (&gone), 0);
}

TEST_F (spots_api, let_one_thread_receive_at_a_time)
{
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    zlink_msg_t *parts = nullptr;
    std::size_t count = 0;
    std::jthread reading ([&] {
        while (zlink_spot_sub_recv (sub, &parts, &count, 0, nullptr, nullptr) != 0)
            ASSERT_EQ (zlink_errno (), EBUSY) << "the other one looked";
    });
    zlink_msg_t *none = nullptr;
    std::size_t no_count = 0;
    const auto receive = [&] {
        return zlink_spot_sub_recv (sub, &none, &no_count, ZLINK_DONTWAIT, nullptr, nullptr);
    };
    EXPECT_TRUE (zlink::test::eventually ([&] { return receive () != 0 && zlink_errno () == EBUSY; }));
    refused (EBUSY, receive);
    EXPECT_EQ (next (0), "error " + std::to_string (EBUSY));
    zlink_spot_sub_handler_fn *const nothing = [] (const char *, std::size_t, const zlink_msg_t *,
                                                   std::size_t, void *) {};
    refused (EBUSY, [&] { return zlink_spot_sub_set_handler (sub, nothing, nullptr); });
    publish ("t", "1");
    reading.join ();
    ASSERT_EQ (count, 1u);
    EXPECT_EQ (zlink_msg_size (&parts[0]), 1u);
    zlink_msgv_close (parts, count);
    ASSERT_EQ (zlink_spot_sub_set_handler (sub, nothing, nullptr), 0);
    refused (EINVAL, receive);
    ASSERT_EQ (zlink_spot_sub_set_handler (sub, nullptr, nullptr), 0);
    refused (EAGAIN, receive);
}

TEST_F (spots_api, give_handlers_messages_of_any_number_of_parts)
{
    std::atomic<std::size_t> parts{0};
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    ASSERT_EQ (zlink_spot_sub_set_handler (
                 sub,
                 [] (const char *, std::size_t, const zlink_msg_t *all, std::size_t count, void *to) {
                     for (std::size_t i = 0; i < count; ++i)
                         EXPECT_EQ (zlink_msg_size (&all[i]), i);
                     static_cast<std::atomic<std::size_t> *> (to)->fetch_add (count);
                 },
                 &parts),
               0);
    std::size_t sent = 0;
    for (const std::size_t count : {1u, 4u, 5u, 100u}) {
        std::vector<zlink_msg_t> message (count);
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ (zlink_msg_init_size (&message[i], i), 0);
        ASSERT_EQ (zlink_spot_pub_publish (pub, "t", message.data (), count, 0), 0);
        sent += count;
    }
    EXPECT_TRUE (zlink::test::eventually ([&] { return parts == sent; }));
    ASSERT_EQ (zlink_spot_sub_set_handler (sub, nullptr, nullptr), 0);
}

// A node that reads no further, and whoever publishes there with no wait.
struct full_spots_api : spots_api
{
    void SetUp () override
    {
        ASSERT_EQ (zlink_spot_sub_set_policy (sub, ZLINK_SPOT_BLOCK, 1), 0);
        ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    }
    void set (int option, int value) const
    {
        ASSERT_EQ (
          zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, option, &value, sizeof value), 0);
    }
    bool send () const { return zlink_spot_pub_send (pub, "t", "x", 1) == 0; }
    // Until the one that is published last.
    void read_all ()
    {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        const auto take = [&] {
            read += got.gap == ZLINK_SPOT_GAP_NONE;
            missing += got.missing;
            EXPECT_TRUE (got.gap == ZLINK_SPOT_GAP_NONE || got.gap == ZLINK_SPOT_GAP_PUBLISHER_FULL);
        };
        while (zlink_spot_sub_next (sub, &got, 0) == 0)
            take ();
        ASSERT_TRUE (
          zlink::test::eventually ([&] { return zlink_spot_pub_send (pub, "t", "last", 4) == 0; }));
        do {
            ASSERT_EQ (zlink_spot_sub_next (sub, &got, watchdog_ms), 0);
            take ();
        } while (got.body_size != 4);
    }

    static constexpr unsigned more_than_fits = 1'000'000;
    unsigned read = 0;
    std::uint64_t missing = 0;
};

TEST_F (full_spots_api, fail_when_they_are_to_say_so)
{
    set (ZLINK_SPOT_NODE_OPT_PUB_MODE, ZLINK_SPOT_NODE_PUB_MODE_ASYNC);
    unsigned sent = 0;
    while (sent < more_than_fits && send ())
        ++sent;
    ASSERT_LT (sent, more_than_fits);
    EXPECT_EQ (zlink_errno (), EAGAIN);
    zlink_msg_t part;
    ASSERT_EQ (zlink_msg_init_buffer (&part, "text", 4), 0);
    refused (EAGAIN, [&] { return zlink_spot_pub_publish (pub, "t", &part, 1, 0); });
    EXPECT_EQ (zlink_msg_size (&part), 4u) << "it is still ours";
    EXPECT_EQ (zlink_msg_close (&part), 0);
    read_all ();
    EXPECT_EQ (read, sent + 1);
    EXPECT_EQ (missing, 0u);
}

TEST_F (full_spots_api, drop_and_tell_else)
{
    unsigned sent = 0;
    // As they are, and ASYNC.
    for (const int mode : {ZLINK_SPOT_NODE_PUB_MODE_SYNC, ZLINK_SPOT_NODE_PUB_MODE_ASYNC}) {
        set (ZLINK_SPOT_NODE_OPT_PUB_MODE, mode);
        if (mode == ZLINK_SPOT_NODE_PUB_MODE_ASYNC)
            set (ZLINK_SPOT_NODE_OPT_PUB_QUEUE_FULL_POLICY, ZLINK_SPOT_NODE_PUB_QUEUE_FULL_DROP);
        const std::uint64_t before = missing;
        for (unsigned i = 0; i < more_than_fits; ++i, ++sent)
            ASSERT_TRUE (send ());
        read_all ();
        ++sent;
        EXPECT_GT (missing, before);
        EXPECT_EQ (read + missing, sent);
    }
    zlink_spot_counters_t counts{};
    counts.size = sizeof counts;
    ASSERT_EQ (zlink_spot_sub_counters (sub, &counts), 0);
    EXPECT_EQ (counts.dropped, missing) << "at the publisher";
}

TEST_F (spots_api, join_by_a_seed)
{
    void *far_node = zlink_spot_node_new (context);
    ASSERT_EQ (zlink_spot_node_bind (node, "tcp://127.0.0.1:*"), 0);
    ASSERT_EQ (zlink_spot_node_bind (far_node, "tcp://127.0.0.1:*"), 0);
    std::array<char, 256> where{};
    std::size_t size = where.size ();
    ASSERT_EQ (zlink_spot_node_endpoint (node, where.data (), &size), 0);
    ASSERT_EQ (zlink_spot_node_join (node, nullptr), 0);
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    ASSERT_EQ (zlink_spot_node_join (far_node, where.data ()), 0);
    ASSERT_EQ (zlink_spot_node_wait (far_node, 1, watchdog_ms), 0);
    void *far_pub = zlink_spot_pub_new (far_node);
    reach (far_pub, sub);
    EXPECT_EQ (zlink_spot_pub_destroy (&far_pub), 0);
    EXPECT_EQ (zlink_spot_node_destroy (&far_node), 0);
}

TEST_F (spots_api, go_over_every_transport)
{
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    for (const char *const where : {"tcp://127.0.0.1:*", "ipc://*", "inproc://far", "ws://127.0.0.1:*"}) {
        if (std::string_view (where).starts_with ("ws") && zlink_has ("ws") == 0)
            continue;
        SCOPED_TRACE (where);
        void *far_node = zlink_spot_node_new (context);
        void *far_pub = zlink_spot_pub_new (far_node);
        std::array<char, 256> at{};
        std::size_t size = at.size ();
        ASSERT_EQ (zlink_spot_node_bind (far_node, where), 0);
        ASSERT_EQ (zlink_spot_node_endpoint (far_node, at.data (), &size), 0);
        ASSERT_EQ (zlink_spot_node_connect_peer_pub (node, at.data ()), 0);
        reach (far_pub, sub);
        EXPECT_EQ (zlink_spot_node_disconnect_peer_pub (node, at.data ()), 0);
        EXPECT_EQ (zlink_spot_pub_destroy (&far_pub), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&far_node), 0);
    }
}

TEST_F (spots_api, go_with_curve)
{
    if (zlink_has ("curve") == 0)
        GTEST_SKIP () << "no CURVE here";
    constexpr std::size_t key = 40;
    std::array<char, key + 1> server{}, server_secret{}, client{}, client_secret{};
    ASSERT_EQ (zlink_curve_keypair (server.data (), server_secret.data ()), 0);
    ASSERT_EQ (zlink_curve_keypair (client.data (), client_secret.data ()), 0);
    void *far_node = zlink_spot_node_new (context);
    void *far_pub = zlink_spot_pub_new (far_node);
    const int yes = 1;
    const auto at_far = [&] (int option, const void *value, std::size_t size) {
        EXPECT_EQ (zlink_spot_node_setsockopt (far_node, ZLINK_SPOT_NODE_SOCKET_PUB, option, value, size), 0);
    };
    const auto here = [&] (int option, const char *value) {
        EXPECT_EQ (zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_SUB, option, value, key), 0);
    };
    at_far (ZLINK_CURVE_SERVER, &yes, sizeof yes);
    at_far (ZLINK_CURVE_SECRETKEY, server_secret.data (), key);
    here (ZLINK_CURVE_SERVERKEY, server.data ());
    here (ZLINK_CURVE_PUBLICKEY, client.data ());
    here (ZLINK_CURVE_SECRETKEY, client_secret.data ());
    std::array<char, 256> at{};
    std::size_t size = at.size ();
    ASSERT_EQ (zlink_spot_node_bind (far_node, "tcp://127.0.0.1:*"), 0);
    ASSERT_EQ (zlink_spot_node_endpoint (far_node, at.data (), &size), 0);
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    ASSERT_EQ (zlink_spot_node_connect_peer_pub (node, at.data ()), 0);
    reach (far_pub, sub);
    EXPECT_EQ (zlink_spot_pub_destroy (&far_pub), 0);
    EXPECT_EQ (zlink_spot_node_destroy (&far_node), 0);
}

std::string place_of (void *node)
{
    std::array<char, 256> where{};
    std::size_t size = where.size ();
    EXPECT_EQ (zlink_spot_node_endpoint (node, where.data (), &size), 0);
    return where.data ();
}

zlink_spot_node_counters_t counters_of (void *node)
{
    zlink_spot_node_counters_t counts{};
    counts.size = sizeof counts;
    EXPECT_EQ (zlink_spot_node_counters (node, &counts), 0);
    return counts;
}

TEST_F (spots_api, count_what_a_node_does)
{
    EXPECT_EQ (counters_of (node).nodes, 0u);
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    publish ("t", "1");
    publish ("t", "2");
    publish ("nobody", "3");
    EXPECT_EQ (next (), "t=1");
    EXPECT_EQ (next (), "t=2");
    const zlink_spot_node_counters_t now = counters_of (node);
    EXPECT_GE (now.published, 3u);
    EXPECT_EQ (now.received, 2u);
    EXPECT_EQ (now.delivered, 2u);
    for (const std::uint64_t each : {now.unwanted, now.repeated, now.malformed, now.missed, now.broken})
        EXPECT_EQ (each, 0u);
    zlink_spot_node_counters_t none{};
    refused (EINVAL, [&] { return zlink_spot_node_counters (node, &none); });
    refused (EFAULT, [&] { return zlink_spot_node_counters (node, nullptr); });
}

// Two nodes that have joined each other.
struct met
{
    explicit met (spots_api &in) : here (in.node), far (zlink_spot_node_new (in.context))
    {
        for (void *const each : {here, far})
            EXPECT_EQ (zlink_spot_node_bind (each, "tcp://127.0.0.1:*"), 0);
        EXPECT_EQ (zlink_spot_node_join (here, nullptr), 0);
        EXPECT_EQ (zlink_spot_node_join (far, place_of (here).c_str ()), 0);
        for (void *const each : {here, far})
            EXPECT_EQ (zlink_spot_node_wait (each, 1, watchdog_ms), 0);
        pub = zlink_spot_pub_new (far);
    }
    ~met ()
    {
        EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
        EXPECT_EQ (zlink_spot_node_destroy (&far), 0);
    }
    met (const met &) = delete;
    met &operator= (const met &) = delete;

    void *here, *far, *pub = nullptr;
};

TEST_F (spots_api, leave_what_they_joined)
{
    refused (ENOENT, [&] { return zlink_spot_node_leave (node, nullptr); });
    met both (*this);
    EXPECT_EQ (counters_of (node).nodes, 1u);
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    reach (both.pub, sub);
    refused (ENOENT, [&] { return zlink_spot_node_leave (both.far, "tcp://127.0.0.1:1"); });
    EXPECT_EQ (zlink_spot_node_leave (both.far, place_of (node).c_str ()), 0);
    refused (ENOENT, [&] { return zlink_spot_node_leave (both.far, place_of (node).c_str ()); });
    reach (both.pub, sub);  // as members they know each other still
    ASSERT_EQ (zlink_spot_node_leave (node, nullptr), 0);
    refused (ENOENT, [&] { return zlink_spot_node_leave (node, nullptr); });
    while (counters_of (both.far).nodes != 0)
        std::this_thread::yield ();
    ASSERT_EQ (zlink_spot_node_join (node, place_of (both.far).c_str ()), 0);
    ASSERT_EQ (zlink_spot_node_wait (both.far, 1, watchdog_ms), 0);
    reach (both.pub, sub);
}

// Blocks until it is readable.
void wait_for (zlink_fd_t descriptor)
{
    zlink_pollitem_t item{nullptr, descriptor, ZLINK_POLLIN, 0};
    ASSERT_EQ (zlink_poll (&item, 1, watchdog_ms), 1);
}

bool is_readable (zlink_fd_t descriptor)
{
    zlink_pollitem_t item{nullptr, descriptor, ZLINK_POLLIN, 0};
    return zlink_poll (&item, 1, 0) == 1;
}

TEST_F (spots_api, have_a_descriptor_that_is_readable_while_something_may_be_there)
{
    const std::string nothing = "error " + std::to_string (EAGAIN);
    zlink_fd_t at{}, again{};
    ASSERT_EQ (zlink_spot_sub_fd (sub, &at), 0);
    ASSERT_EQ (zlink_spot_sub_fd (sub, &again), 0);
    EXPECT_EQ (at, again);
    refused (EFAULT, [&] { return zlink_spot_sub_fd (sub, nullptr); });
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, "t"), 0);
    EXPECT_TRUE (is_readable (at));
    EXPECT_EQ (next (0), nothing);
    EXPECT_FALSE (is_readable (at));
    for (int round = 0; round < 100; ++round) {
        const std::string text = std::to_string (round);
        publish ("t", text);
        publish ("t", "more");
        wait_for (at);
        EXPECT_EQ (next (), "t=" + text);
        EXPECT_TRUE (is_readable (at));
        EXPECT_EQ (next (), "t=more");
        EXPECT_EQ (next (0), nothing);
        EXPECT_FALSE (is_readable (at));
    }
    // One that waited itself, and took what came.
    publish ("t", "taken");
    EXPECT_EQ (next (), "t=taken");
    EXPECT_EQ (next (1), nothing);
    EXPECT_FALSE (is_readable (at));
    EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
    wait_for (at);
    EXPECT_EQ (next (0), "error " + std::to_string (ETERM));
    EXPECT_TRUE (is_readable (at));
    node = zlink_spot_node_new (context);
}

TEST_F (spots_api, publish_no_more_once_their_node_has_ended)
{
    publish ("t", "before");
    EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
    for (const std::string &body : {std::string ("t"), std::string (20'000, 'x')})
        refused (ETERM, [&] { return zlink_spot_pub_send (pub, "t", body.data (), body.size ()); });
    std::array<zlink_msg_t, 2> parts{};
    for (zlink_msg_t &each : parts)
        ASSERT_EQ (zlink_msg_init_size (&each, 4), 0);
    refused (ETERM, [&] { return zlink_spot_pub_publish (pub, "t", parts.data (), parts.size (), 0); });
    for (zlink_msg_t &each : parts) {
        EXPECT_EQ (zlink_msg_size (&each), 4U);
        EXPECT_EQ (zlink_msg_close (&each), 0);
    }
    node = zlink_spot_node_new (context);
}

TEST_F (spots_api, warn_of_a_node_that_joins_where_nobody_can_be_sent)
{
    const zlink::test::heard_warnings warnings;
    std::array<char, 256> seed{};
    std::size_t size = seed.size ();
    ASSERT_EQ (zlink_spot_node_bind (node, "tcp://127.0.0.1:*"), 0);
    ASSERT_EQ (zlink_spot_node_endpoint (node, seed.data (), &size), 0);
    ASSERT_EQ (zlink_spot_node_join (node, nullptr), 0);
    void *hidden = zlink_spot_node_new (context);
    ASSERT_EQ (zlink_spot_node_bind (hidden, "tcp://*:*"), 0);
    ASSERT_EQ (zlink_spot_node_join (hidden, nullptr), 0);
    EXPECT_TRUE (zlink::test::heard_warnings::none ());
    ASSERT_EQ (zlink_spot_node_join (hidden, seed.data ()), 0);
    EXPECT_EQ (zlink::test::heard_warnings::find ("bound to wildcards alone").about, seed.data ());
    EXPECT_EQ (zlink_spot_node_destroy (&hidden), 0);
}

// Two that know each other from a third alone.
TEST_F (spots_api, reach_a_node_that_is_bound_to_a_wildcard_where_it_advertises)
{
    const zlink::test::heard_warnings warnings;
    const std::string seed = zlink::test::tcp_place (), place = zlink::test::tcp_place ();
    ASSERT_EQ (zlink_spot_node_bind (node, seed.c_str ()), 0);
    ASSERT_EQ (zlink_spot_node_join (node, nullptr), 0);
    std::array<void *, 2> others{zlink_spot_node_new (context), zlink_spot_node_new (context)};
    const auto advertise = [&others] (std::string_view what) {
        return zlink_spot_node_setsockopt (others[0], ZLINK_SPOT_NODE_SOCKET_NODE,
                                           ZLINK_SPOT_NODE_OPT_ADVERTISE, what.data (), what.size ());
    };
    for (const std::string_view wrong : std::initializer_list<std::string_view>{
           "", "tcp://127.0.0.1", "tcp://*:5570", "tcp://0.0.0.0:5570", "tcp://127.0.0.1:*", "prices",
           std::string_view ("tcp://127.0.0.1:5570\0", 21)})
        refused (EINVAL, [&] { return advertise (wrong); });
    ASSERT_EQ (
      zlink_spot_node_bind (others[0], ("tcp://0.0.0.0" + place.substr (place.rfind (':'))).c_str ()), 0);
    ASSERT_EQ (advertise (place), 0);
    ASSERT_EQ (zlink_spot_node_bind (others[1], "tcp://127.0.0.1:*"), 0);
    for (void *const each : others)
        ASSERT_EQ (zlink_spot_node_join (each, seed.c_str ()), 0);
    for (void *const each : others)
        EXPECT_EQ (zlink_spot_node_wait (each, 2, zlink::test::watchdog_ms), 0);
    EXPECT_TRUE (zlink::test::heard_warnings::none ());
    for (void *each : others)
        EXPECT_EQ (zlink_spot_node_destroy (&each), 0);
}

// Where it is bound is not what is listed of it.
TEST_F (spots_api, do_not_read_themselves_once_more_where_they_are_registered)
{
    const std::string place = zlink::test::tcp_place ();
    void *registry = zlink_registry_new (context),
         *discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_SPOT),
         *other = zlink_spot_node_new (context);
    void *far_away = zlink_spot_sub_new (other);
    for (void *const each : {sub, far_away})
        ASSERT_EQ (zlink_spot_sub_subscribe (each, "t"), 0);
    ASSERT_EQ (zlink_registry_bind (registry, place.c_str ()), 0);
    ASSERT_EQ (zlink_discovery_subscribe (discovery, ""), 0);
    ASSERT_EQ (zlink_discovery_connect_registry (discovery, place.c_str ()), 0);
    for (void *const each : {node, other}) {
        ASSERT_EQ (zlink_spot_node_bind (each, "tcp://*:*"), 0);
        ASSERT_EQ (zlink_spot_node_connect_registry (each, place.c_str ()), 0);
        ASSERT_EQ (zlink_spot_node_register (each, nullptr, nullptr), 0);
        ASSERT_EQ (zlink_spot_node_set_discovery (each, discovery, nullptr), 0);
        ASSERT_EQ (
          zlink_discovery_wait (discovery, "spot-node", each == node ? 1 : 2, zlink::test::watchdog_ms), 0);
    }
    reach (pub, far_away);
    for (std::string heard = next (); heard != "t=last"; heard = next ()) {
        ASSERT_EQ (heard, "t=far");
        publish ("t", "last");
    }
    zlink_spot_node_counters_t counters{};
    counters.size = sizeof counters;
    EXPECT_EQ (zlink_spot_node_counters (node, &counters), 0);
    EXPECT_EQ (counters.repeated, 0U);
    EXPECT_EQ (zlink_spot_sub_destroy (&far_away), 0);
    EXPECT_EQ (zlink_spot_node_destroy (&other), 0);
    EXPECT_EQ (zlink_spot_node_set_discovery (node, nullptr, nullptr), 0);
    EXPECT_EQ (zlink_discovery_destroy (&discovery), 0);
    EXPECT_EQ (zlink_registry_destroy (&registry), 0);
}

TEST_F (spots_api, wait_for_many_subscribers_and_a_socket_in_one_poller)
{
    met both (*this);
    void *others[2] = {zlink_spot_sub_new (node), zlink_spot_sub_new (node)};
    void *poller = zlink_poller_new ();
    zlink_fd_t at[2]{};
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ (zlink_spot_sub_fd (others[i], &at[i]), 0);
        ASSERT_EQ (zlink_poller_add_fd (poller, at[i], others[i], ZLINK_POLLIN), 0);
        ASSERT_EQ (zlink_spot_sub_subscribe (others[i], i == 0 ? "a" : "b"), 0);
    }
    void *const pull = zlink_socket (context, ZLINK_PULL);
    ASSERT_EQ (zlink_bind (pull, "inproc://beside"), 0);
    ASSERT_EQ (zlink_poller_add (poller, pull, nullptr, ZLINK_POLLIN), 0);
    const auto drain = [] (void *from, std::string &to) {
        zlink_spot_message_t got{};
        got.size = sizeof got;
        while (zlink_spot_sub_next (from, &got, 0) == 0)
            to.append (got.topic, got.topic_size);
    };
    std::string heard[2];
    while (heard[0].empty () || heard[1].empty ()) {
        for (const char *const each : {"a", "b"})
            ASSERT_EQ (zlink_spot_pub_send (both.pub, each, "x", 1), 0);
        zlink_poller_event_t event{};
        if (zlink_poller_wait (poller, &event, 20) != 0)
            continue;  // the topics have to get around
        ASSERT_NE (event.user_data, nullptr);
        drain (event.user_data, heard[event.user_data == others[1]]);
    }
    EXPECT_EQ (heard[0].find ('b'), std::string::npos);
    EXPECT_EQ (heard[1].find ('a'), std::string::npos);
    EXPECT_EQ (zlink_poller_destroy (&poller), 0);
    EXPECT_EQ (zlink_close (pull), 0);
    for (void *&each : others)
        EXPECT_EQ (zlink_spot_sub_destroy (&each), 0);
}

TEST_F (spots_api, list_the_topics_that_a_node_knows)
{
    using texts = std::vector<std::string>;
    const auto list = [&] {
        texts all;
        const auto note = [] (const zlink_spot_topic_t *each, void *hint) {
            static_cast<texts *> (hint)->push_back (
              std::to_string (each->kind) + ":" + each->name + " " + std::to_string (each->wanted) + " "
              + std::to_string (each->partitions) + " " + std::to_string (each->owned_here));
        };
        EXPECT_EQ (zlink_spot_node_visit_topics (node, note, &all), 0);
        return all;
    };
    EXPECT_TRUE (list ().empty ());
    void *other = zlink_spot_sub_new (node);
    for (void *const each : {sub, other})
        ASSERT_EQ (zlink_spot_sub_subscribe (each, "t"), 0);
    ASSERT_EQ (zlink_spot_sub_subscribe_pattern (sub, "room.*"), 0);
    ASSERT_EQ (zlink_spot_sub_subscribe_glob (sub, "log.#"), 0);
    ASSERT_EQ (zlink_spot_node_declare (node, "prices", 3), 0);
    EXPECT_EQ (list (), (texts{"0:prices 0 3 0", "1:t 2 0 0", "2:room. 1 0 0", "3:log.# 1 0 0"}));
    EXPECT_EQ (zlink_spot_sub_destroy (&other), 0);
    ASSERT_EQ (zlink_spot_sub_unsubscribe (sub, "room.*"), 0);
    EXPECT_EQ (list (), (texts{"0:prices 0 3 0", "1:t 1 0 0", "3:log.# 1 0 0"}));
    refused (EFAULT, [&] { return zlink_spot_node_visit_topics (node, nullptr, nullptr); });
}

TEST_F (spots_api, refuse_what_cannot_be)
{
    refused (EINVAL, [&] { return zlink_spot_sub_subscribe (sub, ""); });
    refused (EINVAL, [&] { return zlink_spot_sub_subscribe (sub, nullptr); });
    refused (EINVAL, [&] { return zlink_spot_sub_subscribe_pattern (sub, nullptr); });
    refused (EINVAL, [&] { return zlink_spot_sub_subscribe_pattern (sub, "a*b"); });
    refused (EINVAL, [&] { return zlink_spot_sub_subscribe_glob (sub, "[a"); });
    refused (EINVAL, [&] { return zlink_spot_sub_set_policy (sub, 5, 0); });
    refused (EINVAL, [&] { return zlink_spot_pub_send (pub, "", "x", 1); });
    refused (EFAULT, [&] { return zlink_spot_pub_send (pub, "t", nullptr, 1); });
    refused (EINVAL, [&] { return zlink_spot_node_bind (node, nullptr); });
    refused (ENOENT, [&] { return zlink_spot_node_unregister (node, "nobody"); });
    refused (ENOENT, [&] { return zlink_spot_node_disconnect_peer_pub (node, "tcp://127.0.0.1:1"); });
    refused (ETIMEDOUT, [&] { return zlink_spot_node_wait (node, 1, 1); });
    int number = 2;
    refused (EINVAL, [&] {
        return zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, ZLINK_SPOT_NODE_OPT_PUB_MODE,
                                           &number, sizeof number);
    });
    refused (EINVAL,
             [&] { return zlink_spot_node_setsockopt (node, 5, ZLINK_BACKLOG, &number, sizeof number); });
    zlink_spot_message_t got{};
    refused (EINVAL, [&] { return zlink_spot_sub_next (sub, &got, 0); });
}

}  // namespace
}  // namespace zlink::service::test
