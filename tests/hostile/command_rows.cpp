// Commands behind READY, to sockets that have no use for topics and groups.
#include "hostile/corpus.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

constexpr std::size_t command_bytes_max = 65'536;

void names (hostile_rows &rows)
{
    rows.push_back (closes ("empty", "command-malformed", zmtp_frame (4, "")));
    rows.push_back (closes ("without_a_name", "command-malformed", zmtp_frame (4, zeros (3))));
    rows.push_back (closes ("name_past_the_end", "command-malformed", zmtp_frame (4, "\7PING")));
    rows.push_back (
      closes ("name_of_255_past_the_end", "command-malformed", zmtp_frame (4, octet (255) + "PING")));
    rows.push_back (accepts ("name_of_255", zmtp_command (std::string (255, 'N'), "data")));
    rows.push_back (accepts ("unknown", zmtp_command ("UNKNOWN", "with a body")));
    rows.push_back (accepts ("unknown_of_another_alphabet", zmtp_command ("\xFF\x80\x01", zeros (9))));
    rows.push_back (accepts ("lower_case", zmtp_command ("ping", "")));
    rows.push_back (accepts ("reserved_flags", octet (0xFC) + octet (7) + "\4PING" + zeros (2)));
    rows.push_back (accepts ("in_the_long_form", octet (6) + big_endian (7, 8) + "\4PING" + zeros (2)));
    rows.push_back (accepts ("at_the_limit", zmtp_command ("UNKNOWN", zeros (command_bytes_max - 8))));
    rows.push_back (closes ("past_the_limit", "command-malformed",
                            zmtp_command ("UNKNOWN", zeros (command_bytes_max - 7))));
    rows.push_back (closes ("endless", "command-malformed", octet (6) + big_endian (~0ull >> 1, 8)));
    rows.push_back (closes ("of_2_63", "frame-malformed", octet (6) + big_endian (1ull << 63, 8)));
    rows.push_back (closes ("ready_again", "command-unexpected", zmtp_ready ("PUSH")));
    rows.push_back (closes ("greeting_again", "frame-malformed", zmtp_greeting ()));
    rows.push_back (closes ("error", "refused-by-peer",
                            zmtp_command ("ERROR", "\3"
                                                   "400")));
    rows.push_back (closes ("error_without_a_size", "command-malformed", zmtp_command ("ERROR", "")));
    rows.push_back (closes ("error_past_the_end", "command-malformed",
                            zmtp_command ("ERROR", "\4"
                                                   "400")));
}

void heartbeats (hostile_rows &rows)
{
    for (const std::size_t size : {5u, 6u})
        rows.push_back (closes ("ping_of_" + std::to_string (size), "command-malformed",
                                zmtp_command ("PING", zeros (size - 5))));
    for (const std::size_t size : {0u, 1u, 16u})
        rows.push_back (
          accepts ("ping_with_context_of_" + std::to_string (size), zmtp_command ("PING", zeros (2 + size))));
    rows.push_back (
      closes ("ping_with_context_of_17", "command-malformed", zmtp_command ("PING", zeros (2 + 17))));
    for (const unsigned ttl : {1u, 655u, 656u, 65'535u})
        rows.push_back (
          accepts ("ping_with_life_of_" + std::to_string (ttl), zmtp_command ("PING", big_endian (ttl, 2))));
    // A promise to speak again within 100 ms, and silence.
    rows.push_back (
      closes ("ping_and_silence", "heartbeat-timeout", zmtp_command ("PING", big_endian (1, 2))));
    for (const std::size_t size : {0u, 5u, 8u, 16u})
        rows.push_back (
          accepts ("unsolicited_pong_of_" + std::to_string (size), zmtp_command ("PONG", zeros (size))));
    rows.push_back (closes ("pong_of_17", "command-malformed", zmtp_command ("PONG", zeros (17))));
    rows.push_back (accepts ("pong_from_the_future", zmtp_command ("PONG", std::string (8, '\xFF'))));
    rows.push_back (accepts ("many_pongs", repeated (zmtp_command ("PONG", zeros (8)), 10'000)));
}

void topics_and_groups (hostile_rows &rows)
{
    for (const char *name : {"SUBSCRIBE", "CANCEL"}) {
        for (const std::size_t size : {0u, 1u, 245u, 246u, 255u, 256u, 16'384u})
            rows.push_back (accepts (name + ("_of_" + std::to_string (size)),
                                     zmtp_command (name, std::string (size, 't'))));
        rows.push_back (closes (std::string (name) + "_of_4_mb", "command-malformed",
                                zmtp_command (name, std::string (4 << 20, 't'))));
    }
    for (const char *name : {"JOIN", "LEAVE"}) {
        for (const std::size_t size : {0u, 1u, 245u, 246u, 255u})
            rows.push_back (accepts (name + ("_of_" + std::to_string (size)),
                                     zmtp_command (name, std::string (size, 'g'))));
        for (const std::size_t size : {256u, 16'384u, 4u << 20})
            rows.push_back (closes (name + ("_of_" + std::to_string (size)), "command-malformed",
                                    zmtp_command (name, std::string (size, 'g'))));
        rows.push_back (closes (std::string (name) + "_with_a_nul", "command-malformed",
                                zmtp_command (name, std::string ("g\0p", 3))));
    }
    for (const std::string kind : {"SUBSCRIBE", "CANCEL"}) {
        const auto say = [&kind] (const std::string &pattern) {
            return zmtp_command ("X-ZLINK-" + kind, pattern);
        };
        const std::string name = kind + "_by_pattern_of_";
        for (const std::size_t size : {0u, 1u, 256u})
            rows.push_back (accepts (name + std::to_string (size), say (std::string (size, '*'))));
        rows.push_back (closes (name + "257", "command-malformed", say (std::string (257, '*'))));
        rows.push_back (closes (name + "none", "command-malformed", say ("[")));
    }
    // The old style: nothing but messages to who has no topics.
    rows.push_back (
      accepts ("topics_of_the_old_style",
               zmtp_frame (0, "\1topic") + zmtp_command ("CANCEL", "topic") + zmtp_frame (0, zeros (1)),
               {{"\1topic"}, {zeros (1)}}));
}

// Of every command that such a socket knows, and of one that it does not, in
// both forms, every beginning.
void cuts (hostile_rows &rows)
{
    struct cut_command
    {
        const char *name;
        std::string octets;
    };
    const cut_command all[] = {
      {"ping", zmtp_command ("PING", zeros (2) + "context")},
      {"pong", zmtp_command ("PONG", "context")},
      {"subscribe", zmtp_command ("SUBSCRIBE", "topic")},
      {"cancel", zmtp_command ("CANCEL", "topic")},
      {"join", zmtp_command ("JOIN", "group")},
      {"leave", zmtp_command ("LEAVE", "group")},
      {"subscribe_by_pattern", zmtp_command ("X-ZLINK-SUBSCRIBE", "t*")},
      {"cancel_by_pattern", zmtp_command ("X-ZLINK-CANCEL", "t*")},
      {"error", zmtp_command ("ERROR", "\3"
                                       "400")},
      {"unknown", zmtp_command ("UNKNOWN", "with a body")},
      {"ping_in_the_long_form", octet (6) + big_endian (7, 8) + "\4PING" + zeros (2)},
      {"unknown_in_the_long_form", octet (6) + big_endian (11, 8) + "\7UNKNOWNaha"},
    };
    for (const auto &[name, octets] : all)
        for (std::size_t size = 1; size < octets.size (); ++size)
            rows.push_back (
              leaves (std::string (name) + "_cut_at_" + padded (size), octets.substr (0, size)));
}

}  // namespace

hostile_rows command_rows ()
{
    hostile_rows rows;
    names (rows);
    heartbeats (rows);
    topics_and_groups (rows);
    cuts (rows);
    return rows;
}

}  // namespace zlink::test
