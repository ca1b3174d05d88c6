#include "wire/greeting.hpp"

#include <algorithm>
#include <cstring>

#include "base/appending.hpp"
namespace zlink::wire {

namespace {

constexpr std::byte signature_first{0xFF};
constexpr std::byte signature_last{0x7F};
constexpr std::byte own_major{3};
constexpr std::byte own_minor{1};
constexpr unsigned revision_zmtp_1_0 = 0;
constexpr unsigned revision_zmtp_2_0 = 1;
constexpr unsigned major_zmtp_3 = 3;

constexpr std::size_t major_at = 10;
constexpr std::size_t minor_at = 11;
constexpr std::size_t mechanism_at = 12;
constexpr std::size_t major_end = major_at + 1;
static_assert (major_at == signature_bytes && minor_at + 1 == greeting_bytes_zmtp_2_0);

bool mechanism_octet (char c) noexcept
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '+';
}

}  // namespace

void greeting::start (std::vector<std::byte> &out) const
{
    std::byte signature[signature_bytes];
    signature[0] = signature_first;
    base::store_u64_be (signature + 1, std::uint64_t{config_.identity_size} + 1);
    signature[signature_bytes - 1] = signature_last;
    base::append (out, signature);
}

greeting_status greeting::feed (bytes_view in, std::size_t &consumed, std::vector<std::byte> &out)
{
    consumed = 0;
    for (;;) {
        const std::size_t wanted = std::min (goal_ - size_, in.size () - consumed);
        std::copy_n (in.begin () + static_cast<std::ptrdiff_t> (consumed), wanted,
                     have_.begin () + static_cast<std::ptrdiff_t> (size_));
        consumed += wanted;
        size_ += wanted;
        if (size_ < goal_)
            return greeting_status::need_more;
        const greeting_status status = step (out);
        if (status != greeting_status::need_more)
            return status;
    }
}

greeting_status greeting::step (std::vector<std::byte> &out)
{
    switch (size_) {
    case 1:
        if (have_[0] != signature_first)
            return finish_as (peer_dialect::unversioned);
        goal_ = signature_bytes;
        return greeting_status::need_more;
    case signature_bytes:
        // In a long ZMTP 1.0 frame this is the flags octet, without MORE.
        if ((have_[signature_bytes - 1] & std::byte{1}) == std::byte{0})
            return finish_as (peer_dialect::unversioned);
        out.push_back (own_major);
        goal_ = major_end;
        return greeting_status::need_more;
    case major_end:
        return after_major (out);
    default:
        return finish ();
    }
}

greeting_status greeting::after_major (std::vector<std::byte> &out)
{
    if (static_cast<unsigned> (have_[major_at]) <= revision_zmtp_2_0) {
        if (!config_.older_allowed)
            return fail (base::close_reason::version_unsupported,
                         "the peer speaks a ZMTP without mechanisms");
        out.push_back (static_cast<std::byte> (config_.socket_type_octet));
        goal_ = greeting_bytes_zmtp_2_0;
        return greeting_status::need_more;
    }
    std::byte rest[greeting_bytes - minor_at] = {own_minor};
    std::memcpy (rest + 1, config_.mechanism.data (), std::min (config_.mechanism.size (), mechanism_bytes));
    base::append (out, rest);
    goal_ = greeting_bytes;
    return greeting_status::need_more;
}

greeting_status greeting::finish () noexcept
{
    const auto major = static_cast<unsigned> (have_[major_at]);
    if (major == revision_zmtp_1_0)
        return finish_as (peer_dialect::revision_0);
    if (major == revision_zmtp_2_0)
        return finish_as (peer_dialect::revision_1);

    // Padding, as-server and filler are not looked at: libzmq sends as-server
    // 0 in every role, and the RFC gives the others no meaning.
    const std::string_view field = base::as_text (bytes_view (have_).subspan (mechanism_at, mechanism_bytes));
    const std::string_view name = field.substr (0, field.find ('\0'));
    const bool padded = field.find_first_not_of ('\0', name.size ()) == std::string_view::npos;
    if (!padded || name.empty () || !std::ranges::all_of (name, mechanism_octet))
        return fail (base::close_reason::greeting_malformed, "the mechanism's name is malformed");
    if (name != config_.mechanism)
        return fail (base::close_reason::mechanism_mismatch, "the peer has another mechanism");
    const bool is_3_0 = major == major_zmtp_3 && have_[minor_at] == std::byte{0};
    minor_ = is_3_0 ? 0 : 1;
    return finish_as (peer_dialect::zmtp_3);
}

greeting_status greeting::finish_as (peer_dialect dialect) noexcept
{
    if (dialect != peer_dialect::zmtp_3 && !config_.older_allowed)
        return fail (base::close_reason::version_unsupported, "the peer speaks a ZMTP without mechanisms");
    dialect_ = dialect;
    return greeting_status::complete;
}

greeting_status greeting::fail (base::close_reason reason, const char *text) noexcept
{
    reason_ = reason;
    text_ = text;
    return greeting_status::failed;
}

}  // namespace zlink::wire
