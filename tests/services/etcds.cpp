// Services over a real etcd: providers and watchers that speak to it themselves, and
// registries that keep their providers in it.
#include "services/etcds.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "service/store_record.hpp"
#include "zlink/zlink.h"

namespace zlink::service::test {
namespace {

constexpr int watchdog_ms = 30'000;
constexpr const char *folder = "zlink/test/providers";

// What the library has logged.
struct log_lines
{
    log_lines ()
    {
        zlink_set_log (
          [] (int, const char *text, const char *about, void *to) {
              auto *const lines = static_cast<log_lines *> (to);
              const std::lock_guard guard (lines->lock);
              lines->all.push_back (std::string (text) + " [" + about + "]");
          },
          this);
    }
    ~log_lines () { zlink_set_log (nullptr, nullptr); }
    bool has (const std::string &part)
    {
        const std::lock_guard guard (lock);
        return std::ranges::any_of (
          all, [&] (const std::string &each) { return each.find (part) != std::string::npos; });
    }
    std::mutex lock;
    std::vector<std::string> all;
};

class watcher
{
  public:
    watcher (void *context, const std::string &at)
      : handle_ (zlink_discovery_new_typed (context, ZLINK_SERVICE_GATEWAY))
    {
        EXPECT_EQ (zlink_discovery_subscribe (handle_, "calc"), 0);
        EXPECT_EQ (zlink_discovery_connect_registry (handle_, at.c_str ()), 0) << zlink_strerror (errno);
    }
    ~watcher () { EXPECT_EQ (zlink_discovery_destroy (&handle_), 0); }
    watcher (const watcher &) = delete;
    watcher &operator= (const watcher &) = delete;

    [[nodiscard]] int count () const { return zlink_discovery_receiver_count (handle_, "calc"); }
    [[nodiscard]] bool sees (int wanted) const
    {
        return zlink::test::eventually ([&] { return count () == wanted; });
    }
    [[nodiscard]] zlink_discovery_status_t status () const
    {
        zlink_discovery_status_t now{};
        EXPECT_EQ (zlink_discovery_status (handle_, "calc", &now), 0);
        return now;
    }
    [[nodiscard]] bool is_fresh (bool wanted) const
    {
        return zlink::test::eventually ([&] { return (status ().age_ms == 0) == wanted; });
    }
    [[nodiscard]] void *handle () const { return handle_; }

  private:
    void *handle_;
};

class receiver_at
{
  public:
    receiver_at (void *context, const std::string &registry, const std::string &bound = "tcp://127.0.0.1:*")
      : handle_ (zlink_receiver_new (context, nullptr))
    {
        EXPECT_EQ (zlink_receiver_bind (handle_, bound.c_str ()), 0);
        EXPECT_EQ (zlink_receiver_connect_registry (handle_, registry.c_str ()), 0) << zlink_strerror (errno);
        EXPECT_EQ (zlink_receiver_register (handle_, "calc", nullptr, 1), 0);
    }
    ~receiver_at () { EXPECT_EQ (zlink_receiver_destroy (&handle_), 0); }
    receiver_at (const receiver_at &) = delete;
    receiver_at &operator= (const receiver_at &) = delete;

    struct outcome
    {
        int answer = -1, status = -1;
        std::string endpoint{}, error{};
    };
    [[nodiscard]] outcome registered () const
    {
        outcome made;
        std::array<char, 256> endpoint{}, error{};
        made.answer =
          zlink_receiver_register_result (handle_, "calc", &made.status, endpoint.data (), error.data ());
        made.endpoint = endpoint.data ();
        made.error = error.data ();
        return made;
    }
    [[nodiscard]] void *handle () const { return handle_; }

  private:
    void *handle_;
};

class provider
{
  public:
    provider (const std::string &url, const std::string &endpoint)
      : process_ (std::in_place, std::vector<std::string>{ZLINK_ETCD_PROVIDER, url, endpoint})
    {
    }
    void kill () { process_.reset (); }

  private:
    std::optional<zlink::test::child_process> process_;
};

struct etcds : testing::Test
{
    ~etcds () override { EXPECT_EQ (zlink_ctx_term_ms (context, watchdog_ms), 0); }
    std::string registry_at (void *registry)
    {
        EXPECT_EQ (zlink_registry_bind (registry, "tcp://127.0.0.1:*"), 0);
        std::array<char, 256> text{};
        size_t size = text.size ();
        EXPECT_EQ (zlink_registry_endpoint (registry, text.data (), &size), 0);
        return text.data ();
    }

    own_etcd etcd;
    log_lines log;
    void *context = zlink_ctx_new ();
};

TEST_F (etcds, a_provider_is_found_changed_and_gone_without_a_registry)
{
    const watcher by (context, etcd.url ());
    void *const elsewhere = zlink_ctx_new ();  // nothing is shared with the watcher but etcd
    {
        const receiver_at at (elsewhere, etcd.url (), "tcp://*:*");
        ASSERT_EQ (zlink_discovery_wait (by.handle (), "calc", 1, watchdog_ms), 0);
        ASSERT_TRUE (zlink::test::eventually ([&] { return at.registered ().status == 0; }));
        EXPECT_TRUE (at.registered ().endpoint.starts_with ("tcp://127.0.0.1:")) << at.registered ().endpoint;
        const std::vector<etcd::record> records = etcd.under (folder);
        ASSERT_EQ (records.size (), 1U);
        EXPECT_EQ (records[0].key, std::string (folder) + "/1/calc/" + at.registered ().endpoint);
        EXPECT_NE (records[0].lease, 0);

        EXPECT_EQ (zlink_receiver_update_weight (at.handle (), "calc", 0), 0);
        EXPECT_TRUE (zlink::test::eventually ([&] {
            zlink_receiver_info_t found{};
            size_t count = 1;
            return zlink_discovery_get_receivers (by.handle (), "calc", &found, &count) == 0 && count == 1
                   && found.weight == 0;
        }));
        EXPECT_EQ (by.status ().registries, 1U);
        EXPECT_EQ (by.status ().settled, 1U);
    }
    EXPECT_TRUE (by.sees (0)) << "it has said farewell";
    EXPECT_TRUE (etcd.under (folder).empty ());
    EXPECT_EQ (zlink_ctx_term_ms (elsewhere, watchdog_ms), 0);
}

TEST_F (etcds, a_request_goes_to_who_was_found_in_etcd)
{
    const watcher by (context, etcd.url ());
    const receiver_at at (context, etcd.url ());
    void *gateway = zlink_gateway_new (context, by.handle (), nullptr);
    zlink_msg_t part;
    zlink_msg_init_buffer (&part, "question", 8);
    zlink_reply_t reply{};
    zlink_request_options_t options{};
    options.size = sizeof options;
    options.timeout_ms = watchdog_ms;
    std::thread answering ([&] {
        zlink_request_t *request = nullptr;
        ASSERT_EQ (zlink_receiver_recv (at.handle (), &request, watchdog_ms), 0);
        zlink_msg_t answer;
        zlink_msg_init_buffer (&answer, "answer", 6);
        EXPECT_EQ (zlink_request_reply (&request, &answer, 1), 0);
    });
    EXPECT_EQ (zlink_gateway_request (gateway, "calc", &part, 1, &options, &reply), 0);
    answering.join ();
    zlink_reply_close (&reply);
    zlink_msg_close (&part);
    EXPECT_EQ (zlink_gateway_destroy (&gateway), 0);
}

TEST_F (etcds, who_is_killed_is_gone_when_its_lease_ends)
{
    const watcher by (context, etcd.url ());
    provider at (etcd.url (), zlink::test::tcp_place ());
    EXPECT_TRUE (by.sees (1));
    at.kill ();
    EXPECT_TRUE (by.sees (0));
    EXPECT_EQ (by.status ().age_ms, 0);
}

TEST_F (etcds, a_loss_is_told_and_nobody_is_dropped_by_it)
{
    const watcher by (context, etcd.url ());
    const receiver_at at (context, etcd.url ());
    EXPECT_TRUE (by.sees (1));
    EXPECT_TRUE (by.is_fresh (true));
    etcd.kill ();
    EXPECT_TRUE (by.is_fresh (false));
    EXPECT_EQ (by.count (), 1) << "the last good list stays";
    EXPECT_TRUE (log.has ("the store of a registry is not reached"));
    etcd.start ();
    EXPECT_TRUE (by.is_fresh (true));
    EXPECT_EQ (by.count (), 1);
    const receiver_at later (context, etcd.url ());
    EXPECT_TRUE (by.sees (2));
}

TEST_F (etcds, who_does_not_answer_any_more_is_lost_too)
{
    const watcher by (context, etcd.url ());
    EXPECT_TRUE (by.is_fresh (true));
    etcd.freeze ();
    EXPECT_TRUE (by.is_fresh (false));
    etcd.thaw ();
    EXPECT_TRUE (by.is_fresh (true));
}

TEST_F (etcds, the_next_host_is_asked_when_one_is_not_there)
{
    const std::string nobody = zlink::test::tcp_place ().substr (6);
    const std::string url = "etcd://" + nobody + "," + etcd.address () + "/zlink/test";
    const watcher by (context, url);
    const receiver_at at (context, url);
    EXPECT_TRUE (by.sees (1));
}

TEST_F (etcds, what_is_not_a_provider_costs_itself_alone)
{
    const wire::provider_view twin{
      .family = 1, .service = "calc", .endpoint = "tcp://10.1.0.7:1", .instance = 7, .version = 1};
    const std::string value (base::as_text (store_value (twin)));
    etcd.put (std::string (folder) + "/1/calc/tcp://10.1.0.7:1", value);
    etcd.put (std::string (folder) + "/1/calc/tcp://10.1.0.7:2", value);
    etcd.put (std::string (folder) + "/1/calc/tcp://10.1.0.7:3", std::string (1000, '\xFF'));
    etcd.put (std::string (folder) + "/", "");
    etcd.put ("zlink/test/grants/x", "beside");
    const watcher by (context, etcd.url ());
    EXPECT_TRUE (by.sees (1));
    EXPECT_TRUE (by.is_fresh (true));
    etcd.put (std::string (folder) + "/1/calc/tcp://10.1.0.7:1", "garbage from now on");
    EXPECT_TRUE (by.sees (0));
    const receiver_at at (context, etcd.url ());
    EXPECT_TRUE (by.sees (1));
    EXPECT_TRUE (log.has ("passed over"));
}

TEST_F (etcds, a_living_providers_endpoint_is_not_taken)
{
    const wire::provider_view theirs{
      .family = 1, .service = "calc", .endpoint = "tcp://10.1.0.7:1", .instance = 7, .version = 1};
    etcd.put (std::string (folder) + "/1/calc/tcp://10.1.0.7:1",
              std::string (base::as_text (store_value (theirs))));
    const receiver_at at (context, etcd.url ());
    EXPECT_EQ (zlink_receiver_register (at.handle (), "calc", "tcp://10.1.0.7:1", 1), 0);
    EXPECT_TRUE (zlink::test::eventually ([&] { return at.registered ().status == wire::fault_taken; }));
    EXPECT_EQ (at.registered ().error, "taken");
    EXPECT_TRUE (std::ranges::any_of (etcd.under (folder), [&] (const etcd::record &each) {
        return each.value == base::as_text (store_value (theirs)) && each.lease == 0;
    }));
}

TEST_F (etcds, registries_that_share_one_list_the_same)
{
    std::array<void *, 2> registries{};
    std::array<std::string, 2> places;
    for (std::size_t i = 0; i < registries.size (); ++i) {
        registries[i] = zlink_registry_new (context);
        ASSERT_EQ (zlink_registry_set_store (registries[i], etcd.url ().c_str ()), 0);
        EXPECT_EQ (zlink_registry_set_store (registries[i], etcd.url ().c_str ()), -1);
        EXPECT_EQ (errno, EFSM);
        places[i] = registry_at (registries[i]);
    }
    const watcher first (context, places[0]), second (context, places[1]), direct (context, etcd.url ());
    {
        const receiver_at at (context, places[0]);
        EXPECT_TRUE (first.sees (1));
        EXPECT_TRUE (second.sees (1));
        EXPECT_TRUE (direct.sees (1));
        // It registers with the other one too, and the first dies: nobody is dropped.
        const std::int64_t lease = etcd.under (folder).at (0).lease;
        EXPECT_EQ (zlink_receiver_connect_registry (at.handle (), places[1].c_str ()), 0);
        EXPECT_TRUE (zlink::test::eventually ([&] { return etcd.under (folder).at (0).lease != lease; }));
        EXPECT_EQ (zlink_registry_destroy (&registries[0]), 0);
        EXPECT_EQ (second.count (), 1);
        EXPECT_EQ (direct.count (), 1);
    }
    EXPECT_TRUE (second.sees (0));
    EXPECT_TRUE (direct.sees (0));
    EXPECT_EQ (zlink_registry_destroy (&registries[1]), 0);
}

TEST_F (etcds, what_is_no_url_is_refused)
{
    void *discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_GATEWAY);
    void *registry = zlink_registry_new (context);
    for (const char *const wrong :
         {"etcd://", "etcd://127.0.0.1:1", "etcd://127.0.0.1:99999/p", "etcd:///p"}) {
        EXPECT_EQ (zlink_discovery_connect_registry (discovery, wrong), -1);
        EXPECT_EQ (errno, EINVAL);
        EXPECT_EQ (zlink_registry_set_store (registry, wrong), -1);
        EXPECT_EQ (errno, EINVAL);
    }
    EXPECT_EQ (zlink_registry_set_store (registry, nullptr), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zlink_registry_set_store (registry, "redis://127.0.0.1:1/p"), -1);
    EXPECT_EQ (errno, EPROTONOSUPPORT);
    EXPECT_EQ (zlink_discovery_destroy (&discovery), 0);
    EXPECT_EQ (zlink_registry_destroy (&registry), 0);
}

TEST_F (etcds, who_is_no_etcd_is_told_of)
{
    // A peer that speaks ZMTP answers no requests of HTTP.
    void *socket = zlink_socket (context, ZLINK_ROUTER);
    const std::string place = zlink::test::tcp_place ();
    ASSERT_EQ (zlink_bind (socket, place.c_str ()), 0);
    {
        const watcher by (context, "etcd://" + place.substr (6) + "/zlink/test");
        EXPECT_TRUE (
          zlink::test::eventually ([this] { return log.has ("the store of a registry is not reached"); }));
        EXPECT_EQ (by.status ().age_ms, -1);
    }
    EXPECT_EQ (zlink_close (socket), 0);
}

}  // namespace
}  // namespace zlink::service::test
