// Subscriptions by pattern (base/glob.hpp).
//
// A SUB tells the patterns themselves to publishers that know them: those that
// say so in READY (pattern_property), and those of its own process. These send
// what matches and nothing else. Others are asked, as by libzmq's subscribers,
// for what a pattern begins with. In either case the SUB looks at what comes.
//
// A publisher shows its application a pattern as a topic, which is what it begins
// with; by that name it goes upstream through a forwarder. With XPUB_MANUAL it is
// nothing else: the application enters topics.
#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <utility>

#include "base/glob.hpp"
#include "engine/socket_core.hpp"
#include "wire/command.hpp"
#include "wire/session.hpp"

namespace zlink::engine {

namespace {

wire::command pattern_command (base::bytes_view pattern, bool cancel) noexcept
{
    return cancel ? wire::make_cancel_pattern (pattern) : wire::make_subscribe_pattern (pattern);
}

}  // namespace

// --- asking (SUB) ----------------------------------------------------------------

bool socket_core::takes_patterns_of (const wire::session &peer) noexcept
{
    const std::string *const said =
      peer.subscribe_commands () ? peer.peer_property (pattern_property) : nullptr;
    if (said == nullptr)
        return false;
    std::size_t most = 0;
    const char *const end = said->data () + said->size ();
    const auto [behind, bad] = std::from_chars (said->data (), end, most);
    return bad == std::errc () && behind == end && most >= patterns_per_peer_max;
}

// Are publishers that know patterns asked for this topic, which is one of ours?
bool socket_core::is_asked_plainly_locked (base::bytes_view topic) const noexcept
{
    const publishing &own = *topics_;
    return own.wanted.holds (topic, this) || own.wanted.holds (topic, own.of_patterns (false));
}

// A link that nobody has joined yet hears of topics, and of patterns later.
bool socket_core::hears_locked (const pipe &publisher, audience of) noexcept
{
    if (of == audience::all)
        return true;
    if (of == audience::told_patterns)
        return publisher.takes_patterns;
    const bool joined =
      publisher.kind == pipe_kind::stream || static_cast<const inproc_end &> (publisher).joined;
    const bool with = publisher.takes_patterns || !joined;
    return with == (of == audience::with_patterns);
}

result<void> socket_core::subscribe_pattern (std::uint32_t generation, base::bytes_view pattern) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (!traits_.filters)
        return errc::invalid_argument;
    publishing &own = *topics_;
    const bool known = own.patterns.holds (pattern);
    if (const result<void> added = own.patterns.add (pattern); !added.ok ())
        return added.failure ();
    const base::bytes_view beginning = topic_patterns::beginning (pattern);
    const bool said = own.patterns.is_said (pattern);
    const bool had = is_asked_plainly_locked (beginning);
    const result<bool> first = own.wanted.add (beginning, own.of_patterns (said));
    if (!first.ok ()) {
        own.patterns.remove (pattern);
        return first.failure ();
    }
    settle_plain_locked ();
    if (ask_everybody_locked (beginning, false, audience_of (first.value (), !said && !had))
        && (!said || known || say_pattern_locked (pattern, false)))
        return {};
    // Who heard of it tells us of what we drop.
    own.patterns.remove (pattern);
    (void)own.wanted.remove (beginning, own.of_patterns (said));
    settle_plain_locked ();
    return errc::no_memory;
}

result<void> socket_core::unsubscribe_pattern (std::uint32_t generation, base::bytes_view pattern) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (!traits_.filters)
        return errc::invalid_argument;
    publishing &own = *topics_;
    if (!own.patterns.holds (pattern))
        return {};
    const bool said = own.patterns.is_said (pattern);
    // Links that hear of this one do not hear of what it begins with, so that
    // memory may be out for one of the two only.
    if (said && own.patterns.holds_once (pattern) && !say_pattern_locked (pattern, true))
        return errc::no_memory;
    const base::bytes_view beginning = topic_patterns::beginning (pattern);
    const topic_trie::removal outcome = own.wanted.take (beginning, own.of_patterns (said));
    const result<void> told = settle_cancel_locked (
      beginning, own.of_patterns (said),
      audience_of (outcome == topic_trie::removal::last, !said && !is_asked_plainly_locked (beginning)));
    if (!told.ok ())
        return told;
    own.patterns.remove (pattern);
    settle_plain_locked ();
    return {};
}

// To all publishers that know patterns. Answers as ask_everybody_locked.
bool socket_core::say_pattern_locked (base::bytes_view pattern, bool cancel) noexcept
{
    ++topics_->changes;
    if (any_end_hears_locked (audience::told_patterns)) {
        result<base::message> words = command_message (pattern_command (pattern, cancel));
        if (!words.ok () || !tell_links_locked (words.value (), true, audience::told_patterns))
            return false;
    }
    // Losing one changes no index of the others.
    for (std::size_t i = 0; i < connections_.size (); ++i) {
        connection *const each = connections_[i].get ();
        if (each != nullptr && each->state == connection_state::ready
            && hears_locked (*each, audience::told_patterns)
            && !ask_by_pattern_locked (*each, pattern, cancel))
            lose_locked (*each, base::close_reason::out_of_memory, 0);
    }
    return true;
}

// False when memory is out.
bool socket_core::ask_by_pattern_locked (pipe &to, base::bytes_view pattern, bool cancel) noexcept
{
    result<base::message> words = command_message (pattern_command (pattern, cancel));
    if (!words.ok ())
        return false;
    if (to.kind == pipe_kind::inproc)
        return tell_link_locked (static_cast<inproc_end &> (to), words.value (), true);
    const bool told = append_quietly_locked (static_cast<connection &> (to), words.value ().view (), true);
    words.value ().close ();
    return told;
}

// False when memory is out.
bool socket_core::ask_by_patterns_locked (connection &which) noexcept
{
    return !which.takes_patterns || topics_->patterns.each_said ([&] (base::bytes_view pattern) {
        return ask_by_pattern_locked (which, pattern, false);
    });
}

// Behind the topics, once it is known who is at the other end.
void socket_core::ask_by_patterns_locked (inproc_end &which) noexcept
{
    if (!traits_.filters || topics_->patterns.empty ())
        return;
    const bool asked = which.takes_patterns
                         ? topics_->patterns.each_said ([&] (base::bytes_view pattern) {
                               return ask_by_pattern_locked (which, pattern, false);
                           })
                         : topics_->wanted.each ([&] (base::bytes_view topic) {
                               return is_asked_plainly_locked (topic) || ask_locked (which, topic, false);
                           });
    if (!asked)
        owe_topics_locked (which);
}

// A SUB with patterns: what begins so is for us.
bool socket_core::wants_locked (base::bytes_view beginning) const noexcept
{
    bool plain = false;
    bool maybe = false;
    topics_->wanted.match (beginning,
                           [&] (topic_trie::subscriber who) { (who == this ? plain : maybe) = true; });
    return plain || (maybe && topics_->patterns.matches (beginning));
}

// --- being asked (PUB, XPUB) -------------------------------------------------------

// What a peer says of topics, and has not said as a message.
void socket_core::hear_of_topics_locked (connection &which, const wire::command &said) noexcept
{
    if (said.kind == wire::command_kind::gap)
        note_gap_locked (which, base::load_u64_be (said.data.data ()));
    else if (!traits_.takes_topics)
        return;
    else if (traits_.grouped)
        (void)change_group_locked (which, said);
    else if (said.kind == wire::command_kind::subscribe || said.kind == wire::command_kind::cancel)
        (void)change_topic_locked (which, said.data, said.kind == wire::command_kind::cancel);
    else
        (void)change_by_pattern_locked (which, said);
}

// Of an inproc link: the body of a command.
socket_core::topic_part socket_core::take_pattern_locked (pipe &from, base::bytes_view body) noexcept
{
    const wire::command said = wire::parse_command (body);
    const bool stays =
      traits_.grouped ? change_group_locked (from, said) : change_by_pattern_locked (from, said);
    return stays ? topic_part::taken : topic_part::the_end;
}

// As change_topic_locked: a peer has a pattern or has it not.
bool socket_core::change_by_pattern_locked (pipe &who, const wire::command &said) noexcept
{
    if (said.kind == wire::command_kind::cancel_pattern) {
        cancel_pattern_locked (who, said.data);
        return true;
    }
    if (said.kind != wire::command_kind::subscribe_pattern)
        return true;
    const base::bytes_view beginning = topic_patterns::beginning (said.data);
    topic_trie &known = wish_.manual_topics ? topics_->asked : topics_->wanted;
    const bool news = !known.holds (beginning, &who) && !known.holds (beginning, by_pattern (who));
    if (who.patterns == nullptr || !who.patterns->holds (said.data)) {
        if (above_topic_limits_locked (who, said.data)
            || (who.patterns != nullptr && who.patterns->size () >= patterns_per_peer_max)) {
            turn_away_locked (who, base::close_reason::too_many_topics);
            return false;
        }
        last_values::list due;
        if (!wish_.manual_topics)
            due = values_due_locked (who, beginning, &said.data);
        const result<bool> added = add_pattern_locked (who, said.data, known);
        if (!added.ok ())
            return put_off_topic_locked (who);
        if (!tell_new_pattern_locked (who, beginning, news, added.value ())) {
            forget_pattern_locked (who, said.data, known);
            return put_off_topic_locked (who);
        }
        send_values_locked (who, due);
        return true;
    }
    return tell_new_pattern_locked (who, beginning, news, false) || put_off_topic_locked (who);
}

// news: to the peer; first: to all. False: memory is out.
bool socket_core::tell_new_pattern_locked (pipe &who,
                                           base::bytes_view beginning,
                                           bool news,
                                           bool first) noexcept
{
    const bool tell = wish_.manual_topics ? news : first || wish_.verbose_topics;
    return !tell || tell_topic_locked (beginning, false, &who);
}

// True: nobody had its beginning before. errc::no_memory, and nothing has changed.
result<bool> socket_core::add_pattern_locked (pipe &who, base::bytes_view pattern, topic_trie &to) noexcept
{
    if (who.patterns == nullptr)
        who.patterns.reset (new (std::nothrow) topic_patterns);
    if (who.patterns == nullptr || !who.patterns->add (pattern).ok ())
        return errc::no_memory;
    const result<bool> first = to.add (topic_patterns::beginning (pattern), by_pattern (who));
    if (!first.ok ()) {
        who.patterns->remove (pattern);
        return first.failure ();
    }
    count_subscriber_locked (who, who.topics++);
    who.topic_bytes += static_cast<std::int64_t> (pattern.size ());
    return first;
}

// It is known there. True: nobody has its beginning any more.
bool socket_core::forget_pattern_locked (pipe &who, base::bytes_view pattern, topic_trie &known) noexcept
{
    const base::bytes_view beginning = topic_patterns::beginning (pattern);
    topic_trie &other = &known == &topics_->asked ? topics_->wanted : topics_->asked;
    who.patterns->remove (pattern);
    const topic_trie::removal outcome = known.remove (beginning, by_pattern (who));
    if (outcome == topic_trie::removal::unknown)  // topics by hand were switched meanwhile
        (void)other.remove (beginning, by_pattern (who));
    if (who.patterns->empty ())
        who.patterns.reset ();
    count_subscriber_locked (who, who.topics--);
    who.topic_bytes =
      std::max (who.topic_bytes - static_cast<std::int64_t> (pattern.size ()), std::int64_t{0});
    return outcome == topic_trie::removal::last;
}

void socket_core::cancel_pattern_locked (pipe &who, base::bytes_view pattern) noexcept
{
    if (who.patterns == nullptr || !who.patterns->holds (pattern))
        return;
    const base::bytes_view beginning = topic_patterns::beginning (pattern);
    topic_trie &known = wish_.manual_topics ? topics_->asked : topics_->wanted;
    const bool last = forget_pattern_locked (who, pattern, known);
    const bool none_left = !known.holds (beginning, &who) && !known.holds (beginning, by_pattern (who));
    if (wish_.manual_topics ? none_left : last || wish_.verbose_cancels)
        tell_cancel_locked (beginning, &who);
}

// Whether a peer has a pattern that the message matches; once a choice, however
// many beginnings it has.
bool socket_core::matches_now_locked (pipe &who, base::bytes_view message) noexcept
{
    const std::uint64_t round = topics_->round;
    if (who.chosen_in == round || std::exchange (who.matched_in, round) == round)
        return false;
    return who.patterns != nullptr && who.patterns->matches (message);
}

// Its subscriber goes.
void socket_core::forget_patterns_locked (pipe &who) noexcept
{
    if (who.patterns == nullptr)
        return;
    const auto tell = [this] (base::bytes_view topic) { tell_cancel_locked (topic, nullptr); };
    topic_trie &told = wish_.manual_topics ? topics_->asked : topics_->wanted;
    topic_trie &other = wish_.manual_topics ? topics_->wanted : topics_->asked;
    told.remove_all (by_pattern (who), tell);
    other.remove_all (by_pattern (who), [] (base::bytes_view) {});
    who.patterns.reset ();
}

}  // namespace zlink::engine
