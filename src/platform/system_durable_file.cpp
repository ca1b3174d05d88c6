#include "platform/system_durable_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "platform/os_error.hpp"

namespace zlink::platform {

using base::errc;
using base::result;

namespace {

constexpr mode_t file_mode = 0640;

result<void> write_all (int file, std::string_view text)
{
    while (!text.empty ()) {
        const ssize_t done = ::write (file, text.data (), text.size ());
        if (done >= 0)
            text.remove_prefix (static_cast<std::size_t> (done));
        else if (errno != EINTR)
            return last_os_error ();
    }
    return {};
}

}  // namespace

result<std::unique_ptr<base::durable_file>> system_durable_file::open (std::string_view path) noexcept
try {
    if (path.empty () || path.ends_with ('/') || path.find ('\0') != path.npos)
        return errc::invalid_argument;
    const std::string lock_path = std::string (path) + ".lock";
    descriptor lock (
      ::open (lock_path.c_str (), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, file_mode));
    if (!lock.valid ())
        return last_os_error ();
    if (::flock (lock.get (), LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? base::error{errc::address_in_use, 0} : last_os_error ();
    return result<std::unique_ptr<base::durable_file>> (
      std::make_unique<system_durable_file> (std::string (path), std::move (lock)));
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<std::string> system_durable_file::read (std::size_t bytes_max) noexcept
try {
    const descriptor file (::open (path_.c_str (), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat about
    {
    };
    if (!file.valid () || ::fstat (file.get (), &about) != 0)
        return last_os_error ();
    if (!S_ISREG (about.st_mode))
        return errc::invalid_argument;
    if (about.st_size > static_cast<off_t> (bytes_max))
        return errc::message_too_long;
    std::string text (static_cast<std::size_t> (about.st_size), '\0');
    std::size_t held = 0;
    while (held < text.size ()) {
        const ssize_t got = ::read (file.get (), text.data () + held, text.size () - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return last_os_error ();
        if (got == 0)
            break;
        held += static_cast<std::size_t> (got);
    }
    text.resize (held);
    return text;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> system_durable_file::replace (std::string_view text) noexcept
try {
    const descriptor file (
      ::open (fresh_.c_str (), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, file_mode));
    if (!file.valid ())
        return last_os_error ();
    if (const result<void> written = write_all (file.get (), text); !written)
        return written;
    if (::fsync (file.get ()) != 0 || std::rename (fresh_.c_str (), path_.c_str ()) != 0)
        return last_os_error ();
    return sync_folder ();
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> system_durable_file::sync_folder () const
{
    const std::size_t slash = path_.rfind ('/');
    const std::string folder = slash == path_.npos ? "." : path_.substr (0, slash + 1);
    const descriptor opened (::open (folder.c_str (), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.valid () || ::fsync (opened.get ()) != 0)
        return last_os_error ();
    return {};
}

}  // namespace zlink::platform
