// Instead of zap_link, in a minimal library: nobody is asked.
// Chosen by src/engine/CMakeLists.txt; contracts are those of engine/zap_link.hpp.
#include "engine/zap_link.hpp"

namespace zlink::engine {

class zap_link::caller
{
};

zap_link::~zap_link () = default;

bool zap_link::news () const noexcept { return false; }

}  // namespace zlink::engine
