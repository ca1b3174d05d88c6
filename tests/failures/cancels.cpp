// A topic that is no longer wanted, over inproc, where publishers hear of it
// once: when memory is out the call says so and all is as it was; after the call
// that succeeds nothing of the topic comes. Never is one publisher told and
// another not. Each runs in a process of its own: links take memory that others gave back.
#include <cerrno>
#include <string>

#include "failures/faults.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

struct way
{
    const char *name;
    int publisher;
    int subscriber;
    int (*ask) (socket &, const std::string &topic);
    int (*cancel) (socket &, const std::string &topic);
    friend void PrintTo (const way &of, std::ostream *to) { *to << of.name; }
};

template <int Option> int by_option (socket &who, const std::string &topic)
{
    const library_call here;
    return zmq_setsockopt (who, Option, topic.data (), topic.size ());
}

template <int Option> int by_pattern (socket &who, const std::string &topic)
{
    return by_option<Option> (who, topic + "*");
}

template <char First> int by_message (socket &who, const std::string &topic)
{
    const std::string said = First + topic;
    const library_call here;
    return zmq_send (who, said.data (), said.size (), 0) < 0 ? -1 : 0;
}

int by_join (socket &who, const std::string &topic)
{
    const library_call here;
    return zmq_join (who, topic.c_str ());
}
int by_leave (socket &who, const std::string &topic)
{
    const library_call here;
    return zmq_leave (who, topic.c_str ());
}

const way ways[] = {
  {"topic", ZMQ_PUB, ZMQ_SUB, by_option<ZMQ_SUBSCRIBE>, by_option<ZMQ_UNSUBSCRIBE>},
  {"pattern", ZMQ_PUB, ZMQ_SUB, by_pattern<ZLINK_SUBSCRIBE_PATTERN>, by_pattern<ZLINK_UNSUBSCRIBE_PATTERN>},
  {"message", ZMQ_PUB, ZMQ_XSUB, by_message<'\1'>, by_message<'\0'>},
  {"group", ZMQ_RADIO, ZMQ_DISH, by_join, by_leave},
};

class cancels : public testing::TestWithParam<way>
{
};

INSTANTIATE_TEST_SUITE_P (of, cancels, testing::ValuesIn (ways), [] (const auto &of) {
    return of.param.name;
});

// So long that it stands in no string and in no node that is there.
const std::string gone (100, 'g');
const std::string stays = "stays";

// Two publishers and who hears them.
struct hearing
{
    explicit hearing (const way &by)
      : how (by), first (own, by.publisher), second (own, by.publisher), hears (own, by.subscriber)
    {
        first.bind ("inproc://first");
        second.bind ("inproc://second");
        EXPECT_EQ (by.ask (hears, stays), 0);
        EXPECT_EQ (by.ask (hears, gone), 0);
        hears.connect ("inproc://first");
        hears.connect ("inproc://second");
    }
    // So often it is no longer wanted and wanted again, of which publishers read later.
    void change_mind (unsigned times)
    {
        for (unsigned i = 0; i < times; ++i) {
            EXPECT_EQ (how.cancel (hears, gone), 0);
            EXPECT_EQ (how.ask (hears, gone), 0);
        }
    }
    void send (socket &from, const std::string &topic) const
    {
        part text (topic);
        if (how.publisher == ZMQ_RADIO)
            text.in (topic);
        EXPECT_NE (zmq_msg_send (text.raw (), from, 0), -1) << zmq_strerror (errno);
    }
    // What comes of both topics from one.
    std::string heard_of (socket &from)
    {
        send (from, gone);
        send (from, stays);
        std::string all;
        for (std::string next; next != stays && !testing::Test::HasFailure ();) {
            part came;
            EXPECT_NE (zmq_msg_recv (came.raw (), hears, 0), -1) << zmq_strerror (errno);
            next = came.text ();
            all += next;
        }
        return all;
    }

    way how;
    context own;
    socket first;
    socket second;
    socket hears;
};

// Whether the n-th request was there to be refused.
bool cancel_without (const way &by, std::uint64_t n, unsigned changes)
{
    hearing there (by);
    there.change_mind (changes);
    start_faults ({resource::memory, n, 1});
    const int outcome = by.cancel (there.hears, gone);
    const int why = errno;
    const bool refused = faults_so_far () > 0;
    (void)stop_faults ();
    if (outcome != 0) {
        EXPECT_EQ (why, ENOMEM) << n;
        EXPECT_EQ (by.ask (there.hears, "another"), 0) << n;
        EXPECT_EQ (there.heard_of (there.first), gone + stays) << n;
        EXPECT_EQ (there.heard_of (there.second), gone + stays) << n;
        EXPECT_EQ (by.cancel (there.hears, gone), 0) << n;
    }
    EXPECT_EQ (there.heard_of (there.first), stays) << n;
    EXPECT_EQ (there.heard_of (there.second), stays) << n;
    return refused;
}

// After how many changes both links need memory for the next cancellation.
unsigned changes_until_full (const way &by)
{
    hearing there (by);
    std::uint64_t usual = UINT64_MAX;
    for (unsigned changes = 0; changes < 5'000; ++changes) {
        start_faults ({});
        EXPECT_EQ (by.cancel (there.hears, gone), 0);
        const std::uint64_t requests = stop_faults ();
        if (changes > 0 && requests >= usual + 2)
            return changes;
        usual = requests;
        EXPECT_EQ (by.ask (there.hears, gone), 0);
    }
    ADD_FAILURE () << "links are never full";
    return 0;
}

TEST_P (cancels, reach_all_or_none)
{
    count_library_calls_only ();
    for (const unsigned changes : {0u, changes_until_full (GetParam ())}) {
        std::uint64_t n = 1;
        while (cancel_without (GetParam (), n, changes) && !HasFailure ())
            ++n;
        EXPECT_GT (n, changes == 0 ? 1u : 2u) << changes;
    }
}

}  // namespace
}  // namespace zlink::test
