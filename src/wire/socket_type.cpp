#include "wire/socket_type.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>

namespace zlink::wire {

namespace {

using enum socket_type;

constexpr std::array<std::string_view, socket_type_count> names = {
  "PAIR",   "PUB",    "SUB",    "REQ",   "REP",  "DEALER", "ROUTER",  "PULL",  "PUSH", "XPUB",    "XSUB",
  "STREAM", "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL",
};

constexpr std::uint32_t set_of (std::initializer_list<socket_type> types)
{
    std::uint32_t set = 0;
    for (const socket_type type : types)
        set |= std::uint32_t{1} << static_cast<unsigned> (type);
    return set;
}

// Indexed by our type: the set of types it may talk to.
constexpr std::array<std::uint32_t, socket_type_count> partners = {
  set_of ({pair}),
  set_of ({sub, xsub}),
  set_of ({pub, xpub}),
  set_of ({rep, router}),
  set_of ({req, dealer}),
  set_of ({rep, dealer, router}),
  set_of ({req, dealer, router}),
  set_of ({push}),
  set_of ({pull}),
  set_of ({sub, xsub}),
  set_of ({pub, xpub}),
  set_of ({}),
  set_of ({client}),
  set_of ({server}),
  set_of ({dish}),
  set_of ({radio}),
  set_of ({scatter}),
  set_of ({gather}),
  set_of ({}),
  set_of ({peer}),
  set_of ({channel}),
};

}  // namespace

std::string_view socket_type_name (socket_type type) noexcept
{
    const auto index = static_cast<std::size_t> (type);
    return index < names.size () ? names[index] : std::string_view{};
}

std::optional<socket_type> socket_type_from_name (std::string_view name) noexcept
{
    for (std::size_t i = 0; i < names.size (); ++i)
        if (names[i] == name)
            return static_cast<socket_type> (i);
    return std::nullopt;
}

std::optional<socket_type> socket_type_from_number (int number) noexcept
{
    if (number < 0 || number >= socket_type_count)
        return std::nullopt;
    return static_cast<socket_type> (number);
}

bool socket_types_compatible (socket_type ours, socket_type theirs) noexcept
{
    const auto index = static_cast<std::size_t> (ours);
    const auto bit = static_cast<unsigned> (theirs);
    return index < partners.size () && bit < partners.size () && ((partners[index] >> bit) & 1u) != 0;
}

bool socket_type_sends_identity (socket_type type) noexcept
{
    return type == req || type == dealer || type == router;
}

}  // namespace zlink::wire
