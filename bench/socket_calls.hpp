// Sending and receiving by copying calls, by message calls or by batch calls
// behind one face. Failures end the process. One thread at a time, copying
// sends excepted: those any number of threads may make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/cell.hpp"
#include "bench/library.hpp"
#include "bench/lines.hpp"

namespace zlink::bench {

class socket_calls
{
  public:
    // group: how many messages stand behind each other in memory when a batch
    // is to be sent; 1 for all other calls.
    //
    // A ROUTER receives and sends a part with the peer's name before each
    // message, by a call of its own: to whom it received from last, to
    // bound_name at first. So does a STREAM, to the peer whose coming it is told
    // first; the bytes that it receives are cut into messages of the size. A RADIO
    // sends, and a SERVER sends and receives, by message calls.
    socket_calls (const library &calls,
                  void *socket,
                  int type,
                  std::size_t size,
                  const modifiers &with,
                  std::size_t group = 1);
    ~socket_calls ();
    socket_calls (const socket_calls &) = delete;
    socket_calls &operator= (const socket_calls &) = delete;

    // Batch calls only note the message until the group is complete; its
    // bytes must stay until then, or until flush.
    void send (const std::byte *body, std::size_t size)
    {
        if (how_out_ != calls_by::copy)
            send_otherwise (body, size);
        else if (calls_.send (socket_, body, size, 0) < 0)
            fail_call ("send");
    }
    void flush ();

    // Blocks. The bytes stay until the next call.
    const std::byte *receive (std::size_t *size)
    {
        return how_in_ == calls_by::copy ? receive_part (size) : receive_otherwise (size);
    }

  private:
    enum class calls_by
    {
        copy,
        message,
        batch,
        steps,   // what the call needs before it: a poll, a name
        group,   // a message that says its group
        number,  // a message that says whose it is, or whom it is for
        cut,     // a name, then bytes without edges
    };

    const std::byte *receive_part (std::size_t *size)
    {
        const int got = calls_.recv (socket_, buffer_.data (), buffer_.size (), 0);
        if (got < 0)
            fail_call ("recv");
        *size = static_cast<std::size_t> (got);
        return buffer_.data ();
    }
    void send_otherwise (const std::byte *body, std::size_t size);
    void send_addressed (const std::byte *body, std::size_t size);
    void learn_name ();
    const std::byte *receive_in_steps (std::size_t *size);
    void send_labelled (const std::byte *body, std::size_t size);
    const std::byte *receive_cut (std::size_t *size);
    void fill_cut_buffer ();
    const std::byte *receive_otherwise (std::size_t *size);
    void send_message (const std::byte *body, std::size_t size);
    const std::byte *receive_message (std::size_t *size);
    const std::byte *receive_batched (std::size_t *size);
    [[noreturn]] void fail_call (const char *what) const;
    // A message of ours keeps what was received.
    [[nodiscard]] bool holds () const noexcept
    {
        return how_in_ == calls_by::message || how_in_ == calls_by::number;
    }

    const library &calls_;
    void *socket_;
    bool polls_;
    bool names_;
    calls_by how_in_;
    calls_by how_out_;
    lines_of_bytes buffer_;
    std::string name_;  // of the peer, where names are sent
    message_storage held_{};
    std::uint32_t peer_ = 0;  // by number: who was heard last

    // Of bytes without edges: the size of a message, and what was received and not handed out.
    std::size_t size_;
    std::size_t cut_begin_ = 0;
    std::size_t cut_end_ = 0;

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
