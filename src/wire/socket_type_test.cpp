// The table of who may talk to whom, against the lists of the RFCs.
#include "wire/socket_type.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace zlink::wire {
namespace {

const std::map<std::string, std::set<std::string>> partners_by_rfc = {
  {"REQ", {"REP", "ROUTER"}},
  {"REP", {"REQ", "DEALER"}},
  {"DEALER", {"REP", "DEALER", "ROUTER"}},
  {"ROUTER", {"REQ", "DEALER", "ROUTER"}},
  {"PUB", {"SUB", "XSUB"}},
  {"XPUB", {"SUB", "XSUB"}},
  {"SUB", {"PUB", "XPUB"}},
  {"XSUB", {"PUB", "XPUB"}},
  {"PUSH", {"PULL"}},
  {"PULL", {"PUSH"}},
  {"PAIR", {"PAIR"}},
  {"CLIENT", {"SERVER"}},
  {"SERVER", {"CLIENT"}},
  {"RADIO", {"DISH"}},
  {"DISH", {"RADIO"}},
  {"SCATTER", {"GATHER"}},
  {"GATHER", {"SCATTER"}},
  {"PEER", {"PEER"}},
  {"CHANNEL", {"CHANNEL"}},
  {"STREAM", {}},
  {"DGRAM", {}},
};

TEST (socket_type, every_pair_of_types)
{
    ASSERT_EQ (partners_by_rfc.size (), static_cast<std::size_t> (socket_type_count));
    for (const auto &[ours, partners] : partners_by_rfc) {
        for (const auto &[theirs, unused] : partners_by_rfc) {
            const auto a = socket_type_from_name (ours);
            const auto b = socket_type_from_name (theirs);
            ASSERT_TRUE (a && b) << ours << ' ' << theirs;
            EXPECT_EQ (socket_types_compatible (*a, *b), partners.count (theirs) == 1)
              << ours << ' ' << theirs;
            EXPECT_EQ (socket_types_compatible (*a, *b), socket_types_compatible (*b, *a));
        }
    }
}

TEST (socket_type, names_and_numbers_there_and_back)
{
    for (int number = 0; number < socket_type_count; ++number) {
        const auto type = socket_type_from_number (number);
        ASSERT_TRUE (type);
        EXPECT_EQ (static_cast<int> (*type), number);
        EXPECT_EQ (socket_type_from_name (socket_type_name (*type)), type);
    }
}

TEST (socket_type, what_is_no_type)
{
    EXPECT_FALSE (socket_type_from_number (-1));
    EXPECT_FALSE (socket_type_from_number (socket_type_count));
    EXPECT_FALSE (socket_type_from_name (""));
    EXPECT_FALSE (socket_type_from_name ("pair"));
    EXPECT_FALSE (socket_type_from_name ("PAIR "));
    EXPECT_FALSE (socket_types_compatible (socket_type::pair, static_cast<socket_type> (255)));
    EXPECT_FALSE (socket_types_compatible (static_cast<socket_type> (255), socket_type::pair));
    EXPECT_EQ (socket_type_name (static_cast<socket_type> (255)), "");
}

TEST (socket_type, only_three_send_their_identity)
{
    for (int number = 0; number < socket_type_count; ++number) {
        const socket_type type = *socket_type_from_number (number);
        const bool expected =
          type == socket_type::req || type == socket_type::dealer || type == socket_type::router;
        EXPECT_EQ (socket_type_sends_identity (type), expected) << number;
    }
}

}  // namespace
}  // namespace zlink::wire
