#include "wire/ws_upgrade.hpp"

#include <algorithm>
#include <new>

#include "crypto/web_digest.hpp"

namespace zlink::wire {

namespace {

using base::close_reason;

constexpr std::string_view ws_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view ws_version = "13";
constexpr std::string_view line_end = "\r\n";

constexpr std::string_view name_host = "Host";
constexpr std::string_view name_origin = "Origin";
constexpr std::string_view name_upgrade = "Upgrade";
constexpr std::string_view name_connection = "Connection";
constexpr std::string_view name_key = "Sec-WebSocket-Key";
constexpr std::string_view name_accept = "Sec-WebSocket-Accept";
constexpr std::string_view name_version = "Sec-WebSocket-Version";
constexpr std::string_view name_protocol = "Sec-WebSocket-Protocol";
constexpr std::string_view name_extensions = "Sec-WebSocket-Extensions";
constexpr std::string_view name_length = "Content-Length";
constexpr std::string_view name_encoding = "Transfer-Encoding";
constexpr std::string_view upgrade_websocket = "websocket";
constexpr std::string_view text_out_of_memory = "memory is out";

constexpr unsigned status_switching = 101;
constexpr unsigned status_bad_request = 400;
constexpr unsigned status_forbidden = 403;
constexpr unsigned status_not_found = 404;
constexpr unsigned status_no_method = 405;
constexpr unsigned status_target_long = 414;
constexpr unsigned status_upgrade = 426;
constexpr unsigned status_head_large = 431;
constexpr unsigned status_internal = 500;

struct status_row
{
    unsigned status;
    std::string_view words;
    std::string_view headers;  // what this refusal has to say besides
};

constexpr status_row status_rows[] = {
  {status_bad_request, "Bad Request", ""},
  {status_forbidden, "Forbidden", ""},
  {status_not_found, "Not Found", ""},
  {status_no_method, "Method Not Allowed", "Allow: GET\r\n"},
  {status_target_long, "URI Too Long", ""},
  {status_upgrade, "Upgrade Required", "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"},
  {status_head_large, "Request Header Fields Too Large", ""},
  {status_internal, "Internal Server Error", ""},
};

void put_header (std::string &to, std::string_view name, std::string_view value)
{
    to.append (name).append (": ").append (value).append (line_end);
}

// What a program adds, as long as the peer can be expected to take it.
void put_headers (std::string &to, std::span<const ws_header> headers)
{
    constexpr std::size_t own_headers = 8;
    std::size_t room = http_headers_max - own_headers;
    for (const auto &[name, value] : headers) {
        const std::size_t size = name.size () + value.size () + 4;
        if (room == 0 || to.size () + size + line_end.size () > http_head_bytes_max)
            return;
        if (!ws_header_acceptable (name, value))
            continue;
        put_header (to, name, value);
        --room;
    }
}

std::string joined (std::span<const std::string_view> words)
{
    std::string text;
    for (const std::string_view word : words)
        text.append (text.empty () ? "" : ", ").append (word);
    return text;
}

// Base64 of 16 octets: 22 digits and two signs of padding.
bool is_ws_key (std::string_view text) noexcept
{
    constexpr std::size_t digits = 22;
    if (text.size () != digits + 2 || !text.ends_with ("=="))
        return false;
    return std::all_of (text.begin (), text.begin () + digits, [] (char c) {
        const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return letter || (c >= '0' && c <= '9') || c == '+' || c == '/';
    });
}

}  // namespace

bool ws_header_acceptable (std::string_view name, std::string_view value) noexcept
{
    constexpr std::string_view ours_begin = "Sec-WebSocket-";
    constexpr std::string_view ours[] = {name_host,       name_origin, name_upgrade,
                                         name_connection, name_length, name_encoding};
    if (!is_http_token (name) || !is_http_value (value) || name.size () > http_name_bytes_max
        || value.size () > http_value_bytes_max)
        return false;
    return !same_word (name.substr (0, ours_begin.size ()), ours_begin)
           && std::none_of (std::begin (ours), std::end (ours),
                            [&] (std::string_view one) { return same_word (one, name); });
}

bool ws_target_acceptable (std::string_view target) noexcept
{
    return target.starts_with ('/') && target.size () <= http_target_bytes_max
           && std::all_of (target.begin (), target.end (),
                           [] (char c) { return c > ' ' && c <= '~' && c != '#'; });
}

bool ws_accept_of (std::string_view key, ws_accept &to) noexcept
{
    constexpr std::size_t key_chars = crypto::base64_chars (ws_nonce_bytes);
    std::array<char, key_chars + ws_guid.size ()> text{};
    if (key.size () != key_chars)
        return false;
    std::copy (ws_guid.begin (), ws_guid.end (), std::copy (key.begin (), key.end (), text.begin ()));
    crypto::sha1_digest digest;
    if (!crypto::sha1 (base::as_bytes (std::string_view (text.data (), text.size ())), digest))
        return false;
    static_assert (crypto::base64_chars (crypto::sha1_bytes) == ws_accept_chars);
    crypto::base64 (to.data (), digest);
    return true;
}

bool ws_upgrade::fail (base::close_reason why, const char *text) noexcept
{
    status_ = ws_upgrade_status::failed;
    reason_ = why;
    reason_text_ = text;
    return false;
}

// --- who connects ----------------------------------------------------------------

ws_client_upgrade::ws_client_upgrade (const ws_client_request &what, const ws_nonce &nonce)
  : ws_upgrade (http_kind::response), offered_ (what.protocols.begin (), what.protocols.end ()),
    key_ (crypto::base64_chars (nonce.size ()), '=')
{
    crypto::base64 (key_.data (), nonce);
    output_.append ("GET ").append (what.target).append (" HTTP/1.1").append (line_end);
    put_header (output_, name_host, what.host);
    put_header (output_, name_upgrade, upgrade_websocket);
    put_header (output_, name_connection, name_upgrade);
    put_header (output_, name_key, key_);
    put_header (output_, name_version, ws_version);
    if (!offered_.empty ())
        put_header (output_, name_protocol, joined (what.protocols));
    if (!what.origin.empty ())
        put_header (output_, name_origin, what.origin);
    put_headers (output_, what.headers);
    output_.append (line_end);
}

ws_upgrade_status ws_client_upgrade::feed (base::bytes_view in, std::size_t &consumed) noexcept
try {
    consumed = 0;
    if (status_ != ws_upgrade_status::need_more)
        return status_;
    const http_head_status read = head_.feed (in, consumed);
    if (read == http_head_status::failed && head_.flaw () == http_flaw::malformed)
        fail (close_reason::upgrade_malformed, "the answer to the upgrade is not HTTP");
    else if (read == http_head_status::failed)
        fail (close_reason::limit_reached, "the answer to the upgrade is too long");
    else if (read == http_head_status::complete && judge ())
        status_ = ws_upgrade_status::done;
    return status_;
} catch (const std::bad_alloc &) {
    fail (close_reason::out_of_memory, text_out_of_memory.data ());
    return status_;
}

bool ws_client_upgrade::judge ()
{
    const auto malformed = [&] (const char *text) { return fail (close_reason::upgrade_malformed, text); };
    http_status_ = head_.status ();
    if (http_status_ != status_switching)
        return fail (close_reason::upgrade_refused, "the server does not upgrade to WebSocket");
    if (!head_.speaks_1_1 ())
        return malformed ("the server upgrades by HTTP/1.0");
    if (!head_.lists (name_upgrade, upgrade_websocket) || !head_.lists (name_connection, name_upgrade))
        return malformed ("the server upgrades to something else");
    ws_accept expected;
    if (!ws_accept_of (key_, expected))
        return fail (close_reason::no_keys, "there is no SHA-1 to be had");
    if (head_.count (name_accept) != 1
        || head_.value (name_accept) != std::string_view (expected.data (), expected.size ()))
        return malformed ("the server has not read our key");
    if (head_.any_word (name_extensions, [] (std::string_view) { return true; }))
        return malformed ("the server uses an extension that was not offered");
    return judge_protocol ();
}

bool ws_client_upgrade::judge_protocol ()
{
    if (head_.count (name_protocol) > 1)
        return fail (close_reason::upgrade_malformed, "the server chooses more than one sub-protocol");
    const std::string_view chosen = head_.value (name_protocol);
    const bool offered = std::find (offered_.begin (), offered_.end (), chosen) != offered_.end ();
    if (!offered && !chosen.empty ())
        return fail (close_reason::upgrade_malformed,
                     "the server chooses a sub-protocol that was not offered");
    if (!offered && !offered_.empty ())
        return fail (close_reason::upgrade_refused, "the server speaks none of the sub-protocols");
    protocol_ = chosen;
    return true;
}

// --- who accepts -----------------------------------------------------------------

ws_upgrade_status ws_server_upgrade::feed (base::bytes_view in, std::size_t &consumed) noexcept
try {
    consumed = 0;
    if (status_ != ws_upgrade_status::need_more)
        return status_;
    const http_head_status read = head_.feed (in, consumed);
    if (read == http_head_status::need_more)
        return status_;
    if (judge ())
        status_ = ws_upgrade_status::done;
    return status_;
} catch (const std::bad_alloc &) {
    output_.clear ();
    written_ = 0;
    http_status_ = 0;
    fail (close_reason::out_of_memory, text_out_of_memory.data ());
    return status_;
}

bool ws_server_upgrade::judge ()
{
    switch (head_.flaw ()) {
    case http_flaw::none:
        return judge_request () && judge_upgrade () && judge_wish () && choose_protocol () && accept ();
    case http_flaw::malformed:
        return refuse (status_bad_request, close_reason::upgrade_malformed, "the request is not HTTP");
    case http_flaw::target_too_long:
        return refuse (status_target_long, close_reason::limit_reached,
                       "the path that is asked for is too long");
    case http_flaw::too_large:
        break;
    }
    return refuse (status_head_large, close_reason::limit_reached, "the request is too long");
}

// Of HTTP itself.
bool ws_server_upgrade::judge_request ()
{
    const auto malformed = [&] (const char *text) {
        return refuse (status_bad_request, close_reason::upgrade_malformed, text);
    };
    if (head_.method () != "GET")
        return refuse (status_no_method, close_reason::upgrade_refused, "another method than GET");
    if (!head_.target ().starts_with ('/'))
        return malformed ("the request is for another server");
    if (head_.count (name_host) != 1)
        return malformed ("the request has no Host, or more than one");
    const std::string_view length = head_.value (name_length);
    if (head_.count (name_encoding) > 0 || head_.count (name_length) > 1
        || (!length.empty () && length != "0"))
        return malformed ("the request has a body");
    return true;
}

// Of the upgrade.
bool ws_server_upgrade::judge_upgrade ()
{
    if (!head_.speaks_1_1 () || !head_.lists (name_upgrade, upgrade_websocket)
        || !head_.lists (name_connection, name_upgrade))
        return refuse (status_upgrade, close_reason::upgrade_refused,
                       "the request is for no upgrade to WebSocket");
    if (head_.count (name_version) != 1 || head_.value (name_version) != ws_version)
        return refuse (status_upgrade, close_reason::upgrade_refused, "another version of WebSocket");
    if (head_.count (name_key) != 1 || !is_ws_key (head_.value (name_key)))
        return refuse (status_bad_request, close_reason::upgrade_malformed,
                       "the request has no key, or more than one");
    return true;
}

// Of what is asked for, and by whom.
bool ws_server_upgrade::judge_wish ()
{
    const std::string_view target = head_.target ();
    if (!rules_.target.empty () && target.substr (0, target.find ('?')) != rules_.target)
        return refuse (status_not_found, close_reason::upgrade_refused, "there is nothing at that path");
    const std::string_view origin = head_.value (name_origin);
    const auto known = [&] (std::string_view one) { return same_word (one, origin); };
    if (head_.count (name_origin) > 0 && !rules_.origins.empty ()
        && (head_.count (name_origin) > 1
            || std::none_of (rules_.origins.begin (), rules_.origins.end (), known)))
        return refuse (status_forbidden, close_reason::upgrade_refused, "pages from there may not connect");
    return true;
}

bool ws_server_upgrade::choose_protocol ()
{
    const auto ours = [&] (std::string_view offered) {
        return std::find (rules_.protocols.begin (), rules_.protocols.end (), offered)
               != rules_.protocols.end ();
    };
    const bool found = head_.any_word (name_protocol, [&] (std::string_view offered) {
        if (!ours (offered))
            return false;
        protocol_ = offered;
        return true;
    });
    if (found || rules_.protocols.empty () || rules_.protocol_optional)
        return true;
    return refuse (status_bad_request, close_reason::upgrade_refused, "none of our sub-protocols is offered");
}

bool ws_server_upgrade::accept ()
{
    ws_accept answer;
    if (!ws_accept_of (head_.value (name_key), answer))
        return refuse (status_internal, close_reason::no_keys, "there is no SHA-1 to be had");
    http_status_ = status_switching;
    output_.append ("HTTP/1.1 101 Switching Protocols").append (line_end);
    put_header (output_, name_upgrade, upgrade_websocket);
    put_header (output_, name_connection, name_upgrade);
    put_header (output_, name_accept, std::string_view (answer.data (), answer.size ()));
    if (!protocol_.empty ())
        put_header (output_, name_protocol, protocol_);
    put_headers (output_, rules_.headers);
    output_.append (line_end);
    return true;
}

bool ws_server_upgrade::refuse (unsigned status, base::close_reason why, const char *text)
{
    const auto *const row = std::find_if (std::begin (status_rows), std::end (status_rows),
                                          [&] (const status_row &one) { return one.status == status; });
    http_status_ = status;
    output_.append ("HTTP/1.1 ")
      .append (std::to_string (status))
      .append (" ")
      .append (row->words)
      .append (line_end);
    const bool upgrade = status == status_upgrade;
    put_header (output_, name_connection, upgrade ? "Upgrade, close" : "close");
    output_.append (row->headers);
    put_header (output_, "Content-Type", "text/plain");
    put_header (output_, name_length, std::to_string (std::string_view (text).size () + 1));
    output_.append (line_end).append (text).append ("\n");
    return fail (why, text);
}

}  // namespace zlink::wire
