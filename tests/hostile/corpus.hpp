// What a peer must not be able to do harm with: rows of octets, each with what
// comes of it. Much of it is legal, if odd. A rule rests on RFC 37 or, where
// programs rely on libzmq being more lenient, on libzmq.
//
// Pure data. What happens to the octets inside is tested beside the parsers in
// src/wire; here it is a socket that has to bear them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::test {

enum class outcome : std::uint8_t
{
    accepts,  // and what is odd is ignored: what comes behind it is delivered
    closes,   // with the reason
};

// Where in its life the peer says it, and so what counts when it is closed.
enum class stage : std::uint8_t
{
    greeting,   // octets begin with it
    handshake,  // they begin behind the greeting
    traffic,    // they begin behind READY
};

struct hostile_row
{
    std::string name;  // letters, digits and underscores
    std::string octets;
    outcome expected = outcome::accepts;
    std::string reason{};
    // What arrives before anything else.
    std::vector<std::vector<std::string>> delivered{};
    bool ends = false;                    // the peer says no more, and says so
    int version = 3;                      // whose framing the traffic behind it has
    std::int64_t message_bytes_max = -1;  // of the socket
    stage begins = stage::greeting;
};

// Rows that say the same to any socket; peer_type is what a peer of it calls
// itself: PUSH, PAIR and so on.
using hostile_rows = std::vector<hostile_row>;
[[nodiscard]] hostile_rows greeting_rows (std::string_view peer_type);
[[nodiscard]] hostile_rows handshake_rows (std::string_view peer_type);
[[nodiscard]] hostile_rows frame_rows ();    // of sockets that receive all that comes
[[nodiscard]] hostile_rows command_rows ();  // the same
// All of them.
[[nodiscard]] hostile_rows hostile_corpus (std::string_view peer_type);

// --- words to write rows with ------------------------------------------------

[[nodiscard]] hostile_row accepts (std::string name, std::string octets);
[[nodiscard]] hostile_row
accepts (std::string name, std::string octets, std::vector<std::vector<std::string>> delivered);
[[nodiscard]] hostile_row closes (std::string name, std::string reason, std::string octets);
// The peer leaves behind the octets, which is no crime.
[[nodiscard]] hostile_row leaves (std::string name, std::string octets);
[[nodiscard]] std::string zeros (std::size_t size);
[[nodiscard]] std::string repeated (std::string_view unit, std::size_t times);
// A number that sorts.
[[nodiscard]] std::string padded (std::size_t number);
// The octet by which ZMTP 2.0 tells a socket's type.
[[nodiscard]] std::string zmtp_type_octet (std::string_view type);
[[nodiscard]] std::string zmtp_command (std::string_view name, std::string_view data);

}  // namespace zlink::test
