// A registry: a ROUTER where providers register and watchers are told
// (docs/protocol/registry.md), with what it knows in memory.
//
// Thread rule: every call from any thread; the work is the loop's. Blocking: close(),
// until the loop has let go. What happens is told to an observer on the loop's
// thread, with no lock held.
// Lifetime: the world and the observer outlive it. Held by a shared_ptr; close() before
// it is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/message.hpp"
#include "base/world.hpp"
#include "service/grantor.hpp"
#include "service/offered_endpoint.hpp"
#include "service/registry_table.hpp"
#include "service/registry_watchers.hpp"
#include "service/service_loop.hpp"
#include "service/store_desk.hpp"
#include "service/store_grantor.hpp"
#include "service/vote_keeper.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

// Somebody who is told of each change, in order. Both return soon and do not call the
// registry.
class registry_observer
{
  public:
    virtual ~registry_observer () = default;
    // A provider came, changed or went: the texts are valid during the call.
    virtual void changed (const wire::registry_entry &what) noexcept = 0;
    // A peer was refused, for good or with what it asked for.
    virtual void refused (std::string_view peer, std::uint16_t fault, std::string_view about) noexcept = 0;
};

struct registry_options
{
    base::time_ns lease_ns = service::lease_ns;
    base::time_ns renew_ns = service::renew_ns;
    base::time_ns grace_ns = lost_grace_ns;
    base::time_ns grant_lease_ns = service::grant_lease_ns;
    registry_observer *observer = nullptr;
};

struct registry_facts
{
    std::uint64_t incarnation = 0;
    std::uint64_t revision = 0;
    bool settled = false;
    std::size_t services = 0;
    std::size_t providers = 0;
    std::size_t instances = 0;
    std::size_t watches = 0;
    std::size_t peers = 0;
    std::size_t bytes = 0;
};

class registry final : public served
{
  public:
    // too_many_sockets, terminated, no_memory.
    static base::result<std::shared_ptr<registry>> open (base::world &world,
                                                         void *context,
                                                         const std::shared_ptr<service_loop> &loop,
                                                         const registry_options &options = {}) noexcept;
    registry (base::world &world, const registry_settings &settings, const registry_options &options);
    ~registry () override;

    // An option of its socket: keys, certificates, and the like. Counts for what is bound
    // later.
    base::result<void> set_option (int number, const void *value, std::size_t size) noexcept;
    // How long a lease is, and how often to renew it. invalid_argument: not 0 < renew < lease;
    // wrong_state: it is bound already.
    base::result<void> set_lease (base::time_ns lease, base::time_ns renew) noexcept;
    // Below, too, wrong_state: it is bound already.
    base::result<void> set_limit (registry_limit which, std::size_t most) noexcept;
    // Instead of the options' one; lives until close() has returned.
    base::result<void> set_observer (registry_observer *observer) noexcept;
    // Somebody who was known to an earlier registry, and is believed to be there until this
    // one settles. Labels and the like are as the protocol has them.
    // invalid_argument: the text of a name or an endpoint is none; address_in_use: that is
    // known already; too_many_sockets: a limit; no_memory.
    base::result<void> remember (const wire::provider_view &provider) noexcept;
    // Keeps its providers in a store from now on, with everybody else's that are there, and
    // grants there: with whoever else does, as one grantor.
    // wrong_state: it is bound, or has one; else as the opener.
    base::result<void> set_store (const store_opener &open) noexcept;
    // Writes down what it grants from now on, and goes on from what is written there: one of
    // several may grant then. Blocks, as long as the disk does. wrong_state: it is bound, or
    // has a store or a file already; EBADMSG of the system: the file is damaged, which is
    // logged, and it is left as it is; else as the file and the threads say, no_memory. It
    // votes for nobody then.
    base::result<void> keep_votes (std::unique_ptr<base::durable_file> file) noexcept;
    // The host of our end of the connection to the store; nothing: it was never reached.
    [[nodiscard]] std::optional<std::string> store_route_host () noexcept;
    // Answers the endpoint with wildcards as far as they are known. Every address of the
    // machine without anything that says who may come in is warned of. As the facade's
    // bind.
    base::result<std::string> bind (std::string_view endpoint) noexcept;
    // Another registry that holds the same, told to whoever opens a session.
    // invalid_argument: it is no endpoint, or one too many; no_memory.
    base::result<void> add_other (std::string_view endpoint) noexcept;

    // Removes a provider, whoever registered it; it may come again. no_such_endpoint.
    base::result<void>
    force_out (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept;

    [[nodiscard]] registry_facts facts () noexcept;
    // Appends the entries of a family, those that are remembered as gone among them, for
    // wire::registry_entries. no_memory.
    base::result<void> list (std::uint16_t family, std::vector<std::byte> &entries) noexcept;

    // Whoever is connected loses it. It is of no use any more.
    void close () noexcept;

    // --- the loop's ---
    void sockets (std::vector<socket::poll_item> &wanted) override;
    loop_wish advance (base::time_ns now) override;
    void ended () noexcept override {}

  private:
    using peer_number = registry_table::peer_number;
    // Who is connected.
    struct peer
    {
        peer_number number = 0;
        nearness near = nearness::elsewhere;
        bool deaf = false;                      // what it sends is ignored
        std::uint16_t owed = wire::fault_none;  // to be told so, once there is room
    };
    using peer_map = std::map<std::string, peer, std::less<>>;  // by name
    // To be told behind the lock.
    struct refusal
    {
        std::string peer;
        std::uint16_t fault;
        std::string about;
    };

    // --- peers ---
    [[nodiscard]] peer_map::value_type *find_or_add (std::string_view name) noexcept;
    void forget (base::time_ns now, peer_map::iterator which) noexcept;
    void refuse (base::time_ns now, peer_map::value_type &whom, std::uint16_t fault) noexcept;
    void cut_off (base::time_ns now, peer_map::value_type &whom, std::uint16_t fault) noexcept;
    void tell_owed (base::time_ns now) noexcept;

    // --- what comes ---
    [[nodiscard]] bool read_one (base::time_ns now);
    void take (base::time_ns now, peer_map::value_type &from, const base::message &body);
    [[nodiscard]] bool
    handle (base::time_ns now, peer_map::value_type &from, const wire::registry_message &what);
    void take_grant (base::time_ns now, peer_map::value_type &from, const base::message &body);
    void take_open (base::time_ns now, peer_map::value_type &from, const wire::registry_message &what);
    void take_put (base::time_ns now, peer_map::value_type &from, const wire::registry_message &what);
    void answer (base::time_ns now,
                 peer_map::value_type &to,
                 const wire::registry_message &what,
                 std::uint16_t fault,
                 std::string_view text = {}) noexcept;
    void say (base::time_ns now, peer_map::value_type &to, const wire::registry_message &what) noexcept;
    void note_refusal (std::string_view whom, std::uint16_t fault, std::string_view about) noexcept;

    // --- votes ---
    [[nodiscard]] base::time_ns write_votes (base::time_ns now);
    void note_votes_written (base::time_ns now, const base::result<void> &outcome);
    void send_grant (std::string_view name, base::bytes_view answer) noexcept;
    void end_votes () noexcept;

    // --- the store ---
    void take_store_news (base::time_ns now);
    void answer_stored (base::time_ns now, store_desk::answered &what) noexcept;
    [[nodiscard]] std::uint16_t take_stored (base::time_ns now,
                                             const store_desk::answered &what,
                                             const wire::provider_view &provider) noexcept;
    void drop_from_store (base::bytes_view page);
    bool last_turn () noexcept;

    // --- what goes ---
    [[nodiscard]] std::uint16_t send (std::string_view name, base::message &body) noexcept;
    [[nodiscard]] bool send_pages (base::time_ns now);
    void collect_changes ();
    void tell (registry_observer *observer) noexcept;
    void warn_of_open_door (std::string_view endpoint) noexcept;

    base::world &world_;
    std::unique_ptr<service_loop::seat> seat_;

    waiting_lock lock_;  // of all below
    registry_observer *observer_;
    void *socket_ = nullptr;
    base::time_ns lease_ns_, renew_ns_;
    bool bound_ = false;
    registry_table table_;
    registry_watchers watchers_;
    grantor grants_;
    std::unique_ptr<vote_keeper> votes_;  // null: in memory
    bool votes_fail_ = false;             // the last time; it has been logged
    base::time_ns votes_again_ns_ = 0;    // not written before
    // Null: it keeps them itself, and votes_ is asked. The first outlives what visits the store.
    std::unique_ptr<store_grantor> store_grants_;
    std::unique_ptr<store_desk> store_;
    std::set<std::string> stored_;  // keys of what providers here have there
    bool settled_told_ = false;
    peer_number peers_ever_ = 0;
    peer_map peers_;
    std::unordered_map<peer_number, peer_map::value_type *> by_number_;
    bool anyone_owed_ = false;
    std::vector<std::byte> others_;  // fields of opened
    std::size_t others_count_ = 0;
    base::message name_{}, body_{};  // received last
    base::message page_{};           // sent last
    std::vector<std::byte> octets_;

    // The observer's, and the store's.
    std::map<std::uint16_t, registry_position> told_up_to_;  // by family
    std::vector<std::vector<std::byte>> untold_;
    std::vector<refusal> refusals_;
};

}  // namespace zlink::service
