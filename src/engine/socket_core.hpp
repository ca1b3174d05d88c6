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
// socket_handshake, socket_turns, socket_inproc, socket_events.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/io_count.hpp"
#include "base/lock.hpp"
#include "base/message.hpp"
#include "base/world.hpp"
#include "engine/burst.hpp"
#include "engine/connection.hpp"
#include "engine/context.hpp"
#include "engine/counters.hpp"
#include "engine/lane.hpp"
#include "engine/limits.hpp"
#include "engine/settings.hpp"
#include "engine/spin.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

using base::errc;
using base::io_count;
using base::result;
using base::time_ns;

// One end of an inproc link, as a pipe of its socket.
struct inproc_end : pipe
{
    inproc_end () noexcept : pipe (pipe_kind::inproc) {}

    lane *out = nullptr;
    lane *in = nullptr;
    std::uint64_t id = 0;   // of the connect that made it; 0 at the binder's end
    std::string text;       // the endpoint, as the caller wrote it; empty at the binder's end
    std::size_t place = 0;  // at the binder's end: a hash of the endpoint
    bool joined = false;    // there is somebody at the other end
};

// One socket's part of the marks of an inproc link.
struct link_marks
{
    std::int64_t send_hwm = 0;
    std::int64_t receive_hwm = 0;
    std::int64_t send_hwm_bytes = 0;
    std::int64_t receive_hwm_bytes = 0;
    std::size_t place = 0;  // a hash of the endpoint: the binder's end counts for it
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
                            std::size_t *needed) noexcept;
    io_count
    receive_many (std::uint32_t generation, std::span<base::message> messages, unsigned flags) noexcept;
    io_count receive_packed (std::uint32_t generation,
                             base::bytes_span buffer,
                             std::span<std::uint32_t> sizes,
                             unsigned flags) noexcept;

    // --- endpoints (socket_endpoints.cpp, socket_inproc.cpp) ---

    result<void> bind (std::uint32_t generation, std::string_view endpoint);
    result<void> connect (std::uint32_t generation, std::string_view endpoint);
    result<void> unbind (std::uint32_t generation, std::string_view endpoint) noexcept;
    result<void> disconnect (std::uint32_t generation, std::string_view endpoint) noexcept;
    result<endpoint_report> report (std::uint32_t generation, std::string_view endpoint) noexcept;
    result<void> wait_peers (std::uint32_t generation, unsigned count, time_ns timeout_ns) noexcept;

    // --- events (socket_events.cpp) ---

    // socket_events bits. acknowledge takes the descriptor's signal back: for
    // ZMQ_EVENTS; a poll leaves it to whoever waits for the descriptor.
    result<unsigned> events (std::uint32_t generation, bool acknowledge) noexcept;
    // The descriptor of ZMQ_FD, made on first use.
    result<base::io_handle> event_handle (std::uint32_t generation) noexcept;
    // For poll: events as above, and what to wait on if there are none.
    // Watchers are woken when events may have come.
    result<unsigned> watch (std::uint32_t generation,
                            const std::shared_ptr<base::poller> &watcher,
                            base::io_handle &kernel) noexcept;
    void unwatch (std::uint32_t generation, const std::shared_ptr<base::poller> &watcher) noexcept;

    result<socket_counters> counters (std::uint32_t generation) noexcept;

    // --- the reactor's calls (socket_turns.cpp), on its thread only ---

    void turn (time_ns now) noexcept;
    void dirty_turn (time_ns now) noexcept;
    void event (tag_kind kind, std::uint64_t which, std::uint32_t ready) noexcept;
    static void dispatch (const base::poll_event &event) noexcept;

    // --- for lanes: the other end's calls, no lock held ---

    static void signal_reader (lane &of) noexcept;
    static void signal_writer (lane &of) noexcept;

    // Valid under the lock, inside with().
    [[nodiscard]] const pattern_traits &traits () const noexcept { return traits_; }
    [[nodiscard]] const settings &wish () const noexcept { return wish_; }
    [[nodiscard]] bool receive_more () const noexcept { return receive_more_; }
    [[nodiscard]] const std::string &last_endpoint () const noexcept { return last_endpoint_; }
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
        todo_bury = 64,     // streams, listeners and connections to destroy
        todo_finish = 128,  // the last user is back
        todo_lanes = 256,   // the other ends of links must hear that ours are closed
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
    class holding
    {
      public:
        explicit holding (socket_core &of) noexcept : of_ (of) { of_.lock (); }
        ~holding () { of_.unlock (); }
        holding (const holding &) = delete;
        holding &operator= (const holding &) = delete;

      private:
        socket_core &of_;
    };

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
    void settle_plain_locked () noexcept
    {
        const bool plain = phase_ == phase::open && !stopped_ && !wish_.conflate;
        plain_send_ = plain && traits_.sends != send_rule::none;
        plain_receive_ = plain && traits_.receives != receive_rule::none;
    }
    [[nodiscard]] bool wake_needs_kernel (std::uint32_t todo) const noexcept;
    void perform (std::uint32_t todo) noexcept;
    using watcher_list = std::vector<std::shared_ptr<base::poller>>;
    void copy_or_wake_watchers_locked (watcher_list &copy) noexcept;
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
    void notify_watchers_locked () noexcept;
    void post_locked () noexcept;
    void join_dirty_locked () noexcept;
    void schedule_locked (time_ns when) noexcept;
    void doom_locked (std::unique_ptr<base::stream> gone) noexcept;
    void doom_locked (std::unique_ptr<base::listener> gone) noexcept;

    // --- waiting (socket_wait.cpp) ---
    errc wait_readable_locked (time_ns &deadline) noexcept;
    errc wait_writable_locked (time_ns &deadline) noexcept;
    errc wait_word_locked (wait_word &word, time_ns deadline, bool receiving) noexcept;
    enum class look : std::uint8_t
    {
        nothing,
        moved,
    };
    look spin_on_word (const wait_word &word, std::uint32_t sequence) noexcept;
    errc lead_locked (time_ns deadline) noexcept;
    struct leading;
    void lead_unlocked (leading &turn) noexcept;
    void spin_on_set (leading &turn) noexcept;
    bool may_spin_locked (int others_waiting) noexcept;
    bool inproc_room_locked () noexcept;
    bool ask_for_room_locked () noexcept;
    unsigned events_locked () noexcept;
    bool harvest_locked () noexcept;
    void take_events_locked (std::span<const base::poll_event> events) noexcept;
    [[nodiscard]] time_ns deadline_after (std::int64_t timeout_ms) noexcept;

    // --- pipes and balance (socket_send.cpp) ---
    void attach_locked (pipe &which) noexcept;
    void detach_locked (pipe &which) noexcept;
    void activate_locked (pipe &which) noexcept;
    void deactivate_locked (pipe &which) noexcept;
    [[nodiscard]] pipe *choose_locked () noexcept;
    bool pipe_available_locked (pipe &which) noexcept;
    bool refresh_locked (bool force, urgency when) noexcept;
    bool refresh_one_locked (connection &which, urgency when) noexcept;
    errc wait_for_credit_locked (std::uint32_t generation, unsigned flags, time_ns &deadline) noexcept;
    result<pipe *> obtain_pipe_locked (std::uint32_t generation, unsigned flags) noexcept;

    errc put_locked (pipe &to, base::bytes_view part) noexcept;
    errc put_locked (pipe &to, base::message &part) noexcept;
    errc put_parts_locked (pipe &to, std::span<base::message> parts) noexcept;
    errc put_parts_in_lane_locked (lane &out, std::span<base::message> parts) noexcept;
    errc
    put_parts_in_queue_locked (connection &to, std::span<base::message> parts, std::size_t bytes) noexcept;
    errc put_conflated_locked (pipe &to, base::message &part) noexcept;
    errc put_large_locked (connection &to, base::bytes_view part) noexcept;
    void write_large_locked (connection &to, bool was_empty) noexcept;
    bool wait_room_locked (connection &to) noexcept;
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
    // Appends a part that fits, and writes if it is time to.
    void append_locked (connection &to, base::bytes_view part) noexcept
    {
        const bool was_empty = to.out.empty ();
        to.out.append (part, false, false);
        to.credit.take (part.size ());
        after_append_locked (to, was_empty);
    }
    void after_append_locked (connection &to, bool was_empty) noexcept
    {
        const bool was_idle = unwritten_connections_ == 0;
        unwritten_connections_ += was_empty;
        if (to.tx_claimed || to.tx_armed) [[unlikely]]
            return;
        // What the thread may still write is looked up only where it decides.
        const bool write = !burst_.append_behind (was_idle) && decide_burst_locked (was_idle);
        if (write || to.out.arena_full ()) [[unlikely]]
            flush_appended_locked (to);
        else if (!to.in_tails) [[unlikely]]
            mark_tail_locked (to);
    }
    bool decide_burst_locked (bool was_idle) noexcept;
    void flush_appended_locked (connection &to) noexcept;
    void count_sent_locked (std::size_t bytes) noexcept
    {
        ++counters_.messages_sent;
        counters_.bytes_sent += bytes;
        if (balance_active_ > 1 && ++balance_next_ >= balance_active_)
            balance_next_ = 0;
        if (senders_.waiting > 0) [[unlikely]]
            pass_credit_on_locked ();
    }
    void pass_credit_on_locked () noexcept;
    void mark_tail_locked (connection &which) noexcept;
    static burst_thread &own_burst () noexcept;  // the calling thread's
    void flush_tails_locked () noexcept;
    static void flush_left_tails () noexcept;
    static lane *lane_of (pipe *to) noexcept;
    static void after_unlock (lane *out) noexcept;
    template <class Part> io_count send_one (std::uint32_t generation, Part &part, unsigned flags) noexcept;
    template <class Part>
    errc send_one_slowly_locked (std::uint32_t generation, Part &part, unsigned flags, lane *&out) noexcept;
    template <class Next>
    io_count send_batch (std::uint32_t generation, std::size_t count, unsigned flags, Next next) noexcept;
    errc stage_locked (base::message &part, bool more) noexcept;
    errc route_staged_locked (std::uint32_t generation, unsigned flags, pipe *&to) noexcept;
    io_count send_staged (std::uint32_t generation, base::message &part, unsigned flags) noexcept;

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
    void release_tx_locked (connection &which, urgency when) noexcept;
    void return_credit_locked (connection &which, urgency when) noexcept;
    void encode_pending_locked (connection &which) noexcept;
    [[nodiscard]] std::size_t read_bytes_max_locked () const noexcept;
    bool fill_locked (connection &which) noexcept;
    void release_rx_locked (connection &which) noexcept;
    void commit_written_locked (connection &which, std::size_t bytes) noexcept;

    // --- receiving (socket_receive.cpp) ---
    [[nodiscard]] pipe *front_pipe_locked () noexcept;
    bool connection_front_locked (connection &which) noexcept;
    bool read_on_locked (connection &which) noexcept;
    bool inproc_front_locked (inproc_end &which) noexcept;
    void skip_to_latest_locked (pipe &which) noexcept;
    result<pipe *>
    obtain_front_locked (std::uint32_t generation, unsigned flags, base::bytes_span landing) noexcept;
    [[nodiscard]] bool readable_locked () noexcept;
    void list_locked (pipe &which) noexcept;
    void unlist_locked (pipe &which) noexcept;
    // The connection whose turn it is, with a small message at its front, if
    // nothing is special.
    connection *receive_source_locked (std::uint32_t generation) noexcept
    {
        ++receive_calls_;
        if (generation != generation_ || !plain_receive_ || inside_ != nullptr
            || ready_next_ >= ready_.size ()
            || (since_harvest_ >= harvest_interval_messages && connections_.size () > 1)) [[unlikely]]
            return nullptr;
        pipe &next = *ready_[ready_next_];
        if (next.kind != pipe_kind::stream) [[unlikely]]
            return nullptr;
        auto &wire = static_cast<connection &> (next);
        return wire.in.peek_slab_part () ? &wire : nullptr;
    }
    void received_locked (pipe &from, std::size_t bytes, bool more) noexcept
    {
        counters_.bytes_received += bytes;
        receive_more_ = more;
        inside_ = more ? &from : nullptr;
        if (more) [[unlikely]]
            return;
        ++counters_.messages_received;
        ++since_harvest_;
        if (ready_.size () > 1 && ++ready_next_ >= ready_.size ())
            ready_next_ = 0;
    }
    bool take_part_locked (pipe &from, base::message &to) noexcept;
    std::size_t copy_part_locked (pipe &from, base::bytes_span to, bool &more) noexcept;
    [[nodiscard]] static std::size_t count_parts_locked (pipe &from) noexcept;
    [[nodiscard]] static std::size_t front_bytes_locked (pipe &from) noexcept;
    void command_locked (connection &which, base::bytes_view body) noexcept;
    void say_locked (connection &which, const wire::command &what) noexcept;
    void note_round_trip_locked (base::bytes_view context) noexcept;
    // Before a receive leaves: whoever else waits must not sleep over messages,
    // and the reactor must know of kernel data that nobody may fetch.
    void leave_receive_locked () noexcept
    {
        if (!ready_.empty () && (receivers_.waiting > 0 || handle_set_ != nullptr || !lease_pending_))
          [[unlikely]]
            leave_more_locked ();
    }
    void leave_more_locked () noexcept;
    result<pipe *> begin_receive (std::uint32_t generation, unsigned flags) noexcept;
    result<pipe *>
    begin_receive_locked (std::uint32_t generation, unsigned flags, base::bytes_span landing = {}) noexcept;
    template <class Take>
    io_count receive_batch (std::uint32_t generation, std::size_t count, unsigned flags, Take take) noexcept;
    static lane *credit_due (pipe *from) noexcept;
    static void after_receive (lane *in) noexcept;

    // --- connections (socket_handshake.cpp) ---
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
    bool watch_locked (connection &which, std::uint32_t interest) noexcept;
    void become_ready_locked (connection &which, base::bytes_view rest) noexcept;
    void open_traffic_locked (connection &which) noexcept;
    bool refuse_peer_locked (connection &which) noexcept;
    void lose_locked (connection &which, base::close_reason reason, int os_error) noexcept;
    void unhook_locked (connection &which) noexcept;
    void keep_queue_locked (connection &which) noexcept;
    void drop_queue_locked (connection &which) noexcept;
    void drain_locked (connection &which) noexcept;
    void advance_drain_locked (connection &which) noexcept;
    void erase_locked (connection &which) noexcept;

    // --- endpoints (socket_endpoints.cpp) ---
    result<void> ensure_reactor_locked () noexcept;
    result<void> bind_kernel_locked (base::transport &by, std::string_view text, std::string_view address);
    result<void> connect_kernel_locked (base::transport &by, std::string_view text, std::string_view address);
    [[nodiscard]] endpoint *find_endpoint_locked (std::string_view text, bool dialer) noexcept;
    [[nodiscard]] endpoint *endpoint_of_locked (std::uint64_t id) noexcept;
    void dial_locked (endpoint &to) noexcept;
    void resolve_locked (endpoint &to) noexcept;
    void resolved_locked (endpoint &to, base::resolve_result found) noexcept;
    void dial_next_locked (endpoint &to) noexcept;
    void dial_failed_locked (endpoint &to, base::close_reason reason, int os_error) noexcept;
    void retry_locked (endpoint &to) noexcept;
    void connected_locked (connection &which) noexcept;
    void accept_locked (endpoint &from) noexcept;
    void pause_accept_locked (endpoint &from) noexcept;
    void resume_accept_locked (endpoint &from) noexcept;
    void remove_endpoint_locked (endpoint &gone) noexcept;

    // --- inproc (socket_inproc.cpp) ---
    result<void> bind_inproc (std::uint32_t generation, std::string_view text, const std::string &name);
    result<void>
    note_bound_name (std::uint32_t generation, std::string_view text, const std::string &name) noexcept;
    std::uint64_t open_end_locked (lane *out, lane *in, std::string_view text) noexcept;
    result<void> meet_binder (context &owner,
                              std::uint32_t generation,
                              const std::string &name,
                              std::uint64_t id) noexcept;
    result<void> connect_inproc (std::uint32_t generation, std::string_view text, const std::string &name);
    result<void> unbind_inproc (std::uint32_t generation, const std::string &name) noexcept;
    result<void> disconnect_inproc (std::uint32_t generation, std::string_view text) noexcept;
    result<endpoint_report>
    report_inproc (std::uint32_t generation, std::string_view text, std::string_view name) noexcept;
    inproc_end *new_end_locked (lane *out, lane *in, std::string_view text) noexcept;
    static bool join (socket_ref binder, socket_ref connecter, std::uint64_t id) noexcept;
    bool accept_end_locked (lane *out, lane *in, const link_marks &peer) noexcept;
    void remove_end_locked (inproc_end &which) noexcept;
    void close_end_locked (inproc_end &which) noexcept;
    void end_gone_locked (inproc_end &which) noexcept;
    void inproc_readable_locked (inproc_end &which) noexcept;
    void inproc_writable_locked (inproc_end &which) noexcept;

    // --- turns (socket_turns.cpp) ---
    void serve_endpoints_locked (time_ns now) noexcept;
    void serve_connections_locked (time_ns now) noexcept;
    void serve_heartbeat_locked (connection &which, time_ns now) noexcept;
    void end_of_patience_locked (connection &which, time_ns now) noexcept;
    void serve_closing_locked (time_ns now) noexcept;
    void serve_lease_locked (time_ns now) noexcept;
    void lease_fired_locked () noexcept;
    void start_lease_locked () noexcept;
    void arm_lease_locked () noexcept;
    void read_for_owner_locked () noexcept;
    bool read_step_locked (connection &which) noexcept;
    [[nodiscard]] bool attended_locked () const noexcept;
    void plan_next_turn_locked () noexcept;
    void connection_event_locked (connection &which, std::uint32_t ready) noexcept;
    void arrivals_locked (connection &which, std::uint32_t ready) noexcept;

    // --- state; all under lock_ unless said ---

    base::exchange_lock lock_;
    std::uint32_t generation_ = 0;
    std::uint32_t todo_ = 0;
    phase phase_ = phase::unused;
    bool stopped_ = false;
    bool plain_send_ = false;     // open, not stopped, nothing that changes how messages go
    bool plain_receive_ = false;  // or how they come
    bool receive_more_ = false;
    bool dirty_ = false;
    bool sender_wake_owed_ = false;  // the next dirty turn wakes a sender if there is credit

    // Send side.
    std::vector<pipe *> balance_;  // pipes with credit first
    std::size_t balance_active_ = 0;
    std::size_t balance_next_ = 0;
    burst_rule burst_;
    std::size_t unwritten_connections_ = 0;  // connections with output nobody was told to write
    std::vector<connection *> tails_;

    // Receive side.
    std::vector<pipe *> ready_;  // a ring: ready_next_ is whose turn it is
    std::size_t ready_next_ = 0;
    base::bytes_span landing_{};  // the caller's buffer, for the next read of this lock hold: see in_buffer
    pipe *inside_ = nullptr;      // the pipe of a message half taken
    std::uint32_t since_harvest_ = 0;
    std::uint64_t at_last_wait_ = 0;  // messages received by then

    settings wish_;
    pattern_traits traits_;
    socket_counters counters_;

    wait_word receivers_;
    wait_word senders_;
    base::atomic<std::uint32_t> leader_phase_{leader_awake};
    bool has_leader_ = false;
    adaptive_spin spin_;
    unsigned users_ = 0;  // threads that dropped the lock and will be back

    std::vector<base::message> staged_;  // parts sent with the more flag so far
    base::atomic<bool> staging_{false};  // staged_ is not empty; read without the lock as a hint
    bool sending_no_wait_ = false;       // of the send that holds the lock now
    adaptive_spin room_wait_;            // whether waiting for room has helped lately

    std::shared_ptr<context> owner_;
    reactor *reactor_ = nullptr;
    std::unique_ptr<base::poller> inner_;
    std::unique_ptr<base::poller> handle_set_;  // behind the descriptor of ZMQ_FD
    bool handle_raised_ = false;
    watcher_list watchers_;
    std::vector<std::unique_ptr<base::stream>> doomed_;  // to close after the unlock
    std::vector<std::unique_ptr<base::listener>> doomed_listeners_;

    std::vector<std::unique_ptr<connection>> connections_;  // by index, holes are null
    std::vector<std::uint32_t> free_indices_;
    std::vector<std::unique_ptr<connection>> graveyard_;  // until no thread may still look at them
    std::uint32_t next_generation_ = 1;
    std::list<endpoint> endpoints_;
    std::uint64_t next_endpoint_ = 1;
    std::list<inproc_end> ends_;
    std::vector<std::pair<lane *, lane *>> closed_links_;  // out and in of ends we closed
    std::vector<std::string> bound_names_;
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
    std::uint64_t receive_calls_ = 0;

    time_ns linger_until_ = base::never_ns;

    wait_word peer_changes_;  // wait_peers sleeps here

    std::uint16_t slot_ = 0;  // constant
};

}  // namespace zlink::engine
