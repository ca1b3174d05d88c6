#include "service/provider_link.hpp"

#include <deque>
#include <map>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "service/test_providers.hpp"

namespace zlink::service {
namespace {

using namespace test;
using base::ns_per_ms;
using base::ns_per_s;
using octets = std::vector<std::byte>;

constexpr std::uint64_t own = 7;

wire::registry_fault serve (registry_table &table, base::time_ns now, const wire::registry_message &asked)
{
    switch (asked.kind) {
    case wire::registry_kind::open:
        return table.open (now, 1, asked.instance, asked.token);
    case wire::registry_kind::put:
        return table.put (now, 1, asked.provider);
    case wire::registry_kind::drop:
        return table.drop (1, asked.family, asked.service, asked.endpoint);
    case wire::registry_kind::renew:
        return table.renew (now, 1);
    default:
        return table.close (1);
    }
}

// What a registry answers.
octets answer_of (registry_table &table, base::time_ns now, const octets &asked_octets)
{
    wire::registry_message asked, answer;
    EXPECT_EQ (wire::decode_registry_message (asked_octets, asked), wire::service_status::complete);
    answer.fault = serve (table, now, asked);
    answer.kind = wire::registry_kind::answer;
    if (answer.fault == wire::fault_none && asked.kind == wire::registry_kind::open)
        answer.kind = wire::registry_kind::opened;
    if (answer.fault == wire::fault_none && asked.kind == wire::registry_kind::renew)
        answer.kind = wire::registry_kind::renewed;
    answer.request = asked.request;
    answer.incarnation = table.incarnation ();
    answer.revision = table.revision ();
    answer.lease_ms = static_cast<std::uint32_t> (lease_ns / ns_per_ms);
    answer.renew_ms = static_cast<std::uint32_t> (renew_ns / ns_per_ms);
    octets out;
    wire::encode_registry_message (answer, out);
    return out;
}

void hear (provider_link &link, const octets &answer)
{
    wire::registry_message message;
    ASSERT_EQ (wire::decode_registry_message (answer, message), wire::service_status::complete);
    link.receive (message);
}

class links : public testing::Test
{
  protected:
    // All that is to be said is said, and answered at once. Answers the kinds.
    std::string talk ()
    {
        std::string kinds;
        for (octets said; link_.next (now_, said); said.clear ()) {
            constexpr std::string_view letters = "?oOpdarR";
            const auto kind = static_cast<std::size_t> (said[2]);
            kinds += kind < letters.size () ? letters[kind] : 'c';
            hear (link_, answer_of (*table_, now_, said));
        }
        return kinds;
    }
    void set (std::string_view service, std::string_view endpoint)
    {
        link_.set (provider (service, endpoint, own, ++version_));
    }
    [[nodiscard]] offer_state state (std::string_view service, std::string_view endpoint) const
    {
        return link_.state_of (family, service, endpoint);
    }
    void restart ()
    {
        table_ = std::make_unique<registry_table> (registry_settings{.incarnation = ++incarnation_});
    }

    std::uint64_t incarnation_ = incarnation;
    std::uint64_t version_ = 0;
    std::unique_ptr<registry_table> table_ =
      std::make_unique<registry_table> (registry_settings{.incarnation = incarnation});
    provider_link link_{own, token_of (own)};
    base::time_ns now_ = ns_per_s;
};

TEST_F (links, register_what_is_set)
{
    set ("calc", "tcp://a:1");
    EXPECT_EQ (talk (), "") << "not connected";
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::pending);
    link_.connected ();
    EXPECT_EQ (talk (), "op");
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::registered);
    EXPECT_EQ (link_.incarnation (), incarnation);
    set ("calc", "tcp://a:1");
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::pending);
    EXPECT_EQ (talk (), "p");
    EXPECT_EQ (read (*table_, "calc", 0).lines (), std::vector<std::string>{"+calc@tcp://a:1*7.2"});
    link_.drop (family, "calc", "tcp://a:1");
    link_.drop (family, "calc", "tcp://a:1");
    EXPECT_EQ (talk (), "d");
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::unknown);
    EXPECT_EQ (table_->providers (), 0u);
}

TEST_F (links, renew_in_time)
{
    set ("calc", "tcp://a:1");
    link_.connected ();
    talk ();
    EXPECT_EQ (link_.next_due (), now_ + renew_ns);
    for (int i = 0; i < 10; ++i) {
        now_ = link_.next_due ();
        EXPECT_EQ (talk (), "r");
        EXPECT_EQ (table_->expire (now_), 0u);
        EXPECT_TRUE (link_.alive (now_ + lease_ns - 1));
        EXPECT_FALSE (link_.alive (now_ + lease_ns));
    }
}

// An answer that comes late does not make the lease longer.
TEST_F (links, count_the_lease_from_when_it_was_asked_for)
{
    link_.connected ();
    octets said;
    ASSERT_TRUE (link_.next (now_, said));
    now_ += 3 * ns_per_s;
    hear (link_, answer_of (*table_, now_, said));
    EXPECT_TRUE (link_.alive (now_));
    EXPECT_FALSE (link_.alive (now_ - 3 * ns_per_s + lease_ns));
}

TEST_F (links, begin_anew_when_nobody_answers)
{
    set ("calc", "tcp://a:1");
    link_.connected ();
    talk ();
    now_ += renew_ns;
    octets unanswered;
    EXPECT_TRUE (link_.next (now_, unanswered));
    now_ += lease_ns;
    table_->expire (now_);
    EXPECT_FALSE (link_.alive (now_));
    EXPECT_EQ (talk (), "op");
    EXPECT_EQ (table_->providers (), 1u);
}

TEST_F (links, register_again_with_a_registry_that_was_restarted)
{
    set ("calc", "tcp://a:1");
    set ("echo", "tcp://a:1");
    link_.connected ();
    talk ();
    link_.lost ();
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::pending);
    restart ();
    link_.connected ();
    EXPECT_EQ (talk (), "opp");
    EXPECT_EQ (table_->providers (), 2u);
    restart ();
    now_ += renew_ns;
    EXPECT_EQ (talk (), "ropp") << "though the connection seemed to last";
    EXPECT_EQ (link_.incarnation (), incarnation_);
}

TEST_F (links, coming_back_changes_nothing_for_watchers)
{
    set ("calc", "tcp://a:1");
    link_.connected ();
    talk ();
    const std::uint64_t revision = table_->revision ();
    link_.lost ();
    table_->peer_gone (now_, 1);
    link_.connected ();
    EXPECT_EQ (talk (), "op");
    EXPECT_EQ (table_->revision (), revision);
}

TEST_F (links, try_again_what_is_refused)
{
    ASSERT_EQ (table_->open (now_, 2, 8, token_of (8)), wire::fault_none);
    ASSERT_EQ (table_->put (now_, 2, provider ("calc", "tcp://a:1", 8)), wire::fault_none);
    set ("calc", "tcp://a:1");
    link_.connected ();
    EXPECT_EQ (talk (), "op");
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::refused);
    EXPECT_EQ (link_.fault_of (family, "calc", "tcp://a:1"), wire::fault_taken);
    table_->close (2);
    now_ = link_.next_due ();
    EXPECT_EQ (talk (), "rp");
    EXPECT_EQ (state ("calc", "tcp://a:1"), offer_state::registered);
}

TEST_F (links, try_again_an_open_that_is_refused)
{
    ASSERT_EQ (table_->open (now_, 2, own, token_of (own + 1)), wire::fault_none);
    link_.connected ();
    EXPECT_EQ (talk (), "o");
    EXPECT_EQ (link_.fault (), wire::fault_taken);
    table_->close (2);
    EXPECT_EQ (link_.next_due (), now_ + renew_ns);
    now_ = link_.next_due ();
    EXPECT_EQ (talk (), "o");
    EXPECT_TRUE (link_.alive (now_));
}

TEST_F (links, are_silent_towards_who_does_not_understand_them)
{
    link_.connected ();
    octets said;
    ASSERT_TRUE (link_.next (now_, said));
    wire::registry_message refused;
    refused.kind = wire::registry_kind::refused;
    refused.fault = wire::fault_version;
    link_.receive (refused);
    EXPECT_EQ (talk (), "");
    EXPECT_EQ (link_.next_due (), base::never_ns);
    EXPECT_EQ (link_.fault (), wire::fault_version);
    link_.lost ();
    link_.connected ();
    EXPECT_EQ (talk (), "o");
}

TEST_F (links, leave)
{
    set ("calc", "tcp://a:1");
    link_.connected ();
    talk ();
    link_.leave ();
    EXPECT_EQ (talk (), "c");
    EXPECT_EQ (talk (), "");
    EXPECT_EQ (table_->providers (), 0u);
    EXPECT_FALSE (link_.alive (now_));
}

// --- properties --------------------------------------------------------------------

class link_runs : public testing::TestWithParam<unsigned>
{
  protected:
    void turn ()
    {
        now_ += static_cast<base::time_ns> (dice_ () % ns_per_s);
        table_->expire (now_);
        const std::string endpoint = "tcp://h:" + std::to_string (dice_ () % 5);
        switch (dice_ () % 12) {
        case 0:
            return cut ();
        case 1:
        case 2:
            return join ();
        case 3:
            link_.set (provider ("calc", endpoint, own, ++version_));
            wanted_[endpoint] = version_;
            return;
        case 4:
            link_.drop (family, "calc", endpoint);
            wanted_.erase (endpoint);
            return;
        case 5:
            if (dice_ () % 5 == 0)
                table_ = std::make_unique<registry_table> (registry_settings{.incarnation = ++drawn_});
            return;
        case 6:
        case 7:
        case 8:
            say ();
            return;
        default:
            (void)listen ();
        }
    }
    void cut ()
    {
        connected_ = false;
        there_.clear ();
        back_.clear ();
        link_.lost ();
        table_->peer_gone (now_, 1);
    }
    void join ()
    {
        if (connected_)
            return;
        connected_ = true;
        link_.connected ();
    }
    bool say ()
    {
        octets said;
        const bool any = connected_ && link_.next (now_, said);
        if (any)
            there_.push_back (said);
        if (!there_.empty ()) {
            back_.push_back (answer_of (*table_, now_, there_.front ()));
            there_.pop_front ();
        }
        return any;
    }
    bool listen ()
    {
        if (back_.empty ())
            return false;
        hear (link_, back_.front ());
        back_.pop_front ();
        return true;
    }

    std::mt19937 dice_{GetParam ()};
    base::time_ns now_ = 0;
    std::uint64_t drawn_ = 100;
    std::uint64_t version_ = 0;
    bool connected_ = false;
    std::unique_ptr<registry_table> table_ =
      std::make_unique<registry_table> (registry_settings{.incarnation = 100});
    provider_link link_{own, token_of (own)};
    std::deque<octets> there_, back_;
    std::map<std::string, std::uint64_t> wanted_;
};

TEST_P (link_runs, end_with_what_was_set)
{
    for (int round = 0; round < 3000; ++round)
        turn ();
    join ();
    // A session that is lost is noticed at the next renewal.
    for (int renewals = 0; renewals < 3; ++renewals, now_ += renew_ns)
        for (bool busy = true; busy;) {
            busy = say ();
            busy |= listen ();
        }
    std::map<std::string, std::uint64_t> there;
    const held_page page = read (*table_, "calc", 0);
    wire::registry_entries entries (page.octets);
    for (wire::registry_entry entry; entries.next (entry);)
        there[std::string (entry.provider.endpoint)] = entry.provider.version;
    EXPECT_EQ (there, wanted_);
    for (const auto &[endpoint, version] : wanted_)
        EXPECT_EQ (link_.state_of (family, "calc", endpoint), offer_state::registered);
}
INSTANTIATE_TEST_SUITE_P (seeds, link_runs, testing::Range (1u, 61u));

}  // namespace
}  // namespace zlink::service
