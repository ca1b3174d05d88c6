// A stream over two strings, for the tests of streams around streams: it takes
// and gives as much at a time as the test says.
// Thread rule: one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/stream.hpp"

namespace zlink::engine::test {

// One direction.
struct tube
{
    std::string octets;
    std::size_t room = SIZE_MAX;  // that one round of writing takes
    std::size_t piece = SIZE_MAX;
    bool ended = false;
    base::errc failure = base::errc::ok;
    bool broken = false;  // it takes no more than that, ever
};

class tube_stream final : public base::stream
{
  public:
    tube_stream (tube &out, tube &in) noexcept : out_ (out), in_ (in) {}
    base::result<std::size_t> write (std::span<const base::bytes_view> slices) noexcept override
    {
        std::size_t taken = 0;
        for (const base::bytes_view &each : slices) {
            const std::size_t size = std::min (out_.room, each.size ());
            out_.octets += base::as_text (each.first (size));
            out_.room -= size;
            taken += size;
        }
        if (taken == 0)
            return out_.broken ? base::errc::connection_reset : base::errc::would_block;
        return taken;
    }
    base::result<std::size_t> read (std::span<const base::bytes_span> slices) noexcept override
    {
        if (in_.octets.empty () && in_.failure != base::errc::ok)
            return in_.failure;
        if (in_.octets.empty ())
            return in_.ended ? base::result<std::size_t> (std::size_t{0}) : base::errc::would_block;
        const std::size_t size = std::min ({slices[0].size (), in_.octets.size (), in_.piece});
        std::memcpy (slices[0].data (), in_.octets.data (), size);
        in_.octets.erase (0, size);
        return size;
    }
    [[nodiscard]] bool connecting () const noexcept override { return false; }
    base::result<void> finish_connect () noexcept override { return {}; }
    void shutdown_write () noexcept override { out_.ended = true; }
    bool wait_writable (base::time_ns) noexcept override { return out_.room > 0; }
    [[nodiscard]] bool output_pending () noexcept override { return !out_.octets.empty (); }
    [[nodiscard]] base::io_handle handle () const noexcept override { return 42; }
    [[nodiscard]] bool admitted () const noexcept override { return true; }
    [[nodiscard]] std::string peer_address () const override { return "peer"; }
    [[nodiscard]] std::string local_endpoint () const override { return "here"; }
    [[nodiscard]] std::string remote_endpoint () const override { return "there"; }

  private:
    tube &out_;
    tube &in_;
};

}  // namespace zlink::engine::test
