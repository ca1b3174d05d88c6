// Who was registered, in a file: a line of JSON for what it is, one for each provider, and
// one for their number and a check sum of all that precedes it. Files are written beside
// their place, synced and renamed, so that there is the old one or the new one.
#pragma once

#include <string>
#include <vector>

#include "tools/zlink/registry_view.hpp"

namespace zlink::tool {

[[nodiscard]] std::string snapshot_of (const std::vector<seen_provider> &all);
// False: `why` names the line and the rule, and nothing of it is to be believed.
[[nodiscard]] bool read_snapshot (const std::string &text, std::vector<seen_provider> &all, std::string &why);

// False: `why` says what could not be.
[[nodiscard]] bool write_durably (const std::string &path, const std::string &text, std::string &why);

enum class file_found
{
    there,
    absent,
    unreadable,  // `why` says why
};
[[nodiscard]] file_found read_whole (const std::string &path, std::string &text, std::string &why);

}  // namespace zlink::tool
