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

// The socket has refused something; ok: there is room now.
errc spot_node::refused (errc why, time_ns deadline) noexcept
{
    const errc found = why == errc::would_block && deadline != 0 ? wait_room (deadline) : why;
    return found == errc::not_a_socket ? errc::terminated : found;  // the node was closed
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
        if (const errc still = refused (bad, deadline); still != errc::ok)
            return still;
    }
}

// False: it is no topic.
bool spot_node::open_topic_locked (std::string_view topic) noexcept
{
    if (!wire::is_spot_topic (topic))
        return false;
    const std::size_t size = wire::encode_spot_opening (opening_, topic, {.publisher = id_});
    next_.front = bytes_view (opening_).first (size);
    next_.number_at = topic.size () + 1 + wire::spot_number_in_head;
    next_.row = 0;
    opening_topic_ = base::as_text (next_.front.first (topic.size ()));
    ++next_.name;
    return true;
}

// One at a time; the others go on.
void spot_node::keep_near () noexcept
{
    if (world_.sleep.cores () == 1 || nears_.exchange (true, std::memory_order_acquire))
        return;
    if (near_.should_spin ())
        await_near ();
    nears_.store (false, std::memory_order_release);
}

// It has helped when the reader has come nearer than the publisher gets away until the next
// look; the reader may be the thread that waits here.
void spot_node::await_near () noexcept
{
    constexpr int pauses_per_look = 32;
    const std::uint64_t behind = socket::unread_bytes (out_);
    if (behind < spot_near_bytes)
        return;
    socket::flush_own_tails ();
    const time_ns from = world_.time.now_ns ();
    time_ns now = from;
    std::uint64_t left = behind;
    while (left >= spot_near_bytes / 2 && now - from < spot_near_ns) {
        for (int i = 0; i < pauses_per_look; ++i)
            world_.sleep.pause ();
        left = socket::unread_bytes (out_);
        now = world_.time.now_ns ();
    }
    if (left + spot_look_bytes < behind)
        near_.succeeded ();
    else
        near_.failed (static_cast<unsigned> (now));
}

result<void> spot_node::publish (std::string_view topic, bytes_view body, time_ns deadline) noexcept
{
    quickly sent = quickly::no;
    {
        const holding here (publish_lock_);
        sent = publish_quick_locked (topic, body);
    }
    if (sent == quickly::look) [[unlikely]]
        keep_near ();
    if (sent != quickly::no) [[likely]]
        return {};
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
    const result<quickly> sent =
      send_parts (topic, {.flags = wire::spot_flag_parts, .publisher = id_}, parts, deadline);
    if (!sent.ok ())
        return sent.failure ();
    if (sent.value () == quickly::look)
        keep_near ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// In front of the parts one with the head. The parts are taken when it is sent.
result<spot_node::quickly> spot_node::send_parts (std::string_view topic,
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
    std::size_t bytes = 0;
    for (const message &each : parts)
        bytes += each.size ();
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
                for (message &each : parts)
                    each.init ();
                return count_published_locked (bytes);
            }
            bad = sent.code ();
        }
        all.front ().close ();
        if (const errc still = refused (bad, deadline); still != errc::ok)
            return still;
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
    const result<quickly> sent = send_parts (topic, head, shared, 0);
    for (message &each : shared)
        each.close ();
    return sent.ok () ? result<void> () : sent.failure ();
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
