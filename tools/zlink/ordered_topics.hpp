// What was seen of the partitions of topics: messages and rates, who owns each under which
// epoch, how far it has come, and how far behind that the reader is; as a table, and as
// JSON. Pure. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/zlink/tally.hpp"

namespace zlink::tool {

class ordered_topics
{
  public:
    // Of all topics.
    static constexpr std::size_t partitions_max = 65'536;

    // Those of one more topic. False: with them there are too many.
    [[nodiscard]] bool add (std::string_view topic, std::uint32_t partitions);

    // Topics are counted from 0 in the order in which they were added, and so are partitions.
    struct place
    {
        std::size_t topic = 0;
        std::uint32_t partition = 0;
    };
    void take (const place &at, std::uint64_t sequence, std::size_t bytes);
    // Those numbers are missing for good.
    void miss (const place &at, std::uint64_t from, std::uint64_t to);
    // An epoch begins with that number.
    void begin (const place &at, std::uint64_t sequence);
    // Where it stands, as far as the node knows.
    struct standing
    {
        std::uint64_t owner = 0;  // node; 0: none is known
        std::uint64_t epoch = 0;
        std::uint64_t last = 0;  // number
    };
    void stand (const place &at, const standing &now);

    // One reading. seconds: since the one before, from which rates are; 0: there are none. What
    // has no owner comes first.
    [[nodiscard]] std::vector<std::string> table (double seconds);
    // An array, an object each, in order.
    [[nodiscard]] nlohmann::ordered_json json ();

    [[nodiscard]] std::uint64_t messages () const noexcept { return messages_; }

  private:
    struct partition
    {
        tally count{};
        std::uint64_t missing = 0;
        std::optional<std::uint64_t> position{};  // the number up to which all is read
        standing now{};
        // Nothing: where the reader stands is not known yet.
        [[nodiscard]] std::optional<std::uint64_t> lag () const noexcept;
    };
    struct parted_topic
    {
        std::string name;
        std::vector<partition> partitions;
    };
    struct row
    {
        const parted_topic *of;
        std::size_t number;
        [[nodiscard]] const partition &what () const { return of->partitions[number]; }
    };
    [[nodiscard]] partition &find (const place &at) { return topics_[at.topic].partitions[at.partition]; }
    [[nodiscard]] std::string headline () const;
    [[nodiscard]] std::vector<row> rows () const;
    [[nodiscard]] static nlohmann::ordered_json as_json (const row &which);
    void begin_next () noexcept;

    std::vector<parted_topic> topics_;
    std::size_t partitions_ = 0;
    std::uint64_t messages_ = 0;
};

}  // namespace zlink::tool
