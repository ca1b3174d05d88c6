#include "sim/callers.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "socket/facade.hpp"

namespace zlink::sim {

using base::errc;
using base::io_count;
using base::message;

namespace {

// zmq.h's numbers of options.
constexpr int option_descriptor = 14;
constexpr int type_req = 3;
constexpr int option_events = 15;
constexpr int option_subscribe = 6;
constexpr int option_unsubscribe = 7;
constexpr int option_subscribe_pattern = 3022;
constexpr int option_unsubscribe_pattern = 3023;
constexpr int type_xsub = 10;

constexpr std::size_t parts_max = 9;

std::vector<std::byte> bytes_of (message &part) { return {part.data (), part.data () + part.size ()}; }

void close_all (std::span<message> parts)
{
    for (message &each : parts)
        each.close ();
}

}  // namespace

// --- sender --------------------------------------------------------------------------

bool sender::send (std::uint32_t count)
{
    simulation &sim = on_.world.sim;
    const std::uint32_t end = next_ + count;
    while (next_ < end) {
        if (sim.chance (20))
            sim.pass_time (
              static_cast<time_ns> (sim.roll_below (static_cast<std::uint64_t> (pause_max_ns) + 1)));
        const unsigned flags = gives_up || sim.chance (400) ? unsigned{socket::io_dont_wait} : 0;
        switch (attempt (next_, end, flags)) {
        case answer::accepted:
            break;
        case answer::over:
            return false;
        case answer::again:
        case answer::interrupted:
            if (gives_up && sim.chance (300))
                ++next_;
            else
                wait_for_room ();
            break;
        }
    }
    return true;
}

sender::answer sender::judge (errc code)
{
    switch (code) {
    case errc::ok:
        return answer::accepted;
    case errc::would_block:
        return answer::again;
    case errc::interrupted:
        return answer::interrupted;
    case errc::host_unreachable:
        if (from_.labels || from_.by_number > 0)
            return answer::again;  // or lost in a storm
        on_.world.sim.fail ("nobody can be reached by " + from_.name);
    case errc::terminated:
    case errc::not_a_socket:
        if (on_.may_be_refused)
            return answer::over;
        [[fallthrough]];
    default:
        on_.world.sim.fail ("a send answered " + std::to_string (static_cast<int> (code)) + " on "
                            + from_.name);
    }
}

void sender::settle (std::uint32_t place, answer what)
{
    if (what == answer::accepted)
        on_.book.accepted (stream_, place);
    else
        on_.book.refused (stream_, place);
}

sender::answer sender::attempt (std::uint32_t &place, std::uint32_t end, unsigned flags)
{
    simulation &sim = on_.world.sim;
    const std::size_t parts = on_.book.part_count (stream_, place) + from_.labels;
    if (from_.by_number > 0) {
        on_.book.offered (stream_, place);
        const answer outcome = send_whole (place, flags);
        settle (place, outcome);
        place += outcome == answer::accepted;
        return outcome;
    }
    // Of those who take turns nobody sends several at once.
    if (parts == 1 && from_.type != type_req && sim.chance (250))
        return send_batch (place, end, flags);
    on_.book.offered (stream_, place);
    answer outcome;
    if (parts == 1 && sim.chance (600))
        outcome = send_bytes (place, flags);
    else if (from_.alone_sending && parts > 1 && sim.chance (400))
        outcome = send_by_parts (place, flags);
    else
        outcome = send_whole (place, flags);
    settle (place, outcome);
    if (outcome == answer::accepted)
        ++place;
    return outcome;
}

std::vector<message> sender::make (std::uint32_t place)
{
    std::vector<message> parts (on_.book.part_count (stream_, place) + from_.labels);
    if (from_.labels)
        (void)parts[0].init_copy (base::as_bytes (label));
    for (std::size_t i = from_.labels; i < parts.size (); ++i) {
        std::vector<std::byte> body = on_.book.make_part (stream_, place, i - from_.labels);
        if (!body.empty () && on_.world.sim.chance (300))
            parts[i] = lend (std::move (body));
        else
            (void)parts[i].init_copy (body);
    }
    return parts;
}

// A message of memory that comes back by a function, once.
message sender::lend (std::vector<std::byte> body)
{
    const std::size_t size = body.size ();
    std::byte *const data = body.data ();
    on_.lent.emplace (data, std::move (body));
    message made;
    (void)made.init_adopt (
      data, size,
      [] (void *gone, void *stage_of) {
          auto &on = *static_cast<stage *> (stage_of);
          if (on.lent.erase (gone) != 1)
              on.world.sim.fail ("memory is given back twice");
      },
      &on_);
    return made;
}

sender::answer sender::send_whole (std::uint32_t place, unsigned flags)
{
    std::vector<message> parts = make (place);
    std::vector<std::size_t> sizes;
    for (message &each : parts) {
        if (from_.by_number > 0)
            each.set_routing_id (from_.numbers.at (std::stoul (label)));
        sizes.push_back (each.size ());
    }
    const io_count sent =
      parts.size () == 1 && on_.world.sim.chance (700)
        ? on_.world.sim.called ("send (message)", socket::send (from_.handle, parts[0], flags))
        : on_.world.sim.called ("send_parts", socket::send_parts (from_.handle, parts, flags));
    const answer outcome = judge (sent.code ());
    for (std::size_t i = 0; i < parts.size (); ++i) {
        const std::size_t left = outcome == answer::accepted ? 0 : sizes[i];
        if (!parts[i].valid () || parts[i].size () != left)
            on_.world.sim.fail ("a send left " + std::to_string (parts[i].size ())
                                + " bytes with the caller, not " + std::to_string (left));
    }
    close_all (parts);
    return outcome;
}

sender::answer sender::send_bytes (std::uint32_t place, unsigned flags)
{
    std::vector<std::byte> body = on_.book.make_part (stream_, place, 0);
    if (on_.world.sim.chance (300)) {
        const std::vector<std::byte> &kept = on_.constants.emplace_back (std::move (body));
        const base::bytes_view bytes (kept);
        return judge (
          on_.world.sim.called ("send_constant", socket::send_constant (from_.handle, bytes, flags)).code ());
    }
    const answer outcome = judge (
      on_.world.sim.called ("send (bytes)", socket::send (from_.handle, base::bytes_view (body), flags))
        .code ());
    // The memory was the caller's for the length of the call only.
    std::fill (body.begin (), body.end (), std::byte{0xEE});
    return outcome;
}

// One part after the other. One that is refused takes those before it along.
sender::answer sender::send_by_parts (std::uint32_t place, unsigned flags)
{
    std::vector<message> parts = make (place);
    std::size_t given = 0;
    answer outcome;
    do {
        const unsigned more = given + 1 < parts.size () ? unsigned{socket::io_send_more} : 0;
        outcome = send_part (parts[given], flags | more);
        given += outcome == answer::accepted;
    } while (given < parts.size ()
             && (outcome == answer::accepted || (outcome == answer::interrupted && given > 0)));
    close_all (parts);
    return outcome;
}

sender::answer sender::send_part (message &part, unsigned flags)
{
    simulation &sim = on_.world.sim;
    if (from_.labels && sim.chance (500))
        return judge (sim.called ("send (bytes)", socket::send (from_.handle, part.view (), flags)).code ());
    return judge (sim.called ("send (message)", socket::send (from_.handle, part, flags)).code ());
}

sender::answer sender::send_batch (std::uint32_t &place, std::uint32_t end, unsigned flags)
{
    std::vector<message> whole;
    std::vector<std::byte> packed;
    std::vector<std::uint32_t> sizes;
    const std::size_t wanted = 1 + on_.world.sim.roll_below (12);
    for (std::uint32_t at = place;
         at < end && sizes.size () < wanted && on_.book.part_count (stream_, at) == 1; ++at) {
        const std::vector<std::byte> body = on_.book.make_part (stream_, at, 0);
        (void)whole.emplace_back ().init_copy (body);
        packed.insert (packed.end (), body.begin (), body.end ());
        sizes.push_back (static_cast<std::uint32_t> (body.size ()));
        on_.book.offered (stream_, at);
    }
    const io_count sent =
      on_.world.sim.chance (500)
        ? on_.world.sim.called ("send_many", socket::send_many (from_.handle, whole, flags))
        : on_.world.sim.called ("send_packed", socket::send_packed (from_.handle, packed, sizes, flags));
    close_all (whole);
    const answer outcome = judge (sent.code ());
    const std::size_t done = sent.ok () ? sent.size () : 0;
    if (done > sizes.size ())
        on_.world.sim.fail ("a batch sent more than it was given");
    for (std::size_t i = 0; i < sizes.size (); ++i)
        settle (place + static_cast<std::uint32_t> (i), i < done ? answer::accepted : answer::again);
    place += static_cast<std::uint32_t> (done);
    return outcome;
}

void sender::wait_for_room ()
{
    simulation &sim = on_.world.sim;
    if (sim.chance (500)) {
        sim.pass_time (static_cast<time_ns> (sim.roll_below (2 * base::ns_per_ms)));
        return;
    }
    std::array<socket::poll_item, 1> items{{{from_.handle, base::no_handle, socket::event_out, 0}}};
    const auto found = sim.called ("poll", socket::poll (on_.world.seams, items, sim.chance (500) ? -1 : 20));
    if (found.ok () && found.value () > 0 && items[0].ready != socket::event_out)
        sim.fail ("poll reports what nobody asked for");
}

// --- receiver ------------------------------------------------------------------------

receiver::answer receiver::judge (errc code)
{
    switch (code) {
    case errc::ok:
        return answer::taken;
    case errc::would_block:
    case errc::interrupted:
        return answer::nothing;
    case errc::terminated:
    case errc::not_a_socket:
        if (on_.may_be_refused)
            return answer::over;
        [[fallthrough]];
    default:
        on_.world.sim.fail ("a receive answered " + std::to_string (static_cast<int> (code)) + " on "
                            + at_.name);
    }
}

void receiver::receive_until (const bool &over)
{
    simulation &sim = on_.world.sim;
    bool blocking = may_block && sim.chance (500);
    while (!over && sim.now () < gives_up_at) {
        if (sim.chance (20))
            blocking = may_block && sim.chance (500);
        if (sim.chance (20))
            sim.pass_time (static_cast<time_ns> (sim.roll_below (3 * base::ns_per_ms)));
        const answer what = attempt (blocking ? 0 : unsigned{socket::io_dont_wait});
        if (what == answer::over)
            return;
        if (what == answer::taken)
            idle_ns_ = 100'000;
        else if (!over && !wait_for_news ())
            return;
    }
}

receiver::answer receiver::attempt (unsigned flags)
{
    // Whose wish was read last is who gets a topic that is entered by hand.
    if (at_.by_hand)
        return on_.world.sim.chance (500) ? take_by_parts (flags) : take_message (flags);
    // What is not in a message tells no number.
    if (at_.by_number > 0)
        return on_.world.sim.chance (300) ? take_many (flags) : take_message (flags);
    const std::uint64_t dice = on_.world.sim.roll_below (100);
    if (dice < 20)
        return take_many (flags);
    if (dice < 28)
        return take_packed (flags);
    if (dice < 35)
        return take_placed (flags);
    if (dice < 60 && at_.alone_receiving)
        return take_by_parts (flags);
    if (dice < 70 && at_.alone_receiving)
        return take_buffer (flags);
    return take_message (flags);
}

// Whoever speaks by number is heard of by it.
void receiver::meet (const message &part)
{
    if (at_.by_number == 0)
        return;
    if (part.routing_id () == 0)
        on_.world.sim.fail (at_.name + " is given a message of no number");
    const bool first =
      std::find (at_.numbers.begin (), at_.numbers.end (), part.routing_id ()) == at_.numbers.end ();
    if (first)
        at_.numbers.push_back (part.routing_id ());
    on_.world.sim.seen.saw_if ("number told", first);
}

// What was received, without the name before it.
void receiver::enter (std::span<const std::vector<std::byte>> parts)
{
    if (at_.hears_topics && hear_of_topic (parts))
        return;
    if (at_.labels) {
        const std::string name = parts.empty () ? "" : std::string (base::as_text (parts[0]));
        if (!at_.any_label
            && std::find (at_.labelled.begin (), at_.labelled.end (), name) == at_.labelled.end ())
            on_.world.sim.fail (at_.name + " is given a message of nobody's");
        parts = parts.subspan (1);
    }
    if (!at_.answered) {
        compare (parts);
        return;
    }
    on_.book.received (number_, parts, at_.copy);
    on_.world.sim.seen.saw_if ("message of a subscriber", at_.hears_topics);
    if (at_.any_label)
        on_.world.sim.seen.saw ("packet of a stream");
    if (at_.answers)
        give_back (parts);
}

// A REQ: an answer belongs to the last request.
void receiver::compare (std::span<const std::vector<std::byte>> parts)
{
    if (!std::equal (parts.begin (), parts.end (), at_.request.begin (), at_.request.end ()))
        on_.world.sim.fail (at_.name + " is given the answer to another request");
    at_.answered = true;
    on_.world.sim.seen.saw ("request answered");
}

// An XPUB: an octet and a topic. False: it is something else.
bool receiver::hear_of_topic (std::span<const std::vector<std::byte>> parts)
{
    simulation &sim = on_.world.sim;
    if (parts.size () != 1 || parts[0].empty () || parts[0][0] > std::byte{1})
        return false;
    const bool wanted = parts[0][0] == std::byte{1};
    const base::bytes_view topic = base::bytes_view (parts[0]).subspan (1);
    const std::string name (base::as_text (topic));
    const auto [known, first] = at_.told.try_emplace (name, false);
    if (known->second == wanted && (!wanted || !at_.told_anew) && !at_.by_hand)
        sim.fail (at_.name + " is told twice that '" + name + (wanted ? "' is wanted" : "' is not wanted"));
    sim.seen.saw_if ("topic told", wanted);
    sim.seen.saw_if ("topic taken back", !wanted);
    sim.seen.saw_if ("topic told again", wanted && known->second);
    known->second = wanted;
    if (!at_.by_hand)
        return true;
    const int option = wanted ? option_subscribe : option_unsubscribe;
    sim.seen.saw ("topic entered by hand");
    const auto done =
      sim.called ("set_option", socket::set_option (at_.handle, option, topic.data (), topic.size ()));
    if (!done.ok ())
        (void)judge (done.failure ().code);
    return true;
}

// A REP never waits for room.
void receiver::give_back (std::span<const std::vector<std::byte>> parts)
{
    simulation &sim = on_.world.sim;
    if (sim.chance (200))
        sim.pass_time (sim.roll_time (3 * base::ns_per_ms));
    std::vector<message> copies (parts.size ());
    for (std::size_t i = 0; i < parts.size (); ++i)
        (void)copies[i].init_copy (parts[i]);
    const bool by_parts = sim.chance (400);
    for (std::size_t done = 0; done < copies.size ();) {
        const bool more = done + 1 < copies.size ();
        const unsigned flags = (more && by_parts ? unsigned{socket::io_send_more} : 0)
                               | (sim.chance (500) ? unsigned{socket::io_dont_wait} : 0);
        const io_count sent =
          by_parts ? sim.called ("send (message)", socket::send (at_.handle, copies[done], flags))
                   : sim.called ("send_parts", socket::send_parts (at_.handle, copies, flags));
        if (sent.ok ())
            done += by_parts ? 1 : copies.size ();
        else if (sent.code () != errc::interrupted) {
            if (judge (sent.code ()) == answer::nothing)
                sim.fail (at_.name + " has to wait with its answer");
            break;
        }
    }
    close_all (copies);
}

receiver::answer receiver::take_message (unsigned flags)
{
    std::array<message, parts_max> parts;
    for (message &each : parts)
        each.init ();
    std::size_t needed = 0;
    const io_count got =
      on_.world.sim.called ("receive_parts", socket::receive_parts (at_.handle, parts, flags, &needed));
    const answer what = judge (got.code ());
    if (what == answer::taken) {
        std::vector<std::vector<std::byte>> whole;
        for (std::size_t i = 0; i < got.size (); ++i) {
            if (parts[i].more () != (i + 1 < got.size ()))
                on_.world.sim.fail ("a part's more flag is wrong");
            whole.push_back (bytes_of (parts[i]));
            meet (parts[i]);
        }
        enter (whole);
    }
    close_all (parts);
    return what;
}

receiver::answer receiver::take_by_parts (unsigned flags)
{
    std::vector<std::vector<std::byte>> whole;
    for (bool more = true; more;) {
        message part;
        part.init ();
        // The rest of a message is there once its first part is.
        const io_count got = on_.world.sim.called (
          "receive (message)",
          socket::receive (at_.handle, part, whole.empty () ? flags : unsigned{socket::io_dont_wait}));
        const answer what = judge (got.code ());
        if (what != answer::taken) {
            part.close ();
            if (what == answer::nothing && !whole.empty ())
                on_.world.sim.fail ("the rest of a message is not there");
            return what;
        }
        more = part.more ();
        whole.push_back (bytes_of (part));
        part.close ();
    }
    enter (whole);
    return answer::taken;
}

receiver::answer receiver::take_buffer (unsigned flags)
{
    std::vector<std::vector<std::byte>> whole;
    for (int more = 1; more != 0;) {
        std::vector<std::byte> buffer (400 * 1024);
        const io_count got = on_.world.sim.called (
          "receive (buffer)", socket::receive (at_.handle, base::bytes_span (buffer),
                                               whole.empty () ? flags : unsigned{socket::io_dont_wait}));
        const answer what = judge (got.code ());
        if (what != answer::taken) {
            if (what == answer::nothing && !whole.empty ())
                on_.world.sim.fail ("the rest of a message is not there");
            return what;
        }
        buffer.resize (got.size ());
        whole.push_back (std::move (buffer));
        constexpr int option_receive_more = 13;
        std::size_t size = sizeof more;
        if (!on_.world.sim
               .called ("get_option", socket::get_option (at_.handle, option_receive_more, &more, &size))
               .ok ())
            return answer::over;
    }
    enter (whole);
    return answer::taken;
}

receiver::answer receiver::take_many (unsigned flags)
{
    std::array<message, 16> some;
    for (message &each : some)
        each.init ();
    const std::size_t wanted = 1 + on_.world.sim.roll_below (some.size ());
    const io_count got = on_.world.sim.called (
      "receive_many", socket::receive_many (at_.handle, std::span (some.data (), wanted), flags));
    if (got.code () == errc::wrong_state)  // several parts
        return take_message (flags);
    const answer what = judge (got.code ());
    if (what == answer::taken)
        for (std::size_t i = 0; i < got.size (); ++i) {
            const std::vector<std::byte> body = bytes_of (some[i]);
            meet (some[i]);
            enter (std::span (&body, 1));
        }
    close_all (some);
    return what;
}

receiver::answer receiver::take_placed (unsigned flags)
{
    std::vector<std::byte> room (1 + on_.world.sim.roll_below (20'000));
    std::array<base::bytes_view, 16> parts{};
    std::array<base::memory_hold, 2> holds{};
    std::array<bool, 16> goes_on{};
    base::placed_parts to{room, parts, holds, 0, goes_on};
    const io_count got =
      on_.world.sim.called ("receive_placed", socket::receive_placed (at_.handle, to, flags));
    if (got.code () == errc::wrong_state || got.code () == errc::message_too_long)
        return take_message (flags);
    const answer what = judge (got.code ());
    if (what == answer::taken)
        for (const base::bytes_view each : std::span (parts).first (got.size ())) {
            const std::vector<std::byte> body (each.begin (), each.end ());
            enter (std::span (&body, 1));
        }
    return what;
}

receiver::answer receiver::take_packed (unsigned flags)
{
    std::vector<std::byte> buffer (1 + on_.world.sim.roll_below (20'000));
    std::array<std::uint32_t, 16> sizes{};
    const io_count got =
      on_.world.sim.called ("receive_packed", socket::receive_packed (at_.handle, buffer, sizes, flags));
    if (got.code () == errc::wrong_state || got.code () == errc::message_too_long)
        return take_message (flags);
    const answer what = judge (got.code ());
    if (what != answer::taken)
        return what;
    std::size_t at = 0;
    for (std::size_t i = 0; i < got.size (); ++i) {
        const auto first = buffer.begin () + static_cast<std::ptrdiff_t> (at);
        const std::vector<std::byte> body (first, first + static_cast<std::ptrdiff_t> (sizes[i]));
        at += sizes[i];
        enter (std::span (&body, 1));
    }
    return what;
}

// --- requester -----------------------------------------------------------------------

bool requester::ask (std::uint32_t count)
{
    constexpr time_ns patience_max_ns = 300 * base::ns_per_ms;
    simulation &sim = on_.world.sim;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!asks_.send (1))
            return false;
        const std::uint32_t place = asks_.next () - 1;
        at_.request.clear ();
        for (std::size_t part = 0; part < on_.book.part_count (stream_, place); ++part)
            at_.request.push_back (on_.book.make_part (stream_, place, part));
        at_.answered = false;
        receiver hears (on_, at_, SIZE_MAX);
        hears.may_block = !impatient;
        if (impatient)
            hears.gives_up_at = sim.now () + sim.roll_time (patience_max_ns);
        hears.receive_until (at_.answered);
        if (!at_.answered && !impatient)
            return false;
        if (!at_.answered)
            sim.seen.saw ("request asked anew");
    }
    return true;
}

// --- chooser -------------------------------------------------------------------------

bool chooser::judge (errc code)
{
    if (code == errc::ok)
        return true;
    if (!on_.may_be_refused || (code != errc::terminated && code != errc::not_a_socket))
        on_.world.sim.fail (at_.name + " may not choose: " + std::to_string (static_cast<int> (code)));
    return false;
}

bool chooser::change (unsigned count)
{
    simulation &sim = on_.world.sim;
    constexpr std::size_t held_max = 6;
    for (unsigned i = 0; i < count; ++i) {
        sim.pass_time (sim.roll_time (4 * base::ns_per_ms));
        const bool more = held_.empty () || (held_.size () < held_max && sim.chance (500));
        if (more && at_.type == type_xsub && sim.chance (300)) {
            if (!say_several ())
                return false;
        } else if (more) {
            held_.push_back (
              {"side " + std::to_string (sim.roll_below (3)), at_.type != type_xsub && sim.chance (300)});
            if (!say (held_.back (), false))
                return false;
        } else {
            std::swap (held_[sim.roll_below (held_.size ())], held_.back ());
            if (!say (held_.back (), true))
                return false;
            held_.pop_back ();
        }
    }
    for (; !held_.empty (); held_.pop_back ())
        if (!say (held_.back (), true))
            return false;
    return true;
}

bool chooser::say (const wish &what, bool cancel)
{
    return at_.type == type_xsub ? say_by_message (what, cancel) : say_by_option (what, cancel);
}

bool chooser::say_by_option (const wish &what, bool cancel)
{
    simulation &sim = on_.world.sim;
    const std::string text = what.topic + (what.pattern ? "*" : "");
    sim.seen.saw_if ("topic asked for by a pattern", what.pattern && !cancel);
    sim.seen.saw_if ("topic asked for by an option", !what.pattern && !cancel);
    const int plain = cancel ? option_unsubscribe : option_subscribe;
    const int pattern = cancel ? option_unsubscribe_pattern : option_subscribe_pattern;
    const auto done =
      sim.called ("set_option", socket::set_option (at_.handle, what.pattern ? pattern : plain, text.data (),
                                                    text.size ()));
    return judge (done.ok () ? errc::ok : done.failure ().code);
}

// Nobody waits for room: what is full is the publisher's to read.
bool chooser::say_by_message (const wish &what, bool cancel)
{
    simulation &sim = on_.world.sim;
    const std::string text = std::string (1, cancel ? '\0' : '\1') + what.topic;
    sim.seen.saw_if ("topic asked for by a message", !cancel);
    message part;
    (void)part.init_copy (base::as_bytes (text));
    const io_count sent =
      sim.chance (500) ? sim.called ("send (bytes)", socket::send (at_.handle, base::as_bytes (text), 0))
                       : sim.called ("send_parts", socket::send_parts (at_.handle, std::span (&part, 1), 0));
    part.close ();
    return judge (sent.code ());
}

// A message each part of which is a topic.
bool chooser::say_several ()
{
    simulation &sim = on_.world.sim;
    sim.seen.saw ("topics asked for by one message");
    std::array<message, 2> parts;
    for (message &each : parts) {
        held_.push_back ({"side " + std::to_string (sim.roll_below (3)), false});
        (void)each.init_copy (base::as_bytes ("\1" + held_.back ().topic));
    }
    const io_count sent = sim.called ("send_parts", socket::send_parts (at_.handle, parts, 0));
    close_all (parts);
    return judge (sent.code ());
}

// --- waiting -------------------------------------------------------------------------

bool receiver::wait_for_news ()
{
    simulation &sim = on_.world.sim;
    const std::uint64_t dice = sim.roll_below (100);
    if (dice < 40)
        return wait_in_poll ();
    if (dice < 65)
        return wait_on_descriptor ();
    sim.pass_time (idle_ns_);
    idle_ns_ = std::min (idle_ns_ * 2, 50 * base::ns_per_ms);
    return true;
}

bool receiver::wait_in_poll ()
{
    simulation &sim = on_.world.sim;
    std::array<socket::poll_item, 1> items{{{at_.handle, base::no_handle, socket::event_in, 0}}};
    const int timeout_ms = may_block && sim.chance (500) ? -1 : 50;
    const auto found = sim.chance (500)
                         ? poll_as_before (items, timeout_ms)
                         : sim.called ("poll", socket::poll (on_.world.seams, items, timeout_ms));
    if (found.ok ())
        return true;
    return judge (found.code ()) != answer::over;
}

// With the set that is kept from one poll to the next, as the C functions do.
base::result<std::size_t> receiver::poll_as_before (std::span<const socket::poll_item> items, int timeout_ms)
{
    const base::result<void> kept = kept_.assign (items);
    if (!kept.ok ())
        return kept.failure ();
    return on_.world.sim.called ("polled with a kept set", kept_.wait (timeout_ms));
}

// As an event loop does it: look at the events until there are none, then wait
// for the descriptor.
bool receiver::wait_on_descriptor ()
{
    int descriptor = -1;
    std::size_t size = sizeof descriptor;
    const auto asked = on_.world.sim.called (
      "get_option", socket::get_option (at_.handle, option_descriptor, &descriptor, &size));
    if (!asked.ok ())
        return judge (asked.code ()) != answer::over;
    int events = 0;
    size = sizeof events;
    const auto looked =
      on_.world.sim.called ("get_option", socket::get_option (at_.handle, option_events, &events, &size));
    if (!looked.ok ())
        return judge (looked.code ()) != answer::over;
    if ((events & socket::event_in) != 0)
        return true;
    std::array<base::poll_entry, 1> entries{{{descriptor, base::interest_read, 0}}};
    const bool for_ever = may_block && on_.world.sim.chance (500);
    (void)on_.world.pollers.wait_list (entries, for_ever ? -1 : 50 * base::ns_per_ms, {});
    return true;
}

}  // namespace zlink::sim
