// A node of SPOT in a context of its own, for the length of a verb: how it is reached and
// whom it knows, as the options of `zlink spot` say. What cannot be is thrown as a stop.
// One thread.
#pragma once

#include <string>
#include <vector>

#include "tools/zlink/option_value.hpp"
#include "tools/zlink/served_counters.hpp"

namespace CLI {
class App;
}

namespace zlink::tool {

struct membership
{
    std::vector<std::string> binds;
    std::vector<std::string> peers;
    std::vector<std::string> seeds;
    std::vector<std::string> registries;
    std::string service = "spot-node";
    std::string advertised;                 // to registries; empty: where it is bound
    std::vector<std::string> option_texts;  // NAME=VALUE, as they were written
    std::vector<std::string> bind_option_texts;
    std::vector<std::string> connect_option_texts;
    std::vector<option_value> bind_options;  // the same, read by settle()
    std::vector<option_value> connect_options;
    std::string statistics;
    bool says_where = false;
    bool is_seed = false;
};

// --bind, --peer, --join, --registry and what belongs to them. `to` lives until the verb
// has run.
void add_membership (CLI::App &command, membership &to);

enum class spot_reading : bool
{
    reads,
    is_read,  // others are to read what it publishes
};
// False: `why` names the argument and the rule.
[[nodiscard]] bool settle (membership &what, spot_reading how, std::string &why);

class spot_member
{
  public:
    // Nobody knows of it yet; what is on its way out at the end has linger_ms.
    spot_member (const membership &what, int linger_ms);
    ~spot_member () { close (); }
    spot_member (const spot_member &) = delete;
    spot_member &operator= (const spot_member &) = delete;

    // Bound and connected. What it has subscribed to by now is known to whoever sees it.
    void enter ();

    [[nodiscard]] void *node () const noexcept { return node_; }
    // Its publishers and subscribers are destroyed.
    void close () noexcept;

  private:
    void set_options (int linger_ms);
    void bind (const std::string &endpoint);
    void enter_registries ();

    const membership &what_;
    void *context_ = nullptr;
    void *node_ = nullptr;
    void *discovery_ = nullptr;
    served_counters counters_;
};

}  // namespace zlink::tool
