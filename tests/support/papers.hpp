// What a socket of a test shows and trusts where TLS is spoken: one certificate of
// today for one address, at both ends.
// Thread rule: one thread.
#pragma once

#include <ctime>
#include <string>

#include "support/identities.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

class papers
{
  public:
    // address: of IP, as in an endpoint.
    explicit papers (const std::string &address)
    {
        const std::int64_t now_s = std::time (nullptr);
        const identity own ({.name = "host",
                             .alternative = "IP:" + address,
                             .from_s = now_s - day_s,
                             .until_s = now_s + day_s});
        trusted_ = own.certificate ();
        shown_ = own.certificate () + own.key ();
    }

    // Of either ABI's context.
    void hand_to (socket &to) const
    {
        say (to, ZLINK_TLS_CERT, shown_);
        say (to, ZLINK_TLS_CA, trusted_);
    }

  private:
    static constexpr int of_zmq = 2000;  // what zmq.h's programs add to the numbers of TLS

    static void say (socket &to, int option, const std::string &text)
    {
        const bool done = zmq_setsockopt (to, of_zmq + option, text.data (), text.size ()) == 0
                          || zlink_setsockopt (to, option, text.data (), text.size ()) == 0;
        ASSERT_TRUE (done) << option;
    }

    std::string trusted_;
    std::string shown_;
};

}  // namespace zlink::test
