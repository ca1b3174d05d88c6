// SPDX-License-Identifier: MPL-2.0
//
// A coroutine that somebody awaits. It starts when it is awaited, or spawned
// in a loop, and ends with a value or an exception.
//
// Parameters are copied into the coroutine, references are not what they refer
// to: those must outlive it. A lambda that is a coroutine must outlive it, too.
// Thread rule: one thread at a time; which one resumes it is up to whoever it
// awaits.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace zlink {

template <class T = void> class task;

namespace detail {

class promise_base
{
  public:
    [[nodiscard]] std::suspend_always initial_suspend () const noexcept { return {}; }
    void unhandled_exception () noexcept { trouble_ = std::current_exception (); }
    void set_waiting (std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }

    // Goes on with whoever awaits it.
    struct handing_over
    {
        [[nodiscard]] bool await_ready () const noexcept { return false; }
        template <class Promise>
        [[nodiscard]] std::coroutine_handle<>
        await_suspend (std::coroutine_handle<Promise> ended) const noexcept
        {
            const promise_base &own = ended.promise ();
            return own.waiting_ ? own.waiting_ : std::noop_coroutine ();
        }
        void await_resume () const noexcept {}
    };
    [[nodiscard]] handing_over final_suspend () const noexcept { return {}; }

  protected:
    void rethrow () const
    {
        if (trouble_)
            std::rethrow_exception (trouble_);
    }

  private:
    std::coroutine_handle<> waiting_;
    std::exception_ptr trouble_;
};

template <class T> class promise : public promise_base
{
  public:
    [[nodiscard]] task<T> get_return_object () noexcept;
    template <class Value> void return_value (Value &&value) { value_.emplace (std::forward<Value> (value)); }
    [[nodiscard]] T take ()
    {
        rethrow ();
        return std::move (*value_);
    }

  private:
    std::optional<T> value_;
};

template <> class promise<void> : public promise_base
{
  public:
    [[nodiscard]] task<void> get_return_object () noexcept;
    void return_void () const noexcept {}
    void take () const { rethrow (); }
};

}  // namespace detail

template <class T> class [[nodiscard]] task
{
  public:
    using promise_type = detail::promise<T>;

    explicit task (std::coroutine_handle<promise_type> own) noexcept : own_ (own) {}
    task (task &&other) noexcept : own_ (std::exchange (other.own_, nullptr)) {}
    task &operator= (task &&other) noexcept
    {
        std::swap (own_, other.own_);
        return *this;
    }
    task (const task &) = delete;
    task &operator= (const task &) = delete;
    // Destroys the coroutine where it stands: not while it awaits something that
    // would resume it.
    ~task ()
    {
        if (own_)
            own_.destroy ();
    }

    [[nodiscard]] bool await_ready () const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend (std::coroutine_handle<> waiting) noexcept
    {
        own_.promise ().set_waiting (waiting);
        return own_;
    }
    T await_resume () { return own_.promise ().take (); }

  private:
    std::coroutine_handle<promise_type> own_;
};

namespace detail {

template <class T> task<T> promise<T>::get_return_object () noexcept
{
    return task<T> (std::coroutine_handle<promise<T>>::from_promise (*this));
}

inline task<void> promise<void>::get_return_object () noexcept
{
    return task<void> (std::coroutine_handle<promise<void>>::from_promise (*this));
}

}  // namespace detail

}  // namespace zlink
