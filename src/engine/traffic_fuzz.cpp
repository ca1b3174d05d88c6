// What one peer ever sends, handshake and frames, as a connection reads it. The
// first octets of the input choose our end, the slab, the limit of a message
// and how the rest is cut.
//
// Promised: however the bytes are cut, the same parts and commands come out in
// the same order, and the same violation ends them; parts come out with their
// last one only; nothing is held when all is over.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/fuzz_target.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/in_buffer.hpp"
#include "wire/session.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using engine::front_status;
using engine::in_buffer;

// What is announced is asked for: a search would do nothing but ask.
constexpr std::int64_t body_bytes_max = std::int64_t{1} << 20;

struct choices
{
    wire::session_config end;
    std::size_t slab_bytes = 0;
    std::int64_t message_bytes_max = 0;
};

choices choose (decisions &from)
{
    choices made;
    const unsigned type = from.octet ();
    made.end.type = *wire::socket_type_from_number (static_cast<int> (type % wire::socket_type_count));
    made.slab_bytes = (type & 0x80) != 0 ? 64 : engine::slab_bytes_min;
    const unsigned limit = from.octet ();
    made.message_bytes_max = limit == 0 ? body_bytes_max : limit;
    return made;
}

class reader
{
  public:
    explicit reader (const choices &how) : pool_ (how.slab_bytes, 1), in_ (charged ()), session_ (how.end)
    {
        in_.set_message_bytes_max (how.message_bytes_max);
        session_.start ();
    }
    ~reader ()
    {
        in_.reset ();
        require (account_.used () == 0);
    }
    // All of it, unless something ends it before.
    void take (bytes_view octets)
    {
        while (!octets.empty () && !over_) {
            const std::size_t used =
              session_.status () == wire::session_status::need_more ? shake (octets) : read (octets);
            octets = octets.subspan (used);
            if (session_.status () == wire::session_status::ready)
                take_fronts ();
        }
    }
    [[nodiscard]] const std::string &transcript () const noexcept { return said_; }

  private:
    engine::buffer_pool &charged ()
    {
        pool_.charge_to (&account_);
        return pool_;
    }
    std::size_t shake (bytes_view octets)
    {
        std::size_t used = 0;
        const wire::session_status status = session_.feed (octets, used);
        session_.output_drained (session_.output ().size ());
        if (status == wire::session_status::failed)
            end_by (session_.reason ());
        if (status == wire::session_status::ready)
            in_.set_framing (session_.frames ());
        return used;
    }
    // As much as there is room for.
    std::size_t read (bytes_view octets)
    {
        in_buffer::read_slices slices;
        const std::size_t count = in_.prepare (slices, SIZE_MAX);
        if (count == 0) {
            require (in_.memory_missing ());
            end_by (base::close_reason::out_of_memory);
            return octets.size ();
        }
        std::size_t taken = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t some = std::min (slices[i].size (), octets.size () - taken);
            std::memcpy (slices[i].data (), octets.data () + taken, some);
            taken += some;
        }
        require (taken > 0);  // else it would stand still for ever
        in_.commit (taken);
        return taken;
    }
    void take_fronts ()
    {
        for (;;) {
            const front_status status = in_.peek ();
            if (status == front_status::need_bytes)
                return;
            if (status == front_status::violation) {
                end_by (in_.why ());
                return;
            }
            const engine::front_part &part = in_.front ();
            require (status == front_status::command
                     || part.bytes.size () <= static_cast<std::size_t> (body_bytes_max));
            said_ += status == front_status::command ? '/' : part.more ? '+' : '.';
            said_ += base::as_text (part.bytes);
            require (status == front_status::command || (in_.parts_left () > 1) == part.more);
            in_.drop_front ();
        }
    }
    void end_by (base::close_reason reason)
    {
        said_ += '!';
        said_ += base::reason_name (reason);
        over_ = true;
    }

    engine::byte_budget account_;
    engine::buffer_pool pool_;
    in_buffer in_;
    wire::session session_;
    std::string said_;
    bool over_ = false;
};

std::string read_in_pieces (const choices &how, bytes_view stream, std::size_t piece)
{
    reader ours (how);
    for (std::size_t at = 0; at < stream.size (); at += piece)
        ours.take (stream.subspan (at, std::min (piece, stream.size () - at)));
    return ours.transcript ();
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    decisions from (input_of (data, size));
    const choices how = choose (from);
    const std::size_t piece = from.octet () + 1u;
    const bytes_view stream = from.rest ();
    if (stream.empty ())
        return 0;
    const std::string expected = read_in_pieces (how, stream, stream.size ());
    for (const std::size_t cut : {std::size_t{1}, piece})
        require (read_in_pieces (how, stream, cut) == expected);
    return 0;
}
