// A socket: a monitor object. One short lock and a state machine; whoever
// holds the lock may advance it, the caller's thread as well as the reactor's.
//
// The caller does the I/O: a send encodes into the connection's arena and
// writes when the burst rule says so; a receive reads slabs and slices them.
// The reactor is the understudy for whatever no caller attends to.
//
// Thread rule: public members from any thread; each takes the lock itself
// unless its name ends in _locked. No system call and no callback happens
// under the lock: work that needs one is noted in todo_ and done by unlock(),
// or done inside a claim with the lock dropped. After every relock all is
// looked at anew.
//
// Slots are type-stable: a socket_core is never freed, only reused, so a
// stale reference finds a lock to take and a generation that does not match.
//
// The bodies are in files by concern: socket_life, socket_send,
// socket_receive, socket_wait, socket_claims, socket_endpoints,
// socket_handshake, socket_turns, socket_inproc, socket_events,
// socket_telling, socket_readiness, socket_leavers, socket_parts, socket_datagrams,
// socket_secured; socket_talk and socket_names for the
// patterns that say whom they talk to; socket_topics, socket_groups, socket_patterns,
// socket_values and socket_backlog for those that publish and subscribe. A
// library whose socket types do neither (ZLINK_SOCKET_TYPES) has the few bodies
// of left_out/ instead of these files.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/adaptive_spin.hpp"
#include "base/atomic.hpp"
#include "base/headed_message.hpp"
#include "base/io_count.hpp"
#include "base/joined_part.hpp"
#include "base/lock.hpp"
#include "base/message.hpp"
#include "base/placed_parts.hpp"
#include "base/prepared_head.hpp"
#include "base/watcher.hpp"
#include "base/world.hpp"
#include "engine/burst.hpp"
#include "engine/connection.hpp"
#include "engine/context.hpp"
#include "engine/conversation.hpp"
#include "engine/counters.hpp"
#include "engine/deadline_heap.hpp"
#include "engine/event.hpp"
#include "engine/lane.hpp"
#include "engine/limits.hpp"
#include "engine/pace.hpp"
#include "engine/patient_spin.hpp"
#include "engine/policy.hpp"
#include "engine/publishing.hpp"
#include "engine/settings.hpp"
#include "wire/command.hpp"
#include "wire/key_list.hpp"

namespace zlink::engine {

using base::errc;
using base::io_count;
using base::result;
using base::time_ns;

struct datagrams_dropped;
struct headed_before;

// One end of an inproc link, as a pipe of its socket.
struct inproc_end : pipe
{
    inproc_end () noexcept : pipe (pipe_kind::inproc) {}

    lane *out = nullptr;
    lane *in = nullptr;
    std::uint64_t id = 0;   // of the connect that made it; 0 at the binder's end
    std::string text;       // the endpoint, as the caller wrote it; empty at the binder's end
    std::size_t place = 0;  // at the binder's end: a hash of the endpoint
    std::uint64_t connection_id = 0;
    time_ns ready_since_ns = 0;
    bool joined = false;         // there is somebody at the other end
    bool keeps_newest = false;   // CONFLATE, of what comes in: its sender meets no mark
    bool topics_due = false;     // see owe_topics_locked
    std::uint64_t noted_in = 0;  // when its reader was last noted as one to tell
    lane::position told_at;      // before what is pushed to all ends or to none
    routing_table::place route;  // a ROUTER's: for its name
};

// A name that is bound inproc.
struct bound_name
{
    std::string name;
    std::uint64_t id = 0;
    std::size_t place = 0;  // a hash of the endpoint
    std::uint64_t attempts = 0;
    tally gone;  // of its links that are no more
};

// One socket's part of the marks of an inproc link.
struct link_marks
{
    std::int64_t send_hwm = 0;
    std::int64_t receive_hwm = 0;
    std::int64_t send_hwm_bytes = 0;
    std::int64_t receive_hwm_bytes = 0;
    bool keeps_backlogs = false;
    bool wants_gaps = false;
    bool takes_patterns = false;
    std::size_t place = 0;  // a hash of the endpoint: the binder's end counts for it
    std::string name;       // by which that socket wants to be known
};

struct endpoint_report
{
    bool is_listener = false;
    unsigned connected = 0;
    std::uint64_t attempts = 0;
    base::close_reason last_reason = base::close_reason::none;
    int os_error = 0;
};

enum send_flags : unsigned
{
    send_dont_wait = 1,
    send_more = 2,
    send_admitted = 4,  // not the callers': the first part has had room
};

enum socket_events : unsigned
{
    event_readable = 1,
    event_writable = 2,
};

class socket_core
{
  public:
    // --- life (socket_life.cpp) ---

    // A fresh socket from the pool of slots. errc::no_memory.
    static result<socket_ref>
    create (std::shared_ptr<context> owner, const pattern_traits &traits, const settings &wish);
    // Ends the caller's use at once; what is queued drains by LINGER.
    result<void> close (std::uint32_t generation) noexcept;
    // The context is going: blocking calls return errc::terminated.
    void stop (std::uint32_t generation) noexcept;
    // One line about what keeps it alive.
    [[nodiscard]] std::string describe (std::uint32_t generation);
    [[nodiscard]] std::uint16_t slot () const noexcept { return slot_; }
    // The slot of a tag.
    static socket_core &at (std::uint16_t slot) noexcept;

    // --- settings ---

    result<void> configure (std::uint32_t generation, const settings &wish) noexcept;
    // The option of that number was set and has no effect on this socket.
    void warn_of_idle_option (std::uint32_t generation, int number) noexcept;
    // Calls use() under the lock if the generation lives. For option calls.
    template <class Use> result<void> with (std::uint32_t generation, Use use)
    {
        const holding here (*this);
        result<void> answer = check_locked (generation);
        if (answer.ok ())
            answer = use (*this);
        return answer;
    }

    // --- traffic (socket_send.cpp, socket_receive.cpp) ---

    io_count send (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept;
    io_count send_constant (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept;
    io_count send (std::uint32_t generation, base::message &part, unsigned flags) noexcept;
    io_count send_parts (std::uint32_t generation, std::span<base::message> parts, unsigned flags) noexcept;
    io_count send_many (std::uint32_t generation, std::span<base::message> messages, unsigned flags) noexcept;
    io_count send_packed (std::uint32_t generation,
                          base::bytes_view bytes,
                          std::span<const std::uint32_t> sizes,
                          unsigned flags) noexcept;

    io_count receive (std::uint32_t generation, base::bytes_span buffer, unsigned flags) noexcept;
    io_count receive (std::uint32_t generation, base::message &part, unsigned flags) noexcept;
    io_count receive_parts (std::uint32_t generation,
                            std::span<base::message> parts,
                            unsigned flags,
                            std::size_t *needed,
                            time_ns deadline = 0) noexcept;
    io_count
    receive_many (std::uint32_t generation, std::span<base::message> messages, unsigned flags) noexcept;
    // ROUTER (socket_headed.cpp): one message to the peer of that name, which is copied;
    // in_progress: nothing was done, and it has to go the long way. more_follow: the thread
    // sends more at once, for which the octets may wait a little.
    io_count send_headed (std::uint32_t generation,
                          std::string_view name,
                          base::bytes_view head,
                          std::span<const base::message> parts,
                          bool more_follow) noexcept;
    io_count send_headed (std::uint32_t generation,
                          std::string_view name,
                          base::bytes_view head,
                          base::bytes_view body,
                          bool more_follow) noexcept;
    // ROUTER: what send_prepared sends from now on, in place of the one before; null: nothing.
    // As the facade's.
    base::errc prepare_headed (std::uint32_t generation, base::prepared_head *what) noexcept;
    // What is prepared under that key, with that body; in_progress: nothing was done, and it
    // is to be sent otherwise.
    io_count send_prepared (std::uint32_t generation, const char *key, base::bytes_view body) noexcept;
    // ROUTER: messages of two parts that are there already, as many as there is room for;
    // without facts; the first is waited for until then. would_block: none; in_progress, of
    // who waits: what comes next is to be received otherwise.
    io_count receive_headed (std::uint32_t generation,
                             std::span<base::headed_message> messages,
                             time_ns deadline) noexcept;
    // PUB, XPUB (socket_joined.cpp): one part that stands in two places, and whose first
    // holds its topic; in_progress: nothing was done, and it has to go the long way.
    io_count send_joined (std::uint32_t generation, const base::joined_part &what) noexcept;
    // As the facade's.
    std::uint64_t unread_bytes (std::uint32_t generation) noexcept;
    io_count receive_packed (std::uint32_t generation,
                             base::bytes_span buffer,
                             std::span<std::uint32_t> sizes,
                             unsigned flags) noexcept;
    // The same, each where it stands: as the facade's.
    io_count receive_placed (std::uint32_t generation, base::placed_parts &to, unsigned flags) noexcept;

    // --- topics (socket_topics.cpp) ---

    // SUB: one more subscription, or one less; XPUB by hand: of the peer whose
    // wish was read last. errc::no_memory, and nothing has changed;
    // invalid_argument: there is none to take back, or it is not by hand.
    result<void> subscribe (std::uint32_t generation, base::bytes_view topic) noexcept;
    result<void> unsubscribe (std::uint32_t generation, base::bytes_view topic) noexcept;
    // SUB: the same of a pattern, see base/glob.hpp; in socket_patterns.cpp.
    // errc::too_many_sockets: there are too many.
    result<void> subscribe_pattern (std::uint32_t generation, base::bytes_view pattern) noexcept;
    result<void> unsubscribe_pattern (std::uint32_t generation, base::bytes_view pattern) noexcept;
    // DISH: what is sent to exactly this group is received, or no longer.
    // invalid_argument: it is already, or was not; or no group is so long.
    result<void> join (std::uint32_t generation, std::string_view group) noexcept;
    result<void> leave (std::uint32_t generation, std::string_view group) noexcept;
    // How many different topics there are: ours, or our peers'.
    result<std::size_t> topics_count (std::uint32_t generation) noexcept;

    // Of a server of CURVE: who owns one of these public keys, one behind the
    // other, comes in from now on, and nobody is asked. In socket_secured.cpp.
    // errc::no_memory, invalid_argument.
    result<void> allow_keys (std::uint32_t generation, base::bytes_view keys) noexcept;
    // Of a server of PLAIN: who knows one of these passwords comes in
    // (wire/password_list), and nobody else is asked. The log says which line is
    // wrong. errc::no_memory, invalid_argument.
    result<void> allow_passwords (std::uint32_t generation, base::bytes_view list) noexcept;
    // It is asked about every peer for which the socket has no list; null: nobody
    // of the socket's own is. Let go of when no lock is held.
    result<void> judge_by (std::uint32_t generation, std::shared_ptr<const policy> whom) noexcept;

    // ROUTER: whether the peer of that name has room. host_unreachable: there is
    // none; not_supported: peers have no names here.
    result<bool> peer_has_room (std::uint32_t generation, std::string_view name) noexcept;

    // --- endpoints (socket_endpoints.cpp, socket_inproc.cpp) ---

    result<void> bind (std::uint32_t generation, std::string_view endpoint);
    result<void> connect (std::uint32_t generation, std::string_view endpoint);
    // PEER: the same; by which number the peer is known. bad_address: with
    // IMMEDIATE; not_supported: not with this type.
    result<std::uint32_t> connect_peer (std::uint32_t generation, std::string_view endpoint);
    // SERVER, PEER: this peer goes, behind what was sent to it. host_unreachable.
    result<void> disconnect_peer (std::uint32_t generation, std::uint32_t number) noexcept;
    // ROUTER, STREAM: the same of the one of that name.
    result<void> disconnect_peer (std::uint32_t generation, std::string_view name) noexcept;
    result<void> unbind (std::uint32_t generation, std::string_view endpoint);
    result<void> disconnect (std::uint32_t generation, std::string_view endpoint) noexcept;
    result<endpoint_report> report (std::uint32_t generation, std::string_view endpoint) noexcept;
    // A small message to those who are linked by inproc needs no memory from now
    // on, as long as they keep up. errc::no_memory.
    result<void> prepare_links (std::uint32_t generation) noexcept;
    // Those who are linked by inproc now take whatever is sent from now on.
    result<void> lift_marks (std::uint32_t generation) noexcept;

    // --- readiness (socket_readiness.cpp) ---

    enum class awaited : std::uint8_t
    {
        peers,        // connected
        subscribers,  // PUB, XPUB: that have asked for a topic
        listeners,    // SUB, XSUB: that have read which topics we want
    };
    // Until so many are there. errc::timed_out; not_supported: not with this type.
    result<void>
    wait_peers (std::uint32_t generation, awaited what, unsigned count, time_ns timeout_ns) noexcept;

    // --- events (socket_events.cpp) ---

    // socket_events bits. acknowledge takes the descriptor's signal back: for
    // ZMQ_EVENTS; a poll leaves it to whoever waits for the descriptor.
    result<unsigned> events (std::uint32_t generation, bool acknowledge) noexcept;
    // The descriptor of ZMQ_FD, made on first use.
    result<base::io_handle> event_handle (std::uint32_t generation) noexcept;
    // For poll: events as above, and what to wait on if there are none.
    // Watchers are noted and woken once when events may have come, and again
    // only after one of them has asked again: whoever asked and was not noted
    // has missed nothing. They are noted, too, when something is left unwritten,
    // which a look writes. for_room: and when there may be room at the other end of an inproc
    // link, whether there is some now or not.
    result<unsigned> watch (std::uint32_t generation,
                            const std::shared_ptr<base::watcher> &watcher,
                            base::io_handle &kernel,
                            bool for_room = true) noexcept;
    void unwatch (std::uint32_t generation, const std::shared_ptr<base::watcher> &watcher) noexcept;

    // --- counters (socket_counters.cpp) ---

    result<socket_counters> counters (std::uint32_t generation) noexcept;
    // A row of the socket itself, one an endpoint, one a connection. The
    // socket's lock is held while they are gathered. errc::no_memory.
    result<std::vector<count_row>> count_rows (std::uint32_t generation) noexcept;

    // Who is ready now, the longest first. Throws bad_alloc.
    result<std::vector<peer_report>> peer_reports (std::uint32_t generation);

    // --- who is told what happens (socket_telling.cpp) ---

    // From now on, until remove_sink or the end of the socket, which is told
    // as stopped. errc::no_memory.
    result<void> add_sink (std::uint32_t generation, std::shared_ptr<event_sink> sink) noexcept;
    // It is told that it stopped; the caller delivers. Where memory is out it
    // stays until the socket's end, and may be told more.
    void remove_sink (std::uint32_t generation, const std::shared_ptr<event_sink> &sink) noexcept;

    // --- the reactor's calls (socket_turns.cpp), on its thread only ---

    void turn (time_ns now) noexcept;
    void dirty_turn () noexcept;
    void event (tag_kind kind, std::uint64_t which, std::uint32_t ready) noexcept;
    static void dispatch (const base::poll_event &event) noexcept;

    // Tells how many messages wait in each pipe; would_block: there is none.
    result<void> tell_pipe_counts (std::uint32_t generation) noexcept;

    // Somebody may have been judged (verdict_source); no lock held.
    void look_at_answers (std::uint32_t generation) noexcept;

    // There is room in the byte budget again; no lock held.
    void resume_held (std::uint32_t generation) noexcept;

    // Writes what the calling thread has left unwritten on sockets: before it
    // waits elsewhere. No lock held.
    static void flush_left_tails () noexcept;

    // --- for lanes: the other end's calls, no lock held ---

    static void signal_reader (lane &of) noexcept;
    static void signal_writer (lane &of) noexcept;
    // A publisher has dropped so many messages before the next of this pipe;
    // under this socket's lock.
    void note_gap_locked (pipe &from, std::uint64_t messages) noexcept;
    void note_turn_locked (inproc_end &from) noexcept;
    // Behind whatever may have given memory back; under this socket's lock.
    void note_freed_locked () noexcept
    {
        if (budget_ != nullptr) [[unlikely]]
            settle_freed_locked ();
    }

    // Valid under the lock, inside with().
    [[nodiscard]] const pattern_traits &traits () const noexcept { return traits_; }
    [[nodiscard]] const settings &wish () const noexcept { return wish_; }
    [[nodiscard]] bool receive_more () const noexcept { return receive_more_; }
    [[nodiscard]] const std::string &last_endpoint () const noexcept { return last_endpoint_; }
    // STREAM: the last name that was made up; empty before the first.
    [[nodiscard]] const std::string &made_name () const noexcept { return talk_.made_name; }
    // How many pipes have a peer at the other end.
    [[nodiscard]] unsigned peers () const noexcept { return peers_; }

    // Intrusive fields of the reactor, under its leaf lock.
    bool posted = false;
    bool in_dirty = false;
    time_ns timer_at = base::never_ns;
    timer_set::node_type timer_node;  // while it is not in the set

  private:
    enum class phase : std::uint8_t
    {
        unused,
        open,
        closing,  // the handle is gone, connections drain
    };

    enum chore : std::uint32_t  // bits of todo_
    {
        todo_wake_receiver = 1,
        todo_wake_sender = 2,
        todo_wake_everybody = 4,
        todo_wake_reactor = 8,
        todo_watchers = 16,
        todo_raise_handle = 32,
        todo_bury = 64,        // streams, listeners and connections to destroy
        todo_finish = 128,     // the last user is back
        todo_lanes = 256,      // the other ends of links must hear that ours are closed
        todo_tell = 512,       // sinks have taken events
        todo_warn = 1024,      // the context has something to say
        todo_resume = 2048,    // those whom the budget held back
        todo_news = 4096,      // readers of lanes must hear of what is new
        todo_audience = 8192,  // those of all of an audience's lanes, too
    };

    // A word to sleep on, with the number of threads that wait (under the
    // lock) and of those that may be asleep.
    struct wait_word
    {
        base::atomic<std::uint32_t> sequence{0};
        base::atomic<std::uint32_t> sleepers{0};
        unsigned waiting = 0;
    };

    enum leader_phase : std::uint32_t
    {
        leader_awake,
        leader_asleep,
    };

    // The lock for the length of a scope, for what may throw.
    using holding = base::locked<socket_core>;
    friend holding;

    // The lock dropped for the length of a scope, the slot kept alive.
    class away
    {
      public:
        explicit away (socket_core &of) noexcept : of_ (of)
        {
            ++of_.users_;
            of_.unlock ();
        }
        ~away ()
        {
            of_.lock ();
            of_.returned_locked ();
        }
        away (const away &) = delete;
        away &operator= (const away &) = delete;

      private:
        socket_core &of_;
    };

    // --- lock (socket_life.cpp) ---
    void lock () noexcept { lock_.lock (); }
    void unlock () noexcept
    {
        const std::uint32_t todo = todo_;
        if (todo == 0) [[likely]] {
            lock_.unlock ();
            return;
        }
        unlock_and_do (todo);
    }
    void unlock_and_do (std::uint32_t todo) noexcept;
    [[nodiscard]] errc check_locked (std::uint32_t generation) const noexcept
    {
        if (generation != generation_ || phase_ != phase::open) [[unlikely]]
            return errc::not_a_socket;
        return stopped_ ? errc::terminated : errc::ok;
    }
    void returned_locked () noexcept
    {
        if (--users_ > 0)
            return;
        if (phase_ == phase::closing && finishable_locked ()) [[unlikely]]
            todo_ |= todo_finish;
        if (!graveyard_.empty ()) [[unlikely]]
            todo_ |= todo_bury;
    }
    // SUB: nothing that comes need be looked at.
    [[nodiscard]] bool wants_all_locked () const noexcept
    {
        return traits_.filters && topics_->wanted.holds ({}, this) && !wish_.invert_matching;
    }
    void settle_plain_locked () noexcept
    {
        const bool plain = phase_ == phase::open && !stopped_ && !wish_.conflate;
        plain_send_ = plain && traits_.sends == send_rule::balance;
        const bool all = wants_all_locked ();
        looks_at_topics_ = traits_.takes_topics || (traits_.filters && !all);
        plain_receive_ = plain && traits_.receives == receive_rule::fair && !looks_at_topics_;
        plain_beside_ = plain_receive_
                        || (plain && traits_.filters && topics_->patterns.empty () && !wish_.invert_matching);
        plain_beside_ = plain_beside_ && !traits_.single_part;
        looks_at_fronts_ = looks_at_topics_ || traits_.single_part;
        marks_ = says_of_whom ();
        plain_label_ = plain && traits_.receives == receive_rule::labelled;
        settle_staging_locked ();
    }
    // Whoever sends one part only need not look further when this is down.
    void settle_staging_locked () noexcept
    {
        staging_.store (!staged_.empty () || converses () || takes_two_parts (), std::memory_order_relaxed);
    }
    // SERVER, PEER, ROUTER, STREAM: there is a name for every peer.
    [[nodiscard]] bool names_peers () const noexcept
    {
        return traits_.sends == send_rule::address || traits_.sends == send_rule::number;
    }
    // SERVER, PEER: what they receive tells its sender; RADIO, DISH: its group.
    [[nodiscard]] bool says_of_whom () const noexcept
    {
        return traits_.sends == send_rule::number || traits_.grouped;
    }
    // SERVER, PEER, and those that converse: not to whoever is next.
    [[nodiscard]] bool speaks_to_somebody () const noexcept { return traits_.sends >= send_rule::number; }
    // ROUTER, STREAM, REQ, REP: they say whom they talk to.
    [[nodiscard]] bool converses () const noexcept { return traits_.sends >= send_rule::address; }
    // PUB, XPUB, XSUB.
    [[nodiscard]] bool publishes () const noexcept { return traits_.sends == send_rule::publish; }
    [[nodiscard]] bool wake_needs_kernel (std::uint32_t todo) const noexcept;
    void perform (std::uint32_t todo) noexcept;
    void tell_lanes_locked () noexcept;
    void bury_locked () noexcept;
    void wake_watchers_locked () noexcept;
    void wake_waiters (std::uint32_t todo) noexcept;
    void apply_settings_locked (const settings &wish);
    void reset_locked () noexcept;
    void start_closing_locked () noexcept;
    // Nothing of a closing socket is left but the slot.
    [[nodiscard]] bool finishable_locked () const noexcept;
    // The slot goes back to the pool if nothing of the socket is left.
    void finish_if_done () noexcept;
    [[nodiscard]] time_ns now_ns () noexcept { return owner_->world.time.now_ns (); }

    // --- wishes to others, carried out by unlock ---
    void wake_receiver_locked () noexcept;
    void wake_sender_locked () noexcept;
    void notify_receivers_locked () noexcept;
    void notify_senders_locked () noexcept;
    // Whom a wake for new credit may wait for: a sender that goes on itself.
    enum class urgency : std::uint8_t
    {
        at_once,
        soon,
    };
    void tell_senders_locked (urgency when) noexcept;
    void notify_everybody_locked () noexcept;
    // Those who watch; notify: those who have the descriptor, too.
    void tell_watchers_locked () noexcept;
    void note_watchers_locked () noexcept;
    void notify_watchers_locked () noexcept;
    void post_locked () noexcept;
    void join_dirty_locked () noexcept;
    connection &take_tail_locked (std::size_t at) noexcept;
    void flush_ripe_tails_locked () noexcept;
    void schedule_locked (time_ns when) noexcept;
    void doom_locked (std::unique_ptr<base::stream> gone) noexcept;
    void doom_locked (std::unique_ptr<base::listener> gone) noexcept;
    void doom_locked (std::unique_ptr<verdict_source> gone) noexcept;

    // --- the byte budget (socket_budget.cpp) ---
    [[nodiscard]] bool over_budget_locked () const noexcept
    {
        return budget_ != nullptr && budget_->reached ();
    }
    // At the budget a pipe takes one message, and the next when that is gone:
    // so nobody waits for somebody else's memory for ever.
    [[nodiscard]] bool budget_allows_locked (const pipe &which) const noexcept
    {
        return budget_ == nullptr || within_budget (which);
    }
    [[nodiscard]] bool within_budget (const pipe &which) const noexcept;
    // There is a pipe that only the budget keeps from taking more.
    [[nodiscard]] bool budget_holds_locked () const noexcept;
    // Somebody must wait for the budget, or is turned away for it.
    void hold_back_locked () noexcept;
    void count_hold_locked () noexcept;
    void resume_held_locked () noexcept;
    void settle_freed_locked () noexcept;

    // --- waiting (socket_wait.cpp) ---
    errc wait_readable_locked (time_ns &deadline) noexcept;
    errc wait_writable_locked (time_ns &deadline) noexcept;
    errc wait_for_room_locked (time_ns deadline) noexcept;
    errc wait_word_locked (wait_word &word, time_ns deadline, bool receiving) noexcept;
    enum class look : std::uint8_t
    {
        nothing,
        moved,
    };
    look spin_on_word (const wait_word &word, std::uint32_t sequence, time_ns &took) noexcept;
    look yield_for_word (const wait_word &word, std::uint32_t sequence) noexcept;
    errc lead_locked (time_ns deadline) noexcept;
    struct leading;
    void lead_unlocked (leading &turn) noexcept;
    void spin_on_set (leading &turn, time_ns until) noexcept;
    void spin_for_it (leading &turn) noexcept;
    void sleep_in_set (leading &turn, time_ns until, bool keenly) noexcept;
    void expect_locked (leading &turn, int others_waiting) noexcept;
    void get_up_for_it (leading &turn) noexcept;
    void note_pace_locked (const leading &turn) noexcept;
    static void sent_large () noexcept;  // by the calling thread
    void see_whether_it_answers_locked () noexcept;
    time_ns patience_locked (int others_waiting) noexcept;
    // What came of it.
    void looked_locked (bool seen, time_ns took) noexcept;
    // It has written nothing since it waited the last time: what comes is no answer to it,
    // and nobody waits for ours.
    [[nodiscard]] bool only_reads_locked () const noexcept
    {
        return burst_.wrote_at () == wrote_at_last_wait_;
    }
    // Nor does its thread answer what it reads, over another one.
    [[nodiscard]] bool in_no_hurry_locked () const noexcept { return only_reads_locked () && !answers_; }
    bool inproc_room_locked () noexcept;
    bool ask_for_room_locked () noexcept;
    unsigned events_locked (bool at_the_kernel = true) noexcept;
    void drain_handle_locked (std::uint32_t generation) noexcept;
    bool acknowledge_handle_locked (std::uint32_t generation) noexcept;
    std::size_t harvest_locked () noexcept;
    void take_events_locked (std::span<const base::poll_event> events) noexcept;
    [[nodiscard]] time_ns deadline_after (std::int64_t timeout_ms) noexcept;
    // The same of a limit that is none when it is 0.
    [[nodiscard]] time_ns limit_after (std::int64_t limit_ms) noexcept
    {
        return deadline_after (limit_ms > 0 ? limit_ms : -1);
    }

    // --- pipes and balance (socket_send.cpp) ---
    void attach_locked (pipe &which) noexcept;
    void detach_locked (pipe &which) noexcept;
    void activate_locked (pipe &which) noexcept;
    void deactivate_locked (pipe &which) noexcept;
    [[nodiscard]] pipe *choose_locked () noexcept;
    bool pipe_available_locked (pipe &which) noexcept;
    bool refresh_locked (bool force, urgency when) noexcept;
    bool refresh_one_locked (connection &which, urgency when) noexcept;
    bool regains_credit_locked (pipe &which) noexcept;
    errc wait_for_credit_locked (std::uint32_t generation,
                                 unsigned flags,
                                 time_ns &deadline,
                                 const std::string_view *name = nullptr) noexcept;
    result<pipe *> obtain_pipe_locked (std::uint32_t generation, unsigned flags) noexcept;
    [[nodiscard]] pipe *any_pipe_locked () const noexcept;

    errc put_locked (pipe &to, base::bytes_view part) noexcept;
    errc put_locked (pipe &to, base::message &part) noexcept;
    errc put_copy_locked (pipe &to, base::bytes_view part) noexcept;
    errc put_parts_locked (pipe &to, std::span<base::message> parts) noexcept;
    errc put_parts_in_lane_locked (lane &out, std::span<base::message> parts) noexcept;
    errc
    put_parts_in_queue_locked (connection &to, std::span<base::message> parts, std::size_t bytes) noexcept;
    bool append_parts_locked (connection &to, std::span<base::message> parts, std::size_t bytes) noexcept;
    errc put_conflated_locked (pipe &to, base::message &part) noexcept;
    errc conflate_locked (pipe &to, base::message &part) noexcept;
    errc queue_parts_locked (connection &to, std::span<base::message> parts, std::size_t bytes) noexcept;
    errc put_large_locked (connection &to, base::bytes_view part) noexcept;
    void write_large_locked (connection &to, bool was_empty) noexcept;
    bool wait_room_locked (connection &to) noexcept;
    errc warm_only_locked (std::uint32_t generation, std::size_t bytes, unsigned flags) noexcept;
    void wait_warm_locked (lane &out, unsigned flags) noexcept;
    errc queue_pending_locked (connection &to, base::message &part) noexcept;
    // The connection that takes a small part just so, if nothing is special.
    connection *append_target_locked (std::uint32_t generation, std::size_t bytes) noexcept
    {
        if (generation != generation_ || !plain_send_ || balance_next_ >= balance_active_) [[unlikely]]
            return nullptr;
        pipe &next = *balance_[balance_next_];
        if (next.kind != pipe_kind::stream || !next.credit.available ()) [[unlikely]]
            return nullptr;
        auto &wire = static_cast<connection &> (next);
        const bool fits = bytes < large_body_bytes_min && wire.out.fits (bytes);
        return fits && wire.state == connection_state::ready && !wire.tx_dead ? &wire : nullptr;
    }
    // The same, of a pipe that was chosen otherwise and has room.
    connection *small_target_locked (pipe &which, std::size_t bytes) const noexcept
    {
        if (which.kind != pipe_kind::stream || wish_.conflate) [[unlikely]]
            return nullptr;
        auto &wire = static_cast<connection &> (which);
        const bool fits = bytes < large_body_bytes_min && wire.out.fits (bytes) && wire.pending.empty ();
        return fits && wire.state == connection_state::ready && !wire.tx_dead ? &wire : nullptr;
    }
    // Appends a part that fits, and writes if it is time to.
    void append_locked (connection &to, base::bytes_view part) noexcept
    {
        const bool was_empty = to.out.empty ();
        to.credit.take (to.out.append (part, false, false));
        to.count_sent (part.size ());
        after_append_locked (to, was_empty);
    }
    void after_append_locked (connection &to, bool was_empty) noexcept
    {
        const bool was_idle = unwritten_connections_ == 0;
        unwritten_connections_ += was_empty;
        write_or_leave_locked (to, was_idle);
    }
    // Behind what was appended; was_idle: nothing was unwritten before it.
    void write_or_leave_locked (connection &to, bool was_idle) noexcept
    {
        if (to.tx_claimed || to.tx_armed) [[unlikely]]
            return;  // whoever holds the claim goes on
        // What the thread may still write is looked up only where it decides.
        write_if_locked (to, !burst_.append_behind (was_idle) && decide_burst_locked (was_idle));
    }
    [[gnu::always_inline]] void write_if_locked (connection &to, bool write) noexcept
    {
        if (write || to.out.arena_full ()) [[unlikely]]
            flush_appended_locked (to);
        else if (!to.in_tails) [[unlikely]]
            mark_tail_locked (to);
    }
    bool decide_burst_locked (bool was_idle) noexcept;
    void flush_appended_locked (connection &to) noexcept;
    // Behind every message that a pipe has accepted, and counted.
    void sent_locked () noexcept
    {
        if (balance_active_ > 1 && ++balance_next_ >= balance_active_)
            balance_next_ = 0;
        if (senders_.waiting > 0) [[unlikely]]
            pass_credit_on_locked ();
    }
    void pass_credit_on_locked () noexcept;
    void mark_tail_locked (connection &which) noexcept;
    static burst_thread &own_burst () noexcept;  // the calling thread's
    void flush_tails_locked () noexcept;
    static lane *lane_of (pipe *to) noexcept;
    static void after_unlock (lane *out) noexcept;
    template <class Part> io_count send_one (std::uint32_t generation, Part &part, unsigned flags) noexcept;
    template <class Part>
    errc send_one_slowly_locked (std::uint32_t generation, Part &part, unsigned flags, lane *&out) noexcept;
    errc send_numbered_locked (std::uint32_t generation,
                               base::bytes_view bytes,
                               base::message *part,
                               unsigned flags,
                               lane *&out) noexcept;
    io_count
    send_only_part (std::uint32_t generation, std::span<base::message> parts, unsigned flags) noexcept;
    errc obtain_next_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept;
    template <class Next>
    io_count send_batch (std::uint32_t generation, std::size_t count, unsigned flags, Next next) noexcept;
    errc stage_locked (base::message &part, bool more) noexcept;
    [[nodiscard]] bool unstage_locked (base::message &part) noexcept;
    errc put_staged_locked (pipe &to) noexcept;
    template <class Put> errc put_staged_locked (Put put) noexcept;
    errc route_staged_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept;
    errc admit_first_locked (std::uint32_t generation, const base::message &part, unsigned flags) noexcept;
    errc send_part_locked (std::uint32_t generation, base::message &part, unsigned flags, pipe *&to) noexcept;
    void close_staged_locked () noexcept;
    io_count send_staged (std::uint32_t generation, base::message &part, unsigned flags) noexcept;

    // --- talking to somebody (socket_talk.cpp) ---
    [[nodiscard]] errc may_send_locked () const noexcept;
    [[nodiscard]] errc may_receive_locked () const noexcept;
    bool writable_locked () noexcept;
    [[nodiscard]] pipe *route_locked (std::string_view name) noexcept;
    [[nodiscard]] pipe *numbered_locked (std::uint32_t number) noexcept;
    result<pipe *>
    obtain_numbered_locked (std::uint32_t generation, std::uint32_t number, unsigned flags) noexcept;
    bool route_has_room_locked (std::string_view name) noexcept;
    result<pipe *>
    obtain_route_locked (std::uint32_t generation, std::string_view name, unsigned flags) noexcept;
    bool refresh_route_locked (pipe &which) noexcept;
    [[nodiscard]] bool may_have_gone_locked (const pipe &which) const noexcept;
    errc talk_part_locked (std::uint32_t generation, base::message &part, unsigned flags, pipe *&to) noexcept;
    errc begin_talk_locked (std::uint32_t generation, base::bytes_view first, unsigned flags) noexcept;
    errc begin_request_locked (std::uint32_t generation, unsigned flags) noexcept;
    errc begin_reply_locked () noexcept;
    errc stage_prefix_locked () noexcept;
    errc end_talk_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept;
    errc choose_target_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept;
    pipe *reply_target_locked () noexcept;
    [[nodiscard]] static bool ends_peer (const pipe &to, base::bytes_view part) noexcept;
    void end_peer_locked (pipe &to, bool tell = false) noexcept;
    void watch_progress_locked (connection &ended, time_ns now) noexcept;
    // Each peer has the framing that it came with, whatever the socket would
    // speak to the next one.
    [[nodiscard]] bool talks_in_bytes_locked () const noexcept
    {
        return talk_.to == nullptr ? talk_.in_bytes : is_bare (*talk_.to);
    }
    [[nodiscard]] static bool is_bare (const pipe &to) noexcept
    {
        return to.kind == pipe_kind::stream && static_cast<const connection &> (to).bare ();
    }
    [[nodiscard]] static bool above_packet (const pipe *to, base::bytes_view part) noexcept
    {
        return part.size () > wire::packet_bytes_max && to != nullptr && to->kind == pipe_kind::stream
               && static_cast<const connection &> (*to).out.framing () == wire::framing::packets;
    }
    void take_turn_back_locked (pipe *to) noexcept;
    void abandon_talk_locked () noexcept;
    void drop_staged_locked () noexcept;
    io_count send_one_of_many (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept;
    io_count send_first (std::uint32_t generation, base::bytes_view part) noexcept;
    io_count send_second (std::uint32_t generation, base::bytes_view part, unsigned flags) noexcept;
    template <class Body>
    bool append_headed_locked (
      connection &to, base::bytes_view head, const Body &body, std::size_t bytes, bool more_follow) noexcept;
    template <class Body>
    bool
    push_headed_locked (inproc_end &to, base::bytes_view head, const Body &body, std::size_t bytes) noexcept;
    template <class Body>
    io_count put_headed_locked (
      std::string_view name, base::bytes_view head, const Body &body, bool more_follow, lane *&told) noexcept;
    template <class Body>
    io_count put_headed (std::uint32_t generation,
                         std::string_view name,
                         base::bytes_view head,
                         const Body &body,
                         bool more_follow) noexcept;
    void after_append_among_locked (connection &to, bool was_empty) noexcept;
    pipe *headed_source_locked () noexcept;
    void leave_front_locked () noexcept;
    bool takes_joined_locked (pipe &which, std::size_t bytes) noexcept;
    [[nodiscard]] bool joins_locked (std::uint32_t generation) const noexcept;
    connection *only_joined_locked (std::size_t bytes) noexcept;
    bool all_join_locked (std::size_t bytes) noexcept;
    bool chooses_joined_locked (base::bytes_view front) noexcept;
    bool join_quietly_locked (pipe &to, const base::joined_part &what, std::size_t bytes) noexcept;
    void join_to_chosen_locked (const base::joined_part &what, std::size_t bytes) noexcept;
    void append_joined_locked (connection &to, const base::joined_part &what, std::size_t bytes) noexcept;
    std::size_t append_joined_locked (out_queue &to, const base::joined_part &what) noexcept;
    bool join_locked (std::uint32_t generation, const base::joined_part &what, std::size_t bytes) noexcept;
    std::size_t take_more_headed_locked (connection &from, std::span<base::headed_message> to) noexcept;
    bool take_headed_locked (pipe &from, headed_before &before, base::headed_message &to) noexcept;
    bool take_gathered_locked (connection &from, headed_before &before, base::headed_message &to) noexcept;
    bool fill_headed_locked (pipe &from,
                             base::bytes_view head,
                             base::bytes_view body,
                             headed_before &before,
                             base::headed_message &to) noexcept;
    errc talk_parts_locked (std::uint32_t generation,
                            std::span<base::message> parts,
                            unsigned flags,
                            pipe *&to) noexcept;
    errc address_parts_locked (std::uint32_t generation,
                               std::span<base::message> parts,
                               unsigned flags,
                               pipe *&to) noexcept;
    void notify_after_talk_locked () noexcept;
    void discard_arrivals_locked () noexcept;
    pipe *talk_front_locked () noexcept;
    result<pipe *>
    obtain_talk_front_locked (std::uint32_t generation, unsigned flags, time_ns deadline = 0) noexcept;
    result<pipe *> begin_talk_receive (std::uint32_t generation, time_ns deadline) noexcept;
    bool begin_batch_locked (pipe &from) noexcept;
    bool talk_readable_locked () noexcept;
    bool admit_locked (pipe &from) noexcept;
    bool open_reply_locked (pipe &from) noexcept;
    bool open_request_locked (pipe &from) noexcept;
    bool keep_envelope_locked (base::message &part) noexcept;
    bool skip_part_locked (pipe &from, base::bytes_view expected) noexcept;
    io_count give_body (connection &from, base::bytes_span buffer) noexcept;
    bool take_beside_locked (std::uint32_t generation, base::bytes_span to, io_count &taken) noexcept;
    io_count give_label (base::bytes_span buffer) noexcept;
    io_count give_label (base::message &part) noexcept;
    errc take_label_locked (base::message &part) noexcept;
    void forget_pipe_locked (pipe &which) noexcept;

    // --- names (socket_names.cpp) ---
    // Whom a dialled peer is called by is known before it has said anything.
    [[nodiscard]] bool names_dialled_locked (const connection &which) const noexcept
    {
        return !wish_.connect_name.empty () || which.bare () || traits_.sends == send_rule::number;
    }
    errc enter_route_locked (pipe &which, std::string_view said) noexcept;
    errc add_route_locked (pipe &which) noexcept;
    void make_name_locked (std::string &name);
    bool give_up_name_locked (pipe &holder) noexcept;
    [[nodiscard]] static bool dying (const pipe &which) noexcept;
    void retire_locked (pipe &which) noexcept;
    bool name_peer_locked (connection &which);
    void ask_holder_locked (connection &newcomer);
    void turn_away_locked (connection &newcomer);
    void look_at_holder_locked (connection &newcomer, time_ns now) noexcept;
    void notice_locked (const pipe &about, base::message_event what) noexcept;
    void notice_goer_locked (connection &which) noexcept;
    void show_notice_locked () noexcept;
    void push_notice_locked (const pipe &about, base::message_event what, std::string_view body);
    [[nodiscard]] bool recalls_locked () const noexcept { return wish_.recall && phase_ == phase::open; }
    void recall_locked (connection &which) noexcept;
    void recall_locked (inproc_end &which) noexcept;
    std::size_t recall_some_locked (const pipe &from, std::span<base::message> parts) noexcept;
    bool add_told_locked (std::span<base::message> parts, base::message_event what) noexcept;
    bool recall_one_locked (const pipe &from, std::span<base::message> parts) noexcept;
    [[nodiscard]] static std::vector<base::message> take_untaken (lane &from) noexcept;
    void list_beside_locked ();
    bool show_farewell_locked () noexcept;
    void greet_locked (connection &which) noexcept;
    void greet_locked (inproc_end &which) noexcept;
    void greet_locked (connection &which, base::bytes_view body) noexcept;
    void greet_locked (inproc_end &which, base::bytes_view body) noexcept;
    void tell_interruption_locked (const connection &which) noexcept;
    bool show_interruption_locked () noexcept;
    bool show_beside_locked (std::string_view body) noexcept;

    // --- topics (socket_topics.cpp) ---
    // Null where the type has none. Throws bad_alloc.
    [[nodiscard]] static std::unique_ptr<publishing> make_topics (const pattern_traits &traits,
                                                                  context &owner);
    // Whom a change of our topics is told.
    enum class audience : std::uint8_t
    {
        nobody,
        all,
        without_patterns,  // publishers that do not know them
        with_patterns,     // the others, and links that nobody has joined yet
        told_patterns,     // of these, publishers that are there
    };
    [[nodiscard]] static constexpr audience audience_of (bool without, bool with) noexcept
    {
        if (without)
            return with ? audience::all : audience::without_patterns;
        return with ? audience::with_patterns : audience::nobody;
    }
    bool ask_everybody_locked (base::bytes_view topic, bool cancel, audience who = audience::all) noexcept;
    result<void>
    settle_cancel_locked (base::bytes_view topic, topic_trie::subscriber by, audience who) noexcept;
    bool ask_or_lose_locked (connection &which, base::bytes_view topic, bool cancel) noexcept;
    bool ask_locked (connection &to, base::bytes_view topic, bool cancel) noexcept;
    bool ask_locked (inproc_end &to, base::bytes_view topic, bool cancel) noexcept;
    [[nodiscard]] bool any_end_hears_locked (audience who) const noexcept;
    [[nodiscard]] result<base::message> link_words (base::bytes_view topic, bool cancel) const noexcept;
    [[nodiscard]] static result<base::message> command_message (const wire::command &what) noexcept;
    bool tell_links_locked (base::message &words, bool command, audience who) noexcept;
    void untell_links_locked (const inproc_end &failed, bool command, audience who) noexcept;
    bool tell_link_locked (inproc_end &to, base::message &words, bool command) noexcept;
    template <class To> bool ask_for_topics_locked (To &which, bool knows_patterns) noexcept;
    bool ask_for_all_locked (connection &which) noexcept;
    void ask_for_all_locked (inproc_end &which) noexcept;
    bool change_own_topics_locked (base::bytes_view message, errc &outcome) noexcept;
    result<std::size_t> take_own_topics_locked (std::span<const base::message> parts) noexcept;
    enum class topic_part : std::uint8_t
    {
        none,     // it is something else
        taken,    // its part may be dropped
        the_end,  // of the peer: the pipe may not be touched any more
    };
    topic_part take_topic_locked (pipe &from, base::bytes_view body, bool command, bool first) noexcept;
    topic_part take_topic_message_locked (pipe &from, base::bytes_view body, bool first) noexcept;
    [[nodiscard]] bool above_topic_limits_locked (const pipe &who, base::bytes_view topic) const noexcept;
    bool change_topic_locked (pipe &who, base::bytes_view topic, bool cancel) noexcept;
    void cancel_topic_locked (pipe &who, base::bytes_view topic) noexcept;
    void turn_away_locked (pipe &who, base::close_reason why) noexcept;
    void forget_topics_locked (pipe &who) noexcept;
    bool tell_topic_locked (base::bytes_view topic, bool cancel, pipe *by) noexcept;
    void tell_cancel_locked (base::bytes_view topic, pipe *by) noexcept;
    bool tell_new_topic_locked (pipe &who, base::bytes_view topic, bool first) noexcept;
    bool tell_new_pattern_locked (pipe &who, base::bytes_view beginning, bool news, bool first) noexcept;
    void owe_topics_locked (inproc_end &which) noexcept;
    bool pay_topics_locked () noexcept;
    // Some is not paid yet.
    [[nodiscard]] bool owes_topics_locked () const noexcept { return topics_ != nullptr && topics_->owing; }
    bool put_off_topic_locked (pipe &who) noexcept;
    result<void> change_by_hand_locked (base::bytes_view topic, bool cancel) noexcept;
    bool show_topic_notice_locked () noexcept;
    bool let_notice_be_next_locked () noexcept;
    bool notices_come_first_locked (const pipe &than) noexcept;
    void welcome_locked (connection &which) noexcept;
    void welcome_locked (inproc_end &which) noexcept;
    bool passes_locked (pipe &from) noexcept;
    bool take_topics_from_lane_locked (inproc_end &from) noexcept;
    void choose_by_topic_locked (base::bytes_view message) noexcept;
    void choose_specially_locked (base::bytes_view message) noexcept;
    [[nodiscard]] static bool reached_locked (const pipe &which) noexcept;
    bool find_room_locked (std::uint64_t message) noexcept;
    void await_writer_locked (const connection &which) noexcept;
    [[nodiscard]] bool chosen_as_before_locked (base::bytes_view message) const noexcept;
    bool all_chosen_have_room_locked () noexcept;
    bool choose_with_room_locked (base::bytes_view message) noexcept;
    errc
    choose_audience_locked (std::uint32_t generation, base::bytes_view beginning, unsigned flags) noexcept;
    bool append_quietly_locked (connection &to, base::bytes_view body, bool command) noexcept;
    errc give_to_locked (pipe &to, std::span<base::message> parts, std::size_t bytes) noexcept;
    bool copy_to_locked (pipe &to, base::bytes_view message) noexcept;
    bool copy_to_locked (pipe &to, std::span<base::message> parts) noexcept;
    void refuse_locked (pipe &who, drop_reason why) noexcept;
    template <class Message> void copy_to_chosen_locked (Message message) noexcept;
    void write_to_many_locked (bool was_idle) noexcept;
    template <class Message>
    errc publish_locked (std::uint32_t generation, Message message, unsigned flags, pipe *&only) noexcept;
    template <class Message>
    errc distribute_locked (std::uint32_t generation, Message message, unsigned flags, pipe *&only) noexcept;
    template <class Message> [[gnu::noinline]] void give_to_many_locked (Message message) noexcept;
    errc
    publish_one_locked (std::uint32_t generation, base::bytes_view part, unsigned flags, lane *&out) noexcept;
    errc
    publish_one_locked (std::uint32_t generation, base::message &part, unsigned flags, lane *&out) noexcept;
    errc published_locked (std::uint32_t generation) noexcept;
    errc
    admit_published_locked (std::uint32_t generation, const base::message &first, unsigned flags) noexcept;
    errc publish_parts_locked (std::uint32_t generation,
                               std::span<base::message> parts,
                               unsigned flags,
                               pipe *&only) noexcept;
    template <class Part>
    errc put_or_publish_locked (pipe *to, std::uint32_t generation, Part &part, unsigned flags) noexcept
    {
        if (to != nullptr) [[likely]]
            return put_locked (*to, part);
        lane *out = nullptr;
        const errc bad = publish_one_locked (generation, part, flags, out);
        if (out != nullptr)
            note_news_locked (*out);
        return bad;
    }

    // --- patterns (socket_patterns.cpp) ---
    [[nodiscard]] static bool takes_patterns_of (const wire::session &peer) noexcept;
    [[nodiscard]] bool is_asked_plainly_locked (base::bytes_view topic) const noexcept;
    [[nodiscard]] static bool hears_locked (const pipe &publisher, audience of) noexcept;
    bool say_pattern_locked (base::bytes_view pattern, bool cancel) noexcept;
    bool ask_by_pattern_locked (pipe &to, base::bytes_view pattern, bool cancel) noexcept;
    bool ask_by_patterns_locked (connection &which) noexcept;
    void ask_by_patterns_locked (inproc_end &which) noexcept;
    [[nodiscard]] bool wants_locked (base::bytes_view beginning) const noexcept;
    void hear_of_topics_locked (connection &which, const wire::command &said) noexcept;
    [[nodiscard]] bool matches_now_locked (pipe &who, base::bytes_view message) noexcept;
    topic_part take_pattern_locked (pipe &from, base::bytes_view body) noexcept;
    bool change_by_pattern_locked (pipe &who, const wire::command &said) noexcept;
    result<bool> add_pattern_locked (pipe &who, base::bytes_view pattern, topic_trie &to) noexcept;
    void cancel_pattern_locked (pipe &who, base::bytes_view pattern) noexcept;
    bool forget_pattern_locked (pipe &who, base::bytes_view pattern, topic_trie &known) noexcept;
    void forget_patterns_locked (pipe &who) noexcept;

    // --- groups (socket_groups.cpp) ---
    [[nodiscard]] base::bytes_view key_of_locked (base::bytes_view group) noexcept;
    result<base::bytes_view> wanted_key_locked (std::uint32_t generation, std::string_view group) noexcept;
    [[nodiscard]] static wire::command group_command (base::bytes_view key, bool cancel) noexcept;
    bool change_group_locked (pipe &who, const wire::command &said) noexcept;
    bool is_joined_locked (base::bytes_view group) noexcept;
    bool passes_group_locked (connection &from) noexcept;
    bool lane_shows_group_locked (inproc_end &from) noexcept;
    bool note_group_locked (pipe &from) noexcept;
    bool append_to_group_locked (connection &to, base::bytes_view group, base::bytes_view body) noexcept;
    bool push_to_group_locked (inproc_end &to, base::bytes_view group, base::bytes_view body) noexcept;
    bool copy_small_locked (pipe &to, base::bytes_view group, base::bytes_view body) noexcept;
    errc send_to_group_locked (pipe &only,
                               base::bytes_view group,
                               base::message *body,
                               base::bytes_view bytes) noexcept;
    void copy_to_group_locked (base::bytes_view group, base::message *body, base::bytes_view bytes) noexcept;
    errc radiate_locked (std::uint32_t generation,
                         base::message *body,
                         base::bytes_view bytes,
                         unsigned flags,
                         lane *&out) noexcept;
    pipe *sole_member_locked (base::bytes_view group) noexcept;
    template <class Behind>
    bool
    copy_to_member_locked (pipe &to, base::bytes_view group, base::bytes_view body, Behind behind) noexcept;
    bool give_to_group_locked (pipe &to, base::bytes_view group, base::bytes_view body) noexcept;
    errc radiate_slowly_locked (std::uint32_t generation,
                                base::message *body,
                                base::bytes_view group,
                                base::bytes_view bytes,
                                unsigned flags) noexcept;

    // --- last values (socket_values.cpp) ---
    void settle_values_locked (const settings &wish);
    static void keep_value_locked (base::bytes_view) noexcept {}  // one part has no topic apart
    void keep_value_locked (std::span<const base::message> parts) noexcept
    {
        if (topics_->values != nullptr) [[unlikely]]
            keep_last_locked (parts);
    }
    void keep_last_locked (std::span<const base::message> parts) noexcept;
    void forget_value_locked (std::span<const base::message> parts) noexcept;
    [[nodiscard]] bool is_asked_by_locked (const pipe &who, base::bytes_view beginning) const noexcept;
    [[nodiscard]] last_values::list
    values_due_locked (pipe &who, base::bytes_view topic, const base::bytes_view *pattern = nullptr) noexcept;
    bool has_room_for_value_locked (pipe &who) noexcept;
    void send_values_locked (pipe &who, const last_values::list &due) noexcept;

    // --- subscribers without room (socket_backlog.cpp) ---
    void pass_over_locked (pipe &who, std::span<base::message> message) noexcept;
    void pass_over_locked (pipe &who, base::bytes_view message) noexcept;
    void keep_behind_locked (pipe &who, std::span<base::message> message) noexcept;
    void keep_one_locked (pipe &who, std::span<base::message> parts) noexcept;
    void give_up_locked (pipe &who, drop_reason why) noexcept;
    void miss_locked (pipe &who, drop_reason why) noexcept;
    bool say_missed_locked (pipe &who, std::uint64_t messages) noexcept;
    bool settle_missed_locked (pipe &who) noexcept;
    [[nodiscard]] static bool wants_gaps_of (const wire::session &peer) noexcept;
    void take_back_locked (connection &which) noexcept;
    bool hold_locked (pipe &who) noexcept;
    void let_through_locked (pipe &who) noexcept;
    [[nodiscard]] bool backlog_over_locked (const pipe &who) const noexcept;
    void trim_backlog_locked (pipe &who) noexcept;
    void end_slow_locked (pipe &who) noexcept;
    void catch_up_locked (connection &which) noexcept;
    void catch_up_locked (inproc_end &which) noexcept;
    void catch_up_locked (pipe &which) noexcept;
    bool pass_on_front_locked (inproc_end &which) noexcept;
    void leave_backlog_locked (inproc_end &which) noexcept;
    void keep_backlog_locked (connection &which) noexcept;
    std::uint64_t drop_backlog_locked (connection &which) noexcept;

    void note_news_locked (lane &of) noexcept;
    static constexpr std::size_t news_at_once = 16;
    std::size_t take_news_locked (std::span<lane *> to) noexcept;
    void unlock_and_tell () noexcept;

    // --- an audience within the process (socket_audience.cpp) ---
    void look_at_lanes_locked () noexcept
    {
        const auto &chosen = topics_->chosen;
        if (topics_->all_have_room && !chosen.empty () && chosen.front ()->kind == pipe_kind::inproc)
            find_lanes_locked ();
    }
    void find_lanes_locked () noexcept;
    // They are not known any more.
    void leave_lanes_locked () noexcept
    {
        topics_->lanes_room = 0;
        if ((todo_ & todo_audience) != 0) [[unlikely]]
            note_audience_locked ();
    }
    void note_audience_locked () noexcept;
    void forget_lanes_locked () noexcept;  // the same, of any type
    [[nodiscard]] bool knows_lanes_locked () const noexcept
    {
        return topics_ != nullptr && topics_->lanes_room > 0;
    }
    [[gnu::noinline]] bool publish_to_lanes_locked (std::uint32_t generation,
                                                    const base::joined_part &what,
                                                    std::size_t bytes) noexcept;
    // False: the lock is still held, and there is something else to do, too.
    bool unlock_and_tell_audience (std::uint32_t &todo) noexcept;

    // --- readiness (socket_readiness.cpp) ---
    time_ns next_look_locked (awaited what) noexcept;
    [[nodiscard]] unsigned peers_locked (awaited what, std::uint64_t mark) noexcept;
    [[nodiscard]] unsigned listeners_locked (std::uint64_t mark) noexcept;
    void ask_again_locked () noexcept;
    void note_heard_locked (connection &which, base::bytes_view context) noexcept;
    void look_behind_locked (connection &which) noexcept;
    void peers_changed_locked () noexcept;
    void count_subscriber_locked (const pipe &which, std::int64_t topics_before) noexcept;

    // --- claims (socket_claims.cpp) ---
    void flush_locked (connection &which, unsigned rounds, urgency when = urgency::at_once) noexcept;
    enum class wrote : std::uint8_t
    {
        all,
        some,  // and the kernel may take more
        full,
        failed,
    };
    wrote write_once_locked (connection &which, std::size_t &budget) noexcept;
    bool arm_locked (connection &which) noexcept;
    void settle_budget_locked (connection &which) noexcept;
    void release_tx_locked (connection &which, urgency when) noexcept;
    void return_credit_locked (connection &which, urgency when) noexcept;
    void encode_pending_locked (connection &which) noexcept;
    void encode_waiting_locked (connection &which) noexcept;
    [[nodiscard]] std::size_t read_bytes_max_locked () const noexcept;
    bool fill_locked (connection &which) noexcept;
    struct read_outcome
    {
        result<std::size_t> last{std::size_t{0}};  // of the system calls
        std::size_t bytes = 0;
        unsigned calls = 0;
        bool filled = false;  // there may be more
    };
    static bool
    read_once (connection &which, std::span<const base::bytes_span> slices, read_outcome &got) noexcept;
    void note_size_locked (bool lands, std::size_t bytes) noexcept;
    void read_landing (connection &which,
                       std::span<base::bytes_span> slices,
                       read_outcome &got,
                       unsigned looks_left) noexcept;
    bool commit_read_locked (connection &which, const read_outcome &got) noexcept;
    void release_rx_locked (connection &which) noexcept;
    void commit_written_locked (connection &which, std::size_t bytes) noexcept;

    // --- receiving (socket_receive.cpp) ---
    [[nodiscard]] pipe *front_pipe_locked () noexcept;
    bool connection_front_locked (connection &which) noexcept;
    bool read_on_locked (connection &which) noexcept;
    bool inproc_front_locked (inproc_end &which) noexcept;
    bool has_one_part_locked (pipe &from) noexcept;
    // A message of several parts, to a type that takes one, goes nowhere.
    [[nodiscard]] bool refuses_locked (bool more) const noexcept { return more && traits_.single_part; }
    void skip_to_latest_locked (pipe &which) noexcept;
    void leave_latest_locked (connection &which) noexcept;
    result<pipe *>
    obtain_front_locked (std::uint32_t generation, unsigned flags, base::bytes_span landing) noexcept;
    errc await_topics_locked (std::uint32_t generation, unsigned flags, time_ns &deadline) noexcept;
    errc await_front_locked (std::uint32_t generation, unsigned flags, time_ns &deadline) noexcept;
    [[nodiscard]] bool readable_locked () noexcept;
    void list_locked (pipe &which) noexcept;
    void unlist_locked (pipe &which) noexcept;
    // The connection whose turn it is, with a small message at its front, if
    // nothing is special.
    connection *receive_source_locked (std::uint32_t generation) noexcept
    {
        ++receive_calls_;
        if (generation != generation_ || !plain_receive_ || !front_is_next_locked ()) [[unlikely]]
            return nullptr;
        pipe &next = *ready_[ready_next_];
        if (next.kind != pipe_kind::stream) [[unlikely]]
            return nullptr;
        auto &wire = static_cast<connection &> (next);
        return wire.in.peek_slab_part () ? &wire : nullptr;
    }
    [[nodiscard]] bool front_is_next_locked () const noexcept
    {
        return inside_ == nullptr && ready_next_ < ready_.size ()
               && (since_harvest_ < harvest_interval_messages || connections_.size () <= 1);
    }
    // Is it the turn of a lane, or does a subscriber look at topics, and is
    // nothing else special?
    [[nodiscard]] bool next_is_beside_locked () const noexcept
    {
        return plain_beside_ && ready_next_ < ready_.size ()
               && (looks_at_topics_ || ready_[ready_next_]->kind != pipe_kind::stream);
    }
    // What begins like this is for the application, as far as topics say.
    [[nodiscard]] bool passes_plainly_locked (base::bytes_view beginning) noexcept
    {
        return !looks_at_topics_ || passes_by_topic_locked (beginning);
    }
    [[nodiscard]] bool passes_by_topic_locked (base::bytes_view beginning) noexcept
    {
        return topics_->passes_for.holds (topics_->wanted.changes (), beginning)
               || passes_anew_locked (beginning);
    }
    [[nodiscard]] bool passes_anew_locked (base::bytes_view beginning) noexcept;
    pipe *source_beside_locked (std::uint32_t generation) noexcept;
    [[gnu::noinline]] pipe *wanted_next_locked (std::uint32_t generation) noexcept;
    [[nodiscard]] static base::bytes_view front_locked (pipe &of) noexcept
    {
        return of.kind == pipe_kind::stream ? static_cast<connection &> (of).in.front ().bytes
                                            : static_cast<inproc_end &> (of).in->front ().bytes;
    }
    void received_locked (pipe &from, std::size_t bytes, bool more) noexcept
    {
        from.passed.bytes_received += bytes;
        receive_more_ = more;
        inside_ = more ? &from : nullptr;
        if (more) [[unlikely]]
            return;
        ++from.passed.messages_received;
        ++since_harvest_;
        if (ready_.size () > 1 && ++ready_next_ >= ready_.size ())
            ready_next_ = 0;
    }
    bool take_part_locked (pipe &from, base::message &to) noexcept
    {
        return marks_ ? take_marked_part_locked (from, to) : take_unmarked_part_locked (from, to);
    }
    bool take_marked_part_locked (pipe &from, base::message &to) noexcept;
    bool take_unmarked_part_locked (pipe &from, base::message &to) noexcept;
    std::size_t
    copy_from_lane_locked (lane &from, const lane_front &part, base::bytes_span to, bool &more) noexcept;
    std::size_t copy_part_locked (pipe &from, base::bytes_span to, bool &more) noexcept;
    [[nodiscard]] static std::size_t count_parts_locked (pipe &from) noexcept;
    void command_locked (connection &which, base::bytes_view body) noexcept;
    void say_locked (connection &which, const wire::command &what) noexcept;
    void say_ping_locked (connection &which, base::time_ns now) noexcept;
    void answer_ping_locked (connection &which, const wire::command &ping) noexcept;
    void note_round_trip_locked (connection &which, base::bytes_view context) noexcept;
    [[nodiscard]] std::uint64_t messages_taken_locked () const noexcept
    {
        return taken_before_harvest_ + since_harvest_;
    }
    // As receive_source_locked, of a ROUTER: whose name, or whose only part
    // behind it, goes out next.
    connection *label_source_locked (std::uint32_t generation) noexcept
    {
        if (!plain_label_ || generation != generation_ || label_due_) [[unlikely]]
            return nullptr;
        pipe *next = inside_;
        if (next == nullptr) {
            if (!talk_.notices.empty () || ready_next_ >= ready_.size ()
                || (since_harvest_ >= harvest_interval_messages && connections_.size () > 1)) [[unlikely]]
                return nullptr;
            next = ready_[ready_next_];
        }
        if (next->kind != pipe_kind::stream) [[unlikely]]
            return nullptr;
        auto &wire = static_cast<connection &> (*next);
        const bool seen = inside_ != nullptr && wire.in.remembers_slab_part ();
        return seen || wire.in.peek_slab_part () ? &wire : nullptr;
    }
    // Before a receive leaves: whoever else waits must not sleep over messages,
    // and the reactor must know of kernel data that nobody may fetch.
    void leave_receive_locked () noexcept
    {
        if (!ready_.empty () && (receivers_.waiting > 0 || handle_set_ != nullptr || !lease_pending_))
          [[unlikely]]
            leave_more_locked ();
    }
    void leave_more_locked () noexcept;
    void keep_rest_locked (pipe &from) noexcept;
    bool move_rest_locked (pipe &from, connection &to) noexcept;
    void drop_rest_locked () noexcept;
    void drop_message_locked (pipe &from, drop_reason why) noexcept;
    void let_writer_go_on_locked (lane *in) noexcept;
    result<pipe *> begin_receive (std::uint32_t generation, unsigned flags) noexcept;
    result<pipe *>
    begin_receive_locked (std::uint32_t generation, unsigned flags, base::bytes_span landing = {}) noexcept;
    template <class Take>
    io_count receive_batch (std::uint32_t generation, std::size_t count, unsigned flags, Take take) noexcept;
    // Where the next parts go that are copied, and what became of them.
    struct placing
    {
        base::bytes_span room{};
        std::span<base::bytes_view> parts{};
        std::span<bool> goes_on{};
        std::size_t bytes = 0;   // of the first one
        std::size_t beside = 0;  // how many behind it
    };
    errc place_from_lane_locked (inproc_end &from, base::placed_parts &to, placing &at) noexcept;
    [[nodiscard]] static errc hold_memory (const lane &of, base::placed_parts &to);
    [[gnu::noinline]] std::size_t
    place_more_locked (inproc_end &from, const void *row, bool small, const placing &at) noexcept;
    errc place_copy_locked (pipe &from, placing &at) noexcept;
    [[gnu::noinline]] std::size_t
    pack_more_locked (connection &from, base::bytes_span &room, std::span<std::uint32_t> sizes) noexcept;
    static lane *credit_due (pipe *from) noexcept;
    static void after_receive (lane *in) noexcept;

    // --- connections (socket_handshake.cpp) ---
    void reserve_deadlines_locked ();
    [[nodiscard]] connection *new_connection_locked () noexcept;
    [[nodiscard]] connection *find_locked (std::uint64_t which) noexcept;
    [[nodiscard]] std::uint64_t tag_of (const connection &which) const noexcept;
    [[nodiscard]] std::uint64_t tag_of (const endpoint &which) const noexcept;
    [[nodiscard]] std::uint64_t tag_of_inner () const noexcept;
    void start_handshake_locked (connection &which) noexcept;
    void run_handshake_locked (connection &which) noexcept;
    void advance_handshake_locked (connection &which);
    bool write_session_locked (connection &which);
    bool read_session_locked (connection &which);
    void end_session_locked (connection &which);
    bool watch_locked (connection &which, std::uint32_t interest) noexcept;
    void await_handshake_locked (connection &which) noexcept;
    void become_ready_locked (connection &which) noexcept;
    void open_traffic_locked (connection &which) noexcept;
    bool refuse_peer_locked (connection &which) noexcept;
    void lose_locked (connection &which, base::close_reason reason, int os_error) noexcept;
    void unhook_locked (connection &which) noexcept;
    void note_gone_locked () noexcept;
    void keep_queue_locked (connection &which) noexcept;
    void drop_queue_locked (connection &which) noexcept;
    void drain_locked (connection &which, bool tell = true) noexcept;
    enum class discarded : std::uint8_t
    {
        gone,            // the connection
        output_pending,  // the peer has not taken all of ours, or more is to be read
        all_taken,
    };
    discarded discard_locked (connection &which) noexcept;
    void advance_drain_locked (connection &which) noexcept;
    void part_locked (endpoint &by, connection &which) noexcept;
    [[nodiscard]] bool outlives_stream_locked (const connection &which) const noexcept;
    static void forget_facts_locked (connection &which) noexcept;
    bool keep_unread_locked (connection &which) noexcept;
    bool ends_unread_locked (connection &which) noexcept;
    void settle_queue_locked (connection &which) noexcept;
    void drop_unread_locked (connection &which) noexcept;
    void erase_locked (connection &which) noexcept;

    // --- counters (socket_counters.cpp) ---
    void drop_locked (connection &which, drop_reason why, std::uint64_t messages) noexcept;
    void drop_locked (inproc_end &which, drop_reason why, std::uint64_t messages) noexcept;
    void fold_locked (const connection &gone) noexcept;
    void fold_locked (const inproc_end &gone) noexcept;
    [[nodiscard]] gauges gauges_of (const connection &which) const noexcept;
    [[nodiscard]] gauges gauges_of (const inproc_end &which) const noexcept;
    [[nodiscard]] std::uint64_t age_ns (std::uint64_t ticks) const noexcept;
    [[nodiscard]] tally total_locked () const noexcept;
    void add_rows_locked (std::vector<count_row> &rows) const;
    void add_inproc_rows_locked (std::vector<count_row> &rows) const;

    // --- endpoints (socket_endpoints.cpp) ---
    result<void> ensure_reactor_locked () noexcept;
    result<void> bind_kernel_locked (base::transport &by, std::string_view text, std::string_view address);
    result<void> connect_kernel_locked (base::transport &by,
                                        std::string_view text,
                                        std::string_view address,
                                        const crypto::tls_ref<stream_layering> &layers);
    // --- datagrams (socket_datagrams.cpp) ---
    [[nodiscard]] errc may_meet_locked (const base::transport &by, bool binds) const noexcept;
    [[nodiscard]] static result<std::unique_ptr<base::stream>>
    stream_of (result<std::unique_ptr<base::datagram_port>> port,
               datagram_rule rule,
               std::int64_t largest_body) noexcept;
    [[nodiscard]] static result<std::unique_ptr<base::stream>> open_datagrams (
      base::transport &by, const base::address &to, const base::stream_options &options) noexcept;
    result<void> bind_datagrams_locked (base::transport &by, std::string_view text, std::string_view address);
    void open_bound_locked (endpoint &at) noexcept;
    [[nodiscard]] connection *new_port_locked () noexcept;
    void count_datagrams_locked (connection &which, const datagrams_dropped &lost) noexcept;
    void count_unsent_locked (connection &which) noexcept;
    void count_unread_locked (connection &which) noexcept;
    // RADIO: whoever hears it is not known here.
    void send_all_to_locked (connection &which) noexcept
    {
        topics_->for_all.push_back (&which);  // reserved when the pipe was made
        topics_->chosen_for.forget ();
    }
    void stop_sending_to_locked (connection &which) noexcept
    {
        std::erase (topics_->for_all, &which);
        topics_->chosen_for.forget ();
    }
    // DGRAM: address and body.
    [[nodiscard]] bool takes_two_parts () const noexcept { return traits_.datagrams == datagram_rule::raw; }
    [[nodiscard]] bool sends_no_batches () const noexcept
    {
        return speaks_to_somebody () || takes_two_parts ();
    }
    [[nodiscard]] errc may_send_parts_locked (std::uint32_t generation, std::size_t count) const noexcept
    {
        const errc bad = check_locked (generation);
        return bad == errc::ok && takes_two_parts () && count != 2 ? errc::invalid_argument : bad;
    }
    [[nodiscard]] bool refuses_as_second_locked (bool more) const noexcept
    {
        return takes_two_parts () && more != staged_.empty ();
    }

    [[nodiscard]] endpoint *find_endpoint_locked (std::string_view text, bool dialer) noexcept;
    [[nodiscard]] endpoint *endpoint_of_locked (std::uint64_t id) noexcept;
    void dial_locked (endpoint &to) noexcept;
    void resolve_locked (endpoint &to) noexcept;
    void resolved_locked (endpoint &to, base::resolve_result found) noexcept;
    time_ns connect_limit_locked (const endpoint &to) noexcept;
    void dial_next_locked (endpoint &to) noexcept;
    void dial_failed_locked (endpoint &to, base::close_reason reason, int os_error) noexcept;
    void retry_locked (endpoint &to) noexcept;
    void connected_locked (connection &which) noexcept;
    void stream_connected_locked (connection &which);
    void meet_proxy_locked (connection &which, const base::address &to);
    void talk_to_proxy_locked (connection &which) noexcept;
    bool proxy_step_locked (connection &which, base::close_reason &why, base::error &failure) noexcept;
    void attempt_failed_locked (connection &which, base::close_reason why, base::error failure) noexcept;
    [[nodiscard]] bool gives_up_locked (const endpoint &to) const noexcept;
    void abandon_locked (endpoint &to) noexcept;
    void accept_locked (endpoint &from) noexcept;
    void not_accepting_locked (endpoint &from, base::error failure) noexcept;
    void tell_refusal_locked (const endpoint &from, base::error failure) noexcept;
    [[nodiscard]] connection *admit_locked (endpoint &from) noexcept;
    void
    turn_away_locked (endpoint &from, base::close_reason why, errc failure, std::string_view remote) noexcept;
    void pause_accept_locked (endpoint &from) noexcept;
    void resume_accept_locked (endpoint &from) noexcept;
    void remove_endpoint_locked (endpoint &gone) noexcept;

    // --- streams around the system's (socket_layers.cpp) ---
    // False: its endpoint is gone. Throws bad_alloc.
    [[nodiscard]] bool begin_opening_locked (connection &which);
    // Its stream has a handshake of its own, which is not over.
    [[nodiscard]] bool is_opening_locked (const connection &which) const noexcept;
    void settle_stream_locked (connection &which) noexcept;
    [[nodiscard]] bool start_opened_locked (connection &which) noexcept;
    result<void> prepare_layers_locked (const base::transport &by,
                                        bool listens,
                                        std::string_view text,
                                        std::string_view address,
                                        crypto::tls_ref<stream_layering> &made);
    static void refresh_layers (const crypto::tls_ref<stream_layering> &layers,
                                base::world &around,
                                const std::string &place) noexcept;
    void wrap_stream_locked (connection &which, const endpoint &by, const base::stream_layers &around);
    bool open_stream_locked (connection &which) noexcept;
    [[nodiscard]] std::uint32_t opening_interest_locked (const connection &which) const noexcept;
    [[nodiscard]] static base::close_reason why_unreadable (const base::stream &from, errc failure) noexcept;
    void commit_shaped_read_locked (connection &which, bool news) noexcept;
    void commit_shaped_write_locked (connection &which) noexcept;

    // --- who is let in, and how its traffic is sealed (socket_secured.cpp) ---
    [[nodiscard]] errc
    may_serve_locked (std::uint32_t generation, const base::transport &by, std::string_view text) noexcept;
    void forget_list_locked () noexcept;
    [[nodiscard]] bool is_guarded_locked (bool has_handler) const noexcept;
    [[nodiscard]] bool has_key_list_locked (const wire::security &by) const noexcept;
    [[nodiscard]] const std::shared_ptr<const policy> &
    policy_locked (const wire::security &by) const noexcept;
    result<void> take_passwords (std::uint32_t generation, std::string_view list) noexcept;
    result<void> keep_policy (std::uint32_t generation,
                              std::shared_ptr<const policy> own_policies::*place,
                              std::shared_ptr<const policy> whom) noexcept;
    bool judge_locked (connection &which);
    bool look_up_locked (connection &which);
    template <class Ask> bool ask_locked (connection &which, Ask ask);
    bool refer_locked (connection &which, std::shared_ptr<const policy> whom);
    bool pronounce_locked (connection &which, std::unique_ptr<wire::zap_reply> said);
    bool ask_about_locked (connection &which);
    bool go_unasked_locked (connection &which, errc why);
    bool heed_verdict_locked (connection &which);
    bool seal_stream_locked (connection &which);
    void forget_verdict_locked (connection &which) noexcept;

    // --- those who have left (socket_leavers.cpp) ---
    struct leavers
    {
        std::size_t count = 0;
        std::size_t streams = 0;
        std::size_t bytes = 0;
        std::size_t let_go = 0;  // streams, just now
    };
    leavers look_at_leavers_locked (std::size_t streams_kept) noexcept;
    void see_to_leaver_locked (connection &which, std::size_t streams_kept, leavers &sum) noexcept;
    void let_stream_go_locked (connection &which) noexcept;
    [[nodiscard]] bool make_way_locked (endpoint &from) noexcept;
    [[nodiscard]] bool find_descriptors_locked (endpoint &from) noexcept;
    [[nodiscard]] bool end_oldest_handshakes_locked () noexcept;

    // --- inproc (socket_inproc.cpp) ---
    [[nodiscard]] errc may_link_locked (std::uint32_t generation) const noexcept;
    result<void> bind_inproc (std::uint32_t generation, std::string_view text, const std::string &name);
    result<void>
    note_bound_name (std::uint32_t generation, std::string_view text, const std::string &name) noexcept;
    std::uint64_t open_end_locked (lane *out, lane *in, std::string_view text) noexcept;
    result<void> meet_binder (context &owner,
                              std::uint32_t generation,
                              const std::string &name,
                              std::uint64_t id) noexcept;
    result<void> connect_inproc (std::uint32_t generation,
                                 std::string_view text,
                                 const std::string &name,
                                 std::uint32_t &number);
    [[nodiscard]] errc may_connect_peer_locked (std::uint32_t generation) const noexcept;
    result<void> connect_by (std::uint32_t generation, std::string_view text, std::uint32_t &number);
    result<void> unbind_inproc (std::uint32_t generation, const std::string &name) noexcept;
    result<void> disconnect_inproc (std::uint32_t generation, std::string_view text) noexcept;
    result<endpoint_report>
    report_inproc (std::uint32_t generation, std::string_view text, std::string_view name) noexcept;
    inproc_end *new_end_locked (lane *out, lane *in, std::string_view text, const std::string *name) noexcept;
    errc read_marks (std::uint32_t generation, link_marks &to) noexcept;
    [[nodiscard]] bool connect_name_taken_locked () noexcept;
    errc join_end_locked (inproc_end &end, const link_marks &binder) noexcept;
    void drop_end (std::uint32_t generation, std::uint64_t id) noexcept;
    bool expect_end_locked () noexcept;
    // What the connecter brings to a link.
    struct link_offer
    {
        lane *out = nullptr;
        lane *in = nullptr;
        link_marks marks;
    };
    errc offer_end_locked (std::uint64_t id, const link_marks &binder, link_offer &offer) noexcept;
    [[nodiscard]] bool lives_locked (std::uint32_t generation) const noexcept
    {
        return generation == generation_ && phase_ == phase::open;
    }
    static errc join (socket_ref binder, socket_ref connecter, std::uint64_t id, bool &owes) noexcept;
    static void tell_of_meeting (const link_offer &offer, bool joined) noexcept;
    bool accept_end_locked (lane *out, lane *in, const link_marks &peer) noexcept;
    void remove_end_locked (inproc_end &which) noexcept;
    void close_end_locked (inproc_end &which, base::close_reason reason) noexcept;
    void lose_end_locked (inproc_end &which, base::close_reason reason) noexcept;
    void end_gone_locked (inproc_end &which) noexcept;
    void drop_unread_locked (inproc_end &from) noexcept;
    void inproc_readable_locked (inproc_end &which) noexcept;
    [[nodiscard]] bool newest_came_locked (inproc_end &which) noexcept;
    void inproc_writable_locked (inproc_end &which) noexcept;

    // --- telling (socket_telling.cpp) ---
    void tell_locked (event_record &what) noexcept;  // only while somebody listens
    void tell_endpoint_locked (event_kind kind, const endpoint &about, endpoint_news news = {}) noexcept;
    void tell_bind_failed_locked (std::string_view text, base::error failure) noexcept;
    void tell_budget_reached_locked () noexcept;
    void tell_context_ends_locked () noexcept;
    void tell_connection_locked (event_kind kind,
                                 const connection &about,
                                 base::close_reason reason = base::close_reason::none,
                                 int os_error = 0,
                                 std::uint64_t missed = 0) noexcept;
    void tell_end_locked (event_kind kind,
                          const inproc_end &about,
                          base::close_reason reason = base::close_reason::none,
                          std::uint64_t missed = 0) noexcept;
    [[nodiscard]] std::string end_text_locked (const inproc_end &of) const;  // throws bad_alloc
    void tell_loss_locked (const connection &which, base::close_reason reason, int os_error) noexcept;
    void warn_locked (const warning &what, std::string_view place, std::string_view peer = {}) noexcept;
    void warn_locked (const warning &what, const connection &about) noexcept;
    void warn_locked (const warning &what, const endpoint &about) noexcept;
    void warn_loss_locked (const connection &which, base::close_reason reason, int os_error) noexcept;
    void warn_drop_locked (const connection &which, drop_reason why, std::uint64_t messages) noexcept;
    void warn_answer_locked (const connection &about, base::close_reason why, base::error answer) noexcept;
    void tell_buried_locked (std::vector<event_record> &closed) noexcept;
    using sink_list = std::vector<std::shared_ptr<event_sink>>;
    void speak (std::uint32_t todo, std::shared_ptr<const sink_list> sinks) noexcept;
    // What is told when nothing of the socket is left.
    struct farewell
    {
        std::shared_ptr<const sink_list> sinks;
        std::vector<event_record> closed;
        std::uint64_t told = 0;
        void say (context &owner) noexcept;
    };
    void close_listener_locked (endpoint &which) noexcept;
    [[nodiscard]] base::close_reason leave_reason_locked () const noexcept;

    // --- turns (socket_turns.cpp) ---
    void serve_endpoints_locked () noexcept;
    void serve_due_locked (time_ns now) noexcept;
    void attend_to_locked (connection &which) noexcept;
    void dismiss_locked (connection &which) noexcept;
    void serve_attention_locked () noexcept;
    void end_half_dead_locked () noexcept;
    void serve_heartbeat_locked (connection &which, time_ns now) noexcept;
    void end_of_patience_locked (connection &which, time_ns now) noexcept;
    void serve_closing_locked (time_ns now) noexcept;
    void serve_lease_locked (time_ns now) noexcept;
    void lease_fired_locked () noexcept;
    void start_lease_locked () noexcept;
    void arm_lease_locked () noexcept;
    void read_for_owner_locked () noexcept;
    bool read_some_locked (connection &which) noexcept;
    bool read_step_locked (connection &which) noexcept;
    bool decline_locked (const connection &which) noexcept;
    void drop_unwanted_locked (connection &which) noexcept;
    [[nodiscard]] bool attended_locked () const noexcept;
    void plan_next_turn_locked () noexcept;
    void connection_event_locked (connection &which, std::uint32_t ready) noexcept;
    void arrivals_locked (connection &which, std::uint32_t ready) noexcept;

    // --- state; all under lock_ unless said ---

    alignas (64) base::exchange_lock lock_;  // on a line that no other socket writes
    std::uint32_t generation_ = 0;
    std::uint32_t todo_ = 0;
    phase phase_ = phase::unused;
    bool stopped_ = false;
    bool plain_send_ = false;       // open, not stopped, nothing that changes how messages go
    bool plain_receive_ = false;    // or how they come
    bool looks_at_topics_ = false;  // what arrives is looked at before anybody gets it
    bool looks_at_fronts_ = false;  // or for how many parts it has
    bool plain_beside_ = false;     // if it is, only for how it begins
    bool marks_ = false;            // what is taken out of a pipe is marked with its number, or its group
    bool receive_more_ = false;
    bool plain_label_ = false;  // as plain_receive_, of a ROUTER
    bool label_due_ = false;    // ROUTER: the name of inside_ goes out before the next part
    bool dirty_ = false;
    bool sender_wake_owed_ = false;  // the next dirty turn wakes a sender if there is credit

    // Send side.
    std::vector<pipe *> balance_;  // pipes with credit first
    std::size_t balance_active_ = 0;
    std::size_t balance_next_ = 0;
    burst_rule burst_;
    std::size_t unwritten_connections_ = 0;  // connections with output nobody was told to write
    std::vector<connection *> tails_;
    bool full_arenas_ = false;  // of tails of a publisher's, perhaps

    // Receive side.
    std::vector<pipe *> ready_;  // a ring: ready_next_ is whose turn it is
    std::size_t ready_next_ = 0;
    base::bytes_span landing_{};  // the caller's buffer, for the next read of this lock hold: see in_buffer
    pipe *inside_ = nullptr;      // the pipe of a message half taken
    std::unique_ptr<connection> rest_;  // holds what is left of it when its own pipe is gone
    std::uint64_t since_harvest_ = 0;   // messages taken
    std::uint64_t taken_before_harvest_ = 0;
    std::uint64_t at_last_wait_ = 0;  // messages taken by then
    std::uint64_t wrote_at_last_wait_ = 0;
    bool answers_ = false;         // who waited last had sent something since it waited before
    std::size_t large_bytes_ = 0;  // of the last large read or message inside; 0: it was long ago
    unsigned small_reads_ = 0;     // since

    settings wish_;
    pattern_traits traits_;
    base::atomic<bool> routes_{false};  // traits_.sends == address: a hint, read without the lock
    tally gone_;                        // of connections that are no more
    std::uint64_t read_calls_ = 0;
    std::uint64_t poll_calls_ = 0;
    std::uint64_t wakes_ = 0;
    std::uint64_t events_lost_ = 0;
    std::uint64_t budget_holds_ = 0;
    std::uint64_t round_trip_ns_ = 0;  // of the last PING that was answered

    wait_word receivers_;
    wait_word senders_;
    base::atomic<std::uint32_t> leader_phase_{leader_awake};
    bool has_leader_ = false;
    patient_spin spin_;
    base::atomic<time_ns> yields_again_{0};  // on one core: not before
    pace pace_;                              // of what is waited for by sleeping
    base::adaptive_spin rise_;               // whether getting up for it has helped lately
    rise_cost rise_takes_;
    unsigned users_ = 0;  // threads that dropped the lock and will be back

    std::vector<base::message> staged_;  // parts sent with the more flag so far
    base::atomic<bool> staging_{
      false};  // staged_ is not empty, or converses; read without the lock as a hint
    conversation talk_;
    std::unique_ptr<publishing> topics_;  // PUB, XPUB, SUB, XSUB
    std::unique_ptr<connection>
      interruptions_;  // DEALER, CLIENT: where they are read; no connection; null before the first
                       // SERVER, PEER: where those who have gone are told of
    std::size_t interruptions_due_ = 0;
    std::vector<lane *> news_;       // whose readers are to be told by unlock
    std::uint64_t news_taken_ = 1;   // how often they were taken
    bool news_left_ = false;         // and not all of them the last time
    bool sending_no_wait_ = false;   // of the send that holds the lock now
    base::adaptive_spin room_wait_;  // whether waiting for room has helped lately

    std::shared_ptr<context> owner_;
    byte_budget *budget_ = nullptr;  // the context's; null: none
    base::atomic<bool> held_back_{false};
    bool read_declined_ = false;  // by the budget
    reactor *reactor_ = nullptr;
    std::unique_ptr<base::poller> inner_;
    std::unique_ptr<base::poller> handle_set_;  // behind the descriptor of ZMQ_FD
    bool handle_raised_ = false;
    bool handle_stays_true_ = false;  // it was not drained at the last look
    bool told_readable_ = false;      // at that look
    std::vector<std::shared_ptr<base::watcher>> watchers_;
    bool watchers_wait_ = false;              // one has asked since they were last woken
    std::shared_ptr<const sink_list> sinks_;  // null: nobody listens
    std::uint64_t events_told_ = 0;
    std::vector<event_record> told_when_buried_;         // of doomed_listeners_
    std::vector<std::unique_ptr<base::stream>> doomed_;  // to close after the unlock
    std::vector<std::unique_ptr<base::listener>> doomed_listeners_;
    std::unique_ptr<verdict_source> doomed_judges_;
    std::unique_ptr<const wire::key_list> allowed_keys_;  // null: there is no list
    own_policies policies_;

    std::vector<std::unique_ptr<connection>> connections_;  // by index, holes are null
    std::vector<std::uint32_t> free_indices_;               // every hole, once
    std::vector<connection *> attention_;                   // every turn looks at them: they drain
    std::vector<std::unique_ptr<connection>> graveyard_;    // until no thread may still look at them
    std::uint32_t next_generation_ = 1;
    std::uint64_t last_connection_id_ = 0;
    std::list<endpoint> endpoints_;
    deadline_heap deadlines_;         // of connections and endpoints
    bool endpoints_changed_ = false;  // one was removed, or has its answer: the next turn sees to them
    bool any_ended_ = false;          // an endpoint has been given up
    bool unguarded_said_ = false;     // that there is nobody to ask about peers
    unsigned admissions_ = 0;         // since the last look at those who have left
    std::uint64_t next_endpoint_ = 1;
    std::list<inproc_end> ends_;
    std::list<inproc_end> expected_ends_;                  // memory for those that are on their way
    std::vector<std::pair<lane *, lane *>> closed_links_;  // out and in of ends we closed
    std::vector<bound_name> bound_names_;
    unsigned peers_ = 0;
    std::string last_endpoint_;
    std::unique_ptr<buffer_pool> own_arenas_;
    std::unique_ptr<buffer_pool> own_slabs_;

    // Lease.
    bool lease_armed_ = false;    // the reactor's set watches the inner set
    bool lease_pending_ = false;  // a timer runs
    time_ns lease_at_ = base::never_ns;
    time_ns lease_interval_ = lease_first_ns;
    time_ns lease_idle_since_ = 0;
    std::uint64_t lease_seen_calls_ = 0;
    std::uint64_t lease_seen_reads_ = 0;
    std::uint64_t receive_calls_ = 0;

    time_ns linger_until_ = base::never_ns;

    wait_word peer_changes_;  // wait_peers sleeps here

    std::uint16_t slot_ = 0;  // constant
};

}  // namespace zlink::engine
