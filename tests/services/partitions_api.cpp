// Partitioned topics through zlink.h: order, late comers, owners, and what is refused.
#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr int watchdog_ms = 60'000;
constexpr const char *topic = "prices";

struct partitions_api : testing::Test
{
    // A node that may own partitions, publishes and is joined by others.
    struct place
    {
        place (partitions_api &in, std::uint32_t partitions, const char *where = "tcp://127.0.0.1:*")
          : node (zlink_spot_node_new (in.context)), pub (zlink_spot_pub_new (node))
        {
            EXPECT_EQ (zlink_spot_node_add_grantor (node, in.books_at.c_str ()), 0);
            EXPECT_EQ (zlink_spot_node_bind (node, where), 0);
            std::array<char, 256> text{};
            std::size_t size = text.size ();
            EXPECT_EQ (zlink_spot_node_endpoint (node, text.data (), &size), 0);
            endpoint = text.data ();
            EXPECT_EQ (zlink_spot_node_declare (node, topic, partitions), 0);
        }
        ~place () { close (); }
        place (const place &) = delete;
        place &operator= (const place &) = delete;
        void close ()
        {
            if (node == nullptr)
                return;
            EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
            EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
        }
        [[nodiscard]] zlink_spot_place_t publish (std::string_view key, std::string_view text) const
        {
            zlink_spot_place_t at{};
            at.size = sizeof at;
            EXPECT_EQ (zlink_spot_pub_send_key (pub, topic, key.data (), key.size (), text.data (),
                                                text.size (), &at, watchdog_ms),
                       0)
              << zlink_errno ();
            return at;
        }
        [[nodiscard]] zlink_spot_partition_t state (std::uint32_t partition = 0) const
        {
            zlink_spot_partition_t now{};
            now.size = sizeof now;
            EXPECT_EQ (zlink_spot_node_partition (node, topic, partition, &now), 0);
            return now;
        }

        void *node;
        void *pub;
        std::string endpoint;
    };

    // A reader, and what came to it last.
    struct view
    {
        view (const place &of, int from, std::uint64_t value = 0)
          : reader (zlink_spot_reader_new (of.node, topic, from, value))
        {
            EXPECT_NE (reader, nullptr) << zlink_errno ();
            event.size = sizeof event;
        }
        ~view () { EXPECT_EQ (zlink_spot_reader_destroy (&reader), 0); }
        view (const view &) = delete;
        view &operator= (const view &) = delete;
        // The next of a kind.
        bool next (int kind)
        {
            while (zlink_spot_reader_next (reader, &event, watchdog_ms) == 0)
                if (event.kind == kind)
                    return true;
            ADD_FAILURE () << "error " << zlink_errno ();
            return false;
        }
        std::string body ()
        {
            return next (ZLINK_SPOT_EVENT_MESSAGE)
                     ? std::string (static_cast<const char *> (event.body), event.body_size)
                     : "(none)";
        }
        void *reader;
        zlink_spot_event_t event{};
    };

    partitions_api ()
    {
        EXPECT_EQ (zlink_registry_bind (books, "tcp://127.0.0.1:*"), 0);
        std::array<char, 256> text{};
        std::size_t size = text.size ();
        EXPECT_EQ (zlink_registry_endpoint (books, text.data (), &size), 0);
        books_at = text.data ();
    }
    ~partitions_api () override
    {
        EXPECT_EQ (zlink_registry_destroy (&books), 0);
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }
    static void join (const place &seed, const place &who)
    {
        ASSERT_EQ (zlink_spot_node_join (seed.node, nullptr), 0);
        ASSERT_EQ (zlink_spot_node_join (who.node, seed.endpoint.c_str ()), 0);
        ASSERT_EQ (zlink_spot_node_wait (seed.node, 1, watchdog_ms), 0);
        ASSERT_EQ (zlink_spot_node_wait (who.node, 1, watchdog_ms), 0);
    }
    static void refused (int number, const std::function<int ()> &call)
    {
        errno = 0;
        EXPECT_EQ (call (), -1);
        EXPECT_EQ (zlink_errno (), number);
    }

    void *context = zlink_ctx_new ();
    void *books = zlink_registry_new (context);
    std::string books_at;
};

TEST_F (partitions_api, give_every_reader_one_order_and_late_ones_what_they_ask_for)
{
    const place one (*this, 1), two (*this, 1);
    join (one, two);
    ASSERT_EQ (one.publish ("k", "0").sequence, 1u);
    view here (one, ZLINK_SPOT_FROM_LAST, 1), there (two, ZLINK_SPOT_FROM_LAST, 1);
    EXPECT_EQ (here.body (), "0");
    EXPECT_EQ (there.body (), "0");
    std::uint64_t epoch = 0;
    for (int i = 1; i <= 10; ++i) {
        const zlink_spot_place_t at = (i % 2 == 0 ? one : two).publish ("key", std::to_string (i));
        EXPECT_EQ (at.sequence, static_cast<std::uint64_t> (i) + 1);
        EXPECT_EQ (at.partition, 0u);
        epoch = at.epoch;
    }
    for (int i = 1; i <= 10; ++i)
        for (view *const each : {&here, &there}) {
            EXPECT_EQ (each->body (), std::to_string (i));
            EXPECT_EQ (each->event.sequence, static_cast<std::uint64_t> (i) + 1);
            EXPECT_EQ (each->event.epoch, epoch);
            EXPECT_EQ (std::string_view (static_cast<const char *> (each->event.key), each->event.key_size),
                       "key");
            EXPECT_EQ (each->event.node, (i % 2 == 0 ? one : two).state ().node);
        }
    view last (two, ZLINK_SPOT_FROM_LAST, 2), all (one, ZLINK_SPOT_FROM_SEQUENCE, 3),
      fresh (two, ZLINK_SPOT_FROM_NOW);
    EXPECT_EQ (last.body (), "9");
    EXPECT_EQ (last.event.behind, 1u);
    EXPECT_EQ (all.body (), "2");
    // It has begun once something comes.
    zlink_spot_event_t *const event = &fresh.event;
    int tries = 0;
    do
        (void)one.publish ("k", "new " + std::to_string (++tries));
    while (zlink_spot_reader_next (fresh.reader, event, 50) != 0 || event->kind != ZLINK_SPOT_EVENT_MESSAGE);
    EXPECT_GT (event->sequence, 11u);
}

TEST_F (partitions_api, know_who_owns_what_and_tell_when_that_changes)
{
    const place stays (*this, 1);
    place leaves (*this, 1);
    join (stays, leaves);
    // Whoever owns it now, in the end the one that stays does.
    ASSERT_EQ (leaves.publish ("k", "before").sequence, 1u);
    view reader (stays, ZLINK_SPOT_FROM_LAST, 1);
    EXPECT_EQ (reader.body (), "before");
    const zlink_spot_partition_t before = stays.state ();
    const std::uint64_t gone = leaves.state ().node;
    EXPECT_TRUE (before.owner == before.node || before.owner == gone);
    EXPECT_EQ (before.owned_here, before.owner == before.node ? 1u : 0u);
    EXPECT_EQ (before.last, 1u);
    leaves.close ();
    EXPECT_EQ (stays.publish ("k", "after").sequence, 2u);
    if (before.owner == gone) {
        while (reader.next (ZLINK_SPOT_EVENT_OWNER) && reader.event.node != before.node) {}
        EXPECT_GT (reader.event.epoch, before.epoch);
        ASSERT_TRUE (reader.next (ZLINK_SPOT_EVENT_EPOCH));
        EXPECT_EQ (reader.event.loss_possible, 0u) << "it has handed over";
        EXPECT_EQ (reader.event.last, 1u);
        EXPECT_EQ (reader.event.sequence, 2u);
    }
    EXPECT_EQ (reader.body (), "after");
    EXPECT_EQ (stays.state ().owned_here, 1u);
    EXPECT_EQ (stays.state ().owner, before.node);
}

TEST_F (partitions_api, tell_a_handler_and_a_descriptor)
{
    const place here (*this, 2);
    struct heard
    {
        std::mutex lock;
        std::condition_variable news;
        std::vector<std::string> texts;
    } told;
    const auto note = [] (const zlink_spot_event_t *event, void *hint) {
        if (event->kind != ZLINK_SPOT_EVENT_MESSAGE)
            return;
        auto &to = *static_cast<heard *> (hint);
        const std::lock_guard guard (to.lock);
        to.texts.emplace_back (static_cast<const char *> (event->body), event->body_size);
        to.news.notify_one ();
    };
    const auto wait_for = [&] (std::size_t count) {
        std::unique_lock guard (told.lock);
        told.news.wait (guard, [&] { return told.texts.size () >= count; });
    };
    view by_handler (here, ZLINK_SPOT_FROM_SEQUENCE, 1), by_descriptor (here, ZLINK_SPOT_FROM_SEQUENCE, 1);
    ASSERT_EQ (zlink_spot_reader_set_handler (by_handler.reader, note, &told), 0);
    refused (EINVAL, [&] { return zlink_spot_reader_next (by_handler.reader, &by_handler.event, 0); });
    zlink_fd_t at{};
    ASSERT_EQ (zlink_spot_reader_fd (by_descriptor.reader, &at), 0);
    refused (EFAULT, [&] { return zlink_spot_reader_fd (by_descriptor.reader, nullptr); });
    for (int round = 0; round < 5; ++round) {
        const std::string text = std::to_string (round);
        (void)here.publish ("k", text);
        wait_for (static_cast<std::size_t> (round) + 1);
        std::string got;
        while (got.empty ()) {
            zlink_pollitem_t item{nullptr, at, ZLINK_POLLIN, 0};
            ASSERT_EQ (zlink_poll (&item, 1, watchdog_ms), 1);
            zlink_spot_event_t &event = by_descriptor.event;
            while (zlink_spot_reader_next (by_descriptor.reader, &event, 0) == 0)
                if (event.kind == ZLINK_SPOT_EVENT_MESSAGE)
                    got.append (static_cast<const char *> (event.body), event.body_size);
            ASSERT_EQ (zlink_errno (), EAGAIN);
        }
        EXPECT_EQ (got, text);
    }
    EXPECT_EQ (told.texts, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
    ASSERT_EQ (zlink_spot_reader_set_handler (by_handler.reader, nullptr, nullptr), 0);
    (void)here.publish ("k", "5");
    EXPECT_EQ (by_handler.body (), "5");
    ASSERT_EQ (zlink_spot_reader_set_handler (by_handler.reader, note, &told), 0);
}

// What handlers of publishes were told.
struct placed
{
    static void note (int error, const zlink_spot_place_t *place, void *hint)
    {
        auto &to = *static_cast<placed *> (hint);
        const std::lock_guard guard (to.lock);
        EXPECT_EQ (place == nullptr, error != 0);
        to.errors.push_back (error);
        to.numbers.push_back (place == nullptr ? 0 : place->sequence);
        to.news.notify_one ();
    }
    void wait_for (std::size_t count)
    {
        std::unique_lock guard (lock);
        news.wait (guard, [&] { return errors.size () >= count; });
    }

    std::mutex lock;
    std::condition_variable news;
    std::vector<int> errors;
    std::vector<std::uint64_t> numbers;
};

TEST_F (partitions_api, publish_without_waiting)
{
    place one (*this, 1), other (*this, 1);
    join (one, other);
    view reads (one, ZLINK_SPOT_FROM_SEQUENCE, 1);
    for (const place *const by : {&one, &other}) {  // one of them owns it
        placed told;
        for (int i = 0; i < 20; ++i) {
            const std::string text = std::to_string (i);
            ASSERT_EQ (zlink_spot_pub_send_key_async (by->pub, topic, "k", 1, text.data (), text.size (),
                                                      watchdog_ms, placed::note, &told),
                       0);
        }
        told.wait_for (20);
        EXPECT_EQ (told.errors, std::vector<int> (20, 0));
        std::ranges::sort (told.numbers);
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ (reads.body (), std::to_string (i));
            EXPECT_EQ (reads.event.sequence, told.numbers[static_cast<std::size_t> (i)]);
        }
    }
    const auto refuse = [&] (const char *to, zlink_spot_place_fn *handler) {
        return zlink_spot_pub_send_key_async (one.pub, to, "k", 1, "x", 1, 0, handler, nullptr);
    };
    refused (EFAULT, [&] { return refuse (topic, nullptr); });
    refused (EINVAL, [&] { return refuse ("other", placed::note); });
}

TEST_F (partitions_api, tell_who_does_not_wait_that_it_was_not_numbered)
{
    void *node = zlink_spot_node_new (context);
    void *pub = zlink_spot_pub_new (node);
    ASSERT_EQ (zlink_spot_node_declare (node, topic, 1), 0);
    placed told;
    const auto publish = [&] (int timeout_ms) {
        return zlink_spot_pub_send_key_async (pub, topic, "k", 1, "x", 1, timeout_ms, placed::note, &told);
    };
    ASSERT_EQ (publish (1), 0);
    told.wait_for (1);
    EXPECT_EQ (told.errors, std::vector<int>{EHOSTUNREACH});
    int sent = 0;
    while (publish (-1) == 0)
        ++sent;
    EXPECT_EQ (zlink_errno (), EAGAIN);
    EXPECT_EQ (sent, 64);
    EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
    EXPECT_EQ (told.errors.size (), 65u);
    EXPECT_EQ (told.errors.back (), ETERM);
    refused (ETERM, [&] { return publish (-1); });
    EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
}

TEST_F (partitions_api, tell_of_gaps)
{
    void *const node = zlink_spot_node_new (context);
    void *const pub = zlink_spot_pub_new (node);
    const int few = 4;
    ASSERT_EQ (zlink_spot_node_add_grantor (node, books_at.c_str ()), 0);
    ASSERT_EQ (zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE,
                                           ZLINK_SPOT_NODE_OPT_RING_MESSAGES, &few, sizeof few),
               0);
    ASSERT_EQ (zlink_spot_node_declare (node, topic, 1), 0);
    for (int i = 0; i < 10; ++i)
        ASSERT_EQ (zlink_spot_pub_send_key (pub, topic, "k", 1, "x", 1, nullptr, watchdog_ms), 0);
    void *reader = zlink_spot_reader_new (node, topic, ZLINK_SPOT_FROM_SEQUENCE, 3);
    zlink_spot_event_t event{};
    event.size = sizeof event;
    ASSERT_EQ (zlink_spot_reader_next (reader, &event, watchdog_ms), 0);
    EXPECT_EQ (event.kind, ZLINK_SPOT_EVENT_GAP);
    EXPECT_EQ (event.sequence, 3u);
    EXPECT_EQ (event.last, 6u);
    ASSERT_EQ (zlink_spot_reader_next (reader, &event, watchdog_ms), 0);
    EXPECT_EQ (event.kind, ZLINK_SPOT_EVENT_MESSAGE);
    EXPECT_EQ (event.sequence, 7u);
    EXPECT_EQ (event.behind, 3u);
    void *gone = node, *no_pub = pub;
    EXPECT_EQ (zlink_spot_node_destroy (&gone), 0);
    // What had come is there, and that nobody owns it any more.
    std::array<int, ZLINK_SPOT_EVENT_OWNER + 1> came{};
    while (zlink_spot_reader_next (reader, &event, watchdog_ms) == 0)
        ++came.at (static_cast<std::size_t> (event.kind));
    EXPECT_EQ (came[ZLINK_SPOT_EVENT_MESSAGE], 3);
    EXPECT_EQ (came[ZLINK_SPOT_EVENT_OWNER], 1);
    refused (ETERM, [&] { return zlink_spot_reader_next (reader, &event, watchdog_ms); });
    refused (ETERM, [&] { return zlink_spot_pub_send_key (pub, topic, "k", 1, "x", 1, nullptr, -1); });
    EXPECT_EQ (zlink_spot_reader_destroy (&reader), 0);
    EXPECT_EQ (zlink_spot_pub_destroy (&no_pub), 0);
}

TEST_F (partitions_api, go_to_readers_alone_and_what_has_no_key_to_subscribers)
{
    const place here (*this, 1);
    void *sub = zlink_spot_sub_new (here.node);
    ASSERT_EQ (zlink_spot_sub_subscribe (sub, topic), 0);
    view reader (here, ZLINK_SPOT_FROM_SEQUENCE, 1);
    (void)here.publish ("k", "1");
    ASSERT_EQ (zlink_spot_pub_send (here.pub, topic, "plain", 5), 0);
    (void)here.publish ("k", "2");
    EXPECT_EQ (reader.body (), "1");
    EXPECT_EQ (reader.body (), "2");
    zlink_spot_message_t got{};
    got.size = sizeof got;
    ASSERT_EQ (zlink_spot_sub_next (sub, &got, watchdog_ms), 0);
    EXPECT_EQ (std::string_view (static_cast<const char *> (got.body), got.body_size), "plain");
    EXPECT_EQ (zlink_spot_sub_next (sub, &got, 0), -1) << "that was all";
    EXPECT_EQ (zlink_errno (), EAGAIN);
    EXPECT_EQ (zlink_spot_sub_destroy (&sub), 0);
}

TEST_F (partitions_api, go_over_every_transport_with_any_size)
{
    const std::string large (200'000, 'L');  // all of them stand in a ring, for a reader that is late
    for (const char *const where : {"tcp://127.0.0.1:*", "ipc://*", "inproc://"}) {
        SCOPED_TRACE (where);
        const bool inside = std::string_view (where).starts_with ("inproc");
        const place one (*this, 2, inside ? "inproc://one" : where),
          two (*this, 2, inside ? "inproc://two" : where);
        join (one, two);
        view here (one, ZLINK_SPOT_FROM_SEQUENCE, 1), there (two, ZLINK_SPOT_FROM_SEQUENCE, 1);
        const std::vector<std::string> bodies = {"", std::string (5'000, 's'), large};
        for (const std::string &each : bodies)
            for (const place *const by : {&one, &two})
                EXPECT_EQ (by->publish ("one key", each).partition, one.publish ("one key", each).partition);
        for (const std::string &each : bodies)
            for (int i = 0; i < 4; ++i) {
                EXPECT_EQ (here.body (), each);
                EXPECT_EQ (there.body (), each);
            }
    }
}

TEST_F (partitions_api, say_what_became_of_it_without_an_owner)
{
    void *node = zlink_spot_node_new (context);
    void *pub = zlink_spot_pub_new (node);
    refused (EINVAL, [&] { return zlink_spot_pub_send_key (pub, topic, "k", 1, "x", 1, nullptr, 0); });
    ASSERT_EQ (zlink_spot_node_declare (node, topic, 3), 0) << "nobody grants it anything";
    ASSERT_EQ (zlink_spot_node_declare (node, topic, 3), 0) << "again";
    refused (EHOSTUNREACH, [&] { return zlink_spot_pub_send_key (pub, topic, "k", 1, "x", 1, nullptr, 0); });
    refused (EHOSTUNREACH, [&] { return zlink_spot_pub_send_key (pub, topic, "k", 1, "x", 1, nullptr, 20); });
    zlink_spot_partition_t state{};
    state.size = sizeof state;
    ASSERT_EQ (zlink_spot_node_partition (node, topic, 2, &state), 0);
    EXPECT_EQ (state.owner, 0u);
    EXPECT_EQ (state.epoch, 0u);
    EXPECT_NE (state.node, 0u);
    EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
    EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
}

TEST_F (partitions_api, refuse_what_cannot_be)
{
    void *node = zlink_spot_node_new (context);
    void *pub = zlink_spot_pub_new (node);
    zlink_spot_partition_t state{};
    state.size = sizeof state;
    refused (ENOENT, [&] { return zlink_spot_node_partition (node, topic, 0, &state); });
    refused (EINVAL, [&] { return zlink_spot_node_add_grantor (node, nullptr); });
    refused (EINVAL, [&] { return zlink_spot_node_add_grantor (node, "nothing"); });
    refused (EINVAL, [&] { return zlink_spot_node_declare (node, nullptr, 1); });
    refused (EINVAL, [&] { return zlink_spot_node_declare (node, topic, 0); });
    refused (EINVAL, [&] { return zlink_spot_node_declare (node, topic, 65'537); });
    EXPECT_EQ (zlink_spot_reader_new (node, topic, ZLINK_SPOT_FROM_NOW, 0), nullptr);
    EXPECT_EQ (zlink_errno (), EINVAL) << "it is not declared";
    ASSERT_EQ (zlink_spot_node_declare (node, topic, 2), 0);
    refused (EINVAL, [&] { return zlink_spot_node_declare (node, topic, 3); });
    refused (EFSM, [&] { return zlink_spot_node_add_grantor (node, books_at.c_str ()); });
    refused (ENOENT, [&] { return zlink_spot_node_partition (node, topic, 2, &state); });
    refused (ENOENT, [&] { return zlink_spot_node_partition (node, "other", 0, &state); });
    refused (EFAULT, [&] { return zlink_spot_node_partition (node, topic, 0, nullptr); });
    state.size = 1;
    refused (EINVAL, [&] { return zlink_spot_node_partition (node, topic, 0, &state); });
    zlink_spot_place_t at{};
    const std::string long_key (65'536, 'k');
    refused (EINVAL, [&] { return zlink_spot_pub_send_key (pub, topic, "k", 1, "x", 1, &at, 0); });
    refused (EINVAL, [&] { return zlink_spot_pub_send_key (pub, "other", "k", 1, "x", 1, nullptr, 0); });
    refused (EINVAL, [&] { return zlink_spot_pub_send_key (pub, nullptr, "k", 1, "x", 1, nullptr, 0); });
    refused (EFAULT, [&] { return zlink_spot_pub_send_key (pub, topic, nullptr, 1, "x", 1, nullptr, 0); });
    refused (EFAULT, [&] { return zlink_spot_pub_send_key (pub, topic, "k", 1, nullptr, 1, nullptr, 0); });
    refused (EINVAL, [&] {
        return zlink_spot_pub_send_key (pub, topic, long_key.data (), long_key.size (), "x", 1, nullptr, 0);
    });
    for (const int from : {-1, 3}) {
        EXPECT_EQ (zlink_spot_reader_new (node, topic, from, 0), nullptr);
        EXPECT_EQ (zlink_errno (), EINVAL);
    }
    void *reader = zlink_spot_reader_new (node, topic, ZLINK_SPOT_FROM_NOW, 0);
    zlink_spot_event_t event{};
    refused (EINVAL, [&] { return zlink_spot_reader_next (reader, &event, 0); });
    refused (EFAULT, [&] { return zlink_spot_reader_next (reader, nullptr, 0); });
    event.size = sizeof event;
    refused (EAGAIN, [&] { return zlink_spot_reader_next (reader, &event, 0); });
    refused (EAGAIN, [&] { return zlink_spot_reader_next (reader, &event, 1); });
    for (const auto &[option, value] : {std::pair{ZLINK_SPOT_NODE_OPT_OWNS, 2},
                                        {ZLINK_SPOT_NODE_OPT_RING_MESSAGES, 0},
                                        {ZLINK_SPOT_NODE_OPT_RING_BYTES, -1},
                                        {ZLINK_SPOT_NODE_OPT_READER_HWM, 0},
                                        {ZLINK_SPOT_NODE_OPT_READER_HWM + 1, 1}})
        refused (EINVAL, [&, option = option, value = value] {
            return zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, option, &value,
                                               sizeof value);
        });
    EXPECT_EQ (zlink_spot_reader_destroy (&reader), 0);
    EXPECT_EQ (zlink_spot_pub_destroy (&pub), 0);
    EXPECT_EQ (zlink_spot_node_destroy (&node), 0);
}

}  // namespace
}  // namespace zlink::service::test
