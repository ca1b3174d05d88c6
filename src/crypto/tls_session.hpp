// One end of a TLS connection, over memory: bytes in, bytes out. It makes no
// system call and knows no socket; the only clock is OpenSSL's own, which tells
// the age of tickets by the second and nothing else.
//
// Thread rule: one user at a time, whatever is called (claim `crypto`): reading
// and writing share it. It need not be the same thread.
//
// Order: what the calls write is one stream of records, to be sent in the order
// in which it was written. Some of it nobody asked for (alerts, the answer to a
// key update, tickets): it is put in front of what the next call writes, and
// owed() says how much waits for one. Input that was not taken is to be offered
// again, in front of what came since.
//
// Memory: a session at rest holds about 21 KiB; where there is none to be had the
// session fails with out_of_memory, nothing aborts. Keys are overwritten when it
// is destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "crypto/tls_context.hpp"

struct ssl_st;          // OpenSSL's
struct ssl_session_st;  // OpenSSL's

namespace zlink::crypto {

using base::bytes_span;
using base::bytes_view;

enum class tls_reason : std::uint8_t
{
    none = 0,
    not_tls,  // the first bytes are of another protocol; nothing was answered

    // The peer's certificate. detail: X509_V_ERR_* of OpenSSL.
    untrusted,      // by nobody whom we trust
    expired,        // it, or one between it and its root
    not_yet_valid,  // likewise
    wrong_host,     // it is another's
    too_weak,       // its key or signature
    unsuitable,     // made for another purpose, malformed, or otherwise refused
    no_certificate,

    // What both could agree on.
    version_unsupported,
    nothing_in_common,  // no cipher, group or signature
    protocol_unknown,   // ALPN: none of ours

    alert_received,  // detail: its number (RFC 8446, 6)
    record_forged,   // it was changed on the way
    violation,       // of the protocol, in any other way. detail: OpenSSL's reason
    flooded,         // messages without end that carry nothing
    truncated,       // the stream ended without a goodbye
    out_of_memory,
    internal,  // OpenSSL gave up without blaming the peer: most often memory that it did not tell of
    no_randomness,
};
inline constexpr unsigned tls_reasons = static_cast<unsigned> (tls_reason::no_randomness) + 1;

// One lower-case word with hyphens: "wrong-host".
[[nodiscard]] const char *tls_reason_name (tls_reason reason) noexcept;

struct tls_failure
{
    tls_reason reason = tls_reason::none;
    int detail = 0;
};

enum class tls_state : std::uint8_t
{
    handshaking,
    ready,
    closed,  // the peer said goodbye: all that it sent was handed out. Writing goes on
    failed,  // what is owed, an alert, may still be sent
};

// What a listener gave a dialer for a shorter handshake next time. Good for one
// use, for the context and the host that it came from. A value; one thread.
class tls_ticket
{
  public:
    tls_ticket () noexcept;
    tls_ticket (tls_ticket &&) noexcept;
    tls_ticket &operator= (tls_ticket &&) noexcept;
    ~tls_ticket ();
    [[nodiscard]] bool empty () const noexcept { return kept_ == nullptr; }

  private:
    friend class tls_session;
    friend struct tls_session_io;
    struct kept;
    std::unique_ptr<kept> kept_;
};

// The newest few tickets of a dialing endpoint, which owns and guards it: a
// session's are moved here when its user holds the endpoint's lock.
class tls_tickets
{
  public:
    static constexpr std::size_t tickets_max = 4;
    void put (tls_ticket fresh) noexcept;       // the oldest gives way
    [[nodiscard]] tls_ticket take () noexcept;  // the newest; may be empty

  private:
    std::array<tls_ticket, tickets_max> held_;  // oldest first
    std::size_t count_ = 0;
};

struct tls_session_options
{
    // Dialers: whom to expect, a name or an address in numbers; also asked for
    // (SNI) if it is a name. Empty: no name is checked, any that is trusted will do.
    std::string_view host{};
    std::int64_t now_s = 0;        // Unix time, for the peer's certificates
    tls_ticket *resume = nullptr;  // Dialers: used up; one that does not fit is just dropped
    std::uint64_t records_per_key_max = std::uint64_t{1} << 23;  // TLS 1.3: then our key is changed
    std::size_t record_bytes_max = std::size_t{16} * 1024;  // plain, of what encrypt is given; 512 at least
};

class tls_session
{
  public:
    // What one call did: bytes of its input that are done with, bytes that it wrote.
    struct moved
    {
        std::size_t taken = 0;
        std::size_t written = 0;
    };

    static constexpr std::size_t record_bytes_max = 16 * 1024;
    static constexpr std::size_t record_overhead_bytes_max = 32;
    // The room in which encrypt takes all of the input, if nothing is owed.
    [[nodiscard]] static constexpr std::size_t sealed_bytes_max (std::size_t plain_bytes) noexcept
    {
        const std::size_t records = (plain_bytes + record_bytes_max - 1) / record_bytes_max;
        return plain_bytes + (records + key_change_records) * record_overhead_bytes_max;
    }

    // Errors: invalid_argument for a host of more than 255 octets or with a NUL
    // in it, or for records of another size, no_memory.
    [[nodiscard]] static base::result<std::unique_ptr<tls_session>>
    make (std::shared_ptr<const tls_context> context, const tls_session_options &options) noexcept;
    ~tls_session ();
    tls_session (const tls_session &) = delete;
    tls_session &operator= (const tls_session &) = delete;

    // Goes on with the handshake; a dialer's first call has no input. What comes
    // behind it is left untaken. Afterwards it only writes what is owed.
    moved step (bytes_view in, bytes_span out) noexcept;

    // Encrypts as much of the input as there is room for, in records of at most
    // 16 KiB, or what was said. Only while ready or closed, and before close ().
    moved encrypt (bytes_view plain, bytes_span out) noexcept;

    // Decrypts into out, which may not overlap the input. All of the input is
    // taken unless out is full. Only while ready.
    moved decrypt (bytes_view in, bytes_span out) noexcept;
    // Bytes that decrypt hands out without more input.
    [[nodiscard]] std::size_t held () const noexcept;

    // Gives buffers of 34 KiB back until the next call needs them: for who has
    // nothing to say for a while. Doing so behind each record costs more than the
    // record.
    void rest () noexcept;

    // From now on our records are as large as they may be.
    void write_whole_records () noexcept { fragment_bytes_ = record_bytes_max; }

    // Says goodbye; nothing can be encrypted any more, reading goes on. What does
    // not fit into out is owed.
    std::size_t close (bytes_span out) noexcept;

    // The stream below has ended. Without a goodbye before it the session fails
    // as truncated, whatever it was doing.
    void end_of_stream () noexcept;

    [[nodiscard]] std::size_t owed () const noexcept { return owed_end_ - owed_begin_; }
    std::size_t write_owed (bytes_span out) noexcept;

    [[nodiscard]] tls_state state () const noexcept { return state_; }
    [[nodiscard]] tls_failure failure () const noexcept { return failure_; }

    // Of a session that is ready. The subject as RFC 2253 has it,
    // "CN=peer,O=Example"; empty: there is no certificate. Where nothing is
    // verified it is but a claim.
    [[nodiscard]] std::string peer_subject () const noexcept;
    [[nodiscard]] std::string_view protocol () const noexcept;  // ALPN's; empty: none
    [[nodiscard]] std::string_view version () const noexcept;   // "TLSv1.3"
    [[nodiscard]] std::string_view cipher () const noexcept;    // "TLS_AES_256_GCM_SHA384"
    [[nodiscard]] bool resumed () const noexcept;
    // Listeners: the name that the dialer asked for (SNI).
    [[nodiscard]] std::string_view asked_host () const noexcept;

    // Dialers: the newest ticket that came and was not taken; may be empty.
    [[nodiscard]] tls_ticket take_ticket () noexcept;

  private:
    friend struct tls_session_io;
    static constexpr std::size_t key_change_records = 3;  // ours, the answer to theirs, a spare one

    explicit tls_session (std::shared_ptr<const tls_context> context) noexcept;
    [[nodiscard]] base::result<void> start (const tls_session_options &options) noexcept;
    [[nodiscard]] bool set_host (std::string_view host) noexcept;
    void resume_with (tls_ticket &ticket) noexcept;
    [[nodiscard]] bool looks_like_tls (bytes_view in) noexcept;
    void begin (bytes_view in, bytes_span out) noexcept;
    [[nodiscard]] moved finish () noexcept;
    void settle (int answer) noexcept;
    void fail (tls_reason reason, int detail) noexcept;
    [[nodiscard]] std::size_t record_room (std::size_t plain_bytes) const noexcept;
    [[nodiscard]] bool owe (bytes_view bytes) noexcept;

    std::shared_ptr<const tls_context> context_;
    ssl_st *ssl_ = nullptr;
    tls_ticket ticket_;
    std::string_view host_;  // in host_text_
    std::array<char, 256> host_text_{};

    // The call that is under way: what it was given.
    bytes_view in_{};
    bytes_span out_{};
    std::size_t taken_ = 0;
    std::size_t written_ = 0;

    std::unique_ptr<std::byte[]> owed_;  // nobody had room for it
    std::size_t owed_capacity_ = 0;
    std::size_t owed_begin_ = 0;
    std::size_t owed_end_ = 0;

    tls_state state_ = tls_state::handshaking;
    tls_failure failure_{};
    std::uint8_t looked_ = 0;  // first bytes that were looked at
    bool goodbye_said_ = false;
    bool no_memory_ = false;
    std::uint32_t empty_records_ = 0;  // since the last that carried something
    std::uint64_t records_ = 0;        // under the present key
    std::uint64_t records_max_ = 0;
    std::size_t fragment_bytes_ = record_bytes_max;  // of our records
};

}  // namespace zlink::crypto
