#include "tools/zlink/explanations.hpp"

namespace zlink::tool {

std::string explain (std::string_view word)
{
    return explain_error (word) + explain_option (word);
}

std::string explain_error (std::string_view) { return {}; }
std::string explain_option (std::string_view) { return {}; }

}  // namespace zlink::tool
