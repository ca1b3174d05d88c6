// Streams around the system's: what the engine asks of them and when. The one of
// these tests knocks before anything else and waits to be let in.
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wrapping_stream.hpp"
#include "engine/scripted_peer.hpp"
#include "engine/scripted_world.hpp"

namespace zlink::engine {
namespace {

using base::close_reason;
using base::errc;
using base::result;

constexpr std::string_view knock = "knock,";
constexpr std::string_view enter = "enter,";

// What a test tells the stream, and is told by it.
struct doorway
{
    std::string owed{knock};
    bool inside = false;
    unsigned rested = 0;
    bool in_drops = false;  // takes all that has come, and gives one octet at a time
    close_reason why = close_reason::none;
};

class knocking_stream final : public base::wrapping_stream
{
  public:
    knocking_stream (std::unique_ptr<base::stream> script, std::shared_ptr<doorway> of)
      : wrapping_stream (std::move (script)), of_ (std::move (of))
    {
    }
    result<void> open () noexcept override
    {
        if (const result<void> said = pay (); !said.ok ())
            return said;
        while (!of_->inside) {
            std::byte octet{};
            const base::bytes_span one (&octet, 1);
            const result<std::size_t> got = inside ().read (std::span (&one, 1));
            if (!got.ok ())
                return got.failure ();
            if (got.value () == 0 || static_cast<char> (octet) != enter[heard_]) {
                of_->why = close_reason::greeting_malformed;
                return errc::incompatible_protocol;
            }
            of_->inside = ++heard_ == enter.size ();
        }
        return {};
    }
    result<std::size_t> write (std::span<const base::bytes_view> slices) noexcept override
    {
        EXPECT_TRUE (of_->inside);
        if (const result<void> said = pay (); !said.ok ())
            return said.failure ();
        return slices.empty () ? result<std::size_t> (std::size_t{0}) : inside ().write (slices);
    }
    result<std::size_t> read (std::span<const base::bytes_span> slices) noexcept override
    {
        EXPECT_TRUE (of_->inside);
        if (of_->why != close_reason::none)
            return errc::incompatible_protocol;
        return of_->in_drops ? drip (slices[0]) : inside ().read (slices);
    }
    void rest () noexcept override { ++of_->rested; }
    [[nodiscard]] bool owes () const noexcept override { return !of_->owed.empty (); }
    [[nodiscard]] bool pending () const noexcept override { return !held_.empty (); }
    [[nodiscard]] close_reason fault () const noexcept override { return of_->why; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> peer_facts () const override
    {
        return {{"Door", "front"}};
    }

  private:
    result<std::size_t> drip (base::bytes_span to) noexcept
    {
        std::array<std::byte, 64> room;
        const base::bytes_span whole (room);
        if (const auto got = inside ().read (std::span (&whole, 1)); got.ok ())
            held_ += base::as_text (base::bytes_view (room).first (got.value ()));
        if (held_.empty ())
            return errc::would_block;
        to[0] = static_cast<std::byte> (held_[0]);
        held_.erase (0, 1);
        return std::size_t{1};
    }
    result<void> pay () noexcept
    {
        while (!of_->owed.empty ()) {
            const base::bytes_view all = base::as_bytes (of_->owed);
            const result<std::size_t> taken = inside ().write (std::span (&all, 1));
            if (!taken.ok ())
                return taken.failure ();
            of_->owed.erase (0, taken.value ());
        }
        return {};
    }

    std::shared_ptr<doorway> of_;
    std::size_t heard_ = 0;
    std::string held_;
};

struct layers : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<doorway> door = std::make_shared<doorway> ();
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    socket_ref ours{};

    layers ()
    {
        around.wrap = [this] (std::unique_ptr<base::stream> script) -> std::unique_ptr<base::stream> {
            return std::make_unique<knocking_stream> (std::move (script), door);
        };
    }
    ~layers () override
    {
        EXPECT_TRUE (ours.slot->close (ours.generation).ok ());
        around.time ().now.fetch_add (base::ns_per_s * 10);
        around.settle (*of);
    }
    void bind (const pattern_traits &traits = test::pair_traits (), const settings &wish = {})
    {
        ours = socket_core::create (of, traits, wish).value ();
        EXPECT_TRUE (of->admit (ours, 1).ok ());
        EXPECT_TRUE (ours.slot->bind (ours.generation, "script://here").ok ());
    }
    // A good peer of the same type that was let in; what it says behind that.
    std::shared_ptr<test::script> ready_peer (std::string_view says = {})
    {
        const auto peer = around.peer (std::string (enter) + test::introduction (0) + std::string (says));
        around.settle (*of);
        EXPECT_TRUE (peer->open);
        peer->hears.clear ();
        return peer;
    }
    [[nodiscard]] std::uint64_t handshakes ()
    {
        return ours.slot->counters (ours.generation).value ().total.handshakes_done;
    }
    [[nodiscard]] std::string receive (const char *fact = nullptr)
    {
        base::message got;
        got.init ();
        const auto outcome = ours.slot->receive (ours.generation, got, send_dont_wait);
        std::string text (base::as_text (got.view ()));
        if (fact != nullptr && outcome.ok ())
            text = got.facts ()->find (fact);
        got.close ();
        return outcome.ok () ? text : "nothing";
    }
};

TEST_F (layers, come_before_everything_else)
{
    bind ();
    const auto peer = around.peer ("");
    around.settle (*of);
    EXPECT_EQ (peer->hears, knock) << "no greeting before the door is open";
    peer->says = std::string (enter);
    around.settle (*of);
    EXPECT_GT (peer->hears.size (), knock.size ()) << "and it at once afterwards";
    peer->says += test::introduction (0);
    around.settle (*of);
    EXPECT_EQ (handshakes (), 1U);
}

// Thousands may do so at once.
TEST_F (layers, rest_while_the_handshake_waits_for_the_peer)
{
    bind ();
    const auto peer = around.peer ("");
    around.settle (*of);
    const unsigned knocked = door->rested;
    EXPECT_GT (knocked, 0U);
    peer->says = std::string (enter);
    around.settle (*of);
    const unsigned greeted = door->rested;
    EXPECT_GT (greeted, knocked) << "the greeting is awaited";
    peer->says += test::introduction (0);
    around.settle (*of);
    EXPECT_EQ (handshakes (), 1U);
    EXPECT_GT (door->rested, greeted);
}

// A plain socket has no handshake of its own: it knows of the peer when the
// stream is open, and not before.
TEST_F (layers, come_before_a_plain_peer_is_there)
{
    pattern_traits traits;
    traits.type = 11;
    traits.name = "STREAM";
    traits.sends = send_rule::address;
    traits.receives = receive_rule::labelled;
    settings wish;
    wish.speaks = wire::framing::raw;
    wish.notify_connect = true;
    bind (traits, wish);
    const auto peer = around.peer ("");
    around.settle (*of);
    EXPECT_EQ (receive (), "nothing");
    EXPECT_EQ (peer->hears, knock);
    peer->says = std::string (enter) + "bytes";
    around.settle (*of);
    EXPECT_NE (receive (), "nothing") << "its name";
    EXPECT_EQ (receive (), "") << "it is there";
    EXPECT_NE (receive (), "nothing");
    EXPECT_EQ (receive (), "bytes");
}

TEST_F (layers, wait_for_the_system_to_take_what_they_say)
{
    bind ();
    const auto peer = around.peer (std::string (enter) + test::introduction (0));
    peer->room_bytes = 2;
    around.settle (*of);
    EXPECT_EQ (peer->hears, knock.substr (0, 2));
    peer->room_bytes = SIZE_MAX;
    around.settle (*of);
    EXPECT_EQ (handshakes (), 1U);
}

TEST_F (layers, fail_with_a_reason_of_their_own)
{
    bind ();
    const auto peer = around.peer ("no");
    around.settle (*of);
    EXPECT_FALSE (peer->open);
    const auto counted = ours.slot->counters (ours.generation);
    ASSERT_TRUE (counted.ok ());
    EXPECT_EQ (counted.value ().total.handshakes_done, 0U);
    EXPECT_EQ (counted.value ().total.handshakes_failed, 1U);
}

TEST_F (layers, tell_of_the_peer)
{
    bind ();
    const auto peer = ready_peer (std::string ("\0\5hello", 7));
    EXPECT_EQ (receive ("Door"), "front");
}

// Nobody sends anything: what is owed because of what was read goes out by itself.
TEST_F (layers, have_what_they_owe_written)
{
    bind ();
    const auto peer = ready_peer ();
    door->owed = "thanks";
    peer->says += std::string ("\0\5hello", 7);
    EXPECT_EQ (receive (), "hello");
    around.settle (*of);
    EXPECT_EQ (peer->hears, "thanks");
}

TEST_F (layers, have_what_they_owe_written_when_there_is_room)
{
    bind ();
    const auto peer = ready_peer ();
    peer->room_bytes = 0;
    door->owed = "thanks";
    peer->says += std::string ("\0\5hello", 7);
    EXPECT_EQ (receive (), "hello");
    around.settle (*of);
    EXPECT_EQ (peer->hears, "");
    peer->room_bytes = SIZE_MAX;
    around.settle (*of);
    EXPECT_EQ (peer->hears, "thanks");
    // And messages go on.
    EXPECT_TRUE (ours.slot->send (ours.generation, base::as_bytes ("word"), send_dont_wait).ok ());
    around.settle (*of);
    EXPECT_EQ (peer->hears, std::string ("thanks\0\4word", 12));
}

// The system has told of all that came, and the stream holds some of it back.
TEST_F (layers, are_read_again_without_an_event)
{
    bind ();
    const auto peer = ready_peer ();
    door->in_drops = true;
    peer->says += std::string ("\0\5hello", 7);
    EXPECT_EQ (receive (), "hello");
    EXPECT_EQ (receive (), "nothing");
}

TEST_F (layers, end_a_ready_connection_with_a_reason_of_their_own)
{
    bind ();
    const auto peer = ready_peer ();
    door->why = close_reason::message_too_large;
    peer->says += "anything";
    EXPECT_EQ (receive (), "nothing");
    around.settle (*of);
    EXPECT_FALSE (peer->open);
}

}  // namespace
}  // namespace zlink::engine
