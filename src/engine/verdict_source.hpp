// Who was asked whether a peer may come in, as the connection that waits for the
// answer sees it. Nobody blocks: when an answer may have come, the socket that
// asks is told to look (socket_core::look_at_answers), from whichever thread it
// comes on; its reactor then calls hear. What ends a silence is the deadline of
// the handshake. The bodies here are those of one that never answers.
// Thread rule: one thread at a time, and no socket's lock is held, also when one
// is destroyed: the question is withdrawn with it. news, by: also under the lock.
#pragma once

#include <memory>

#include "wire/zap.hpp"

namespace zlink::engine {

class policy;

class verdict_source
{
  public:
    verdict_source () = default;
    virtual ~verdict_source () = default;
    verdict_source (const verdict_source &) = delete;
    verdict_source &operator= (const verdict_source &) = delete;

    // hear may have something to say.
    [[nodiscard]] virtual bool news () const noexcept { return false; }
    // True: it was answered, and the reply says how. May throw std::bad_alloc.
    [[nodiscard]] virtual bool hear (wire::zap_reply &) { return false; }
    // Whom of the socket's own it asks; null: the context's handler.
    [[nodiscard]] virtual const policy *by () const noexcept { return nullptr; }

    // Those that are to go once no lock is held: a list that needs no memory.
    std::unique_ptr<verdict_source> next;
};

}  // namespace zlink::engine
