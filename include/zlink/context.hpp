// SPDX-License-Identifier: MPL-2.0
//
// Contexts: what sockets that meet over inproc have in common, and the
// background threads that serve them.
//
// Thread rule: every call from any thread.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <zlink/error.hpp>
#include <zlink/zlink.h>

namespace zlink {

// No time limit.
inline constexpr std::chrono::milliseconds for_ever{-1};

class context
{
  public:
    // failure: no_memory, too_many.
    context () : handle_ (zlink_ctx_new ())
    {
        if (handle_ == nullptr)
            throw failure (last_error (), "zlink::context");
    }
    context (context &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    context &operator= (context &&other) noexcept
    {
        if (this != &other) {
            end ();
            handle_ = std::exchange (other.handle_, nullptr);
        }
        return *this;
    }
    context (const context &) = delete;
    context &operator= (const context &) = delete;
    // Blocks until every socket is closed and its messages are sent, or its
    // LINGER has passed: declare a context before its sockets.
    ~context () { end (); }

    // ZLINK_IO_THREADS and the like. failure: invalid_argument.
    void set (int option, int value)
    {
        detail::value_of (set (std::nothrow, option, value), "zlink::context::set");
    }
    result<void> set (std::nothrow_t, int option, int value) noexcept
    {
        return detail::outcome (zlink_ctx_set (handle_, option, value));
    }
    [[nodiscard]] int get (int option) const
    {
        return detail::value_of (get (std::nothrow, option), "zlink::context::get");
    }
    [[nodiscard]] result<int> get (std::nothrow_t, int option) const noexcept
    {
        return detail::outcome_of<int> (zlink_ctx_get (handle_, option));
    }

    // All calls on its sockets answer terminated from now on; blocked ones wake.
    void shutdown () noexcept { zlink_ctx_shutdown (handle_); }

    // Ends it as the destructor does, within a time limit. False: somebody
    // still holds it, see holders(); it is terminating all the same.
    [[nodiscard]] bool terminate (std::chrono::milliseconds limit)
    {
        return detail::value_of (terminate (std::nothrow, limit), "zlink::context::terminate");
    }
    [[nodiscard]] result<bool> terminate (std::nothrow_t, std::chrono::milliseconds limit) noexcept
    {
        const int answer = zlink_ctx_term_ms (handle_, static_cast<int> (limit.count ()));
        if (answer == 0)
            handle_ = nullptr;
        else if (zlink_errno () != ETIMEDOUT)
            return last_error ();
        return answer == 0;
    }

    // A line for every socket that is still open.
    [[nodiscard]] std::string holders () const
    {
        return text_from (zlink_ctx_holders, "zlink::context::holders");
    }
    [[nodiscard]] result<std::string> holders (std::nothrow_t) const noexcept
    {
        return detail::no_throw ([&] { return result<std::string> (holders ()); });
    }
    // The counters of all its sockets, for people.
    [[nodiscard]] std::string counters_text () const
    {
        return text_from (zlink_ctx_counters_text, "zlink::context::counters_text");
    }
    [[nodiscard]] result<std::string> counters_text (std::nothrow_t) const noexcept
    {
        return detail::no_throw ([&] { return result<std::string> (counters_text ()); });
    }

    [[nodiscard]] void *handle () const noexcept { return handle_; }

  private:
    std::string text_from (int (*ask) (void *, char *, std::size_t *), const char *call) const
    {
        std::string text (4096, '\0');
        for (;;) {
            std::size_t size = text.size ();
            detail::value_of (detail::outcome (ask (handle_, text.data (), &size)), call);
            const bool all = size <= text.size ();
            text.resize (all ? size - (size > 0) : size);
            if (all)
                return text;
        }
    }

    void end () noexcept
    {
        if (handle_ == nullptr)
            return;
        while (zlink_ctx_term (handle_) != 0 && zlink_errno () == EINTR) {}
        handle_ = nullptr;
    }

    void *handle_;
};

// What options::plain_passwords takes for a password; computes for a tenth of a
// second. failure: not_supported, no_memory.
[[nodiscard]] inline std::string hash_password (std::string_view password)
{
    std::array<char, ZLINK_PASSWORD_HASH_BYTES> made;
    detail::value_of (
      detail::outcome (zlink_hash_password (made.data (), made.size (), password.data (), password.size ())),
      "zlink::hash_password");
    return made.data ();
}

}  // namespace zlink
