#include "bench/socket_calls.hpp"

#include <algorithm>
#include <cstring>

#include "bench/node.hpp"
#include "bench/payload.hpp"

namespace zlink::bench {

namespace {

constexpr std::size_t received_at_once = 256;
constexpr std::size_t receive_buffer_bytes = 64 << 10;
// Larger than the message by a little, so that a wrong size is seen.
constexpr std::size_t spare_bytes = 64;
constexpr std::size_t name_bytes_max = 255;
// No library reads more of a stream at once.
constexpr std::size_t chunk_bytes_max = 1 << 20;

template <class Ways> Ways ways_in (int type, const modifiers &with, bool names)
{
    if (type == number::stream)
        return Ways::cut;
    if (type == number::server)
        return Ways::number;
    if (with.batch || with.message)
        return with.batch ? Ways::batch : Ways::message;
    return with.poll || names ? Ways::steps : Ways::copy;
}

template <class Ways> Ways ways_out (int type, Ways in, bool names)
{
    if (names)
        return Ways::steps;
    if (type == number::radio)
        return Ways::group;
    return in == Ways::steps ? Ways::copy : in;
}

}  // namespace

socket_calls::socket_calls (
  const library &calls, void *socket, int type, std::size_t size, const modifiers &with, std::size_t group)
  : calls_ (calls), socket_ (socket), polls_ (with.poll),
    names_ (type == number::router || type == number::stream),
    how_in_ (ways_in<calls_by> (type, with, names_)), how_out_ (ways_out (type, how_in_, names_)),
    buffer_ (size + (how_in_ == calls_by::cut ? chunk_bytes_max : spare_bytes)),
    name_ (how_in_ == calls_by::cut ? "" : bound_name), size_ (size), group_ (group)
{
    if (holds ())
        calls_.msg_init (&held_);
    if (polls_ && calls_.poll == nullptr)
        fail (calls_.path + " has no poll");
    if (how_in_ != calls_by::batch)
        return;
    if (calls_.send_packed == nullptr || calls_.recv_packed == nullptr)
        fail (calls_.path + " has no batch calls");
    buffer_.resize (std::max (receive_buffer_bytes, size + spare_bytes));
    sizes_out_.assign (group_, static_cast<std::uint32_t> (size));
    sizes_in_.resize (received_at_once);
}

socket_calls::~socket_calls ()
{
    if (holds ())
        calls_.msg_close (&held_);
}

void socket_calls::fail_call (const char *what) const
{
    need (calls_, -1, what);
    fail (what);
}

void socket_calls::send_otherwise (const std::byte *body, std::size_t size)
{
    if (how_out_ == calls_by::message) {
        send_message (body, size);
        return;
    }
    if (how_out_ == calls_by::steps) {
        send_addressed (body, size);
        return;
    }
    if (how_out_ == calls_by::group || how_out_ == calls_by::number) {
        send_labelled (body, size);
        return;
    }
    if (noted_ == 0)
        first_ = body;
    if (body != first_ + noted_ * size)
        fail ("the messages of a batch do not stand behind each other");
    if (++noted_ == group_)
        flush ();
}

void socket_calls::flush ()
{
    while (noted_ > 0) {
        const std::size_t size = sizes_out_.front ();
        const int sent = calls_.send_packed (socket_, first_, noted_ * size, sizes_out_.data (), noted_, 0);
        if (sent <= 0)
            fail_call ("send_packed");
        noted_ -= static_cast<std::size_t> (sent);
        first_ += static_cast<std::size_t> (sent) * size;
    }
}

void socket_calls::send_message (const std::byte *body, std::size_t size)
{
    message_storage made;
    need (calls_, calls_.msg_init_size (&made, size), "msg_init_size");
    // The rest of the body is nobody's: message calls are measured on moving
    // it, not on filling it.
    write_payload (static_cast<std::byte *> (calls_.msg_data (&made)), size, payload_label (body));
    need (calls_, calls_.msg_send (&made, socket_, 0), "msg_send");
}

const std::byte *socket_calls::receive_otherwise (std::size_t *size)
{
    if (how_in_ == calls_by::steps)
        return receive_in_steps (size);
    if (how_in_ == calls_by::cut)
        return receive_cut (size);
    if (how_in_ == calls_by::batch)
        return receive_batched (size);
    const std::byte *const body = receive_message (size);
    if (how_in_ == calls_by::number)
        peer_ = calls_.msg_routing_id (&held_);
    return body;
}

// A copy of the body, as a copying call makes one.
void socket_calls::send_labelled (const std::byte *body, std::size_t size)
{
    message_storage made;
    need (calls_, calls_.msg_init_size (&made, size), "msg_init_size");
    std::memcpy (calls_.msg_data (&made), body, size);
    need (calls_,
          how_out_ == calls_by::group ? calls_.msg_set_group (&made, group_name)
                                      : calls_.msg_set_routing_id (&made, peer_),
          "a message's label");
    need (calls_, calls_.msg_send (&made, socket_, 0), "msg_send");
}

void socket_calls::send_addressed (const std::byte *body, std::size_t size)
{
    if (name_.empty ())
        fill_cut_buffer ();  // the peer comes with an empty message
    if (calls_.send (socket_, name_.data (), name_.size (), number::send_more) < 0
        || calls_.send (socket_, body, size, 0) < 0)
        fail_call ("send");
}

void socket_calls::learn_name ()
{
    char name[name_bytes_max];
    const int got = calls_.recv (socket_, name, sizeof name, 0);
    if (got <= 0 || static_cast<std::size_t> (got) > sizeof name)
        fail_call ("recv of a name");
    name_.assign (name, static_cast<std::size_t> (got));
}

void socket_calls::fill_cut_buffer ()
{
    std::copy (buffer_.begin () + static_cast<std::ptrdiff_t> (cut_begin_),
               buffer_.begin () + static_cast<std::ptrdiff_t> (cut_end_), buffer_.begin ());
    cut_end_ -= cut_begin_;
    cut_begin_ = 0;
    learn_name ();
    const std::size_t room = buffer_.size () - cut_end_;
    const int got = calls_.recv (socket_, buffer_.data () + cut_end_, room, 0);
    if (got < 0 || static_cast<std::size_t> (got) > room)
        fail_call ("recv of a chunk");
    cut_end_ += static_cast<std::size_t> (got);
}

const std::byte *socket_calls::receive_cut (std::size_t *size)
{
    while (cut_end_ - cut_begin_ < size_)
        fill_cut_buffer ();
    const std::byte *body = buffer_.data () + cut_begin_;
    cut_begin_ += size_;
    *size = size_;
    return body;
}

const std::byte *socket_calls::receive_in_steps (std::size_t *size)
{
    if (polls_) {
        poll_item item{socket_, 0, number::poll_in, 0};
        if (calls_.poll (&item, 1, -1) != 1)
            fail_call ("poll");
    }
    if (names_)
        learn_name ();
    return receive_part (size);
}

const std::byte *socket_calls::receive_message (std::size_t *size)
{
    calls_.msg_close (&held_);
    calls_.msg_init (&held_);
    const int got = calls_.msg_recv (&held_, socket_, 0);
    if (got < 0)
        fail_call ("msg_recv");
    *size = static_cast<std::size_t> (got);
    return static_cast<const std::byte *> (calls_.msg_data (&held_));
}

const std::byte *socket_calls::receive_batched (std::size_t *size)
{
    if (next_in_ == count_in_) {
        const int got = calls_.recv_packed (socket_, buffer_.data (), buffer_.size (), sizes_in_.data (),
                                            sizes_in_.size (), 0);
        if (got <= 0)
            fail_call ("recv_packed");
        count_in_ = static_cast<std::size_t> (got);
        next_in_ = offset_in_ = 0;
    }
    *size = sizes_in_[next_in_++];
    const std::byte *body = buffer_.data () + offset_in_;
    offset_in_ += *size;
    return body;
}

}  // namespace zlink::bench
