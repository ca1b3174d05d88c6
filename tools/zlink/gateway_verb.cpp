// A relay to services, and to topics, for clients that know one address.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <zlink/zlink.h>

#include "tools/zlink/relay.hpp"
#include "tools/zlink/settings_file.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/termination.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

struct gateway_wish
{
    relay_settings relayed;
    std::vector<std::string> providers;  // SERVICE=ENDPOINT, as they were written
    std::vector<std::string> provider_option_texts;
    double timeout_s = 30;
    double patience_s = 5;
    std::string publishers;
    std::string subscribers;
    std::string config;
};

// False: `why` says what is wrong.
bool settle_gateway (gateway_wish &wish, std::string &why)
{
    if (wish.relayed.clients.binds.empty ()) {
        why = "say where to --bind, such as tcp://*:5560";
        return false;
    }
    for (const std::string &each : wish.providers) {
        const std::size_t at = each.find ('=');
        if (at == 0 || at == std::string::npos || at + 1 == each.size ()) {
            why = "'" + each + "' is not of the form SERVICE=ENDPOINT, such as calc=tcp://host:5000";
            return false;
        }
        wish.relayed.services[each.substr (0, at)].push_back (each.substr (at + 1));
    }
    if (wish.publishers.empty () != wish.subscribers.empty ()) {
        why = "topics take both, --publishers and --subscribers";
        return false;
    }
    const bool services = !wish.relayed.services.empty () || !wish.relayed.registries.empty ();
    if (!services && wish.publishers.empty ()) {
        why = "say who knows the providers: --registry, or --provider; or where topics go";
        return false;
    }
    if (!wish.relayed.services.empty () && !wish.relayed.registries.empty ()) {
        why = "a registry knows all providers: --provider is for a gateway without one";
        return false;
    }
    wish.relayed.timeout_ms = static_cast<std::int32_t> (wish.timeout_s * 1000);
    wish.relayed.patience_ms = static_cast<std::int32_t> (wish.patience_s * 1000);
    return settle (wish.relayed.clients, why)
           && read_options (wish.provider_option_texts, wish.relayed.provider_options, why);
}

// XSUB to XPUB on a thread of its own, until it goes.
class topic_proxy
{
  public:
    topic_proxy (void *context, const std::string &publishers, const std::string &subscribers)
      : control_ (zlink_socket (context, ZLINK_PAIR)), steer_ (zlink_socket (context, ZLINK_PAIR)),
        in_ (zlink_socket (context, ZLINK_XSUB)), out_ (zlink_socket (context, ZLINK_XPUB))
    {
        talker::demand (control_ != nullptr && steer_ != nullptr && in_ != nullptr && out_ != nullptr,
                        "cannot make sockets for topics");
        constexpr const char *place = "inproc://topics";
        talker::demand (zlink_bind (control_, place) == 0 && zlink_connect (steer_, place) == 0,
                        "cannot steer topics");
        talker::demand (zlink_bind (in_, publishers.c_str ()) == 0, "cannot bind to " + publishers);
        talker::demand (zlink_bind (out_, subscribers.c_str ()) == 0, "cannot bind to " + subscribers);
        fmt::print (stderr, "zlink gateway: publishers at {}, subscribers at {}\n", publishers, subscribers);
        thread_ = std::thread ([this] { (void)zlink_proxy_steerable (in_, out_, nullptr, control_); });
    }
    ~topic_proxy ()
    {
        (void)zlink_send (steer_, "TERMINATE", 9, 0);
        thread_.join ();
        for (void *const each : {in_, out_, control_, steer_})
            zlink_close (each);
    }
    topic_proxy (const topic_proxy &) = delete;
    topic_proxy &operator= (const topic_proxy &) = delete;

  private:
    void *control_, *steer_, *in_, *out_;
    std::thread thread_;
};

class context_of_verb
{
  public:
    context_of_verb () : handle_ (zlink_ctx_new ()) { talker::demand (handle_ != nullptr, "cannot begin"); }
    ~context_of_verb () { zlink_ctx_term_ms (handle_, 1000); }
    context_of_verb (const context_of_verb &) = delete;
    context_of_verb &operator= (const context_of_verb &) = delete;
    [[nodiscard]] void *handle () const noexcept { return handle_; }

  private:
    void *handle_;
};

int run_gateway (CLI::App &command, gateway_wish &wish)
{
    std::string why;
    if ((!wish.config.empty () && !read_settings_file (command, wish.config, why))
        || !settle_gateway (wish, why))
        return say_why ("gateway", {exit_wrong_call, why});
    try {
        const termination ending;
        const context_of_verb context;
        std::unique_ptr<topic_proxy> topics;
        if (!wish.publishers.empty ())
            topics = std::make_unique<topic_proxy> (context.handle (), wish.publishers, wish.subscribers);
        std::string summary;
        {
            relay relayed (context.handle (), wish.relayed);
            relayed.run (ending);
            relayed.close ();
            summary = relayed.summary ();
        }
        fmt::print (stderr, "zlink gateway: ends after {}\n", summary);
        return exit_done;
    } catch (const stop &ended) {
        return say_why ("gateway", ended);
    }
}

}  // namespace

action prepare_gateway (CLI::App &command)
{
    auto wish = std::make_shared<gateway_wish> ();
    attachment &clients = wish->relayed.clients;
    command
      .add_option ("-b,--bind", clients.binds, "Where clients come, such as tcp://*:5560; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option ("-r,--registry", wish->relayed.registries,
                   "A registry that knows the providers; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option ("-p,--provider", wish->providers,
                   "SERVICE=ENDPOINT: a provider, where there is no registry; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option ("-t,--timeout", wish->timeout_s, "Seconds that a request may take which does not say so")
      ->check (CLI::Range (0.001, 86'400.0))
      ->capture_default_str ();
    command.add_option ("--patience", wish->patience_s, "Seconds that those under way may take in the end")
      ->check (CLI::Range (0.0, 86'400.0))
      ->capture_default_str ();
    command.add_option ("--publishers", wish->publishers,
                        "Where publishers connect, whose topics are relayed");
    command.add_option ("--subscribers", wish->subscribers, "Where those connect that want them");
    add_options (command, clients.option_texts);
    command
      .add_option ("--provider-option", wish->provider_option_texts,
                   "The same of the connections to providers; may be repeated")
      ->allow_extra_args (false);
    command.add_flag ("-v,--verbose", wish->relayed.says_failures,
                      "A line on standard error for each failure");
    command.add_option ("-f,--config", wish->config, "A file with more of these, a line each: name = value");
    command.footer (
      "Clients are REQs or DEALERs of any language (docs/protocol/relay.md):\n"
      "zlink gateway --bind tcp://*:5560 --registry tcp://registry:5550\n"
      "zlink req tcp://localhost:5560 --data $'calc\\t2+2'\n"
      "A file has the long names without their dashes; what is on the command line counts more.");
    return [wish, &command] { return run_gateway (command, *wish); };
}

}  // namespace zlink::tool
