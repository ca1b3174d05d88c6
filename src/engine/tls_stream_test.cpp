// Two ends that speak TLS back to back over a pipe that takes and gives as much as
// a test says: what goes in comes out, however it was cut on the way, and whatever
// goes wrong has its reason.
#include "engine/tls_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "support/foreign_tls.hpp"
#include "support/identities.hpp"
#include "support/tls_ends.hpp"

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;
using base::bytes_span;
using base::bytes_view;
using base::close_reason;
using base::errc;
using base::result;
using crypto::tls_context;
using crypto::tls_options;
using crypto::tls_role;
using test::identity;
using test::today_s;

// One direction. Any thread.
struct guarded_tube
{
    std::mutex lock;
    std::string octets;
    std::size_t passed = 0;
    std::size_t writes = 0;        // that took something
    std::size_t room = SIZE_MAX;   // that one round of writing takes
    std::size_t piece = SIZE_MAX;  // that one read gives
    bool ended = false;
    errc failure = errc::ok;
};

class guarded_stream final : public base::stream
{
  public:
    guarded_stream (guarded_tube &out, guarded_tube &in) noexcept : out_ (out), in_ (in) {}
    result<std::size_t> write (std::span<const bytes_view> slices) noexcept override
    {
        const std::lock_guard hold (out_.lock);
        std::size_t taken = 0;
        for (const bytes_view &each : slices) {
            const std::size_t size = std::min (out_.room, each.size ());
            out_.octets += as_text (each.first (size));
            out_.room -= out_.room == SIZE_MAX ? 0 : size;
            taken += size;
        }
        out_.passed += taken;
        out_.writes += taken > 0 ? 1 : 0;
        return taken > 0 ? result<std::size_t> (taken) : errc::would_block;
    }
    result<std::size_t> read (std::span<const bytes_span> slices) noexcept override
    {
        const std::lock_guard hold (in_.lock);
        if (in_.octets.empty () && in_.failure != errc::ok)
            return in_.failure;
        if (in_.octets.empty ())
            return in_.ended ? result<std::size_t> (std::size_t{0}) : errc::would_block;
        const std::size_t size = std::min ({slices[0].size (), in_.octets.size (), in_.piece});
        std::memcpy (slices[0].data (), in_.octets.data (), size);
        in_.octets.erase (0, size);
        return size;
    }
    [[nodiscard]] bool connecting () const noexcept override { return false; }
    result<void> finish_connect () noexcept override { return {}; }
    void shutdown_write () noexcept override
    {
        const std::lock_guard hold (out_.lock);
        out_.ended = true;
    }
    bool wait_writable (base::time_ns) noexcept override { return out_.room > 0; }
    [[nodiscard]] bool output_pending () noexcept override { return false; }
    [[nodiscard]] base::io_handle handle () const noexcept override { return 42; }
    [[nodiscard]] bool admitted () const noexcept override { return true; }
    [[nodiscard]] std::string peer_address () const override { return "peer"; }
    [[nodiscard]] std::string local_endpoint () const override { return "here"; }
    [[nodiscard]] std::string remote_endpoint () const override { return "there"; }

  private:
    guarded_tube &out_;
    guarded_tube &in_;
};

constexpr std::size_t pooled_bytes = 128 * 1024;

// Who the peers of these tests are; made once, each costs some milliseconds.
struct known
{
    identity root{{.name = "root"}};
    identity host{{.name = "host", .alternative = "DNS:peer.example"}, &root};
    identity guest{{.name = "guest"}, &root};
    identity other_root{{.name = "other root"}};
    std::string root_pem = root.certificate ();
    std::string other_root_pem = other_root.certificate ();
    std::string host_pem = host.certificate () + host.key ();
    std::string guest_pem = guest.certificate () + guest.key ();
    test::seeded secrets{7};
    test::files_in_memory files;
    std::shared_ptr<crypto::tls_world> world = crypto::tls_world::make (secrets, files);
};

// Gone before OpenSSL tidies up behind itself.
class all_known : public testing::Environment
{
  public:
    void TearDown () override { those.reset (); }
    static inline std::unique_ptr<known> those;
};
const testing::Environment *const registered = testing::AddGlobalTestEnvironment (new all_known);

known &who ()
{
    if (all_known::those == nullptr)
        all_known::those = std::make_unique<known> ();
    return *all_known::those;
}

std::shared_ptr<const tls_context> made (const tls_options &options)
{
    crypto::tls_made answer = tls_context::make (who ().world, options);
    EXPECT_NE (answer.context, nullptr) << answer.error.text ();
    return answer.context;
}

tls_options host_options ()
{
    return {.role = tls_role::listener, .certificate = {.text = who ().host_pem}, .now_s = today_s};
}

tls_options guest_options ()
{
    return {.role = tls_role::dialer,
            .authority = {.text = who ().root_pem},
            .trust_system = false,
            .now_s = today_s};
}

tls_terms terms_of (const tls_options &options)
{
    return {.context = made (options),
            .host = options.role == tls_role::dialer ? "peer.example" : "",
            .now_s = today_s};
}

struct pair_of_ends
{
    explicit pair_of_ends (const tls_terms &dialing = terms_of (guest_options ()),
                           const tls_terms &listening = terms_of (host_options ()))
      : dialer (std::make_unique<tls_stream> (
        std::make_unique<guarded_stream> (to_host, to_guest), dialing, pool, pool)),
        listener (std::make_unique<tls_stream> (
          std::make_unique<guarded_stream> (to_guest, to_host), listening, pool, pool))
    {
    }
    // Until nothing moves any more.
    void shake ()
    {
        std::size_t before = SIZE_MAX;
        while (before
               != to_host.passed + to_guest.passed + to_host.octets.size () + to_guest.octets.size ()) {
            before = to_host.passed + to_guest.passed + to_host.octets.size () + to_guest.octets.size ();
            dialed = dialer->open ();
            heard = listener->open ();
        }
    }
    [[nodiscard]] bool open () const { return dialed.ok () && heard.ok (); }
    buffer_pool pool{pooled_bytes, 4};
    guarded_tube to_host;
    guarded_tube to_guest;
    std::unique_ptr<tls_stream> dialer;
    std::unique_ptr<tls_stream> listener;
    result<void> dialed{errc::would_block};  // what the last open said
    result<void> heard{errc::would_block};
};

result<std::size_t> write_all (tls_stream &to, std::string_view octets)
{
    const bytes_view all = as_bytes (octets);
    return to.write (std::span (&all, 1));
}

// What one read gives, into two slices of these sizes.
result<std::size_t>
read_into (tls_stream &from, std::string &to, std::size_t first = 1 << 17, std::size_t second = 100)
{
    std::string room (first + second, '?');
    const bytes_span whole = std::as_writable_bytes (std::span (room));
    const std::array slices{whole.first (first), whole.subspan (first)};
    const auto got = from.read (slices);
    if (got.ok ())
        to += room.substr (0, got.value ());
    return got;
}

std::string read_all (tls_stream &from, std::size_t first = 1 << 17)
{
    std::string all;
    for (auto got = read_into (from, all, first); got.ok () && got.value () > 0;)
        got = read_into (from, all, first);
    return all;
}

std::string text_of (std::size_t size, unsigned seed)
{
    std::minstd_rand dice (seed);
    std::string made (size, '\0');
    std::ranges::generate (made, [&] { return static_cast<char> (dice ()); });
    return made;
}

TEST (tls_streams, what_goes_in_comes_out)
{
    pair_of_ends ends;
    ends.shake ();
    ASSERT_TRUE (ends.open ());
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{64}, std::size_t{16 * 1024}, std::size_t{200'000}}) {
        const std::string sent = text_of (size, 1);
        ASSERT_EQ (write_all (*ends.dialer, sent).value (), size);
        if (size > 1) {  // one octet may well be among others
            EXPECT_EQ (ends.to_host.octets.find (sent.substr (0, 64)), std::string::npos);
        }
        EXPECT_EQ (read_all (*ends.listener), sent);
        ASSERT_EQ (write_all (*ends.listener, sent).value (), size);
        EXPECT_EQ (read_all (*ends.dialer, 1000), sent) << "in pieces";
    }
    EXPECT_FALSE (ends.dialer->pending ());
}

TEST (tls_streams, whatever_is_cut_octet_by_octet_arrives)
{
    pair_of_ends ends;
    ends.to_host.piece = ends.to_guest.piece = 1;
    ends.shake ();
    ASSERT_TRUE (ends.open ());
    const std::string sent = text_of (40'000, 2);
    ASSERT_EQ (write_all (*ends.dialer, sent).value (), sent.size ());
    EXPECT_EQ (read_all (*ends.listener), sent);
}

TEST (tls_streams, a_system_that_takes_an_octet_at_a_time_is_waited_for)
{
    pair_of_ends ends;
    ends.to_host.room = ends.to_guest.room = 0;
    bool waited_to_write = false;
    for (unsigned i = 0; i < 20'000 && !ends.open (); ++i) {
        ends.to_host.room = ends.to_guest.room = 1;
        ends.dialed = ends.dialer->open ();
        ends.heard = ends.listener->open ();
        waited_to_write = waited_to_write || (ends.listener->owes () && !ends.heard.ok ());
    }
    ASSERT_TRUE (ends.open ());
    EXPECT_TRUE (waited_to_write);
}

TEST (tls_streams, of_what_the_system_does_not_take_the_last_octet_counts_as_unwritten)
{
    pair_of_ends ends;
    ends.shake ();
    ends.to_host.room = 10;
    const std::string sent = text_of (1000, 3);
    EXPECT_EQ (write_all (*ends.dialer, sent).value (), sent.size () - 1);
    EXPECT_FALSE (ends.dialer->owes ()) << "the octet itself brings the writer back";
    EXPECT_EQ (write_all (*ends.dialer, sent.substr (999)).code (), errc::would_block);
    ends.to_host.room = SIZE_MAX;
    EXPECT_EQ (write_all (*ends.dialer, sent.substr (999) + "more").value (), 5U);
    EXPECT_EQ (read_all (*ends.listener), sent + "more");
    ends.to_host.room = 10;
    EXPECT_EQ (write_all (*ends.dialer, "x").code (), errc::would_block);
    ends.to_host.room = SIZE_MAX;
    EXPECT_EQ (write_all (*ends.dialer, "x").value (), 1U);
    EXPECT_EQ (read_all (*ends.listener), "x") << "once";
}

TEST (tls_streams, small_slices_travel_together)
{
    pair_of_ends ends;
    ends.shake ();
    std::vector<bytes_view> slices;
    const std::string sent = text_of (2000, 4);
    for (std::size_t at = 0; at < sent.size (); at += 100)
        slices.push_back (as_bytes (std::string_view (sent).substr (at, 100)));
    const std::size_t before = ends.to_host.passed;
    EXPECT_EQ (ends.dialer->write (slices).value (), sent.size ());
    EXPECT_LT (ends.to_host.passed - before,
               sent.size () + 2 * crypto::tls_session::record_overhead_bytes_max);
    EXPECT_EQ (read_all (*ends.listener), sent);
}

// Each thread reads or writes at one end, as fast as it can. Keys are changed all
// the time.
// In five records, none of which is a small rest.
TEST (tls_streams, an_arena_that_web_frames_made_larger_leaves_by_one_call)
{
    pair_of_ends ends;
    ends.shake ();
    ASSERT_TRUE (ends.open ());
    const std::size_t passed = ends.to_host.passed;
    const std::size_t writes = ends.to_host.writes;
    const std::string octets = text_of (64 * 1024 * 71 / 66, 9);
    EXPECT_EQ (write_all (*ends.dialer, octets).value (), octets.size ());
    EXPECT_EQ (ends.to_host.writes - writes, 1U);
    constexpr std::size_t around_a_record = 5 + 1 + 16;
    EXPECT_EQ (ends.to_host.passed - passed, octets.size () + 5 * around_a_record);
    EXPECT_EQ (read_all (*ends.listener), octets);
}

// What was cut small for a peer that nobody knows.
TEST (tls_streams, records_grow_when_the_peer_is_known)
{
    tls_terms dialing = terms_of (guest_options ());
    dialing.record_bytes_max = 1024;
    pair_of_ends ends (dialing);
    ends.shake ();
    ASSERT_TRUE (ends.open ());
    const std::string octets = text_of (16 * 1024, 10);
    const auto sealed_bytes_of = [&] {
        const std::size_t before = ends.to_host.passed;
        EXPECT_EQ (write_all (*ends.dialer, octets).value (), octets.size ());
        EXPECT_EQ (read_all (*ends.listener), octets);
        return ends.to_host.passed - before;
    };
    constexpr std::size_t around_a_record = 5 + 1 + 16;
    EXPECT_EQ (sealed_bytes_of (), octets.size () + 16 * around_a_record);
    ends.dialer->widen ();
    EXPECT_EQ (sealed_bytes_of (), octets.size () + around_a_record);
}

TEST (tls_streams, both_directions_go_at_once)
{
    tls_terms dialing = terms_of (guest_options ());
    tls_terms listening = terms_of (host_options ());
    dialing.records_per_key_max = listening.records_per_key_max = 5;
    pair_of_ends ends (dialing, listening);
    ends.shake ();
    ASSERT_TRUE (ends.open ());
    const std::string sent = text_of (3'000'000, 5);
    const auto write = [&sent] (tls_stream &to, std::size_t step) {
        for (std::string_view left = sent; !left.empty ();) {
            const auto did = write_all (to, left.substr (0, step));
            ASSERT_TRUE (did.ok ()) << static_cast<int> (to.fault ());
            left.remove_prefix (did.value ());
        }
    };
    const auto read = [&sent] (tls_stream &from, std::string &to) {
        while (to.size () < sent.size ()) {
            const auto did = read_into (from, to, 30'000);
            ASSERT_TRUE (did.ok () || did.code () == errc::would_block) << static_cast<int> (from.fault ());
            if (!did.ok ())
                std::this_thread::yield ();
        }
    };
    std::string at_host;
    std::string at_guest;
    std::vector<std::thread> threads;
    threads.emplace_back ([&] { write (*ends.dialer, 70'000); });
    threads.emplace_back ([&] { write (*ends.listener, 9000); });
    threads.emplace_back ([&] { read (*ends.dialer, at_guest); });
    threads.emplace_back ([&] { read (*ends.listener, at_host); });
    for (std::thread &each : threads)
        each.join ();
    EXPECT_TRUE (at_host == sent);
    EXPECT_TRUE (at_guest == sent);
}

TEST (tls_streams, a_goodbye_is_an_end_and_what_came_before_it_is_read)
{
    pair_of_ends ends;
    ends.shake ();
    ASSERT_TRUE (write_all (*ends.dialer, "last words").ok ());
    ends.dialer->shutdown_write ();
    EXPECT_TRUE (ends.to_host.ended);
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).value (), 10U);
    EXPECT_TRUE (ends.listener->pending ()) << "the end is to be told";
    EXPECT_EQ (read_into (*ends.listener, got).value (), 0U);
    EXPECT_EQ (ends.listener->fault (), close_reason::none);
    // The other side goes on.
    ASSERT_TRUE (write_all (*ends.listener, "one more thing").ok ());
    EXPECT_EQ (read_all (*ends.dialer), "one more thing");
}

TEST (tls_streams, a_goodbye_that_the_system_does_not_take_goes_with_the_next_reads)
{
    pair_of_ends ends;
    ends.shake ();
    ends.to_host.room = 3;
    ends.dialer->shutdown_write ();
    EXPECT_FALSE (ends.to_host.ended);
    EXPECT_TRUE (ends.dialer->output_pending ());
    std::string got;
    EXPECT_EQ (read_into (*ends.dialer, got).code (), errc::would_block);
    ends.to_host.room = SIZE_MAX;
    EXPECT_EQ (read_into (*ends.dialer, got).code (), errc::would_block);
    EXPECT_TRUE (ends.to_host.ended);
    EXPECT_FALSE (ends.dialer->output_pending ());
    EXPECT_EQ (read_into (*ends.listener, got).value (), 0U);
}

TEST (tls_streams, who_is_destroyed_says_goodbye)
{
    pair_of_ends ends;
    ends.shake ();
    ends.dialer.reset ();
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).value (), 0U);
    EXPECT_EQ (ends.listener->fault (), close_reason::none);
}

TEST (tls_streams, an_end_without_a_goodbye_is_told_as_one)
{
    pair_of_ends ends;
    ends.shake ();
    ASSERT_TRUE (write_all (*ends.dialer, "cut off").ok ());
    ends.to_host.ended = true;
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).value (), 7U) << "what came is genuine";
    EXPECT_EQ (read_into (*ends.listener, got).code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.listener->fault (), close_reason::tls_truncated);
}

TEST (tls_streams, what_fails_inside_is_told_as_it_is)
{
    pair_of_ends ends;
    ends.shake ();
    ends.to_host.failure = errc::connection_reset;
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).code (), errc::connection_reset);
    EXPECT_EQ (ends.listener->fault (), close_reason::none);
}

TEST (tls_streams, who_leaves_during_the_handshake_has_left)
{
    pair_of_ends ends;
    EXPECT_EQ (ends.dialer->open ().code (), errc::would_block);
    ends.to_host.ended = true;
    ends.to_host.octets.resize (20);
    EXPECT_EQ (ends.listener->open ().code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.listener->fault (), close_reason::peer_closed);
}

// Whoever only connects costs a listener no session.
TEST (tls_streams, who_is_dialled_waits_for_the_first_octets)
{
    const tls_terms listening = terms_of (host_options ());
    pair_of_ends ends (terms_of (guest_options ()), listening);
    const long before = listening.context.use_count ();
    EXPECT_EQ (ends.listener->open ().code (), errc::would_block);
    EXPECT_EQ (listening.context.use_count (), before);
    ends.shake ();
    EXPECT_TRUE (ends.open ());
    EXPECT_GT (listening.context.use_count (), before);
}

TEST (tls_streams, who_leaves_before_the_first_octet_has_left)
{
    pair_of_ends ends;
    ends.to_host.ended = true;
    EXPECT_EQ (ends.listener->open ().code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.listener->fault (), close_reason::peer_closed);
}

TEST (tls_streams, plain_octets_at_a_tls_port_have_their_reason)
{
    pair_of_ends ends;
    ends.to_host.octets = std::string ("\xff\0\0\0\0\0\0\0\1\x7f\3", 11);
    EXPECT_EQ (ends.listener->open ().code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.listener->fault (), close_reason::not_tls);
    EXPECT_EQ (ends.to_guest.passed, 0U) << "nobody who speaks TLS is there to hear it";
}

TEST (tls_streams, a_peer_that_answers_plainly_has_its_reason)
{
    pair_of_ends ends;
    EXPECT_EQ (ends.dialer->open ().code (), errc::would_block);
    ends.to_guest.octets = std::string ("\xff\0\0\0\0\0\0\0\1\x7f\3", 11);
    EXPECT_EQ (ends.dialer->open ().code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.dialer->fault (), close_reason::not_tls);
}

TEST (tls_streams, who_is_not_trusted_hears_of_it)
{
    tls_options stranger = guest_options ();
    stranger.authority.text = who ().other_root_pem;
    pair_of_ends ends (terms_of (stranger));
    ends.shake ();
    EXPECT_EQ (ends.dialer->fault (), close_reason::certificate_untrusted);
    EXPECT_EQ (ends.heard.code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.listener->fault (), close_reason::tls_alert);
    constexpr int unknown_authority = 48;
    EXPECT_EQ (ends.heard.failure ().os_code, unknown_authority);
}

TEST (tls_streams, another_host_is_not_talked_to)
{
    tls_terms dialing = terms_of (guest_options ());
    dialing.host = "elsewhere.example";
    pair_of_ends ends (dialing);
    ends.shake ();
    EXPECT_FALSE (ends.open ());
    EXPECT_EQ (ends.dialer->fault (), close_reason::certificate_of_another);
}

TEST (tls_streams, both_may_show_who_they_are)
{
    tls_options dialing = guest_options ();
    dialing.certificate.text = who ().guest_pem;
    tls_options listening = host_options ();
    listening.authority.text = who ().root_pem;
    listening.require_client_certificate = true;
    pair_of_ends ends (terms_of (dialing), terms_of (listening));
    ends.shake ();
    ASSERT_TRUE (ends.open ());
    using facts = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ (ends.listener->peer_facts (), (facts{{"TLS-Subject", "CN=guest,O=Example"}}));
    EXPECT_EQ (ends.dialer->peer_facts (), (facts{{"TLS-Subject", "CN=host,O=Example"}}));
}

TEST (tls_streams, who_has_to_show_a_certificate_and_does_not_is_told)
{
    tls_options listening = host_options ();
    listening.authority.text = who ().root_pem;
    listening.require_client_certificate = true;
    pair_of_ends ends (terms_of (guest_options ()), terms_of (listening));
    ends.shake ();
    EXPECT_EQ (ends.listener->fault (), close_reason::certificate_missing);
    std::string got;
    EXPECT_EQ (read_into (*ends.dialer, got).code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.dialer->fault (), close_reason::tls_alert);
}

TEST (tls_streams, what_was_changed_on_the_way_ends_it_and_the_peer_hears_of_it)
{
    pair_of_ends ends;
    ends.shake ();
    ASSERT_TRUE (write_all (*ends.dialer, "genuine").ok ());
    ends.to_host.octets.back () ^= 1;
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.listener->fault (), close_reason::tls_forged);
    EXPECT_EQ (write_all (*ends.listener, "anything").code (), errc::incompatible_protocol);
    EXPECT_EQ (read_into (*ends.dialer, got).code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.dialer->fault (), close_reason::tls_alert);
    EXPECT_EQ (got, "");
}

TEST (tls_streams, a_last_word_waits_for_room)
{
    pair_of_ends ends;
    ends.shake ();
    ASSERT_TRUE (write_all (*ends.dialer, "genuine").ok ());
    ends.to_host.octets.back () ^= 1;
    ends.to_guest.room = 2;
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).code (), errc::incompatible_protocol);
    EXPECT_TRUE (ends.listener->owes ());
    EXPECT_EQ (ends.listener->write ({}).code (), errc::would_block);
    EXPECT_TRUE (ends.listener->owes ()) << "not all of it has left";
    ends.to_guest.room = SIZE_MAX;
    (void)ends.listener->write ({});
    EXPECT_FALSE (ends.listener->owes ());
    EXPECT_EQ (read_into (*ends.dialer, got).code (), errc::incompatible_protocol);
    EXPECT_EQ (ends.dialer->fault (), close_reason::tls_alert);
}

TEST (tls_streams, a_second_handshake_is_shorter)
{
    tls_terms dialing = terms_of (guest_options ());
    dialing.tickets = std::make_shared<tls_ticket_box> ();
    const tls_terms listening = terms_of (host_options ());
    std::array<std::size_t, 2> octets{};
    for (std::size_t &each : octets) {
        pair_of_ends ends (dialing, listening);
        ends.shake ();
        ASSERT_TRUE (ends.open ());
        each = ends.to_guest.passed;
        EXPECT_EQ (read_all (*ends.dialer), "") << "the ticket comes";
        EXPECT_EQ (ends.dialer->peer_facts ().size (), 1U) << "whose certificate it was is known";
    }
    EXPECT_LT (octets[1], octets[0] * 2 / 3) << "without certificates";
}

TEST (tls_streams, buffers_are_given_back_and_taken_again)
{
    pair_of_ends ends;
    ends.dialer->rest ();
    ends.shake ();
    for (unsigned i = 0; i < 3; ++i) {
        ends.dialer->rest ();
        ends.listener->rest ();
        ASSERT_TRUE (write_all (*ends.dialer, "hello").ok ());
        EXPECT_EQ (read_all (*ends.listener), "hello");
    }
}

TEST (tls_streams, who_asks_for_new_keys_gets_them_by_whatever_is_written_next)
{
    pair_of_ends ends;
    guarded_stream raw (ends.to_host, ends.to_guest);
    test::foreign_dialer peer (raw);
    for (unsigned i = 0; i < 5; ++i) {
        peer.shake ();
        peer.carry ();
        ends.heard = ends.listener->open ();
        peer.carry ();
    }
    ASSERT_TRUE (ends.heard.ok ());
    ASSERT_TRUE (peer.ask_for_new_keys ());
    ASSERT_TRUE (peer.write ("hello"));
    peer.carry ();
    std::string got;
    EXPECT_EQ (read_into (*ends.listener, got).value (), 5U);
    ASSERT_TRUE (write_all (*ends.listener, "under new keys").ok ());
    peer.carry ();
    EXPECT_EQ (peer.read (), "under new keys");
}

}  // namespace
}  // namespace zlink::engine
