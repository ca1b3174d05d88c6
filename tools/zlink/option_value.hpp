// A socket option as a user writes it, NAME=VALUE. Pure.
#pragma once

#include <string>
#include <string_view>

namespace zlink::tool {

struct option_value
{
    std::string name;   // as `zlink explain` has it
    int number = 0;     // of zlink.h
    std::string bytes;  // as zlink_setsockopt takes them
};

// Names as `zlink explain` has them, with or without a prefix, in any case; of an
// option that takes bytes "hex:00ff" are octets and anything else its letters.
// False: `why` names the option and the rule.
[[nodiscard]] bool read_option (std::string_view text, option_value &found, std::string &why);

}  // namespace zlink::tool
