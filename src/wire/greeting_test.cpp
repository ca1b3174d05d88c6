// The greeting: in which order its octets leave, and what is read from the
// peer's. The expected octets were also seen on the wire from libzmq 4.3.4.
#include "wire/greeting.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

struct talk
{
    explicit talk (const greeting_config &config = {}) : machine (config) { machine.start (out); }

    greeting_status hear (std::string_view in)
    {
        const greeting_status status = machine.feed (as_bytes (in), consumed, out);
        total += consumed;
        return status;
    }
    std::string take ()
    {
        const std::string text (as_text (out));
        out.clear ();
        return text;
    }

    greeting machine;
    std::vector<std::byte> out;
    std::size_t consumed = 0;
    std::size_t total = 0;
};

const std::string rest_of_greeting = hex ("01") + "NULL" + zeros (16 + 32);

TEST (greeting, leaves_step_by_step)
{
    talk with;
    EXPECT_EQ (with.take (), signature);
    EXPECT_EQ (with.hear (signature.substr (0, 9)), greeting_status::need_more);
    EXPECT_EQ (with.take (), "");
    EXPECT_EQ (with.hear (signature.substr (9)), greeting_status::need_more);
    EXPECT_EQ (with.take (), hex ("03"));
    EXPECT_EQ (with.hear (hex ("03")), greeting_status::need_more);
    EXPECT_EQ (with.take (), rest_of_greeting);
    EXPECT_EQ (with.hear (rest_of_greeting), greeting_status::complete);
    EXPECT_EQ (with.take (), "");
    EXPECT_EQ (with.machine.dialect (), peer_dialect::zmtp_3);
    EXPECT_EQ (with.machine.minor (), 1);
}

TEST (greeting, the_padding_is_the_length_of_an_identity_frame)
{
    talk with ({.identity_size = 255});
    EXPECT_EQ (with.take (), hex ("FF 0000000000000100 7F"));
}

TEST (greeting, minor_versions)
{
    for (const auto &[major, minor, expected] :
         {std::array{3, 0, 0}, {3, 1, 1}, {3, 2, 1}, {3, 255, 1}, {4, 0, 1}, {255, 255, 1}, {2, 0, 1}}) {
        talk with;
        ASSERT_EQ (with.hear (greeting_of (static_cast<unsigned> (major), static_cast<unsigned> (minor))),
                   greeting_status::complete);
        EXPECT_EQ (with.machine.dialect (), peer_dialect::zmtp_3);
        EXPECT_EQ (with.machine.minor (), expected) << major << '.' << minor;
        EXPECT_EQ (with.take (), signature + hex ("03") + rest_of_greeting);
    }
}

TEST (greeting, stops_at_its_own_end)
{
    talk with;
    EXPECT_EQ (with.hear (greeting_of (3, 1) + "behind"), greeting_status::complete);
    EXPECT_EQ (with.total, greeting_bytes);

    talk older;
    EXPECT_EQ (older.hear (signature + hex ("01 08") + "behind"), greeting_status::complete);
    EXPECT_EQ (older.total, greeting_bytes_zmtp_2_0);
}

TEST (greeting, revisions_0_and_1_get_the_socket_type)
{
    for (const unsigned revision : {0u, 1u}) {
        talk with ({.socket_type_octet = 8});
        ASSERT_EQ (with.hear (signature + octet (revision) + octet (7)), greeting_status::complete);
        EXPECT_EQ (with.take (), signature + hex ("03 08"));
        EXPECT_EQ (with.machine.dialect (),
                   revision == 0 ? peer_dialect::revision_0 : peer_dialect::revision_1);
        EXPECT_EQ (with.machine.peer_octet (), 7);
    }
}

TEST (greeting, without_a_signature_the_octets_belong_to_a_frame)
{
    talk small;
    ASSERT_EQ (small.hear (hex ("04 00") + "abc"), greeting_status::complete);
    EXPECT_EQ (small.machine.dialect (), peer_dialect::unversioned);
    EXPECT_EQ (as_text (small.machine.front_of_frame ()), hex ("04"));
    EXPECT_EQ (small.total, 1u);

    talk large;
    ASSERT_EQ (large.hear (hex ("FF 0000000000000004 00") + "abc"), greeting_status::complete);
    EXPECT_EQ (large.machine.dialect (), peer_dialect::unversioned);
    EXPECT_EQ (as_text (large.machine.front_of_frame ()), hex ("FF 0000000000000004 00"));
    EXPECT_EQ (large.take (), signature);
}

TEST (greeting, older_peers_may_be_refused)
{
    for (const std::string &peer :
         {hex ("04"), hex ("FF 0000000000000004 00"), signature + hex ("00"), signature + hex ("01")}) {
        talk with ({.older_allowed = false});
        ASSERT_EQ (with.hear (peer), greeting_status::failed);
        EXPECT_EQ (with.machine.reason (), base::close_reason::version_unsupported);
        EXPECT_STRNE (with.machine.text (), "");
    }
    talk with ({.older_allowed = false});
    EXPECT_EQ (with.hear (greeting_of (3, 0)), greeting_status::complete);
}

TEST (greeting, mechanisms)
{
    const auto reason_for = [] (std::string mechanism) {
        talk with;
        const greeting_status status = with.hear (greeting_of (3, 1, std::move (mechanism)));
        EXPECT_NE (status, greeting_status::need_more);
        return with.machine.reason ();
    };
    EXPECT_EQ (reason_for ("NULL"), base::close_reason::none);
    EXPECT_EQ (reason_for ("PLAIN"), base::close_reason::mechanism_mismatch);
    EXPECT_EQ (reason_for ("CURVE"), base::close_reason::mechanism_mismatch);
    EXPECT_EQ (reason_for ("NULLX"), base::close_reason::mechanism_mismatch);
    EXPECT_EQ (reason_for ("ABCDEFGHIJKLMNOPQRST"), base::close_reason::mechanism_mismatch);
    EXPECT_EQ (reason_for ("null"), base::close_reason::greeting_malformed);
    EXPECT_EQ (reason_for (""), base::close_reason::greeting_malformed);
    EXPECT_EQ (reason_for (std::string ("NULL\0X", 6)), base::close_reason::greeting_malformed);
    EXPECT_EQ (reason_for ("NU LL"), base::close_reason::greeting_malformed);
}

TEST (greeting, sends_the_mechanism_it_is_given)
{
    talk with ({.mechanism = "CURVE"});
    ASSERT_EQ (with.hear (greeting_of (3, 1, "CURVE")), greeting_status::complete);
    EXPECT_EQ (with.take (), greeting_of (3, 1, "CURVE"));
}

}  // namespace
}  // namespace zlink::wire
