#include "api/real_world_access.hpp"

#include "api/forked.hpp"
#include "api/log.hpp"
#include "api/thread_poll.hpp"
#include "base/lasting.hpp"
#include "transport/real_world.hpp"

namespace zlink::api {

using transport::real_world;

namespace {

base::world *replacement = nullptr;
constinit base::lasting<real_world> of_the_process;

}  // namespace

std::shared_ptr<base::world> make_world () noexcept
{
    prepare_for_forks ();
    if (replacement != nullptr)
        return {std::shared_ptr<void> (), replacement};  // nobody's to end
    if (process_world () == nullptr)                     // calls on sockets need it, too
        return nullptr;
    std::shared_ptr<real_world> made = transport::make_real_world ();
    if (made == nullptr)
        return nullptr;
    base::world *seams = &made->world ();
    seams->log = process_log ();
    return {std::move (made), seams};
}

base::world *process_world () noexcept
{
    if (replacement != nullptr)
        return replacement;
    real_world *const made = of_the_process.get ();
    return made == nullptr ? nullptr : &made->world ();
}

void replace_world (base::world *by) noexcept
{
    thread_poll::end_mine ();  // it stands on the world that was
    replacement = by;
    if (by != nullptr)
        by->log = process_log ();
}

}  // namespace zlink::api
