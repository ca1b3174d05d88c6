// Where there is no cpp-httplib.
#include "tools/zlink/registry_http.hpp"

namespace zlink::tool {

class registry_http::pages
{
};

registry_http::registry_http (const registry_view &, ask_info) {}
registry_http::~registry_http () = default;

std::string registry_http::start (const std::string &, std::string &why)
{
    why = "this program was built without HTTP";
    return {};
}

void registry_http::stop () {}

}  // namespace zlink::tool
