#include "explore/points.hpp"

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace zlink::explore {

namespace {

sim::simulation *current = nullptr;

[[nodiscard]] bool in_fibre () noexcept { return current != nullptr && current->in_fibre (); }

}  // namespace

points_of::points_of (sim::simulation &run) noexcept { current = &run; }
points_of::~points_of () { current = nullptr; }

void point () noexcept
{
    if (current != nullptr)
        current->point ();
}

void changed (const void *word, std::uint32_t was, std::uint32_t is) noexcept
{
    if (in_fibre ())
        current->changed (word, was, is);
}

// What nobody could end outside a fibre is not begun there.
void sleep_at (const void *place) noexcept
{
    if (current == nullptr)
        return;
    if (!in_fibre ())
        current->fail ("a lock is waited for outside a fibre");
    current->sleep_at (place);
}

void wake_at (const void *place, bool all) noexcept
{
    if (current != nullptr)
        current->wake_at (place, all ? SIZE_MAX : 1);
}

}  // namespace zlink::explore
