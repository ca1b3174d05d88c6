#include "wire/service_fields.hpp"

#include <gtest/gtest.h>

#include "wire/test_service.hpp"

namespace zlink::wire {
namespace {

using namespace test;

// "tag:value tag:value", and a question mark behind what is malformed.
std::string walked (std::string_view bytes)
{
    std::string text;
    service_field field;
    service_field_reader reader (as_bytes (bytes));
    while (reader.next (field))
        text += std::to_string (field.tag) + ':' + std::string (as_text (field.value)) + ' ';
    EXPECT_FALSE (reader.next (field)) << "the end stays the end";
    return reader.malformed () ? text + '?' : text;
}

TEST (service_fields, are_as_documented)
{
    std::vector<std::byte> out;
    append_field (out, 0x0102, as_bytes ("abc"));
    append_number_field<std::uint16_t> (out, 3, 0xFFFE);
    EXPECT_EQ (text_of (out), hex ("0102 00000003") + "abc" + hex ("0003 00000002 FFFE"));
}

TEST (service_fields, are_walked)
{
    EXPECT_EQ (walked (""), "");
    EXPECT_EQ (walked (field_octets (1, "a") + field_octets (65535, "") + field_octets (1, "bc")),
               "1:a 65535: 1:bc ");
}

TEST (service_fields, cut_or_too_long_they_are_malformed)
{
    const std::string two = field_octets (1, "abc") + field_octets (2, "de");
    for (std::size_t size = 0; size <= two.size (); ++size) {
        const bool whole = size == 0 || size == 9 || size == two.size ();
        EXPECT_EQ (walked (two.substr (0, size)).ends_with ('?'), !whole) << size;
    }
    for (const char *const size : {"00000002", "7FFFFFFF", "80000000", "FFFFFFFF"})
        EXPECT_EQ (walked (hex ("0001") + hex (size) + "x"), "?") << size;
}

TEST (service_fields, one_in_another)
{
    std::vector<std::byte> out;
    append_field (out, 1, as_bytes ("x"));
    const std::size_t begun = begin_field (out, 9);
    append_field (out, 2, as_bytes ("yz"));
    end_field (out, begun);
    EXPECT_EQ (text_of (out), field_octets (1, "x") + field_octets (9, field_octets (2, "yz")));
}

TEST (service_fields, numbers_have_their_size)
{
    std::uint32_t number = 7;
    EXPECT_FALSE (read_number (as_bytes ("abc"), number));
    EXPECT_FALSE (read_number (as_bytes ("abcde"), number));
    EXPECT_FALSE (read_number (bytes_view{}, number));
    EXPECT_EQ (number, 7u);
    const std::string octets = hex ("80000001");
    EXPECT_TRUE (read_number (as_bytes (octets), number));
    EXPECT_EQ (number, 0x80000001u);
}

TEST (service_fields, texts_have_no_control_characters)
{
    EXPECT_TRUE (is_service_text ("", 0));
    EXPECT_TRUE (is_service_text ("a b \xC3\xA4 \xFF", 8));
    EXPECT_FALSE (is_service_text ("abc", 2));
    for (const char bad : {'\0', '\n', '\x1F', '\x7F'})
        EXPECT_FALSE (is_service_text (std::string (1, bad), 8)) << int{bad};
}

TEST (service_fields, endpoints_are_printable)
{
    EXPECT_TRUE (is_endpoint_text ("tcp://[::1%eth0]:5555"));
    EXPECT_TRUE (is_endpoint_text (std::string (255, 'x')));
    EXPECT_FALSE (is_endpoint_text (std::string (256, 'x')));
    EXPECT_FALSE (is_endpoint_text (""));
    for (const char *const bad : {"tcp://a b", "tcp://a\n", "tcp://\xC3\xA4", "\x7F"})
        EXPECT_FALSE (is_endpoint_text (bad)) << bad;
    EXPECT_FALSE (is_endpoint_text (std::string ("tcp://a\0:1", 10)));
}

}  // namespace
}  // namespace zlink::wire
