#include "tools/decode/capture.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

using bytes = std::vector<std::byte>;

// Numbers of a file, the lowest octet first or last.
void append (bytes &to, std::uint32_t number, std::size_t size, bool little)
{
    for (std::size_t i = 0; i < size; ++i)
        to.push_back (static_cast<std::byte> (number >> 8 * (little ? i : size - 1 - i)));
}

bytes file_of (std::uint32_t link, bool little, std::uint32_t magic = 0xA1B2C3D4)
{
    bytes made;
    append (made, magic, 4, little);
    append (made, 2, 2, little);
    append (made, 4, 2, little);
    append (made, 0, 4, little);
    append (made, 0, 4, little);
    append (made, 65535, 4, little);
    append (made, link, 4, little);
    return made;
}

bytes packet_4 (std::string_view payload)
{
    bytes made;
    append (made, 0x45, 1, false);
    append (made, 0, 1, false);
    append (made, static_cast<std::uint32_t> (40 + payload.size ()), 2, false);
    append (made, 0, 4, false);
    append (made, 64, 1, false);
    append (made, 6, 1, false);
    append (made, 0, 2, false);
    append (made, 0x7F000001, 4, false);
    append (made, 0x0A000002, 4, false);
    append (made, 40000, 2, false);
    append (made, 5555, 2, false);
    append (made, 1000, 4, false);
    append (made, 0, 4, false);
    append (made, 0x50, 1, false);
    append (made, 2, 1, false);  // SYN
    append (made, 0, 6, false);
    for (const char each : payload)
        made.push_back (static_cast<std::byte> (each));
    return made;
}

void append_packet (bytes &to, const bytes &packet, bool little)
{
    append (to, 1, 4, little);
    append (to, 500, 4, little);
    append (to, static_cast<std::uint32_t> (packet.size ()), 4, little);
    append (to, static_cast<std::uint32_t> (packet.size ()), 4, little);
    to.insert (to.end (), packet.begin (), packet.end ());
}

void expect_hello (const segment &found)
{
    EXPECT_EQ (found.way.from, "127.0.0.1:40000");
    EXPECT_EQ (found.way.to, "10.0.0.2:5555");
    EXPECT_EQ (found.sequence, 1000u);
    EXPECT_TRUE (found.opens);
    EXPECT_FALSE (found.closes);
    EXPECT_EQ (found.payload.size (), 5u);
}

TEST (capture, reads_either_order_and_either_clock)
{
    for (const bool little : {false, true})
        for (const std::uint32_t magic : {0xA1B2C3D4U, 0xA1B23C4DU}) {
            bytes file = file_of (101, little, magic);
            append_packet (file, packet_4 ("hello"), little);
            capture_reader reader (file);
            ASSERT_EQ (reader.trouble (), "");
            segment found;
            ASSERT_TRUE (reader.next (found));
            expect_hello (found);
            EXPECT_EQ (found.time_ns, 1'000'000'000 + (magic == 0xA1B23C4DU ? 500 : 500'000));
            EXPECT_FALSE (reader.next (found));
            EXPECT_EQ (reader.left_out (), 0u);
            EXPECT_FALSE (reader.ends_early ());
        }
}

TEST (capture, reads_through_links)
{
    struct
    {
        std::uint32_t link;
        std::size_t head_bytes;
    } const rows[] = {{0, 4}, {1, 14}, {12, 0}, {108, 4}, {113, 16}, {276, 20}};
    for (const auto &row : rows) {
        bytes file = file_of (row.link, true);
        bytes packet (row.head_bytes);
        const bytes inner = packet_4 ("hello");
        packet.insert (packet.end (), inner.begin (), inner.end ());
        append_packet (file, packet, true);
        capture_reader reader (file);
        segment found;
        ASSERT_TRUE (reader.next (found)) << row.link;
        expect_hello (found);
    }
}

// Cut anywhere, and with any octet of the packet's heads changed, it is read to its end.
TEST (capture, believes_no_length)
{
    bytes file = file_of (101, true);
    append_packet (file, packet_4 ("hello"), true);
    for (std::size_t size = 0; size < file.size (); ++size) {
        const bytes cut (file.begin (), file.begin () + static_cast<std::ptrdiff_t> (size));
        capture_reader reader (cut);
        segment found;
        EXPECT_FALSE (reader.next (found)) << size;
        EXPECT_EQ (reader.trouble ().empty (), size >= 24) << size;
        EXPECT_EQ (reader.ends_early (), size > 24) << size;
    }
    for (std::size_t at = 24; at < file.size (); ++at) {
        bytes changed = file;
        changed[at] = std::byte{0xFF};
        capture_reader reader (changed);
        for (segment found; reader.next (found);)
            EXPECT_LE (found.payload.size (), 5u);
    }
}

TEST (capture, says_what_it_is_not)
{
    EXPECT_NE (capture_reader (file_of (1, true, 0x12345678)).trouble ().find ("no pcap file"),
               std::string::npos);
    EXPECT_NE (capture_reader (file_of (1, false, 0x0A0D0D0A)).trouble ().find ("pcapng"), std::string::npos);
    bytes udp = file_of (101, true);
    bytes packet = packet_4 ("hello");
    packet[9] = std::byte{17};
    append_packet (udp, packet, true);
    capture_reader reader (udp);
    segment found;
    EXPECT_FALSE (reader.next (found));
    EXPECT_EQ (reader.left_out (), 1u);
}

}  // namespace
}  // namespace zlink::tool
