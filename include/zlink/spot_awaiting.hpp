// SPDX-License-Identifier: MPL-2.0
//
// What spot.hpp needs for coroutines that await the messages of a subscriber, or what a
// reader is told, and for ranges of them.
//
// Thread rule: one at a time awaits from a source; being stopped comes from any thread.
#pragma once

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/zlink.h>

namespace zlink::detail {

// What a subscriber gives, and what a reader does: one form for all below.
struct spot_messages
{
    using raw = zlink_spot_message_t;
    static int next (void *from, raw *to, int timeout_ms) noexcept
    {
        return zlink_spot_sub_next (from, to, timeout_ms);
    }
};
struct spot_events
{
    using raw = zlink_spot_event_t;
    static int next (void *from, raw *to, int timeout_ms) noexcept
    {
        return zlink_spot_reader_next (from, to, timeout_ms);
    }
};

template <class Source> class spot_pump;

// Somebody who awaits; stands in the frame of its coroutine.
template <class Source> class spot_waiter
{
  public:
    spot_waiter () = default;
    spot_waiter (const spot_waiter &) = delete;
    spot_waiter &operator= (const spot_waiter &) = delete;

  protected:
    ~spot_waiter () = default;

  private:
    friend class spot_pump<Source>;
    template <class From, class Executor, class Answer> friend class spot_awaited;

    virtual void go_on () noexcept = 0;

    typename Source::raw got_{};
    std::error_code bad_;
};

// Receives for those who await, on a thread of its own that begins with the first who has
// to wait. It takes a message when somebody waits for it; when that one was stopped
// meanwhile, the message is kept for the next.
template <class Source> class spot_pump : public std::enable_shared_from_this<spot_pump<Source>>
{
  public:
    using waiter = spot_waiter<Source>;
    explicit spot_pump (void *source) noexcept : source_ (source) {}
    spot_pump (const spot_pump &) = delete;
    spot_pump &operator= (const spot_pump &) = delete;
    ~spot_pump () = default;

    // What is there already. False: one has to wait.
    [[nodiscard]] bool take (waiter &by) noexcept
    {
        const std::lock_guard here (lock_);
        if (receives_)
            return false;
        if (!kept_ && !receive (0))
            return false;
        hand_over (by);
        return true;
    }
    // False: there is no thread for it. Else `by` goes on, perhaps before this returns.
    [[nodiscard]] bool wait_locked (waiter &by) noexcept
    try {
        if (!thread_.joinable ())
            thread_ = std::thread ([self = this->shared_from_this ()] { self->work (); });
        waiting_ = &by;
        news_.notify_one ();
        return true;
    } catch (const std::system_error &) {
        return false;
    }
    // False: it goes on already, or does not wait yet.
    [[nodiscard]] bool give_up_locked (waiter &by) noexcept
    {
        return waiting_ == &by && std::exchange (waiting_, nullptr) != nullptr;
    }
    // Its thread waits for a message.
    [[nodiscard]] bool is_receiving_locked () const noexcept { return receives_; }
    [[nodiscard]] std::mutex &lock () noexcept { return lock_; }

    // When the source is destroyed.
    void end () noexcept
    {
        {
            const std::lock_guard here (lock_);
            over_ = true;
            news_.notify_one ();
        }
        if (thread_.get_id () == std::this_thread::get_id ())
            thread_.detach ();
        else if (thread_.joinable ())
            thread_.join ();
    }

  private:
    // False: nothing is there.
    bool receive (int timeout_ms) noexcept
    {
        at_hand_.size = sizeof at_hand_;
        bad_ = Source::next (source_, &at_hand_, timeout_ms) == 0 ? std::error_code () : last_error ();
        if (bad_.value () == EFAULT)  // it was destroyed before
            bad_ = make_error_code (errc::terminated);
        kept_ = bad_ != make_error_code (errc::would_block) && bad_ != make_error_code (errc::interrupted);
        return kept_;
    }
    void hand_over (waiter &to) noexcept
    {
        to.got_ = at_hand_;
        to.bad_ = bad_;
        kept_ = false;
    }
    void work () noexcept
    {
        std::unique_lock here (lock_);
        for (;;) {
            news_.wait (here, [this] { return over_ || waiting_ != nullptr; });
            if (waiting_ == nullptr)
                return;
            if (!kept_) {
                receives_ = true;
                here.unlock ();
                while (!receive (-1))
                    continue;
                here.lock ();
                receives_ = false;
            }
            if (waiting_ == nullptr)
                continue;
            waiter &whom = *std::exchange (waiting_, nullptr);
            hand_over (whom);
            here.unlock ();
            whom.go_on ();
            here.lock ();
        }
    }

    void *const source_;
    std::thread thread_;
    std::mutex lock_;  // of the next ones; at_hand_, bad_ and kept_ are the thread's while it receives
    std::condition_variable news_;
    waiter *waiting_ = nullptr;
    bool receives_ = false;
    bool over_ = false;
    bool kept_ = false;
    typename Source::raw at_hand_{};
    std::error_code bad_;
};

// Answer: what co_await gives, made of a result<Source::raw>.
template <class Source, class Executor, class Answer> class spot_awaited final : public spot_waiter<Source>
{
  public:
    using pump = spot_pump<Source>;
    spot_awaited (std::shared_ptr<pump> by, Executor &where, std::stop_token token) noexcept
      : by_ (std::move (by)), where_ (where), token_ (std::move (token))
    {
    }

    [[nodiscard]] bool await_ready () noexcept { return by_->take (*this); }
    bool await_suspend (std::coroutine_handle<> waiting)
    {
        const std::shared_ptr<pump> by = by_;  // all else may be gone once it waits
        coroutine_ = waiting;
        if (token_.stop_possible ())
            on_stop_.emplace (token_, stopper{this});
        const std::lock_guard here (by->lock ());
        if (is_stopped_)
            this->bad_ = make_error_code (errc::cancelled);
        else if (by->wait_locked (*this))
            return true;
        else
            this->bad_ = make_error_code (errc::no_memory);
        return false;
    }
    auto await_resume ()
    {
        on_stop_.reset ();
        return this->bad_ ? Answer () (result<typename Source::raw> (this->bad_))
                          : Answer () (result<typename Source::raw> (this->got_));
    }

  private:
    struct stopper
    {
        spot_awaited *whom;
        void operator() () const noexcept { whom->stop (); }
    };

    void go_on () noexcept override { where_.post (coroutine_); }
    void stop () noexcept
    {
        {
            const std::lock_guard here (by_->lock ());
            is_stopped_ = true;
            if (!by_->give_up_locked (*this))
                return;
            this->bad_ = make_error_code (errc::cancelled);
        }
        where_.post (coroutine_);
    }

    const std::shared_ptr<pump> by_;
    Executor &where_;
    const std::stop_token token_;
    std::coroutine_handle<> coroutine_;
    bool is_stopped_ = false;  // under the pump's lock
    std::optional<std::stop_callback<stopper>> on_stop_;
};

// What came, in the words of C++.
template <class Item, class Source> struct result_of_spot
{
    result<Item> operator() (const result<typename Source::raw> &got) const noexcept
    {
        if (!got)
            return got.error ();
        return Item (*got);
    }
};

// Nothing: the time is over.
template <class Item, class Source>
result<std::optional<Item>> next_of_spot (void *from, std::chrono::milliseconds timeout) noexcept
{
    typename Source::raw got{};
    got.size = sizeof got;
    if (Source::next (from, &got, static_cast<int> (timeout.count ())) == 0)
        return std::optional<Item> (Item (got));
    if (const std::error_code why = last_error (); why != make_error_code (errc::would_block))
        return why;
    return std::optional<Item> ();
}

// What comes from a subscriber or a reader, which outlives the range, until nothing came for
// so long or its node has ended.
template <class From, class Item> class spot_items : public std::ranges::view_base
{
  public:
    spot_items (From &from, std::chrono::milliseconds timeout) noexcept : from_ (&from), timeout_ (timeout) {}

    class iterator
    {
      public:
        using value_type = Item;
        using difference_type = std::ptrdiff_t;
        explicit iterator (spot_items &in) noexcept : in_ (&in) {}
        const Item &operator* () const noexcept { return *in_->now_; }
        const Item *operator->() const noexcept { return &*in_->now_; }
        iterator &operator++ ()
        {
            in_->read ();
            return *this;
        }
        void operator++ (int) { in_->read (); }
        bool operator== (std::default_sentinel_t) const noexcept { return !in_->now_.has_value (); }

      private:
        spot_items *in_;
    };

    [[nodiscard]] iterator begin ()
    {
        read ();
        return iterator (*this);
    }
    [[nodiscard]] std::default_sentinel_t end () const noexcept { return {}; }

  private:
    void read ()
    {
        result<std::optional<Item>> got = from_->receive (std::nothrow, timeout_);
        if (!got && got.error () != make_error_code (errc::terminated))
            fail (got.error (), "zlink::spot_range");
        now_ = got ? *got : std::nullopt;
    }

    From *from_;
    std::chrono::milliseconds timeout_;
    std::optional<Item> now_;
};

}  // namespace zlink::detail
