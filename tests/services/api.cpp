// Registries and discovery through zlink.h: what is answered, and what is refused.
#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/service_handles.hpp"
#include "service/registration.hpp"
#include "services/registries.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr const char *there = "tcp://10.1.0.7:5555";

struct services_api : testing::Test
{
    ~services_api () override
    {
        EXPECT_EQ (zlink_registry_destroy (&registry), 0);
        EXPECT_EQ (zlink_discovery_destroy (&discovery), 0);
        EXPECT_EQ (zlink_ctx_term_ms (context, 10'000), 0);
    }
    // A registry and a watcher of a service that is there.
    void begin ()
    {
        ASSERT_EQ (zlink_registry_bind (registry, "tcp://127.0.0.1:*"), 0);
        std::array<char, 256> text{};
        size_t size = text.size ();
        ASSERT_EQ (zlink_registry_endpoint (registry, text.data (), &size), 0);
        EXPECT_EQ (size, std::string_view (text.data ()).size () + 1);
        address = text.data ();
        ASSERT_EQ (zlink_discovery_connect_registry (discovery, address.c_str ()), 0);
        ASSERT_EQ (zlink_discovery_subscribe (discovery, "calc"), 0);
    }
    closing<registration> provide ()
    {
        const auto in = api::services_of (context).value ();
        closing<registration> by (registration::open (in->world, context, in->loop));
        EXPECT_TRUE (by->connect_registry (address).ok ());
        EXPECT_TRUE (by->put (provider ("calc", there, 3)).ok ());
        return by;
    }

    void *context = zlink_ctx_new ();
    void *registry = zlink_registry_new (context);
    void *discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_GATEWAY);
    std::string address;
};

TEST_F (services_api, a_provider_is_found_described_and_removed)
{
    begin ();
    const auto in = api::services_of (context).value ();
    closing<registration> by = provide ();
    ASSERT_EQ (zlink_discovery_wait (discovery, "calc", 1, -1), 0);
    std::array<zlink_receiver_info_t, 2> found{};
    size_t count = 0;
    ASSERT_EQ (zlink_discovery_get_receivers (discovery, "calc", nullptr, &count), 0);
    EXPECT_EQ (count, 1U);
    count = found.size ();
    ASSERT_EQ (zlink_discovery_get_receivers (discovery, "calc", found.data (), &count), 0);
    EXPECT_EQ (count, 1U);
    EXPECT_STREQ (found[0].service_name, "calc");
    EXPECT_STREQ (found[0].endpoint, there);
    EXPECT_EQ (found[0].weight, 3U);
    EXPECT_NE (found[0].registered_at, 0U);
    EXPECT_EQ (found[0].routing_id.size, 8);
    EXPECT_EQ (base::load_u64_be (reinterpret_cast<const std::byte *> (found[0].routing_id.data)),
               by->instance ());
    EXPECT_EQ (zlink_discovery_receiver_count (discovery, "calc"), 1);
    EXPECT_EQ (zlink_discovery_service_available (discovery, "calc"), 1);
    EXPECT_EQ (zlink_discovery_service_available (discovery, "other"), 0);

    zlink_registry_info_t info;
    ASSERT_EQ (zlink_registry_info (registry, &info), 0);
    EXPECT_EQ (info.providers, 1U);
    EXPECT_EQ (info.watches, 1U);
    EXPECT_EQ (info.peers, 2U);
    EXPECT_EQ (info.settled, 0U);
    zlink_discovery_status_t status;
    ASSERT_EQ (zlink_discovery_status (discovery, "calc", &status), 0);
    EXPECT_EQ (status.registries, 1U);
    EXPECT_EQ (status.age_ms, 0);
    ASSERT_EQ (zlink_discovery_status (discovery, "other", &status), 0);
    EXPECT_EQ (status.age_ms, -1);

    EXPECT_EQ (zlink_registry_remove (registry, ZLINK_SERVICE_GATEWAY, "calc", "tcp://10.9.9.9:1"), -1);
    EXPECT_EQ (errno, ENOENT);
    EXPECT_EQ (zlink_registry_remove (registry, ZLINK_SERVICE_GATEWAY, "calc", there), 0);
    EXPECT_EQ (zlink_discovery_unsubscribe (discovery, "calc"), 0);
    EXPECT_EQ (zlink_discovery_receiver_count (discovery, "calc"), 0);
}

struct heard_changes
{
    base::atomic<int> came{0}, gone{0};
    bell change;
};

TEST_F (services_api, a_handler_is_told_on_a_thread_of_its_own_until_it_is_taken_off)
{
    begin ();
    const auto in = api::services_of (context).value ();
    heard_changes heard{.change = bell (in->world.sleep)};
    const auto note = [] (int change, const char *service, const char *endpoint, void *hint) {
        auto *const to = static_cast<heard_changes *> (hint);
        EXPECT_STREQ (service, "calc");
        EXPECT_STREQ (endpoint, there);
        to->came += change == ZLINK_RECEIVER_CAME;
        to->gone += change == ZLINK_RECEIVER_GONE;
        to->change.ring ();
    };
    const auto wait_until = [&] (auto holds) {
        for (std::uint32_t before = heard.change.heard (); !holds (); before = heard.change.heard ())
            (void)heard.change.wait (before, base::never_ns);
    };
    ASSERT_EQ (zlink_discovery_set_handler (discovery, note, &heard), 0);
    {
        closing<registration> by = provide ();
        wait_until ([&] { return heard.came == 1; });
    }
    wait_until ([&] { return heard.gone == 1; });
    ASSERT_EQ (zlink_discovery_set_handler (discovery, nullptr, nullptr), 0);
    closing<registration> again = provide ();
    ASSERT_EQ (zlink_discovery_wait (discovery, "calc", 1, -1), 0);
    EXPECT_EQ (heard.came, 1);
}

// What a registry's handler was told, a line each.
struct heard_lines
{
    base::exchange_lock lock;
    std::vector<std::string> lines;
    bell change;

    static void note (const zlink_registry_event_t *what, void *hint)
    {
        auto *const to = static_cast<heard_lines *> (hint);
        constexpr std::array marks{'?', '+', '-', '!'};
        std::string line (1, marks[what->kind]);
        line += std::string (what->service_name) + '@' + what->endpoint + ' ' + what->reason_text;
        line += what->kind == ZLINK_REGISTRY_PROVIDER && what->confirmed == 0 ? "before" : "";
        {
            const base::locked guard (to->lock);
            to->lines.push_back (line);
        }
        to->change.ring ();
    }
    bool has (const std::string &line)
    {
        const base::locked guard (lock);
        return std::ranges::find (lines, line) != lines.end ();
    }
    void wait_for (const std::string &line)
    {
        for (std::uint32_t before = change.heard (); !has (line); before = change.heard ())
            (void)change.wait (before, base::never_ns);
    }
};

TEST_F (services_api, a_registry_tells_what_happens_why_and_who_is_there)
{
    const auto in = api::services_of (context).value ();
    heard_lines heard{.lock = {}, .lines = {}, .change = bell (in->world.sleep)};
    ASSERT_EQ (zlink_registry_set_handler (registry, heard_lines::note, &heard), 0);
    ASSERT_EQ (zlink_registry_set_limit (registry, ZLINK_REGISTRY_MAX_PROVIDERS, 1), 0);
    begin ();
    {
        closing<registration> by = provide ();
        heard.wait_for (std::string ("+calc@") + there + ' ');
        EXPECT_TRUE (by->put (provider ("calc", "tcp://10.1.0.7:5556", 3)).ok ());
        heard.wait_for ("!@tcp://10.1.0.7:5556 too-many");
        std::vector<std::string> seen;
        EXPECT_EQ (zlink_registry_visit (
                     registry,
                     [] (const zlink_registry_event_t *each, void *hint) {
                         static_cast<std::vector<std::string> *> (hint)->emplace_back (each->endpoint);
                         EXPECT_EQ (each->weight, 3U);
                         EXPECT_EQ (each->confirmed, 1);
                         EXPECT_EQ (each->service_type, ZLINK_SERVICE_GATEWAY);
                     },
                     &seen),
                   0);
        EXPECT_EQ (seen, std::vector<std::string>{there});
        EXPECT_EQ (zlink_registry_remove (registry, ZLINK_SERVICE_GATEWAY, "calc", there), 0);
        heard.wait_for (std::string ("-calc@") + there + " forced");
    }
    EXPECT_EQ (zlink_registry_destroy (&registry), 0);
    registry = zlink_registry_new (context);
}

TEST_F (services_api, who_was_there_before_is_told_of_and_confirmed_when_it_comes)
{
    const auto in = api::services_of (context).value ();
    heard_lines heard{.lock = {}, .lines = {}, .change = bell (in->world.sleep)};
    ASSERT_EQ (zlink_registry_set_handler (registry, heard_lines::note, &heard), 0);
    ASSERT_EQ (zlink_registry_set_limit (registry, ZLINK_REGISTRY_MAX_PROVIDERS, 2), 0);
    zlink_registry_event_t earlier{};
    earlier.service_type = ZLINK_SERVICE_GATEWAY;
    earlier.service_name = "calc";
    earlier.endpoint = there;
    earlier.weight = 1;
    ASSERT_EQ (zlink_registry_remember (registry, &earlier), 0);
    EXPECT_EQ (zlink_registry_remember (registry, &earlier), -1);
    EXPECT_EQ (errno, EADDRINUSE);
    begin ();
    ASSERT_EQ (zlink_discovery_wait (discovery, "calc", 1, -1), 0) << "a watcher hears of it at once";
    heard.wait_for (std::string ("+calc@") + there + " before");
    {
        closing<registration> by = provide ();
        heard.wait_for (std::string ("+calc@") + there + ' ');
    }
    EXPECT_EQ (zlink_registry_destroy (&registry), 0);
    registry = zlink_registry_new (context);
}

TEST_F (services_api, what_is_wrong_is_refused)
{
    const auto refused = [] (int answer, int number) {
        EXPECT_EQ (answer, -1);
        EXPECT_EQ (errno, number);
    };
    EXPECT_EQ (zlink_has ("services"), 1);
    EXPECT_EQ (zlink_registry_new (nullptr), nullptr);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zlink_discovery_new_typed (context, 9), nullptr);
    EXPECT_EQ (errno, EINVAL);
    refused (zlink_registry_start (registry), EINVAL);
    refused (zlink_registry_set_endpoints (registry, nullptr, nullptr), EINVAL);
    refused (zlink_registry_set_heartbeat (registry, 100, 100), EINVAL);
    refused (zlink_registry_add_peer (registry, "nowhere"), EINVAL);
    refused (zlink_registry_setsockopt (registry, 4, ZLINK_LINGER, nullptr, 0), EINVAL);
    refused (zlink_registry_endpoint (registry, nullptr, nullptr), EFAULT);
    size_t size = 0;
    refused (zlink_registry_endpoint (registry, nullptr, &size), ENOENT);
    refused (zlink_registry_info (registry, nullptr), EFAULT);
    refused (zlink_registry_visit (registry, nullptr, nullptr), EFAULT);
    refused (zlink_registry_remember (registry, nullptr), EFAULT);
    zlink_registry_event_t bad{};
    refused (zlink_registry_remember (registry, &bad), EINVAL);
    bad.service_name = "calc";
    bad.endpoint = "tcp://10.0.0.1:0";
    refused (zlink_registry_remember (registry, &bad), EINVAL);
    bad.endpoint = there;
    bad.host = "two\nlines";
    refused (zlink_registry_remember (registry, &bad), EINVAL);
    bad.host = nullptr;
    ASSERT_EQ (zlink_registry_set_limit (registry, ZLINK_REGISTRY_MAX_PROVIDERS, 0), 0);
    refused (zlink_registry_remember (registry, &bad), EMFILE);
    refused (zlink_registry_set_limit (registry, 0, 1), EINVAL);
    refused (zlink_registry_set_limit (registry, 5, 1), EINVAL);
    refused (zlink_registry_bind (registry, "nowhere"), EINVAL);
    ASSERT_EQ (zlink_registry_set_endpoints (registry, "tcp://127.0.0.1:*", "tcp://192.0.2.1:1"), 0);
    refused (zlink_registry_start (registry), EADDRNOTAVAIL);
    ASSERT_EQ (zlink_registry_set_endpoints (registry, "tcp://127.0.0.1:*", nullptr), 0);
    EXPECT_EQ (zlink_registry_start (registry), 0);
    refused (zlink_registry_start (registry), EFSM);
    refused (zlink_registry_set_endpoints (registry, "tcp://127.0.0.1:*", nullptr), EFSM);
    refused (zlink_registry_set_heartbeat (registry, 100, 1000), EFSM);
    refused (zlink_registry_set_handler (registry, nullptr, nullptr), EFSM);
    refused (zlink_registry_remember (registry, &bad), EFSM);
    refused (zlink_registry_set_limit (registry, ZLINK_REGISTRY_MAX_PROVIDERS, 1), EFSM);
    refused (zlink_discovery_wait (discovery, "calc", 1, 1), ETIMEDOUT);
    refused (zlink_discovery_unsubscribe (discovery, "calc"), EINVAL);
    refused (zlink_discovery_subscribe (discovery, std::string (256, 'x').c_str ()), EINVAL);
    refused (zlink_discovery_get_receivers (discovery, "calc", nullptr, nullptr), EFAULT);
    refused (zlink_discovery_setsockopt (discovery, 2, ZLINK_LINGER, nullptr, 0), EINVAL);
    refused (zlink_discovery_connect_registry (discovery, nullptr), EINVAL);
    // A handle of another kind, and one that has gone.
    refused (zlink_registry_start (discovery), EFAULT);
    void *gone = zlink_registry_new (context);
    void *const copy = gone;
    EXPECT_EQ (zlink_registry_destroy (&gone), 0);
    EXPECT_EQ (gone, nullptr);
    refused (zlink_registry_start (copy), EFAULT);
    refused (zlink_registry_destroy (&gone), EFAULT);
}

}  // namespace
}  // namespace zlink::service::test
