#include "engine/forked.hpp"

#include "engine/lane.hpp"

namespace zlink::engine {

void forsake_parent () noexcept
{
    forsake_slots ();
    forget_tails ();
    forsake_lanes ();
}

}  // namespace zlink::engine
