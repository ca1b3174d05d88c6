// Endpoints that only inproc has: names within a context.
#include "support/places.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

struct inproc_endpoints : testing::Test
{
    context own;
};

TEST_F (inproc_endpoints, are_of_one_context)
{
    context second;
    const std::string where = inproc_place ();
    socket here (own, ZMQ_PULL);
    socket there (second, ZMQ_PULL);
    here.bind (where);
    there.bind (where);
    socket push (second, ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("stays there"));
    EXPECT_EQ (there.receive (), "stays there");
    EXPECT_FALSE (here.receive (ZMQ_DONTWAIT));
}

TEST_F (inproc_endpoints, marks_of_both_sides_add_up_exactly)
{
    for (const auto &[sending, receiving] :
         {std::pair (1, 1), std::pair (2, 10), std::pair (10, 2), std::pair (300, 700)})
        for (const bool connect_first : {false, true}) {
            const std::string where = inproc_place ();
            socket push (own, ZMQ_PUSH);
            socket pull (own, ZMQ_PULL);
            push.set (ZMQ_SNDHWM, sending);
            pull.set (ZMQ_RCVHWM, receiving);
            if (connect_first)
                push.connect (where);
            pull.bind (where);
            if (!connect_first)
                push.connect (where);
            int accepted = 0;
            while (push.send ("x", ZMQ_DONTWAIT))
                ++accepted;
            EXPECT_EQ (accepted, sending + receiving);
        }
}

// Before there is a binder only the sender's own mark counts.
TEST_F (inproc_endpoints, before_the_bind_the_senders_mark_counts)
{
    const std::string where = inproc_place ();
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 7);
    push.connect (where);
    int accepted = 0;
    while (push.send ("x", ZMQ_DONTWAIT))
        ++accepted;
    EXPECT_EQ (accepted, 7);
    socket pull (own, ZMQ_PULL);
    pull.set (ZMQ_RCVHWM, 5);
    pull.bind (where);
    while (push.send ("x", ZMQ_DONTWAIT))
        ++accepted;
    EXPECT_EQ (accepted, 12);
}

TEST_F (inproc_endpoints, many_connecters_wait_for_one_bind)
{
    const std::string where = inproc_place ();
    std::vector<socket> pushes;
    for (int i = 0; i < 20; ++i) {
        pushes.emplace_back (own, ZMQ_PUSH);
        pushes.back ().connect (where);
        ASSERT_TRUE (pushes.back ().send ("waiting"));
    }
    socket pull (own, ZMQ_PULL);
    pull.bind (where);
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ (pull.receive (), "waiting");
}

TEST_F (inproc_endpoints, a_connecter_that_gave_up_is_forgotten)
{
    const std::string where = inproc_place ();
    {
        socket gone (own, ZMQ_PUSH);
        gone.connect (where);
        ASSERT_TRUE (gone.send ("dropped"));
        socket undone (own, ZMQ_PUSH);
        undone.connect (where);
        ASSERT_TRUE (undone.send ("dropped too"));
        undone.disconnect (where);
    }
    socket pull (own, ZMQ_PULL);
    pull.bind (where);
    socket push (own, ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("kept"));
    EXPECT_EQ (pull.receive (), "kept");
}

TEST_F (inproc_endpoints, both_ends_in_one_socket)
{
    const std::string where = inproc_place ();
    socket pair (own, ZMQ_PAIR);
    pair.bind (where);
    pair.connect (where);
    SUCCEED ();
}

}  // namespace
}  // namespace zlink::test
