// Why a connection, or an attempt at one, ended: the typed last error of
// connections and endpoints, shown by events, counters and connect status.
#pragma once

#include <cstdint>

namespace zlink::base {

enum class close_reason : std::uint8_t
{
    none = 0,

    // Ours.
    local_close,
    disconnected,  // disconnect() or unbind() of this endpoint
    context_terminated,

    // The way there.
    resolve_failed,
    connect_refused,
    connect_timeout,
    connect_failed,  // any other answer of the system

    // The stream.
    peer_closed,
    connection_reset,
    read_failed,
    write_failed,
    heartbeat_timeout,

    // The handshake.
    handshake_timeout,
    greeting_malformed,
    version_unsupported,
    mechanism_mismatch,
    socket_type_incompatible,
    metadata_malformed,
    identity_malformed,
    refused_by_peer,  // the peer sent ERROR
    authentication_failed,

    // Traffic after it.
    frame_malformed,
    command_malformed,
    command_unexpected,
    data_before_ready,
    message_too_large,
    too_many_frames,
    second_peer,  // PAIR and CHANNEL have one peer at a time

    // A named limit or the system's resources.
    limit_reached,
    out_of_memory,
    budget_reached,  // of the bytes that a context may hold

    // A ROUTER's names.
    identity_taken,  // a living peer has the same routing id
    handed_over,     // a newcomer took over its routing id

    too_many_topics,  // a subscriber asked for more than a publisher lets one have
    slow_consumer,    // a publisher's: it had no room, and SLOW_CONSUMER says to disconnect it

    // Whom a listener lets in.
    not_admitted,  // by its filters

    // The way through a proxy.
    proxy_refused,         // os_error is the code of its reply (RFC 1928)
    proxy_authentication,  // it wants another user, or another method
    proxy_malformed,       // it answers what no SOCKS5 proxy does, or breaks off

    // Mechanisms: a command of theirs that is not as it must be.
    hello_malformed,
    welcome_malformed,
    initiate_malformed,
    ready_malformed,
    message_malformed,
    box_unopened,      // it was sealed with another key, or changed on the way
    key_exchange,      // the peer vouches for another key than it uses
    sequence_invalid,  // a number that was used already: a replay
    no_keys,           // there are no random numbers, or no CURVE in this library

    // Authentication, besides authentication_failed, whose os_error is the status.
    zap_unavailable,  // nobody is there to be asked
    zap_reply_malformed,
    zap_delimiter_bad,
    zap_version_bad,
    zap_request_bad,  // the reply is to another request
    zap_status_bad,
    zap_metadata_bad,

    // The peer left without a word when it had been shown our credentials: as a
    // server does for status 300, or where it cannot open what we say.
    turned_away,

    // The upgrade of HTTP to WebSocket.
    upgrade_refused,    // os_error is the HTTP status
    upgrade_malformed,  // it is not as RFC 6455 has it

    // TLS. os_error is the number of an alert (RFC 8446, 6), or OpenSSL's for what is
    // wrong with a certificate.
    not_tls,                 // the peer speaks something else
    certificate_untrusted,   // by nobody whom we trust
    certificate_expired,     // or not yet valid
    certificate_of_another,  // not of the host that was asked for
    certificate_unsuitable,  // too weak, malformed, or made for something else
    certificate_missing,     // the peer has to have one
    tls_nothing_in_common,   // no version, cipher, signature or protocol
    tls_alert,               // the peer gave up
    tls_forged,              // changed on the way
    tls_violation,
    tls_truncated,  // the stream ended without a goodbye: something may be missing
};
inline constexpr unsigned close_reasons = static_cast<unsigned> (close_reason::tls_truncated) + 1;

// The two do not agree on certificates or on TLS itself, and will not soon.
[[nodiscard]] constexpr bool is_of_tls_handshake (close_reason reason) noexcept
{
    return reason >= close_reason::not_tls && reason < close_reason::tls_forged;
}

// One lower-case word with hyphens, for logs and for zlink_connect_status.
[[nodiscard]] const char *reason_name (close_reason reason) noexcept;

}  // namespace zlink::base
