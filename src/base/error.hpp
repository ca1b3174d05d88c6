// Errors as values.
//
// Inside the library nothing throws and nothing touches errno: a call that can
// fail returns result<T>. The code says what the caller can do next; the
// operating system's own number, where there was one, is carried along so that
// nothing is lost on the way to the log.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

namespace zlink::base {

enum class errc : std::uint16_t
{
    ok = 0,

    // Try again, later or after waiting.
    would_block,
    interrupted,
    in_progress,

    // The call is wrong as it stands.
    invalid_argument,
    bad_address,
    not_a_socket,
    not_supported,
    wrong_state,
    no_such_endpoint,
    name_too_long,
    message_too_long,
    protocol_not_supported,
    incompatible_protocol,
    host_unreachable,
    permission_denied,

    // The world says no; another address or another moment may do.
    address_in_use,
    address_not_available,
    no_device,
    no_such_file,
    connection_refused,
    connection_reset,
    connection_aborted,
    network_unreachable,
    timed_out,
    not_connected,
    name_not_found,

    // A resource or a named limit is exhausted.
    no_memory,
    too_many_files,
    too_many_sockets,
    no_io_thread,

    // The context is going away.
    terminated,

    // The operating system answered something this table does not know.
    os_failure,
};

struct error
{
    errc code = errc::ok;
    int os_code = 0;  // the system's number, 0 where there was none
};

// A value or an error. Trivially cheap for small T; never throws.
template <class T> class [[nodiscard]] result
{
  public:
    result (T value) : state_ (std::in_place_index<0>, std::move (value)) {}
    result (errc code) : state_ (std::in_place_index<1>, error{code, 0}) {}
    result (error e) : state_ (std::in_place_index<1>, e) {}

    [[nodiscard]] bool ok () const noexcept { return state_.index () == 0; }
    explicit operator bool () const noexcept { return ok (); }
    [[nodiscard]] T &value () &noexcept { return *std::get_if<0> (&state_); }
    [[nodiscard]] const T &value () const &noexcept { return *std::get_if<0> (&state_); }
    [[nodiscard]] T &&value () &&noexcept { return std::move (*std::get_if<0> (&state_)); }
    [[nodiscard]] error failure () const noexcept { return ok () ? error{} : *std::get_if<1> (&state_); }
    [[nodiscard]] errc code () const noexcept { return failure ().code; }

  private:
    std::variant<T, error> state_;
};

template <> class [[nodiscard]] result<void>
{
  public:
    result () = default;
    result (errc code) : error_{code, 0} {}
    result (error e) : error_ (e) {}

    [[nodiscard]] bool ok () const noexcept { return error_.code == errc::ok; }
    explicit operator bool () const noexcept { return ok (); }
    [[nodiscard]] error failure () const noexcept { return error_; }
    [[nodiscard]] errc code () const noexcept { return error_.code; }

  private:
    error error_{};
};

}  // namespace zlink::base
