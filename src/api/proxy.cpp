#include "api/proxy.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace zlink::api {

using base::errc;
using base::message;
using base::result;

namespace {

// Messages moved one way before the other way and the control socket get
// their turn.
constexpr int burst_messages_max = 1000;
constexpr int sub_type = 2;
constexpr int rep_type = 4;
constexpr int pull_type = 7;
constexpr int type_option = 16;

int type_of (void *socket)
{
    int type = 0;
    std::size_t size = sizeof (type);
    return socket::get_option (socket, type_option, &type, &size) ? type : -1;
}

bool cannot_send (void *socket)
{
    const int type = type_of (socket);
    return type == sub_type || type == pull_type;
}

}  // namespace

// --- whole messages -------------------------------------------------------

whole_message::~whole_message ()
{
    for (message &slot : slots_)
        slot.close ();
}

void whole_message::reserve (std::size_t slots)
{
    // message is trivial: the vector may copy it as bytes while it grows.
    const std::size_t before = slots_.size ();
    if (slots <= before)
        return;
    slots_.resize (slots);
    for (std::size_t i = before; i < slots; ++i)
        slots_[i].init ();
}

result<void> whole_message::receive (void *socket)
{
    reserve (1);
    for (;;) {
        std::size_t needed = 0;
        const auto taken = socket::receive_parts (socket, slots_, socket::io_dont_wait, &needed);
        if (taken.ok ()) {
            count_ = taken.size ();
            return {};
        }
        if (taken.code () != errc::message_too_long || needed <= slots_.size ())
            return taken.code ();
        reserve (needed);
    }
}

result<void> whole_message::send (void *socket, unsigned flags)
{
    const auto sent = socket::send_parts (socket, parts (), flags);
    if (!sent.ok ())
        return sent.code ();
    count_ = 0;
    return {};
}

void whole_message::copy_from (whole_message &source)
{
    reserve (source.count_);
    for (std::size_t i = 0; i < source.count_; ++i)
        slots_[i].copy_from (source.slots_[i]);
    count_ = source.count_;
}

result<void> whole_message::assign (std::span<const base::bytes_view> contents)
{
    reserve (contents.size ());
    count_ = 0;
    for (const base::bytes_view content : contents) {
        slots_[count_].close ();
        const result<void> made = slots_[count_].init_copy (content);
        if (!made)
            return made;
        ++count_;
    }
    return {};
}

std::uint64_t whole_message::size_bytes () const noexcept
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i)
        sum += slots_[i].size ();
    return sum;
}

// --- the proxy ------------------------------------------------------------

proxy::proxy (base::world &world, void *frontend, void *backend, void *capture, void *control)
  : world_ (world), capture_ (capture), control_ (control), lane_count_ (frontend == backend ? 1 : 2)
{
    lanes_[0].from = frontend;
    lanes_[0].to = backend;
    lanes_[1].from = backend;
    lanes_[1].to = frontend;
    for (lane &each : lanes_)
        each.done = cannot_send (each.to);
}

result<void> proxy::run ()
{
    result<void> outcome;
    while (outcome && state_ != state::stopped)
        outcome = move ();
    empty_hands ();
    return outcome;
}

result<void> proxy::move ()
{
    result<void> outcome = wait ();
    if (outcome && control_ != nullptr)
        outcome = attend_to_control ();
    for (lane &along : lanes ())
        if (outcome && state_ == state::active)
            outcome = forward (along);
    return outcome;
}

// Nothing that was taken is lost for want of room.
void proxy::empty_hands ()
{
    const auto last_try = [this] (whole_message &what, void *to) {
        constexpr unsigned flags = socket::io_dont_wait | socket::io_send_admitted;
        if (!what.empty () && !what.send (to, flags) && world_.log != nullptr)
            world_.log->take (
              {base::severity::warning, "messages given up: 1, in the hands of a proxy that ended", ""});
    };
    for (lane &along : lanes ()) {
        last_try (along.shown, capture_);
        last_try (along.held, along.to);
    }
}

// Until a lane can go on, or there is a command.
result<void> proxy::wait ()
{
    std::array<socket::poll_item, 3> items{};
    std::size_t count = 0;
    if (control_ != nullptr)
        items[count++] = {control_, base::no_handle,
                          socket::event_in | (answers_.empty () ? 0U : unsigned{socket::event_out}), 0};
    for (lane &along : lanes ()) {
        const bool moving = state_ == state::active && !along.done;
        const bool stuck = along.stuck_at != nullptr;
        if (moving && !stuck && along.readable)
            return {};
        // A lane that stands still is watched for the end of its socket only.
        const unsigned wanted = !moving ? 0U : stuck ? socket::event_out : socket::event_in;
        items[count++] = {stuck ? along.stuck_at : along.from, base::no_handle, wanted, 0};
    }
    const result<std::size_t> ready = socket::poll (world_, {items.data (), count}, -1);
    if (!ready)
        return ready.failure ();
    for (lane &along : lanes ())
        along.readable = true;
    return {};
}

result<void> proxy::forward (lane &along)
{
    for (int moved = 0; moved < burst_messages_max; ++moved) {
        const result<bool> more = along.done ? result<bool> (false) : forward_one (along);
        if (!more)
            return more.failure ();
        if (!more.value ())
            return {};
    }
    return {};
}

// False when there is nothing to take, or no room for what was taken.
result<bool> proxy::forward_one (lane &along)
{
    if (along.held.empty ()) {
        const result<bool> taken = take_one (along);
        if (!taken || !taken.value ())
            return taken;
    }
    const result<bool> captured = hand_over (along, along.shown, capture_);
    if (!captured || !captured.value ())
        return captured;
    const std::uint64_t size = along.held.size_bytes ();
    const result<bool> sent = hand_over (along, along.held, along.to);
    if (sent && sent.value ()) {
        ++along.sent.messages;
        along.sent.bytes += size;
    }
    return sent;
}

result<bool> proxy::take_one (lane &along)
{
    const result<void> taken = along.held.receive (along.from);
    along.readable = taken.ok ();
    along.done = taken.code () == errc::not_supported;
    if (along.done || taken.code () == errc::would_block)
        return false;
    if (!taken)
        return taken.failure ();
    ++along.received.messages;
    along.received.bytes += along.held.size_bytes ();
    if (capture_ != nullptr)
        along.shown.copy_from (along.held);
    return true;
}

// False: there is no room for it.
result<bool> proxy::hand_over (lane &along, whole_message &what, void *to)
{
    const result<void> sent = what.empty () ? result<void>{} : what.send (to, socket::io_dont_wait);
    const bool full = sent.code () == errc::would_block;
    along.stuck_at = full ? to : nullptr;
    if (!sent && !full)
        return sent.failure ();
    return !full;
}

// A command, and then what it is owed, as far as there is room.
result<void> proxy::attend_to_control ()
{
    result<void> outcome = obey ();
    while (outcome && !answers_.empty ()) {
        outcome = answers_.front ().send (control_, socket::io_dont_wait);
        if (outcome.code () == errc::would_block)
            return {};
        answers_.pop_front ();
    }
    return outcome;
}

// Reads at most one command.
result<void> proxy::obey ()
{
    whole_message command;
    const result<void> taken = command.receive (control_);
    if (taken.code () == errc::would_block)
        return {};
    if (!taken)
        return taken;
    const std::string_view word = base::as_text (command.parts ()[0].view ());
    if (word == "STATISTICS")
        return report ();
    if (word == "PAUSE")
        state_ = state::paused;
    else if (word == "RESUME")
        state_ = state::active;
    else if (word == "TERMINATE")
        state_ = state::stopped;
    // A REP has to answer before it can be asked again.
    if (type_of (control_) != rep_type)
        return {};
    const base::bytes_view nothing;
    return answers_.emplace_back ().assign ({&nothing, 1});
}

result<void> proxy::report ()
{
    const lane &out = lanes_[0];
    const lane &back = lanes_[lane_count_ - 1];
    const traffic figures[4] = {out.received, back.sent, back.received, out.sent};
    std::array<base::bytes_view, 8> parts;
    for (std::size_t i = 0; i < 4; ++i) {
        parts[2 * i] = std::as_bytes (std::span (&figures[i].messages, 1));
        parts[2 * i + 1] = std::as_bytes (std::span (&figures[i].bytes, 1));
    }
    return answers_.emplace_back ().assign (parts);
}

}  // namespace zlink::api
