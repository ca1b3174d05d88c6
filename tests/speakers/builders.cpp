#include "speakers/builders.hpp"

#include <iterator>
#include <memory>
#include <string>

#include "failures/script.hpp"
#include "sim/gtest_main.hpp"
#include "support/here.hpp"
#include "zmq.h"

namespace zlink::test {
namespace {

constexpr int types[] = {ZMQ_PAIR,   ZMQ_PUB,  ZMQ_SUB,  ZMQ_REQ,  ZMQ_REP,  ZMQ_DEALER,
                         ZMQ_ROUTER, ZMQ_PULL, ZMQ_PUSH, ZMQ_XPUB, ZMQ_XSUB, ZMQ_STREAM};

class builder : script_steps
{
  public:
    builder (void *context, const char *endpoint) : context_ (context), endpoint_ (endpoint) {}

    void build ()
    {
        sim::simulation &dice = sim::world_of_test ().sim;
        for (bool over = false; !over;) {
            void *const made = attempt (
              "socket", [&] { return zmq_socket (context_, types[dice.roll_below (std::size (types))]); },
              ETERM, EFAULT);
            if (made == nullptr) {
                over = error_ == ETERM || error_ == EFAULT;
                continue;
            }
            const std::uint64_t turns = dice.roll_below (5);
            for (std::uint64_t i = 0; i < turns && !over; ++i)
                over = turn (made);
            insist ("close", [&] { return zmq_close (made); });
        }
    }

  private:
    // Whether the context has ended.
    bool turn (void *socket)
    {
        sim::simulation &dice = sim::world_of_test ().sim;
        const std::string at = (dice.chance (500) ? std::string (endpoint_) : "inproc://built")
                               + std::to_string (dice.roll_below (2));
        // ENOCOMPATPROTO: a STREAM's bytes have no place in a process.
        const auto of = [&] (const char *step, int (*call) (void *, const char *)) {
            return attempt (
              step, [&] { return call (socket, at.c_str ()); }, ETERM, EADDRINUSE, ENOENT, ENOCOMPATPROTO,
              ECONNREFUSED);
        };
        int outcome = 0;
        switch (dice.roll_below (6)) {
        case 0:
            outcome = of ("bind", zmq_bind);
            break;
        case 1:
            outcome = of ("connect", zmq_connect);
            break;
        case 2:
            outcome = of ("unbind", zmq_unbind);
            break;
        case 3:
            outcome = of ("disconnect", zmq_disconnect);
            break;
        case 4:
            outcome = attempt (
              "send", [&] { return zmq_send (socket, "x", 1, ZMQ_DONTWAIT); }, ETERM, EAGAIN, EFSM, ENOTSUP,
              EHOSTUNREACH, EINVAL);
            break;
        default:
            here ().give_way ();
        }
        return outcome < 0 && error_ == ETERM;
    }

    void *const context_;
    const char *const endpoint_;
};

class ender : script_steps
{
  public:
    static void end (void *context)
    {
        sim::simulation &dice = sim::world_of_test ().sim;
        dice.pass_time (dice.roll_time (5 * base::ns_per_ms));
        ender steps;
        if (dice.chance (500))
            steps.insist ("ctx_shutdown", [&] { return zmq_ctx_shutdown (context); });
        steps.insist ("ctx_term", [&] { return zmq_ctx_term (context); });
    }
};

}  // namespace

void build_under_end (const char *endpoint, const char *)
{
    void *const context = zmq_ctx_new ();
    // What was sent to nobody does not keep it.
    (void)zmq_ctx_set (context, ZMQ_BLOCKY, 0);
    const auto building = [=] { builder (context, endpoint).build (); };
    const auto first = here ().start (building);
    const auto second = here ().start (building);
    ender::end (context);
}

}  // namespace zlink::test
