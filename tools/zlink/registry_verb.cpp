// A registry in a process of its own.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <zlink/zlink.h>

#include "tools/zlink/attachment.hpp"
#include "tools/zlink/checks.hpp"
#include "tools/zlink/line_writer.hpp"
#include "tools/zlink/registry_http.hpp"
#include "tools/zlink/registry_snapshot.hpp"
#include "tools/zlink/registry_view.hpp"
#include "tools/zlink/settings_file.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/termination.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr double ms_per_s = 1000;
constexpr double lease_s_max = 86'400;
constexpr std::uint64_t bytes_per_mib = std::uint64_t{1} << 20;
constexpr int term_limit_ms = 5'000;
constexpr std::chrono::milliseconds snapshot_pause{1'000};
constexpr std::chrono::hours long_wait{24};

struct registry_wish
{
    std::vector<std::string> binds;
    std::vector<std::string> peers;
    std::vector<std::string> option_texts;
    double lease_s = 10;
    double renew_s = 0;  // 0: a quarter of the lease
    std::uint64_t providers_max = 0, providers_of_process_max = 0, processes_max = 0,
                  memory_mib = 0;  // 0: own
    std::string snapshot;
    std::string store;
    std::string votes;
    std::string http;
    std::string config;
    bool quiet = false;
};

class registry_process
{
  public:
    explicit registry_process (const registry_wish &wish) : wish_ (wish) {}
    ~registry_process ();
    registry_process (const registry_process &) = delete;
    registry_process &operator= (const registry_process &) = delete;

    // Throws a stop.
    void start ();
    void end (const std::string &why);

  private:
    static void told (const zlink_registry_event_t *what, void *hint);
    void demand (int answer, const std::string &what) const;
    void set_up ();
    void limit (int which, std::uint64_t value, std::uint64_t unit);
    void remember_all ();
    void put_aside (const std::string &why);
    void bind_all ();
    void serve_pages ();
    void write_snapshot ();
    void keep_snapshot ();

    const registry_wish &wish_;
    line_writer log_;
    registry_view view_;
    void *context_ = nullptr;
    void *registry_ = nullptr;
    std::unique_ptr<registry_http> http_;
    std::thread keeper_;
    std::string snapshot_failure_;  // told last
};

void registry_process::demand (int answer, const std::string &what) const
{
    if (answer != 0)
        throw stop{exit_failed, fmt::format ("cannot {}: {}", what, zlink_strerror (zlink_errno ()))};
}

// On the thread that serves the registry: nothing here waits for anybody.
void registry_process::told (const zlink_registry_event_t *what, void *hint)
{
    auto &self = *static_cast<registry_process *> (hint);
    const std::string line = self.view_.take (*what);
    if (!self.wish_.quiet)
        self.log_.write (line);
}

void registry_process::limit (int which, std::uint64_t value, std::uint64_t unit)
{
    if (value != 0)
        demand (zlink_registry_set_limit (registry_, which, value * unit), "set a limit");
}

void registry_process::set_up ()
{
    std::vector<option_value> options;
    std::string why;
    if (!read_options (wish_.option_texts, options, why))
        throw stop{exit_wrong_call, why};
    for (const option_value &each : options)
        demand (zlink_registry_setsockopt (registry_, ZLINK_REGISTRY_SOCKET_ROUTER, each.number,
                                           each.bytes.data (), each.bytes.size ()),
                "set " + each.name);
    const double renew_s = wish_.renew_s == 0 ? wish_.lease_s / 4 : wish_.renew_s;
    if (renew_s >= wish_.lease_s)
        throw stop{exit_wrong_call, "--renew is to be shorter than --lease"};
    demand (zlink_registry_set_heartbeat (registry_, static_cast<std::uint32_t> (renew_s * ms_per_s),
                                          static_cast<std::uint32_t> (wish_.lease_s * ms_per_s)),
            "set the lease");
    limit (ZLINK_REGISTRY_MAX_PROVIDERS, wish_.providers_max, 1);
    limit (ZLINK_REGISTRY_MAX_PROVIDERS_OF_INSTANCE, wish_.providers_of_process_max, 1);
    limit (ZLINK_REGISTRY_MAX_INSTANCES, wish_.processes_max, 1);
    limit (ZLINK_REGISTRY_MAX_BYTES, wish_.memory_mib, bytes_per_mib);
    if (!wish_.store.empty ())
        demand (zlink_registry_set_store (registry_, wish_.store.c_str ()),
                "keep providers in " + wish_.store);
    if (!wish_.votes.empty ())
        demand (zlink_registry_set_votes (registry_, wish_.votes.c_str ()), "keep votes in " + wish_.votes);
    for (const std::string &each : wish_.peers)
        demand (zlink_registry_add_peer (registry_, each.c_str ()), "name the peer " + each);
}

// --- the snapshot ---

void registry_process::put_aside (const std::string &why)
{
    const std::string aside = wish_.snapshot + ".broken";
    const bool moved = std::rename (wish_.snapshot.c_str (), aside.c_str ()) == 0;
    log_.write (fmt::format ("snapshot not believed: {}: {}{}", wish_.snapshot, why,
                             moved ? "; it is " + aside + " now" : ""));
}

void registry_process::remember_all ()
{
    std::string text, why;
    switch (read_whole (wish_.snapshot, text, why)) {
    case file_found::absent:
        return;
    case file_found::unreadable:
        throw stop{exit_failed, why};
    case file_found::there:
        break;
    }
    std::vector<seen_provider> all;
    if (!read_snapshot (text, all, why))
        return put_aside (why);
    std::size_t count = 0;
    for (const seen_provider &each : all) {
        zlink_registry_event_t known{};
        known.service_type = each.type;
        known.weight = each.weight;
        known.instance = each.instance;
        known.registered_at = each.registered_at;
        known.service_name = each.service.c_str ();
        known.endpoint = each.endpoint.c_str ();
        known.host = each.host.c_str ();
        known.zone = each.zone.c_str ();
        known.labels = each.labels.data ();
        known.labels_size = each.labels.size ();
        if (zlink_registry_remember (registry_, &known) == 0) {
            view_.foresee (each);
            ++count;
        } else
            log_.write (fmt::format ("not remembered service={} endpoint={} reason={}",
                                     as_text (each.service), as_text (each.endpoint),
                                     zlink_strerror (zlink_errno ())));
    }
    log_.write (fmt::format ("snapshot file={} providers={}", wish_.snapshot, count));
}

// What goes wrong is said once, until it is something else.
void registry_process::write_snapshot ()
{
    std::string why;
    const bool written = write_durably (wish_.snapshot, snapshot_of (view_.providers ()), why);
    if (!written && why != snapshot_failure_)
        log_.write ("snapshot not written: " + why);
    if (written && !snapshot_failure_.empty ())
        log_.write ("snapshot written again");
    snapshot_failure_ = why;
}

void registry_process::keep_snapshot ()
{
    for (std::uint64_t seen = 0; !view_.has_ended ();) {
        const std::uint64_t now = view_.wait_beyond (seen, long_wait);
        if (now == seen || view_.has_ended ())
            continue;
        write_snapshot ();
        seen = now;
        (void)view_.wait_for_end (snapshot_pause);
    }
}

// --- its life ---

void registry_process::bind_all ()
{
    for (const std::string &each : wish_.binds) {
        demand (zlink_registry_bind (registry_, each.c_str ()), "bind to " + each);
        std::string real (256, '\0');
        std::size_t size = real.size ();
        demand (zlink_registry_endpoint (registry_, real.data (), &size), "ask where it is");
        log_.write (fmt::format ("bound endpoint={}", real.c_str ()));
    }
}

void registry_process::serve_pages ()
{
    http_ = std::make_unique<registry_http> (view_, [this] {
        zlink_registry_info_t info{};
        zlink_registry_info (registry_, &info);
        return info;
    });
    std::string why;
    const std::string at = http_->start (wish_.http, why);
    if (at.empty ())
        throw stop{exit_failed, why};
    log_.write ("pages at=" + at);
}

void registry_process::start ()
{
    context_ = zlink_ctx_new ();
    registry_ = zlink_registry_new (context_);
    demand (registry_ == nullptr ? -1 : 0, "make a registry");
    set_up ();
    demand (zlink_registry_set_handler (registry_, told, this), "listen to the registry");
    if (!wish_.snapshot.empty ())
        remember_all ();
    bind_all ();
    if (!wish_.http.empty ())
        serve_pages ();
    if (!wish_.snapshot.empty ())
        keeper_ = std::thread ([this] { keep_snapshot (); });
    log_.write ("started");
}

void registry_process::end (const std::string &why)
{
    log_.write ("stopping: " + why);
    view_.end ();
    if (keeper_.joinable ()) {
        keeper_.join ();
        write_snapshot ();
    }
    if (http_ != nullptr)
        http_->stop ();
}

registry_process::~registry_process ()
{
    view_.end ();
    if (keeper_.joinable ())
        keeper_.join ();
    http_.reset ();
    if (registry_ != nullptr)
        zlink_registry_destroy (&registry_);
    if (context_ != nullptr)
        zlink_ctx_term_ms (context_, term_limit_ms);
}

int run (CLI::App &command, const registry_wish &wish)
try {
    std::string why;
    if (!wish.config.empty () && !read_settings_file (command, wish.config, why))
        throw stop{exit_wrong_call, why};
    if (wish.binds.empty ())
        throw stop{exit_wrong_call, "say where to --bind, such as tcp://127.0.0.1:5555"};
    const termination ending;
    std::signal (SIGPIPE, SIG_IGN);
    registry_process process (wish);
    process.start ();
    while (!ending.is_asked_for ())
        sigsuspend (&ending.open_mask ());
    process.end ("it was asked to");
    return exit_done;
} catch (const stop &why) {
    return say_why ("registry", why);
}

void add_limits (CLI::App &command, registry_wish &to)
{
    command.add_option ("--max-providers", to.providers_max, "So many of all services (1000000)")
      ->check (above_0 ());
    command
      .add_option ("--max-providers-of-process", to.providers_of_process_max,
                   "So many of one process (10000)")
      ->check (above_0 ());
    command.add_option ("--max-processes", to.processes_max, "So many processes that register (100000)")
      ->check (above_0 ());
    command.add_option ("--max-memory", to.memory_mib, "Of all providers together, in MiB (512)")
      ->check (above_0 ());
}

}  // namespace

action prepare_registry (CLI::App &command)
{
    auto wish = std::make_shared<registry_wish> ();
    command
      .add_option ("-b,--bind", wish->binds, "Where to bind, such as tcp://10.0.0.7:5555; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option ("-p,--peer", wish->peers,
                   "Another registry that holds the same, which everybody is told of; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option ("--lease", wish->lease_s, "Seconds of silence after which a provider is dropped (10)")
      ->check (CLI::Range (0.01, lease_s_max));
    command
      .add_option ("--renew", wish->renew_s, "Seconds between two signs of life (a quarter of the lease)")
      ->check (CLI::Range (0.001, lease_s_max));
    add_limits (command, *wish);
    add_options (command, wish->option_texts);
    command.add_option ("--snapshot", wish->snapshot,
                        "A file that remembers who was there, for the next start");
    command.add_option ("--store", wish->store,
                        "An etcd that keeps providers and grants, such as etcd://127.0.0.1:2379/prefix");
    command.add_option ("--votes", wish->votes,
                        "A file that remembers who was granted partitions: for one of several that grant");
    command.add_option ("--http", wish->http,
                        "Where to show pages, such as 127.0.0.1:8080: /, /api/services, /metrics, /healthz");
    command.add_option ("-f,--config", wish->config, "A file with more of these, a line each: name = value");
    command.add_flag ("-q,--quiet", wish->quiet, "No line for each provider that comes, changes or goes");
    command.footer (
      "A file has the long names without their dashes; what is on the command line counts more:\n"
      "  # who may register is said by options of the socket, here or with --option\n"
      "  bind = tcp://*:5555\n"
      "  http = 127.0.0.1:8080\n"
      "  snapshot = /var/lib/zlink/registry\n"
      "  option = CURVE_SERVER=1\n"
      "  option = CURVE_SECRETKEY=...\n"
      "  option = CURVE_ALLOWED_KEYS=...\n"
      "SIGTERM and SIGINT end it. Providers and watchers come back to the next one by themselves.");
    return [wish, &command] { return run (command, *wish); };
}

}  // namespace zlink::tool
