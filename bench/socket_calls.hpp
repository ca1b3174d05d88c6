// Sending and receiving by copying calls, by message calls or by batch calls
// behind one face. Failures end the process. One thread at a time, copying
// sends excepted: those any number of threads may make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/cell.hpp"
#include "bench/library.hpp"

namespace zlink::bench {

class socket_calls
{
  public:
    // group: how many messages stand behind each other in memory when a batch
    // is to be sent; 1 for all other calls.
    socket_calls (
      const library &calls, void *socket, std::size_t size, const modifiers &with, std::size_t group = 1);
    ~socket_calls ();
    socket_calls (const socket_calls &) = delete;
    socket_calls &operator= (const socket_calls &) = delete;

    // Batch calls only note the message until the group is complete; its
    // bytes must stay until then, or until flush.
    void send (const std::byte *body, std::size_t size)
    {
        if (how_ != calls_by::copy)
            send_otherwise (body, size);
        else if (calls_.send (socket_, body, size, 0) < 0)
            fail_call ("send");
    }
    void flush ();

    // Blocks. The bytes stay until the next call.
    const std::byte *receive (std::size_t *size)
    {
        if (how_ != calls_by::copy)
            return receive_otherwise (size);
        const int got = calls_.recv (socket_, buffer_.data (), buffer_.size (), 0);
        if (got < 0)
            fail_call ("recv");
        *size = static_cast<std::size_t> (got);
        return buffer_.data ();
    }

  private:
    enum class calls_by
    {
        copy,
        message,
        batch,
    };

    void send_otherwise (const std::byte *body, std::size_t size);
    const std::byte *receive_otherwise (std::size_t *size);
    void send_message (const std::byte *body, std::size_t size);
    const std::byte *receive_message (std::size_t *size);
    const std::byte *receive_batched (std::size_t *size);
    [[noreturn]] void fail_call (const char *what) const;

    const library &calls_;
    void *socket_;
    calls_by how_;
    std::vector<std::byte> buffer_;
    message_storage held_{};

    // Of batches: what waits to be sent, and what was received and not handed out.
    std::size_t group_;
    const std::byte *first_ = nullptr;
    std::size_t noted_ = 0;
    std::vector<std::uint32_t> sizes_out_;
    std::vector<std::uint32_t> sizes_in_;
    std::size_t next_in_ = 0;
    std::size_t count_in_ = 0;
    std::size_t offset_in_ = 0;
};

}  // namespace zlink::bench
