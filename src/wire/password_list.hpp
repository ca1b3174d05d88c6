// A list of names and hashes of their passwords, as text:
//
//   # a remark, as empty lines are
//   name:$argon2id$v=19$m=65536,t=2,p=1$salt$hash
//
// Each name once, 1 to 255 octets (RFC 24), split at the line's last colon; lines
// end in LF or CR LF. Immutable; any thread reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/password_hash.hpp"

namespace zlink::wire {

class password_list
{
  public:
    // Whether a text is no list but the path of a file that holds one: a line without a
    // colon, which no line of a list is.
    [[nodiscard]] static bool is_path (std::string_view text) noexcept;

    // Null: bad_line, counted from 1, is none of those. May throw std::bad_alloc.
    [[nodiscard]] static std::unique_ptr<const password_list> read (std::string_view text,
                                                                    std::size_t &bad_line);

    // Computes for as long as the hash says. Of a name that is not there as long as
    // of the slowest that is, so that the time tells nobody who is.
    [[nodiscard]] crypto::password_answer check (std::string_view name, base::bytes_view password) const;

  private:
    [[nodiscard]] bool take_line (std::string_view line);

    std::map<std::string, std::string, std::less<>> hashes_;  // by name
    std::string slowest_;
    std::uint64_t slowest_cost_ = 0;
};

}  // namespace zlink::wire
