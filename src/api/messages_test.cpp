#include "api/messages.hpp"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

struct messages_case : testing::Test
{
    ~messages_case () override { closed_if_valid (); }
    void closed_if_valid ()
    {
        if (part.valid ())
            part.close ();
    }

    base::message part{};  // closed
};

TEST_F (messages_case, null_and_closed_messages_are_bad_addresses)
{
    base::message good;
    good.init ();
    for (base::message *bad : {static_cast<base::message *> (nullptr), &part}) {
        for (const int outcome : {message_close (bad), message_move (bad, &good), message_move (&good, bad),
                                  message_copy (bad, &good), message_copy (&good, bad), message_get (bad, 1),
                                  message_set_routing_id (bad, 1), message_set_group (bad, "g")}) {
            EXPECT_EQ (outcome, -1);
            EXPECT_EQ (errno, EFAULT);
        }
        EXPECT_EQ (message_data (bad), nullptr);
        EXPECT_EQ (message_size (bad), 0U);
        EXPECT_EQ (message_more (bad), 0);
        EXPECT_EQ (message_gets (bad, "Peer-Address"), nullptr);
        EXPECT_EQ (message_routing_id (bad), 0U);
        EXPECT_EQ (message_group (bad), nullptr);
    }
    EXPECT_EQ (message_init (nullptr), -1);
    EXPECT_EQ (message_init_size (nullptr, 1), -1);
    EXPECT_EQ (message_init_copy (nullptr, "", 0), -1);
    EXPECT_EQ (message_init_copy (&part, nullptr, 1), -1);
    EXPECT_EQ (message_init_adopt (nullptr, nullptr, 0, nullptr, nullptr), -1);
    EXPECT_EQ (message_init_adopt (&part, nullptr, 1, nullptr, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
}

TEST_F (messages_case, properties_are_more_and_shared)
{
    ASSERT_EQ (message_init (&part), 0);
    EXPECT_EQ (message_get (&part, 1), 0);
    part.set_more (true);
    EXPECT_EQ (message_get (&part, 1), 1);
    EXPECT_EQ (message_get (&part, 3), 0);
    for (const int unknown : {0, 2, 4, -1}) {
        EXPECT_EQ (message_get (&part, unknown), -1);
        EXPECT_EQ (errno, EINVAL);
    }
}

TEST_F (messages_case, facts_that_are_not_there_are_invalid)
{
    ASSERT_EQ (message_init (&part), 0);
    EXPECT_EQ (message_gets (&part, "Peer-Address"), nullptr);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (message_gets (&part, nullptr), nullptr);
    EXPECT_EQ (errno, EFAULT);
}

TEST_F (messages_case, routing_ids_and_groups)
{
    ASSERT_EQ (message_init (&part), 0);
    EXPECT_EQ (message_set_routing_id (&part, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (message_set_routing_id (&part, 7), 0);
    EXPECT_EQ (message_routing_id (&part), 7U);
    EXPECT_EQ (message_set_group (&part, std::string (256, 'g').c_str ()), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (message_set_group (&part, "group"), 0);
    EXPECT_STREQ (message_group (&part), "group");
    EXPECT_EQ (message_set_group (&part, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
}

TEST_F (messages_case, too_large_is_no_memory)
{
    EXPECT_EQ (message_init_size (&part, SIZE_MAX), -1);
    EXPECT_EQ (errno, ENOMEM);
    EXPECT_TRUE (part.valid ());
}

}  // namespace
}  // namespace zlink::api
