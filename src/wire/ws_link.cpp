#include "wire/ws_link.hpp"

#include <algorithm>

namespace zlink::wire {

ws_event ws_link::next (bytes_span &in) noexcept
{
    while (end_ == ws_event_kind::nothing) {
        if (!in_frame_ && !take_header (in))
            break;
        if (is_control (head_.opcode)) {
            if (!take_control (in))
                break;
            const ws_event event = control_complete ();
            if (event.kind != ws_event_kind::nothing)
                return event;
            continue;
        }
        if (left_bytes_ > 0 && in.empty ())
            break;
        const ws_event event = take_data (in);
        if (event.kind != ws_event_kind::nothing)
            return event;
    }
    return ended ();
}

// True: a frame has begun. False: more is needed, or it has failed.
bool ws_link::take_header (bytes_span &in) noexcept
{
    head_status status = head_status::need_more;
    if (header_bytes_ == 0) {
        status = decode_ws_header (in, head_);
        if (status == head_status::complete)
            in = in.subspan (head_.header_bytes);
    }
    // It is cut, or was: octet by octet, so that nothing behind it is taken.
    while (status == head_status::need_more && !in.empty ()) {
        header_[header_bytes_++] = in[0];
        in = in.subspan (1);
        status = decode_ws_header (bytes_view (header_).first (header_bytes_), head_);
    }
    if (status == head_status::need_more)
        return false;
    header_bytes_ = 0;
    if (status == head_status::malformed)
        return fail (ws_close_code::protocol_error, base::close_reason::frame_malformed,
                     "a frame header is malformed");
    if (!head_acceptable ())
        return false;
    in_frame_ = true;
    left_bytes_ = head_.payload_bytes;
    control_bytes_ = is_control (head_.opcode) ? 0 : control_bytes_;
    return true;
}

bool ws_link::head_acceptable () noexcept
{
    if (head_.masked != (config_.role == ws_role::server))
        return fail (ws_close_code::protocol_error, base::close_reason::frame_malformed,
                     head_.masked ? "a server's frame is masked" : "a client's frame is not masked");
    return is_control (head_.opcode) || data_acceptable ();
}

bool ws_link::data_acceptable () noexcept
{
    const bool first = head_.opcode != ws_opcode::continuation;
    if (first == in_message_)
        return fail (ws_close_code::protocol_error, base::close_reason::frame_malformed,
                     first ? "a message begins inside another" : "a message goes on that never began");
    if (first) {
        message_text_ = head_.opcode == ws_opcode::text;
        if (message_text_ && !config_.text_allowed)
            return fail (ws_close_code::unsupported_data, base::close_reason::frame_malformed,
                         "text is not taken here");
        in_message_ = message_begins_ = true;
        message_bytes_ = fragments_ = 0;
    }
    // Both are below 2^63.
    message_bytes_ += head_.payload_bytes;
    if (message_bytes_ > config_.limits.message_bytes_max)
        return fail (ws_close_code::too_big, base::close_reason::message_too_large, "a message is too large");
    if (++fragments_ > config_.limits.fragments_max)
        return fail (ws_close_code::policy, base::close_reason::too_many_frames,
                     "a message has too many fragments");
    return true;
}

bool ws_link::take_control (bytes_span &in) noexcept
{
    const std::size_t size = std::min (in.size (), static_cast<std::size_t> (left_bytes_));
    ws_mask_copy (control_.data () + control_bytes_, in.first (size), head_.key, control_bytes_);
    control_bytes_ = static_cast<std::uint8_t> (control_bytes_ + size);
    left_bytes_ -= size;
    in = in.subspan (size);
    return left_bytes_ == 0;
}

ws_event ws_link::control_complete () noexcept
{
    in_frame_ = false;
    const bytes_span payload = bytes_span (control_).first (control_bytes_);
    if (head_.opcode == ws_opcode::close)
        return close_complete (payload);
    if (head_.opcode == ws_opcode::pong)
        return {.kind = ws_event_kind::pong, .payload = payload};
    if (close_ == closing::no) {
        std::copy (payload.begin (), payload.end (), pong_payload_.begin ());
        pong_bytes_ = control_bytes_;
        pong_waits_ = true;
    }
    return {};
}

ws_event ws_link::close_complete (bytes_view payload) noexcept
{
    ws_close_payload said;
    ws_close_code answer{};
    if (!decode_ws_close (payload, said, answer)) {
        fail (answer, base::close_reason::frame_malformed, "a close is malformed");
        return ended ();
    }
    close (said.code, {});
    code_ = said.code;
    reason_ = base::close_reason::peer_closed;
    keep_text (base::as_text (said.reason));
    end_ = ws_event_kind::closed;
    return ended ();
}

ws_event ws_link::take_data (bytes_span &in) noexcept
{
    const auto size = static_cast<std::size_t> (std::min<std::uint64_t> (in.size (), left_bytes_));
    const bytes_span piece = in.first (size);
    in = in.subspan (size);
    if (head_.masked)
        ws_mask (piece, head_.key, head_.payload_bytes - left_bytes_);
    left_bytes_ -= size;
    in_frame_ = left_bytes_ > 0;
    const bool ends = !in_frame_ && head_.final;
    if (message_text_ && !(utf8_.feed (piece) && (!ends || utf8_.complete ()))) {
        fail (ws_close_code::malformed_text, base::close_reason::frame_malformed, "a text is not UTF-8");
        return ended ();
    }
    if (piece.empty () && !ends)
        return {};
    const bool begins = message_begins_;
    message_begins_ = false;
    in_message_ = !ends;
    return {.kind = ws_event_kind::data,
            .begins = begins,
            .ends = ends,
            .text = message_text_,
            .last_frame = head_.final,
            .payload = piece,
            .to_come = left_bytes_};
}

ws_event ws_link::ended () const noexcept { return {.kind = end_}; }

// --- what we say ---------------------------------------------------------------

void ws_link::close (ws_close_code code, std::string_view reason) noexcept
{
    if (close_ != closing::no)
        return;
    close_ = closing::waits;
    close_bytes_ = static_cast<std::uint8_t> (encode_ws_close (close_payload_.data (), code, reason));
}

void ws_link::refuse (ws_close_code code, base::close_reason why, std::string_view text) noexcept
{
    if (end_ == ws_event_kind::nothing)
        (void)fail (code, why, text);
}

std::size_t ws_link::take_output (std::byte *to) noexcept
{
    std::size_t size = 0;
    if (pong_waits_)
        size += encode (to, ws_opcode::pong, bytes_view (pong_payload_).first (pong_bytes_));
    pong_waits_ = false;
    if (close_ == closing::waits) {
        size += encode (to + size, ws_opcode::close, bytes_view (close_payload_).first (close_bytes_));
        close_ = closing::said;
    }
    return size;
}

std::size_t ws_link::encode (std::byte *to, ws_opcode opcode, bytes_view payload) noexcept
{
    if (config_.role == ws_role::server)
        return encode_ws_control (to, opcode, payload, nullptr);
    const ws_mask_key key = config_.keys->next ();
    return encode_ws_control (to, opcode, payload, &key);
}

void ws_link::keep_text (std::string_view text) noexcept
{
    text = text.substr (0, text_.size ());
    const bytes_view octets = base::as_bytes (text);
    std::copy (octets.begin (), octets.end (), text_.begin ());
    text_bytes_ = static_cast<std::uint8_t> (text.size ());
}

// False, for whoever answers with it.
bool ws_link::fail (ws_close_code code, base::close_reason why, std::string_view text) noexcept
{
    close (code, text);
    code_ = code;
    reason_ = why;
    keep_text (text);
    end_ = ws_event_kind::failed;
    return false;
}

}  // namespace zlink::wire
