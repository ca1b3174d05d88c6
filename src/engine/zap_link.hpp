// One question to the context's authentication handler (RFC 27), and its answer.
//
// The handler is a socket of the application's that has bound
// inproc://zeromq.zap.01. Each question is asked by a DEALER of its own, made for
// it and closed with it: so an answer, however malformed, belongs to the one
// connection it is about, and the handler may be a REP as well as a ROUTER. That
// socket is the library's: it is in no list and counts for no limit.
//
// Thread rule: a verdict_source's; it takes the locks of its own socket and of
// the handler's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/watcher.hpp"
#include "engine/context.hpp"
#include "engine/verdict_source.hpp"

namespace zlink::engine {

class zap_link final : public verdict_source
{
  public:
    // errc::connection_refused: there is no handler. errc::no_memory,
    // too_many_sockets. Asked once, the question is on its way.
    static base::result<std::unique_ptr<verdict_source>>
    ask (const std::shared_ptr<context> &owner, const std::vector<std::string> &question, socket_ref asker);
    ~zap_link () override;

    [[nodiscard]] bool news () const noexcept override;
    [[nodiscard]] bool hear (wire::zap_reply &to) override;

  private:
    class caller;
    zap_link (std::shared_ptr<context> owner, socket_ref socket, std::shared_ptr<caller> who) noexcept;
    [[nodiscard]] bool take_reply (wire::zap_reply &to);

    std::shared_ptr<context> owner_;
    socket_ref socket_;
    std::shared_ptr<caller> caller_;
};

}  // namespace zlink::engine
