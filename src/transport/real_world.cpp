#include "transport/real_world.hpp"

#include <new>

#include "transport/tls.hpp"
#include "transport/vsock.hpp"

namespace zlink::transport {

namespace {

// Puts what is built of them behind the first `count`, and answers how many there are then.
std::size_t with_built (std::span<base::transport *> to, std::size_t count) noexcept
{
    for (base::transport *const each : {tls_transport (), vsock_transport ()})
        if (each != nullptr)
            to[count++] = each;
    return count;
}

}  // namespace

real_world::real_world () noexcept
  : resolver_ (threads_), worker_ (threads_, "zlink-worker"), transports_{&tcp_, &ipc_, &udp_},
    world_{clock_,
           waiter_,
           pollers_,
           random_,
           resolver_,
           threads_,
           with_web_transports (transports_, with_built (transports_, always)),
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
