// Greetings that are odd, such that are none, and such that stop.
#include <array>

#include "hostile/corpus.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

std::string with (std::size_t at, unsigned value)
{
    std::string octets = zmtp_greeting ();
    octets[at] = static_cast<char> (value);
    return octets;
}

hostile_row in_version (int version, hostile_row row)
{
    row.version = version;
    return row;
}

// Types that are none of a peer's that calls itself so, and no type at all.
std::array<unsigned, 3> wrong_types (std::string_view peer_type)
{
    if (peer_type == "SUB")
        return {1, 9, 255};
    return {2, peer_type == "PUB" ? 8u : 9u, 255};
}

void odd_ones (hostile_rows &rows, const std::string &ready)
{
    for (const unsigned major : {2u, 3u, 4u, 255u})
        for (const unsigned minor : {0u, 1u, 2u, 255u})
            rows.push_back (accepts ("version_" + std::to_string (major) + '_' + std::to_string (minor),
                                     zmtp_greeting (major, minor) + ready));
    for (std::size_t at = 1; at <= 8; ++at)
        rows.push_back (accepts ("padding_" + std::to_string (at), with (at, 0xA5) + ready));
    rows.push_back (
      accepts ("padding_of_ones", std::string (9, '\xFF') + zmtp_greeting ().substr (9) + ready));
    for (const unsigned last : {0x01u, 0x7Fu, 0x81u, 0xFFu})
        rows.push_back (accepts ("signature_ends_" + std::to_string (last), with (9, last) + ready));
    for (const unsigned as_server : {0u, 1u, 2u, 255u})
        rows.push_back (accepts ("as_server_" + std::to_string (as_server), with (32, as_server) + ready));
    for (const std::size_t at : {33u, 48u, 63u})
        rows.push_back (accepts ("filler_" + std::to_string (at), with (at, 0xA5) + ready));
    rows.push_back (
      accepts ("filler_of_ones", zmtp_greeting ().substr (0, 33) + std::string (31, '\xFF') + ready));
    rows.push_back (accepts ("ready_and_message_in_one_segment",
                             zmtp_greeting () + ready + zmtp_frame (0, "at once"), {{"at once"}}));
}

void mechanisms (hostile_rows &rows)
{
    const auto refused = [&] (const std::string &name, const std::string &reason,
                              const std::string &mechanism) {
        rows.push_back (closes ("mechanism_" + name, reason, zmtp_greeting (3, 1, mechanism)));
    };
    for (const char *known : {"PLAIN", "CURVE", "GSSAPI"})
        refused (known, "mechanism-mismatch", known);
    refused ("unknown", "mechanism-mismatch", "X-TRA.1+2_3");
    refused ("shorter", "mechanism-mismatch", "NUL");
    refused ("longer", "mechanism-mismatch", "NULLX");
    refused ("unterminated", "mechanism-mismatch", std::string (20, 'N'));
    refused ("lower_case", "greeting-malformed", "null");
    refused ("empty", "greeting-malformed", "");
    refused ("with_a_space", "greeting-malformed", "NULL ");
    refused ("with_text_behind_its_end", "greeting-malformed", std::string ("NULL\0X", 6));
    refused ("of_ones", "greeting-malformed", std::string (20, '\xFF'));
}

// ZMTP 2.0 and 1.0, and what looks like them.
void older_ones (hostile_rows &rows, std::string_view peer_type)
{
    const std::string type = zmtp_type_octet (peer_type);
    const std::string second = zmtp_signature () + octet (1);
    const std::string first = zmtp_signature () + octet (0);
    rows.push_back (in_version (2, accepts ("revision_1", second + type + zmtp_frame (0, ""))));
    rows.push_back (
      in_version (2, accepts ("revision_1_with_identity", second + type + zmtp_frame (0, "who"))));
    rows.push_back (in_version (
      2, accepts ("revision_1_identity_255", second + type + zmtp_frame (0, std::string (255, 'i')))));
    rows.push_back (closes ("revision_1_identity_256", "identity-malformed",
                            second + type + octet (2) + big_endian (256, 8)));
    rows.push_back (closes ("revision_1_identity_endless", "identity-malformed",
                            second + type + octet (2) + big_endian (~0ull >> 1, 8)));
    rows.push_back (closes ("revision_1_identity_2_63", "frame-malformed",
                            second + type + octet (2) + big_endian (1ull << 63, 8)));
    rows.push_back (
      closes ("revision_1_identity_with_more", "identity-malformed", second + type + zmtp_frame (1, "who")));
    for (const unsigned wrong : wrong_types (peer_type))
        rows.push_back (closes ("revision_1_type_" + std::to_string (wrong), "socket-type-incompatible",
                                second + octet (wrong)));
    rows.push_back (in_version (1, accepts ("revision_0", first + type + octet (1) + octet (0))));
    rows.push_back (in_version (1, accepts ("unversioned", octet (1) + octet (0))));
    rows.push_back (in_version (1, accepts ("unversioned_with_identity", octet (4) + octet (0) + "who")));
    rows.push_back (
      in_version (1, accepts ("unversioned_long_form", octet (255) + big_endian (4, 8) + octet (0) + "who")));
    rows.push_back (closes ("unversioned_with_more", "greeting-malformed", octet (4) + octet (1) + "who"));
    rows.push_back (closes ("unversioned_of_nothing", "frame-malformed", octet (0)));
    rows.push_back (
      closes ("unversioned_long_of_nothing", "frame-malformed", octet (255) + zeros (8) + octet (0)));
    rows.push_back (closes ("unversioned_long_2_63", "frame-malformed",
                            octet (255) + big_endian ((1ull << 63) + 1, 8) + octet (0)));
    rows.push_back (closes ("unversioned_long_endless", "identity-malformed",
                            octet (255) + big_endian (~0ull >> 1, 8) + octet (0)));
    rows.push_back (closes ("unversioned_long_identity_256", "identity-malformed",
                            octet (255) + big_endian (257, 8) + octet (0)));
    rows.push_back (closes ("signature_ends_even", "greeting-malformed", with (9, 0x7E).substr (0, 10)));
}

// Every beginning of what an older one says that is longer than known; behind
// its identity it has shaken hands.
void cuts_of (hostile_rows &rows,
              const std::string &name,
              std::size_t known,
              const std::string &opening,
              const std::string &messages)
{
    const std::string whole = opening + messages;
    for (std::size_t size = known + 1; size < whole.size (); ++size) {
        hostile_row row = leaves (name + "_cut_at_" + padded (size), whole.substr (0, size));
        row.begins = size < opening.size () ? stage::greeting : stage::traffic;
        rows.push_back (std::move (row));
    }
}

// Of a message of two parts, so that none of it is one.
void cuts_of_older_ones (hostile_rows &rows, std::string_view peer_type)
{
    const std::string signature = zmtp_signature ();
    cuts_of (rows, "revision_1", signature.size (),
             signature + octet (1) + zmtp_type_octet (peer_type) + zmtp_frame (0, "who"),
             zmtp_frame (1, "part") + zmtp_frame (0, "last"));
    cuts_of (rows, "unversioned", 0, octet (4) + octet (0) + "who",
             octet (5) + octet (1) + "part" + octet (5) + octet (0) + "last");
}

// What knocks at an open port.
void other_protocols (hostile_rows &rows)
{
    const std::string hello = octet (0x16) + octet (3) + octet (1) + big_endian (512, 2) + octet (1)
                              + big_endian (508, 3) + octet (3) + octet (3) + repeated ("\xA5", 506);
    rows.push_back (closes ("of_http", "greeting-malformed", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"));
    rows.push_back (closes ("of_http_2", "greeting-malformed", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    rows.push_back (closes ("of_tls", "greeting-malformed", hello));
    rows.push_back (closes ("of_ssh", "greeting-malformed", "SSH-2.0-OpenSSH_9.2\r\n"));
    rows.push_back (closes ("of_redis", "greeting-malformed", "*1\r\n$4\r\nPING\r\n"));
    rows.push_back (closes ("of_smtp", "greeting-malformed", "EHLO example.org\r\n"));
    rows.push_back (closes ("of_rtsp", "greeting-malformed", "OPTIONS / RTSP/1.0\r\n\r\n"));
    rows.push_back (closes ("of_lines", "greeting-malformed", "\r\n\r\n"));
    rows.push_back (closes ("of_help", "greeting-malformed", "HELP\r\n"));
    rows.push_back (closes ("of_smb", "frame-malformed", big_endian (0xA4, 4) + "\xFFSMBr" + zeros (159)));
    rows.push_back (closes ("of_dns", "frame-malformed",
                            big_endian (30, 2) + big_endian (6, 2) + big_endian (0x100, 2) + zeros (26)));
    rows.push_back (closes ("of_ldap", "greeting-malformed",
                            octet (0x30) + octet (0x0C) + octet (2) + octet (1) + octet (1) + zeros (9)));
    rows.push_back (closes ("of_zeros", "frame-malformed", zeros (64)));
    rows.push_back (closes ("of_ones", "greeting-malformed", std::string (64, '\xFF')));
    rows.push_back (closes ("of_a_ready_frame", "greeting-malformed", zmtp_ready ("PUSH")));
    // To the eye of ZMTP 1.0 the half of a long identity.
    rows.push_back (leaves ("of_x11", "l" + octet (0) + octet (11) + zeros (9)));
}

}  // namespace

hostile_rows greeting_rows (std::string_view peer_type)
{
    const std::string ready = zmtp_ready (peer_type);
    hostile_rows rows;
    odd_ones (rows, ready);
    mechanisms (rows);
    older_ones (rows, peer_type);
    cuts_of_older_ones (rows, peer_type);
    other_protocols (rows);
    rows.push_back (closes ("twice", "frame-malformed", zmtp_greeting () + zmtp_greeting ()));
    for (std::size_t size = 0; size <= zmtp_greeting ().size (); ++size)
        rows.push_back (leaves ("cut_at_" + padded (size), zmtp_greeting ().substr (0, size)));
    return rows;
}

}  // namespace zlink::test
