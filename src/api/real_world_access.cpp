#include "api/real_world_access.hpp"

#include <cstddef>
#include <new>

#include "transport/real_world.hpp"

namespace zlink::api {

using transport::real_world;

namespace {

base::world *replacement = nullptr;

}  // namespace

std::shared_ptr<base::world> make_world () noexcept
{
    if (replacement != nullptr)
        return {std::shared_ptr<void> (), replacement};  // nobody's to end
    std::shared_ptr<real_world> made = transport::make_real_world ();
    if (made == nullptr)
        return nullptr;
    base::world *seams = &made->world ();
    return {std::move (made), seams};
}

base::world &process_world ()
{
    if (replacement != nullptr)
        return *replacement;
    alignas (real_world) static std::byte storage[sizeof (real_world)];
    static real_world *made = new (storage) real_world;
    return made->world ();
}

void replace_world (base::world *by) noexcept { replacement = by; }

}  // namespace zlink::api
