// A whole socket and a peer that says anything. The first octets of the input
// choose the socket's type, its options and whether it listens or connects; then
// comes a list of calls, and the rest is what the peer says. Each call is made
// behind a piece of that, and they begin anew until all is said. Time is
// virtual, and the reactor's turns are calls like the others.
//
// Promised: a peer that breaks a rule of the protocol, as a judge sees it who
// reads the same octets by himself, is closed for that reason, and nobody is
// closed for none; a good peer on the same socket is heard and heard of
// afterwards; what is held is bounded by what was said; behind the close all of
// it is given back.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fuzz_target.hpp"
#include "engine/scripted_peer.hpp"
#include "engine/scripted_world.hpp"
#include "socket/entries.hpp"
#include "socket/facade.hpp"

namespace zlink::fuzz {
namespace {

using namespace socket;
using base::bytes_view;
using base::close_reason;
using base::ns_per_ms;
using engine::test::be;
using engine::test::frame;
using engine::test::script;

constexpr const char *here = "script://here";
constexpr std::int64_t words_bytes_max = 32;  // of what a good peer says
constexpr std::size_t calls_max = 64;         // in the list
constexpr std::size_t calls_in_all_max = 1000;
constexpr int rounds_max = 8;  // of the reactor, at a time

// --- what an input chooses -------------------------------------------------------

struct choices
{
    socket_type type = socket_type::pair;
    bool connects = false;
    bool introduced = false;  // the peer's first words are those of a good one
    bool ends_first = false;  // the peer is gone before a good one comes
    unsigned options = 0;     // bits of `option`
    std::int64_t message_bytes_max = 0;
    base::bytes_view calls;

    [[nodiscard]] bool bytes () const noexcept { return type == socket_type::stream; }
};

enum option : unsigned
{
    low_marks = 1,
    small_buffers = 2,
    heartbeats = 4,
    conflates = 8,
    budget = 16,
    first_of_pattern = 32,
    second_of_pattern = 64,
    third_of_pattern = 128,
};

choices choose (decisions &from)
{
    constexpr std::array types{socket_type::pair,   socket_type::pub,  socket_type::sub,
                               socket_type::req,    socket_type::rep,  socket_type::dealer,
                               socket_type::router, socket_type::pull, socket_type::push,
                               socket_type::xpub,   socket_type::xsub, socket_type::stream};
    choices made;
    const unsigned first = from.octet ();
    made.type = types[(first & 0x1F) % types.size ()];
    made.introduced = (first & 0x20) != 0 && !made.bytes ();
    made.connects = (first & 0x40) != 0;
    made.options = from.octet ();
    // Where there is one connection only, or too little memory for another, it
    // must make way.
    made.ends_first =
      (first & 0x80) != 0 || made.connects || made.type == socket_type::pair || (made.options & budget) != 0;
    const unsigned limit = from.octet ();
    made.message_bytes_max = limit == 0 ? 1024 * 1024 : words_bytes_max + limit;
    made.calls = from.take (std::min<std::size_t> (from.octet (), calls_max));
    return made;
}

socket_type partner_of (socket_type type)
{
    using enum socket_type;
    using both = std::pair<socket_type, socket_type>;
    constexpr std::array pairs{both{pair, pair}, both{pub, sub},       both{sub, pub},   both{req, rep},
                               both{rep, req},   both{dealer, router}, both{pull, push}, both{router, dealer},
                               both{push, pull}, both{xpub, xsub},     both{xsub, xpub}};
    for (const auto &[ours, theirs] : pairs)
        if (ours == type)
            return theirs;
    return stream;
}

std::string introduction (socket_type ours)
{
    return engine::test::introduction (static_cast<int> (partner_of (ours)));
}

// --- who watches -----------------------------------------------------------------

// Everything that is told of the socket, for as long as the suspect is looked at.
class notebook final : public engine::event_sink
{
  public:
    bool take (const engine::event_record &what) noexcept override
    {
        if (what.kind == engine::event_kind::lost || what.kind == engine::event_kind::handshake_failed
            || (what.kind == engine::event_kind::accept_failed && what.reason != close_reason::none))
            ends.push_back (what.reason);
        return true;
    }
    void deliver () noexcept override {}

    std::vector<close_reason> ends;
};

// --- the socket ------------------------------------------------------------------

base::message message_of (std::string_view text)
{
    base::message part;
    require (part.init_copy (base::as_bytes (text)).ok ());
    return part;
}

// A socket of the chosen kind, and everything that can be asked of it. No call
// blocks.
class subject
{
  public:
    subject (engine::test::scripted_world &around, const choices &how) : how_ (how), around_ (around)
    {
        context_ = context_open (around.world (), header::zlink, nullptr).value ();
        core = context_of (context_)->core;
        // Always one, for its account.
        core->set_budget ((how.options & budget) != 0 ? 768 * 1024 : std::int64_t{1} << 40);
        socket_ = open (context_, static_cast<int> (how.type)).value ();
        const target to = resolve (socket_);
        require (to.slot->add_sink (to.generation, notes).ok ());
        configure ();
        require ((how.connects ? connect (socket_, here) : bind (socket_, here)).ok ());
    }
    // Everything comes back.
    void finish ()
    {
        require (close (socket_).ok ());
        for (int i = 0; i < 4; ++i)
            pass (5 * base::ns_per_s);
        require (context_terminate (context_, around_.time ().now_ns ()).ok ());
        require (core->budget.used () == 0);
    }
    void settle () { around_.settle (*core, rounds_max); }
    void pass (base::time_ns time)
    {
        around_.time ().now.fetch_add (time);
        settle ();
    }
    [[nodiscard]] std::int64_t held () const noexcept { return core->budget.used (); }
    [[nodiscard]] std::size_t sent_bytes () const noexcept { return sent_; }

    // --- calls ---

    void set (std::string_view name, std::int64_t value)
    {
        const option_row &row = row_of (name);
        if (!row.applies_to (static_cast<int> (how_.type)))
            return;
        const auto number = static_cast<int> (value);
        const bool wide = row.type == option_type::int64;
        require (set_option (socket_, row.number (header::zlink),
                             wide ? static_cast<const void *> (&value) : &number,
                             wide ? sizeof (value) : sizeof (number))
                   .ok ());
    }
    // A word of the application about a topic; types without any refuse.
    void topic (std::string_view name, std::string_view text)
    {
        (void)set_option (socket_, row_of (name).number (header::zlink), text.data (), text.size ());
    }
    // The next message with all its parts; empty: there is none.
    std::vector<std::string> next_message ()
    {
        std::vector<std::string> parts;
        for (bool more = true; more;) {
            base::message part;
            part.init ();
            if (!receive (socket_, part, io_dont_wait).ok ())
                break;
            parts.emplace_back (base::as_text (part.view ()));
            more = part.more ();
            part.close ();
        }
        if (parts.size () > 1)
            asker = parts.front ();
        return parts;
    }
    bool say (std::string_view text, unsigned flags = 0)
    {
        sent_ += text.size ();
        return zlink::socket::send (socket_, base::as_bytes (text), flags | io_dont_wait).ok ();
    }
    bool say_parts (std::vector<std::string_view> texts)
    {
        std::vector<base::message> parts;
        for (const std::string_view each : texts) {
            sent_ += each.size ();
            parts.push_back (message_of (each));
        }
        const bool done = send_parts (socket_, parts, io_dont_wait).ok ();
        for (base::message &each : parts)
            each.close ();
        return done;
    }
    void call (unsigned which);

    std::shared_ptr<engine::context> core;
    const std::shared_ptr<notebook> notes = std::make_shared<notebook> ();
    std::string asker;  // the name of the last whose message was read

  private:
    static const option_row &row_of (std::string_view name)
    {
        const std::span<const option_row> rows = option_rows ();
        const auto found = std::find_if (rows.begin (), rows.end (),
                                         [name] (const option_row &each) { return name == each.name; });
        require (found != rows.end ());
        return *found;
    }
    void configure ()
    {
        set ("MAXMSGSIZE", how_.message_bytes_max);
        set ("LINGER", 100);
        set ("RECONNECT_IVL", 10);
        set ("RECONNECT_IVL_MAX", 0);
        struct row
        {
            unsigned when;
            std::string_view name;
            int value;
        };
        const std::array rows{
          row{low_marks, "SNDHWM", 2},
          row{low_marks, "RCVHWM", 2},
          row{small_buffers, "IN_BATCH_SIZE", 1},
          row{small_buffers, "OUT_BATCH_SIZE", 1},
          row{heartbeats, "HEARTBEAT_IVL", 500},
          row{first_of_pattern, "ROUTER_MANDATORY", 1},
          row{first_of_pattern, "XPUB_VERBOSER", 1},
          row{first_of_pattern, "REQ_CORRELATE", 1},
          row{first_of_pattern, "STREAM_RAW", 0},
          row{first_of_pattern, "REPORT_GAPS", 1},
          row{second_of_pattern, "ROUTER_HANDOVER", 1},
          row{second_of_pattern, "ROUTER_NOTIFY", 3},
          row{second_of_pattern, "XPUB_MANUAL", 1},
          row{second_of_pattern, "REQ_RELAXED", 1},
          row{second_of_pattern, "ONLY_FIRST_SUBSCRIBE", 1},
          row{second_of_pattern, "IMMEDIATE", 1},
          row{third_of_pattern, "SLOW_CONSUMER", 1 + static_cast<int> (how_.message_bytes_max % 4)},
          row{third_of_pattern, "PROBE_ROUTER", 1},
        };
        for (const row &each : rows)
            if ((how_.options & each.when) != 0)
                set (each.name, each.value);
        if ((how_.options & first_of_pattern) == 0)
            set ("STREAM_RAW", 1);
        if ((how_.options & conflates) != 0)
            conflate ();
    }
    // Where whole messages are single ones.
    void conflate ()
    {
        using enum socket_type;
        for (const socket_type each : {pull, push, sub, dealer})
            if (how_.type == each)
                set ("CONFLATE", 1);
    }
    void receive_many_ways (unsigned which);
    void ask ();

    const choices &how_;
    engine::test::scripted_world &around_;
    void *context_ = nullptr;
    void *socket_ = nullptr;
    std::size_t sent_ = 0;
};

void subject::receive_many_ways (unsigned which)
{
    std::array<std::byte, 48> memory;
    std::array<std::uint32_t, 4> sizes{};
    std::array<base::message, 3> parts;
    std::array<base::bytes_view, 4> places{};
    std::array<base::memory_hold, 1> holds{};
    std::array<bool, 4> goes_on{};
    base::placed_parts placed{memory, places, holds, 0, goes_on};
    std::size_t needed = 0;
    for (base::message &each : parts)
        each.init ();
    switch (which) {
    case 0:
        (void)receive (socket_, memory, io_dont_wait);
        break;
    case 1:
        (void)receive_parts (socket_, parts, io_dont_wait, &needed);
        break;
    case 2:
        (void)receive_many (socket_, parts, io_dont_wait);
        break;
    case 3:
        (void)receive_packed (socket_, memory, sizes, io_dont_wait);
        break;
    default:
        (void)receive_placed (socket_, placed, io_dont_wait);
        break;
    }
    for (base::message &each : parts)
        each.close ();
}

void subject::ask ()
{
    require (counters_text (socket_).ok ());
    require (count_rows (socket_).ok ());
    require (peers (socket_).ok ());
    require (status (socket_, here).ok ());
    std::array<char, 64> memory;
    for (const option_row &each : option_rows ()) {
        std::size_t size = memory.size ();
        if (std::holds_alternative<live_value> (each.field))
            (void)get_option (socket_, each.number (header::zlink), memory.data (), &size);
    }
}

void subject::call (unsigned which)
{
    static constexpr unsigned ways_to_receive = 5;
    if (which < ways_to_receive) {
        receive_many_ways (which);
        return;
    }
    switch (which - ways_to_receive) {
    case 0:
        (void)next_message ();
        break;
    case 1:
        (void)say ("a part of a message", io_send_more);
        break;
    case 2:
        (void)say ("");
        break;
    case 3:
        (void)say_parts ({asker, "", "an answer"});
        break;
    case 4:
        (void)say_parts ({"topic and more"});
        break;
    case 5:
        topic ("SUBSCRIBE", "to");
        break;
    case 6:
        topic ("UNSUBSCRIBE", "to");
        break;
    case 7:
        pass (400 * ns_per_ms);
        break;
    case 8:
        ask ();
        break;
    default:
        settle ();
        break;
    }
}

// --- the course of it ------------------------------------------------------------

class course
{
  public:
    course (const choices &how, bytes_view stream)
      : how_ (how), rest_ (base::as_text (stream)), ours_ (around_, how)
    {
        suspect_ = around_.peer (how.introduced ? introduction (how.type) : "");
        ours_.settle ();
    }
    void run ()
    {
        listen_to_suspect ();
        hear_out ();
        judge_suspect ();
        meet_a_good_one ();
        ours_.finish ();
        require (!suspect_->open);
    }

  private:
    // What is left of an input says how much the peer says before each call.
    static constexpr std::array<std::size_t, 4> pieces{0, 1, 7, 64};
    static constexpr unsigned calls_of_the_peer = 14;

    void listen_to_suspect ()
    {
        bool moved = true;
        for (std::size_t calls = 0; moved && !rest_.empty () && calls < calls_in_all_max;
             calls += how_.calls.size ()) {
            moved = false;
            for (const std::byte each : how_.calls) {
                const auto choice = static_cast<unsigned> (each);
                moved = reveal (pieces[choice >> 4 & 3]) || moved;
                if ((choice & 0x40) != 0)
                    ours_.settle ();
                make_call (choice & 0xF);
                watch_memory ();
            }
        }
        reveal (rest_.size ());
    }
    bool reveal (std::size_t size)
    {
        const std::size_t some = std::min (size, rest_.size ());
        suspect_->says += rest_.substr (0, some);
        rest_.remove_prefix (some);
        return some > 0;
    }
    void make_call (unsigned which)
    {
        if (which < calls_of_the_peer) {
            ours_.call (which);
            return;
        }
        if (which == calls_of_the_peer)
            suspect_->room_bytes = suspect_->room_bytes == SIZE_MAX ? 100 : SIZE_MAX;
        else if (which == calls_of_the_peer + 1)
            suspect_->ends = true;
        else
            ours_.settle ();
    }
    // A slab and arenas for either peer, and what is in them twice while it moves.
    void watch_memory () const
    {
        constexpr std::size_t of_connections = 1024 * 1024;
        const std::size_t said = suspect_->says.size () + ours_.sent_bytes ();
        require (ours_.held () >= 0 && static_cast<std::size_t> (ours_.held ()) <= of_connections + 4 * said);
    }

    // The application takes all there is, answers what wants an answer, and gives
    // the reactor time.
    void hear_out ()
    {
        suspect_->room_bytes = SIZE_MAX;
        suspect_->ends = suspect_->ends || how_.ends_first;
        ours_.set ("REQ_RELAXED", 1);
        ours_.set ("XPUB_MANUAL", 0);
        ours_.topic ("SUBSCRIBE", "");
        (void)ours_.say ("");  // the last part of what was begun
        for (int i = 0; i < 3; ++i) {
            (void)ours_.say_parts ({"a request"});
            ours_.pass (60 * ns_per_ms);
            take_all ();
            watch_memory ();
        }
    }
    void take_all ()
    {
        for (;;) {
            const std::vector<std::string> parts = ours_.next_message ();
            const bool answered = how_.type == socket_type::rep && ours_.say ("answer");
            if (parts.empty () && !answered)
                return;
            if (!parts.empty () && parts.back () == "good") {
                heard_good_ = true;
                good_name_ = parts.front ();
            }
            ours_.settle ();
        }
    }

    void judge_suspect ()
    {
        const engine::test::terms terms{static_cast<int> (how_.type), how_.bytes (), packets (),
                                        how_.message_bytes_max};
        const close_reason verdict = engine::test::judge (terms, suspect_->says).verdict ();
        if (verdict != close_reason::none || suspect_->ends)
            require (!suspect_->open);
        for (const close_reason each : ours_.notes->ends)
            require (each == verdict || may_come_before (each));
        // Nobody leaves untold.
        require (suspect_->open || !ours_.notes->ends.empty ());
    }
    // Whatever the peer says.
    [[nodiscard]] bool may_come_before (close_reason reason) const
    {
        switch (reason) {
        case close_reason::peer_closed:
            return suspect_->ends;
        case close_reason::heartbeat_timeout:
            return true;  // ours, or one that the peer wished for
        case close_reason::handshake_timeout:
            return true;
        case close_reason::slow_consumer:
            return (how_.options & third_of_pattern) != 0;
        case close_reason::budget_reached:
            return (how_.options & budget) != 0;
        default:
            return false;
        }
    }

    void meet_a_good_one ()
    {
        ours_.notes->ends.clear ();
        heard_good_ = false;
        good_ = around_.peer (how_.bytes () ? "" : introduction (how_.type));
        ours_.pass (20 * ns_per_ms);  // a dial may be due
        if (how_.type == socket_type::pub || how_.type == socket_type::xpub)
            good_->says += frame (4, "\11SUBSCRIBE");
        if (hears ())
            good_->says += how_.type == socket_type::rep ? frame (1, "") + frame (0, "good") : good_frame ();
        for (int i = 0; i < 4; ++i) {
            take_all ();
            ours_.pass (3 * ns_per_ms);
        }
        require (heard_good_ || !hears ());
        (void)ours_.say ("");  // what nobody was there for may still wait for its end
        for (int i = 0; i < 4 && speaks (); ++i) {
            (void)(names () ? ours_.say_parts ({good_name_, "well"}) : ours_.say_parts ({"well"}));
            ours_.pass (3 * ns_per_ms);
        }
        require (!speaks () || good_->hears.find (well_frame ()) != std::string::npos);
        require (good_->open);
    }
    // A good peer is to be heard by the application.
    [[nodiscard]] bool hears () const noexcept
    {
        using enum socket_type;
        return how_.type != push && how_.type != pub && how_.type != req;
    }
    [[nodiscard]] bool speaks () const noexcept
    {
        using enum socket_type;
        return how_.type != pull && how_.type != sub && how_.type != xsub && how_.type != rep;
    }
    [[nodiscard]] bool names () const noexcept { return how_.type == socket_type::router || how_.bytes (); }
    [[nodiscard]] bool packets () const noexcept
    {
        return how_.bytes () && (how_.options & first_of_pattern) != 0;
    }
    [[nodiscard]] std::string framed (std::string_view text) const
    {
        if (how_.bytes ())
            return (packets () ? be (text.size (), 4) : "") + std::string (text);
        return frame (0, text);
    }
    [[nodiscard]] std::string good_frame () const { return framed ("good"); }
    [[nodiscard]] std::string well_frame () const { return framed ("well"); }

    const choices &how_;
    engine::test::scripted_world around_;
    std::string_view rest_;
    subject ours_;
    std::shared_ptr<script> suspect_;
    std::shared_ptr<script> good_;
    bool heard_good_ = false;
    std::string good_name_;
};

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    decisions from (input_of (data, size));
    const choices how = choose (from);
    course (how, from.rest ()).run ();
    return 0;
}
