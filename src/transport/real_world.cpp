#include "transport/real_world.hpp"

#include <new>

namespace zlink::transport {

real_world::real_world () noexcept
  : resolver_ (threads_), worker_ (threads_, "zlink-worker"), transports_{&tcp_, &ipc_, &udp_},
    world_{clock_, waiter_, pollers_, random_, resolver_, threads_, transports_, nullptr, &entropy_, &worker_}
{
}

std::shared_ptr<real_world> make_real_world () noexcept
{
    try {
        return std::make_shared<real_world> ();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

}  // namespace zlink::transport
