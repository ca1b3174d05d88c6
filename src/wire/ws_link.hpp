// The frames of one WebSocket connection behind its upgrade (RFC 6455, 5 to 7):
// messages whole or in fragments, with control frames between them, and what is
// to be said back to those. Pure: octets in, events out.
//
// Use: next() until it answers nothing, with what has been read in writable
// memory: a client's mask is taken off in place, so that a payload can be
// referenced where it lies. Whenever has_output() is true, and a frame of ours is
// not half written, take_output() and write that.
//
// A peer's PING is answered, only the latest where several came before we could
// (5.5.3), its close is answered once, and what breaks the rules gets a close
// with the code for it. However the octets are cut, the events are the same, but
// that a payload comes in as many pieces as it was read in, and of a text that
// turns out to be none a different front may have come.
//
// Nothing is allocated or thrown. Time-outs are the caller's. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/reason.hpp"
#include "wire/limits.hpp"
#include "wire/utf8.hpp"
#include "wire/ws_frame.hpp"
#include "wire/ws_mask.hpp"

namespace zlink::wire {

enum class ws_role : std::uint8_t
{
    client,  // masks what it says, and must hear nothing masked
    server,  // the reverse
};

struct ws_limits
{
    // Of a whole message; one that says it has more is refused by its header.
    std::uint64_t message_bytes_max = frame_body_bytes_max;
    std::size_t fragments_max = ws_fragments_max;
};

struct ws_config
{
    ws_role role = ws_role::server;
    bool text_allowed = false;  // else only binary messages
    ws_limits limits{};
    ws_mask_keys *keys = nullptr;  // a client's; outlives the link
};

enum class ws_event_kind : std::uint8_t
{
    nothing,  // all was consumed
    data,     // a piece of a message's payload
    pong,
    closed,  // the peer's close has come; nothing follows
    failed,  // the peer broke a rule; nothing follows
};

struct ws_event
{
    ws_event_kind kind = ws_event_kind::nothing;
    // data: the first piece of a message, the last one. A message of no octets is
    // one empty piece that is both.
    bool begins = false;
    bool ends = false;
    bool text = false;
    // data: this piece's frame is the last of its message, so what is to_come is
    // all that the message still has.
    bool last_frame = false;
    // data: of the memory that was given to next(). pong: valid until the next call.
    bytes_span payload{};
    // data: octets of the same frame behind this piece.
    std::uint64_t to_come = 0;
};

// What take_output writes at most.
inline constexpr std::size_t ws_output_bytes_max = 2 * ws_control_frame_bytes_max;

class ws_link
{
  public:
    explicit ws_link (const ws_config &config) noexcept : config_ (config) {}
    ws_link (const ws_link &) = delete;
    ws_link &operator= (const ws_link &) = delete;

    // Takes octets off the front of `in`. After closed or failed: the same answer,
    // and nothing is taken.
    ws_event next (bytes_span &in) noexcept;

    // We want to end it, or to go no further because of what the peer's message
    // says. Once; of a second call, and behind the peer's close, nothing comes.
    // What the peer still sends is heard until its close.
    void close (ws_close_code code, std::string_view reason) noexcept;
    // The same, and the peer is heard no more: the next event is failed.
    void refuse (ws_close_code code, base::close_reason why, std::string_view text) noexcept;

    [[nodiscard]] bool has_output () const noexcept { return pong_waits_ || close_ == closing::waits; }
    // Writes whole frames, at most ws_output_bytes_max, and returns how many
    // octets. Behind a close nothing of ours may follow.
    [[nodiscard]] std::size_t take_output (std::byte *to) noexcept;
    // The peer has ended its last message, and nothing of a next frame has been
    // taken: a whole data frame that is next may be read without the link.
    [[nodiscard]] bool between_messages () const noexcept
    {
        return !in_frame_ && !in_message_ && header_bytes_ == 0 && end_ == ws_event_kind::nothing;
    }
    // Our close has been taken: no frame of ours may follow.
    [[nodiscard]] bool said_close () const noexcept { return close_ == closing::said; }

    // After closed: the peer's code and reason; after failed: what we said of it.
    // The text is valid as long as the link, of at most ws_close_reason_bytes_max.
    [[nodiscard]] ws_close_code code () const noexcept { return code_; }
    [[nodiscard]] std::string_view text () const noexcept
    {
        return base::as_text (bytes_view (text_).first (text_bytes_));
    }
    // After closed peer_closed, after failed why.
    [[nodiscard]] base::close_reason reason () const noexcept { return reason_; }

  private:
    enum class closing : std::uint8_t
    {
        no,
        waits,  // close_payload_ is to be said
        said,
    };

    bool take_header (bytes_span &in) noexcept;
    bool head_acceptable () noexcept;
    bool data_acceptable () noexcept;
    bool take_control (bytes_span &in) noexcept;
    [[nodiscard]] ws_event control_complete () noexcept;
    [[nodiscard]] ws_event close_complete (bytes_view payload) noexcept;
    [[nodiscard]] ws_event take_data (bytes_span &in) noexcept;
    [[nodiscard]] ws_event ended () const noexcept;
    [[nodiscard]] std::size_t encode (std::byte *to, ws_opcode opcode, bytes_view payload) noexcept;
    void keep_text (std::string_view text) noexcept;
    bool fail (ws_close_code code, base::close_reason why, std::string_view text) noexcept;

    ws_config config_;
    ws_head head_{};
    std::uint64_t left_bytes_ = 0;     // of the frame whose header is head_
    std::uint64_t message_bytes_ = 0;  // of the message, as far as headers have told
    std::size_t fragments_ = 0;
    utf8_check utf8_{};  // complete between messages
    bool in_frame_ = false;
    bool in_message_ = false;
    bool message_begins_ = false;  // nothing of it has been given out
    bool message_text_ = false;
    bool pong_waits_ = false;
    closing close_ = closing::no;
    ws_event_kind end_ = ws_event_kind::nothing;  // closed or failed
    ws_close_code code_ = ws_close_code::abnormal;
    base::close_reason reason_ = base::close_reason::none;
    std::uint8_t header_bytes_ = 0;  // of a header that is cut, in header_
    std::uint8_t control_bytes_ = 0;
    std::uint8_t pong_bytes_ = 0;
    std::uint8_t close_bytes_ = 0;
    std::uint8_t text_bytes_ = 0;
    std::array<std::byte, ws_header_bytes_max> header_{};
    std::array<std::byte, ws_control_bytes_max> control_{};
    std::array<std::byte, ws_control_bytes_max> pong_payload_{};
    std::array<std::byte, ws_control_bytes_max> close_payload_{};
    std::array<std::byte, ws_close_reason_bytes_max> text_{};
};

}  // namespace zlink::wire
