// The mechanisms of this platform. The one place that chooses.
#pragma once

#include "platform/epoll_poller.hpp"
#include "platform/futex_waiter.hpp"
#include "platform/system_clock.hpp"
#include "platform/system_entropy.hpp"
#include "platform/system_random.hpp"
#include "platform/system_threads.hpp"
#include "platform/thread_resolver.hpp"
#include "platform/thread_worker.hpp"

namespace zlink::platform {

using recommended_clock = system_clock;
using recommended_waiter = futex_waiter;
using recommended_poller_factory = epoll_poller_factory;
using recommended_random = system_random;
using recommended_entropy = system_entropy;
using recommended_threads = system_threads;
using recommended_resolver = thread_resolver;
using recommended_worker = thread_worker;

}  // namespace zlink::platform
