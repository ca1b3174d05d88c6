// Segments of TCP, put in order again: what each side of each connection said. What
// comes twice counts once, what comes early waits, within limits. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tools/decode/capture.hpp"

namespace zlink::tool {

class tcp_streams
{
  public:
    // octets: the next ones of this way. Empty: it is over, or cannot go on.
    using taker = std::function<void (const flow &way, std::int64_t time_ns, bytes_view octets)>;

    // take is called from take_segment and finish.
    explicit tcp_streams (taker take) : take_ (std::move (take)) {}

    void take_segment (const segment &found);
    // The capture is over, and so are all streams.
    void finish ();

    // Streams that ended with octets missing in front of others.
    [[nodiscard]] std::uint64_t with_gaps () const noexcept { return with_gaps_; }

    static constexpr std::size_t early_bytes_max = std::size_t{16} << 20;  // of one way

  private:
    struct one_way
    {
        std::uint32_t next = 0;                                 // sequence number that is expected
        std::map<std::uint32_t, std::vector<std::byte>> early;  // by distance from the first octet
        std::uint32_t first = 0;
        std::size_t early_bytes = 0;
        std::int64_t time_ns = 0;
    };

    void take_in_order (const flow &way, one_way &of, std::uint32_t at, bytes_view octets);
    void end (const flow &way, const one_way &of);

    taker take_;
    std::map<flow, one_way> ways_;
    std::uint64_t with_gaps_ = 0;
};

}  // namespace zlink::tool
