// A stream whose peer speaks WebSocket (RFC 6455): what is written to it are
// plain frames of ZMTP 3.x, as the out-queue has them, what is read from it
// likewise; on the stream inside each is a message of ZWS 2.0 (RFC 45). Of a
// STREAM socket it is bare octets, in binary messages that mean nothing by their
// ends. So nothing but this knows of the web: queues, parsers and topics work on
// plain frames.
//
// Writing: frames are converted, a buffer full at a time, and written; a server's
// large bodies go from where they lie. Where the system does not take all that
// was converted the last plain byte counts as unwritten, and the next write begins
// with the rest. To an older peer (peer_is_older) a PING of ours goes as WebSocket's,
// whose answer is shown as a PONG: any peer of the web knows these.
// Reading: what arrives in fragments is handed out once it is whole, all else as
// it comes. What breaks a rule is told to the peer by a close, and ends the
// stream: read answers incompatible_protocol, and fault() says why.
// Answers to PING and close are the reader's to say: it writes them itself, in
// front of the writer's next frame, or leaves them to it where it is writing or
// the system is full (owes()).
//
// Thread rule: that of a stream. What writing uses is its own as long as turn_ is
// held; what the reader has to say waits under said_lock_, a leaf. Nobody waits
// for turn_: who does not get it leaves what it has to whoever holds it, who looks
// again behind giving it back. Buffers are held while something is on its way.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/entropy.hpp"
#include "base/lock.hpp"
#include "base/reason.hpp"
#include "base/wrapping_stream.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/sealed_stream.hpp"
#include "engine/span_cursor.hpp"
#include "wire/framing.hpp"
#include "wire/ws_upgrade.hpp"
#include "wire/zws.hpp"

namespace zlink::engine {

// How a stream begins.
struct ws_wish
{
    wire::ws_role role = wire::ws_role::server;
    bool bare = false;                    // octets, no frames
    std::int64_t message_bytes_max = -1;  // of one body that is no command; -1 = any
    // The better first, with names that last; none of a bare one.
    std::span<const std::string_view> protocols{};
    // Whom a client asks, and for what; of a server the only path there is
    // something at, or nothing: at all.
    std::string host{};
    std::string target{};
    std::vector<wire::ws_header> headers{};  // said besides
    std::string origin{};                    // the page a client says it is from
    std::vector<std::string> origins{};      // of a server, see wire::ws_server_rules
};

// What nobody can foresee: a client's masks, and what it asks the server to read.
struct ws_secrets
{
    base::secret_key masks;
    base::secret_key answers;
    wire::ws_nonce nonce{};
};

class ws_stream final : public base::wrapping_stream
{
  public:
    using io_result = base::result<std::size_t>;

    // The pools and the source outlive it; of a client the source is asked when it
    // begins. Throws bad_alloc.
    ws_stream (std::unique_ptr<base::stream> inside,
               ws_wish wish,
               base::entropy *secrets,
               buffer_pool &out,
               buffer_pool &in);
    ~ws_stream () override;

    io_result write (std::span<const base::bytes_view> slices) noexcept override;
    io_result read (std::span<const base::bytes_span> slices) noexcept override;
    // Says that we end, as far as nothing is half said.
    void shutdown_write () noexcept override;

    // The upgrade of HTTP. What is wrong with it is answered as an HTTP status, which
    // is what a failure carries as the system's number.
    base::result<void> open () noexcept override;
    [[nodiscard]] bool owes () const noexcept override;
    [[nodiscard]] bool pending () const noexcept override { return stuck_ || more_ || inside ().pending (); }
    [[nodiscard]] base::close_reason fault () const noexcept override
    {
        return fault_ != base::close_reason::none ? fault_ : inside ().fault ();
    }
    // Once open: the sub-protocol that both ends speak; empty of a bare one.
    [[nodiscard]] std::string_view protocol () const noexcept { return protocol_; }
    // Once the session inside is ready: the peer knows no command of ZMTP 3.1, PING
    // among them. For who has both sides.
    void peer_is_older () noexcept { web_pings_ = true; }
    [[nodiscard]] bool output_pending () noexcept override { return owes () || inside ().output_pending (); }

  private:
    using source = span_cursor<const base::bytes_view>;
    using target = span_cursor<const base::bytes_span>;

    // --- opening
    struct upgrade;
    bool begin_upgrade ();
    base::result<void> write_upgrade () noexcept;
    base::result<void> read_upgrade () noexcept;
    base::result<void> upgrade_failed () noexcept;
    base::result<void> finish_upgrade () noexcept;
    void hear_parting () noexcept;

    // --- writing; turn_ is held
    io_result write_frames (std::span<const base::bytes_view> slices) noexcept;
    bool write_round (source &from, std::size_t &taken, base::error &failure) noexcept;
    io_result write_out (source &from, std::size_t plain) noexcept;
    std::size_t convert (source &from) noexcept;
    std::size_t convert_short (source &from) noexcept;
    std::size_t begin_frame (source &from) noexcept;
    std::size_t convert_ping (source from, const wire::frame_head &head) noexcept;
    std::size_t put_body (source &from) noexcept;
    [[nodiscard]] bool goes_straight (const source &from) const noexcept;
    base::result<void> drain () noexcept;
    bool take_said () noexcept;
    bool write_said () noexcept;
    void give_turn () noexcept;

    // --- reading
    void say () noexcept;
    void finish_ending () noexcept;
    bool read_further (target &to, std::size_t &given, bool &short_read) noexcept;
    std::size_t hand_out (target &to) noexcept;
    std::size_t convert_whole (target &to) noexcept;
    std::size_t read_straight (target &to, bool &short_read) noexcept;
    [[nodiscard]] wire::zws_event next_event (base::bytes_span &in) noexcept;
    bool take_event (const wire::zws_event &event) noexcept;
    bool take_data (const wire::zws_event &event) noexcept;
    bool collect (const wire::zws_event &event) noexcept;
    void begin_body (const wire::zws_event &event, std::uint64_t size) noexcept;
    void show_pong (base::bytes_view context) noexcept;
    [[nodiscard]] bool too_large (const wire::zws_event &event, std::uint64_t size) const noexcept;
    bool refuse_large () noexcept;
    void end_by (const wire::zws_event &event) noexcept;
    void part () noexcept;
    void fail (base::close_reason why, base::errc code, int os_code = 0) noexcept;
    bool fill (bool &short_read) noexcept;

    const bool client_;
    const bool bare_;
    std::uint64_t body_bytes_max_;

    // Opening.
    std::unique_ptr<upgrade> upgrade_;  // null once it is over
    std::string_view protocol_;

    // Writing.
    base::exchange_lock turn_;
    holding_buffer out_;
    std::unique_ptr<wire::ws_mask_keys> masks_;  // a client's, once open
    wire::ws_mask_key key_{};                    // of the frame under way; zeros: none
    std::uint64_t body_left_ = 0;                // of it, in plain bytes
    std::uint64_t phase_ = 0;
    bool web_pings_ = false;
    bool withheld_ = false;
    bool closed_ = false;  // our close is written, or in out_

    // What the reader has to say.
    base::exchange_lock said_lock_;
    std::array<std::byte, wire::ws_output_bytes_max> said_{};
    std::size_t said_bytes_ = 0;
    bool said_close_ = false;
    base::atomic<bool> said_waits_{false};
    base::atomic<bool> rest_waits_{false};  // out_ holds what the system did not take
    bool ending_ = false;                   // the stream inside ends its writing side behind what is owed

    // Reading.
    std::unique_ptr<wire::ws_mask_keys> answer_masks_;  // a client's, once open
    std::unique_ptr<wire::zws_reader> reader_;          // once open
    holding_buffer came_;
    holding_buffer collected_;  // of a message in fragments
    base::bytes_span piece_{};  // of a body that is known, to be handed out
    std::array<std::byte, wire::frame_header_bytes_max + wire::ws_control_bytes_max> front_{};
    std::uint8_t front_at_ = 0;  // and what goes before it
    std::uint8_t front_end_ = 0;
    std::uint64_t to_come_ = 0;  // of the frame that is handed out as it comes
    bool collecting_ = false;
    bool more_ = false;   // what has come was not all wanted
    bool stuck_ = false;  // an end or an error is to be told
    base::error failure_{};
    base::close_reason fault_ = base::close_reason::none;
};

}  // namespace zlink::engine
