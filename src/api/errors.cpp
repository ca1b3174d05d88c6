#include "api/errors.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "zlink/zlink.h"

namespace zlink::api {

using base::errc;

namespace {

struct number_row
{
    errc code;
    int number;
};

constexpr std::array numbers = {
  number_row{errc::ok, 0},
  number_row{errc::would_block, EAGAIN},
  number_row{errc::interrupted, EINTR},
  number_row{errc::in_progress, EINPROGRESS},
  number_row{errc::invalid_argument, EINVAL},
  number_row{errc::bad_address, EFAULT},
  number_row{errc::not_a_socket, ENOTSOCK},
  number_row{errc::not_supported, ENOTSUP},
  number_row{errc::wrong_state, EFSM},
  number_row{errc::no_such_endpoint, ENOENT},
  number_row{errc::name_too_long, ENAMETOOLONG},
  number_row{errc::message_too_long, EMSGSIZE},
  number_row{errc::protocol_not_supported, EPROTONOSUPPORT},
  number_row{errc::incompatible_protocol, ENOCOMPATPROTO},
  number_row{errc::host_unreachable, EHOSTUNREACH},
  number_row{errc::permission_denied, EACCES},
  number_row{errc::address_in_use, EADDRINUSE},
  number_row{errc::address_not_available, EADDRNOTAVAIL},
  number_row{errc::no_device, ENODEV},
  number_row{errc::no_such_file, ENOENT},
  number_row{errc::connection_refused, ECONNREFUSED},
  number_row{errc::connection_reset, ECONNRESET},
  number_row{errc::connection_aborted, ECONNABORTED},
  number_row{errc::network_unreachable, ENETUNREACH},
  number_row{errc::timed_out, ETIMEDOUT},
  number_row{errc::not_connected, ENOTCONN},
  number_row{errc::name_not_found, ENODEV},
  number_row{errc::no_memory, ENOMEM},
  number_row{errc::too_many_files, EMFILE},
  number_row{errc::too_many_sockets, EMFILE},
  number_row{errc::no_io_thread, EMTHREAD},
  number_row{errc::terminated, ETERM},
  number_row{errc::os_failure, EIO},
};

// A code is its row's index.
constexpr bool in_order ()
{
    for (std::size_t i = 0; i < numbers.size (); ++i)
        if (static_cast<std::size_t> (numbers[i].code) != i)
            return false;
    return true;
}
static_assert (in_order () && numbers.size () == static_cast<std::size_t> (errc::os_failure) + 1);

}  // namespace

int error_number (errc code) noexcept
{
    const auto index = static_cast<std::size_t> (code);
    return index < numbers.size () ? numbers[index].number : EIO;
}

int error_number (base::error failure) noexcept
{
    if (failure.code == errc::os_failure && failure.os_code != 0)
        return failure.os_code;
    return error_number (failure.code);
}

const char *error_text (int number) noexcept
{
    // The system has no words for the first four, and for the last one words
    // that differ from system to system; programs compare these.
    switch (number) {
    case EFSM:
        return "Operation cannot be accomplished in current state";
    case ENOCOMPATPROTO:
        return "The protocol is not compatible with the socket type";
    case ETERM:
        return "Context was terminated";
    case EMTHREAD:
        return "No thread available";
    case EHOSTUNREACH:
        return "Host unreachable";
    default:
        return std::strerror (number);
    }
}

int failed (errc code) noexcept
{
    errno = error_number (code);
    return -1;
}

int failed (base::error failure) noexcept
{
    errno = error_number (failure);
    return -1;
}

int failed_descriptor () noexcept
{
    errno = EBADF;
    return -1;
}

std::nullptr_t failed_pointer (base::error failure) noexcept
{
    errno = error_number (failure);
    return nullptr;
}

}  // namespace zlink::api
