// A stream that speaks TLS: plain octets go in and come out, on the stream inside
// travel records (crypto/tls_session.hpp). Nothing but this knows of encryption.
//
// Whoever opens it has to be alone. Behind that one thread may read while another
// writes. The session is one object for both: `crypto`, a short lock of the stream's
// own, covers it, and is never held over a call of the stream inside. Who writes to
// that holds the pen: the writer, or a reader that has failed and has a last word.
//
// Writing: what fits into a buffer is sealed and written. Where the system does
// not take all of it the last plain octet counts as unwritten, and the next write
// begins with the sealed rest. What reading makes us say (the answer to a change
// of keys, an alert) goes in front of what is written next: owes().
// Reading: goes on until something plain came or the stream inside has nothing.
// A peer that says goodbye has ended its side; one whose stream ends without has
// been cut off, and read says so.
// Thread rule: that of a stream; and see above. Buffers are held while something
// is on its way and given back behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/reason.hpp"
#include "base/wrapping_stream.hpp"
#include "crypto/tls_session.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/sealed_stream.hpp"
#include "engine/span_cursor.hpp"

namespace zlink::engine {

// What listeners gave a dialling endpoint for a shorter handshake next time.
// Thread rule: any thread (leaf lock).
class tls_ticket_box
{
  public:
    void put (crypto::tls_ticket fresh) noexcept
    {
        const base::locked hold (lock_);
        held_.put (std::move (fresh));
    }
    [[nodiscard]] crypto::tls_ticket take () noexcept
    {
        const base::locked hold (lock_);
        return held_.take ();
    }

  private:
    base::exchange_lock lock_;
    crypto::tls_tickets held_;
};

// What an endpoint says about its streams.
struct tls_terms
{
    std::shared_ptr<const crypto::tls_context> context;
    std::string host{};                         // dialers: whom to expect; empty: anybody
    std::shared_ptr<tls_ticket_box> tickets{};  // dialers: null, none are kept
    std::int64_t now_s = 0;                     // Unix time, for certificates
    std::uint64_t records_per_key_max = crypto::tls_session_options{}.records_per_key_max;
    std::size_t record_bytes_max = crypto::tls_session_options{}.record_bytes_max;
};

// The name of the fact whose certificate the peer has shown.
inline constexpr std::string_view tls_subject_fact = "TLS-Subject";

class tls_stream final : public base::wrapping_stream
{
  public:
    using io_result = base::result<std::size_t>;

    // The pools outlive it; a buffer should take an arena and some more.
    tls_stream (std::unique_ptr<base::stream> inside,
                tls_terms terms,
                buffer_pool &out,
                buffer_pool &in) noexcept;
    // Says goodbye if nobody has, as far as the system takes it.
    ~tls_stream () override;

    io_result write (std::span<const base::bytes_view> slices) noexcept override;
    io_result read (std::span<const base::bytes_span> slices) noexcept override;
    base::result<void> open () noexcept override;
    [[nodiscard]] bool pending () const noexcept override { return more_ || stuck_; }
    [[nodiscard]] bool owes () const noexcept override { return owes_.load (std::memory_order_relaxed); }
    [[nodiscard]] base::close_reason fault () const noexcept override;
    // "TLS-Subject" where certificates are checked, "TLS-Protocol" (ALPN); what there
    // is of them.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> peer_facts () const override;
    void rest () noexcept override;
    void widen () noexcept override;

    void shutdown_write () noexcept override;
    [[nodiscard]] bool output_pending () noexcept override;

  private:
    using source = span_cursor<const base::bytes_view>;
    using target = span_cursor<const base::bytes_span>;

    // What came of asking the stream inside.
    enum class came : std::uint8_t
    {
        some,
        nothing,
        the_end,  // or an error: stuck
    };

    // The handshake.
    [[nodiscard]] bool begin_session () noexcept;
    [[nodiscard]] bool make_session () noexcept;
    void shake () noexcept;
    [[nodiscard]] bool step () noexcept;
    [[nodiscard]] io_result told () const noexcept;

    // Writing.
    [[nodiscard]] bool take_pen () noexcept;
    void put_pen (bool blocked) noexcept;
    base::result<void> drain () noexcept;
    std::size_t seal_some (source &from) noexcept;
    std::size_t seal_next (source &from, std::size_t bytes_max) noexcept;
    io_result write_with_pen (source &from, bool &blocked) noexcept;
    void say_last_word () noexcept;
    void say_goodbye () noexcept;

    // Reading.
    std::size_t open_some (target &to) noexcept;
    [[nodiscard]] came fill (std::size_t plain_bytes, bool &dry) noexcept;
    void stick (base::close_reason why, base::error failure) noexcept;
    void stick_unsaid () noexcept;
    void settle () noexcept;

    tls_terms terms_;
    mutable base::exchange_lock crypto_;
    std::unique_ptr<crypto::tls_session> session_;  // a listener's from the first octets on
    bool open_ = false;
    base::close_reason fault_ = base::close_reason::none;  // under crypto_
    base::atomic<bool> owes_{false};

    // Writing.
    bool pen_taken_ = false;  // under crypto_
    holding_buffer sealed_;   // the pen's holder's, as what follows
    bool withheld_ = false;   // of what is sealed the last plain octet was not told as written
    bool goodbye_said_ = false;
    bool goodbye_due_ = false;  // not all of it has left, or not the end behind it

    // Reading.
    holding_buffer came_;
    crypto::tls_state rx_state_ = crypto::tls_state::handshaking;  // as the reader saw it last
    bool stuck_ = false;                                           // an end or an error is to be told
    bool more_ = false;
    base::error failure_{};
};

}  // namespace zlink::engine
