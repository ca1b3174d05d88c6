// SPDX-License-Identifier: MPL-2.0
//
// Sends and receives that coroutines await.
//
// A loop waits for the sockets of all operations that could not go on at once,
// in whichever thread calls run(). What is done goes on where the executor
// says; without one, in that thread. Each operation takes a stop_token: when it
// is stopped it answers cancelled, and no message is lost by that: what was
// received is delivered, what was not is still in the socket, and a message
// that was to be sent was either sent, with all of its parts, or not at all.
// What a call without waiting answers would_block is waited for; every other
// failure ends the operation with it.
// Thread rule: run() and the destructor in one thread at a time; everything else
// from any thread.
// Lifetime: a socket that an operation waits for may be closed, which answers
// not_a_socket; the loop outlives every operation.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <zlink/error.hpp>
#include <zlink/message.hpp>
#include <zlink/poller.hpp>
#include <zlink/sockets.hpp>
#include <zlink/task.hpp>

namespace zlink {

// Resumes a coroutine, now or later, here or elsewhere.
template <class E>
concept executor = requires (E &where, std::coroutine_handle<> what)
{
    where.post (what);
};

struct inline_executor
{
    void post (std::coroutine_handle<> what) const { what.resume (); }
};

namespace detail {

class loop_core;

// What a socket tells of what an operation waits for.
struct telling
{
    events wanted = events::none;  // none: nothing
    bool all = true;               // else only some of it, and it may not be what is waited for
};

// Something that waits for a socket. Stands in the frame of its coroutine.
class operation
{
  public:
    // told: what the socket tells when it may go on.
    operation (loop_core &owner, void *socket, telling told, std::stop_token token)
      : owner_ (owner), socket_ (socket), told_ (told), token_ (std::move (token))
    {
    }
    operation (const operation &) = delete;
    operation &operator= (const operation &) = delete;
    virtual ~operation () = default;

    [[nodiscard]] bool await_ready ();
    void await_suspend (std::coroutine_handle<> waiting);

  protected:
    // Does it without waiting. False: not possible now.
    virtual bool attempt () = 0;
    virtual void give_up (std::error_code why) noexcept = 0;

  private:
    friend class loop_core;

    struct stopper
    {
        loop_core *owner;
        std::uint64_t id;
        void operator() () const noexcept;
    };

    loop_core &owner_;
    void *socket_;
    telling told_;
    std::stop_token token_;
    std::uint64_t id_ = 0;
    std::coroutine_handle<> waiting_;
    std::optional<std::stop_callback<stopper>> on_stop_;
    operation *next_ = nullptr;  // in the one chain that it is in

    friend class operation_chain;
};

// Operations one behind the other, without memory of its own.
class operation_chain
{
  public:
    [[nodiscard]] bool empty () const noexcept { return first_ == nullptr; }
    void push (operation &what) noexcept
    {
        what.next_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_) = &what;
        last_ = &what;
    }
    // Null: there is none.
    operation *pop () noexcept
    {
        operation *const found = first_;
        if (found != nullptr)
            first_ = found->next_;
        return found;
    }
    [[nodiscard]] operation_chain take () noexcept { return std::exchange (*this, {}); }

  private:
    operation *first_ = nullptr;
    operation *last_ = nullptr;
};

// Whether to look a little longer before sleeping, as calls that block do: only
// while that has helped lately, and not where there is one processor.
class looking_on
{
  public:
    explicit looking_on (bool several_processors = std::thread::hardware_concurrency () > 1) noexcept
      : several_ (several_processors)
    {
    }
    // Asked once for each wait.
    [[nodiscard]] bool worth_it () noexcept
    {
        if (!several_ || skip_ == 0)
            return several_;
        --skip_;
        return false;
    }
    void succeeded () noexcept { failures_ = 0; }
    void failed () noexcept
    {
        failures_ = std::min (failures_ + 1, failures_max);
        skip_ = 1U << failures_;
    }

  private:
    static constexpr unsigned failures_max = 8;
    bool several_;
    unsigned failures_ = 0;
    unsigned skip_ = 0;
};

// The part of a loop that does not depend on its executor.
class loop_core
{
  public:
    loop_core () : wake_in_ (own_), wake_out_ (own_)
    {
        wake_in_.bind (wake_endpoint);
        wake_out_.connect (wake_endpoint);
        poller_.add (wake_in_, events::receive, &wake_in_);
    }
    loop_core (const loop_core &) = delete;
    loop_core &operator= (const loop_core &) = delete;
    virtual ~loop_core () = default;

    // Until stop(). An exception that a spawned task let go comes out here.
    void run ()
    {
        while (!stopped_.exchange (false))
            step (for_ever, false);
    }
    // Until every spawned task has ended, or stop().
    void run_until_done ()
    {
        step (std::chrono::milliseconds (0), true);
        while (spawned_.load () > 0 && !stopped_.exchange (false))
            step (for_ever, true);
        const std::lock_guard hold (lock_);  // the last task has left it, too
    }
    // What can be done now, one wait of at most so long, and what came of it.
    void run_once (std::chrono::milliseconds limit = for_ever) { step (limit, false); }
    void stop () noexcept
    {
        stopped_.store (true);
        wake ();
    }

    // Starts a task that nobody awaits.
    void spawn (task<void> what)
    {
        ++spawned_;
        try {
            drive (*this, std::move (what));
        } catch (...) {  // no memory for it
            leave ();
            throw;
        }
    }

  protected:
    virtual void post (std::coroutine_handle<> what) = 0;

    // All that still waits is cancelled, and so is what comes.
    void end ()
    {
        closing_.store (true);
        take_queue ();
        for (auto &[socket, of] : entries_)
            refuse_all (of.waiting, errc::cancelled);
        refuse_all (untold_, errc::cancelled);
        finish ();
        take_queue ();
    }

  private:
    friend class operation;

    static constexpr const char *wake_endpoint = "inproc://wake";
    // Where nothing tells: the pause doubles, so that nobody waits for more than
    // as long again as it had to.
    static constexpr std::chrono::milliseconds look_again_min{1};
    static constexpr std::chrono::milliseconds look_again_max{16};
    static constexpr int look_max = 50;  // some 30 us

    // A socket that operations wait for. It stays with the poller until an
    // event comes that nobody wants: the next operation often wants the same.
    struct entry
    {
        events asked = events::none;  // what the poller was told
        bool sleeps = false;          // SPIN is off
        operation_chain waiting;
    };

    // A coroutine that nobody holds: it ends with the task it awaits.
    struct detached
    {
        struct promise_type
        {
            [[nodiscard]] detached get_return_object () const noexcept { return {}; }
            [[nodiscard]] std::suspend_never initial_suspend () const noexcept { return {}; }
            [[nodiscard]] std::suspend_never final_suspend () const noexcept { return {}; }
            void return_void () const noexcept {}
            void unhandled_exception () const noexcept {}
        };
    };
    static detached drive (loop_core &in, task<void> what)
    {
        try {
            co_await std::move (what);
        } catch (...) {
            in.keep (std::current_exception ());
        }
        in.leave ();
    }
    // The end of a task. Under the lock: behind the last one the loop may go.
    void leave ()
    {
        const std::lock_guard hold (lock_);
        --spawned_;
        wake_unless_here ();
    }

    // One turn. Everything that touches the poller and the entries happens here.
    void step (std::chrono::milliseconds limit, bool while_spawned)
    {
        runs_in_.store (std::this_thread::get_id ());
        take_queue ();
        if (!stopped_.load () && !(while_spawned && spawned_.load () == 0))
            wait (limit);
        try_untold ();
        take_queue ();
        runs_in_.store (std::thread::id ());
        rethrow ();
    }

    void keep (std::exception_ptr trouble)
    {
        const std::lock_guard hold (lock_);
        if (!trouble_)
            trouble_ = std::move (trouble);
    }
    void rethrow ()
    {
        std::exception_ptr trouble;
        {
            const std::lock_guard hold (lock_);
            trouble = std::exchange (trouble_, nullptr);
        }
        if (trouble)
            std::rethrow_exception (trouble);
    }

    void wake () noexcept
    {
        // A full queue wakes as well.
        static_cast<void> (zlink_send (wake_out_.handle (), "", 0, ZLINK_DONTWAIT));
    }
    void wake_unless_here () noexcept
    {
        if (runs_in_.load () != std::this_thread::get_id ())
            wake ();
    }

    [[nodiscard]] std::uint64_t next_id () noexcept { return ++last_id_; }

    // Under the lock to the end: when it is free the operation may be done, and
    // the loop gone.
    void submit (operation &what)
    {
        const std::lock_guard hold (lock_);
        begun_.push (what);
        wake_unless_here ();
    }
    void submit_stop (std::uint64_t id) noexcept
    {
        const std::lock_guard hold (lock_);
        try {
            stopped_ids_.push_back (id);
        } catch (const std::bad_alloc &) {
            stop_untold_ = true;  // all are asked
        }
        wake_unless_here ();
    }

    // What was asked for meanwhile, and by those who go on because of it.
    void take_queue ()
    {
        for (;;) {
            operation_chain begun;
            ids_.clear ();
            bool ask_all = false;
            {
                const std::lock_guard hold (lock_);
                begun = begun_.take ();
                std::swap (ids_, stopped_ids_);
                ask_all = std::exchange (stop_untold_, false);
            }
            if (begun.empty () && ids_.empty () && !ask_all)
                return;
            while (operation *const each = begun.pop ())
                admit (*each);
            if (!ids_.empty () || ask_all)
                cancel_stopped (ask_all);
            finish ();
        }
    }

    void refuse (operation &what, std::error_code why) noexcept
    {
        what.give_up (why);
        done_.push (what);
    }
    void refuse_all (operation_chain &waiting, std::error_code why) noexcept
    {
        for (operation_chain all = waiting.take (); operation *const each = all.pop ();)
            refuse (*each, why);
    }

    // The token is looked at here again: a stop that came before this is not
    // told otherwise.
    void admit (operation &what) noexcept
    {
        if (closing_.load () || what.token_.stop_requested ())
            return refuse (what, errc::cancelled);
        try {
            entry *const of = what.told_.wanted == events::none ? nullptr : &entry_of (what.socket_);
            const std::error_code bad =
              of == nullptr ? std::error_code{} : ask (what.socket_, *of, of->asked | what.told_.wanted);
            if (bad) {
                refuse (what, bad);
                return forget_if_idle (what.socket_);
            }
            if (of != nullptr && what.told_.all)
                return of->waiting.push (what);
            // What the socket tells nevertheless makes a turn.
            untold_.push (what);
            look_again_ = look_again_min;
        } catch (const std::bad_alloc &) {
            refuse (what, errc::no_memory);
        }
    }

    entry &entry_of (void *socket)
    {
        const auto [at, fresh] = entries_.try_emplace (socket);
        if (fresh) {
            int spins = 1;
            std::size_t size = sizeof spins;
            static_cast<void> (zlink_getsockopt (socket, ZLINK_SPIN, &spins, &size));
            at->second.sleeps = spins == 0;
            sleeping_ += at->second.sleeps;
        }
        return at->second;
    }

    // By number: the operation may be done, and gone, by now.
    void cancel_stopped (bool ask_all) noexcept
    {
        for (auto &[socket, of] : entries_)
            cancel_stopped (of.waiting, ask_all);
        cancel_stopped (untold_, ask_all);
    }
    void cancel_stopped (operation_chain &waiting, bool ask_all) noexcept
    {
        for (operation_chain all = waiting.take (); operation *const each = all.pop ();) {
            const bool named = std::find (ids_.begin (), ids_.end (), each->id_) != ids_.end ();
            if (named || (ask_all && each->token_.stop_requested ()))
                refuse (*each, errc::cancelled);
            else
                waiting.push (*each);
        }
    }

    // Tells the poller what to look for.
    std::error_code ask (void *socket, entry &of, events wanted)
    {
        if (of.asked == wanted)
            return {};
        const short bits = static_cast<short> (wanted);
        int answer = 0;
        if (of.asked == events::none)
            answer = zlink_poller_add (poller_.handle (), socket, nullptr, bits);
        else if (wanted == events::none)
            answer = zlink_poller_remove (poller_.handle (), socket);
        else
            answer = zlink_poller_modify (poller_.handle (), socket, bits);
        if (answer < 0)
            return last_error ();
        of.asked = wanted;
        return {};
    }

    void forget_if_idle (void *socket)
    {
        const auto found = entries_.find (socket);
        if (found == entries_.end () || !found->second.waiting.empty ())
            return;
        static_cast<void> (ask (socket, found->second, events::none));
        sleeping_ -= found->second.sleeps;
        entries_.erase (found);
    }

    int look (std::chrono::milliseconds limit) noexcept
    {
        return zlink_poller_wait_all (poller_.handle (), raw_.data (), static_cast<int> (raw_.size ()),
                                      static_cast<long> (limit.count ()));
    }
    // 0: there is nothing.
    int look_for_a_while () noexcept
    {
        for (int i = 0; i < look_max; ++i) {
            const int count = look (std::chrono::milliseconds (0));
            if (count > 0 || zlink_errno () != EAGAIN) {
                looks_.succeeded ();
                return count;
            }
            std::this_thread::yield ();
        }
        looks_.failed ();
        return 0;
    }

    void wait (std::chrono::milliseconds limit)
    {
        if (!untold_.empty () && (limit < limit.zero () || limit > look_again_))
            limit = look_again_;
        raw_.resize (entries_.size () + 1);
        int count = 0;
        if (limit != limit.zero () && sleeping_ == 0 && looks_.worth_it ())
            count = look_for_a_while ();
        if (count == 0)
            count = look (limit);
        if (count < 0) {
            if (zlink_errno () != EAGAIN && zlink_errno () != EINTR)
                look_at_all ();
            return;
        }
        for (int i = 0; i < count; ++i) {
            const zlink_poller_event_t &each = raw_[static_cast<std::size_t> (i)];
            if (each.user_data == &wake_in_)
                drain_wakes ();
            else
                serve (each.socket, static_cast<events> (each.events));
        }
        finish ();
    }

    // Those of whom no socket tells all find out by themselves: at every turn, and
    // in pauses where there is none.
    void try_untold () noexcept
    {
        bool any = false;
        for (operation_chain all = untold_.take (); operation *const each = all.pop ();) {
            const bool done = attempted (*each);
            any = any || done;
            (done ? done_ : untold_).push (*each);
        }
        look_again_ = any ? look_again_min : std::min (2 * look_again_, look_again_max);
        finish ();
    }

    void drain_wakes () noexcept
    {
        char none = 0;
        while (zlink_recv (wake_in_.handle (), &none, sizeof none, ZLINK_DONTWAIT) >= 0) {}
    }

    void serve (void *socket, events found)
    {
        const auto at = entries_.find (socket);
        if (at == entries_.end ())
            return;
        entry &of = at->second;
        events wanted = events::none;
        bool served = false;
        for (operation_chain all = of.waiting.take (); operation *const each = all.pop ();) {
            if (has (found, each->told_.wanted) && attempted (*each)) {
                done_.push (*each);
                served = true;
                continue;
            }
            wanted = wanted | each->told_.wanted;
            of.waiting.push (*each);
        }
        // Nobody wanted what was found: it is not asked for any longer.
        if (!served) {
            static_cast<void> (ask (socket, of, wanted));
            forget_if_idle (socket);
        }
    }

    // Done, one way or the other.
    static bool attempted (operation &what) noexcept
    {
        try {
            return what.attempt ();
        } catch (const std::bad_alloc &) {
            what.give_up (errc::no_memory);
            return true;
        }
    }

    // A socket was closed, or its context ended: its operations find out.
    void look_at_all ()
    {
        std::vector<void *> gone;
        for (auto &[socket, of] : entries_) {
            int found = 0;
            std::size_t size = sizeof found;
            if (zlink_getsockopt (socket, ZLINK_EVENTS, &found, &size) == 0)
                continue;
            refuse_all (of.waiting, last_error ());
            gone.push_back (socket);
        }
        for (void *const each : gone)
            forget_if_idle (each);
        finish ();
    }

    // Each may be gone as soon as it goes on, and no stop may come behind that.
    void finish ()
    {
        while (operation *const each = done_.pop ()) {
            each->on_stop_.reset ();
            post (each->waiting_);
        }
    }

    context own_;
    pair_socket wake_in_;
    pair_socket wake_out_;
    poller poller_;
    std::atomic<bool> stopped_{false};
    std::atomic<bool> closing_{false};
    std::atomic<std::thread::id> runs_in_{};
    std::atomic<std::uint64_t> last_id_{0};
    std::atomic<std::int64_t> spawned_{0};
    std::mutex lock_;
    // Under the lock.
    operation_chain begun_;
    std::vector<std::uint64_t> stopped_ids_;
    bool stop_untold_ = false;
    std::exception_ptr trouble_;
    std::unordered_map<void *, entry> entries_;
    // Only within a step.
    std::vector<std::uint64_t> ids_;
    looking_on looks_;
    std::size_t sleeping_ = 0;  // entries whose sockets do not want it
    operation_chain untold_;
    std::chrono::milliseconds look_again_ = look_again_min;
    operation_chain done_;
    std::vector<zlink_poller_event_t> raw_;
};

inline bool operation::await_ready ()
{
    if (token_.stop_requested () || owner_.closing_.load ()) {
        give_up (errc::cancelled);
        return true;
    }
    return attempt ();
}

inline void operation::await_suspend (std::coroutine_handle<> waiting)
{
    waiting_ = waiting;
    id_ = owner_.next_id ();
    if (token_.stop_possible ())
        on_stop_.emplace (token_, stopper{&owner_, id_});
    // It may go on in another thread from here on: this is not looked at again.
    owner_.submit (*this);
}

inline void operation::stopper::operator() () const noexcept { owner->submit_stop (id); }

// Waits until a call without waiting does not answer would_block.
template <class T, class Call> class awaited_call : public operation
{
  public:
    // what: of which the call is made.
    template <class... Of>
    awaited_call (loop_core &owner, void *socket, telling told, std::stop_token token, Of &&...what)
      : operation (owner, socket, told, std::move (token)), call_{std::forward<Of> (what)...}
    {
    }
    // The throwing form.
    T await_resume () { return value_of (std::move (answer_), "zlink::loop"); }

  protected:
    bool attempt () override
    {
        call_ (answer_);
        return answer_.has_value () || answer_.error () != errc::would_block;
    }
    void give_up (std::error_code why) noexcept override { answer_ = why; }

    Call call_;
    result<T> answer_{make_error_code (errc::would_block)};
};

template <class T, class Call> class awaited_result : public awaited_call<T, Call>
{
  public:
    using awaited_call<T, Call>::awaited_call;
    result<T> await_resume () { return std::move (this->answer_); }
};

// The calls themselves.
struct receiving
{
    void *socket;
    void operator() (result<message> &answer) const noexcept
    {
        if (zlink_msg_recv (answer.emplace ().raw (), socket, ZLINK_DONTWAIT) < 0)
            answer = last_error ();
    }
};
template <class S> struct receiving_from
{
    using found = std::conditional_t<std::same_as<S, stream_socket>, streamed, routed_message>;
    S *socket;
    void operator() (result<found> &answer) const noexcept
    {
        result<std::optional<found>> got = socket->try_receive_from (std::nothrow);
        if (!got)
            answer = got.error ();
        else if (*got)
            answer = std::move (**got);
        else
            answer = make_error_code (errc::would_block);
    }
};
template <parts_receiver S> struct receiving_parts
{
    S *socket;
    void operator() (result<std::vector<message>> &answer) const noexcept
    {
        result<std::optional<std::vector<message>>> found = socket->try_receive_parts (std::nothrow);
        if (!found)
            answer = found.error ();
        else if (*found)
            answer = std::move (**found);
        else
            answer = make_error_code (errc::would_block);
    }
};
struct sending
{
    void *socket;
    message part;
    void operator() (result<std::size_t> &answer) noexcept
    {
        answer = outcome_of<std::size_t> (zlink_msg_send (part.raw (), socket, ZLINK_DONTWAIT));
    }
};
// parts: a container of them.
template <class Parts> struct sending_parts
{
    void *socket;
    Parts parts;
    void operator() (result<void> &answer) noexcept
    {
        zlink_msg_t *const first = parts.empty () ? nullptr : parts.data ()->raw ();
        answer = outcome (zlink_sendv (socket, first, parts.size (), ZLINK_DONTWAIT));
    }
};
struct sending_to
{
    void *socket;
    message peer;
    std::vector<message> parts;
    bool addressed = false;  // the peer stands in front of them
    void operator() (result<void> &answer) noexcept
    {
        answer = no_throw ([this] { return send (); });
    }
    result<void> send ()
    {
        if (!addressed)
            parts.insert (parts.begin (), std::move (peer));
        addressed = true;
        return outcome (zlink_sendv (socket, parts.data ()->raw (), parts.size (), ZLINK_DONTWAIT));
    }
};

inline constexpr telling tells_of_input{events::receive, true};
inline constexpr telling tells_of_output{events::send, true};
// Of several peers a socket tells that one has room, which need not be the one
// that must have it, and not that one has gone.
inline constexpr telling tells_of_any_room{events::send, false};
// A publisher can always send. That all who want a message have room nothing
// tells.
inline constexpr telling tells_of_nothing{};

template <class S> constexpr telling room_told_of () noexcept
{
    if constexpr (std::derived_from<S, pub_socket> || std::derived_from<S, xpub_socket>)
        return tells_of_nothing;
    else if constexpr (std::derived_from<S, router_socket>)
        return tells_of_any_room;
    else
        return tells_of_output;
}

struct looking
{
    void *socket;
    events wanted;
    void operator() (result<void> &answer) const noexcept
    {
        int found = 0;
        std::size_t size = sizeof found;
        if (zlink_getsockopt (socket, ZLINK_EVENTS, &found, &size) != 0)
            answer = last_error ();
        else if (has (static_cast<events> (found), wanted))
            answer = result<void> ();
        else
            answer = make_error_code (errc::would_block);
    }
};

}  // namespace detail

template <executor Executor = inline_executor> class loop : public detail::loop_core
{
  public:
    loop () requires std::default_initializable<Executor>
    = default;
    // The executor outlives the loop.
    explicit loop (Executor &where) : where_ (&where) {}
    ~loop () override { end (); }

    // co_await gives a message; failure is thrown.
    template <receiver S> [[nodiscard]] auto receive (S &from, std::stop_token token = {})
    {
        return call<detail::awaited_call, message, detail::receiving> (from, detail::tells_of_input,
                                                                       std::move (token), from.handle ());
    }
    // co_await gives a result<message>.
    template <receiver S> [[nodiscard]] auto receive (std::nothrow_t, S &from, std::stop_token token = {})
    {
        return call<detail::awaited_result, message, detail::receiving> (from, detail::tells_of_input,
                                                                         std::move (token), from.handle ());
    }
    // co_await gives all parts of a message.
    template <parts_receiver S> [[nodiscard]] auto receive_parts (S &from, std::stop_token token = {})
    {
        return call<detail::awaited_call, std::vector<message>, detail::receiving_parts<S>> (
          from, detail::tells_of_input, std::move (token), &from);
    }
    template <parts_receiver S>
    [[nodiscard]] auto receive_parts (std::nothrow_t, S &from, std::stop_token token = {})
    {
        return call<detail::awaited_result, std::vector<message>, detail::receiving_parts<S>> (
          from, detail::tells_of_input, std::move (token), &from);
    }
    // co_await gives the number of bytes. The message is the operation's.
    template <sender S> [[nodiscard]] auto send (S &to, message part, std::stop_token token = {})
    {
        return call<detail::awaited_call, std::size_t, detail::sending> (
          to, detail::room_told_of<S> (), std::move (token), to.handle (), std::move (part));
    }
    template <sender S>
    [[nodiscard]] auto send (std::nothrow_t, S &to, message part, std::stop_token token = {})
    {
        return call<detail::awaited_result, std::size_t, detail::sending> (
          to, detail::room_told_of<S> (), std::move (token), to.handle (), std::move (part));
    }
    // All parts as one message, or none. They are the operation's: parts_of() makes
    // copies. failure: as of the socket's own send_parts.
    template <parts_sender S>
    [[nodiscard]] auto send_parts (S &to, std::vector<message> parts, std::stop_token token = {})
    {
        return call<detail::awaited_call, void, many_parts> (
          to, detail::room_told_of<S> (), std::move (token), to.handle (), std::move (parts));
    }
    template <parts_sender S>
    [[nodiscard]] auto
    send_parts (std::nothrow_t, S &to, std::vector<message> parts, std::stop_token token = {})
    {
        return call<detail::awaited_result, void, many_parts> (
          to, detail::room_told_of<S> (), std::move (token), to.handle (), std::move (parts));
    }
    // To one peer of a ROUTER: with ROUTER_MANDATORY it waits until that peer has
    // room. Name and parts are the operation's. A socket tells of room, but not for
    // whom: the loop looks at every turn, and at least every 16 ms, whether it is
    // that peer who has some.
    // failure: no_such_peer, at once and while it waits.
    [[nodiscard]] auto
    send_to (router_socket &to, message peer, std::vector<message> parts, std::stop_token token = {})
    {
        return call<detail::awaited_call, void, detail::sending_to> (to, detail::tells_of_any_room,
                                                                     std::move (token), to.handle (),
                                                                     std::move (peer), std::move (parts));
    }
    [[nodiscard]] auto send_to (
      std::nothrow_t, router_socket &to, message peer, std::vector<message> parts, std::stop_token token = {})
    {
        return call<detail::awaited_result, void, detail::sending_to> (to, detail::tells_of_any_room,
                                                                       std::move (token), to.handle (),
                                                                       std::move (peer), std::move (parts));
    }
    // The same to one peer of a STREAM: a packet, or bytes.
    [[nodiscard]] auto send_to (stream_socket &to, message peer, message body, std::stop_token token = {})
    {
        return call<detail::awaited_call, void, two_parts> (to, detail::tells_of_any_room, std::move (token),
                                                            to.handle (),
                                                            std::array{std::move (peer), std::move (body)});
    }
    [[nodiscard]] auto
    send_to (std::nothrow_t, stream_socket &to, message peer, message body, std::stop_token token = {})
    {
        return call<detail::awaited_result, void, two_parts> (to, detail::tells_of_any_room,
                                                              std::move (token), to.handle (),
                                                              std::array{std::move (peer), std::move (body)});
    }
    // co_await gives the next message of a ROUTER with the peer that it is from, a
    // routed_message, or the next news of a STREAM, a streamed.
    [[nodiscard]] auto receive_from (router_socket &from, std::stop_token token = {})
    {
        return call<detail::awaited_call, routed_message, detail::receiving_from<router_socket>> (
          from, detail::tells_of_input, std::move (token), &from);
    }
    [[nodiscard]] auto receive_from (std::nothrow_t, router_socket &from, std::stop_token token = {})
    {
        return call<detail::awaited_result, routed_message, detail::receiving_from<router_socket>> (
          from, detail::tells_of_input, std::move (token), &from);
    }
    [[nodiscard]] auto receive_from (stream_socket &from, std::stop_token token = {})
    {
        return call<detail::awaited_call, streamed, detail::receiving_from<stream_socket>> (
          from, detail::tells_of_input, std::move (token), &from);
    }
    [[nodiscard]] auto receive_from (std::nothrow_t, stream_socket &from, std::stop_token token = {})
    {
        return call<detail::awaited_result, streamed, detail::receiving_from<stream_socket>> (
          from, detail::tells_of_input, std::move (token), &from);
    }
    // A receive or a send would not wait now. Another thread may be faster.
    [[nodiscard]] auto readable (socket_base &which, std::stop_token token = {})
    {
        return call<detail::awaited_call, void, detail::looking> (
          which, detail::tells_of_input, std::move (token), which.handle (), events::receive);
    }
    [[nodiscard]] auto readable (std::nothrow_t, socket_base &which, std::stop_token token = {})
    {
        return call<detail::awaited_result, void, detail::looking> (
          which, detail::tells_of_input, std::move (token), which.handle (), events::receive);
    }
    [[nodiscard]] auto writable (std::nothrow_t, socket_base &which, std::stop_token token = {})
    {
        return call<detail::awaited_result, void, detail::looking> (
          which, detail::tells_of_output, std::move (token), which.handle (), events::send);
    }
    [[nodiscard]] auto writable (socket_base &which, std::stop_token token = {})
    {
        return call<detail::awaited_call, void, detail::looking> (
          which, detail::tells_of_output, std::move (token), which.handle (), events::send);
    }

  private:
    using many_parts = detail::sending_parts<std::vector<message>>;
    using two_parts = detail::sending_parts<std::array<message, 2>>;

    template <template <class, class> class Form, class T, class Call, class... Of>
    Form<T, Call> call (socket_base &which, detail::telling told, std::stop_token token, Of &&...what)
    {
        return Form<T, Call> (*this, which.handle (), told, std::move (token), std::forward<Of> (what)...);
    }

    void post (std::coroutine_handle<> what) override { where_->post (what); }

    static Executor *only ()
    {
        if constexpr (std::default_initializable<Executor>) {
            static Executor own;
            return &own;
        } else {
            return nullptr;
        }
    }
    Executor *where_ = only ();
};

}  // namespace zlink
