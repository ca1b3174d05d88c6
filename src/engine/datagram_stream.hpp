// Datagrams as a stream of frames, so that all that queues, counts and chooses
// need know nothing of them.
//
// What is written are the frames of messages of two parts (ZMTP 3 framing), in
// pieces of any size; each message leaves as one datagram. What is read are the
// same frames of the datagrams that have come:
//
//   groups  one octet of length, the group, the body; parts: group, body
//   raw     the body; parts: the address ("127.0.0.1:5555"), body. Of those
//           that are read an octet of 0 ends the address, as libzmq's
//
// A datagram leaves with the last octet of its message: until the system takes
// it, this octet is not taken either (would_block). What can never leave, or was
// no such datagram, is dropped and counted. Commands are for peers, and taken in
// silence. Sources: decision 0016; libzmq for both formats.
// Thread rule: that of base::stream; take_dropped() by whoever holds that side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/datagram.hpp"
#include "base/message.hpp"
#include "base/stream.hpp"
#include "engine/counters.hpp"
#include "wire/framing.hpp"

namespace zlink::engine {

// Datagrams that one read brings at most, where there is room for them.
inline constexpr unsigned datagrams_per_read_max = 64;

struct datagrams_dropped
{
    std::uint64_t too_large = 0;
    std::uint64_t malformed = 0;
    std::uint64_t unroutable = 0;
    std::uint64_t full = 0;
    [[nodiscard]] bool any () const noexcept { return (too_large | malformed | unroutable | full) != 0; }
};

class datagram_stream final : public base::stream
{
  public:
    enum class content : std::uint8_t
    {
        groups_sent,
        groups_received,
        raw,
    };
    // port: not null. body_bytes_max: larger ones are dropped when they come.
    datagram_stream (std::unique_ptr<base::datagram_port> port,
                     content what,
                     std::uint64_t body_bytes_max) noexcept
      : port_ (std::move (port)), what_ (what), body_bytes_max_ (body_bytes_max)
    {
    }

    base::result<std::size_t> write (std::span<const base::bytes_view> slices) noexcept override;
    base::result<std::size_t> read (std::span<const base::bytes_span> slices) noexcept override;
    [[nodiscard]] bool connecting () const noexcept override { return false; }
    base::result<void> finish_connect () noexcept override { return {}; }
    // Nobody is there to end theirs: the next read is the end.
    void shutdown_write () noexcept override { ended_ = true; }
    bool wait_writable (base::time_ns timeout_ns) noexcept override
    {
        return port_->wait_writable (timeout_ns);
    }
    [[nodiscard]] bool output_pending () noexcept override { return false; }
    [[nodiscard]] base::io_handle handle () const noexcept override { return port_->handle (); }
    [[nodiscard]] bool admitted () const noexcept override { return true; }
    [[nodiscard]] std::string peer_address () const override { return port_->peer_address (); }
    [[nodiscard]] std::string local_endpoint () const override { return port_->local_endpoint (); }
    [[nodiscard]] std::string remote_endpoint () const override { return port_->remote_endpoint (); }

    // The last read left off before the system had no more.
    [[nodiscard]] bool left_off () const noexcept { return left_off_; }

    // Messages that were dropped since the last call.
    [[nodiscard]] datagrams_dropped take_dropped_sent () noexcept
    {
        return std::exchange (dropped_sent_, {});
    }
    [[nodiscard]] datagrams_dropped take_dropped_received () noexcept
    {
        return std::exchange (dropped_received_, {});
    }

  private:
    // What of a message has been written so far.
    struct outgoing
    {
        std::array<std::byte, wire::frame_header_bytes_max> head{};
        std::size_t head_bytes = 0;
        bool in_body = false;
        wire::frame_head frame{};
        std::uint64_t body_left = 0;
        unsigned parts = 0;  // begun
        std::array<char, base::sender_name::bytes_max> name{};
        std::size_t name_bytes = 0;
        std::array<std::byte, base::datagram_bytes_max> datagram{};
        std::size_t datagram_bytes = 0;
        bool too_large = false;
        bool malformed = false;
        bool waits = false;  // it is whole but for an octet that has been offered, and there was no room
    };

    enum class step : std::uint8_t
    {
        taken,     // all of the piece
        complete,  // a message, or a command
    };
    step take (base::bytes_view &piece) noexcept;
    step take_head (base::bytes_view &piece) noexcept;
    void begin_frame () noexcept;
    void keep (base::bytes_view part) noexcept;
    [[nodiscard]] step end_of_frame () noexcept;
    [[nodiscard]] bool send_out () noexcept;
    [[nodiscard]] base::errc deliver () noexcept;

    void show (std::size_t size_bytes) noexcept;
    void show_frame (std::size_t &at, base::bytes_view body, bool more) noexcept;
    std::size_t
    give (std::span<const base::bytes_span> slices, std::size_t &slice, std::size_t &used) noexcept;
    bool fetch (base::errc &failure) noexcept;
    base::result<std::size_t> ignore_arrivals () noexcept;

    std::unique_ptr<base::datagram_port> port_;
    const content what_;
    const std::uint64_t body_bytes_max_;

    outgoing out_;  // the writer's
    datagrams_dropped dropped_sent_;

    // The reader's. A datagram as it came; and as frames, what is still to give.
    std::array<std::byte, base::datagram_bytes_max> arrived_{};
    base::sender_name sender_;
    std::array<std::byte,
               base::datagram_bytes_max + base::sender_name::bytes_max + 2 * wire::frame_header_bytes_max>
      frames_{};
    std::size_t frames_bytes_ = 0;
    std::size_t frames_given_ = 0;
    std::uint64_t overrun_told_ = 0;
    bool ended_ = false;
    bool left_off_ = false;
    datagrams_dropped dropped_received_;
};

}  // namespace zlink::engine
