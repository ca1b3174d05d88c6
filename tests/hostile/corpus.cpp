#include "hostile/corpus.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/raw_peer.hpp"

namespace zlink::test {

hostile_row accepts (std::string name, std::string octets) { return {std::move (name), std::move (octets)}; }

hostile_row accepts (std::string name, std::string octets, std::vector<std::vector<std::string>> delivered)
{
    hostile_row row{std::move (name), std::move (octets)};
    row.delivered = std::move (delivered);
    return row;
}

hostile_row closes (std::string name, std::string reason, std::string octets)
{
    return {std::move (name), std::move (octets), outcome::closes, std::move (reason)};
}

hostile_row leaves (std::string name, std::string octets)
{
    hostile_row row = closes (std::move (name), "peer-closed", std::move (octets));
    row.ends = true;
    return row;
}

std::string zeros (std::size_t size) { return std::string (size, '\0'); }

std::string repeated (std::string_view unit, std::size_t times)
{
    std::string all;
    all.reserve (unit.size () * times);
    for (std::size_t i = 0; i < times; ++i)
        all += unit;
    return all;
}

std::string padded (std::size_t number)
{
    const std::string digits = std::to_string (number);
    return std::string (digits.size () < 3 ? 3 - digits.size () : 0, '0') + digits;
}

std::string zmtp_type_octet (std::string_view type)
{
    static constexpr std::array names = {"PAIR",   "PUB",  "SUB",  "REQ",  "REP", "DEALER",
                                         "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"};
    const auto *const found = std::find (names.begin (), names.end (), type);
    return octet (static_cast<unsigned> (found - names.begin ()));
}

std::string zmtp_command (std::string_view name, std::string_view data)
{
    return zmtp_frame (4, octet (static_cast<unsigned> (name.size ())) + std::string (name)
                            + std::string (data));
}

namespace {

void append (hostile_rows &to, hostile_rows more, std::string_view group, const std::string &opening)
{
    for (hostile_row &row : more) {
        row.name = std::string (group) + '_' + row.name;
        row.octets.insert (0, opening);
        to.push_back (std::move (row));
    }
}

hostile_rows beginning (hostile_rows rows, stage at)
{
    for (hostile_row &row : rows)
        row.begins = at;
    return rows;
}

}  // namespace

hostile_rows hostile_corpus (std::string_view peer_type)
{
    const std::string greeted = zmtp_greeting ();
    const std::string ready = greeted + zmtp_ready (peer_type);
    hostile_rows all;
    append (all, greeting_rows (peer_type), "greeting", "");
    append (all, beginning (handshake_rows (peer_type), stage::handshake), "handshake", greeted);
    append (all, beginning (frame_rows (), stage::traffic), "frame", ready);
    append (all, beginning (command_rows (), stage::traffic), "command", ready);
    return all;
}

}  // namespace zlink::test
