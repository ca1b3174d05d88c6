// Instead of web_layer and ws_stream, in a library without ws (ZLINK_WS): no
// transport asks for it.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/web_layer.hpp.
#include "engine/web_layer.hpp"

#include <utility>

namespace zlink::engine {

std::unique_ptr<base::stream> put_into_web (std::unique_ptr<base::stream> inside, const web_layer &, bool &)
{
    return inside;
}

bool knows_web () noexcept { return false; }

base::result<void> add_web_header (crypto::web_settings &, std::string_view)
{
    return base::errc::invalid_argument;
}

bool web_word_acceptable (std::string_view) noexcept { return false; }

wire::session_start start_of_web (const base::stream &) noexcept { return wire::session_start::greeting; }

void tell_web_of_older_peer (base::stream &) noexcept {}

}  // namespace zlink::engine
