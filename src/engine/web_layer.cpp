#include "engine/web_layer.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/ws_stream.hpp"
#include "wire/sealing.hpp"
#include "wire/ws_upgrade.hpp"
#include "wire/zws.hpp"

namespace zlink::engine {

namespace {

// As a URL has it: numbers of IPv6 in brackets, without a zone, and no port that is
// the scheme's own.
std::string host_of (const base::stream_layers &around)
{
    std::string host = around.host.substr (0, around.host.find ('%'));
    if (host.find (':') != std::string::npos) {
        host.insert (host.begin (), '[');
        host.push_back (']');
    }
    if (around.port != (around.tls ? "443" : "80"))
        host.append (":").append (around.port);
    return host;
}

// All headers, as they travel: an upgrade has room for them beside its own.
constexpr std::size_t headers_bytes_max = 4096;
constexpr std::size_t header_frame_bytes = 4;  // colon, space, end of the line

std::string_view trimmed (std::string_view text) noexcept
{
    const std::size_t from = std::min (text.find_first_not_of (" \t"), text.size ());
    text.remove_prefix (from);
    return text.substr (0, text.find_last_not_of (" \t") + 1);
}

// What stands between commas.
std::vector<std::string> words_of (std::string_view list)
{
    std::vector<std::string> words;
    while (!list.empty ()) {
        const std::size_t end = std::min (list.find (','), list.size ());
        if (const std::string_view word = trimmed (list.substr (0, end)); !word.empty ())
            words.emplace_back (word);
        list.remove_prefix (std::min (end + 1, list.size ()));
    }
    return words;
}

void wish_as_said (ws_wish &wish, const crypto::web_settings &said)
{
    wish.headers = said.headers;
    wish.origin = said.origin;
    wish.origins = words_of (said.origins);
    if (!said.host.empty ())
        wish.host = said.host;
}

}  // namespace

bool knows_web () noexcept { return true; }

bool web_word_acceptable (std::string_view word) noexcept
{
    return std::ranges::all_of (word, [] (char c) { return c > ' ' && c <= '~'; });
}

base::result<void> add_web_header (crypto::web_settings &to, std::string_view line)
{
    const std::size_t colon = std::min (line.find (':'), line.size ());
    const std::string_view name = line.substr (0, colon);
    const std::string_view value = trimmed (line.substr (std::min (colon + 1, line.size ())));
    if (colon == line.size () || !wire::ws_header_acceptable (name, value))
        return base::errc::invalid_argument;
    std::size_t together = header_frame_bytes + name.size () + value.size ();
    for (const auto &[known, said] : to.headers)
        together += header_frame_bytes + known.size () + said.size ();
    if (together > headers_bytes_max)
        return base::errc::invalid_argument;
    to.headers.emplace_back (name, value);
    return {};
}

std::unique_ptr<base::stream>
put_into_web (std::unique_ptr<base::stream> inside, const web_layer &how, bool &is_web)
{
    ws_wish wish;
    wish.role = how.dialled ? wire::ws_role::client : wire::ws_role::server;
    wish.bare = how.bare;
    if (!how.bare)
        wish.protocols = wire::zws_protocols (how.secured);
    // What is sealed is somewhat larger; who opens it looks at the rest.
    const bool sealed = how.secured.mechanism == wire::mechanism_kind::curve;
    if (how.message_bytes_max >= 0)
        wish.message_bytes_max =
          how.message_bytes_max + (sealed ? static_cast<std::int64_t> (wire::sealing_body_bytes) : 0);
    wish.target = how.around.target;
    if (how.dialled) {
        wish.host = host_of (how.around);
        if (wish.target.empty ())
            wish.target.assign (1, '/');
    }
    if (how.said != nullptr)
        wish_as_said (wish, *how.said);
    auto made =
      std::make_unique<ws_stream> (std::move (inside), std::move (wish), how.secrets, how.out, how.in);
    is_web = true;
    return made;
}

wire::session_start start_of_web (const base::stream &opened) noexcept
{
    const std::string_view protocol = static_cast<const ws_stream &> (opened).protocol ();
    if (protocol.empty ())
        return wire::session_start::greeting;
    return wire::zws_protocol_of (protocol) == wire::zws_protocol::bare ? wire::session_start::identities
                                                                        : wire::session_start::commands;
}

void tell_web_of_older_peer (base::stream &opened) noexcept
{
    static_cast<ws_stream &> (opened).peer_is_older ();
}

}  // namespace zlink::engine
