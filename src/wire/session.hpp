// The handshake of one connection: greeting, then the mechanism of ZMTP 3.x
// (NULL is in here, others in mechanism.hpp) or the identity frames of 1.0 and
// 2.0. With NULL both ends run the same machine. Of a bare framing there is no
// handshake: start() makes it ready.
// Source: RFC 13, 15, 23, 24, 25, 37; sending order as libzmq's.
//
// Where something before it has settled version and mechanism, an upgrade to ZWS 2.0
// (RFC 45), nobody greets: start() is told so.
//
// Use: construct, start(), write output(); then feed() what is read and write
// output() after every feed, until it answers ready or failed. On ready the
// bytes that feed did not consume are the peer's first frames, and output()
// must be written before any frame of ours. On failed output() may hold a last
// word (ERROR) for the peer.
//
// When wants_verdict() is true behind a feed, somebody is to be asked about what
// the peer has shown (credentials_shown), and the answer is said by admit() or
// refuse(); output() is written behind either. Until then the peer has nothing
// more to say than a READY of NULL.
//
// Time-outs are the caller's. One thread at a time. Nothing throws: lack of
// memory is the reason out_of_memory. A failed session keeps no peer's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/reason.hpp"
#include "wire/framing.hpp"
#include "wire/greeting.hpp"
#include "wire/limits.hpp"
#include "wire/mechanism.hpp"
#include "wire/metadata.hpp"
#include "wire/security.hpp"
#include "wire/socket_type.hpp"

namespace zlink::wire {

struct session_limits
{
    std::size_t command_bytes_max = handshake_command_bytes_max;
    std::size_t properties_max = metadata_properties_max;
};

// When our READY leaves.
enum class ready_order : std::uint8_t
{
    at_once,     // with the peer's greeting complete: both ends of libzmq
    after_peer,  // after the peer's was found good: for the accepting end only, two would wait for ever
};

// By which one of ours says, in READY, that it knows more than it has to.
inline constexpr std::string_view newer_property = "X-Zlink";

// What the first octets are.
enum class session_start : std::uint8_t
{
    greeting,
    // The version is 3.0, of one of ours (newer_property) 3.1 even so, and the
    // mechanism is the config's.
    commands,
    identities,  // likewise, and there is none: the first message each way is a routing id
};

struct session_config
{
    // A bare one: nothing is said and nothing expected before the first frame.
    framing speaks = framing::zmtp_3;
    bool silent = false;  // the same of any framing: there is nobody to say it to
    socket_type type = socket_type::pair;
    // 0 to identity_bytes_max octets, the first not 0. 1.0 and 2.0 peers
    // always get it, 3.x peers only with send_identity (as libzmq:
    // socket_type_sends_identity).
    std::string identity{};
    bool send_identity = false;
    // With a mechanism but NULL, or a domain, 1.0 and 2.0 peers, which have no
    // mechanism, may not come in.
    security secured{};
    base::entropy *secrets = nullptr;  // for CURVE's keys; outlives the session
    ready_order order = ready_order::at_once;
    // More properties for READY, "X-...". One that cannot be encoded is left out.
    std::vector<std::pair<std::string, std::string>> properties{};
    session_limits limits{};
};

enum class session_status : std::uint8_t
{
    need_more,
    ready,
    failed,
};

class session
{
  public:
    explicit session (session_config config);
    session (const session &) = delete;
    session &operator= (const session &) = delete;

    // Once, before the first feed: puts what we say first into output().
    void start (session_start how = session_start::greeting) noexcept;
    // consumed <= in.size (); it stops exactly behind the peer's last octet of
    // the handshake. After ready or failed: the same answer, nothing consumed.
    session_status feed (bytes_view in, std::size_t &consumed) noexcept;
    [[nodiscard]] session_status status () const noexcept;

    // What is to be written, in order; valid until the next feed or drained.
    [[nodiscard]] bytes_view output () const noexcept { return bytes_view (output_).subspan (written_); }
    void output_drained (std::size_t size_bytes) noexcept;

    // What it was made with.
    [[nodiscard]] const security &secured () const noexcept { return config_.secured; }
    // What follows the handshake is sealed.
    [[nodiscard]] bool seals () const noexcept { return secured ().mechanism == mechanism_kind::curve; }

    // We have shown a server of PLAIN or CURVE who we are, and it has not said
    // yet that we may come in.
    [[nodiscard]] bool waits_for_entry () const noexcept
    {
        return stage_ == stage::command && speaks_mechanism () && !secured ().as_server;
    }

    // --- while somebody is to be asked ---

    [[nodiscard]] bool wants_verdict () const noexcept { return asking_; }
    [[nodiscard]] const credentials &credentials_shown () const noexcept;
    // The peer may come in.
    session_status admit () noexcept;
    // It may not: 300 closes without a word, others are told.
    void refuse (unsigned status) noexcept;
    // Nobody could be asked, or the answer was no answer.
    void give_up (base::close_reason reason, std::string_view text) noexcept;

    // --- after ready ---

    // How traffic goes on, once; null: as it is.
    [[nodiscard]] std::unique_ptr<sealing> take_sealing ();

    [[nodiscard]] framing frames () const noexcept { return framing_; }
    // The version in use, the lower of both: 1.0, 2.0, 3.0 or 3.1; 0.0 where it
    // is not ZMTP.
    [[nodiscard]] unsigned major () const noexcept { return major_; }
    [[nodiscard]] unsigned minor () const noexcept { return minor_; }
    // PING may be sent (3.x).
    [[nodiscard]] bool heartbeats () const noexcept { return major_ >= 3; }
    // SUBSCRIBE and CANCEL are commands (3.1), not messages 01/00 topic.
    [[nodiscard]] bool subscribe_commands () const noexcept { return major_ >= 3 && minor_ >= 1; }
    // False for unversioned 1.0 peers: a PUB acts as if they had subscribed to
    // everything.
    [[nodiscard]] bool peer_forwards_subscriptions () const noexcept { return peer_forwards_subscriptions_; }
    // None from an unversioned 1.0 peer and one of identities, which do not say.
    [[nodiscard]] std::optional<socket_type> peer_socket_type () const noexcept { return peer_type_; }
    // 0 to identity_bytes_max octets. The first may be 0, as libzmq lets it:
    // a ROUTER must treat that like any other name, taken or free.
    [[nodiscard]] std::string_view peer_identity () const noexcept { return peer_identity_; }
    // READY's properties, all of them; empty for 1.0 and 2.0.
    [[nodiscard]] const metadata &peer_metadata () const noexcept { return metadata_; }
    // One of them, for zmq_msg_gets; "Routing-Id" is another name of Identity.
    [[nodiscard]] const std::string *peer_property (std::string_view name) const noexcept;

    // Once ready, by an accepting end that speaks behind its peer (after_peer) and
    // has written nothing since: ERROR with these words, at most 255 octets, takes
    // the place of READY, and the session has failed. Of another framing there are
    // no such words.
    void turn_away (base::close_reason reason, std::string_view text) noexcept;

    // --- after failed ---

    [[nodiscard]] base::close_reason reason () const noexcept { return reason_; }
    // A sentence for logs and events; for refused_by_peer the peer's own
    // words, at most 255 octets, made printable.
    [[nodiscard]] std::string_view reason_text () const noexcept { return reason_text_; }
    // Of authentication_failed the status, else 0.
    [[nodiscard]] int refused_status () const noexcept { return refused_status_; }

  private:
    enum class stage : std::uint8_t
    {
        greeting,
        identity,  // of 1.0 and 2.0, and where nobody greets
        command,   // READY, ERROR or what the mechanism has
        verdict,   // somebody is asked, the peer waits
        ready,
        failed,
    };

    // Who has no CURVE has no ws either, and nobody else comes without a greeting.
    [[nodiscard]] static bool may_be_ungreeted () noexcept { return has_mechanism (mechanism_kind::curve); }
    // Another than NULL. Of a library that has none nothing is left of what follows.
    [[nodiscard]] bool speaks_mechanism () const noexcept
    {
        return has_mechanism (mechanism_kind::plain) && mechanism_ != nullptr;
    }

    void advance (bytes_view &in);
    void greeting_complete ();
    void go_ungreeted (session_start how);
    void start_identity_exchange ();
    void queue_identity ();
    [[nodiscard]] std::vector<std::byte> own_properties () const;
    void queue_ready ();
    void begin_command ();

    // True when a whole frame stands in frame_ and head_.
    bool collect_frame (bytes_view &in);
    bool head_acceptable ();
    void identity_complete ();
    void command_complete ();
    void error_received (bytes_view words);
    void follow (mechanism_step step);
    void ready_received (bytes_view properties);
    bool take_properties (bytes_view properties);
    bool take_identity (std::string_view identity);
    bool take_socket_type (std::optional<socket_type> type);
    void fail (base::close_reason reason, std::string_view text);
    void out_of_memory () noexcept;

    session_config config_;
    greeting greeting_;
    std::vector<std::byte> output_;
    std::size_t written_ = 0;
    std::size_t ready_at_ = 0;      // in output_, where our READY begins
    std::vector<std::byte> frame_;  // the frame being collected, header included
    frame_head head_;
    std::unique_ptr<mechanism> mechanism_;  // null: NULL
    credentials null_shown_{};
    bool asking_ = false;
    std::size_t command_bytes_max_;  // of the next one
    bool ready_is_last_ = false;     // in output_, and nothing of it has left
    int refused_status_ = 0;
    stage stage_ = stage::greeting;
    bool ungreeted_ = false;

    framing framing_ = framing::zmtp_3;
    std::uint8_t major_ = 3;
    std::uint8_t minor_ = 0;
    bool peer_forwards_subscriptions_ = true;
    std::optional<socket_type> peer_type_;
    std::string peer_identity_;
    metadata metadata_;
    base::close_reason reason_ = base::close_reason::none;
    std::string reason_text_;
};

}  // namespace zlink::wire
