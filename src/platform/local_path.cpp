#include "platform/local_path.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "platform/os_error.hpp"
#include "platform/socket_address.hpp"
#include "platform/socket_setup.hpp"

namespace zlink::platform {

namespace {

using base::errc;
using base::result;

constexpr int takeover_attempts = 3;

// Absolute, so that a later change of the working folder does not matter.
std::string absolute (std::string_view path)
{
    if (path.starts_with ('/'))
        return std::string (path);
    std::array<char, 4096> here;
    if (::getcwd (here.data (), here.size ()) == nullptr)
        return std::string (path);
    return std::string (here.data ()) + "/" + std::string (path);
}

// Serialises claims in a folder. Best effort: a folder we cannot read, or one
// that somebody else keeps locked, is used without.
descriptor take_turn (const std::string &file)
{
    const auto slash = file.rfind ('/');
    const std::string folder = slash == 0 || slash == std::string::npos ? "/" : file.substr (0, slash);
    descriptor turn (::open (folder.c_str (), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int attempt = 0; turn.valid () && attempt < 1000; ++attempt) {
        if (::flock (turn.get (), LOCK_EX | LOCK_NB) == 0)
            return turn;
        ::usleep (100);
    }
    return {};
}

enum class occupant
{
    gone,
    stale,
    live,
};

// Who is at the path: asked by connecting, which leaves a live listener one
// connection that ends at once.
occupant look_at (const std::string &file, const socket_address &at)
{
    struct stat facts = {};
    if (::lstat (file.c_str (), &facts) != 0)
        return errno == ENOENT ? occupant::gone : occupant::live;
    if (!S_ISSOCK (facts.st_mode))
        return occupant::live;
    const auto probe = make_stream_socket (address_family::local);
    if (!probe)
        return occupant::live;
    if (::connect (probe.value ().get (), static_cast<const sockaddr *> (at.data ()),
                   static_cast<socklen_t> (at.size_bytes ()))
        == 0)
        return occupant::live;
    if (errno == ECONNREFUSED)
        return occupant::stale;
    return errno == ENOENT ? occupant::gone : occupant::live;
}

result<void> bind_or_take_over (int socket, const std::string &file, const socket_address &at)
{
    for (int attempt = 0; attempt < takeover_attempts; ++attempt) {
        const auto done = bind_socket (socket, at);
        if (done || done.code () != errc::address_in_use)
            return done;
        switch (look_at (file, at)) {
        case occupant::live:
            return done;
        case occupant::stale:
            if (::unlink (file.c_str ()) != 0 && errno != ENOENT)
                return done;
            break;
        case occupant::gone:
            break;
        }
    }
    return errc::address_in_use;
}

result<std::string> make_private_folder ()
{
    for (const char *parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
        std::string pattern = std::string (parent) + "/zlink-XXXXXX";
        if (::mkdtemp (pattern.data ()) != nullptr)
            return pattern;
    }
    return last_os_error ();
}

}  // namespace

local_path::local_path (local_path &&other) noexcept
  : file_ (std::exchange (other.file_, {})), folder_ (std::exchange (other.folder_, {})),
    device_ (other.device_), inode_ (other.inode_)
{
}

local_path &local_path::operator= (local_path &&other) noexcept
{
    if (this != &other) {
        remove ();
        file_ = std::exchange (other.file_, {});
        folder_ = std::exchange (other.folder_, {});
        device_ = other.device_;
        inode_ = other.inode_;
    }
    return *this;
}

result<local_claim> local_path::claim (int socket, std::string_view path)
{
    local_claim claim;
    std::string name (path);
    if (path == "*") {
        auto folder = make_private_folder ();
        if (!folder)
            return folder.failure ();
        claim.path.folder_ = std::move (folder.value ());
        name = claim.path.folder_ + "/socket";
    }
    const auto at = socket_address::local (name);
    if (!at)
        return at.failure ();
    if (name.starts_with ('@')) {
        if (const auto done = bind_socket (socket, at.value ()); !done)
            return done.failure ();
        return claim;
    }
    const std::string file = absolute (name);
    claim.turn = take_turn (file);
    if (const auto done = bind_or_take_over (socket, file, at.value ()); !done)
        return done.failure ();
    struct stat facts = {};
    if (::lstat (file.c_str (), &facts) == 0) {
        claim.path.file_ = file;
        claim.path.device_ = facts.st_dev;
        claim.path.inode_ = facts.st_ino;
    }
    return claim;
}

void local_path::remove () noexcept
{
    struct stat facts = {};
    if (!file_.empty () && ::lstat (file_.c_str (), &facts) == 0 && S_ISSOCK (facts.st_mode)
        && facts.st_dev == device_ && facts.st_ino == inode_)
        ::unlink (file_.c_str ());
    if (!folder_.empty ())
        ::rmdir (folder_.c_str ());
    file_.clear ();
    folder_.clear ();
}

}  // namespace zlink::platform
