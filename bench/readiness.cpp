#include "bench/readiness.hpp"

#include <sys/epoll.h>
#include <unistd.h>

namespace zlink::bench {

readiness_set::readiness_set () : handle_ (epoll_create1 (EPOLL_CLOEXEC)) {}

readiness_set::~readiness_set () { ::close (handle_); }

bool readiness_set::watch (int descriptor) noexcept
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    return epoll_ctl (handle_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void readiness_set::wait () noexcept
{
    epoll_event event{};
    (void)epoll_wait (handle_, &event, 1, -1);
}

}  // namespace zlink::bench
