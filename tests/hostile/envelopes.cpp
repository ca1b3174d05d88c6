// Peers of a REP whose requests have odd envelopes, or none: rows with what the
// application is given. Source: RFC 28.
#include "hostile/victim.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

// What is no request; and requests, each with the envelope that its answer is
// to come back in.
struct envelope_row
{
    std::string name;
    std::vector<parts> said;
    parts delivered{};  // empty: it was none
    parts envelope{};
};

std::string as_octets (const parts &message)
{
    std::string octets;
    for (std::size_t i = 0; i < message.size (); ++i)
        octets += zmtp_frame (i + 1 < message.size () ? 1 : 0, message[i]);
    return octets;
}

envelope_row request (std::string name, const parts &envelope, const parts &body)
{
    envelope_row row{std::move (name), {envelope}, body, envelope};
    row.said[0].insert (row.said[0].end (), body.begin (), body.end ());
    return row;
}

envelope_row none (std::string name, std::vector<parts> said) { return {std::move (name), std::move (said)}; }

parts many (std::size_t count, const std::string &each, const parts &behind)
{
    parts all (count, each);
    all.insert (all.end (), behind.begin (), behind.end ());
    return all;
}

std::vector<envelope_row> envelope_rows ()
{
    std::vector<envelope_row> rows = {
      none ("no_delimiter", {{"x"}}),
      none ("parts_without_a_delimiter", {{"x", "y", "z"}}),
      none ("only_a_delimiter", {{""}}),
      none ("delimiter_at_the_end", {{"address", ""}}),
      none ("all_of_them", {{"x"}, {""}, {"x", "y"}, {"x", "y", ""}, {"x"}}),
      none ("a_hundred_thousand_addresses_and_nothing_else", {parts (100'000, "address")}),
      none ("a_hundred_thousand_addresses_and_a_delimiter", {many (100'000, "address", {""})}),
      request ("plain", {""}, {"body"}),
      request ("empty_body", {""}, {""}),
      request ("bodies_of_nothing", {""}, {"", "", ""}),
      request ("one_address", {"address", ""}, {"body"}),
      request ("delimiter_in_the_body", {"address", ""}, {"", "body", ""}),
      request ("addresses_like_bodies", {"a", "b", "c", ""}, {"a", "b", "c"}),
      request ("address_of_255", {std::string (255, 'a'), ""}, {"body"}),
      request ("address_of_1_mb", {pattern (1 << 20), ""}, {"body"}),
      request ("a_thousand_addresses", many (1000, "address", {""}), {"body"}),
      request ("a_hundred_thousand_addresses", many (100'000, "a", {""}), {"body"}),
      request ("a_hundred_thousand_bodies", {""}, parts (100'000, "b")),
    };
    envelope_row behind = request ("behind_what_is_none", {""}, {"body"});
    behind.said.insert (behind.said.begin (), {{"x"}, {""}, {"x", ""}});
    rows.push_back (behind);
    return rows;
}

using envelope_trial = row_by_transport<envelope_row>;

class envelopes : public testing::TestWithParam<envelope_trial>
{
  protected:
    void good_goes_on ()
    {
        ASSERT_TRUE (good.send ("good"));
        ASSERT_EQ (rep.receive_message (), parts{"good"});
        ASSERT_TRUE (rep.send ("answer"));
        ASSERT_EQ (good.receive (), "answer");
    }
    // Its request is heard, and the answer comes back as it should.
    void talks (const raw_peer &peer, const parts &body, parts envelope)
    {
        ASSERT_TRUE (rep.receive_message () == body);
        ASSERT_TRUE (rep.send ("answer"));
        envelope.emplace_back ("answer");
        const std::string wanted = as_octets (envelope);
        ASSERT_TRUE (peer.read_exactly (wanted.size ()) == wanted);
    }

    context own;
    socket rep{own, ZMQ_REP};
    socket good{own, ZMQ_REQ};
};

INSTANTIATE_TEST_SUITE_P (tcp,
                          envelopes,
                          testing::ValuesIn (rows_by_transport (envelope_rows (), false)),
                          name_of_row<envelope_row>);
INSTANTIATE_TEST_SUITE_P (ipc,
                          envelopes,
                          testing::ValuesIn (rows_by_transport (envelope_rows (), true)),
                          name_of_row<envelope_row>);

TEST_P (envelopes, cost_a_rep_nothing)
{
    const envelope_row &row = GetParam ().row;
    const std::string where = rep.bind (GetParam ().place ());
    good.connect (where);
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("REQ"));
    worker speaker ([&] {
        for (const parts &message : row.said)
            EXPECT_TRUE (peer.send (as_octets (message)));
        EXPECT_TRUE (peer.send (as_octets ({"", "behind it"})));
    });
    if (!row.delivered.empty ())
        talks (peer, row.delivered, row.envelope);
    talks (peer, {"behind it"}, {""});
    speaker.join ();
    zlink_counters_t counted{};
    std::size_t count = 1;
    ASSERT_EQ (zlink_counters (rep, &counted, sizeof counted, &count), 0);
    EXPECT_EQ (counted.dropped_malformed, row.said.size () - !row.delivered.empty ());
    good_goes_on ();
}

// Who leaves between its request and the answer costs that answer only.
TEST_P (envelopes, of_a_peer_that_leaves_are_forgotten)
{
    const envelope_row &row = GetParam ().row;
    const std::string where = rep.bind (GetParam ().place ());
    good.connect (where);
    ASSERT_TRUE (rep.has_peers ());
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("REQ"));
    worker speaker ([&] {
        for (const parts &message : row.said)
            EXPECT_TRUE (peer.send (as_octets (message)));
        EXPECT_TRUE (peer.send (as_octets ({"", "last"})));
        peer.close ();
    });
    if (!row.delivered.empty ()) {
        ASSERT_TRUE (rep.receive_message () == row.delivered);
        ASSERT_TRUE (rep.send ("answer"));
    }
    ASSERT_EQ (rep.receive_message (), parts{"last"});
    speaker.join ();
    ASSERT_TRUE (rep.send ("to nobody"));
    ASSERT_NO_FATAL_FAILURE (good_goes_on ());
    rep.set (ZMQ_RCVTIMEO, 1);
    EXPECT_TRUE (eventually ([&] {
        EXPECT_FALSE (rep.receive ());
        return rep.statistics ().connections_lost == 1;
    }));
    rep.set (ZMQ_RCVTIMEO, watchdog_ms);
    good_goes_on ();
}

}  // namespace
}  // namespace zlink::test
