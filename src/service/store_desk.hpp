// What stands between a registry and the store that it keeps its providers in
// (base/record_store.hpp): what the store tells is put down here until the registry takes
// it, and what providers ask for waits here until the store has it.
//
// With a store the registry's table is a copy of what the store has. A provider is told
// that it is registered when the store has its record; what another registry stored, or a
// process that uses the store by itself, is listed with the same rights. A record that
// cannot be read is passed over with a warning, and nothing else suffers.
//
// Thread rule: what is the listener's from any thread; all else under the registry's
// lock. Lifetime: the world outlives it; end() before the registry is dropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/lock.hpp"
#include "base/record_store.hpp"
#include "base/world.hpp"
#include "service/offered_endpoint.hpp"
#include "service/registry_table.hpp"

namespace zlink::service {

// Makes a store that tells this listener.
using store_opener = std::function<base::result<std::unique_ptr<base::record_store>> (base::record_listener &,
                                                                                      base::time_ns lease)>;

class store_desk final : public base::record_listener
{
  public:
    using peer_number = registry_table::peer_number;
    // What has become of what a provider asked for.
    struct answered
    {
        peer_number peer = 0;
        std::uint64_t request = 0;
        std::uint16_t fault = wire::fault_none;
        bool withdrawn = false;           // it was dropped meanwhile
        std::string key{};                // in the store
        std::vector<std::byte> octets{};  // of the provider, for wire::registry_entries
        const char *text = "";            // for people
    };
    // What has happened, in this order.
    struct turn
    {
        bool lost = false;   // the table may be old from now on
        bool whole = false;  // it is as the store has it
    };

    // wake: something has come; on any thread.
    store_desk (base::world &world, std::function<void ()> wake) : world_ (world), wake_ (std::move (wake)) {}
    // As the opener.
    base::result<void> open (const store_opener &open, base::time_ns lease) noexcept;
    // Nothing is told behind it. Blocks until the store has let go.
    void end () noexcept { store_.reset (); }

    // Behind open(), up to the end.
    [[nodiscard]] base::record_store &store () noexcept { return *store_; }
    // The store is reached, and all that it has is in the table.
    [[nodiscard]] bool in_step () const noexcept { return in_step_; }
    // The host of our end of the connection to the store; nothing: it was never reached.
    [[nodiscard]] std::optional<std::string> route_host () noexcept;

    // A provider that is to be stored. May throw std::bad_alloc.
    void want (peer_number peer, std::uint64_t request, nearness near, const wire::provider_view &provider);
    // What the peer wants and does not have yet, it does not want any more.
    void withdraw (peer_number peer, const std::string &key) noexcept;
    // Is not to be there any more, if it is ours.
    void drop (const std::string &key) noexcept;

    // Takes what the store has told into the table. May throw std::bad_alloc, and goes on
    // there then.
    turn take (registry_table &table);
    // The next answer; false: none.
    [[nodiscard]] bool next (answered &out) noexcept;

    // --- the store's ---
    bool reset () noexcept override { return note (news_kind::reset, {}, {}); }
    bool put (std::string_view key, base::bytes_view value) noexcept override
    {
        return note (news_kind::put, key, value);
    }
    bool gone (std::string_view key) noexcept override { return note (news_kind::gone, key, {}); }
    bool whole (std::string_view route_host) noexcept override
    {
        return note (news_kind::whole, route_host, {});
    }
    void lost (std::string_view why) noexcept override;
    void done (std::uint64_t ticket, base::store_outcome outcome) noexcept override;
    [[nodiscard]] bool replaces (base::bytes_view mine, base::bytes_view found) const noexcept override;

  private:
    enum class news_kind : std::uint8_t
    {
        reset,
        put,
        gone,
        whole,
    };
    struct news
    {
        news_kind kind = news_kind::reset;
        std::string key{};
        std::vector<std::byte> value{};
    };
    // What a provider asked for, until it is answered.
    struct wish
    {
        answered answer{};
        nearness near = nearness::elsewhere;
        bool sent = false;
    };
    // What the store has, as it is in the table.
    struct listed
    {
        std::uint16_t family = 0;
        std::string service, endpoint;
        bool doubted = false;
    };

    bool note (news_kind kind, std::string_view key, base::bytes_view value) noexcept;
    void apply (registry_table &table, const news &what);
    void take_record (registry_table &table, const std::string &key, base::bytes_view value);
    void remove (registry_table &table, const std::string &key) noexcept;
    void sweep (registry_table &table) noexcept;
    void send_wishes ();
    void warn (const char *text, std::string_view about) noexcept;

    base::world &world_;
    const std::function<void ()> wake_;
    std::unique_ptr<base::record_store> store_;

    // --- under the registry's lock ---
    bool in_step_ = false;
    std::uint64_t tickets_ = 0;
    std::map<std::string, listed, std::less<>> listed_;
    bool full_ = false;            // it has been warned of
    std::optional<news> at_hand_;  // until it is in the table
    turn happened_{};              // and has not been answered

    base::exchange_lock lock_;  // of all below
    std::deque<news> news_;
    std::map<std::uint64_t, wish> wishes_, answers_;  // by ticket
    std::uint64_t sent_up_to_ = 0;                    // to the store; in order
    std::optional<std::string> route_host_;
    bool lost_ = false;
    std::array<char, 128> why_lost_{};
};

}  // namespace zlink::service
