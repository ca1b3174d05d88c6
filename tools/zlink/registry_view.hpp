// What a registry process knows of its registry, for its log, its pages and its file: who
// is there, and how much has happened. It is filled by the registry's handler.
//
// Thread rule: any thread. Blocking: wait_beyond() and wait_for_end() alone.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <zlink/zlink.h>

namespace zlink::tool {

struct seen_provider
{
    std::uint16_t type = 0;  // ZLINK_SERVICE_*
    std::string service;
    std::string endpoint;
    std::string host;
    std::string zone;
    std::string labels;  // as the protocol has them
    std::uint32_t weight = 0;
    std::uint64_t instance = 0;
    std::uint64_t registered_at = 0;  // milliseconds since 1970
    bool confirmed = false;           // false: an earlier registry knew it
    bool operator== (const seen_provider &) const = default;
};

class registry_view
{
  public:
    // The registry remembers it. Should it confirm itself before that is told, it is said to
    // have confirmed, not to be new.
    void foresee (const seen_provider &whom);
    // Answers a line for the log, without an end.
    std::string take (const zlink_registry_event_t &what);

    // In the order of types, services and endpoints.
    [[nodiscard]] std::vector<seen_provider> providers () const;
    // Of changes of providers; grows.
    [[nodiscard]] std::uint64_t changes () const;
    // All for a page, as JSON; info is the registry's own.
    [[nodiscard]] std::string json (const zlink_registry_info_t &info) const;
    // The same as numbers, in the text format of Prometheus.
    [[nodiscard]] std::string metrics (const zlink_registry_info_t &info) const;

    // Until there are more changes than that, the time is over, or end() was called; answers
    // how many there are.
    std::uint64_t wait_beyond (std::uint64_t changes, std::chrono::milliseconds limit) const;
    // False: the time is over.
    bool wait_for_end (std::chrono::milliseconds limit) const;
    [[nodiscard]] bool has_ended () const;
    void end ();

  private:
    static constexpr std::size_t reasons_max = 16;
    // By number of the reason.
    struct tally
    {
        std::array<std::uint64_t, reasons_max> counts{};
        std::array<std::string, reasons_max> names;
    };
    using key = std::pair<std::uint16_t, std::string>;
    struct state
    {
        std::map<key, std::map<std::string, seen_provider>> services;
        std::uint64_t changes = 0;
        std::uint64_t came = 0, changed = 0;
        tally gone, refused;
    };
    using identity = std::tuple<std::uint16_t, std::string, std::string, std::uint64_t>;
    static identity identity_of (const seen_provider &whom);

    std::string take_provider (const zlink_registry_event_t &what);
    std::string take_gone (const zlink_registry_event_t &what);
    static void count (tally &in, const zlink_registry_event_t &what);
    // The registry waits for nobody who writes pages.
    [[nodiscard]] state copied () const;

    mutable std::mutex lock_;  // of all below
    mutable std::condition_variable news_;
    state now_;
    std::set<identity> foreseen_;  // and not told of yet
    bool ended_ = false;
};

// A text as JSON has it, quotes included, in ASCII: what a peer has said cannot end a line,
// move a cursor or look like something else.
[[nodiscard]] std::string as_text (const std::string &text);

}  // namespace zlink::tool
