// A library that was built with PUB and SUB only: these work, and every other
// type is one that does not exist.
#include <cerrno>

#include <gtest/gtest.h>

#include "zlink/zlink.h"

namespace {

TEST (chosen_types, work)
{
    void *const context = zlink_ctx_new ();
    void *const pub = zlink_socket (context, ZLINK_PUB);
    void *const sub = zlink_socket (context, ZLINK_SUB);
    ASSERT_NE (pub, nullptr);
    ASSERT_NE (sub, nullptr);
    EXPECT_EQ (zlink_setsockopt (sub, ZLINK_SUBSCRIBE, "", 0), 0);
    EXPECT_EQ (zlink_bind (pub, "inproc://here"), 0);
    EXPECT_EQ (zlink_connect (sub, "inproc://here"), 0);
    EXPECT_EQ (zlink_send (pub, "news", 4, 0), 4);
    char got[8] = {};
    EXPECT_EQ (zlink_recv (sub, got, sizeof got, 0), 4);
    EXPECT_STREQ (got, "news");
    zlink_close (sub);
    zlink_close (pub);
    EXPECT_EQ (zlink_ctx_term (context), 0);
}

TEST (chosen_types, are_all_there_are)
{
    void *const context = zlink_ctx_new ();
    for (const int type : {ZLINK_PAIR, ZLINK_REQ, ZLINK_REP, ZLINK_DEALER, ZLINK_ROUTER, ZLINK_PUSH,
                           ZLINK_PULL, ZLINK_XPUB, ZLINK_XSUB, ZLINK_STREAM}) {
        EXPECT_EQ (zlink_socket (context, type), nullptr) << type;
        EXPECT_EQ (errno, EINVAL) << type;
    }
    EXPECT_EQ (zlink_ctx_term (context), 0);
}

}  // namespace
