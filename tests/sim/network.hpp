// The transport "sim": byte streams in memory that behave like a kernel's on
// a bad day. Bytes arrive in pieces of any size, late, or not at all once a
// connection is reset; buffers are bounded; connects are refused or never
// answered.
//
// What it keeps of a kernel's promises, because the engine builds on them: a
// read that comes short has emptied the buffer; bytes that arrived can be read
// after the connection failed; closing with unread input resets it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stream.hpp"
#include "sim/kernel_file.hpp"

namespace zlink::sim {

using base::result;

struct weather
{
    base::time_ns delay_min_ns = 5'000;
    base::time_ns delay_max_ns = 50'000;
    std::size_t piece_bytes_max = 64 * 1024;  // bytes arrive in pieces of 1 to this
    std::size_t buffer_bytes_min = 4 * 1024;  // of either side's kernel
    std::size_t buffer_bytes_max = 256 * 1024;
    unsigned short_write_per_mille = 50;  // though there is room
    unsigned refuse_per_mille = 0;        // connects, though somebody listens
    unsigned silent_per_mille = 0;        // connects that nobody answers
    unsigned full_per_mille = 0;          // no descriptor for dial and accept
    unsigned lookup_failure_per_mille = 0;
};

class virtual_stream;
class virtual_listener;
class network;

// One direction of a connection.
struct direction
{
    std::deque<std::byte> flying;   // with the sender's kernel or on the way
    std::deque<std::byte> arrived;  // with the receiver's kernel
    std::size_t flying_max = 0;
    std::size_t arrived_max = 0;
    bool end_sent = false;
    bool end_arrived = false;
    bool moving = false;  // an event will bring the next piece
    base::time_ns cut_until = 0;
};

struct link
{
    std::uint64_t number = 0;
    direction way[2];                             // [side] is what that side sends
    virtual_stream *end[2] = {nullptr, nullptr};  // 0: who dialled
    bool closed[2] = {false, false};
    base::errc failure[2] = {base::errc::ok, base::errc::ok};  // told once
    bool broken = false;                                       // reset: nothing moves any more
    bool connected = false;
    base::time_ns delay_ns = 0;
    base::time_ns stalled_until = 0;
    std::string name;
};

class network final : public base::transport
{
  public:
    network (kernel_table &table, const weather &how, base::stream_layers around = {}) noexcept
      : table_ (table), sim_ (table.sim), how_ (how), around_ (std::move (around))
    {
    }
    network (const network &) = delete;
    network &operator= (const network &) = delete;

    [[nodiscard]] std::string_view scheme () const noexcept override { return "sim"; }
    result<void> check_remote (std::string_view address,
                               const base::stream_options &options) noexcept override;
    [[nodiscard]] bool must_ask (std::string_view address,
                                 const base::stream_options &options) const noexcept override;
    base::resolve_result resolve (std::string_view address,
                                  const base::stream_options &options) noexcept override;
    result<std::unique_ptr<base::stream>> dial (const base::address &to,
                                                const base::stream_options &options) noexcept override;
    result<std::unique_ptr<base::listener>> listen (std::string_view address,
                                                    const base::stream_options &options) noexcept override;
    bool wraps (std::string_view address, base::stream_layers &to) const override
    {
        if (!around_.tls && !around_.web)
            return false;
        to = around_;
        to.host = address;
        to.port = around_.tls ? "443" : "80";
        return true;
    }

    // --- faults ---

    // Called with the name that was dialled when a fault may have cost a
    // connection to it bytes.
    void on_injury (std::function<void (const std::string &name)> told) { injured_ = std::move (told); }
    // Resets a connection that lives; false when there is none.
    bool break_one () noexcept;
    // One side's kernel ends its direction as if its process had gone; nothing
    // moves for a while.
    bool end_one (base::time_ns stall = 0) noexcept;
    // Nothing moves on one connection for a while.
    bool stall_one (base::time_ns length) noexcept;
    void stall_all (base::time_ns length) noexcept;
    // A partition: for a while nothing arrives of what those who dial that name
    // send there, or of what is sent back, or of both, and no connect is answered
    // that needs it. What was on its way comes when it is over.
    void cut (const std::string &name, bool there, bool back, base::time_ns length) noexcept;
    [[nodiscard]] weather &how () noexcept { return how_; }

    [[nodiscard]] std::size_t streams () const noexcept { return streams_; }
    [[nodiscard]] std::size_t listeners () const noexcept { return listeners_.size (); }
    // For how long, in all, something has been on its way: what a slow network
    // owes to itself.
    [[nodiscard]] base::time_ns busy_ns () const noexcept;
    [[nodiscard]] std::string describe () const;

  private:
    friend class virtual_stream;
    friend class virtual_listener;

    void answer_dial (const std::shared_ptr<link> &which) noexcept;
    void refuse (link &which) noexcept;
    void move_later (const std::shared_ptr<link> &which, int side) noexcept;
    [[nodiscard]] std::size_t choose_piece (const direction &way) noexcept;
    void move (const std::shared_ptr<link> &which, int side) noexcept;
    void finish_close (const std::shared_ptr<link> &which, int side) noexcept;
    void reset (link &which) noexcept;
    [[nodiscard]] link *pick () noexcept;

    [[nodiscard]] base::time_ns quiet_until (const link &which, int side) const noexcept;
    void set_off (direction &way) noexcept;
    void settle (direction &way) noexcept;

    kernel_table &table_;
    simulation &sim_;
    weather how_;
    base::stream_layers around_;
    std::size_t moving_ = 0;  // directions with a piece on its way
    base::time_ns busy_since_ = 0;
    base::time_ns busy_ns_ = 0;
    std::map<std::string, virtual_listener *, std::less<>> listeners_;
    std::vector<std::weak_ptr<link>> links_;
    std::map<std::string, std::array<base::time_ns, 2>> cuts_;  // by the name that is dialled
    std::function<void (const std::string &)> injured_ = [] (const std::string &) {};
    std::uint64_t next_link_ = 1;
    std::uint64_t next_name_ = 1;
    std::size_t streams_ = 0;
};

class virtual_stream final : public base::stream, public kernel_file
{
  public:
    virtual_stream (network &of, std::shared_ptr<link> on, int side);
    ~virtual_stream () override;

    result<std::size_t> write (std::span<const base::bytes_view> slices) noexcept override;
    result<std::size_t> read (std::span<const base::bytes_span> slices) noexcept override;
    [[nodiscard]] bool connecting () const noexcept override;
    result<void> finish_connect () noexcept override;
    void shutdown_write () noexcept override;
    bool wait_writable (base::time_ns timeout_ns) noexcept override;
    [[nodiscard]] bool output_pending () noexcept override;
    [[nodiscard]] io_handle handle () const noexcept override { return number (); }
    [[nodiscard]] bool admitted () const noexcept override { return true; }
    [[nodiscard]] std::string peer_address () const override { return "sim"; }
    [[nodiscard]] std::string local_endpoint () const override;
    [[nodiscard]] std::string remote_endpoint () const override;

    [[nodiscard]] std::uint32_t level () noexcept override;

  private:
    friend class network;
    // Counts callers: one reader and one writer, and none when it closes.
    class user;

    result<std::size_t> write_now (std::span<const base::bytes_view> slices) noexcept;
    result<std::size_t> read_now (std::span<const base::bytes_span> slices) noexcept;
    [[nodiscard]] direction &sends () noexcept { return link_->way[side_]; }
    [[nodiscard]] direction &receives () noexcept { return link_->way[1 - side_]; }

    network &of_;
    std::shared_ptr<link> link_;
    const int side_;
    unsigned readers_ = 0;
    unsigned writers_ = 0;
};

class virtual_listener final : public base::listener, public kernel_file
{
  public:
    virtual_listener (network &of, std::string name, std::size_t backlog);
    ~virtual_listener () override;

    result<std::unique_ptr<base::stream>> accept () noexcept override;
    [[nodiscard]] io_handle handle () const noexcept override { return number (); }
    [[nodiscard]] std::string local_endpoint () const override { return "sim://" + name_; }
    [[nodiscard]] std::uint32_t level () noexcept override
    {
        return waiting_.empty () ? 0 : std::uint32_t{level_in};
    }

  private:
    friend class network;
    network &of_;
    const std::string name_;
    const std::size_t backlog_;
    std::deque<std::shared_ptr<link>> waiting_;
    bool busy_ = false;
};

}  // namespace zlink::sim
