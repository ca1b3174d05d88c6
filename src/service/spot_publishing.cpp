// What a node sends: numbered under one lock, and handed to the publisher's socket there,
// so that everybody who reads sees the numbers grow.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "base/appending.hpp"
#include "base/same_octets.hpp"
#include "service/spot_node.hpp"

namespace zlink::service {

using base::bytes_span;
using base::bytes_view;
using base::errc;
using base::io_count;
using base::message;
using base::result;
using base::time_ns;

namespace {

constexpr std::size_t parts_at_once = 8;  // more need memory

}  // namespace

errc spot_node::wait_room (time_ns deadline) noexcept
{
    socket::poll_item room{out_, base::no_handle, socket::event_out, 0};
    const time_ns now = world_.time.now_ns ();
    const std::int64_t left_ms = deadline == base::never_ns ? -1 : (deadline - now) / base::ns_per_ms + 1;
    if (deadline <= now)
        return errc::timed_out;
    const result<std::size_t> found = socket::poll (world_, {&room, 1}, left_ms);
    return found.ok () ? errc::ok : found.code ();
}

result<void> spot_node::send_one (bytes_span frame, std::size_t number_at, time_ns deadline) noexcept
{
    for (;;) {
        errc bad = errc::ok;
        {
            const holding here (publish_lock_);
            base::store_u64_be (frame.data () + number_at, number_ + 1);
            const io_count sent = socket::send (out_, bytes_view (frame), socket::io_dont_wait);
            if (sent.ok ()) [[likely]] {
                ++number_;
                return {};
            }
            bad = sent.code ();
        }
        if (bad == errc::would_block && deadline != 0)
            bad = wait_room (deadline);
        if (bad != errc::ok)
            return bad;
    }
}

// False: it is no topic.
bool spot_node::open_topic_locked (std::string_view topic) noexcept
{
    if (!wire::is_spot_topic (topic))
        return false;
    const std::size_t size = wire::encode_spot_opening (opening_, topic, {.publisher = id_});
    next_.front = bytes_view (opening_).first (size);
    opening_topic_ = base::as_text (next_.front.first (topic.size ()));
    ++row_;
    return true;
}

bool spot_node::publish_quick_locked (std::string_view topic, bytes_view body) noexcept
{
    if (body.size () > spot_packed_bytes_max)
        return false;
    if (!base::same_octets (opening_topic_, topic) || topic.empty ()) [[unlikely]]
        if (!open_topic_locked (topic))
            return false;
    const bool in_row = body.size () <= wire::row_item_bytes_max;
    std::byte *const head = opening_.data () + topic.size () + 1;
    head[wire::spot_flags_in_head] = static_cast<std::byte> (in_row ? wire::spot_flag_row : 0u);
    base::store_u64_be (head + wire::spot_number_in_head, number_ + 1);
    next_.rest = body;
    next_.row = in_row ? row_ : 0;
    next_.number = number_ + 1;
    const bool sent = socket::send_joined (out_, next_).ok ();
    number_ += sent;
    return sent;
}

result<void> spot_node::publish (std::string_view topic, bytes_view body, time_ns deadline) noexcept
{
    {
        const holding here (publish_lock_);
        if (publish_quick_locked (topic, body)) [[likely]]
            return {};
    }
    if (!wire::is_spot_topic (topic))
        return errc::invalid_argument;
    if (body.size () <= spot_packed_bytes_max)
        return publish_copied (topic, body, deadline);
    message whole;
    if (!whole.init_copy (body).ok ())
        return errc::no_memory;
    const result<void> done = publish (topic, {&whole, 1}, deadline);
    whole.close ();
    return done;
}

// In one piece.
result<void> spot_node::publish_copied (std::string_view topic, bytes_view body, time_ns deadline) noexcept
{
    std::array<std::byte, spot_packed_bytes_max + wire::spot_opening_bytes_max> frame;
    const std::size_t size = wire::encode_spot_opening (frame, topic, {.publisher = id_});
    std::ranges::copy (body, frame.data () + size);
    return send_one (bytes_span (frame).first (size + body.size ()),
                     topic.size () + 1 + wire::spot_number_in_head, deadline);
}

result<void> spot_node::publish (std::string_view topic, std::span<message> parts, time_ns deadline) noexcept
try {
    if (parts.size () == 1 && parts.front ().size () <= spot_packed_bytes_max) {
        const result<void> done = publish (topic, parts.front ().view (), deadline);
        if (done.ok ()) {
            parts.front ().close ();
            parts.front ().init ();
        }
        return done;
    }
    if (!wire::is_spot_topic (topic))
        return errc::invalid_argument;
    return send_parts (topic, {.flags = wire::spot_flag_parts, .publisher = id_}, parts, deadline);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// In front of the parts one with the head. The parts are taken when it is sent.
result<void> spot_node::send_parts (std::string_view topic,
                                    const wire::spot_head &head,
                                    std::span<message> parts,
                                    time_ns deadline)
{
    std::vector<std::byte> opening;
    wire::append_spot_opening (opening, topic, head);
    std::array<message, parts_at_once> few;
    std::vector<message> many;
    std::span<message> all = std::span (few).first (std::min (few.size (), parts.size () + 1));
    if (parts.size () >= few.size ()) {
        many.resize (parts.size () + 1);
        all = many;
    }
    for (;;) {
        errc bad = errc::ok;
        {
            const holding here (publish_lock_);
            base::store_u64_be (opening.data () + topic.size () + 1 + wire::spot_number_in_head, number_ + 1);
            if (!all.front ().init_copy (opening).ok ())
                return errc::no_memory;
            std::ranges::copy (parts, all.begin () + 1);
            const io_count sent = socket::send_parts (out_, all, socket::io_dont_wait);
            if (sent.ok ()) {
                ++number_;
                for (message &each : parts)
                    each.init ();
                return {};
            }
            bad = sent.code ();
        }
        all.front ().close ();
        if (bad == errc::would_block && deadline != 0)
            bad = wait_room (deadline);
        if (bad != errc::ok)
            return bad;
    }
}

// --- partitions, letters -------------------------------------------------------------

result<void> spot_node::send (std::string_view topic, bytes_view fields, std::span<message> parts) noexcept
try {
    if (!wire::is_spot_topic (topic) || fields.size () > wire::spot_head_bytes_max - wire::spot_head_bytes)
        return errc::invalid_argument;
    wire::spot_head head{.flags = wire::spot_flag_ordered, .publisher = id_, .fields = fields};
    if (parts.size () == 1 && parts.front ().size () <= spot_packed_bytes_max) {
        std::vector<std::byte> frame;
        wire::append_spot_opening (frame, topic, head);
        base::append (frame, parts.front ().view ());
        return send_one (frame, topic.size () + 1 + wire::spot_number_in_head, 0);
    }
    head.flags |= wire::spot_flag_parts;
    std::vector<message> shared (parts.size ());
    for (std::size_t i = 0; i < parts.size (); ++i) {
        shared[i].init ();
        shared[i].copy_from (parts[i]);
    }
    const result<void> sent = send_parts (topic, head, shared, 0);
    for (message &each : shared)
        each.close ();
    return sent;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

bool spot_node::post (std::uint64_t to, std::uint16_t kind, bytes_view fields) noexcept
try {
    std::vector<std::byte> letter = wire::encode_spot_letter (to, id_, 0, kind, fields);
    const std::size_t subject =
      to == 0 ? wire::spot_circular_subject ().size () : wire::spot_letter_subject_bytes;
    return send_one (letter, subject + wire::spot_number_in_head, 0).ok ();
} catch (const std::bad_alloc &) {
    return false;
}

}  // namespace zlink::service
