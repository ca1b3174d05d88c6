// A stream whose peer speaks CURVE: what is written to it are plain frames of
// ZMTP 3.x, as the out-queue has them, what is read from it likewise; on the
// stream inside each travels in a box of its own (wire/sealing.hpp). So nothing
// but this knows of encryption: queues, parsers, heartbeats and topics work on
// plain frames.
//
// Writing: whole frames are sealed, a buffer full at a time, and written. What
// was sealed must be written as it is: where the system does not take all of it
// the last plain byte counts as unwritten, and the next write begins with the
// sealed rest.
// Reading: a frame is handed out when it has come whole and is genuine. One that
// is not, or is larger than the limit, ends the stream: read answers
// incompatible_protocol, and fault() says why.
// Thread rule: that of a stream; what writing uses and what reading uses are
// apart. Buffers are held while something is on its way and given back behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/reason.hpp"
#include "base/wrapping_stream.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/span_cursor.hpp"
#include "wire/framing.hpp"
#include "wire/sealing.hpp"

namespace zlink::engine {

// Bytes from begin to end, in a buffer of a pool or, where that is too small, in
// memory of its own.
class holding_buffer
{
  public:
    explicit holding_buffer (buffer_pool &pool) noexcept : pool_ (pool) {}
    ~holding_buffer () { release (); }
    holding_buffer (const holding_buffer &) = delete;
    holding_buffer &operator= (const holding_buffer &) = delete;

    [[nodiscard]] bool empty () const noexcept { return begin_ == end_; }
    [[nodiscard]] base::bytes_span content () noexcept { return {data_ + begin_, end_ - begin_}; }
    [[nodiscard]] base::bytes_span room () noexcept { return {data_ + end_, capacity_ - end_}; }
    void grow (std::size_t bytes) noexcept { end_ += bytes; }
    void drop (std::size_t bytes) noexcept { begin_ += bytes; }
    // Room for so many bytes behind the content, which may move. False: there is
    // no memory.
    [[nodiscard]] bool make_room (std::size_t bytes) noexcept;
    [[nodiscard]] std::size_t pooled_bytes () const noexcept { return pool_.buffer_bytes (); }
    void release () noexcept;

  private:
    buffer_pool &pool_;
    std::unique_ptr<std::byte[]> own_;
    std::byte *data_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

class sealed_stream final : public base::wrapping_stream
{
  public:
    using io_result = base::result<std::size_t>;

    // The pools outlive it. message_bytes_max: of a plain body.
    sealed_stream (std::unique_ptr<base::stream> inside,
                   const wire::sealing &how,
                   std::int64_t message_bytes_max,
                   buffer_pool &out,
                   buffer_pool &in) noexcept;
    // What came behind the handshake, before the first read. False: no memory.
    [[nodiscard]] bool preload (base::bytes_view early) noexcept;

    io_result write (std::span<const base::bytes_view> slices) noexcept override;
    io_result read (std::span<const base::bytes_span> slices) noexcept override;
    [[nodiscard]] bool pending () const noexcept override
    {
        return stuck_ || rest_bytes_ > 0 || inside ().pending ();
    }
    [[nodiscard]] base::close_reason fault () const noexcept override
    {
        return fault_ != base::close_reason::none ? fault_ : inside ().fault ();
    }

  private:
    using source = span_cursor<const base::bytes_view>;
    using target = span_cursor<const base::bytes_span>;

    // A frame of the source that is there whole.
    struct plain_frame
    {
        wire::frame_head head;
        base::bytes_view body;
    };
    static bool next_plain (source from, plain_frame &found) noexcept;
    std::size_t seal_some (source &from) noexcept;
    base::result<void> drain () noexcept;

    enum class step : std::uint8_t
    {
        moved,
        need_bytes,
        broken,
    };
    std::size_t hand_out (target &to) noexcept;
    step open_next (target &to, std::size_t &given) noexcept;
    step fail (base::close_reason why) noexcept;
    base::result<void> fill (bool &dry) noexcept;

    // Writing.
    wire::sealer sealer_;
    holding_buffer sealed_;
    bool withheld_ = false;

    // Reading.
    wire::opener opener_;
    holding_buffer came_;
    std::uint64_t body_bytes_max_;
    std::size_t rest_bytes_ = 0;    // of came_, at its front: plain, to be handed out
    std::size_t wanted_bytes_ = 0;  // of the frame at its front, if that is known
    bool ended_ = false;
    bool stuck_ = false;  // an end or an error is to be told
    base::error failure_{};
    base::close_reason fault_ = base::close_reason::none;
};

}  // namespace zlink::engine
