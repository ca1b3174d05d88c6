// A connect that waits for its bind, and a bind that runs out of memory when it
// finds it: the bind says so and may be tried again, or both have met. A link
// that was promised is not lost between the two.
#include <cerrno>
#include <string>

#include "failures/faults.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

struct pair_of_types
{
    const char *name;
    int binder;
    int connecter;
    friend void PrintTo (const pair_of_types &of, std::ostream *to) { *to << of.name; }
};

class meetings : public testing::TestWithParam<pair_of_types>
{
};

INSTANTIATE_TEST_SUITE_P (of,
                          meetings,
                          testing::Values (pair_of_types{"router_and_dealer", ZMQ_ROUTER, ZMQ_DEALER},
                                           pair_of_types{"dealer_and_router", ZMQ_DEALER, ZMQ_ROUTER},
                                           pair_of_types{"router_and_router", ZMQ_ROUTER, ZMQ_ROUTER},
                                           pair_of_types{"pair_and_pair", ZMQ_PAIR, ZMQ_PAIR},
                                           pair_of_types{"pull_and_push", ZMQ_PULL, ZMQ_PUSH},
                                           pair_of_types{"sub_and_pub", ZMQ_SUB, ZMQ_PUB}),
                          [] (const auto &of) { return of.param.name; });

// A name too long to stand inside a string.
const std::string binders_name (200, 'b');
const std::string connecters_name (200, 'c');

// One that waits for a bind, and who is to bind.
struct both
{
    context own;
    socket binder;
    socket connecter;

    explicit both (const pair_of_types &of) : binder (own, of.binder), connecter (own, of.connecter)
    {
        take_name (binder, binders_name);
        take_name (connecter, connecters_name);
        connecter.connect ("inproc://meeting");
    }
    static void take_name (socket &who, const std::string &name)
    {
        EXPECT_EQ (zmq_setsockopt (who, ZMQ_ROUTING_ID, name.data (), name.size ()), 0);
    }
};

// Whether the n-th request was there to be refused.
bool meets (const pair_of_types &of, std::uint64_t n)
{
    both there (of);
    auto &[own, binder, connecter] = there;
    start_faults ({resource::memory, n, 1});
    bool bound = false;
    {
        const library_call here;
        bound = zmq_bind (binder, "inproc://meeting") == 0;
    }
    const int why = errno;
    const bool refused = faults_so_far () > 0;
    (void)stop_faults ();
    if (!bound) {
        EXPECT_EQ (why, ENOMEM) << n;
        EXPECT_EQ (zmq_bind (binder, "inproc://meeting"), 0) << n;
    }
    EXPECT_TRUE (binder.has_peers () && connecter.has_peers ()) << n;
    if (of.connecter == ZMQ_ROUTER) {
        EXPECT_TRUE (connecter.send ({binders_name, "hello"})) << n;
    } else if (of.connecter != ZMQ_PUB) {
        EXPECT_TRUE (connecter.send ("hello")) << n;
    } else {
        return refused;
    }
    const std::vector<std::string> got = binder.receive_message ();
    EXPECT_EQ (got.empty () ? "" : got.back (), "hello") << n;
    return refused;
}

// Whether the n-th request was there to be refused. Nobody tries again: both go.
bool ends (const pair_of_types &of, std::uint64_t n)
{
    both there (of);
    auto &[own, binder, connecter] = there;
    start_faults ({resource::memory, n, 1});
    {
        const library_call here;
        (void)zmq_bind (binder, "inproc://meeting");
        EXPECT_EQ ((n % 2 == 0 ? binder : connecter).close (), 0);
        EXPECT_EQ ((n % 2 == 0 ? connecter : binder).close (), 0);
    }
    const bool refused = faults_so_far () > 0;
    (void)stop_faults ();
    EXPECT_EQ (own.term (), 0) << n;
    return refused;
}

TEST_P (meetings, end_that_did_not_come_about)
{
    count_library_calls_only ();
    std::uint64_t n = 1;
    while (ends (GetParam (), n) && !HasFailure ())
        ++n;
    EXPECT_GT (n, 3u);
}

TEST_P (meetings, are_not_lost_for_want_of_memory)
{
    count_library_calls_only ();
    std::uint64_t n = 1;
    while (meets (GetParam (), n) && !HasFailure ())
        ++n;
    EXPECT_GT (n, 3u);
}

}  // namespace
}  // namespace zlink::test
