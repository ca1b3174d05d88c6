#include "wire/grant_message.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

grant_message whole (grant_kind kind)
{
    grant_message made;
    made.kind = kind;
    made.flags = 3;
    made.topic = "prices";
    made.partition = 2;
    made.epoch_number = 5;
    made.epoch_id = 6;
    made.holder = kind == grant_kind::answer ? 0 : 7;
    made.round = 8;
    made.sequence = 9;
    made.fault = 1;
    made.lease_ms = 2000;
    made.pause_ms = 1500;
    made.ended_number = 4;
    made.ended_id = 3;
    return made;
}

std::vector<std::byte> encoded (const grant_message &message)
{
    std::vector<std::byte> out;
    encode_grant_message (message, out);
    return out;
}

// As in docs/protocol/grants.md.
TEST (grant_message, a_claim_is_as_documented)
{
    grant_message claim;
    claim.topic = "a";
    claim.partition = 1;
    claim.epoch_number = 2;
    claim.epoch_id = 0x0102030405060708;
    claim.holder = 3;
    claim.round = 4;
    const std::vector<std::byte> octets = encoded (claim);
    EXPECT_EQ (as_text (octets), hex ("47 01 01 00  0001 00000001 61  0002 00000004 00000001"
                                      "0005 00000008 0000000000000002  0006 00000008 0102030405060708"
                                      "0004 00000008 0000000000000003  0003 00000008 0000000000000004"));
    EXPECT_TRUE (is_grant_message (octets));
    EXPECT_FALSE (is_grant_message ({}));
}

TEST (grant_message, each_kind_is_read_as_it_is_written)
{
    for (const grant_kind kind : {grant_kind::claim, grant_kind::answer, grant_kind::give_back}) {
        const std::vector<std::byte> first = encoded (whole (kind));
        grant_message read;
        ASSERT_EQ (decode_grant_message (first, read), service_status::complete);
        EXPECT_EQ (read.flags, 3U);
        EXPECT_EQ (encoded (read), first);
        for (std::size_t cut = 0; cut < first.size (); ++cut)
            EXPECT_EQ (decode_grant_message (bytes_view (first).first (cut), read),
                       service_status::malformed);
    }
}

TEST (grant_message, others_are_told_apart)
{
    std::vector<std::byte> octets = encoded (whole (grant_kind::claim));
    grant_message read;
    octets[1] = std::byte{2};
    EXPECT_EQ (decode_grant_message (octets, read), service_status::version_unsupported);
    octets[1] = std::byte{1};
    octets[2] = std::byte{9};
    EXPECT_EQ (decode_grant_message (octets, read), service_status::kind_unknown);
    octets[0] = std::byte{0x52};
    EXPECT_EQ (decode_grant_message (octets, read), service_status::malformed);
    EXPECT_EQ (decode_grant_message (std::vector<std::byte> (registry_message_bytes_max + 1), read),
               service_status::too_large);
}

}  // namespace
}  // namespace zlink::wire
