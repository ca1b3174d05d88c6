// Readers of the partitioned topics of a node of SPOT, for the length of a verb: a thread of
// each topic's reads from now on, and what comes is counted. The node owns nothing of them.
// What cannot be is thrown as a stop. One thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <zlink/zlink.h>

#include "tools/zlink/ordered_topics.hpp"

namespace zlink::tool {

struct ordered_wish
{
    // Of one verb.
    static constexpr std::size_t topics_max = 64;
    std::string topic;
    std::uint32_t partitions = 0;
};

// Each of them TOPIC=PARTITIONS. False: `why` names the one that is not, and the rule.
[[nodiscard]] bool
read_ordered (const std::vector<std::string> &texts, std::vector<ordered_wish> &to, std::string &why);

class ordered_reading
{
  public:
    // node: outlives it.
    ordered_reading (void *node, const std::vector<ordered_wish> &what);
    ~ordered_reading () { close (); }
    ordered_reading (const ordered_reading &) = delete;
    ordered_reading &operator= (const ordered_reading &) = delete;

    // One reading, as of ordered_topics.
    [[nodiscard]] std::vector<std::string> table (double seconds);
    [[nodiscard]] nlohmann::ordered_json json ();
    [[nodiscard]] std::uint64_t messages ();

  private:
    void open (std::size_t which);
    void read (std::size_t which);
    void take (std::size_t which, const zlink_spot_event_t &what);
    void look ();
    void close () noexcept;

    void *const node_;
    const std::vector<ordered_wish> &what_;
    std::vector<void *> readers_;
    std::mutex lock_;  // of the next ones
    ordered_topics seen_;
    std::string trouble_;
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

}  // namespace zlink::tool
