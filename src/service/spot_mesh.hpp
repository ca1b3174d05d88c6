// Which nodes a node knows, and whom it is to be connected to.
//
// Peers come from four sources: told by the application (static: one direction, as
// zlink 1.x has it), seeds, other members (who came by a seed, or through one), and a
// registry. One endpoint is dialled once however many sources name it, and as long as
// one does; the engine redials by itself.
//
// Thread rule: whoever guards it; a state machine over (now, what happened), without
// sockets. What is to be done stands in actions. Taking memory may throw std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace zlink::service {

enum class spot_source : std::uint8_t
{
    told = 1,      // by the application
    seed = 2,      // likewise; joins as a member
    member = 4,    // by a node, or by its own presence
    registry = 8,  //
};

class spot_mesh
{
  public:
    explicit spot_mesh (std::uint64_t self) noexcept : self_ (self) {}

    struct action
    {
        enum class kind : std::uint8_t
        {
            dial,
            hang_up,
            introduce,  // tell this node of all members
            came,       // a node is there
            gone,       //
        };
        kind what = kind::dial;
        std::string endpoint{};
        std::uint64_t node = 0;
    };

    // True: it was not known from there. An endpoint of our own is never dialled.
    bool add (std::string_view endpoint, spot_source from);
    bool remove (std::string_view endpoint, spot_source from);
    // The same where it is others who no longer name it: what its node has sent may still
    // be under way, so the connection stays for spot_parting_ns (of spot_nodes_max at most).
    void let_go (base::time_ns now, std::string_view endpoint, spot_source from);
    void own (std::string_view endpoint);
    // A member joins, and connects back to whoever comes or has come; so does who adds a seed.
    void be_member ();
    [[nodiscard]] bool is_member () const noexcept { return member_; }
    // Is none any more: seeds and members are hung up. False: it was none.
    bool leave ();

    // Presences as they come and go by subscriptions, up to spot_presences_max of one node,
    // and members as letters tell them. Who says no more where it is has left. While
    // spot_actions_max are to be done, what letters tell is passed over.
    void present (base::time_ns now, std::uint64_t node, std::string_view endpoint);
    void absent (base::time_ns now, std::uint64_t node, std::string_view endpoint);
    void told_of (base::time_ns now, std::uint64_t node, std::string_view endpoint);

    // Members that were not seen for a while are forgotten, those let go are hung up; when
    // next to look.
    base::time_ns advance (base::time_ns now);
    // What is to be done since the last time.
    [[nodiscard]] std::vector<action> take_actions () noexcept;
    [[nodiscard]] bool has_actions () const noexcept { return !actions_.empty (); }
    // Those that could not be done, for the next time; nothing else has come since they were taken.
    void give_back (std::vector<action> undone) noexcept;

    struct member
    {
        std::uint64_t node = 0;
        std::string endpoint{};
    };
    // Who is there and can be reached.
    [[nodiscard]] std::vector<member> members () const;
    [[nodiscard]] std::size_t present_count () const noexcept;
    [[nodiscard]] std::vector<std::uint64_t> present () const;

  private:
    struct known_node
    {
        std::vector<std::string> endpoints;  // that we want for it
        std::vector<std::string> said;       // by its presences; none: it was told of, or has gone
        base::time_ns since_ns = 0;          // of those
        [[nodiscard]] bool is_there () const noexcept { return !said.empty (); }
    };
    [[nodiscard]] bool is_own (std::string_view endpoint) const noexcept;
    void act (action::kind what, std::string_view endpoint, std::uint64_t node);
    // True: it was, and nobody else wants it.
    bool unwant (std::string_view endpoint, spot_source from);
    void follow (base::time_ns now, known_node &which);
    void give_up (base::time_ns now, const std::vector<std::string> &endpoints);
    base::time_ns hang_up_parted (base::time_ns now);

    const std::uint64_t self_;
    bool member_ = false;
    std::vector<std::string> own_;
    std::map<std::string, unsigned, std::less<>> wanted_;        // endpoint: sources
    std::map<std::string, base::time_ns, std::less<>> parting_;  // endpoint: until when it stays
    std::map<std::uint64_t, known_node> nodes_;
    std::vector<action> actions_;
};

}  // namespace zlink::service
