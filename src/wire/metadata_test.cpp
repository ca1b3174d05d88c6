// READY's properties: what is read, what is refused, what is written.
#include "wire/metadata.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

bool parses (metadata &to, std::string_view octets) { return to.parse (as_bytes (octets)); }

TEST (metadata, the_example_of_a_dealer)
{
    metadata read;
    ASSERT_TRUE (parses (read, hex ("0B") + "Socket-Type" + hex ("00000006") + "DEALER" + hex ("08")
                                 + "Identity" + zeros (4)));
    ASSERT_EQ (read.all ().size (), 2u);
    EXPECT_EQ (*read.find ("Socket-Type"), "DEALER");
    EXPECT_EQ (*read.find ("Identity"), "");
    EXPECT_EQ (read.find ("X-Other"), nullptr);
}

TEST (metadata, nothing_is_legal)
{
    metadata read;
    EXPECT_TRUE (parses (read, ""));
    EXPECT_TRUE (read.empty ());
}

TEST (metadata, names_have_no_case)
{
    metadata read;
    ASSERT_TRUE (parses (read, property_octets ("sOCKET-tYPE", "PAIR")));
    EXPECT_EQ (*read.find ("Socket-Type"), "PAIR");
    EXPECT_EQ (read.all ()[0].first, "sOCKET-tYPE");
    EXPECT_FALSE (names_equal ("a@", "a`"));
    EXPECT_FALSE (names_equal ("ab", "abc"));
}

TEST (metadata, a_name_twice_is_malformed)
{
    metadata read;
    EXPECT_FALSE (parses (read, property_octets ("X-a", "1") + property_octets ("X-A", "1")));
    EXPECT_TRUE (read.empty ());
}

TEST (metadata, cut_at_every_octet_is_malformed)
{
    const std::string octets = property_octets ("Socket-Type", "PAIR") + property_octets ("X-key", "value");
    const std::size_t first = property_octets ("Socket-Type", "PAIR").size ();
    for (std::size_t cut = 1; cut < octets.size (); ++cut) {
        metadata read;
        EXPECT_EQ (parses (read, octets.substr (0, cut)), cut == first) << cut;
    }
}

TEST (metadata, malformed_names_and_lengths)
{
    metadata read;
    EXPECT_FALSE (parses (read, hex ("00 00000000")));
    EXPECT_FALSE (parses (read, property_octets ("caf\xC3\xA9", "")));
    EXPECT_FALSE (parses (read, property_octets ("a\nb", "")));
    EXPECT_FALSE (parses (read, property_octets (std::string_view ("a\0b", 3), "")));
    EXPECT_FALSE (parses (read, "\1a" + hex ("00000002") + "x"));
    EXPECT_FALSE (parses (read, "\1a" + hex ("80000000") + "x"));
    EXPECT_FALSE (parses (read, "\1a" + hex ("FFFFFFFF") + "x"));
    EXPECT_FALSE (parses (read, property_octets ("a", "") + "x"));
}

TEST (metadata, as_many_properties_as_the_limit)
{
    std::string octets;
    for (std::size_t i = 0; i < metadata_properties_max; ++i)
        octets += property_octets ("X-" + std::to_string (i), "v");
    metadata read;
    EXPECT_TRUE (parses (read, octets));
    EXPECT_EQ (read.all ().size (), metadata_properties_max);
    EXPECT_FALSE (parses (read, octets + property_octets ("X-", "v")));
    EXPECT_TRUE (read.empty ());
}

TEST (metadata, a_failed_parse_forgets_the_last_one)
{
    metadata read;
    ASSERT_TRUE (parses (read, property_octets ("a", "b")));
    ASSERT_FALSE (parses (read, "x"));
    EXPECT_EQ (read.find ("a"), nullptr);
}

TEST (metadata, written_and_read)
{
    const std::string longest_name (name_bytes_max, 'n');
    const std::string value = hex ("00 FF 7F");
    std::vector<std::byte> out;
    ASSERT_TRUE (append_property (out, "Socket-Type", as_bytes ("PUSH")));
    ASSERT_TRUE (append_property (out, longest_name, as_bytes (value)));
    EXPECT_EQ (as_text (out),
               property_octets ("Socket-Type", "PUSH") + property_octets (longest_name, value));
    metadata read;
    ASSERT_TRUE (read.parse (out));
    EXPECT_EQ (*read.find (longest_name), value);
}

TEST (metadata, what_cannot_be_written_leaves_no_trace)
{
    std::vector<std::byte> out;
    EXPECT_FALSE (append_property (out, "", {}));
    EXPECT_FALSE (append_property (out, std::string (name_bytes_max + 1, 'n'), {}));
    EXPECT_FALSE (append_property (out, "a\tb", {}));
    EXPECT_TRUE (out.empty ());
}

TEST (metadata, the_reader_stops_at_a_violation)
{
    const std::string octets = property_octets ("a", "1") + octet (0);
    property_reader reader (as_bytes (octets));
    property found;
    ASSERT_TRUE (reader.next (found));
    EXPECT_EQ (found.name, "a");
    EXPECT_FALSE (reader.malformed ());
    EXPECT_FALSE (reader.next (found));
    EXPECT_TRUE (reader.malformed ());
    EXPECT_FALSE (reader.next (found));
}

}  // namespace
}  // namespace zlink::wire
