#include "service/provider_set.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::ns_per_s;

listed_provider at (const char *endpoint, std::uint32_t weight = 1)
{
    listed_provider made;
    made.endpoint = endpoint;
    made.weight = weight;
    return made;
}

struct ProviderSet : testing::Test
{
    void set (const char *service, const std::vector<listed_provider> &all) { known.set (service, all); }
    std::vector<provider_number> dialled ()
    {
        std::vector<provider_number> all;
        while (const auto next = known.take_to_dial ())
            all.push_back (*next);
        return all;
    }
    provider_set known{balancer_settings{}};
};

TEST_F (ProviderSet, EachEndpointIsDialledOnceForAllServices)
{
    set ("a", {at ("tcp://x:1"), at ("tcp://y:1"), at ("tcp://x:1")});
    set ("b", {at ("tcp://x:1")});
    EXPECT_EQ (dialled ().size (), 2u);
    EXPECT_EQ (dialled ().size (), 0u);
    EXPECT_EQ (known.size (), 2u);
    EXPECT_EQ (known.usable (*known.find ("a")), 0u);
    known.connected (1);
    known.connected (2);
    EXPECT_EQ (known.usable (*known.find ("a")), 2u);
    EXPECT_EQ (known.usable (*known.find ("b")), 1u);
    EXPECT_EQ (known.find ("c"), nullptr);
}

TEST_F (ProviderSet, WhoCouldNotBeDialledIsDialledOnceMore)
{
    set ("a", {at ("tcp://x:1"), at ("tcp://y:1")});
    EXPECT_EQ (dialled ().size (), 2u);
    known.dial_again (2);
    EXPECT_EQ (dialled (), (std::vector<provider_number>{2}));
    known.dial_again (3);
    EXPECT_EQ (dialled ().size (), 0u) << "nobody has that number";
}

TEST_F (ProviderSet, WhoIsNotListedAnyMoreIsLetGoOfWhenNothingIsUnderWay)
{
    set ("a", {at ("tcp://x:1"), at ("tcp://y:1")});
    known.connected (1);
    known.connected (2);
    auto &service = *known.find ("a");
    known.began (service, 1);
    set ("a", {});
    EXPECT_EQ (known.usable (service), 0u);
    EXPECT_EQ (known.take_to_let_go (), 2u);
    known.forget (2);
    EXPECT_EQ (known.take_to_let_go (), std::nullopt);
    known.ended (service, 1);
    EXPECT_EQ (known.take_to_let_go (), 1u);
    known.forget (1);
    EXPECT_EQ (known.take_to_let_go (), std::nullopt);
    EXPECT_EQ (known.size (), 0u);
    // Who comes again is another one.
    set ("a", {at ("tcp://x:1")});
    EXPECT_EQ (dialled (), (std::vector<provider_number>{3}));
}

TEST_F (ProviderSet, WhoIsListedAgainBeforeItIsLetGoOfStays)
{
    set ("a", {at ("tcp://x:1")});
    (void)dialled ();
    known.connected (1);
    auto &service = *known.find ("a");
    known.began (service, 1);
    set ("a", {});
    EXPECT_EQ (known.take_to_let_go (), std::nullopt);
    set ("a", {at ("tcp://x:1")});
    known.ended (service, 1);
    EXPECT_EQ (known.take_to_let_go (), std::nullopt);
    EXPECT_EQ (known.usable (service), 1u);
    EXPECT_EQ (dialled ().size (), 0u);
}

TEST_F (ProviderSet, NothingIsUnderWayBehindALoss)
{
    set ("a", {at ("tcp://x:1")});
    known.connected (1);
    auto &service = *known.find ("a");
    known.began (service, 1);
    known.began (service, 1);
    EXPECT_EQ (service.members.outstanding (1), 2u);
    known.lost (0, 1, 0);
    EXPECT_EQ (service.members.outstanding (1), 0u);
    EXPECT_EQ (known.find (1)->under_way, 0u);
    EXPECT_EQ (known.usable (service), 0u);
    known.ended (service, 1);  // late, and nothing happens
    EXPECT_EQ (known.find (1)->under_way, 0u);
}

TEST_F (ProviderSet, WhoDrainsIsBackWhenConnectedAnew)
{
    set ("a", {at ("tcp://x:1")});
    known.connected (1);
    known.drains (1);
    auto &service = *known.find ("a");
    EXPECT_EQ (known.usable (service), 0u);
    set ("a", {at ("tcp://x:1", 2)});  // a new list says nothing of that
    EXPECT_EQ (known.usable (service), 0u);
    known.lost (0, 1, 0);
    known.connected (1);
    EXPECT_EQ (known.usable (service), 1u);
}

TEST_F (ProviderSet, WhoFailsIsProbedAndComesBackWhenItAnswers)
{
    set ("a", {at ("tcp://x:1"), at ("tcp://y:1")});
    known.connected (1);
    known.connected (2);
    auto &service = *known.find ("a");
    EXPECT_EQ (known.next_probe (), base::never_ns);
    for (unsigned i = 0; i < failures_to_eject; ++i)
        known.failed (0, service, 1, 0);
    ASSERT_TRUE (service.members.ejected (1));
    const base::time_ns first = known.next_probe ();
    EXPECT_LT (first, ns_per_s);
    EXPECT_EQ (known.take_probe (first - 1, 0), std::nullopt);
    EXPECT_EQ (known.take_probe (first, 0), 1u);
    EXPECT_EQ (known.take_probe (first, 0), std::nullopt);
    EXPECT_EQ (known.next_probe (), first + probe_answer_ns);
    // No answer: later again.
    EXPECT_EQ (known.take_probe (first + probe_answer_ns, 0), std::nullopt);
    const base::time_ns second = known.next_probe ();
    EXPECT_GT (second, first + probe_answer_ns);
    EXPECT_EQ (known.take_probe (second, 0), 1u);
    known.alive (second, 1);
    EXPECT_FALSE (service.members.ejected (1));
    EXPECT_EQ (known.next_probe (), base::never_ns);
    known.alive (second, 7);  // nobody
}

}  // namespace
}  // namespace zlink::service
