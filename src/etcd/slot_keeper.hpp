// Slots (base/record_store.hpp) in an etcd: under a prefix, SLOT/epoch is the record and stays,
// SLOT/held is the mark and goes with its lease (docs/protocol/etcd.md). What is decided is done
// by one transaction, if neither has changed since it was read; where only the mark is to last
// longer, its lease is kept alive.
//
// One thread, which starts with the first visit, and one connection; visits go one after the
// other. A lease of a mark belongs to no process: whoever reads it can keep it alive.
//
// Thread rule: visit() from any thread. Blocking: the end, for as long as one request may take.
// Lifetime: the world outlives it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/record_store.hpp"
#include "base/world.hpp"
#include "etcd/gateway_json.hpp"
#include "etcd/poster.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::etcd {

// How often somebody else may be faster.
inline constexpr unsigned slot_rounds_max = 4;

class slot_keeper
{
  public:
    slot_keeper (base::world &world, std::vector<std::string> hosts, std::string prefix, poster_maker make);
    // What has not been done is not done, and not told.
    ~slot_keeper ();
    slot_keeper (const slot_keeper &) = delete;
    slot_keeper &operator= (const slot_keeper &) = delete;

    // As the seam's.
    base::result<void> visit (std::string_view slot,
                              base::time_ns lease,
                              base::time_ns longest,
                              std::shared_ptr<base::slot_visitor> who) noexcept;

  private:
    struct visiting
    {
        std::string slot;  // its key, without what ends it
        std::int64_t lease_s = 0;
        base::time_ns until_ns = 0;
        std::shared_ptr<base::slot_visitor> who;
    };
    struct found_slot
    {
        slot_keys keys;
        std::string record;
        std::int64_t lease = 0;  // of the mark
    };
    enum class attempt : std::uint8_t
    {
        done,
        overtaken,
        unanswered,
    };

    base::result<void> start ();
    void run () noexcept;
    [[nodiscard]] std::optional<visiting> next () noexcept;
    [[nodiscard]] base::store_outcome serve (const visiting &what);
    [[nodiscard]] std::optional<std::string>
    ask (const visiting &what, const char *path, const std::string &body);
    [[nodiscard]] std::optional<found_slot> read (const visiting &what);
    [[nodiscard]] attempt change (const visiting &what, const found_slot &found, const base::slot_wish &wish);
    [[nodiscard]] attempt keep_alive (const visiting &what, std::int64_t lease);
    [[nodiscard]] attempt take_lease (const visiting &what, std::int64_t &lease);

    base::world &world_;
    const std::vector<std::string> hosts_;
    const std::string prefix_;
    const poster_maker make_;
    base::atomic<bool> ending_{false};
    service::bell bell_;  // somebody visits

    service::waiting_lock lock_;  // of the next ones
    std::deque<visiting> visits_;
    std::unique_ptr<poster> post_;  // the thread's, once it is there
    std::unique_ptr<base::joinable> thread_;

    std::size_t host_ = 0;  // the thread's
};

}  // namespace zlink::etcd
