// Topics (RFC 29): PUB and XPUB send each message to whoever asked for a
// beginning of it, SUB and XSUB ask. A publisher never waits: who is full
// loses a message, which is counted, unless SLOW_CONSUMER or NODROP say
// otherwise (socket_backlog).
#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <type_traits>
#include <utility>

#include "engine/socket_core.hpp"
#include "engine/taken.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

namespace {

constexpr auto mark_cancel = std::byte{0};
constexpr auto mark_subscribe = std::byte{1};

base::bytes_view first_part (base::bytes_view message) noexcept { return message; }
base::bytes_view first_part (std::span<base::message> message) noexcept { return message.front ().view (); }

// The old form of a subscription: one octet, then the topic.
base::result<base::message> topic_message (base::bytes_view topic, bool cancel) noexcept
try {
    std::vector<std::byte> body (topic.size () + 1);
    body.front () = cancel ? mark_cancel : mark_subscribe;
    std::copy (topic.begin (), topic.end (), body.begin () + 1);
    base::message made;
    const auto copied = made.init_copy (body);
    if (!copied.ok ())
        return copied.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Into a link, invisible until the lane publishes it. False when memory is out.
bool push_words (lane &to, base::message &words, bool command) noexcept
{
    if (command)
        return to.push_command (words.view ());
    base::message copy;
    copy.init ();
    copy.copy_from (words);
    if (to.push (copy))
        return true;
    copy.close ();
    return false;
}

}  // namespace

// A command as links carry it.
result<base::message> socket_core::command_message (const wire::command &what) noexcept
{
    base::message made;
    const auto sized = made.init_size (wire::command_body_bytes (what));
    if (!sized.ok ())
        return sized.failure ();
    wire::encode_command_body (made.data (), what);
    return made;
}

std::unique_ptr<publishing> socket_core::make_topics (const pattern_traits &traits, context &owner)
{
    if (!traits.takes_topics && !traits.asks_topics)
        return nullptr;
    return std::make_unique<publishing> (owner.arenas, owner.slabs);
}

// --- asking (SUB, XSUB) --------------------------------------------------------

result<void> socket_core::subscribe (std::uint32_t generation, base::bytes_view topic) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (traits_.takes_topics)
        return change_by_hand_locked (topic, false);
    publishing &own = *topics_;
    const bool by_pattern_too = !own.patterns.empty ();
    const bool had = by_pattern_too && is_asked_plainly_locked (topic);
    const result<bool> first = own.wanted.add (topic, this);
    if (!first.ok ())
        return first.failure ();
    settle_plain_locked ();
    if (ask_everybody_locked (topic, false,
                              audience_of (first.value (), by_pattern_too ? !had : first.value ())))
        return {};
    (void)own.wanted.remove (topic, this);
    settle_plain_locked ();
    return errc::no_memory;
}

result<void> socket_core::unsubscribe (std::uint32_t generation, base::bytes_view topic) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (traits_.takes_topics)
        return change_by_hand_locked (topic, true);
    publishing &own = *topics_;
    const topic_trie::removal outcome = own.wanted.take (topic, this);
    if (outcome == topic_trie::removal::unknown)
        return {};
    const bool last = outcome == topic_trie::removal::last;
    return settle_cancel_locked (
      topic, this, audience_of (last, own.patterns.empty () ? last : !is_asked_plainly_locked (topic)));
}

// Of a topic that was just taken from the one who wanted it. no_memory: it is
// wanted as before, as an inproc link is made once and would never hear of it.
result<void>
socket_core::settle_cancel_locked (base::bytes_view topic, topic_trie::subscriber by, audience who) noexcept
{
    topic_trie &own = topics_->wanted;
    const bool told = ask_everybody_locked (topic, true, who);
    if (!told)
        (void)own.add (topic, by);
    own.settle (topic);
    settle_plain_locked ();
    return told ? result<void> () : errc::no_memory;
}

result<std::size_t> socket_core::topics_count (std::uint32_t generation) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    return topics_->wanted.topics ();
}

// False when there is no memory to ask by inproc, where no next session asks
// anew, and nobody has been asked.
bool socket_core::ask_everybody_locked (base::bytes_view topic, bool cancel, audience who) noexcept
{
    if (who == audience::nobody)
        return true;
    ++topics_->changes;
    if (any_end_hears_locked (who)) {
        result<base::message> words = link_words (topic, cancel);
        if (!words.ok () || !tell_links_locked (words.value (), traits_.grouped, who))
            return false;
    }
    // Losing one changes no index of the others.
    for (std::size_t i = 0; i < connections_.size (); ++i)
        if (connections_[i] != nullptr && connections_[i]->state == connection_state::ready
            && hears_locked (*connections_[i], who))
            ask_or_lose_locked (*connections_[i], topic, cancel);
    return true;
}

bool socket_core::any_end_hears_locked (audience who) const noexcept
{
    return std::ranges::any_of (ends_, [who] (const inproc_end &end) { return hears_locked (end, who); });
}

// What a link carries of it.
result<base::message> socket_core::link_words (base::bytes_view topic, bool cancel) const noexcept
{
    return traits_.grouped ? command_message (group_command (topic, cancel)) : topic_message (topic, cancel);
}

// Those of the links that are to hear it, all or none: false when memory is out.
bool socket_core::tell_links_locked (base::message &words, bool command, audience who) noexcept
{
    for (inproc_end &end : ends_) {
        end.told_at = end.out->where ();
        if (hears_locked (end, who) && !push_words (*end.out, words, command)) {
            untell_links_locked (end, command, who);
            words.close ();
            return false;
        }
    }
    for (inproc_end &end : ends_)
        if (hears_locked (end, who)) {
            end.out->publish ();
            note_news_locked (*end.out);
        }
    words.close ();
    return true;
}

// Those before this one.
void socket_core::untell_links_locked (const inproc_end &failed, bool command, audience who) noexcept
{
    for (auto each = ends_.begin (); &*each != &failed; ++each) {
        if (!hears_locked (*each, who))
            continue;
        base::message words;
        words.init ();
        each->out->take_back (each->told_at, {&words, command ? 0u : 1u});
        words.close ();
    }
}

// A publisher that cannot be asked is left; the next session asks it anew.
bool socket_core::ask_or_lose_locked (connection &which, base::bytes_view topic, bool cancel) noexcept
{
    if (which.of_datagrams || ask_locked (which, topic, cancel))
        return true;
    lose_locked (which, base::close_reason::out_of_memory, 0);
    return false;
}

// As a command to peers that know it, as a message to others. False when
// memory is out.
bool socket_core::ask_locked (connection &to, base::bytes_view topic, bool cancel) noexcept
try {
    std::vector<std::byte> body;
    if (to.topics_as_commands || traits_.grouped) {
        const wire::command what = traits_.grouped ? group_command (topic, cancel)
                                   : cancel        ? wire::make_cancel (topic)
                                                   : wire::make_subscribe (topic);
        body.resize (wire::command_body_bytes (what));
        wire::encode_command_body (body.data (), what);
    } else {
        body.resize (topic.size () + 1);
        body.front () = cancel ? mark_cancel : mark_subscribe;
        std::copy (topic.begin (), topic.end (), body.begin () + 1);
    }
    return append_quietly_locked (to, body, to.topics_as_commands || traits_.grouped);
} catch (const std::bad_alloc &) {
    return false;
}

bool socket_core::ask_locked (inproc_end &to, base::bytes_view topic, bool cancel) noexcept
{
    result<base::message> words = link_words (topic, cancel);
    return words.ok () && tell_link_locked (to, words.value (), traits_.grouped);
}

bool socket_core::tell_link_locked (inproc_end &to, base::message &words, bool command) noexcept
{
    const bool told = push_words (*to.out, words, command);
    words.close ();
    if (!told)
        return false;
    to.out->publish ();
    note_news_locked (*to.out);
    return true;
}

// All topics; to one that knows patterns, those alone that are asked for by
// themselves. False when memory is out.
template <class To> bool socket_core::ask_for_topics_locked (To &which, bool knows_patterns) noexcept
{
    const bool all = !knows_patterns || topics_->patterns.empty ();
    return topics_->wanted.each ([&] (base::bytes_view topic) {
        return (!all && !is_asked_plainly_locked (topic)) || ask_locked (which, topic, false);
    });
}

// To a publisher that has just come. False: it is lost.
bool socket_core::ask_for_all_locked (connection &which) noexcept
{
    if (!traits_.asks_topics || which.of_datagrams
        || (ask_for_topics_locked (which, which.takes_patterns) && ask_by_patterns_locked (which)))
        return true;
    lose_locked (which, base::close_reason::out_of_memory, 0);
    return false;
}

// Patterns come behind, once it is known who is at the other end.
void socket_core::ask_for_all_locked (inproc_end &which) noexcept
{
    if (!traits_.asks_topics)
        return;
    if (!ask_for_topics_locked (which, true))
        owe_topics_locked (which);
    else if (which.joined)
        ask_by_patterns_locked (which);
}

// --- what memory was missing for -------------------------------------------------

// An inproc link is made once. What could not be asked there when others were
// met by a bind (a connect fails instead), or stands unread at its front as it
// could not be stored, is tried again in every call; who sleeps looks again by
// itself, and who polls at once.
void socket_core::owe_topics_locked (inproc_end &which) noexcept
{
    which.topics_due = true;
    topics_->choice_is_special = true;
    if (std::exchange (topics_->owing, true))
        return;
    notify_receivers_locked ();
    peers_changed_locked ();
}

// True: nothing is owed any more.
bool socket_core::pay_topics_locked () noexcept
{
    for (auto next = ends_.begin (); next != ends_.end ();) {
        inproc_end &end = *next++;  // which may go
        if (!std::exchange (end.topics_due, false))
            continue;
        if (traits_.asks_topics)
            ask_for_all_locked (end);
        else
            inproc_readable_locked (end);
    }
    topics_->owing = std::ranges::any_of (ends_, [] (const inproc_end &each) { return each.topics_due; });
    return !topics_->owing;
}

// A peer wants what there is no memory for. One of a stream is left, and asks
// anew when it has come again. Answers as change_topic_locked.
bool socket_core::put_off_topic_locked (pipe &who) noexcept
{
    if (who.kind == pipe_kind::stream) {
        lose_locked (static_cast<connection &> (who), base::close_reason::out_of_memory, 0);
        return false;
    }
    auto &end = static_cast<inproc_end &> (who);
    unlist_locked (end);
    end.in->listed.store (false, std::memory_order_seq_cst);
    owe_topics_locked (end);
    return false;
}

// XSUB: what the application sends is a change of its topics, or goes to all
// publishers as it is. True: it was a change. Publishers hear of every
// subscription, as XPUB_VERBOSE behind a forwarder counts on it, and of the last
// cancellation: they count a topic of a peer once.
bool socket_core::change_own_topics_locked (base::bytes_view message, errc &outcome) noexcept
{
    if (message.empty () || (message.front () != mark_cancel && message.front () != mark_subscribe))
        return false;
    const base::bytes_view topic = message.subspan (1);
    if (message.front () == mark_subscribe) {
        outcome = topics_->wanted.add (topic, this).code ();
        if (outcome == errc::ok && !ask_everybody_locked (topic, false)) {
            (void)topics_->wanted.remove (topic, this);
            outcome = errc::no_memory;
        }
        return true;
    }
    const topic_trie::removal removed = topics_->wanted.take (topic, this);
    const audience who =
      removed == topic_trie::removal::last || wish_.verbose_cancels ? audience::all : audience::nobody;
    if (removed != topic_trie::removal::unknown)
        outcome = settle_cancel_locked (topic, this, who).code ();
    else if (!ask_everybody_locked (topic, true, who))
        outcome = errc::no_memory;
    return true;
}

// --- being asked (PUB, XPUB) -----------------------------------------------------

// What stands at the front of a pipe, if it is such: a command, or a part of the
// old form.
socket_core::topic_part
socket_core::take_topic_locked (pipe &from, base::bytes_view body, bool command, bool first) noexcept
{
    return command ? take_pattern_locked (from, body) : take_topic_message_locked (from, body, first);
}

// A part of the old form: an octet and a topic. Of a message of several parts
// all that stand in front may be topics, or the first alone; behind what is none
// there is none, so that no message is torn.
socket_core::topic_part
socket_core::take_topic_message_locked (pipe &from, base::bytes_view body, bool first) noexcept
{
    if (!traits_.takes_topics || traits_.grouped || body.empty () || (wish_.first_topic_only && !first)
        || (body.front () != mark_cancel && body.front () != mark_subscribe))
        return topic_part::none;
    const bool stays = change_topic_locked (from, body.subspan (1), body.front () == mark_cancel);
    return stays ? topic_part::taken : topic_part::the_end;
}

bool socket_core::above_topic_limits_locked (const pipe &who, base::bytes_view topic) const noexcept
{
    const auto bytes = static_cast<std::int64_t> (topic.size ());
    return (wish_.topics_per_peer > 0 && who.topics >= wish_.topics_per_peer)
           || (wish_.topic_bytes_per_peer > 0 && who.topic_bytes + bytes > wish_.topic_bytes_per_peer);
}

// A peer has a topic or has it not, however often it asks: libzmq's subscribers
// ask each time and cancel the last time only. False: it had too many, and is
// gone, or memory is out, and nothing has changed (put_off_topic_locked).
bool socket_core::change_topic_locked (pipe &who, base::bytes_view topic, bool cancel) noexcept
{
    if (cancel) {
        cancel_topic_locked (who, topic);
        return true;
    }
    topic_trie &known = wish_.manual_topics ? topics_->asked : topics_->wanted;
    if (!known.holds (topic, &who)) {
        if (above_topic_limits_locked (who, topic)) {
            turn_away_locked (who, base::close_reason::too_many_topics);
            return false;
        }
        last_values::list due;
        if (!wish_.manual_topics)
            due = values_due_locked (who, topic);
        const result<bool> added = known.add (topic, &who);
        if (!added.ok ())
            return put_off_topic_locked (who);
        if (!tell_new_topic_locked (who, topic, added.value ())) {
            (void)known.remove (topic, &who);
            return put_off_topic_locked (who);
        }
        count_subscriber_locked (who, who.topics++);
        who.topic_bytes += static_cast<std::int64_t> (topic.size ());
        send_values_locked (who, due);
        return true;
    }
    return tell_new_topic_locked (who, topic, false) || put_off_topic_locked (who);
}

// first: nobody had it. False: memory is out.
bool socket_core::tell_new_topic_locked (pipe &who, base::bytes_view topic, bool first) noexcept
{
    return !(first || wish_.verbose_topics || wish_.manual_topics) || tell_topic_locked (topic, false, &who);
}

void socket_core::cancel_topic_locked (pipe &who, base::bytes_view topic) noexcept
{
    topic_trie &known = wish_.manual_topics ? topics_->asked : topics_->wanted;
    const topic_trie::removal outcome = known.remove (topic, &who);
    if (outcome == topic_trie::removal::unknown && !wish_.verbose_cancels)
        return;
    // One that was entered by hand is not counted.
    if (outcome != topic_trie::removal::unknown && who.topics > 0) {
        count_subscriber_locked (who, who.topics--);
        who.topic_bytes =
          std::max (who.topic_bytes - static_cast<std::int64_t> (topic.size ()), std::int64_t{0});
    }
    // By hand: as long as patterns begin so it is still wanted.
    if (outcome == topic_trie::removal::last || wish_.verbose_cancels
        || (wish_.manual_topics && !known.holds (topic, by_pattern (who))))
        tell_cancel_locked (topic, &who);
}

// Its connection ends; an inproc link is freed with it.
void socket_core::turn_away_locked (pipe &who, base::close_reason why) noexcept
{
    if (who.kind == pipe_kind::stream)
        lose_locked (static_cast<connection &> (who), why, 0);
    else
        lose_end_locked (static_cast<inproc_end &> (who), why);
}

// XPUB_MANUAL: for whoever's wish was read last. Nothing happens when that has
// gone.
result<void> socket_core::change_by_hand_locked (base::bytes_view topic, bool cancel) noexcept
{
    if (!wish_.manual_topics)
        return errc::invalid_argument;
    pipe *const who = topics_->last_asker ();
    if (who == nullptr)
        return {};
    if (cancel) {
        (void)topics_->wanted.remove (topic, who);
        return {};
    }
    if (!topics_->wanted.holds (topic, who)) {
        const last_values::list due = values_due_locked (*who, topic);
        if (const result<bool> added = topics_->wanted.add (topic, who); !added.ok ())
            return added.failure ();
        send_values_locked (*who, due);
    }
    topics_->only = wish_.last_asker_only ? who : nullptr;
    topics_->choice_is_special = true;
    return {};
}

// A subscriber goes, and its topics with it.
void socket_core::forget_topics_locked (pipe &who) noexcept
{
    if (!traits_.takes_topics)
        return;
    topics_->forget (who);
    const auto tell = [this] (base::bytes_view topic) { tell_cancel_locked (topic, nullptr); };
    const auto be_quiet = [] (base::bytes_view) {};
    // Topics by hand may have been switched on or off meanwhile: both know it.
    if (wish_.manual_topics) {
        topics_->wanted.remove_all (&who, be_quiet);
        topics_->asked.remove_all (&who, tell);
    } else if (who.topics != 0 || topics_->by_hand) {
        topics_->wanted.remove_all (&who, tell);
        if (topics_->by_hand)
            topics_->asked.remove_all (&who, be_quiet);
    }
    forget_patterns_locked (who);
    count_subscriber_locked (who, std::exchange (who.topics, 0));
    who.topic_bytes = 0;
}

// XPUB: the application hears of it as a message. False: memory is out.
bool socket_core::tell_topic_locked (base::bytes_view topic, bool cancel, pipe *by) noexcept
try {
    if (traits_.receives == receive_rule::none || phase_ != phase::open)
        return true;
    if (topics_->notices.size () >= topic_notices_max) {
        ++gone_.of (drop_reason::full);
        return true;
    }
    if (!topics_->told.in.reserve_part ())
        return false;
    topics_->notices.emplace_back ();
    result<base::message> notice = topic_message (topic, cancel);
    if (!notice.ok ()) {
        topics_->notices.pop_back ();
        return false;
    }
    topics_->by_hand = topics_->by_hand || wish_.manual_topics;
    topics_->notices.back () = {notice.value (), wish_.manual_topics ? by : nullptr};
    list_locked (topics_->told);
    notify_receivers_locked ();
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// One that is not heard is counted: who is gone cannot be asked to say it again.
void socket_core::tell_cancel_locked (base::bytes_view topic, pipe *by) noexcept
{
    gone_.of (drop_reason::no_memory) += !tell_topic_locked (topic, true, by);
}

// The next notice, where the receiving calls find it.
bool socket_core::show_topic_notice_locked () noexcept
{
    publishing &own = *topics_;
    if (own.notices.empty () || !own.told.in.put_back (own.notices.front ().text))
        return false;
    own.read_by = std::exchange (own.shown_by, own.notices.front ().by);
    own.notices.pop_front ();
    return true;
}

// A publisher that hears of topics reads no further ones before it has: they
// come as fast as it reads. True: there is something to hear.
bool socket_core::let_notice_be_next_locked () noexcept
{
    if (topics_ == nullptr || topics_->notices.empty ())
        return false;
    ++ready_next_;  // its place comes round
    return true;
}

// What peers have asked for is read before what they say. True: it is next.
bool socket_core::notices_come_first_locked (const pipe &than) noexcept
{
    const connection &told = topics_->told;
    if (&than == &told || !told.listed || (topics_->notices.empty () && !told.in.holds_parts ()))
        return false;
    ready_next_ = told.ready_index;
    return true;
}

void socket_core::welcome_locked (connection &which) noexcept
{
    if (traits_.takes_topics && !wish_.welcome.empty ()
        && !append_quietly_locked (which, base::as_bytes (wish_.welcome), false))
        refuse_locked (which, drop_reason::no_memory);
}

void socket_core::welcome_locked (inproc_end &which) noexcept
{
    if (traits_.takes_topics && !wish_.welcome.empty ()
        && !copy_to_locked (which, base::as_bytes (wish_.welcome)))
        refuse_locked (which, drop_reason::no_memory);
}

// --- looking at what arrives -----------------------------------------------------

// The message at the front of a pipe. False: its first part was taken as a
// topic, or nobody wants it and it is gone; or the pipe is.
bool socket_core::passes_locked (pipe &from) noexcept
{
    if (traits_.single_part)
        return has_one_part_locked (from);
    const bool is_stream = from.kind == pipe_kind::stream;
    base::bytes_view beginning;
    bool first = false;
    bool command = false;
    if (is_stream) {
        const in_buffer &in = static_cast<connection &> (from).in;
        beginning = in.front ().bytes;
        first = !in.inside_message ();
    } else {
        lane &in = *static_cast<inproc_end &> (from).in;
        const lane_front part = in.front ();
        beginning = part.bytes;
        command = part.command;
        first = !in.inside_message ();
    }
    // Where what is not wanted is, patterns count as what they begin with.
    if (traits_.takes_topics) {
        const topic_part what =
          &from == &topics_->told ? topic_part::none : take_topic_locked (from, beginning, command, first);
        if (what != topic_part::taken)
            return what == topic_part::none && !notices_come_first_locked (from);
        bool more = false;
        inside_ = &from;  // only its front is meant
        (void)copy_part_locked (from, {}, more);
        inside_ = nullptr;
        (void)let_notice_be_next_locked ();
    } else if (topics_->patterns.empty () || wish_.invert_matching
                 ? topics_->wanted.matches (beginning) != wish_.invert_matching
                 : wants_locked (beginning)) [[likely]] {
        return true;
    } else {
        drop_message_locked (from, drop_reason::filtered);
    }
    let_writer_go_on_locked (credit_due (&from));
    return false;
}

// SUB: what begins as this does need not be looked for again.
bool socket_core::passes_anew_locked (base::bytes_view beginning) noexcept
{
    const std::size_t topic_bytes = topics_->wanted.matched (beginning);
    if (topic_bytes == topic_trie::open_end)
        return false;
    topics_->passes_for.keep (topics_->wanted.changes (), beginning, topic_bytes);
    return true;
}

// Topics at the front of what came over an inproc link. False: it is gone.
bool socket_core::take_topics_from_lane_locked (inproc_end &from) noexcept
{
    lane &in = *from.in;
    while (inside_ != &from && in.readable ()) {
        const lane_front part = in.front ();
        const topic_part what = take_topic_locked (from, part.bytes, part.command, !in.inside_message ());
        if (what != topic_part::taken)
            return what == topic_part::none;
        in.drop (part);
    }
    return true;
}

// --- sending -------------------------------------------------------------------

void socket_core::choose_by_topic_locked (base::bytes_view message) noexcept
{
    publishing &own = *topics_;
    leave_lanes_locked ();
    own.chosen.clear ();
    ++own.round;
    const auto take = [&own] (pipe &which) {
        if (which.chosen_in == own.round || cannot_send (which))
            return;
        which.chosen_in = own.round;
        own.chosen.push_back (&which);  // reserved with the pipes
    };
    own.chosen_for.forget ();
    if (traits_.takes_topics) {
        bool by_topic = true;
        const std::size_t looked_at = own.wanted.match (message, [&] (topic_trie::subscriber who) {
            if (!is_by_pattern (who)) [[likely]] {
                take (*const_cast<pipe *> (static_cast<const pipe *> (who)));
                return;
            }
            by_topic = false;
            if (pipe &which = pipe_of (who); matches_now_locked (which, message))
                take (which);
        });
        for (pipe *each : own.for_all)
            take (*each);
        if (by_topic && !own.choice_is_special)
            own.chosen_for.keep (own.wanted.changes (), message, looked_at);
    }
    if (own.choice_is_special) [[unlikely]] {
        choose_specially_locked (message);
        return;
    }
    if (traits_.takes_topics && !wish_.invert_matching)
        return;
    // Everybody, or everybody else.
    own.chosen_for.forget ();
    own.chosen.clear ();
    for (pipe *each : balance_)
        if (each->chosen_in != own.round && reached_locked (*each))
            take (*each);
}

// Some topics were not stored yet, or not everybody is meant.
void socket_core::choose_specially_locked (base::bytes_view message) noexcept
{
    publishing &own = *topics_;
    if (own.owing)
        (void)pay_topics_locked ();
    own.choice_is_special = false;
    choose_by_topic_locked (message);
    own.choice_is_special = own.owing || own.only != nullptr;
    own.chosen_for.forget ();
    if (own.only != nullptr && !wish_.invert_matching)
        std::erase_if (own.chosen, [&own] (const pipe *each) { return each != own.only; });
}

// Does the last choice hold for this message, too?
bool socket_core::chosen_as_before_locked (base::bytes_view message) const noexcept
{
    const publishing &own = *topics_;
    return !own.choice_is_special && !wish_.invert_matching
           && own.chosen_for.holds (own.wanted.changes (), message);
}

// There is a peer at the other end.
bool socket_core::reached_locked (const pipe &which) noexcept
{
    return which.kind == pipe_kind::inproc
             ? static_cast<const inproc_end &> (which).joined
             : static_cast<const connection &> (which).state == connection_state::ready;
}

// Takes back what credit there is, and writes where that is what is missing,
// for a message that does not wait once a pipe. True: the lock was dropped,
// choose again.
bool socket_core::find_room_locked (std::uint64_t message) noexcept
{
    for (pipe *each : topics_->chosen) {
        if (each->behind != nullptr && each->behind->empty ())
            catch_up_locked (*each);
        if (pipe_available_locked (*each) || each->kind == pipe_kind::inproc)
            continue;
        auto &wire = static_cast<connection &> (*each);
        const bool looked = std::exchange (wire.asked_in, message) == message && !wish_.no_drop;
        if (wire.credit.give_back () || wire.tx_armed || looked)
            continue;
        // Whoever writes wakes those who wait; the others give it a moment.
        if (wire.tx_claimed && (wish_.no_drop || wire.behind != nullptr))
            continue;
        if (wire.tx_claimed)
            await_writer_locked (wire);
        else if (wire.can_flush ())
            flush_locked (wire, combine_rounds_max, urgency::soon);
        else
            continue;
        return true;
    }
    return false;
}

// Somebody is just writing for it: its credit comes back in a moment.
void socket_core::await_writer_locked (const connection &which) noexcept
{
    const std::uint64_t id = which.id;
    const std::uint32_t index = which.index;
    base::world &world = owner_->world;
    const time_ns until = world.time.now_ns () + room_wait_max_ns;
    for (;;) {
        {
            const away gone (*this);
            world.sleep.yield ();
        }
        if (index >= connections_.size () || connections_[index] == nullptr || connections_[index]->id != id
            || !connections_[index]->tx_claimed || world.time.now_ns () >= until)
            return;
    }
}

bool socket_core::all_chosen_have_room_locked () noexcept
{
    const auto &chosen = topics_->chosen;
    return std::ranges::all_of (chosen, [this] (pipe *each) { return pipe_available_locked (*each); });
}

// Chooses, or stays with the choice. True: all of them have room.
[[gnu::always_inline]] inline bool socket_core::choose_with_room_locked (base::bytes_view message) noexcept
{
    publishing &own = *topics_;
    if (chosen_as_before_locked (message)) {
        own.all_have_room = all_chosen_have_room_locked ();
        if (own.all_have_room) [[likely]]
            return true;  // and otherwise somebody may be gone but for his topics
    }
    choose_by_topic_locked (message);
    return own.all_have_room = all_chosen_have_room_locked ();
}

// Who gets the message, which begins like this, stands in topics_->chosen; the
// lock has not been dropped since. With NODROP all of them have room, or had it
// when the message was admitted.
errc socket_core::choose_audience_locked (std::uint32_t generation,
                                          base::bytes_view beginning,
                                          unsigned flags) noexcept
{
    const std::uint64_t message = ++topics_->round;
    topics_->lanes_room = 0;
    time_ns deadline = 0;
    for (;;) {
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        if (choose_with_room_locked (beginning)) [[likely]]
            return errc::ok;
        if (find_room_locked (message))
            continue;
        if (!wish_.no_drop || all_chosen_have_room_locked ())
            return errc::ok;
        if ((flags & send_admitted) != 0) {
            topics_->all_have_room = true;
            return errc::ok;
        }
        if ((flags & send_dont_wait) != 0 || wish_.send_timeout_ms == 0)
            return errc::would_block;
        for (pipe *each : topics_->chosen)
            if (!pipe_available_locked (*each))
                deactivate_locked (*each);  // so that its credit wakes us
        if (const errc bad = wait_writable_locked (deadline); bad != errc::ok)
            return bad;
    }
}

// Appends without writing. False when memory is out.
bool socket_core::append_quietly_locked (connection &to, base::bytes_view body, bool command) noexcept
{
    const bool was_empty = to.out.empty ();
    std::size_t bytes = 0;
    if (to.out.fits (body.size ())) [[likely]] {
        bytes = to.out.append (body, false, command);
    } else {
        const std::size_t before = to.out.unwritten_bytes ();
        if (!to.out.append_copy (body, false, command))
            return false;
        bytes = to.out.unwritten_bytes () - before;
        full_arenas_ = full_arenas_ || to.out.arena_full ();
    }
    to.credit.bytes -= static_cast<std::int64_t> (bytes);
    to.credit.messages -= !command;
    unwritten_connections_ += was_empty;
    if (!to.in_tails && !to.tx_claimed && !to.tx_armed)
        mark_tail_locked (to);
    return true;
}

bool socket_core::copy_to_locked (pipe &to, base::bytes_view message) noexcept
{
    if (wish_.conflate) {
        base::message newest;
        return newest.init_copy (message).ok () && copy_to_locked (to, std::span (&newest, 1));
    }
    if (to.kind == pipe_kind::stream) {
        if (!append_quietly_locked (static_cast<connection &> (to), message, false))
            return false;
    } else {
        lane &out = *static_cast<inproc_end &> (to).out;
        if (!out.push (message, false))
            return false;
        out.publish ();
        note_news_locked (out);
    }
    to.count_sent (message.size ());
    return true;
}

// All parts of one message, without writing. On failure they stay.
errc socket_core::give_to_locked (pipe &to, std::span<base::message> parts, std::size_t bytes) noexcept
{
    lane *const out = lane_of (&to);
    errc bad = errc::ok;
    if (wish_.conflate)
        bad = conflate_locked (to, parts.back ());
    else if (out != nullptr)
        bad = put_parts_in_lane_locked (*out, parts);
    else
        bad = queue_parts_locked (static_cast<connection &> (to), parts, bytes);
    if (bad != errc::ok)
        return bad;
    if (out != nullptr) {
        note_news_locked (*out);
    } else {
        auto &wire = static_cast<connection &> (to);
        full_arenas_ = full_arenas_ || wire.out.arena_full ();
        if (!wire.tx_claimed && !wire.tx_armed && wire.state == connection_state::ready)
            mark_tail_locked (wire);
    }
    if (!wish_.conflate)  // which counts by itself
        to.count_sent (bytes);
    return errc::ok;
}

bool socket_core::copy_to_locked (pipe &to, std::span<base::message> parts) noexcept
try {
    std::vector<base::message> copies = copies_of (parts);
    const errc bad = give_to_locked (to, copies, bytes_of (parts));
    if (bad != errc::ok)
        taken_from (std::span<base::message> (copies));
    return bad == errc::ok;
} catch (const std::bad_alloc &) {
    return false;
}

// One message less for a subscriber. Said when their number has doubled.
void socket_core::refuse_locked (pipe &who, drop_reason why) noexcept
{
    const std::uint64_t count = ++who.passed.of (why);
    if (!std::has_single_bit (count))
        return;
    const warning what = warning::dropped (why, count - count / 2);
    if (who.kind == pipe_kind::stream)
        warn_locked (what, static_cast<const connection &> (who));
    else if (const auto &end = static_cast<const inproc_end &> (who); end.id != 0)
        warn_locked (what, end.text);
    else
        warn_locked (what, last_endpoint_);
}

// To everybody chosen who has room; nothing drops the lock.
template <class Message> void socket_core::copy_to_chosen_locked (Message message) noexcept
{
    const bool all_have_room = topics_->all_have_room;
    for (pipe *each : topics_->chosen) {
        if (!all_have_room && !pipe_available_locked (*each))
            pass_over_locked (*each, message);
        else if (!copy_to_locked (*each, message))
            miss_locked (*each, drop_reason::no_memory);
    }
}

// Behind a message to many: writes for some of them if it is time to; what is
// left is the reactor's.
void socket_core::write_to_many_locked (bool was_idle) noexcept
{
    if (tails_.empty ())
        return;
    const bool write = !burst_.append_behind (was_idle) && decide_burst_locked (was_idle);
    if (!write && !full_arenas_) [[likely]]
        return;
    full_arenas_ = false;
    const std::uint64_t began = write ? owner_->world.time.ticks () : 0;
    std::size_t left = writes_per_message_max;
    for (std::size_t i = tails_.size (); i-- > 0 && left > 0;) {
        if (i >= tails_.size ())
            continue;  // the lock was dropped
        if (!write && !tails_[i]->out.arena_full ())
            continue;
        flush_locked (take_tail_locked (i), combine_rounds_max, urgency::soon);
        --left;
    }
    if (left == 0)
        full_arenas_ = true;  // perhaps: looks again behind the next
    if (write) {
        own_burst ().wrote (burst_.wrote_at ());
        if (writes_per_message_max - left > 1)
            burst_.wrote_to_many (began);
        else
            burst_.wrote_to_one ();
    }
}

// XSUB: how many parts in front changed its topics; the rest is the message.
// Where one fails, those before it stand.
result<std::size_t> socket_core::take_own_topics_locked (std::span<const base::message> parts) noexcept
{
    const std::size_t most = wish_.first_topic_only ? 1 : parts.size ();
    std::size_t count = 0;
    errc bad = errc::ok;
    while (count < most && change_own_topics_locked (parts[count].view (), bad)) {
        if (bad != errc::ok)
            return bad;
        ++count;
    }
    return count;
}

// Of one part; the caller sends it, to only.
template <class Message>
errc socket_core::publish_locked (std::uint32_t generation,
                                  Message message,
                                  unsigned flags,
                                  pipe *&only) noexcept
{
    only = nullptr;
    if (traits_.asks_topics) {
        errc bad = check_locked (generation);
        if (bad != errc::ok || change_own_topics_locked (first_part (message), bad)) {
            if (bad == errc::ok)
                taken_from (message);
            return bad;
        }
    }
    return distribute_locked (generation, message, flags, only);
}

template <class Message>
errc socket_core::distribute_locked (std::uint32_t generation,
                                     Message message,
                                     unsigned flags,
                                     pipe *&only) noexcept
{
    if (const errc bad = choose_audience_locked (generation, first_part (message), flags); bad != errc::ok)
        return bad;
    keep_value_locked (message);
    topics_->only = nullptr;
    const auto &chosen = topics_->chosen;
    if (chosen.size () == 1 && (topics_->all_have_room || pipe_available_locked (*chosen.front ()))) {
        only = chosen.front ();
        return errc::ok;
    }
    give_to_many_locked (message);
    return errc::ok;
}

// To a choice that is not just one with room; the message is taken. Apart, so that
// publishing to one takes distribute_locked in.
template <class Message> void socket_core::give_to_many_locked (Message message) noexcept
{
    if constexpr (std::is_same_v<Message, base::bytes_view>)
        look_at_lanes_locked ();
    const bool was_idle = unwritten_connections_ == 0;
    const bool nobody = topics_->chosen.empty ();
    copy_to_chosen_locked (message);
    taken_from (message);
    if (!nobody)
        write_to_many_locked (was_idle);
}

// To all who asked for it; of who says whom by number, to that one.
// Who would rather wait than drop, and has one reader in the process, waits for
// warm memory as other senders do. The lock may have been dropped.
errc socket_core::warm_only_locked (std::uint32_t generation, std::size_t bytes, unsigned flags) noexcept
{
    if (!wish_.no_drop || bytes < room_wait_bytes_min || topics_->chosen.size () != 1)
        return errc::ok;
    lane *const out = lane_of (topics_->chosen.front ());
    if (out == nullptr)
        return errc::ok;
    wait_warm_locked (*out, flags);
    return check_locked (generation);
}

errc socket_core::publish_one_locked (std::uint32_t generation,
                                      base::bytes_view part,
                                      unsigned flags,
                                      lane *&out) noexcept
{
    if (!publishes ()) [[unlikely]]
        return send_numbered_locked (generation, part, nullptr, flags, out);
    if (knows_lanes_locked () && publish_to_lanes_locked (generation, {.front = part}, part.size ()))
        return errc::ok;
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;  // topics_ may have gone with the socket
    if (traits_.grouped)
        return radiate_locked (generation, nullptr, part, flags, out);
    if (part.size () >= large_body_bytes_min && topics_->wanted.topics () > 0) {
        // Many may share one body; a single one is sent from the caller's.
        choose_by_topic_locked (part);
        base::message whole;
        if (topics_->chosen.size () > 1) {
            if (!whole.init_copy (part).ok ())
                return errc::no_memory;
            const errc bad = publish_one_locked (generation, whole, flags, out);
            whole.close ();
            return bad;
        }
        if (const errc bad = warm_only_locked (generation, part.size (), flags); bad != errc::ok)
            return bad;
    }
    pipe *only = nullptr;
    const errc bad = publish_locked (generation, part, flags, only);
    if (only == nullptr)
        return bad;
    if (auto *const wire = small_target_locked (*only, part.size ()); wire != nullptr) [[likely]] {
        append_locked (*wire, part);
        return errc::ok;
    }
    out = lane_of (only);
    look_at_lanes_locked ();
    sending_no_wait_ = (flags & send_dont_wait) != 0;
    return put_locked (*only, part);
}

errc socket_core::publish_one_locked (std::uint32_t generation,
                                      base::message &part,
                                      unsigned flags,
                                      lane *&out) noexcept
{
    if (!publishes ()) [[unlikely]]
        return send_numbered_locked (generation, part.view (), &part, flags, out);
    if (traits_.grouped) {
        const errc bad = check_locked (generation);
        return bad == errc::ok ? radiate_locked (generation, &part, part.view (), flags, out) : bad;
    }
    if (part.shared_body () == nullptr) {
        const errc bad = publish_one_locked (generation, part.view (), flags, out);
        if (bad == errc::ok)
            taken_from (std::span (&part, 1));
        return bad;
    }
    pipe *only = nullptr;
    const errc bad = publish_locked (generation, std::span (&part, 1), flags, only);
    if (only == nullptr)
        return bad;
    out = lane_of (only);
    sending_no_wait_ = (flags & send_dont_wait) != 0;
    return put_locked (*only, part);
}

// Behind a message that went to who asked for it: may there be another?
errc socket_core::published_locked (std::uint32_t generation) noexcept
{
    sent_locked ();
    return check_locked (generation);
}

// The first of several parts. Only where nothing is to be dropped has it to wait.
errc socket_core::admit_published_locked (std::uint32_t generation,
                                          const base::message &first,
                                          unsigned flags) noexcept
{
    return wish_.no_drop ? choose_audience_locked (generation, first.view (), flags) : errc::ok;
}

errc socket_core::publish_parts_locked (std::uint32_t generation,
                                        std::span<base::message> parts,
                                        unsigned flags,
                                        pipe *&only) noexcept
{
    only = nullptr;
    if (traits_.asks_topics) {
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        const result<std::size_t> own = take_own_topics_locked (parts);
        if (!own.ok ())
            return own.code ();
        taken_from (parts.first (own.value ()));
        parts = parts.subspan (own.value ());
        if (parts.empty ())
            return errc::ok;
    }
    errc bad = distribute_locked (generation, parts, flags, only);
    if (only == nullptr) {
        if (bad == errc::ok)
            sent_locked ();
        return bad;
    }
    bad = put_parts_locked (*only, parts);
    if (bad != errc::ok)
        forget_value_locked (parts);
    return bad;
}

// --- inproc ----------------------------------------------------------------------

// The reader of this lane is to be told, once the lock is dropped.
void socket_core::note_news_locked (lane &of) noexcept
{
    todo_ |= todo_news;
    inproc_end &end = *of.writer_end;
    if (end.noted_in == news_taken_)
        return;
    end.noted_in = news_taken_;
    if (!news_left_ || std::ranges::find (news_, &of) == news_.end ())
        news_.push_back (&of);  // reserved with the ends
}

// A few at a time, so that nothing has to be allocated.
std::size_t socket_core::take_news_locked (std::span<lane *> to) noexcept
{
    const std::size_t count = std::min (to.size (), news_.size ());
    std::copy (news_.end () - static_cast<std::ptrdiff_t> (count), news_.end (), to.begin ());
    news_.resize (news_.size () - count);
    ++news_taken_;
    news_left_ = !news_.empty ();
    if (news_left_)
        todo_ |= todo_news;
    return count;
}

}  // namespace zlink::engine
