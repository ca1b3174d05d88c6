// Questions about peers to policies that take their time: answered one after the
// other on the world's worker, so that no reactor waits. Addresses take turns:
// who comes a thousand times from one holds up those of others by one question.
// How many wait is bounded by the handshakes that go on: each has one at most.
//
// Ownership: the context's, and of the piece of work that serves it.
// Thread rule: any thread, no socket's lock held. Blocking: none.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/worker.hpp"
#include "engine/context.hpp"
#include "engine/policy.hpp"
#include "engine/verdict_source.hpp"

namespace zlink::engine {

class judge_desk : public std::enable_shared_from_this<judge_desk>
{
  public:
    // by outlives every ask. Held by a std::shared_ptr.
    explicit judge_desk (base::worker &by) noexcept : worker_ (by) {}

    // Asked once, the question is on its way, until what is given back is gone.
    // errc::no_memory, or why there is no thread. May throw std::bad_alloc.
    base::result<std::unique_ptr<verdict_source>>
    ask (std::shared_ptr<const policy> whom, std::unique_ptr<const peer_claim> about, socket_ref asker);

  private:
    class question;
    struct file;
    struct queue;
    using files = std::list<std::shared_ptr<file>>;
    using queues = std::map<std::string, queue, std::less<>>;
    using turns = std::list<queues::iterator>;
    // Those of one address.
    struct queue
    {
        files waiting;  // not empty
        turns::iterator turn;
    };

    base::result<void> enter (files &one);
    void serve ();
    [[nodiscard]] std::shared_ptr<file> take_next_locked () noexcept;
    void withdraw (const file &which) noexcept;

    base::worker &worker_;
    base::exchange_lock lock_;
    queues queues_;  // by address
    turns turns_;    // who is next first
    bool serving_ = false;
};

}  // namespace zlink::engine
