// SPDX-License-Identifier: MPL-2.0
//
// What spot.hpp needs for coroutines that await the messages of a subscriber, and for
// ranges of them.
//
// Thread rule: one at a time awaits from a subscriber; being stopped comes from any thread.
#pragma once

#include <cerrno>
#include <condition_variable>
#include <coroutine>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/zlink.h>

namespace zlink::detail {

// Somebody who awaits; stands in the frame of its coroutine.
class spot_waiter
{
  public:
    spot_waiter () = default;
    spot_waiter (const spot_waiter &) = delete;
    spot_waiter &operator= (const spot_waiter &) = delete;

  protected:
    ~spot_waiter () = default;

  private:
    friend class spot_pump;
    template <class Executor, class Answer> friend class spot_awaited;

    virtual void go_on () noexcept = 0;

    zlink_spot_message_t got_{};
    std::error_code bad_;
};

// Receives for those who await, on a thread of its own that begins with the first who has
// to wait. It takes a message when somebody waits for it; when that one was stopped
// meanwhile, the message is kept for the next.
class spot_pump : public std::enable_shared_from_this<spot_pump>
{
  public:
    explicit spot_pump (void *subscriber) noexcept : subscriber_ (subscriber) {}
    spot_pump (const spot_pump &) = delete;
    spot_pump &operator= (const spot_pump &) = delete;
    ~spot_pump () = default;

    // What is there already. False: one has to wait.
    [[nodiscard]] bool take (spot_waiter &by) noexcept
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
    [[nodiscard]] bool wait_locked (spot_waiter &by) noexcept
    try {
        if (!thread_.joinable ())
            thread_ = std::thread ([self = shared_from_this ()] { self->work (); });
        waiting_ = &by;
        news_.notify_one ();
        return true;
    } catch (const std::system_error &) {
        return false;
    }
    // False: it goes on already, or does not wait yet.
    [[nodiscard]] bool give_up_locked (spot_waiter &by) noexcept
    {
        return waiting_ == &by && std::exchange (waiting_, nullptr) != nullptr;
    }
    // Its thread waits for a message.
    [[nodiscard]] bool is_receiving_locked () const noexcept { return receives_; }
    [[nodiscard]] std::mutex &lock () noexcept { return lock_; }

    // When the subscriber is destroyed.
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
        bad_ =
          zlink_spot_sub_next (subscriber_, &at_hand_, timeout_ms) == 0 ? std::error_code () : last_error ();
        kept_ = bad_ != make_error_code (errc::would_block) && bad_ != make_error_code (errc::interrupted);
        return kept_;
    }
    void hand_over (spot_waiter &to) noexcept
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
            spot_waiter &whom = *std::exchange (waiting_, nullptr);
            hand_over (whom);
            here.unlock ();
            whom.go_on ();
            here.lock ();
        }
    }

    void *const subscriber_;
    std::thread thread_;
    std::mutex lock_;  // of the next ones; at_hand_, bad_ and kept_ are the thread's while it receives
    std::condition_variable news_;
    spot_waiter *waiting_ = nullptr;
    bool receives_ = false;
    bool over_ = false;
    bool kept_ = false;
    zlink_spot_message_t at_hand_{};
    std::error_code bad_;
};

// Answer: what co_await gives, made of a result<zlink_spot_message_t>.
template <class Executor, class Answer> class spot_awaited final : public spot_waiter
{
  public:
    spot_awaited (std::shared_ptr<spot_pump> by, Executor &where, std::stop_token token) noexcept
      : by_ (std::move (by)), where_ (where), token_ (std::move (token))
    {
    }

    [[nodiscard]] bool await_ready () noexcept { return by_->take (*this); }
    bool await_suspend (std::coroutine_handle<> waiting)
    {
        const std::shared_ptr<spot_pump> by = by_;  // all else may be gone once it waits
        coroutine_ = waiting;
        if (token_.stop_possible ())
            on_stop_.emplace (token_, stopper{this});
        const std::lock_guard here (by->lock ());
        if (is_stopped_)
            bad_ = make_error_code (errc::cancelled);
        else if (by->wait_locked (*this))
            return true;
        else
            bad_ = make_error_code (errc::no_memory);
        return false;
    }
    auto await_resume ()
    {
        on_stop_.reset ();
        return bad_ ? Answer () (result<zlink_spot_message_t> (bad_))
                    : Answer () (result<zlink_spot_message_t> (got_));
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
            bad_ = make_error_code (errc::cancelled);
        }
        where_.post (coroutine_);
    }

    const std::shared_ptr<spot_pump> by_;
    Executor &where_;
    const std::stop_token token_;
    std::coroutine_handle<> coroutine_;
    bool is_stopped_ = false;  // under the pump's lock
    std::optional<std::stop_callback<stopper>> on_stop_;
};

}  // namespace zlink::detail
