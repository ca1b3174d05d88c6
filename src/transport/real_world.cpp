#include "transport/real_world.hpp"

#include <new>

#include "transport/tls.hpp"

namespace zlink::transport {

real_world::real_world () noexcept
  : resolver_ (threads_),
    worker_ (threads_, "zlink-worker"), transports_{&tcp_, &ipc_, &udp_, tls_transport ()},
    world_{clock_,
           waiter_,
           pollers_,
           random_,
           resolver_,
           threads_,
           with_web_transports (transports_, transports_[3] == nullptr ? 3 : 4),
           nullptr,
           &entropy_,
           &worker_,
           certificate_files (),
           place_of_tls ()}
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
