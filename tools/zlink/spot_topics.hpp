// What was seen of topics: how many messages, from whom, and what is missing; as a table,
// and as JSON. Pure. Nothing that a peer says reaches a terminal as a control character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/zlink/tally.hpp"

namespace zlink::tool {

class spot_topics
{
  public:
    // Of messages to more topics than these no names are kept.
    static constexpr std::size_t topics_max = 100'000;
    // So many publishers of one topic are told apart.
    static constexpr std::size_t publishers_max = 64;

    void take (std::string_view topic, std::uint64_t publisher, std::size_t bytes);
    // missing: 0: not known.
    void miss (std::uint64_t missing) noexcept;

    // What waits, and was lost for want of room, in the reader's own queue.
    struct lag
    {
        std::uint64_t waiting = 0;
        std::uint64_t dropped = 0;
    };
    // One reading. seconds: since the one before, from which rates are; 0: there are none,
    // and all counts. The busiest topics first.
    [[nodiscard]] std::vector<std::string> table (double seconds, const lag &behind);
    // One object.
    [[nodiscard]] nlohmann::ordered_json json (double seconds, const lag &behind);

    [[nodiscard]] std::uint64_t messages () const noexcept { return messages_; }

  private:
    struct counted
    {
        tally count{};
        std::vector<std::uint64_t> publishers{};
    };
    struct row
    {
        const std::string *topic;
        const counted *what;
    };
    // Ordered; then rows are read again no more, and counting goes on from here.
    [[nodiscard]] std::vector<row> rows () const;
    void begin_next () noexcept;

    std::map<std::string, counted, std::less<>> topics_;
    counted others_;
    std::uint64_t messages_ = 0;
    std::uint64_t missing_ = 0;
    std::uint64_t unknown_ = 0;  // losses of nobody knows how many
};

}  // namespace zlink::tool
