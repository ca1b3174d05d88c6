// SPDX-License-Identifier: MPL-2.0
//
// How calls of the C++ interface fail.
//
// Every call that can fail has two forms: one throws zlink::failure; the other
// takes std::nothrow first and answers a result, and throws nothing, std::bad_alloc
// included. Numbers are those of errno and of zlink.h.
// Thread rule: values; as any.
#pragma once

#include <cassert>
#include <cerrno>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <zlink/zlink.h>

namespace zlink {

// What a caller may want to tell apart; any other errno may come, too.
enum class errc
{
    would_block = EAGAIN,  // and time-outs of sends and receives
    interrupted = EINTR,   // a signal came; nothing was sent or received
    timed_out = ETIMEDOUT,
    cancelled = ECANCELED,
    terminated = ETERM,         // the context is terminating
    not_a_socket = ENOTSOCK,    // closed, perhaps by another thread
    wrong_state = EFSM,         // not now: a REQ that waits for its reply
    not_supported = ENOTSUP,    // not with this type of socket
    invalid_argument = EINVAL,  // out of range, or unknown
    message_too_long = EMSGSIZE,
    no_such_peer = EHOSTUNREACH,
    no_such_endpoint = ENOENT,
    address_in_use = EADDRINUSE,
    address_not_available = EADDRNOTAVAIL,
    unknown_scheme = EPROTONOSUPPORT,
    incompatible = ENOCOMPATPROTO,
    too_many = EMFILE,  // descriptors or sockets
    no_memory = ENOMEM,
};

// The category of these numbers. Conditions of std::errc match where the
// system has the number, too.
[[nodiscard]] const std::error_category &category () noexcept;

[[nodiscard]] inline std::error_code make_error_code (errc code) noexcept
{
    return {static_cast<int> (code), category ()};
}

// Why the last failed C call of this thread failed.
[[nodiscard]] inline std::error_code last_error () noexcept { return {zlink_errno (), category ()}; }

// Thrown by the throwing forms. what() names the call.
class failure : public std::system_error
{
  public:
    failure (std::error_code code, const char *call) : std::system_error (code, call) {}
    // In the words of errc: for a switch.
    [[nodiscard]] errc why () const noexcept { return static_cast<errc> (code ().value ()); }
};

namespace detail {

// An error_code that costs nothing while there is no error: making one asks
// for its category.
class kept_error
{
  public:
    constexpr kept_error () noexcept = default;
    kept_error (std::error_code why) noexcept : number_ (why.value ()), category_ (&why.category ()) {}
    [[nodiscard]] std::error_code code () const noexcept
    {
        return category_ == nullptr ? std::error_code () : std::error_code (number_, *category_);
    }
    explicit operator bool () const noexcept { return number_ != 0; }

  private:
    int number_ = 0;
    const std::error_category *category_ = nullptr;
};

}  // namespace detail

// A value, or why there is none.
template <class T> class [[nodiscard]] result
{
  public:
    using value_type = T;

    result (T value) noexcept (std::is_nothrow_move_constructible_v<T>) : value_ (std::move (value)) {}
    result (std::error_code why) noexcept : error_ (why) {}
    // A value made in place.
    explicit result (std::in_place_t) : value_ (std::in_place) {}
    T &emplace ()
    {
        error_ = {};
        return value_.emplace ();
    }

    [[nodiscard]] bool has_value () const noexcept { return value_.has_value (); }
    explicit operator bool () const noexcept { return has_value (); }

    // Precondition: there is one.
    [[nodiscard]] T &operator* () &noexcept { return held (); }
    [[nodiscard]] const T &operator* () const &noexcept { return const_cast<result *> (this)->held (); }
    [[nodiscard]] T &&operator* () &&noexcept { return std::move (held ()); }
    [[nodiscard]] T *operator->() noexcept { return &held (); }
    [[nodiscard]] const T *operator->() const noexcept { return &const_cast<result *> (this)->held (); }

    // The value, or failure is thrown.
    [[nodiscard]] T &value () &
    {
        check ();
        return *value_;
    }
    [[nodiscard]] T value () &&
    {
        check ();
        return std::move (*value_);
    }
    [[nodiscard]] T value_or (T other) && { return has_value () ? std::move (*value_) : std::move (other); }

    // Zero while there is a value.
    [[nodiscard]] std::error_code error () const noexcept { return error_.code (); }

  private:
    void check () const
    {
        if (!has_value ())
            throw failure (error_.code (), "zlink::result::value");
    }
    T &held () noexcept
    {
        assert (has_value ());
        return *value_;
    }

    std::optional<T> value_;
    detail::kept_error error_;
};

template <> class [[nodiscard]] result<void>
{
  public:
    using value_type = void;

    result () noexcept = default;
    result (std::error_code why) noexcept : error_ (why) {}

    [[nodiscard]] bool has_value () const noexcept { return !error_; }
    explicit operator bool () const noexcept { return has_value (); }
    void value () const
    {
        if (error_)
            throw failure (error_.code (), "zlink::result::value");
    }
    [[nodiscard]] std::error_code error () const noexcept { return error_.code (); }

  private:
    detail::kept_error error_;
};

namespace detail {

class zlink_category final : public std::error_category
{
  public:
    [[nodiscard]] const char *name () const noexcept override { return "zlink"; }
    [[nodiscard]] std::string message (int number) const override { return zlink_strerror (number); }
    [[nodiscard]] std::error_condition default_error_condition (int number) const noexcept override
    {
        if (number > ZLINK_HAUSNUMERO)
            return {number, *this};
        return {number, std::generic_category ()};
    }
};

// Apart, so that the calls that do not fail stay small.
[[noreturn]] inline void fail (std::error_code why, const char *call) { throw failure (why, call); }

// The throwing form of a call that answers a result.
template <class T> T value_of (result<T> &&answer, const char *call)
{
    if (!answer) [[unlikely]]
        fail (answer.error (), call);
    if constexpr (!std::is_void_v<T>)
        return *std::move (answer);
}

// A call that may throw, its failures as answers.
template <class Call> auto no_throw (Call &&call) noexcept -> decltype (call ())
try {
    return call ();
} catch (const failure &why) {
    return why.code ();
} catch (const std::bad_alloc &) {
    return make_error_code (errc::no_memory);
}

// A C function's answer: below zero means that it failed.
[[nodiscard]] inline result<void> outcome (int answer) noexcept
{
    return answer < 0 ? result<void> (last_error ()) : result<void> ();
}

template <class T> [[nodiscard]] result<T> outcome_of (int answer) noexcept
{
    return answer < 0 ? result<T> (last_error ()) : result<T> (static_cast<T> (answer));
}

}  // namespace detail

inline const std::error_category &category () noexcept
{
    static const detail::zlink_category only;
    return only;
}

}  // namespace zlink

template <> struct std::is_error_code_enum<zlink::errc> : std::true_type
{
};
