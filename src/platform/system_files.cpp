#include "platform/system_files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/secret.hpp"
#include "platform/descriptor.hpp"
#include "platform/os_error.hpp"

namespace zlink::platform {

using base::errc;

namespace {

void forget (std::string &text) noexcept { base::wipe (std::as_writable_bytes (std::span (text))); }

// The room is one octet more than the file had when it was asked: one that grows
// meanwhile is noticed.
base::result<std::string> read_all (int file, std::size_t expected)
{
    std::string text (expected + 1, '\0');
    std::size_t held = 0;
    for (;;) {
        const ssize_t got = ::read (file, text.data () + held, text.size () - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const base::error why = last_os_error ();
            forget (text);
            return why;
        }
        held += static_cast<std::size_t> (got);
        if (got == 0) {
            text.resize (held);
            return text;
        }
        if (held == text.size ()) {
            forget (text);
            return errc::in_progress;
        }
    }
}

}  // namespace

// A pipe in the place of a file would keep us waiting for whoever writes it.
base::result<std::string> system_files::read (std::string_view path) noexcept
try {
    if (path.find ('\0') != path.npos)
        return errc::invalid_argument;
    const std::string name (path);
    const descriptor file (::open (name.c_str (), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat about
    {
    };
    if (!file.valid () || ::fstat (file.get (), &about) != 0)
        return last_os_error ();
    if (!S_ISREG (about.st_mode))
        return errc::invalid_argument;
    if (about.st_size > static_cast<off_t> (file_bytes_max))
        return errc::message_too_long;
    return read_all (file.get (), static_cast<std::size_t> (about.st_size));
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

base::result<std::string> system_files::read_system_trust () noexcept
{
    for (const char *const place : trust_) {
        base::result<std::string> found = read (place);
        if (found.code () != errc::no_such_file)
            return found;
    }
    return errc::no_such_file;
}

std::span<const char *const> system_files::usual_trust () noexcept
{
    static constexpr const char *places[] = {
      "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Alpine
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
      "/etc/ssl/ca-bundle.pem",                             // openSUSE
      "/etc/pki/tls/certs/ca-bundle.crt",                   // older RHEL
      "/etc/ssl/cert.pem",
    };
    return places;
}

}  // namespace zlink::platform
