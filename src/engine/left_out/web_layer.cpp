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

wire::session_start start_of_web (const base::stream &) noexcept { return wire::session_start::greeting; }

void tell_web_of_older_peer (base::stream &) noexcept {}

}  // namespace zlink::engine
