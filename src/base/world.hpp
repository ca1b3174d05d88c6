// All seams in one place: what a context is built on. Whoever makes it keeps
// every member alive longer than the context.
#pragma once

#include <memory>
#include <span>

#include "base/clock.hpp"
#include "base/entropy.hpp"
#include "base/files.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/poller.hpp"
#include "base/random.hpp"
#include "base/resolver.hpp"
#include "base/stream.hpp"
#include "base/threads.hpp"
#include "base/waiter.hpp"
#include "base/worker.hpp"

namespace zlink::base {

// Something that lasts as long as the world, kept for those who make it at their
// first need.
struct kept
{
    exchange_lock lock{};
    std::shared_ptr<void> what{};
    entropy *secrets = nullptr;  // that it draws from, which lasts as long
};

struct world
{
    clock &time;
    waiter &sleep;
    poller_factory &pollers;
    random &dice;
    resolver &names;
    thread_factory &threads;
    std::span<transport *const> transports;
    log_sink *log = nullptr;     // null: nobody reads
    entropy *secrets = nullptr;  // null: no keys are made, CURVE cannot be spoken
    worker *slow = nullptr;      // null: what takes long is not done
    files *disk = nullptr;       // null: no file is read, TLS cannot be spoken
    kept *tls = nullptr;         // what TLS computes with, made at the first need; null: likewise
};

}  // namespace zlink::base
