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
constexpr int rep_type = 4;
constexpr int type_option = 16;

int type_of (void *socket)
{
    int type = 0;
    std::size_t size = sizeof (type);
    return socket::get_option (socket, type_option, &type, &size) ? type : -1;
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

result<void> whole_message::copy_to (void *socket)
{
    whole_message copy;
    copy.reserve (count_);
    copy.count_ = count_;
    for (std::size_t i = 0; i < count_; ++i)
        copy.slots_[i].copy_from (slots_[i]);
    return copy.send (socket, 0);
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
}

result<void> proxy::run ()
{
    while (state_ != state::stopped) {
        result<void> outcome = wait ();
        if (outcome && control_ != nullptr)
            outcome = obey ();
        for (lane &along : lanes ())
            if (outcome && state_ == state::active)
                outcome = forward (along);
        if (!outcome)
            return outcome;
    }
    return {};
}

// Until a lane can go on, or there is a command.
result<void> proxy::wait ()
{
    std::array<socket::poll_item, 3> items{};
    std::size_t count = 0;
    if (control_ != nullptr)
        items[count++] = {control_, base::no_handle, socket::event_in, 0};
    for (lane &along : lanes ()) {
        const bool moving = state_ == state::active && !along.done;
        const bool full = !along.held.empty ();
        if (moving && !full && along.readable)
            return {};
        // A lane that stands still is watched for the end of its socket only.
        const unsigned wanted = !moving ? 0U : full ? socket::event_out : socket::event_in;
        items[count++] = {full ? along.to : along.from, base::no_handle, wanted, 0};
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
        const result<void> taken = along.held.receive (along.from);
        along.readable = taken.ok ();
        if (taken.code () == errc::would_block)
            return false;
        if (taken.code () == errc::not_supported) {
            along.done = true;
            return false;
        }
        if (!taken)
            return taken.failure ();
        ++along.received.messages;
        along.received.bytes += along.held.size_bytes ();
        const result<void> captured = capture_ == nullptr ? result<void>{} : along.held.copy_to (capture_);
        if (!captured)
            return captured.failure ();
    }
    const std::uint64_t size = along.held.size_bytes ();
    const result<void> sent = along.held.send (along.to, socket::io_dont_wait);
    if (sent.code () == errc::would_block)
        return false;
    if (!sent)
        return sent.failure ();
    ++along.sent.messages;
    along.sent.bytes += size;
    return true;
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
    const result<void> made = command.assign ({&nothing, 1});
    return made ? command.send (control_, 0) : made;
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
    whole_message answer;
    const result<void> made = answer.assign (parts);
    return made ? answer.send (control_, 0) : made;
}

}  // namespace zlink::api
