#include "wire/socks.hpp"

#include <algorithm>
#include <utility>

#include "base/appending.hpp"
#include "base/ip_number.hpp"

namespace zlink::wire {

namespace {

constexpr unsigned version = 5;
constexpr unsigned credentials_version = 1;  // RFC 1929 counts anew
constexpr unsigned method_none = 0;
constexpr unsigned method_password = 2;
constexpr unsigned method_refused = 0xFF;
constexpr unsigned command_connect = 1;

enum address_type : unsigned
{
    type_v4 = 1,
    type_name = 3,
    type_v6 = 4,
};

constexpr std::size_t method_octets = 2;
constexpr std::size_t judgement_octets = 2;
constexpr std::size_t port_octets = 2;
// Version, code, nothing, type; and the first octet of the address, which for
// a name is its length.
constexpr std::size_t reply_head_octets = 5;

void put (std::vector<std::byte> &to, unsigned octet) { to.push_back (static_cast<std::byte> (octet)); }

void put (std::vector<std::byte> &to, std::string_view text)
{
    text = text.substr (0, socks_text_bytes_max);
    put (to, static_cast<unsigned> (text.size ()));
    base::append (to, base::as_bytes (text));
}

void put_host (std::vector<std::byte> &to, std::string_view host)
{
    const auto number = base::parse_ip_number (host);
    if (!number) {
        put (to, type_name);
        put (to, host);
        return;
    }
    const bool v4 = host.find (':') == host.npos;
    put (to, v4 ? type_v4 : type_v6);
    base::append (to, base::bytes_view (number->octets).subspan (v4 ? base::v4_at : 0));
}

}  // namespace

socks_client::socks_client (const socks_request &what)
{
    const bool has_user = !what.user.empty ();
    put (output_, version);
    put (output_, has_user ? 2 : 1);
    put (output_, method_none);
    if (has_user) {
        put (output_, method_password);
        put (credentials_, credentials_version);
        put (credentials_, what.user);
        put (credentials_, what.password);
    }
    for (const unsigned octet : {version, command_connect, 0U})
        put (request_, octet);
    put_host (request_, what.host);
    put (request_, what.port >> 8);
    put (request_, what.port & 0xFFU);
    expect (stage::method, method_octets);
}

socks_status socks_client::status () const noexcept
{
    if (stage_ == stage::failed)
        return socks_status::failed;
    return stage_ == stage::done ? socks_status::done : socks_status::need_more;
}

socks_status socks_client::feed (base::bytes_view in) noexcept
{
    while (!in.empty () && wanted () > 0) {
        const std::size_t taken = std::min (in.size (), wanted ());
        std::copy_n (in.begin (), taken, have_.begin () + static_cast<long> (size_));
        size_ += taken;
        in = in.subspan (taken);
        if (wanted () == 0)
            advance ();
    }
    return status ();
}

void socks_client::advance () noexcept
{
    switch (stage_) {
    case stage::method:
        method_chosen ();
        return;
    case stage::authentication:
        user_judged ();
        return;
    case stage::reply:
        reply_grew ();
        return;
    case stage::done:
    case stage::failed:
        return;
    }
}

void socks_client::method_chosen () noexcept
{
    const unsigned method = at (1);
    if (at (0) != version)
        fail (base::close_reason::proxy_malformed);
    else if (method == method_none) {
        say (request_);
        expect (stage::reply, reply_head_octets);
    } else if (method == method_password && !credentials_.empty ()) {
        say (credentials_);
        expect (stage::authentication, judgement_octets);
    } else
        fail (method == method_refused ? base::close_reason::proxy_authentication
                                       : base::close_reason::proxy_malformed);
}

void socks_client::user_judged () noexcept
{
    if (at (0) != credentials_version)
        fail (base::close_reason::proxy_malformed);
    else if (at (1) != 0)
        fail (base::close_reason::proxy_authentication);
    else {
        say (request_);
        expect (stage::reply, reply_head_octets);
    }
}

// First the head, which says how long the rest is. Some proxies end a refusal
// with its head, so it counts at once.
void socks_client::reply_grew () noexcept
{
    if (size_ > reply_head_octets) {
        expect (stage::done, 0);
        return;
    }
    reply_ = static_cast<std::uint8_t> (at (1));
    std::size_t address_octets = 0;
    switch (at (3)) {
    case type_v4:
        address_octets = base::v4_octets;
        break;
    case type_v6:
        address_octets = sizeof (base::ip_number::octets);
        break;
    case type_name:
        address_octets = 1 + at (4);
        break;
    default:
        break;
    }
    if (at (0) != version || at (2) != 0)
        fail (base::close_reason::proxy_malformed);
    else if (reply_ != 0)
        fail (base::close_reason::proxy_refused);
    else if (address_octets == 0)
        fail (base::close_reason::proxy_malformed);
    else
        goal_ = reply_head_octets - 1 + address_octets + port_octets;
}

void socks_client::expect (stage next, std::size_t octets) noexcept
{
    stage_ = next;
    size_ = 0;
    goal_ = octets;
}

void socks_client::say (std::vector<std::byte> &what) noexcept
{
    output_ = std::move (what);
    written_ = 0;
}

void socks_client::fail (base::close_reason why) noexcept
{
    reason_ = why;
    if (why != base::close_reason::proxy_refused)
        reply_ = 0;
    expect (stage::failed, 0);
}

}  // namespace zlink::wire
