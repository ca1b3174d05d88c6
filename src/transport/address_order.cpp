#include "transport/address_order.hpp"

#include <algorithm>

namespace zlink::transport {

using platform::socket_address;

std::vector<socket_address> in_turns (const std::vector<socket_address> &sorted)
{
    const std::size_t count = std::min (sorted.size (), addresses_max);
    std::vector<socket_address> out;
    out.reserve (count);
    const auto is_first_kind = [&] (const socket_address &each) {
        return each.family () == sorted.front ().family ();
    };
    auto one = sorted.begin ();
    auto other = sorted.begin ();
    while (out.size () < count) {
        one = std::find_if (one, sorted.end (), is_first_kind);
        if (one != sorted.end ())
            out.push_back (*one++);
        other = std::find_if_not (other, sorted.end (), is_first_kind);
        if (other != sorted.end () && out.size () < count)
            out.push_back (*other++);
    }
    return out;
}

}  // namespace zlink::transport
