#include "engine/ws_stream.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>

#include "base/appending.hpp"
#include "base/copying.hpp"
#include "engine/limits.hpp"
#include "engine/ws_convert.hpp"

namespace zlink::engine {

using base::bytes_span;
using base::bytes_view;
using base::close_reason;
using base::errc;
using base::result;
using wire::ws_event_kind;

namespace {

constexpr std::string_view ping_name = "\4PING";
constexpr std::string_view pong_name = "\4PONG";
constexpr std::size_t ttl_bytes = 2;

// What one frame needs in front of its body, and a little more.
constexpr std::size_t least_room_bytes = 256;
// A refused peer that goes on talking is heard for so many reads, so that it
// reads why.
constexpr unsigned parting_reads_max = 16;

}  // namespace

struct ws_stream::upgrade
{
    wire::ws_server_rules rules;
    std::unique_ptr<wire::ws_client_upgrade> asks;
    std::unique_ptr<wire::ws_server_upgrade> answers;
    ws_secrets secrets;
    std::vector<std::byte> early;  // what the peer said behind it
    ws_wish wish;
    base::entropy *source = nullptr;

    [[nodiscard]] wire::ws_upgrade *running () const noexcept
    {
        if (asks != nullptr)
            return asks.get ();
        return answers.get ();
    }
    wire::ws_upgrade_status feed (bytes_view octets, std::size_t &consumed) noexcept
    {
        return asks != nullptr ? asks->feed (octets, consumed) : answers->feed (octets, consumed);
    }
};

ws_stream::ws_stream (std::unique_ptr<base::stream> inside,
                      ws_wish wish,
                      base::entropy *secrets,
                      buffer_pool &out,
                      buffer_pool &in)
  : wrapping_stream (std::move (inside)), client_ (wish.role == wire::ws_role::client), bare_ (wish.bare),
    body_bytes_max_ (wish.message_bytes_max < 0 ? wire::frame_body_bytes_max
                                                : static_cast<std::uint64_t> (wish.message_bytes_max)),
    upgrade_ (std::make_unique<upgrade> ()), out_ (out), came_ (in), collected_ (in)
{
    upgrade_->wish = std::move (wish);
    upgrade_->source = secrets;
}

ws_stream::~ws_stream () = default;

// --- opening -------------------------------------------------------------------

bool ws_stream::owes () const noexcept
{
    if (upgrade_ != nullptr && upgrade_->running () != nullptr && !upgrade_->running ()->output ().empty ())
        return true;
    return said_waits_.load (std::memory_order_acquire) || rest_waits_.load (std::memory_order_acquire)
           || inside ().owes ();
}

bool ws_stream::begin_upgrade ()
{
    ws_wish &wish = upgrade_->wish;
    if (!client_) {
        upgrade_->rules.target = wish.target;
        upgrade_->rules.origins.swap (wish.origins);
        upgrade_->rules.headers.swap (wish.headers);
        upgrade_->rules.protocols.assign (wish.protocols.begin (), wish.protocols.end ());
        upgrade_->answers = std::make_unique<wire::ws_server_upgrade> (upgrade_->rules);
        return true;
    }
    ws_secrets &secrets = upgrade_->secrets;
    base::entropy *const from = upgrade_->source;
    if (from == nullptr || !from->fill (secrets.masks.bytes ()) || !from->fill (secrets.answers.bytes ())
        || !from->fill (secrets.nonce))
        return false;
    wire::ws_client_request request;
    request.target = wish.target;
    request.host = wish.host;
    request.protocols = wish.protocols;
    request.origin = wish.origin;
    request.headers = wish.headers;
    upgrade_->asks = std::make_unique<wire::ws_client_upgrade> (request, secrets.nonce);
    return true;
}

// As far as both directions go now.
result<void> ws_stream::open () noexcept
try {
    if (upgrade_ == nullptr)
        return {};
    if (stuck_)
        return failure_;
    if (const result<void> within = inside ().open (); !within.ok ())
        return within;
    if (upgrade_->running () == nullptr && !begin_upgrade ()) {
        fail (close_reason::no_keys, errc::not_supported);
        return failure_;
    }
    for (;;) {
        const result<void> written = write_upgrade ();
        if (!written.ok () && written.code () != errc::would_block)
            return written;
        const wire::ws_upgrade_status status = upgrade_->running ()->status ();
        if (status == wire::ws_upgrade_status::failed)
            return upgrade_failed ();
        if (status == wire::ws_upgrade_status::done)
            return written.ok () ? finish_upgrade () : written;
        const result<void> heard = read_upgrade ();
        if (!heard.ok ())
            return heard;
    }
} catch (const std::bad_alloc &) {
    fail (close_reason::out_of_memory, errc::no_memory);
    return failure_;
}

result<void> ws_stream::write_upgrade () noexcept
{
    wire::ws_upgrade &running = *upgrade_->running ();
    while (!running.output ().empty ()) {
        const bytes_view all = running.output ();
        const io_result written = inside ().write (std::span (&all, 1));
        if (!written.ok ())
            return written.failure ();
        running.output_drained (written.value ());
    }
    return {};
}

result<void> ws_stream::read_upgrade () noexcept
try {
    std::array<std::byte, 4096> room;
    const bytes_span whole (room);
    const io_result got = inside ().read (std::span (&whole, 1));
    if (!got.ok ())
        return got.failure ();
    if (got.value () == 0) {
        fail (close_reason::peer_closed, errc::connection_reset);
        return failure_;
    }
    const bytes_view have = bytes_view (room).first (got.value ());
    std::size_t consumed = 0;
    (void)upgrade_->feed (have, consumed);
    base::append (upgrade_->early, have.subspan (consumed));
    return {};
} catch (const std::bad_alloc &) {
    fail (close_reason::out_of_memory, errc::no_memory);
    return failure_;
}

// It is said why as far as the system takes it.
result<void> ws_stream::upgrade_failed () noexcept
{
    const wire::ws_upgrade &failed = *upgrade_->running ();
    fail (failed.reason (), errc::incompatible_protocol, static_cast<int> (failed.http_status ()));
    inside ().shutdown_write ();
    hear_parting ();
    return failure_;
}

// Closing with octets unread would take back what the peer has not read yet.
void ws_stream::hear_parting () noexcept
{
    std::array<std::byte, 4096> sink;
    const bytes_span whole (sink);
    for (unsigned reads = 0; reads < parting_reads_max; ++reads)
        if (const io_result got = inside ().read (std::span (&whole, 1)); !got.ok () || got.value () == 0)
            return;
}

result<void> ws_stream::finish_upgrade () noexcept
try {
    const std::string_view chosen = upgrade_->running ()->protocol ();
    for (const std::string_view each : upgrade_->wish.protocols)
        if (each == chosen)
            protocol_ = each;
    if (client_) {
        masks_ = std::make_unique<wire::ws_mask_keys> (upgrade_->secrets.masks);
        answer_masks_ = std::make_unique<wire::ws_mask_keys> (upgrade_->secrets.answers);
    }
    // A command may be larger than what a message may have.
    const std::uint64_t any_bytes_max =
      std::max<std::uint64_t> (body_bytes_max_, wire::handshake_command_bytes_max);
    reader_ = std::make_unique<wire::zws_reader> (upgrade_->wish.role, bare_ ? UINT64_MAX : any_bytes_max,
                                                  answer_masks_.get ());
    if (const std::size_t early = upgrade_->early.size (); early > 0) {
        if (!came_.make_room (early)) {
            fail (close_reason::out_of_memory, errc::no_memory);
            return failure_;
        }
        std::memcpy (came_.room ().data (), upgrade_->early.data (), early);
        came_.grow (early);
        more_ = true;
    }
    upgrade_.reset ();
    return {};
} catch (const std::bad_alloc &) {
    fail (close_reason::out_of_memory, errc::no_memory);
    return failure_;
}

void ws_stream::fail (close_reason why, errc code, int os_code) noexcept
{
    fault_ = why;
    failure_ = {code, os_code};
    stuck_ = true;
}

// --- writing -------------------------------------------------------------------

ws_stream::io_result ws_stream::write (std::span<const bytes_view> slices) noexcept
{
    // The reader is writing: the event that is armed now comes at once.
    if (!turn_.try_lock ())
        return errc::would_block;
    const io_result outcome = write_frames (slices);
    give_turn ();
    return outcome;
}

ws_stream::io_result ws_stream::write_frames (std::span<const bytes_view> slices) noexcept
{
    source from{slices};
    from.settle ();
    if (const result<void> rest = drain (); !rest.ok ())
        return rest.failure ();
    std::size_t taken = 0;
    if (withheld_ && !from.done ()) {
        withheld_ = false;
        from.skip (1);
        taken = 1;
    }
    base::error failure{};
    while (write_round (from, taken, failure)) {}
    if (out_.empty ())
        out_.release ();
    if (taken > 0)
        return taken;
    if (failure.code == errc::ok && closed_ && !slices.empty ())
        failure.code = errc::not_connected;
    else if (failure.code == errc::ok && !from.done ())
        failure.code = errc::would_block;
    return failure.code == errc::ok ? io_result (taken) : io_result (failure);
}

// What one buffer holds. False: no more can be written now, and why, where it is
// not because all is.
bool ws_stream::write_round (source &from, std::size_t &taken, base::error &failure) noexcept
{
    if (!take_said () || !(from.done () || !out_.empty () || out_.make_room (least_room_bytes))) {
        failure.code = errc::no_memory;
        return false;
    }
    if (closed_)
        from.index = from.slices.size ();
    const std::size_t plain = convert (from);
    if (out_.empty () && !goes_straight (from))
        return false;
    const io_result written = write_out (from, plain);
    failure = written.failure ();
    taken += written.ok () ? written.value () : 0;
    if (written.ok () && !out_.empty ())
        failure.code = errc::would_block;
    return failure.code == errc::ok;
}

// One write of what was converted, of `plain` bytes, and of what goes as it is.
// How many plain bytes have been taken by it.
ws_stream::io_result ws_stream::write_out (source &from, std::size_t plain) noexcept
{
    if (!goes_straight (from)) {
        const std::size_t converted = out_.content ().size ();
        const result<void> done = drain ();
        if (done.ok () || plain == 0)
            return done.ok () ? io_result (plain) : io_result (done.failure ());
        // What has gone is not said to have failed, or it would be sent once more.
        if (done.code () != errc::would_block && out_.content ().size () == converted)
            return done.failure ();
        withheld_ = true;
        return plain - 1;
    }
    const bytes_view own = out_.content ();
    const bytes_view body = from.front ().first (
      static_cast<std::size_t> (std::min<std::uint64_t> (body_left_, from.front ().size ())));
    const std::array<bytes_view, 2> both{own, body};
    const io_result written = inside ().write (std::span (both).subspan (own.empty () ? 1 : 0));
    if (!written.ok () && (plain == 0 || written.code () != errc::would_block))
        return written;
    const std::size_t all = written.ok () ? written.value () : 0;
    out_.drop (std::min (all, own.size ()));
    if (all < own.size ()) {
        withheld_ = plain > 0;
        return withheld_ ? plain - 1 : 0;
    }
    const std::size_t straight = all - own.size ();
    from.skip (straight);
    body_left_ -= straight;
    return plain + straight;
}

// What stands in out_ goes as it is.
result<void> ws_stream::drain () noexcept
{
    while (!out_.empty ()) {
        const bytes_view all = out_.content ();
        const io_result written = inside ().write (std::span (&all, 1));
        if (!written.ok ())
            return written.failure ();
        out_.drop (written.value ());
    }
    out_.release ();
    return {};
}

// A server's large body needs no mask, so no copy.
bool ws_stream::goes_straight (const source &from) const noexcept
{
    return !client_ && !from.done () && body_left_ >= large_body_bytes_min
           && from.front ().size () >= large_body_bytes_min;
}

// As much as there is room for; how many plain bytes that was.
std::size_t ws_stream::convert (source &from) noexcept
{
    std::size_t plain = 0;
    while (!from.done () && !goes_straight (from)) {
        const std::size_t room = out_.room ().size ();
        if (room == 0 || (body_left_ == 0 && room < least_room_bytes))
            break;
        const std::size_t taken = body_left_ > 0 ? put_body (from) : begin_frame (from);
        if (taken == 0)
            break;
        plain += taken;
    }
    return plain;
}

std::size_t ws_stream::put_body (source &from) noexcept
{
    const bytes_view front = from.front ();
    const bytes_span room = out_.room ();
    const auto size =
      static_cast<std::size_t> (std::min<std::uint64_t> ({body_left_, front.size (), room.size ()}));
    if (client_)
        wire::ws_mask_copy (room.data (), front.first (size), key_, phase_);
    else
        base::copy_octets (room.data (), front.data (), size);
    out_.grow (size);
    from.skip (size);
    body_left_ -= size;
    phase_ += size;
    return size;
}

// Frames with short headers, as many as are whole in one slice.
std::size_t ws_stream::convert_short (source &from) noexcept
{
    const converted done = into_web (from.front (), out_.room (), masks_.get ());
    out_.grow (done.made);
    from.skip (done.taken);
    return done.taken;
}

// 0: there is no whole header.
std::size_t ws_stream::begin_frame (source &from) noexcept
{
    wire::frame_head head;
    if (bare_) {
        head.body_size = from.front ().size ();
    } else {
        if (const std::size_t taken = convert_short (from); taken > 0)
            return taken;
        if (wire::decode_frame_header (wire::framing::zmtp_3, from.front (), head)
            != wire::head_status::complete)
            return 0;
        if (head.command && web_pings_)
            if (const std::size_t taken = convert_ping (from, head); taken > 0) {
                from.skip (taken);
                return taken;
            }
    }
    if (client_)
        key_ = masks_->next ();
    if (bare_) {
        wire::ws_head whole;
        whole.payload_bytes = head.body_size;
        whole.masked = client_;
        whole.key = key_;
        out_.grow (wire::encode_ws_header (out_.room ().data (), whole));
        phase_ = 0;
    } else {
        out_.grow (wire::encode_zws_header (out_.room ().data (), head.body_size, head.more, head.command,
                                            client_ ? &key_ : nullptr));
        phase_ = wire::zws_body_phase;
    }
    body_left_ = head.body_size;
    from.skip (head.header_bytes);
    // Of a bare one there is no header: its first octets are what was taken.
    return bare_ && !goes_straight (from) ? put_body (from) : head.header_bytes;
}

// A PING, whole. 0: it is none.
std::size_t ws_stream::convert_ping (source from, const wire::frame_head &head) noexcept
{
    constexpr std::size_t least = ping_name.size () + ttl_bytes;
    if (head.body_size < least || head.body_size > least + wire::ping_context_bytes_max)
        return 0;
    from.skip (head.header_bytes);
    const auto size = static_cast<std::size_t> (head.body_size);
    if (from.done () || from.front ().size () < size)
        return 0;
    const bytes_view body = from.front ().first (size);
    if (!base::as_text (body).starts_with (ping_name))
        return 0;
    const std::optional<wire::ws_mask_key> key =
      client_ ? std::optional (masks_->next ()) : std::optional<wire::ws_mask_key> ();
    out_.grow (wire::encode_ws_control (out_.room ().data (), wire::ws_opcode::ping, body.subspan (least),
                                        key ? &*key : nullptr));
    return head.header_bytes + size;
}

// What the reader has to say, where no frame of ours is half said. False: no memory.
bool ws_stream::take_said () noexcept
{
    if (body_left_ > 0 || closed_ || !said_waits_.load (std::memory_order_acquire))
        return true;
    if (!out_.make_room (wire::ws_output_bytes_max))
        return false;
    const std::lock_guard<base::exchange_lock> hold (said_lock_);
    std::memcpy (out_.room ().data (), said_.data (), said_bytes_);
    out_.grow (said_bytes_);
    closed_ = said_close_;
    said_bytes_ = 0;
    said_waits_.store (false, std::memory_order_release);
    return true;
}

// False: not all of it is with the system.
bool ws_stream::write_said () noexcept { return drain ().ok () && take_said () && drain ().ok (); }

// Who has something to say, and found the turn taken, relies on whoever gives it
// back to look.
void ws_stream::give_turn () noexcept
{
    for (bool good = true;;) {
        const bool looks = good && body_left_ == 0 && !closed_ && out_.empty ();
        rest_waits_.store (!out_.empty (), std::memory_order_release);
        turn_.unlock ();
        if (!looks || !said_waits_.load (std::memory_order_seq_cst) || !turn_.try_lock ())
            return;
        good = write_said ();
    }
}

void ws_stream::shutdown_write () noexcept
{
    if (reader_ == nullptr) {
        inside ().shutdown_write ();
        return;
    }
    if (body_left_ == 0) {
        reader_->link ().close (wire::ws_close_code::normal, {});
        say ();
    }
    ending_ = true;
    finish_ending ();
}

void ws_stream::finish_ending () noexcept
{
    if (!turn_.try_lock ())
        return;
    if (write_said () || body_left_ > 0) {
        ending_ = false;
        inside ().shutdown_write ();
    }
    give_turn ();
}

// --- reading -------------------------------------------------------------------

// What the link answers is left for the writer, or written at once.
void ws_stream::say () noexcept
{
    if (!reader_->link ().has_output ())
        return;
    {
        std::array<std::byte, wire::ws_output_bytes_max> words;
        const std::size_t size = reader_->link ().take_output (words.data ());
        const std::lock_guard<base::exchange_lock> hold (said_lock_);
        std::memcpy (said_.data (), words.data (), size);  // of two answers the later one will do
        said_bytes_ = size;
        said_close_ = said_close_ || reader_->link ().said_close ();
        said_waits_.store (true, std::memory_order_seq_cst);
    }
    if (!turn_.try_lock ())
        return;
    (void)write_said ();
    give_turn ();
}

ws_stream::io_result ws_stream::read (std::span<const bytes_span> slices) noexcept
{
    if (ending_)
        finish_ending ();
    target to{slices};
    to.settle ();
    std::size_t given = 0;
    bool short_read = false;
    while (read_further (to, given, short_read)) {}
    if (came_.empty () && piece_.empty ())
        came_.release ();
    if (given > 0)
        return given;
    if (!stuck_)
        return errc::would_block;
    return failure_.code == errc::ok ? io_result (std::size_t{0}) : io_result (failure_);
}

// False: there is no more to be had, or no more room.
bool ws_stream::read_further (target &to, std::size_t &given, bool &short_read) noexcept
{
    given += hand_out (to);
    more_ = to.done ();
    if (more_ || stuck_)
        return false;
    given += convert_whole (to);
    if (to_come_ >= direct_read_bytes_min && came_.empty () && !short_read) {
        given += read_straight (to, short_read);
        return true;
    }
    bytes_span in = came_.content ();
    const std::size_t before = in.size ();
    const wire::zws_event event = next_event (in);
    came_.drop (before - in.size ());
    const bool moved = take_event (event);
    say ();
    return moved || (!(short_read && given > 0) && fill (short_read));
}

wire::zws_event ws_stream::next_event (bytes_span &in) noexcept
{
    if (!bare_)
        return reader_->next (in);
    const wire::ws_event event = reader_->link ().next (in);
    return {.kind = event.kind, .payload = event.payload};
}

// What is known to be wanted, in order.
std::size_t ws_stream::hand_out (target &to) noexcept
{
    std::size_t given = 0;
    while (!to.done () && (front_at_ < front_end_ || !piece_.empty ())) {
        const bool front = front_at_ < front_end_;
        const bytes_view from =
          front ? bytes_view (front_).subspan (front_at_, front_end_ - front_at_) : bytes_view (piece_);
        const std::size_t size = std::min (from.size (), to.front ().size ());
        base::copy_octets (to.front ().data (), from.data (), size);
        if (front)
            front_at_ = static_cast<std::uint8_t> (front_at_ + size);
        else
            piece_ = piece_.subspan (size);
        to.skip (size);
        given += size;
    }
    if (piece_.empty () && !collecting_ && !collected_.empty ())
        collected_.release ();
    return given;
}

// Small messages that are whole, straight to where they are wanted: what next()
// would make of them, in one loop.
std::size_t ws_stream::convert_whole (target &to) noexcept
{
    if (bare_ || !reader_->link ().between_messages () || to.done ())
        return 0;
    const converted done = out_of_web (came_.content (), to.front (), !client_, body_bytes_max_);
    came_.drop (done.taken);
    to.skip (done.made);
    return done.made;
}

// The rest of a large body without a copy.
std::size_t ws_stream::read_straight (target &to, bool &short_read) noexcept
{
    const bytes_span front = to.front ();
    const bytes_span room =
      front.first (static_cast<std::size_t> (std::min<std::uint64_t> (to_come_, front.size ())));
    const io_result got = inside ().read (std::span (&room, 1));
    if (!got.ok () || got.value () == 0) {
        short_read = true;
        stuck_ = got.code () != errc::would_block;
        failure_ = stuck_ ? got.failure () : base::error{};
        return 0;
    }
    short_read = got.value () < room.size ();
    bytes_span in = room.first (got.value ());
    const wire::zws_event event = next_event (in);
    to_come_ = event.to_come;
    to.skip (got.value ());
    return got.value ();
}

// True: there may be another.
bool ws_stream::take_event (const wire::zws_event &event) noexcept
{
    switch (event.kind) {
    case ws_event_kind::nothing:
        return false;
    case ws_event_kind::data:
        return take_data (event);
    case ws_event_kind::pong:
        show_pong (event.payload);
        return true;
    case ws_event_kind::closed:
    case ws_event_kind::failed:
        break;
    }
    end_by (event);
    return true;
}

void ws_stream::end_by (const wire::zws_event &event) noexcept
{
    if (stuck_)
        return;
    stuck_ = true;
    if (event.kind != ws_event_kind::failed)
        return;
    fail (reader_->link ().reason (), errc::incompatible_protocol);
    say ();
    part ();
}

// Our last word is said, as far as the system takes it.
void ws_stream::part () noexcept
{
    if (!turn_.try_lock ())
        return;
    (void)write_said ();
    inside ().shutdown_write ();
    closed_ = true;
    give_turn ();
    hear_parting ();
}

bool ws_stream::take_data (const wire::zws_event &event) noexcept
{
    if (bare_) {
        piece_ = event.payload;
        return true;
    }
    if (event.begins) {
        collecting_ = !event.last_frame;
        if (!collecting_) {
            const std::uint64_t size = event.payload.size () + event.to_come;
            if (too_large (event, size))
                return refuse_large ();
            begin_body (event, size);
        }
    }
    if (collecting_)
        return collect (event);
    piece_ = event.payload;
    to_come_ = event.to_come;
    return true;
}

bool ws_stream::collect (const wire::zws_event &event) noexcept
{
    const std::size_t size = event.payload.size ();
    if (too_large (event, collected_.content ().size () + size))
        return refuse_large ();
    if (size > 0) {
        if (!collected_.make_room (size)) {
            fail (close_reason::out_of_memory, errc::no_memory);
            return true;
        }
        std::memcpy (collected_.room ().data (), event.payload.data (), size);
        collected_.grow (size);
    }
    if (event.ends) {
        collecting_ = false;
        piece_ = collected_.content ();
        begin_body (event, piece_.size ());
    }
    return true;
}

void ws_stream::begin_body (const wire::zws_event &event, std::uint64_t size) noexcept
{
    front_at_ = 0;
    front_end_ = static_cast<std::uint8_t> (
      wire::encode_frame_header (wire::framing::zmtp_3, front_.data (), static_cast<std::size_t> (size),
                                 event.more && !event.command, event.command));
}

// As the engine knows it: an answer to its own.
void ws_stream::show_pong (bytes_view context) noexcept
{
    if (bare_)
        return;
    context = context.first (std::min (context.size (), wire::ping_context_bytes_max));
    std::byte *to = front_.data ();
    to +=
      wire::encode_frame_header (wire::framing::zmtp_3, to, pong_name.size () + context.size (), false, true);
    std::memcpy (to, pong_name.data (), pong_name.size ());
    to += pong_name.size ();
    if (!context.empty ())
        std::memcpy (to, context.data (), context.size ());
    front_at_ = 0;
    front_end_ = static_cast<std::uint8_t> (to + context.size () - front_.data ());
}

bool ws_stream::too_large (const wire::zws_event &event, std::uint64_t size) const noexcept
{
    return !event.command && size > body_bytes_max_;
}

bool ws_stream::refuse_large () noexcept
{
    reader_->link ().refuse (wire::ws_close_code::too_big, close_reason::message_too_large,
                             "a message is too large");
    return true;
}

// One read of the stream inside; all that came before has been taken. False: it
// has nothing for now.
bool ws_stream::fill (bool &short_read) noexcept
{
    if (!came_.make_room (came_.pooled_bytes ())) {
        fail (close_reason::out_of_memory, errc::no_memory);
        return true;
    }
    const bytes_span room = came_.room ();
    const io_result got = inside ().read (std::span (&room, 1));
    if (got.code () == errc::would_block)
        return false;
    stuck_ = !got.ok () || got.value () == 0;
    failure_ = got.failure ();
    if (!got.ok ())
        return true;
    came_.grow (got.value ());
    short_read = got.value () < room.size ();
    return true;
}

}  // namespace zlink::engine
