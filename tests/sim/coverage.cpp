#include "sim/coverage.hpp"

namespace zlink::sim {

std::string coverage::text (std::uint64_t least, std::size_t count) const
{
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view group = i < facade_calls.size ()                    ? "call"
                                       : i < facade_calls.size () + faults.size () ? "fault"
                                       : i < plain_features - outcomes.size ()     ? "change"
                                       : i < plain_features                        ? "outcome"
                                       : i < mixed_features                        ? "turn"
                                                                                   : "door";
        all.append (counts_[i] < least ? "RARE " : "     ")
          .append (group)
          .append (" ")
          .append (name_of_feature (i))
          .append (": ")
          .append (std::to_string (counts_[i]))
          .append ("\n");
    }
    return all;
}

}  // namespace zlink::sim
