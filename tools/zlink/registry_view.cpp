#include "tools/zlink/registry_view.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace zlink::tool {

namespace {

using nlohmann::json;

// So many services have a line of their own in the metrics.
constexpr std::size_t services_measured_max = 10'000;

std::string dumped (const json &what) { return what.dump (-1, ' ', true, json::error_handler_t::replace); }

const char *name_of_type (std::uint16_t type) { return type == ZLINK_SERVICE_SPOT ? "spot" : "gateway"; }

seen_provider provider_of (const zlink_registry_event_t &what)
{
    return {.type = what.service_type,
            .service = what.service_name,
            .endpoint = what.endpoint,
            .host = what.host,
            .zone = what.zone,
            .labels = std::string (static_cast<const char *> (what.labels), what.labels_size),
            .weight = what.weight,
            .instance = what.instance,
            .registered_at = what.registered_at,
            .confirmed = what.confirmed != 0};
}

std::string line (const char *what, const seen_provider &whom)
{
    return fmt::format ("{} service={} endpoint={} instance={:016x}", what, as_text (whom.service),
                        whom.endpoint, whom.instance);
}

json described (const seen_provider &whom)
{
    return {{"endpoint", whom.endpoint},
            {"host", whom.host},
            {"zone", whom.zone},
            {"weight", whom.weight},
            {"instance", fmt::format ("{:016x}", whom.instance)},
            {"registered_at", whom.registered_at},
            {"confirmed", whom.confirmed}};
}

// The value of a label: no quote, backslash or end of a line stays as it is.
std::string label (const std::string &text)
{
    std::string made;
    for (const char each : text)
        switch (each) {
        case '\\':
            made += "\\\\";
            break;
        case '"':
            made += "\\\"";
            break;
        case '\n':
            made += "\\n";
            break;
        default:
            made += each;
        }
    return made;
}

void append_metric (
  std::string &to, const char *name, const char *type, const char *help, std::uint64_t value)
{
    to += fmt::format ("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
}

}  // namespace

std::string as_text (const std::string &text) { return dumped (text); }

// --- what happens ---

registry_view::identity registry_view::identity_of (const seen_provider &whom)
{
    return {whom.type, whom.service, whom.endpoint, whom.instance};
}

void registry_view::foresee (const seen_provider &whom)
{
    const std::lock_guard guard (lock_);
    foreseen_.insert (identity_of (whom));
}

std::string registry_view::take (const zlink_registry_event_t &what)
{
    std::string said;
    {
        const std::lock_guard guard (lock_);
        if (what.kind == ZLINK_REGISTRY_REFUSED) {
            count (now_.refused, what);
            return fmt::format ("refused endpoint={} reason={}", as_text (what.endpoint), what.reason_text);
        }
        ++now_.changes;
        said = what.kind == ZLINK_REGISTRY_GONE ? take_gone (what) : take_provider (what);
    }
    news_.notify_all ();
    return said;
}

std::string registry_view::take_provider (const zlink_registry_event_t &what)
{
    seen_provider fresh = provider_of (what);
    auto &of = now_.services[key (fresh.type, fresh.service)];
    const auto [at, is_new] = of.try_emplace (fresh.endpoint);
    seen_provider &known = at->second;
    const bool foreseen = foreseen_.erase (identity_of (fresh)) != 0;
    const bool comes = !foreseen && (is_new || known.instance != fresh.instance);
    const char *const word = !fresh.confirmed                      ? "remembered"
                             : comes                               ? "registered"
                             : !known.confirmed && fresh.confirmed ? "confirmed"
                                                                   : "changed";
    if (fresh.confirmed)
        ++(comes || !known.confirmed ? now_.came : now_.changed);
    known = std::move (fresh);
    return fmt::format ("{} weight={} host={}", line (word, known), known.weight, as_text (known.host));
}

std::string registry_view::take_gone (const zlink_registry_event_t &what)
{
    count (now_.gone, what);
    const auto of = now_.services.find (key (what.service_type, what.service_name));
    if (of != now_.services.end ()) {
        of->second.erase (what.endpoint);
        if (of->second.empty ())
            now_.services.erase (of);
    }
    seen_provider whom;
    whom.service = what.service_name;
    whom.endpoint = what.endpoint;
    whom.instance = what.instance;
    return fmt::format ("{} reason={}", line ("gone", whom), what.reason_text);
}

void registry_view::count (tally &in, const zlink_registry_event_t &what)
{
    const std::size_t at = std::min<std::size_t> (what.reason, reasons_max - 1);
    ++in.counts[at];
    in.names[at] = what.reason_text;
}

registry_view::state registry_view::copied () const
{
    const std::lock_guard guard (lock_);
    return now_;
}

// --- what is known ---

std::vector<seen_provider> registry_view::providers () const
{
    const state now = copied ();
    std::vector<seen_provider> all;
    for (const auto &[name, of] : now.services)
        for (const auto &[endpoint, each] : of)
            all.push_back (each);
    return all;
}

std::uint64_t registry_view::changes () const
{
    const std::lock_guard guard (lock_);
    return now_.changes;
}

std::string registry_view::json (const zlink_registry_info_t &info) const
{
    tool::json services = tool::json::array ();
    tool::json made{{"incarnation", fmt::format ("{:016x}", info.incarnation)},
                    {"revision", info.revision},
                    {"settled", info.settled != 0},
                    {"watches", info.watches},
                    {"peers", info.peers},
                    {"instances", info.instances},
                    {"bytes", info.bytes}};
    const state now = copied ();
    std::size_t all = 0;
    for (const auto &[name, of] : now.services) {
        tool::json providers = tool::json::array ();
        for (const auto &[endpoint, each] : of)
            providers.push_back (described (each));
        all += of.size ();
        services.push_back (
          {{"type", name_of_type (name.first)}, {"name", name.second}, {"providers", std::move (providers)}});
    }
    const auto by_reason = [] (const tally &from) {
        tool::json counted = tool::json::object ();
        for (std::size_t at = 0; at < reasons_max; ++at)
            if (from.counts[at] != 0)
                counted[from.names[at]] = from.counts[at];
        return counted;
    };
    made["changes"] = now.changes;
    made["providers"] = all;
    made["registered_total"] = now.came;
    made["changed_total"] = now.changed;
    made["gone_total"] = by_reason (now.gone);
    made["refused_total"] = by_reason (now.refused);
    made["services"] = std::move (services);
    return dumped (made);
}

std::string registry_view::metrics (const zlink_registry_info_t &info) const
{
    std::string made;
    append_metric (made, "zlink_registry_settled", "gauge", "Everybody alive has had the time to register.",
                   info.settled);
    append_metric (made, "zlink_registry_revision", "gauge", "Changes of this incarnation.", info.revision);
    append_metric (made, "zlink_registry_watches", "gauge",
                   "Services that are watched, once for each watcher.", info.watches);
    append_metric (made, "zlink_registry_peers", "gauge", "Connections.", info.peers);
    append_metric (made, "zlink_registry_instances", "gauge", "Processes that have registered.",
                   info.instances);
    append_metric (made, "zlink_registry_memory_bytes", "gauge", "Memory of providers, about.", info.bytes);
    const state now = copied ();
    append_metric (made, "zlink_registry_registered_total", "counter", "Providers that came.", now.came);
    append_metric (made, "zlink_registry_changed_total", "counter", "Changes of those that were there.",
                   now.changed);
    const auto append_tally = [&made] (const tally &from, const char *name, const char *attribute,
                                       const char *help) {
        made += fmt::format ("# HELP {0} {1}\n# TYPE {0} counter\n", name, help);
        for (std::size_t at = 0; at < reasons_max; ++at)
            if (from.counts[at] != 0)
                made += fmt::format ("{}{{{}=\"{}\"}} {}\n", name, attribute, label (from.names[at]),
                                     from.counts[at]);
    };
    append_tally (now.gone, "zlink_registry_gone_total", "reason", "Providers that went.");
    append_tally (now.refused, "zlink_registry_refused_total", "error_type",
                  "What peers asked for and did not get.");
    made +=
      "# HELP zlink_registry_providers Providers of a service.\n# TYPE zlink_registry_providers gauge\n";
    std::size_t left = services_measured_max;
    for (auto at = now.services.begin (); at != now.services.end () && left > 0; ++at, --left)
        made += fmt::format ("zlink_registry_providers{{service_namespace=\"{}\",service_name=\"{}\"}} {}\n",
                             name_of_type (at->first.first), label (at->first.second), at->second.size ());
    return made;
}

// --- waiting ---

std::uint64_t registry_view::wait_beyond (std::uint64_t changes, std::chrono::milliseconds limit) const
{
    std::unique_lock guard (lock_);
    news_.wait_for (guard, limit, [&] { return ended_ || now_.changes > changes; });
    return now_.changes;
}

bool registry_view::wait_for_end (std::chrono::milliseconds limit) const
{
    std::unique_lock guard (lock_);
    return news_.wait_for (guard, limit, [&] { return ended_; });
}

bool registry_view::has_ended () const
{
    const std::lock_guard guard (lock_);
    return ended_;
}

void registry_view::end ()
{
    {
        const std::lock_guard guard (lock_);
        ended_ = true;
    }
    news_.notify_all ();
}

}  // namespace zlink::tool
