#include "platform/os_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

namespace zlink::platform {

namespace {

using base::errc;

struct row
{
    int os_code;
    errc code;
};

constexpr std::array table{
  row{EAGAIN, errc::would_block},
  row{EINTR, errc::interrupted},
  row{EINPROGRESS, errc::in_progress},
  row{EALREADY, errc::in_progress},
  row{EINVAL, errc::invalid_argument},
  row{EFAULT, errc::bad_address},
  row{ENOTSOCK, errc::not_a_socket},
  row{EBADF, errc::not_a_socket},
  row{EOPNOTSUPP, errc::not_supported},
  row{ENOSYS, errc::not_supported},
  row{ENOPROTOOPT, errc::not_supported},
  row{ENAMETOOLONG, errc::name_too_long},
  row{EMSGSIZE, errc::message_too_long},
  row{EPROTONOSUPPORT, errc::protocol_not_supported},
  row{EAFNOSUPPORT, errc::protocol_not_supported},
  row{EPFNOSUPPORT, errc::protocol_not_supported},
  row{ESOCKTNOSUPPORT, errc::protocol_not_supported},
  row{EPROTOTYPE, errc::incompatible_protocol},
  row{EHOSTUNREACH, errc::host_unreachable},
  row{EHOSTDOWN, errc::host_unreachable},
  row{EACCES, errc::permission_denied},
  row{EPERM, errc::permission_denied},
  row{EROFS, errc::permission_denied},
  row{EADDRINUSE, errc::address_in_use},
  row{EADDRNOTAVAIL, errc::address_not_available},
  row{ENODEV, errc::no_device},
  row{ENXIO, errc::no_device},
  row{ENOENT, errc::no_such_file},
  row{ENOTDIR, errc::no_such_file},
  row{ECONNREFUSED, errc::connection_refused},
  row{ECONNRESET, errc::connection_reset},
  row{EPIPE, errc::connection_reset},
  row{ECONNABORTED, errc::connection_aborted},
  row{ENETUNREACH, errc::network_unreachable},
  row{ENETDOWN, errc::network_unreachable},
  row{ENETRESET, errc::connection_reset},
  row{ETIMEDOUT, errc::timed_out},
  row{ENOTCONN, errc::not_connected},
  row{EDESTADDRREQ, errc::not_connected},
  row{EISCONN, errc::wrong_state},
  row{ENOMEM, errc::no_memory},
  row{ENOBUFS, errc::no_memory},
  row{ENOSPC, errc::no_memory},
  row{EMFILE, errc::too_many_files},
  row{ENFILE, errc::too_many_files},
};

}  // namespace

base::errc code_of (int os_code) noexcept
{
    if (os_code == 0)
        return errc::ok;
    const auto *found = std::ranges::find (table, os_code, &row::os_code);
    return found == table.end () ? errc::os_failure : found->code;
}

base::error last_os_error () noexcept
{
    // A failed call that left no number behind must still read as a failure.
    return errno == 0 ? base::error{errc::os_failure, 0} : os_error (errno);
}

}  // namespace zlink::platform
