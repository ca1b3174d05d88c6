// Who watches a registry, how far each has read, and which page goes to whom next.
//
// A watcher has one page of a watch under way at a time, and gets the next when it
// says that it has seen that one. So a slow one costs its position, nothing else, and
// misses states in between. A page that several are due is written once.
//
// A state machine beside a registry_table: no socket, no clock, no lock. Thread rule:
// one thread at a time. watch() and next() may throw std::bad_alloc, and nothing has
// changed then; nothing else takes memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "service/limits.hpp"
#include "service/registry_table.hpp"

namespace zlink::service {

struct watcher_limits
{
    std::size_t per_peer = watches_per_peer_max;
    std::size_t all = watches_max;
    std::size_t page_bytes = wire::registry_page_bytes_max;
};

// A whole message for one peer. Octets are valid until the next call.
struct watch_page
{
    registry_table::peer_number peer = 0;
    base::bytes_view octets{};
    bool same = false;  // octets are those of the last page
};

class registry_watchers
{
  public:
    using peer_number = registry_table::peer_number;

    explicit registry_watchers (const watcher_limits &limits = {}) noexcept : limits_ (limits) {}

    // Begins, or begins again, behind what the peer says it has seen; it will get a page
    // even if there is nothing new. too_many.
    wire::registry_fault watch (peer_number peer,
                                std::uint16_t family,
                                std::string_view service,
                                std::uint64_t incarnation,
                                std::uint64_t since);
    // not_found.
    wire::registry_fault unwatch (peer_number peer, std::uint16_t family, std::string_view service) noexcept;
    // What is not under way is no error.
    void
    seen (peer_number peer, std::uint16_t family, std::string_view service, std::uint64_t revision) noexcept;
    void peer_gone (peer_number peer) noexcept;
    [[nodiscard]] bool is_watching (peer_number peer) const noexcept
    {
        const auto found = peers_.find (peer);
        return found != peers_.end () && !found->second.empty ();
    }

    // Looks at what has changed since it was called last.
    void note (const registry_table &table) noexcept;
    // The registry has settled: each watch gets a page, to know.
    void tell_all () noexcept;

    // The page to be sent next; nothing: nobody is due one.
    [[nodiscard]] std::optional<watch_page> next (base::time_ns now, const registry_table &table);

    [[nodiscard]] std::size_t size () const noexcept { return size_; }
    // Pages written, of all that were answered.
    [[nodiscard]] std::uint64_t written () const noexcept { return written_; }

  private:
    using key = std::pair<std::uint16_t, std::string>;
    using key_ref = std::pair<std::uint16_t, std::string_view>;
    struct key_order
    {
        using is_transparent = void;
        bool operator() (const auto &a, const auto &b) const noexcept
        {
            return key_ref (a.first, a.second) < key_ref (b.first, b.second);
        }
    };
    struct watch_entry;
    using entry_list = std::list<watch_entry *>;
    using subject_map = std::map<key, entry_list, key_order>;

    struct watch_entry
    {
        peer_number peer = 0;
        subject_map::value_type *subject = nullptr;
        registry_position at{};
        std::uint64_t sent_revision = 0;
        bool under_way = false;  // a page is not seen yet
        bool news = false;       // there is more behind the position
        bool owed = true;        // a page, though there be nothing in it
        bool ready = false;      // in ready_, else in idle_
        entry_list::iterator in_subject, in_queue;
    };
    using peer_watches = std::map<key_ref, watch_entry>;  // the names are the subjects'

    // Of which page the octets are.
    struct page_mark
    {
        const void *subject = nullptr;
        std::uint64_t incarnation = 0, since = 0, base = 0, revision = 0;
        bool settled = false;
        bool operator== (const page_mark &) const = default;
    };

    [[nodiscard]] watch_entry *
    find (peer_number peer, std::uint16_t family, std::string_view service) noexcept;
    void add (peer_number peer, std::uint16_t family, std::string_view service, const registry_position &at);
    void make_ready (watch_entry &which) noexcept;
    void mark (std::uint16_t family, std::string_view service) noexcept;
    void take_off (watch_entry &which) noexcept;
    [[nodiscard]] bool write (const watch_entry &which, const registry_table &table, const page_mark &wanted);

    watcher_limits limits_;
    std::map<peer_number, peer_watches> peers_;
    subject_map subjects_;
    entry_list ready_, idle_;
    std::size_t size_ = 0;
    std::uint64_t noted_ = 0;
    std::uint64_t written_ = 0;
    // The last page.
    page_mark mark_{};
    wire::registry_message page_{};
    std::vector<std::byte> entries_, octets_;
};

}  // namespace zlink::service
