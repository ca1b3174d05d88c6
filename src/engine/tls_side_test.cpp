// Our side of an endpoint's TLS: what is wrong is told, and what changes on the disk
// holds for the streams to come.
#include "engine/tls_side.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/context.hpp"
#include "engine/test_world.hpp"
#include "support/identities.hpp"
#include "support/tls_ends.hpp"

namespace zlink::engine {
namespace {

using base::errc;
using crypto::tls_error;
using crypto::tls_fault;
using crypto::tls_item;
using crypto::tls_role;
using crypto::tls_settings;
using zlink::test::identity;

// Does what it is given when it is told to.
struct later final : base::worker
{
    base::result<void> submit (std::function<void ()> piece) override
    {
        pieces.push_back (std::move (piece));
        return {};
    }
    void work ()
    {
        for (const auto &each : std::exchange (pieces, {}))
            each ();
    }
    std::vector<std::function<void ()>> pieces;
};

struct said final : base::log_sink
{
    void take (const base::log_line &line) noexcept override { lines.emplace_back (line.about); }
    std::vector<std::string> lines;
};

struct day final : base::clock
{
    [[nodiscard]] base::time_ns now_ns () noexcept override { return now; }
    [[nodiscard]] std::uint64_t ticks () noexcept override { return 0; }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 1; }
    [[nodiscard]] std::int64_t unix_s () noexcept override { return day_s; }
    base::time_ns now = 1;
    std::int64_t day_s = zlink::test::today_s;
};

struct tls_sides : testing::Test
{
    test::quiet_world quiet;
    zlink::test::seeded secrets{1};
    zlink::test::files_in_memory files;
    later slow;
    said log;
    day time;
    base::kept place{.secrets = &secrets};
    base::world around{time,
                       quiet.world ().sleep,
                       quiet.world ().pollers,
                       quiet.world ().dice,
                       quiet.world ().names,
                       quiet.world ().threads,
                       {},
                       &log,
                       &secrets,
                       &slow,
                       &files,
                       &place};
    context of{around, nullptr};
    identity root{{.name = "root"}};
    identity host{{.name = "host"}, &root};

    tls_side::made listener_of (const std::string &certificate)
    {
        auto settings = std::make_shared<tls_settings> ();
        settings->certificate = certificate;
        return tls_side::make (of, tls_role::listener, settings, "127.0.0.1");
    }
    void look (const std::shared_ptr<tls_side> &side)
    {
        time.now += 2 * base::ns_per_s;
        tls_side::refresh (side, around, "tls://here");
        slow.work ();
    }
};

TEST (tls_faults, are_told_with_their_file_and_as_an_errno)
{
    const tls_error missing{tls_fault::file_missing, tls_item::key, "/etc/own.pem", 0};
    EXPECT_EQ (tls_complaint ("tls://*:1", missing).substr (0, 10), "tls://*:1,");
    EXPECT_NE (tls_complaint ("tls://*:1", missing).find ("/etc/own.pem"), std::string::npos);
    const tls_error far{tls_fault::expired, tls_item::certificate, std::string (500, 'x') + "/own.pem", 0};
    EXPECT_LT (tls_complaint ("tls://*:1", far).size (), 128U) << "what is wrong is never cut off";
    EXPECT_EQ (tls_answer (missing).code, errc::no_such_file);
    EXPECT_EQ (tls_answer ({tls_fault::file_unreadable, tls_item::key, {}, 5}).os_code, 5);
    EXPECT_EQ (tls_answer ({tls_fault::out_of_memory, tls_item::none, {}, 0}).code, errc::no_memory);
    EXPECT_EQ (tls_answer ({tls_fault::not_built, tls_item::none, {}, 0}).code, errc::protocol_not_supported);
    EXPECT_EQ (tls_answer ({tls_fault::key_mismatch, tls_item::key, {}, 0}).code, errc::invalid_argument);
    EXPECT_EQ (tls_answer ({}).code, errc::ok);
}

TEST_F (tls_sides, a_listener_has_to_have_a_certificate)
{
    EXPECT_EQ (tls_side::make (of, tls_role::listener, nullptr, "127.0.0.1").error.fault, tls_fault::missing);
    EXPECT_EQ (listener_of ("missing.pem").error.fault, tls_fault::file_missing);
    EXPECT_NE (listener_of (host.certificate () + host.key ()).side, nullptr);
}

TEST_F (tls_sides, a_dialler_expects_the_endpoints_host_unless_told_otherwise)
{
    auto settings = std::make_shared<tls_settings> ();
    settings->authority = root.certificate ();
    EXPECT_EQ (tls_side::make (of, tls_role::dialer, settings, "example.com").side->terms (0).host,
               "example.com");
    settings->host = "other.example";
    EXPECT_EQ (tls_side::make (of, tls_role::dialer, settings, "example.com").side->terms (0).host,
               "other.example");
}

TEST_F (tls_sides, without_files_there_is_no_tls)
{
    around.disk = nullptr;
    context other (around, nullptr);
    EXPECT_EQ (tls_side::make (other, tls_role::dialer, nullptr, "example.com").error.fault,
               tls_fault::not_built);
}

TEST_F (tls_sides, files_are_looked_at_again_and_what_fits_is_taken)
{
    files.held["host.pem"] = host.certificate () + host.key ();
    const std::shared_ptr<tls_side> side = listener_of ("host.pem").side;
    ASSERT_NE (side, nullptr);
    const auto first = side->terms (0).context;
    tls_side::refresh (side, around, "tls://here");
    EXPECT_TRUE (slow.pieces.empty ()) << "that soon";
    look (side);
    EXPECT_EQ (side->terms (0).context, first) << "nothing has changed";
    files.held["host.pem"] = "rubbish";
    look (side);
    look (side);
    EXPECT_EQ (side->terms (0).context, first);
    ASSERT_EQ (log.lines.size (), 1U) << "it is complained of once";
    EXPECT_NE (log.lines[0].find ("host.pem"), std::string::npos);
    const identity renewed ({.name = "renewed"}, &root);
    files.held["host.pem"] = renewed.certificate () + renewed.key ();
    look (side);
    EXPECT_NE (side->terms (0).context, first);
}

TEST_F (tls_sides, endpoints_of_the_same_settings_share_what_was_read)
{
    files.held["host.pem"] = host.certificate () + host.key ();
    auto settings = std::make_shared<tls_settings> ();
    settings->certificate = "host.pem";
    std::vector<std::shared_ptr<tls_side>> sides;  // what nobody has is not kept
    const auto one_more = [&] (tls_role role) {
        sides.push_back (tls_side::make (of, role, settings, "example.com").side);
        return sides.back () == nullptr ? nullptr : sides.back ()->terms (0).context;
    };
    const auto first = one_more (tls_role::listener);
    EXPECT_EQ (one_more (tls_role::listener), first);
    EXPECT_NE (one_more (tls_role::dialer), first);
    // Whoever has said the same by itself, but not in another role or with other words.
    const auto copy = std::make_shared<tls_settings> (*settings);
    EXPECT_EQ (tls_side::make (of, tls_role::listener, copy, "").side->terms (0).context, first);
    const auto another = std::make_shared<tls_settings> (*settings);
    another->protocols = "zmtp";
    EXPECT_NE (tls_side::make (of, tls_role::listener, another, "").side->terms (0).context, first);
    // Of nothing that was said, too, and each host has tickets of its own.
    const auto plain = tls_side::make (of, tls_role::dialer, nullptr, "a").side;
    const auto other = tls_side::make (of, tls_role::dialer, nullptr, "b").side;
    EXPECT_EQ (plain->terms (0).context, other->terms (0).context);
    EXPECT_NE (plain->terms (0).tickets, other->terms (0).tickets);
    EXPECT_EQ (other->terms (0).host, "b");
    const auto again = tls_side::make (of, tls_role::dialer, nullptr, "b").side;
    EXPECT_EQ (again->terms (0).tickets, other->terms (0).tickets);
    // Not what is older than a minute, nor what files held before.
    const identity renewed ({.name = "renewed"}, &root);
    files.held["host.pem"] = renewed.certificate () + renewed.key ();
    const auto second = one_more (tls_role::listener);
    EXPECT_NE (second, first);
    time.day_s += 60;
    EXPECT_NE (one_more (tls_role::listener), second);
    files.held.erase ("host.pem");
    EXPECT_EQ (tls_side::make (of, tls_role::listener, settings, "").error.fault, tls_fault::file_missing);
}

TEST_F (tls_sides, what_came_as_text_is_not_looked_at)
{
    const std::shared_ptr<tls_side> side = listener_of (host.certificate () + host.key ()).side;
    time.now += 2 * base::ns_per_s;
    tls_side::refresh (side, around, "tls://here");
    EXPECT_TRUE (slow.pieces.empty ());
    tls_side::refresh (nullptr, around, "tcp://here");
}

}  // namespace
}  // namespace zlink::engine
