// A socket's events as messages on another socket, a PAIR or PUSH that is
// bound over inproc: what zmq_socket_monitor and zlink_socket_monitor make.
//
// Nothing blocks: what the reader has not made room for waits in a bounded
// queue, and above that events are lost and counted. With the monitored
// socket's end, or remove_sink, all that waits goes out, above the marks of the
// link, the last event behind it, and the monitor's own socket is closed.
//
// Ownership: shared by the monitored socket and by the monitor's own, both
// until they end. Thread rule: any thread; whoever comes while another one
// sends leaves it to that one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/atomic.hpp"
#include "base/message.hpp"
#include "base/watcher.hpp"
#include "socket/event_queue.hpp"
#include "socket/event_stream.hpp"

namespace zlink::socket {

inline constexpr std::size_t monitor_parts_max = 8;

// How events look as messages.
struct monitor_format
{
    event_numbering number;
    // Initialises the parts it needs and answers how many; 0: no memory.
    std::size_t (*encode) (const engine::event_record &what, std::span<base::message> parts) noexcept;
};

class monitor final : public engine::event_sink,
                      public base::watcher,
                      public std::enable_shared_from_this<monitor>
{
  public:
    // speaker: the socket's handle, the monitor's from now on.
    monitor (void *speaker, const monitor_format &format, std::uint64_t mask);  // throws bad_alloc
    ~monitor () override;
    monitor (const monitor &) = delete;
    monitor &operator= (const monitor &) = delete;

    bool take (const engine::event_record &what) noexcept override;
    void deliver () noexcept override;
    // The speaker may have room now, or a reader.
    void wake () noexcept override { deliver (); }

    [[nodiscard]] std::uint64_t mask () const noexcept { return mask_; }

  private:
    void speak () noexcept;
    bool obtain () noexcept;
    bool send () noexcept;
    void drop () noexcept;

    void *const speaker_;
    const monitor_format format_;
    const std::uint64_t mask_;
    event_queue queue_;
    base::atomic<std::uint32_t> callers_{0};

    // Of the thread that speaks.
    std::array<base::message, monitor_parts_max> parts_;
    std::size_t parts_count_ = 0;  // of an event that was not sent yet
    bool closed_ = false;
};

}  // namespace zlink::socket
