// One question to the context's authentication handler (RFC 27), and its answer.
//
// The handler is a socket of the application's that has bound
// inproc://zeromq.zap.01. Each question is asked by a DEALER of its own, made for
// it and closed with it: so an answer, however malformed, belongs to the one
// connection it is about, and the handler may be a REP as well as a ROUTER. That
// socket is the library's: it is in no list and counts for no limit.
//
// Nobody waits for an answer. When one may have come, the socket that asks is
// told to look (socket_core::look_at_answers), from whichever thread the handler
// answers on; its reactor then calls hear. What ends a silence is the deadline of
// the handshake.
// Thread rule: one thread at a time, and no socket's lock is held: it takes
// those of its own socket and of the handler's. asked_for: any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/watcher.hpp"
#include "engine/context.hpp"
#include "wire/zap.hpp"

namespace zlink::engine {

class zap_link
{
  public:
    // errc::connection_refused: there is no handler. errc::no_memory,
    // too_many_sockets. Asked once, the question is on its way.
    static base::result<std::unique_ptr<zap_link>>
    ask (const std::shared_ptr<context> &owner, const std::vector<std::string> &question, socket_ref asker);
    ~zap_link ();
    zap_link (const zap_link &) = delete;
    zap_link &operator= (const zap_link &) = delete;

    // hear may have something to say.
    [[nodiscard]] bool news () const noexcept;
    // True: it was answered, and `to` says how. May throw std::bad_alloc.
    [[nodiscard]] bool hear (wire::zap_reply &to);

    // Links that are to go once no lock is held: a list that needs no memory.
    std::unique_ptr<zap_link> next;

  private:
    class caller;
    zap_link (std::shared_ptr<context> owner, socket_ref socket, std::shared_ptr<caller> who) noexcept;
    [[nodiscard]] bool take_reply (wire::zap_reply &to);

    std::shared_ptr<context> owner_;
    socket_ref socket_;
    std::shared_ptr<caller> caller_;
};

}  // namespace zlink::engine
