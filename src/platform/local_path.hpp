// The file of a local listening socket: taking its name, and giving it back.
//
// Thread rule: none of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "platform/descriptor.hpp"

namespace zlink::platform {

struct local_claim;

class local_path
{
  public:
    // Owns nothing.
    local_path () = default;
    local_path (local_path &&other) noexcept;
    local_path &operator= (local_path &&other) noexcept;
    // Unlinks the file if it is still the one that was made (same device and
    // inode), and the private folder with it.
    ~local_path () { remove (); }

    // Binds a fresh socket to a path, to "@name", or for "*" to a new path in a
    // new private folder. A socket file that nobody listens on is replaced;
    // one with a listener, and any other kind of file, is address_in_use.
    [[nodiscard]] static base::result<local_claim> claim (int socket, std::string_view path);

  private:
    void remove () noexcept;

    std::string file_;    // absolute; empty = nothing to remove
    std::string folder_;  // empty = not ours
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
};

// A name that was taken. While turn lives, no other claim of this library in
// the same folder looks at the file: keep it until the socket listens.
struct local_claim
{
    local_path path;
    descriptor turn;
};

}  // namespace zlink::platform
