// The HTTP upgrade that begins a WebSocket connection (RFC 6455, 4), from either
// side. Pure: octets in, octets out.
//
// Use: construct, write output(); feed what is read, and write output() after
// every feed, until it answers done or failed. What feed did not consume is the
// peer's first frames. On failed a server's output() holds a polite answer: what
// is wrong as an HTTP status; it is to be written before the connection is closed.
//
// Extensions (permessage-deflate) are declined by silence: a server names none in
// its answer, a client offers none and takes none.
//
// Time-outs are the caller's. One thread at a time. Constructors throw bad_alloc,
// nothing else does: lack of memory is the reason out_of_memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/reason.hpp"
#include "wire/http_head.hpp"

namespace zlink::wire {

// What a client asks the server to prove that it has read.
inline constexpr std::size_t ws_nonce_bytes = 16;
using ws_nonce = std::array<std::byte, ws_nonce_bytes>;

enum class ws_upgrade_status : std::uint8_t
{
    need_more,
    done,
    failed,
};

using ws_header = std::pair<std::string, std::string>;

// Whether a program may add it to an upgrade: a token and a value without control
// characters, within the limits of http_head, and none of those that the upgrade
// itself says (Host, Origin, Upgrade, Connection, Sec-WebSocket-..., and what
// tells of a body).
[[nodiscard]] bool ws_header_acceptable (std::string_view name, std::string_view value) noexcept;
// Begins with '/', of characters that can be seen, without '#', not too long.
[[nodiscard]] bool ws_target_acceptable (std::string_view target) noexcept;

// The key's answer. False: there is no SHA-1 to be had (crypto/web_digest.hpp).
inline constexpr std::size_t ws_accept_chars = 28;
using ws_accept = std::array<char, ws_accept_chars>;
[[nodiscard]] bool ws_accept_of (std::string_view key, ws_accept &to) noexcept;

// What both ends share.
class ws_upgrade
{
  public:
    ws_upgrade (const ws_upgrade &) = delete;
    ws_upgrade &operator= (const ws_upgrade &) = delete;

    [[nodiscard]] ws_upgrade_status status () const noexcept { return status_; }
    [[nodiscard]] base::bytes_view output () const noexcept
    {
        return base::as_bytes (std::string_view (output_).substr (written_));
    }
    void output_drained (std::size_t size_bytes) noexcept { written_ += size_bytes; }

    // What the peer said: after done, and of a server also after failed where
    // the head could be read. Empty: nothing.
    [[nodiscard]] const http_head &said () const noexcept { return head_; }

    // After done: the sub-protocol; empty: none.
    [[nodiscard]] std::string_view protocol () const noexcept { return protocol_; }

    // After failed: upgrade_refused (one end does not want to: http_status() says
    // how), upgrade_malformed, limit_reached, no_keys (there is no SHA-1) or
    // out_of_memory.
    [[nodiscard]] base::close_reason reason () const noexcept { return reason_; }
    [[nodiscard]] const char *reason_text () const noexcept { return reason_text_; }
    // The one that was said, or heard; 0: none was.
    [[nodiscard]] unsigned http_status () const noexcept { return http_status_; }

  protected:
    explicit ws_upgrade (http_kind kind) noexcept : head_ (kind) {}
    ~ws_upgrade () = default;

    bool fail (base::close_reason why, const char *text) noexcept;

    http_head head_;
    std::string output_;
    std::size_t written_ = 0;
    std::string protocol_;
    ws_upgrade_status status_ = ws_upgrade_status::need_more;
    base::close_reason reason_ = base::close_reason::none;
    const char *reason_text_ = "";
    unsigned http_status_ = 0;
};

// --- who connects ----------------------------------------------------------------

struct ws_client_request
{
    std::string_view target = "/";  // path and query; ws_target_acceptable
    std::string_view host;          // with the port where it is not the scheme's own
    std::string_view origin{};      // empty: none
    // The better first; empty: the server must choose none.
    std::span<const std::string_view> protocols{};
    // Those that may not be added are left out, those that would not fit, too.
    std::span<const ws_header> headers{};
};

class ws_client_upgrade : public ws_upgrade
{
  public:
    // The nonce is from base::entropy. What is not acceptable has been refused by
    // the caller.
    ws_client_upgrade (const ws_client_request &what, const ws_nonce &nonce);

    // It stops exactly behind the head of the answer. After done or failed: the
    // same answer, and nothing is consumed.
    ws_upgrade_status feed (base::bytes_view in, std::size_t &consumed) noexcept;

  private:
    bool judge ();
    bool judge_protocol ();

    std::vector<std::string> offered_;
    std::string key_;
};

// --- who accepts -----------------------------------------------------------------

struct ws_server_rules
{
    // What is asked for must be this, up to a '?'; empty: anything.
    std::string target{};
    // What we speak; of those that the client offers the first that is among them
    // is taken. Empty: none is spoken, whatever is offered.
    std::vector<std::string> protocols{};
    // Where protocols are spoken: a client may come without one.
    bool protocol_optional = false;
    // The pages that may connect (a browser says from which one); empty: all. Who
    // says none is no browser and may.
    std::vector<std::string> origins{};
    // Said in the answer. Those that may not be added are left out.
    std::vector<ws_header> headers{};
};

class ws_server_upgrade : public ws_upgrade
{
  public:
    // The rules outlive it.
    explicit ws_server_upgrade (const ws_server_rules &rules) noexcept
      : ws_upgrade (http_kind::request), rules_ (rules)
    {
    }

    // It stops exactly behind the head of the request. After done or failed: the
    // same answer, and nothing is consumed.
    ws_upgrade_status feed (base::bytes_view in, std::size_t &consumed) noexcept;

  private:
    bool judge ();
    bool judge_request ();
    bool judge_upgrade ();
    bool judge_wish ();
    bool choose_protocol ();
    bool accept ();
    bool refuse (unsigned status, base::close_reason why, const char *text);

    const ws_server_rules &rules_;
};

}  // namespace zlink::wire
