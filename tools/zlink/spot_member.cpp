#include "tools/zlink/spot_member.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <zlink/zlink.h>

#include "tools/zlink/attachment.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

void add_list (CLI::App &command, const char *name, std::vector<std::string> &to, const char *what)
{
    command.add_option (name, to, what)->allow_extra_args (false);
}

}  // namespace

void add_membership (CLI::App &command, membership &to)
{
    add_list (command, "-b,--bind", to.binds,
              "Where other nodes reach this one, such as tcp://192.0.2.7:5570; may be repeated");
    add_list (command, "--peer", to.peers,
              "A node that is read, which does not read this one; may be repeated");
    add_list (command, "-j,--join", to.seeds,
              "A node of a mesh: all of its nodes and this one read each other; may be repeated");
    command.add_flag ("--seed", to.is_seed, "Others may --join this one, which knows nobody yet");
    add_list (command, "-r,--registry", to.registries,
              "A registry: all that are registered there read each other; may be repeated");
    command.add_option ("--service", to.service, "What nodes of one mesh are registered as")
      ->capture_default_str ();
    command.add_option ("--advertise", to.advertised,
                        "The endpoint that is told to registries (where it is bound)");
    add_options (command, to.option_texts);
    add_list (command, "--bind-option", to.bind_option_texts,
              "The same of what --bind makes alone; may be repeated");
    add_list (command, "--connect-option", to.connect_option_texts,
              "The same of connections to other nodes alone; may be repeated");
    add_statistics (command, to.statistics);
    command.add_flag ("-v,--verbose", to.says_where, "Say on standard error what was bound");
}

bool settle (membership &what, spot_reading how, std::string &why)
{
    const bool knows_somebody = !what.peers.empty () || !what.seeds.empty () || !what.registries.empty ();
    if (!knows_somebody && what.binds.empty ()) {
        why = "say how nodes find each other: --bind, --peer, --join or --registry";
        return false;
    }
    if (what.binds.empty () && (!what.seeds.empty () || what.is_seed)) {
        why = "who joins is read by the others: say where with --bind, such as tcp://192.0.2.7:5570";
        return false;
    }
    if (what.binds.empty () && how == spot_reading::is_read) {
        why = "who publishes is read by others: say where with --bind, such as tcp://*:5570";
        return false;
    }
    if (!what.advertised.empty () && what.registries.empty ()) {
        why = "--advertise is told to a --registry, and there is none";
        return false;
    }
    for (const auto &[texts, to] : {std::pair (&what.option_texts, &what.bind_options),
                                    std::pair (&what.option_texts, &what.connect_options),
                                    std::pair (&what.bind_option_texts, &what.bind_options),
                                    std::pair (&what.connect_option_texts, &what.connect_options)})
        if (!read_options (*texts, *to, why))
            return false;
    return true;
}

spot_member::spot_member (const membership &what, int linger_ms) : what_ (what)
{
    context_ = zlink_ctx_new ();
    node_ = context_ == nullptr ? nullptr : zlink_spot_node_new (context_);
    try {
        talker::demand (node_ != nullptr, "cannot make a node");
        set_options (linger_ms);
        talker::demand (counters_.start (context_, what.statistics),
                        "cannot serve statistics at " + what.statistics);
    } catch (const stop &) {
        close ();
        throw;
    }
}

void spot_member::enter ()
{
    for (const std::string &each : what_.binds)
        bind (each);
    if (what_.is_seed)
        talker::demand (zlink_spot_node_join (node_, nullptr) == 0, "cannot be joined");
    for (const std::string &each : what_.seeds)
        talker::demand (zlink_spot_node_join (node_, each.c_str ()) == 0, "cannot join " + each);
    for (const std::string &each : what_.peers)
        talker::demand (zlink_spot_node_connect_peer_pub (node_, each.c_str ()) == 0,
                        "cannot connect to " + each);
    if (!what_.registries.empty ())
        enter_registries ();
}

void spot_member::set_options (int linger_ms)
{
    const auto set = [this] (int role, const option_value &what) {
        talker::demand (
          zlink_spot_node_setsockopt (node_, role, what.number, what.bytes.data (), what.bytes.size ()) == 0,
          "cannot set " + what.name);
    };
    talker::demand (zlink_spot_node_setsockopt (node_, ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_LINGER, &linger_ms,
                                                sizeof linger_ms)
                      == 0,
                    "cannot set the time limit");
    for (const option_value &each : what_.bind_options)
        set (ZLINK_SPOT_NODE_SOCKET_PUB, each);
    for (const option_value &each : what_.connect_options)
        set (ZLINK_SPOT_NODE_SOCKET_SUB, each);
}

void spot_member::bind (const std::string &endpoint)
{
    talker::demand (zlink_spot_node_bind (node_, endpoint.c_str ()) == 0, "cannot bind to " + endpoint);
    char at[512] = "";
    std::size_t size = sizeof at;
    if (zlink_spot_node_endpoint (node_, at, &size) != 0)
        return;
    if (what_.says_where)
        std::fprintf (stderr, "bound to %s\n", at);
    const std::string bound = at;
    if (!what_.seeds.empty ()
        && (bound.find ("://0.0.0.0:") != std::string::npos || bound.find ("://[::]:") != std::string::npos))
        throw stop{exit_wrong_call, "who is joined tells the others where to connect: --bind " + endpoint
                                      + " names no address that they could"};
}

void spot_member::enter_registries ()
{
    discovery_ = zlink_discovery_new_typed (context_, ZLINK_SERVICE_SPOT);
    talker::demand (discovery_ != nullptr, "cannot look for nodes");
    for (const std::string &each : what_.registries) {
        talker::demand (zlink_discovery_connect_registry (discovery_, each.c_str ()) == 0,
                        "cannot connect to " + each);
        talker::demand (zlink_spot_node_connect_registry (node_, each.c_str ()) == 0,
                        "cannot connect to " + each);
    }
    talker::demand (zlink_spot_node_set_discovery (node_, discovery_, what_.service.c_str ()) == 0,
                    "cannot look for nodes called " + what_.service);
    if (what_.binds.empty ())
        return;
    const char *const where = what_.advertised.empty () ? nullptr : what_.advertised.c_str ();
    talker::demand (zlink_spot_node_register (node_, what_.service.c_str (), where) == 0,
                    "cannot register as " + what_.service);
}

void spot_member::close () noexcept
{
    counters_.stop ();
    if (node_ != nullptr)
        zlink_spot_node_destroy (&node_);
    if (discovery_ != nullptr)
        zlink_discovery_destroy (&discovery_);
    if (context_ != nullptr)
        zlink_ctx_term (std::exchange (context_, nullptr));
}

}  // namespace zlink::tool
