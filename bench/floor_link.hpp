// The floor: honest programs without a library. They move the same messages
// over the same transport as plainly as the system allows, so that a result
// above them is an error in somebody's measuring.
//
// framed_writer and framed_reader speak ZMTP frames over a stream socket with
// arenas and slabs; byte_ring moves messages between two threads with a copy
// in and a copy out. Thread rule: one thread per object; a byte_ring has one
// producer and one consumer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zlink::bench {

// Two ends of a connected stream: a listener's on the loopback (tcp) or in
// the directory (ipc). Defaults of the system, TCP_NODELAY on.
struct stream_ends
{
    int here = -1;
    int there = -1;
};
[[nodiscard]] stream_ends open_stream (const std::string &transport, const std::string &directory);

// Larger bodies are written and read where they are.
constexpr std::size_t copied_max = 16 << 10;

// How a reader waits.
enum class waiting
{
    blocking,
    spinning,
};

// Lines of their own: a writer and a reader stand side by side and are used by
// two threads.
class alignas (128) framed_writer
{
  public:
    explicit framed_writer (int descriptor);
    // Small bodies are copied into the arena, which is written when it is
    // full; large ones are written from where they are, behind their header.
    void send (const std::byte *body, std::size_t size);
    void flush ();

  private:
    static constexpr std::size_t arena_bytes = 64 << 10;

    std::size_t put_header (std::byte *to, std::size_t size) const noexcept;
    void send_large (const std::byte *body, std::size_t size);

    int descriptor_;
    std::unique_ptr<std::byte[]> arena_;
    std::size_t used_ = 0;
};

class alignas (128) framed_reader
{
  public:
    framed_reader (int descriptor, waiting how);
    // Parses the next frame and copies its body out. Answers its size; ends
    // the process when the stream ends or a frame does not fit.
    std::size_t receive (std::byte *to, std::size_t capacity);

  private:
    static constexpr std::size_t slab_bytes = 256 << 10;
    static constexpr std::size_t behind_large_bytes = 512;

    std::size_t parse_size ();
    void fill (std::size_t wanted);
    void read_rest (std::byte *to, std::size_t wanted, std::size_t behind);
    std::size_t wait_read (std::byte *to, std::size_t size, std::byte *next, std::size_t next_size);

    int descriptor_;
    waiting how_;
    std::unique_ptr<std::byte[]> slab_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

class byte_ring
{
  public:
    static constexpr unsigned looks_before_yield = 8;

    // Holds at least four messages of the size. Who waits gives the processor
    // away after so many looks.
    explicit byte_ring (std::size_t message_bytes, unsigned looks = looks_before_yield);

    // Shows what was sent in steps of a few KiB, so that the two threads do
    // not fight over one line for every message; flush shows the rest.
    void send (const std::byte *body, std::size_t size);
    void flush ();
    std::size_t receive (std::byte *to, std::size_t capacity);

    // The same with a sleeping receiver: flush_and_wake instead of flush.
    void flush_and_wake ();
    std::size_t receive_sleeping (std::byte *to, std::size_t capacity);

  private:
    static constexpr std::size_t step_bytes = 4 << 10;

    void wait_for_room (std::size_t wanted);
    void wait_for_data ();
    void look_again (unsigned *looks) const;

    const unsigned looks_before_yield_;
    std::size_t capacity_;
    std::unique_ptr<std::byte[]> bytes_;
    // The producer's lines and the consumer's must not meet.
    alignas (128) std::atomic<std::uint64_t> shown_{0};
    std::atomic<std::uint32_t> flushes_{0};  // what a sleeping receiver sleeps on
    alignas (128) std::uint64_t written_ = 0;
    std::uint64_t shown_mine_ = 0;
    std::uint64_t freed_seen_ = 0;
    alignas (128) std::atomic<std::uint64_t> freed_{0};
    alignas (128) std::uint64_t read_ = 0;
    std::uint64_t freed_mine_ = 0;
    std::uint64_t shown_seen_ = 0;
};

}  // namespace zlink::bench
