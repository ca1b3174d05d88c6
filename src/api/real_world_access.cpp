#include "api/real_world_access.hpp"

#include <cstddef>
#include <new>

#include "transport/real_world.hpp"

namespace zlink::api {

using transport::real_world;

std::shared_ptr<base::world> make_world () noexcept
{
    std::shared_ptr<real_world> made = transport::make_real_world ();
    if (made == nullptr)
        return nullptr;
    base::world *seams = &made->world ();
    return {std::move (made), seams};
}

base::world &process_world ()
{
    alignas (real_world) static std::byte storage[sizeof (real_world)];
    static real_world *made = new (storage) real_world;
    return made->world ();
}

}  // namespace zlink::api
