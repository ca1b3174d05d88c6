#include "bench/floor_link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cpu.hpp"
#include "bench/os.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

namespace {

constexpr std::byte flag_large{2};

stream_ends open_tcp ()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int listener = ::socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stream_ends ends;
    ends.here = ::socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto *generic = reinterpret_cast<sockaddr *> (&address);
    if (::bind (listener, generic, size) != 0 || ::listen (listener, 1) != 0
        || ::getsockname (listener, generic, &size) != 0 || ::connect (ends.here, generic, size) != 0)
        fail ("no loopback connection");
    ends.there = ::accept4 (listener, nullptr, nullptr, SOCK_CLOEXEC);
    ::close (listener);
    const int on = 1;
    ::setsockopt (ends.here, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt (ends.there, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return ends;
}

stream_ends open_ipc (const std::string &directory)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = directory + "/floor";
    if (path.size () >= sizeof address.sun_path)
        fail ("the directory's name is too long");
    std::memcpy (address.sun_path, path.c_str (), path.size ());
    ::unlink (path.c_str ());
    const int listener = ::socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stream_ends ends;
    ends.here = ::socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto *generic = reinterpret_cast<const sockaddr *> (&address);
    if (::bind (listener, generic, sizeof address) != 0 || ::listen (listener, 1) != 0
        || ::connect (ends.here, generic, sizeof address) != 0)
        fail ("no local connection");
    ends.there = ::accept4 (listener, nullptr, nullptr, SOCK_CLOEXEC);
    ::close (listener);
    ::unlink (path.c_str ());
    return ends;
}

// Writes it all; the descriptor blocks.
void write_all (int descriptor, iovec *parts, std::size_t count)
{
    while (count > 0) {
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = count;
        const ssize_t wrote = ::sendmsg (descriptor, &message, MSG_NOSIGNAL);
        if (wrote < 0) {
            if (errno == EINTR)
                continue;
            fail ("the floor's write failed");
        }
        auto left = static_cast<std::size_t> (wrote);
        while (count > 0 && left >= parts->iov_len) {
            left -= parts->iov_len;
            ++parts;
            --count;
        }
        if (count > 0) {
            parts->iov_base = static_cast<std::byte *> (parts->iov_base) + left;
            parts->iov_len -= left;
        }
    }
}

}  // namespace

stream_ends open_stream (const std::string &transport, const std::string &directory)
{
    const stream_ends ends = transport == "tcp" ? open_tcp () : open_ipc (directory);
    if (ends.here < 0 || ends.there < 0)
        fail ("no stream for the floor");
    // As large as a library may have it, or the floor would be no floor. A tcp
    // connection finds its own size.
    constexpr int local_send_buffer_bytes = 512 << 10;
    if (transport != "tcp")
        for (const int end : {ends.here, ends.there})
            ::setsockopt (end, SOL_SOCKET, SO_SNDBUF, &local_send_buffer_bytes,
                          sizeof local_send_buffer_bytes);
    return ends;
}

framed_writer::framed_writer (int descriptor)
  : descriptor_ (descriptor), arena_ (std::make_unique<std::byte[]> (arena_bytes))
{
}

std::size_t framed_writer::put_header (std::byte *to, std::size_t size) const noexcept
{
    if (size < 256) {
        to[0] = std::byte{0};
        to[1] = static_cast<std::byte> (size);
        return 2;
    }
    to[0] = flag_large;
    for (unsigned i = 0; i < 8; ++i)
        to[1 + i] = static_cast<std::byte> (size >> (8 * (7 - i)));
    return 9;
}

void framed_writer::send (const std::byte *body, std::size_t size)
{
    constexpr std::size_t header_max = 9;
    if (size > copied_max) {
        send_large (body, size);
        return;
    }
    if (used_ + header_max + size > arena_bytes)
        flush ();
    used_ += put_header (arena_.get () + used_, size);
    std::memcpy (arena_.get () + used_, body, size);
    used_ += size;
}

void framed_writer::send_large (const std::byte *body, std::size_t size)
{
    used_ += put_header (arena_.get () + used_, size);
    iovec parts[2] = {{arena_.get (), used_}, {const_cast<std::byte *> (body), size}};
    used_ = 0;
    write_all (descriptor_, parts, 2);
}

void framed_writer::flush ()
{
    iovec part{arena_.get (), used_};
    used_ = 0;
    if (part.iov_len > 0)
        write_all (descriptor_, &part, 1);
}

framed_reader::framed_reader (int descriptor, waiting how)
  : descriptor_ (descriptor), how_ (how), slab_ (std::make_unique<std::byte[]> (slab_bytes))
{
}

std::size_t framed_reader::wait_read (std::byte *to, std::size_t size, std::byte *next, std::size_t next_size)
{
    for (;;) {
        iovec parts[2] = {{to, size}, {next, next_size}};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = next_size > 0 ? 2 : 1;
        const ssize_t got = ::recvmsg (descriptor_, &message, how_ == waiting::spinning ? MSG_DONTWAIT : 0);
        if (got > 0)
            return static_cast<std::size_t> (got);
        if (got == 0)
            fail ("the floor's stream ended");
        if (errno != EINTR && errno != EAGAIN)
            fail ("the floor's read failed");
        if (how_ == waiting::spinning)
            std::this_thread::yield ();
    }
}

void framed_reader::fill (std::size_t wanted)
{
    if (begin_ == end_)
        begin_ = end_ = 0;
    else if (begin_ + wanted > slab_bytes) {
        std::memmove (slab_.get (), slab_.get () + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    while (end_ - begin_ < wanted)
        end_ += wait_read (slab_.get () + end_, slab_bytes - end_, nullptr, 0);
}

std::size_t framed_reader::parse_size ()
{
    if (end_ - begin_ < 2)
        fill (2);
    const std::byte flags = slab_[begin_];
    if ((flags & ~flag_large) != std::byte{0})
        fail ("the floor met a frame it did not send");
    if (flags == std::byte{0}) {
        const auto size = static_cast<std::size_t> (slab_[begin_ + 1]);
        begin_ += 2;
        return size;
    }
    if (end_ - begin_ < 9)
        fill (9);
    std::size_t size = 0;
    for (unsigned i = 0; i < 8; ++i)
        size = size << 8 | static_cast<std::size_t> (slab_[begin_ + 1 + i]);
    begin_ += 9;
    return size;
}

// The rest of a body that is not in the slab: straight to its place, and what
// follows it into the slab. Behind a large body that is little more than the
// next header: what comes by way of the slab is copied twice.
void framed_reader::read_rest (std::byte *to, std::size_t wanted, std::size_t behind)
{
    begin_ = end_ = 0;
    while (wanted > 0) {
        const std::size_t got = wait_read (to, wanted, slab_.get (), behind);
        const std::size_t mine = std::min (got, wanted);
        to += mine;
        wanted -= mine;
        end_ = got - mine;
    }
}

std::size_t framed_reader::receive (std::byte *to, std::size_t capacity)
{
    const std::size_t size = parse_size ();
    if (size > capacity)
        fail ("the floor met a frame that is too large");
    const std::size_t here = std::min (size, end_ - begin_);
    std::memcpy (to, slab_.get () + begin_, here);
    begin_ += here;
    if (here < size)
        read_rest (to + here, size - here, size > copied_max ? behind_large_bytes : slab_bytes);
    return size;
}

namespace {

constexpr std::size_t ring_word = 8;
constexpr std::uint64_t ring_skip = UINT64_MAX;  // "go on at the start"

std::size_t ring_bytes_of (std::size_t size)
{
    return ring_word + (size + ring_word - 1) / ring_word * ring_word;
}

std::size_t power_of_two (std::size_t wanted)
{
    std::size_t size = 4096 << 10;
    while (size < wanted)
        size *= 2;
    return size;
}

}  // namespace

byte_ring::byte_ring (std::size_t message_bytes, unsigned looks)
  : looks_before_yield_ (looks), capacity_ (power_of_two (ring_bytes_of (message_bytes) * 5)),
    bytes_ (std::make_unique<std::byte[]> (capacity_))
{
}

// Looks again soon, and lets others have the processor between looks.
void byte_ring::look_again (unsigned *looks) const
{
    base::cpu_pause ();
    if (++*looks % looks_before_yield_ == 0)
        std::this_thread::yield ();
}

void byte_ring::wait_for_room (std::size_t wanted)
{
    flush ();
    unsigned looks = 0;
    while (true) {
        freed_seen_ = freed_.load (std::memory_order_acquire);
        if (written_ + wanted - freed_seen_ <= capacity_)
            return;
        look_again (&looks);
    }
}

void byte_ring::send (const std::byte *body, std::size_t size)
{
    const std::size_t wanted = ring_bytes_of (size);
    std::size_t at = written_ & (capacity_ - 1);
    const std::size_t skipped = at + wanted > capacity_ ? capacity_ - at : 0;
    if (written_ + skipped + wanted - freed_seen_ > capacity_)
        wait_for_room (skipped + wanted);
    if (skipped > 0) {
        std::memcpy (bytes_.get () + at, &ring_skip, sizeof ring_skip);
        at = 0;
    }
    const std::uint64_t head = size;
    std::memcpy (bytes_.get () + at, &head, sizeof head);
    std::memcpy (bytes_.get () + at + ring_word, body, size);
    written_ += skipped + wanted;
    if (written_ - shown_mine_ >= step_bytes)
        flush ();
}

void byte_ring::flush ()
{
    shown_mine_ = written_;
    shown_.store (written_, std::memory_order_release);
}

void byte_ring::flush_and_wake ()
{
    flush ();
    flushes_.fetch_add (1, std::memory_order_release);
    os::wake_sleepers (&flushes_);
}

void byte_ring::wait_for_data ()
{
    freed_mine_ = read_;
    freed_.store (read_, std::memory_order_release);
    unsigned looks = 0;
    while (true) {
        shown_seen_ = shown_.load (std::memory_order_acquire);
        if (read_ != shown_seen_)
            return;
        look_again (&looks);
    }
}

std::size_t byte_ring::receive (std::byte *to, std::size_t capacity)
{
    if (read_ == shown_seen_)
        wait_for_data ();
    std::size_t at = read_ & (capacity_ - 1);
    std::uint64_t head = 0;
    std::memcpy (&head, bytes_.get () + at, sizeof head);
    if (head == ring_skip) {
        read_ += capacity_ - at;
        at = 0;
        std::memcpy (&head, bytes_.get (), sizeof head);
    }
    const auto size = static_cast<std::size_t> (head);
    if (size > capacity)
        fail ("the floor met a message that is too large");
    std::memcpy (to, bytes_.get () + at + ring_word, size);
    read_ += ring_bytes_of (size);
    if (read_ - freed_mine_ >= step_bytes) {
        freed_mine_ = read_;
        freed_.store (read_, std::memory_order_release);
    }
    return size;
}

std::size_t byte_ring::receive_sleeping (std::byte *to, std::size_t capacity)
{
    const std::uint32_t flushes = flushes_.load (std::memory_order_acquire);
    if (read_ == shown_seen_ && read_ == shown_.load (std::memory_order_acquire))
        os::sleep_on (&flushes_, flushes);
    return receive (to, capacity);
}

}  // namespace zlink::bench
