// For the tests of src/crypto: two sessions of TLS that talk to each other
// through memory, files that lie in memory, randomness that repeats itself.
// Thread rule: one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/entropy.hpp"
#include "base/files.hpp"
#include "crypto/tls_session.hpp"

namespace zlink::test {

using crypto::tls_session;
using crypto::tls_state;

// splitmix64; fails when told to.
class seeded : public base::entropy
{
  public:
    explicit seeded (std::uint64_t seed) noexcept : state_ (seed) {}

    bool fill (base::bytes_span to) noexcept override
    {
        ++asked;
        if (dry)
            return false;
        for (std::byte &each : to) {
            std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15U;
            mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
            mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
            each = static_cast<std::byte> (mixed ^ (mixed >> 31));
        }
        return true;
    }

    std::size_t asked = 0;
    bool dry = false;

  private:
    std::uint64_t state_;
};

// Some of them cannot be read.
struct files_in_memory : base::files
{
    base::result<std::string> read (std::string_view path) noexcept override
    {
        if (path == "forbidden.pem")
            return base::errc::permission_denied;
        if (path == "broken.pem")
            return base::error{base::errc::os_failure, 5};
        const auto found = held.find (std::string (path));
        return found == held.end () ? base::result<std::string> (base::errc::no_such_file) : found->second;
    }
    base::result<std::string> read_system_trust () noexcept override { return system; }

    std::map<std::string, std::string> held;
    std::string system;
};

// One end, and what it has written that the other has not read.
struct end_of_pair
{
    std::unique_ptr<tls_session> session;
    std::vector<std::byte> sent{};
    std::vector<std::byte> out_of_place = std::vector<std::byte> (100);

    void step (base::bytes_view in, std::size_t &taken, std::size_t room)
    {
        std::vector<std::byte> out (room);
        const tls_session::moved did = session->step (in, out);
        taken = did.taken;
        // Tickets and alerts come behind the handshake.
        if (session->state () == tls_state::ready && taken < in.size ())
            taken += session->decrypt (in.subspan (taken), out_of_place).taken;
        ASSERT_LE (did.written, room);
        sent.insert (sent.end (), out.begin (), out.begin () + static_cast<std::ptrdiff_t> (did.written));
    }
};

// What `from` wrote is offered to `to`, at most `most` bytes. False: nothing moved.
inline bool pass (end_of_pair &from, end_of_pair &to, std::size_t most, std::size_t room)
{
    const std::size_t before = to.sent.size ();
    const std::size_t size = std::min (most, from.sent.size ());
    std::size_t taken = 0;
    to.step (base::bytes_view (from.sent).first (size), taken, room);
    from.sent.erase (from.sent.begin (), from.sent.begin () + static_cast<std::ptrdiff_t> (taken));
    return taken > 0 || to.sent.size () > before;
}

// Until nothing moves any more. Bytes of each direction are kept if asked for.
inline void
shake (end_of_pair &one, end_of_pair &other, std::size_t most = 1 << 20, std::size_t room = 1 << 16)
{
    bool moved = true;
    while (moved) {
        moved = pass (other, one, most, room);
        moved = pass (one, other, most, room) || moved;
    }
}

}  // namespace zlink::test
