#include "tools/zlink/advice.hpp"

#include <algorithm>
#include <array>

namespace zlink::tool {

namespace {

struct advice_row
{
    std::string_view reason;
    std::string_view text;
};

constexpr std::string_view keys_differ =
  "the keys of both ends do not fit together: compare CURVE_SERVERKEY with the server's public key";
constexpr std::string_view no_curve =
  "the peer's part of CURVE is not as it must be: compare keys, versions, and what stands between";
constexpr std::string_view no_answer =
  "the peer's authentication handler (ZAP) does not answer as RFC 27 has it";
constexpr std::string_view no_zmtp =
  "something answers there that does not speak as it should: is it the right port?";
constexpr std::string_view not_this_way = "this does not happen to a connection that is being made";
constexpr std::string_view in_traffic =
  "the connection was there; the peer then broke a rule of the protocol";

constexpr std::array rows = std::to_array<advice_row> ({
  {"none", "nothing is wrong"},
  {"local-close", not_this_way},
  {"disconnected", not_this_way},
  {"context-terminated", not_this_way},
  {"resolve-failed", "no address is known by this name: look at its spelling, DNS and /etc/hosts"},
  {"connect-refused", "the host is there, but nobody listens at this port or path"},
  {"connect-timeout", "nothing answered: look at the route, firewalls, and whether the host is up"},
  {"connect-failed", "the system could not connect; its error says why"},
  {"peer-closed",
   "the peer took the connection and closed it: is it a ZeroMQ peer, and has it room for another?"},
  {"connection-reset", "the peer, or something between, broke the connection off"},
  {"read-failed", "the system could not read; its error says why"},
  {"write-failed", "the system could not write; its error says why"},
  {"heartbeat-timeout", "the peer answers no heartbeats: it hangs, or the network is cut"},
  {"handshake-timeout",
   "the peer took the connection and then said too little: is it a ZeroMQ peer, and not stuck?"},
  {"greeting-malformed", no_zmtp},
  {"version-unsupported",
   "the peer speaks a version of ZMTP that does not do here, such as 2.0 where a mechanism is set"},
  {"mechanism-mismatch",
   "one end has another mechanism: compare PLAIN_SERVER, CURVE_SERVER and the keys of both"},
  {"socket-type-incompatible",
   "the peer's socket is of a type that yours does not talk to: try another --type"},
  {"metadata-malformed", no_zmtp},
  {"identity-malformed", "the peer's routing id is not as it may be"},
  {"refused-by-peer",
   "the peer said no, perhaps to this type of socket (try another --type): its log or monitor knows why"},
  {"authentication-failed",
   "the peer does not let you in: the error is its status, 300 for later, 400 for no"},
  {"frame-malformed", in_traffic},
  {"command-malformed", in_traffic},
  {"command-unexpected", in_traffic},
  {"data-before-ready", no_zmtp},
  {"message-too-large", "a message was above MAXMSGSIZE"},
  {"too-many-frames", "a message had more parts than one may have"},
  {"second-peer", "that PAIR has a peer already"},
  {"limit-reached", "a limit of this process or of the peer is reached, such as that of open descriptors"},
  {"out-of-memory", "there is no memory"},
  {"budget-reached", "the context holds as much as BUDGET_KIB allows"},
  {"identity-taken", "the ROUTER has a living peer with the same routing id"},
  {"handed-over", "another peer came with the same routing id and took its place"},
  {"too-many-topics", "the publisher allows fewer subscriptions: see TOPICS_MAX"},
  {"slow-consumer", "the publisher ended the connection, because it read too slowly"},
  {"not-admitted", "the listener's filters (TCP_ACCEPT_FILTER, IPC_FILTER_*) do not let this address in"},
  {"proxy-refused", "the SOCKS5 proxy would not connect; the error is its code (RFC 1928)"},
  {"proxy-authentication", "the SOCKS5 proxy wants another user or password: see SOCKS_USERNAME"},
  {"proxy-malformed", "what answers as a SOCKS5 proxy is none"},
  {"hello-malformed", no_curve},
  {"welcome-malformed", no_curve},
  {"initiate-malformed", no_curve},
  {"ready-malformed", no_curve},
  {"message-malformed", no_curve},
  {"box-unopened", keys_differ},
  {"key-exchange", keys_differ},
  {"sequence-invalid", "something was said twice, as in a replay"},
  {"no-keys", "this library has no CURVE, or the system no random numbers"},
  {"zap-unavailable", "the peer has nobody to ask who comes in: it needs a handler, a list or a function"},
  {"zap-reply-malformed", no_answer},
  {"zap-delimiter-bad", no_answer},
  {"zap-version-bad", no_answer},
  {"zap-request-bad", no_answer},
  {"zap-status-bad", no_answer},
  {"zap-metadata-bad", no_answer},
  {"turned-away",
   "the peer left when it had seen the credentials: it does not know them, or wants them later"},
  {"upgrade-refused",
   "the web server there will not speak WebSocket here: the error is its HTTP status; look at the path"},
  {"upgrade-malformed", "what answers is no WebSocket server: is it the right port, or does it want wss?"},
  {"not-tls", "the peer does not speak TLS: is it the right port, or does it want tcp or ws?"},
  {"certificate-untrusted",
   "nobody whom you trust has signed the peer's certificate: see TLS_CA and TLS_TRUST_SYSTEM"},
  {"certificate-expired", "the peer's certificate is not valid at this time: look at both clocks, too"},
  {"certificate-of-another", "the peer's certificate is of another host: see TLS_HOSTNAME"},
  {"certificate-unsuitable", "the peer's certificate is too weak, malformed, or made for something else"},
  {"certificate-missing", "the peer wants a certificate of yours, or has none: see TLS_CERT and TLS_KEY"},
  {"tls-nothing-in-common", "no version, cipher or protocol of TLS suits both ends"},
  {"tls-alert", "the peer gave TLS up; the error is the number of its alert (RFC 8446, 6)"},
  {"tls-forged", "octets were changed on the way"},
  {"tls-violation", "the peer breaks a rule of TLS"},
  {"tls-truncated", "the connection was cut off without a goodbye"},
});

}  // namespace

std::string_view advice_for (std::string_view reason) noexcept
{
    const auto found =
      std::find_if (rows.begin (), rows.end (), [&] (const advice_row &row) { return row.reason == reason; });
    return found == rows.end () ? std::string_view () : found->text;
}

}  // namespace zlink::tool
