#include "wire/zap.hpp"

namespace zlink::wire {

namespace {

constexpr std::string_view zap_version = "1.0";
constexpr std::string_view zap_request_id = "1";

// 0: none that there is.
unsigned status_of (std::string_view text) noexcept
{
    const bool known = text.size () == 3 && text[0] >= '2' && text[0] <= '5' && text.substr (1) == "00";
    return known ? static_cast<unsigned> (text[0] - '0') * 100 : 0;
}

}  // namespace

std::vector<std::string> zap_request (std::string_view domain,
                                      std::string_view address,
                                      std::string_view identity,
                                      const credentials &shown)
{
    std::vector<std::string> parts;
    parts.reserve (7 + shown.parts.size ());
    for (const std::string_view each :
         {std::string_view (), zap_version, zap_request_id, domain, address, identity, shown.mechanism})
        parts.emplace_back (each);
    parts.insert (parts.end (), shown.parts.begin (), shown.parts.end ());
    return parts;
}

zap_reply read_zap_reply (std::span<const bytes_view> parts)
{
    using base::as_text;
    using base::close_reason;
    zap_reply read;
    if (parts.size () != zap_reply_parts)
        read.fault = close_reason::zap_reply_malformed;
    else if (!parts[0].empty ())
        read.fault = close_reason::zap_delimiter_bad;
    else if (as_text (parts[1]) != zap_version)
        read.fault = close_reason::zap_version_bad;
    else if (as_text (parts[2]) != zap_request_id)
        read.fault = close_reason::zap_request_bad;
    else if ((read.status = status_of (as_text (parts[3]))) == 0)
        read.fault = close_reason::zap_status_bad;
    else if (!read.properties.parse (parts[6]))
        read.fault = close_reason::zap_metadata_bad;
    if (read.fault != close_reason::none)
        return read;
    read.text = as_text (parts[4]);
    read.user_id = as_text (parts[5]);
    return read;
}

std::string_view zap_status_meaning (int status) noexcept
{
    switch (status) {
    case zap_status_later:
        return "not now, perhaps later";
    case zap_status_refused:
        return "the credentials are not good";
    case zap_status_failed:
        return "who was asked has failed";
    default:
        return {};
    }
}

std::string_view unguarded_text (bool all_come_in) noexcept
{
    return all_come_in ? "a server of PLAIN or CURVE with nobody to ask about peers: all come in"
                       : "a server of PLAIN or CURVE with nobody to ask about peers: none comes in";
}

std::string_view bad_password_text () noexcept
{
    return "PLAIN_PASSWORDS is not taken, no name:hash of its own stands in line ";
}

}  // namespace zlink::wire
