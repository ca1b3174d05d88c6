#include "etcd/gateway_json.hpp"

#include <gtest/gtest.h>

namespace zlink::etcd {
namespace {

using namespace std::string_literals;

TEST (GatewayJson, Base64IsAsInRfc4648)
{
    for (const auto &[octets, text] : {std::pair{""s, ""s},
                                       {"f"s, "Zg=="s},
                                       {"fo"s, "Zm8="s},
                                       {"foo"s, "Zm9v"s},
                                       {"foobar"s, "Zm9vYmFy"s},
                                       {"\xFB\xFF\0"s, "+/8A"s}}) {
        EXPECT_EQ (to_base64 (octets), text);
        EXPECT_EQ (from_base64 (text), octets);
    }
    for (const char *const none : {"Z", "Zg", "Zg=", "Zm9v=", "Z===", "Zm9*", "Zg==Zg==", "-_8A"})
        EXPECT_FALSE (from_base64 (none)) << none;
}

TEST (GatewayJson, RequestsAreWhatEtcdExpects)
{
    EXPECT_EQ (range_request ("a", "b", 0, 10),
               R"({"key":"YQ==","limit":"10","range_end":"Yg==","revision":"0"})");
    EXPECT_EQ (watch_request ("a", "b", 7),
               R"({"create_request":{"key":"YQ==","range_end":"Yg==","start_revision":"7"}})");
    EXPECT_EQ (lease_request (5), R"({"TTL":"5"})");
    EXPECT_EQ (renew_request (7587848), R"({"ID":"7587848"})");
    EXPECT_EQ (put_request ("a", "v", 3, 0),
               R"({"compare":[{"key":"YQ==","mod_revision":"0","result":"EQUAL","target":"MOD"}],)"
               R"("failure":[{"request_range":{"key":"YQ=="}}],)"
               R"("success":[{"request_put":{"key":"YQ==","lease":"3","value":"dg=="}}]})");
    const slot_keys keys{.record = "a", .mark = "b", .record_at = 7, .mark_at = 0};
    EXPECT_EQ (slot_request (keys, "v", 3),
               R"({"compare":[{"key":"YQ==","mod_revision":"7","result":"EQUAL","target":"MOD"},)"
               R"({"key":"Yg==","mod_revision":"0","result":"EQUAL","target":"MOD"}],)"
               R"("success":[{"request_put":{"key":"YQ==","lease":"0","value":"dg=="}},)"
               R"({"request_put":{"key":"Yg==","lease":"3","value":""}}]})");
    EXPECT_NE (slot_request (keys, "v", 0).find (R"({"request_delete_range":{"key":"Yg=="}}]})"),
               std::string::npos);
    EXPECT_NE (drop_request ("a", 3).find (R"("lease":"3","result":"EQUAL","target":"LEASE")"),
               std::string::npos);
}

TEST (GatewayJson, AListIsReadAndWhatIsNoRecordIsLeftOut)
{
    const auto read = read_range (
      R"({"header":{"revision":"12"},"kvs":[{"key":"YQ==","value":"dg==","mod_revision":"11","lease":"5"},)"
      R"({"key":"*"},{"value":"dg=="},7,{"key":"Yg==","mod_revision":9}],"more":true})");
    ASSERT_TRUE (read);
    EXPECT_EQ (read->revision, 12);
    EXPECT_TRUE (read->more);
    ASSERT_EQ (read->records.size (), 2U);
    EXPECT_EQ (read->records[0].key, "a");
    EXPECT_EQ (read->records[0].value, "v");
    EXPECT_EQ (read->records[0].changed_at, 11);
    EXPECT_EQ (read->records[0].lease, 5);
    EXPECT_EQ (read->records[1].value, "");
    EXPECT_EQ (read->records[1].changed_at, 9);
    for (const char *const none : {"", "[]", "{}", "{\"header\":1}", "<html>", "{\"header\":{"})
        EXPECT_FALSE (read_range (none)) << none;
}

TEST (GatewayJson, AChangeIsDoneOrSaysWhatIsThere)
{
    EXPECT_TRUE (read_change (R"({"header":{},"succeeded":true})")->done);
    const auto refused = read_change (
      R"({"header":{},"responses":[{"response_range":{"header":{},"kvs":[{"key":"YQ==","value":"dg=="}]}}]})");
    ASSERT_TRUE (refused && refused->found);
    EXPECT_FALSE (refused->done);
    EXPECT_EQ (refused->found->value, "v");
    EXPECT_FALSE (read_change (R"({"header":{},"responses":[{"response_range":{}}]})")->found);
    EXPECT_FALSE (read_change (R"({"error":"x"})"));
}

TEST (GatewayJson, ALeaseIsThereOrHasRunOut)
{
    EXPECT_EQ (read_lease (R"({"header":{},"ID":"77","TTL":"5"})"), 77);
    EXPECT_EQ (read_lease (R"({"result":{"header":{},"ID":"77","TTL":"5"}})"), 77);
    EXPECT_EQ (read_lease (R"({"result":{"header":{},"ID":"77"}})"), 0);
    EXPECT_FALSE (read_lease (R"({"error":"etcdserver: no leader"})"));
}

TEST (GatewayJson, AWatchTellsEventsUntilItEnds)
{
    const auto read = read_watch (
      R"({"result":{"header":{},"events":[{"kv":{"key":"YQ==","value":"dg=="}},{"type":"DELETE","kv":{"key":"Yg=="}},)"
      R"({"type":"PUT"},{"kv":{"key":"?"}}]}})");
    ASSERT_TRUE (read);
    EXPECT_FALSE (read->ended);
    ASSERT_EQ (read->events.size (), 2U);
    EXPECT_FALSE (read->events[0].gone);
    EXPECT_TRUE (read->events[1].gone);
    EXPECT_EQ (read->events[1].what.key, "b");
    EXPECT_TRUE (read_watch (R"({"result":{"canceled":true}})")->ended);
    EXPECT_TRUE (read_watch (R"({"result":{"compact_revision":"9"}})")->ended);
    EXPECT_FALSE (read_watch (R"({"error":{}})"));
}

TEST (GatewayJson, AComplaintIsForPeople)
{
    EXPECT_EQ (read_complaint (R"({"error":"etcdserver: user name is empty","code":3})"),
               "etcdserver: user name is empty");
    EXPECT_EQ (read_complaint (R"({"error":{"message":"lost"}})"), "lost");
    EXPECT_EQ (read_complaint ("<html>404</html>"), "");
    EXPECT_LE (read_complaint ("{\"error\":\"" + std::string (1000, 'x') + "\"}").size (), 100U);
}

}  // namespace
}  // namespace zlink::etcd
