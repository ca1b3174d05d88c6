// Gateways and receivers through zlink.h: what is answered, and what is refused.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr int watchdog_ms = 30'000;

struct gateways_api : testing::Test
{
    gateways_api ()
    {
        where = bound (receiver, "tcp://127.0.0.1:*");
        zlink_msg_init_buffer (&part, "question", 8);
        options.size = sizeof options;
        options.timeout_ms = watchdog_ms;
    }
    ~gateways_api () override
    {
        zlink_msg_close (&part);
        EXPECT_EQ (zlink_gateway_destroy (&gateway), 0);
        EXPECT_EQ (zlink_receiver_destroy (&receiver), 0);
        EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0);
    }
    static std::array<char, 256> bound (void *which, const char *endpoint)
    {
        std::array<char, 256> at{};
        EXPECT_EQ (zlink_receiver_bind (which, endpoint), 0);
        std::size_t size = at.size ();
        EXPECT_EQ (zlink_receiver_endpoint (which, at.data (), &size), 0);
        return at;
    }
    void know ()
    {
        ASSERT_EQ (zlink_receiver_register (receiver, "calc", nullptr, 1), 0);
        const char *const endpoints[] = {where.data ()};
        ASSERT_EQ (zlink_gateway_set_providers (gateway, "calc", endpoints, nullptr, 1), 0);
    }
    // A message that wants no reply has come, with that body.
    static void comes (void *to, const char *service, const std::string &body)
    {
        zlink_request_t *got = nullptr;
        ASSERT_EQ (zlink_receiver_recv (to, &got, watchdog_ms), 0);
        EXPECT_EQ (zlink_request_one_way (got), 1);
        EXPECT_STREQ (zlink_request_service (got), service);
        std::size_t count = 0;
        zlink_msg_t *const parts = zlink_request_parts (got, &count);
        ASSERT_EQ (count, 1u);
        EXPECT_EQ (
          std::string_view (static_cast<const char *> (zlink_msg_data (parts)), zlink_msg_size (parts)),
          body);
        zlink_request_close (&got);
    }
    int request () { return zlink_gateway_request (gateway, "calc", &part, 1, &options, &reply); }
    // The call fails with that number.
    template <class Call> static void refused (int number, Call call)
    {
        errno = 0;
        EXPECT_EQ (call (), -1);
        EXPECT_EQ (zlink_errno (), number);
    }

    void *context = zlink_ctx_new ();
    void *receiver = zlink_receiver_new (context, "at");
    void *gateway = zlink_gateway_new (context, nullptr, "by");
    std::array<char, 256> where{};
    zlink_msg_t part{};
    zlink_request_options_t options{};
    zlink_reply_t reply{};
};

TEST_F (gateways_api, refuse_what_is_no_handle)
{
    char rest[64] = {};
    for (void *const bad : {static_cast<void *> (nullptr), static_cast<void *> (rest), receiver}) {
        refused (EFAULT, [&] { return zlink_gateway_set_providers (bad, "calc", nullptr, nullptr, 0); });
        refused (EFAULT, [&] { return zlink_gateway_set_lb_strategy (bad, "calc", 0); });
        refused (EFAULT, [&] { return zlink_gateway_connection_count (bad, "calc"); });
        refused (EFAULT, [&] { return zlink_gateway_request (bad, "calc", &part, 1, nullptr, &reply); });
        refused (EFAULT, [&] { return zlink_gateway_cancel (bad, 1); });
        refused (EFAULT, [&] { return zlink_gateway_send (bad, "calc", &part, 1, 0); });
        refused (EFAULT, [&] { return zlink_gateway_send_buffer (bad, "calc", "x", 1, 0); });
        EXPECT_EQ (zlink_gateway_router (bad), nullptr);
        EXPECT_EQ (zlink_errno (), EFAULT);
    }
    for (void *const bad : {static_cast<void *> (nullptr), static_cast<void *> (rest), gateway}) {
        zlink_request_t *request = nullptr;
        refused (EFAULT, [&] { return zlink_receiver_bind (bad, "inproc://x"); });
        refused (EFAULT, [&] { return zlink_receiver_register (bad, "calc", nullptr, 1); });
        refused (EFAULT, [&] { return zlink_receiver_recv (bad, &request, 0); });
        refused (EFAULT, [&] { return zlink_receiver_drain (bad, 0); });
        EXPECT_EQ (zlink_receiver_router (bad), nullptr);
        EXPECT_EQ (zlink_errno (), EFAULT);
    }
    void *none = nullptr;
    refused (EFAULT, [&] { return zlink_gateway_destroy (&none); });
    refused (EFAULT, [&] { return zlink_gateway_destroy (nullptr); });
    refused (EFAULT, [&] { return zlink_receiver_destroy (&none); });
    EXPECT_EQ (zlink_gateway_new (gateway, nullptr, nullptr), nullptr);
    EXPECT_EQ (zlink_errno (), EFAULT);
    EXPECT_EQ (zlink_gateway_new (context, receiver, nullptr), nullptr);
    EXPECT_EQ (zlink_errno (), EFAULT);
    EXPECT_EQ (zlink_receiver_new (rest, nullptr), nullptr);
    EXPECT_EQ (zlink_errno (), EFAULT);
}

TEST_F (gateways_api, refuse_what_cannot_be)
{
    const char *const no_endpoint[] = {nullptr};
    refused (EINVAL, [&] { return zlink_gateway_set_providers (gateway, "calc", no_endpoint, nullptr, 1); });
    refused (EFAULT, [&] { return zlink_gateway_set_providers (gateway, "calc", nullptr, nullptr, 1); });
    refused (EINVAL, [&] { return zlink_gateway_set_providers (gateway, "", nullptr, nullptr, 0); });
    refused (EINVAL, [&] { return zlink_gateway_set_lb_strategy (gateway, "calc", 5); });
    refused (EINVAL, [&] { return zlink_gateway_set_lb_strategy (gateway, "calc", -1); });
    refused (EINVAL, [&] { return zlink_gateway_request (gateway, nullptr, &part, 1, &options, &reply); });
    refused (EFAULT, [&] { return zlink_gateway_request (gateway, "calc", nullptr, 1, &options, &reply); });
    refused (EFAULT, [&] { return zlink_gateway_request (gateway, "calc", &part, 1, &options, nullptr); });
    refused (EFAULT, [&] {
        return zlink_gateway_request_async (gateway, "calc", &part, 1, &options, nullptr, nullptr, nullptr);
    });
    options.size = 1;
    refused (EINVAL, [&] { return request (); });
    options.size = sizeof options;
    options.key_size = 7;
    refused (EINVAL, [&] { return request (); });
    options.key_size = 0;
    refused (EINVAL, [&] { return zlink_gateway_send (gateway, "calc", &part, 0, 0); });
    refused (EINVAL, [&] { return zlink_gateway_send (gateway, "calc", &part, 1, ZLINK_SNDMORE); });
    refused (EINVAL, [&] { return zlink_gateway_send_rid (gateway, "calc", nullptr, &part, 1, 0); });
    refused (EHOSTUNREACH, [&] { return zlink_gateway_send (gateway, "calc", &part, 1, ZLINK_DONTWAIT); });
    refused (EFAULT, [&] { return zlink_gateway_send_buffer (gateway, "calc", nullptr, 1, 0); });
    refused (EINVAL, [&] { return zlink_gateway_send_buffer (gateway, "calc", "x", 1, ZLINK_SNDMORE); });
    refused (EINVAL, [&] { return zlink_gateway_send_buffer (gateway, nullptr, "x", 1, 0); });
    refused (EHOSTUNREACH,
             [&] { return zlink_gateway_send_buffer (gateway, "calc", "x", 1, ZLINK_DONTWAIT); });
    refused (ENOENT, [&] { return zlink_gateway_cancel (gateway, 77); });
    refused (EAGAIN, [&] {
        zlink_msg_t *parts = nullptr;
        std::size_t count = 0;
        return zlink_gateway_recv (gateway, &parts, &count, ZLINK_DONTWAIT, nullptr);
    });
    refused (EINVAL, [&] { return zlink_receiver_register (receiver, "", nullptr, 1); });
    refused (ENOENT, [&] { return zlink_receiver_update_weight (receiver, "calc", 1); });
    refused (ENOENT, [&] { return zlink_receiver_unregister (receiver, "calc"); });
    refused (ENOENT,
             [&] { return zlink_receiver_register_result (receiver, "calc", nullptr, nullptr, nullptr); });
    refused (EINVAL, [&] { return zlink_receiver_setsockopt (receiver, 3, ZLINK_LINGER, "", 0); });
    zlink_request_t *request = nullptr;
    refused (EAGAIN, [&] { return zlink_receiver_recv (receiver, &request, 0); });
    refused (EFAULT, [&] { return zlink_request_reply (&request, nullptr, 0); });
    refused (EFAULT, [&] { return zlink_request_fail (nullptr, 8, 0, nullptr); });
    zlink_request_close (&request);
    zlink_request_close (nullptr);
    zlink_reply_close (nullptr);
    EXPECT_EQ (zlink_msg_size (&part), 8u) << "it stayed with the caller";
}

TEST_F (gateways_api, send_buffers_of_any_size)
{
    know ();
    for (int round = 0; round < 2; ++round)
        for (const std::size_t size : {std::size_t{0}, std::size_t{64}, std::size_t{200'000}}) {
            const std::string body (size, 'x');
            ASSERT_EQ (
              zlink_gateway_send_buffer (gateway, "calc", size == 0 ? nullptr : body.data (), size, 0), 0);
            comes (receiver, "calc", body);
        }
}

// What is sent again and again goes a shorter way, until another one provides it.
TEST_F (gateways_api, send_to_who_provides_it_now)
{
    know ();
    void *other = zlink_receiver_new (context, "other");
    const auto at = bound (other, "tcp://127.0.0.1:*");
    for (const char *each : {"calc", "draw"})
        ASSERT_EQ (zlink_receiver_register (other, each, nullptr, 1), 0);
    const auto passes = [this] (const char *service, void *to) {
        for (const std::string body : {"one", "two", "three"}) {
            ASSERT_EQ (zlink_gateway_send_buffer (gateway, service, body.data (), body.size (), 0), 0);
            comes (to, service, body);
        }
    };
    passes ("calc", receiver);
    const char *const there[] = {at.data ()};
    ASSERT_EQ (zlink_gateway_set_providers (gateway, "draw", there, nullptr, 1), 0);
    passes ("draw", other);
    passes ("calc", receiver);
    ASSERT_EQ (zlink_gateway_set_providers (gateway, "calc", there, nullptr, 1), 0);
    passes ("calc", other);
    ASSERT_EQ (zlink_gateway_set_providers (gateway, "calc", there, nullptr, 0), 0);
    refused (EHOSTUNREACH,
             [this] { return zlink_gateway_send_buffer (gateway, "calc", "x", 1, ZLINK_DONTWAIT); });
    EXPECT_EQ (zlink_receiver_destroy (&other), 0);
}

// Others may be sending while a gateway goes.
TEST_F (gateways_api, end_while_others_send)
{
    for (const char *const endpoint : {"tcp://127.0.0.1:*", "inproc://gateways-end"}) {
        void *to = zlink_receiver_new (context, nullptr);
        const auto at = bound (to, endpoint);
        ASSERT_EQ (zlink_receiver_register (to, "calc", nullptr, 1), 0);
        void *by = zlink_gateway_new (context, nullptr, nullptr);
        const char *const endpoints[] = {at.data ()};
        ASSERT_EQ (zlink_gateway_set_providers (by, "calc", endpoints, nullptr, 1), 0);
        void *const handle = by;
        std::thread sender ([handle] {
            while (zlink_gateway_send_buffer (handle, "calc", "x", 1, 0) == 0) {}
            EXPECT_TRUE (zlink_errno () == EFAULT || zlink_errno () == ETERM) << zlink_errno ();
        });
        for (int i = 0; i < 1000; ++i) {
            zlink_request_t *got = nullptr;
            ASSERT_EQ (zlink_receiver_recv (to, &got, watchdog_ms), 0);
            zlink_request_close (&got);
        }
        EXPECT_EQ (zlink_gateway_destroy (&by), 0);
        sender.join ();
        EXPECT_EQ (zlink_receiver_destroy (&to), 0);
    }
}

TEST_F (gateways_api, tell_how_a_request_ended)
{
    options.timeout_ms = 10;
    refused (EHOSTUNREACH, [&] { return request (); });
    EXPECT_EQ (reply.status, ZLINK_REQUEST_NO_PROVIDER);
    EXPECT_EQ (reply.maybe_done, 0u);
    options.timeout_ms = watchdog_ms;
    know ();
    std::thread worker ([this] {
        zlink_request_t *next = nullptr;
        for (int i = 0; i < 3; ++i) {
            ASSERT_EQ (zlink_receiver_recv (receiver, &next, watchdog_ms), 0);
            std::size_t count = 0;
            zlink_msg_t *const parts = zlink_request_parts (next, &count);
            if (i == 0)
                EXPECT_EQ (zlink_request_reply (&next, parts, count), 0);
            else if (i == 1)
                EXPECT_EQ (zlink_request_fail (&next, ZLINK_FAILURE_REJECTED, 42, "no"), 0);
            else
                zlink_request_close (&next);
        }
    });
    ASSERT_EQ (request (), 0);
    EXPECT_EQ (reply.count, 1u);
    EXPECT_EQ (zlink_msg_size (&reply.parts[0]), 8u);
    EXPECT_EQ (zlink_msg_size (&part), 0u) << "it was taken";
    zlink_reply_close (&reply);
    refused (ECONNREFUSED, [&] { return request (); });
    EXPECT_EQ (reply.code, static_cast<unsigned> (ZLINK_FAILURE_REJECTED));
    EXPECT_EQ (reply.detail, 42u);
    EXPECT_STREQ (reply.text, "no");
    refused (ECONNREFUSED, [&] { return request (); });
    EXPECT_EQ (reply.code, static_cast<unsigned> (ZLINK_FAILURE_HANDLER));
    EXPECT_EQ (reply.maybe_done, 1u);
    worker.join ();
}

// Requests without options, of which what is usual takes a way of its own.
struct heard
{
    std::array<std::atomic<int>, ZLINK_REQUEST_NO_MEMORY + 1> ended{};  // by status
    std::atomic<int> all{0}, right{0};

    static void hear (std::uint64_t, zlink_reply_t *reply, void *hint)
    {
        auto &self = *static_cast<heard *> (hint);
        ++self.ended.at (static_cast<std::size_t> (reply->status));
        self.right += reply->status == ZLINK_REQUEST_REPLIED && reply->count == 1;
        ++self.all;
        self.all.notify_all ();
    }
    void await (int count)
    {
        for (int now = all; now < count; now = all)
            all.wait (now);
    }
};

void answer_with_the_same (void *receiver, int count)
{
    for (int i = 0; i < count; ++i) {
        zlink_request_t *next = nullptr;
        ASSERT_EQ (zlink_receiver_recv (receiver, &next, watchdog_ms), 0);
        std::size_t parts = 0;
        zlink_msg_t *const first = zlink_request_parts (next, &parts);
        ASSERT_EQ (zlink_request_reply (&next, first, parts), 0);
    }
}

int ask_for (void *gateway, std::size_t size, heard &by)
{
    zlink_msg_t part;
    EXPECT_EQ (zlink_msg_init_size (&part, size), 0);
    std::memset (zlink_msg_data (&part), 'x', size);
    const int answer =
      zlink_gateway_request_async (gateway, "calc", &part, 1, nullptr, heard::hear, &by, nullptr);
    zlink_msg_close (&part);
    return answer;
}

TEST_F (gateways_api, answer_requests_of_any_size_in_a_row)
{
    know ();
    heard by;
    constexpr std::array<std::size_t, 6> sizes{0, 1, 64, 128, 129, 100'000};
    constexpr int rounds = 50, all = rounds * static_cast<int> (sizes.size ());
    std::thread worker ([this] { answer_with_the_same (receiver, all); });
    for (int round = 0; round < rounds; ++round)
        for (const std::size_t size : sizes)
            ASSERT_EQ (ask_for (gateway, size, by), 0);
    by.await (all);
    worker.join ();
    EXPECT_EQ (by.right, all);
}

// The way that is usual finds no room.
TEST_F (gateways_api, end_quick_requests_that_nobody_has_room_for)
{
    const int few = 10;
    ASSERT_EQ (zlink_gateway_setsockopt (gateway, ZLINK_SNDHWM, &few, sizeof few), 0);
    know ();
    heard first;
    std::thread worker ([this] { answer_with_the_same (receiver, 2); });
    for (int i = 1; i <= 2; ++i) {
        ASSERT_EQ (ask_for (gateway, 64, first), 0);
        first.await (i);
    }
    worker.join ();
    heard by;
    constexpr int many = 100'000;
    int asked = 0;
    while (asked < many && by.ended[ZLINK_REQUEST_OVERLOADED] == 0) {
        ASSERT_EQ (ask_for (gateway, 128, by), 0);
        ++asked;
    }
    EXPECT_GT (by.ended[ZLINK_REQUEST_OVERLOADED], 0);
    EXPECT_EQ (zlink_gateway_destroy (&gateway), 0);
    EXPECT_EQ (by.all, asked) << "each is heard of once";
    gateway = zlink_gateway_new (context, nullptr, "again");
}

}  // namespace
}  // namespace zlink::service::test
