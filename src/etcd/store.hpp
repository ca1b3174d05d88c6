// A store of records (base/record_store.hpp) that is an etcd: what is put stands under
// PREFIX/providers/, with one lease for all that this store has put, which it renews; slots
// under PREFIX/grants/ (slot_keeper.hpp). docs/protocol/etcd.md says the rest.
//
// One thread keeps the lease and does what is asked for, another lists and watches, a third
// looks after slots, once there are any. Each request goes to one of the hosts; who does not
// answer is left for the next, after a pause that grows, but for slots. Whatever etcd answers
// ends in a list anew at the worst.
//
// Thread rule and lifetime: as the seam says. Blocking: the end, for as long as one request
// may take.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/record_store.hpp"
#include "base/world.hpp"
#include "etcd/address.hpp"
#include "etcd/gateway_json.hpp"
#include "etcd/poster.hpp"
#include "etcd/slot_keeper.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::etcd {

// The pauses behind a request that has failed.
inline constexpr base::time_ns pause_first_ns = 50 * base::ns_per_ms;
inline constexpr base::time_ns pause_last_ns = 2 * base::ns_per_s;
// How long the end may take to take back what was put.
inline constexpr base::time_ns farewell_ns = base::ns_per_s;
// How many records are asked for at a time.
inline constexpr std::size_t page_records = 1'000;
// A line of a watch.
inline constexpr std::size_t line_bytes_max = std::size_t{16} << 20;

class store final : public base::record_store
{
  public:
    // invalid_argument: that is no address; no_memory; why there is no thread.
    static base::result<std::unique_ptr<base::record_store>> open (const base::record_store_wish &wish,
                                                                   const poster_maker &make) noexcept;
    store (const base::record_store_wish &wish, address where, const poster_maker &make);
    ~store () override;

    base::result<void>
    put (std::uint64_t ticket, std::string_view key, base::bytes_view value) noexcept override;
    void drop (std::string_view key) noexcept override;
    base::result<void> visit (std::string_view slot,
                              base::time_ns lease,
                              base::time_ns longest,
                              std::shared_ptr<base::slot_visitor> who) noexcept override
    {
        return slots_.visit (slot, lease, longest, std::move (who));
    }

  private:
    // What shall be there.
    struct kept
    {
        std::string value;
        std::vector<std::uint64_t> tickets;  // to be told
    };
    using key_set = std::set<std::string, std::less<>>;
    enum class step : std::uint8_t
    {
        nothing,  // there is nothing to do
        well,
        failed,  // try again, elsewhere, a little later
    };

    // --- both threads ---
    [[nodiscard]] bool ending () const noexcept { return ending_.load (); }
    void pause (base::time_ns &length) noexcept;
    [[nodiscard]] const std::string &host () const noexcept;
    void leave_host (const std::string &whom) noexcept;

    // --- the keeper's ---
    void keep () noexcept;
    [[nodiscard]] step turn ();
    [[nodiscard]] std::optional<std::string> ask (const char *path, const std::string &body);
    [[nodiscard]] step begin_lease ();
    [[nodiscard]] step renew_lease ();
    [[nodiscard]] step put_one ();
    [[nodiscard]] step put_as (const std::string &key, const std::string &value);
    [[nodiscard]] step drop_one ();
    void tell_put (const std::string &key, const std::string &value, base::store_outcome outcome) noexcept;
    void take_back () noexcept;

    // --- the watcher's ---
    void watch () noexcept;
    void watch_once ();
    [[nodiscard]] bool list (const std::string &at, std::int64_t &revision);
    [[nodiscard]] bool list_page_of (const std::string &at, std::string &from, range_answer &page);
    void follow (const std::string &at, std::int64_t revision);
    [[nodiscard]] bool take_line (std::string_view line);
    [[nodiscard]] bool tell (const record &what, bool gone);
    void put_again (std::string_view key);
    void put_all_again ();
    [[nodiscard]] key_set keys_kept ();
    void note_loss (std::string_view why) noexcept;

    base::world &world_;
    base::record_listener &listener_;
    const address where_;
    const std::string providers_;  // prefix of keys
    const std::int64_t lease_s_;
    base::atomic<unsigned> host_{0};
    base::atomic<bool> ending_{false};
    service::bell bell_;  // something is to be done

    service::waiting_lock lock_;  // of the next three
    std::map<std::string, kept, std::less<>> kept_;
    std::map<std::string, kept, std::less<>> drops_;
    key_set due_;  // of kept_, to be put for the first time or again

    // --- the keeper's ---
    std::unique_ptr<poster> keeper_post_;
    std::int64_t lease_ = 0;  // 0: none
    base::time_ns renew_at_ns_ = 0;
    base::time_ns end_by_ns_ = base::never_ns;

    // --- the watcher's ---
    std::unique_ptr<poster> watcher_post_;
    base::atomic<base::time_ns> watching_since_ns_{base::never_ns};
    std::string why_;       // the last request has failed
    std::string our_host_;  // of the last one that has not
    bool in_step_ = false;
    bool loss_told_ = false;

    std::unique_ptr<base::joinable> keeper_, watcher_;
    slot_keeper slots_;
};

}  // namespace zlink::etcd
