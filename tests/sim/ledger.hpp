// Who sent what, and what came of it.
//
// Every message says which stream it belongs to and its place there; its
// parts' sizes and bytes follow from that, so a receiver can check all of it.
// The ledger fails the simulation when something arrives twice, torn, changed,
// out of order where order is promised, or though its send was refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/message.hpp"
#include "sim/simulation.hpp"

namespace zlink::sim {

enum class size_class : std::uint8_t
{
    tiny,   // up to 64 bytes
    small,  // up to 4 KiB
    large,  // some up to 300 KiB
};

class ledger
{
  public:
    explicit ledger (simulation &sim) noexcept : sim_ (sim) {}

    // ordered: one connection carries it to each receiver, as long as it is
    // whole. copies: so many sockets get each message, once each. may_lose:
    // messages that were accepted may stay away; they are not among the sums,
    // and have some of their own. heard_late: each copy begins with some message,
    // and what went before it stays away.
    struct terms
    {
        size_class sizes = size_class::small;
        bool multipart = false;
        bool ordered = false;
        unsigned copies = 1;
        bool may_lose = false;
        bool heard_late = false;
    };
    std::uint16_t open_stream (std::string name, const terms &how);

    // --- what a message is made of ---

    [[nodiscard]] std::size_t part_count (std::uint16_t stream, std::uint32_t place) const noexcept;
    [[nodiscard]] std::vector<std::byte>
    make_part (std::uint16_t stream, std::uint32_t place, std::size_t part) const;

    // --- the sender ---

    void offered (std::uint16_t stream, std::uint32_t place);
    void accepted (std::uint16_t stream, std::uint32_t place);
    void refused (std::uint16_t stream, std::uint32_t place);

    // Something that carries the stream broke: from now on it has no order, and
    // what was accepted may be lost.
    void broke (std::uint16_t stream) noexcept { streams_[stream].whole = false; }
    [[nodiscard]] bool is_whole (std::uint16_t stream) const noexcept { return streams_[stream].whole; }
    // Nothing is on its way any more: whatever was accepted of a whole stream has
    // to be there.
    void check_whole (std::uint16_t stream) const;

    // --- the receiver ---

    // A whole message. by names the fibre: what it takes keeps its order. copy:
    // which of the sockets that get the stream it is.
    void received (std::size_t by, std::span<const std::vector<std::byte>> parts, unsigned copy = 0);

    [[nodiscard]] std::uint64_t accepted_total () const noexcept { return accepted_; }
    [[nodiscard]] std::uint64_t received_total () const noexcept { return received_; }
    // Of one stream: messages accepted, and those of them that one copy has got.
    [[nodiscard]] std::uint64_t accepted_of (std::uint16_t stream) const noexcept;
    [[nodiscard]] std::uint64_t received_of (std::uint16_t stream, unsigned copy) const noexcept;
    // Whether a copy has got the last that was accepted.
    [[nodiscard]] bool has_last_of (std::uint16_t stream, unsigned copy) const noexcept;
    [[nodiscard]] bool settled () const noexcept { return accepted_ == received_ && offered_now_ == 0; }
    [[nodiscard]] std::string describe () const;
    // The longest that an accepted message took.
    [[nodiscard]] time_ns slowest_ns () const noexcept { return slowest_; }

  private:
    enum class fate : std::uint8_t
    {
        none,
        offered,
        accepted,
        refused,
    };
    struct item
    {
        fate what = fate::none;
        std::uint8_t got = 0;  // a bit for each copy that arrived, perhaps before its send returned
        time_ns when = 0;
    };
    struct flow
    {
        std::string name;
        terms how;
        std::vector<item> items;
        bool whole = true;
    };

    [[nodiscard]] std::size_t
    part_size (const flow &kind, std::uint64_t dice, std::size_t part) const noexcept;
    void
    check_parts (std::uint16_t stream, std::uint32_t place, std::span<const std::vector<std::byte>> parts);
    item &at (std::uint16_t stream, std::uint32_t place);
    [[nodiscard]] std::string name_of (std::uint16_t stream, std::uint32_t place) const;

    simulation &sim_;
    std::vector<flow> streams_;
    std::map<std::pair<std::size_t, std::uint16_t>, std::uint32_t> last_;
    std::uint64_t accepted_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t offered_now_ = 0;
    time_ns slowest_ = 0;
};

}  // namespace zlink::sim
