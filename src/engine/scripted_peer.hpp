// What peers of a scripted world say, and a judge of it: for tests and fuzz
// targets of this layer and the one above.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/reason.hpp"
#include "engine/limits.hpp"
#include "wire/command.hpp"
#include "wire/session.hpp"
#include "wire/test_bytes.hpp"

namespace zlink::engine::test {

using wire::test::be;
using wire::test::frame;

// The first words of a good peer of that type, to whom it may talk: greeting and
// READY of ZMTP 3.1.
inline std::string introduction (int type)
{
    return wire::test::greeting_of (3, 1)
           + wire::test::ready_of (wire::socket_type_name (static_cast<wire::socket_type> (type)));
}

// What a socket of ours has agreed to.
struct terms
{
    int type = 0;          // ours
    bool bytes = false;    // STREAM: no handshake
    bool packets = false;  // and packets, not bytes as they are
    std::int64_t message_bytes_max = 0;
};

// Reads what a peer said by itself, not as the engine does: the reason for which
// it is to be closed, if there is one.
class judge
{
  public:
    judge (const terms &how, std::string_view said) : how_ (how), rest_ (base::as_bytes (said)) {}

    // Once.
    [[nodiscard]] base::close_reason verdict ()
    {
        if (how_.bytes)
            return how_.packets ? read_frames (wire::framing::packets) : base::close_reason::none;
        wire::session_config config;
        config.type = static_cast<wire::socket_type> (how_.type);
        wire::session shakes (config);
        shakes.start ();
        std::size_t used = 0;
        const wire::session_status status = shakes.feed (rest_, used);
        rest_ = rest_.subspan (used);
        if (status == wire::session_status::failed)
            return shakes.reason ();
        return status == wire::session_status::ready ? read_frames (shakes.frames ())
                                                     : base::close_reason::none;
    }

  private:
    base::close_reason read_frames (wire::framing framing)
    {
        for (wire::frame_head head;;) {
            const wire::head_status status = wire::decode_frame_header (framing, rest_, head);
            if (status != wire::head_status::complete)
                return status == wire::head_status::malformed ? base::close_reason::frame_malformed
                                                              : base::close_reason::none;
            if (head.body_size > static_cast<std::uint64_t> (how_.message_bytes_max))
                return base::close_reason::message_too_large;
            if (head.command && head.body_size > command_bytes_max)
                return base::close_reason::command_malformed;
            if (head.body_size > rest_.size () - head.header_bytes)
                return base::close_reason::none;
            const auto size = static_cast<std::size_t> (head.body_size);
            const base::bytes_view body = rest_.subspan (head.header_bytes, size);
            rest_ = rest_.subspan (head.header_bytes + size);
            const base::close_reason bad = head.command ? of_command (body) : base::close_reason::none;
            if (bad != base::close_reason::none)
                return bad;
        }
    }
    static base::close_reason of_command (base::bytes_view body)
    {
        switch (wire::parse_command (body).kind) {
        case wire::command_kind::malformed:
            return base::close_reason::command_malformed;
        case wire::command_kind::ready:
            return base::close_reason::command_unexpected;
        case wire::command_kind::error:
            return base::close_reason::refused_by_peer;
        default:
            return base::close_reason::none;
        }
    }

    const terms how_;
    base::bytes_view rest_;
};

}  // namespace zlink::engine::test
