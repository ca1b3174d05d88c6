#include "wire/spot_message.hpp"

#include <string>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

std::vector<std::byte> octets (std::string_view text)
{
    const bytes_view view = base::as_bytes (text);
    return {view.begin (), view.end ()};
}

std::vector<std::byte> frame_of (std::string_view topic, const spot_head &head, std::string_view body)
{
    std::vector<std::byte> made;
    append_spot_opening (made, topic, head);
    const bytes_view rest = base::as_bytes (body);
    made.insert (made.end (), rest.begin (), rest.end ());
    return made;
}

TEST (SpotMessage, IsWrittenAsTheProtocolShowsIt)
{
    using namespace std::string_view_literals;
    const std::vector<std::byte> made = frame_of ("a", {.publisher = 0x0102030405060708, .number = 1}, "hi");
    EXPECT_EQ (made, octets ("a\0\x01\0\0\x14\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\x01hi"sv));
}

TEST (SpotMessage, IsReadAsItWasWritten)
{
    std::vector<std::byte> fields;
    append_number_field (fields, std::uint16_t{40}, std::uint32_t{7});
    const spot_head head{.flags = spot_flag_ordered, .publisher = 9, .number = 77, .fields = fields};
    for (const std::size_t size : {1u, 200u, 255u}) {
        const std::string topic (size, 't');
        const std::vector<std::byte> made = frame_of (topic, head, "body");
        spot_frame read;
        ASSERT_EQ (decode_spot_frame (made, read), service_status::complete);
        EXPECT_EQ (read.subject, spot_subject::topic);
        EXPECT_EQ (read.topic, topic);
        EXPECT_EQ (read.head.flags, spot_flag_ordered);
        EXPECT_EQ (read.head.publisher, 9u);
        EXPECT_EQ (read.head.number, 77u);
        EXPECT_EQ (read.head.fields.size (), fields.size ());
        EXPECT_EQ (base::as_text (read.body), "body");
    }
}

TEST (SpotMessage, BothWaysOfWritingAgree)
{
    std::array<std::byte, spot_opening_bytes_max> to{};
    const std::string topic (spot_topic_bytes_max, 'x');
    const spot_head head{.flags = spot_flag_parts, .publisher = 3, .number = 4};
    const std::size_t size = encode_spot_opening (to, topic, head);
    EXPECT_EQ (size, spot_opening_bytes_max);
    EXPECT_EQ (frame_of (topic, head, ""), std::vector<std::byte> (to.begin (), to.end ()));
}

TEST (SpotMessage, ThatIsCutShortOrTooLongIsMalformed)
{
    const std::vector<std::byte> whole = frame_of ("topic", {.publisher = 1, .number = 2}, "");
    spot_frame read;
    for (std::size_t size = 0; size < whole.size (); ++size)
        EXPECT_EQ (decode_spot_frame (bytes_view (whole).first (size), read), service_status::malformed)
          << size;
    const std::string topic (spot_topic_bytes_max + 1, 't');
    EXPECT_EQ (decode_spot_frame (frame_of (topic, {}, ""), read), service_status::malformed);
    std::vector<std::byte> long_head = whole;
    base::store_u16_be (long_head.data () + 8, spot_head_bytes + 1);
    EXPECT_EQ (decode_spot_frame (long_head, read), service_status::malformed);
    base::store_u16_be (long_head.data () + 8, spot_head_bytes - 1);
    EXPECT_EQ (decode_spot_frame (long_head, read), service_status::malformed);
    const std::vector<std::byte> torn (5);
    EXPECT_EQ (decode_spot_frame (frame_of ("t", {.fields = torn}, "x"), read), service_status::malformed);
}

TEST (SpotMessage, OfAnotherVersionOrSubjectIsPassedOver)
{
    std::vector<std::byte> made = frame_of ("t", {}, "");
    made[2] = std::byte{2};
    spot_frame read;
    EXPECT_EQ (decode_spot_frame (made, read), service_status::version_unsupported);
    using namespace std::string_view_literals;
    EXPECT_EQ (decode_spot_frame (octets ("\0Zwhatever"sv), read), service_status::kind_unknown);
}

TEST (SpotTopics, HaveAnEndAndABound)
{
    EXPECT_TRUE (is_spot_topic ("a"));
    EXPECT_TRUE (is_spot_topic (std::string (255, 'a')));
    EXPECT_FALSE (is_spot_topic (""));
    EXPECT_FALSE (is_spot_topic (std::string (256, 'a')));
    EXPECT_FALSE (is_spot_topic (std::string (1, '\0')));
}

TEST (SpotLetters, GoToOneOrToAll)
{
    std::vector<std::byte> fields;
    append_spot_member (fields, {.node = 5, .endpoint = "tcp://a:1"});
    append_number_field (fields, std::uint16_t{30}, std::uint32_t{7});
    append_spot_member (fields, {.node = 6, .endpoint = "ipc://b"});
    for (const std::uint64_t to : {0u, 42u}) {
        spot_frame read;
        const std::vector<std::byte> made = encode_spot_letter (to, 7, 8, 1, fields);
        ASSERT_EQ (decode_spot_frame (made, read), service_status::complete);
        EXPECT_EQ (read.subject, to == 0 ? spot_subject::circular : spot_subject::letter);
        if (to != 0) {
            EXPECT_EQ (read.to, to);
            EXPECT_EQ (base::as_text (made).substr (0, 10), base::as_text (spot_letter_subject (to)));
        }
        EXPECT_EQ (read.head.publisher, 7u);
        EXPECT_EQ (read.head.number, 8u);
        std::uint16_t kind = 0;
        bytes_view rest;
        ASSERT_EQ (decode_spot_letter (read.body, kind, rest), service_status::complete);
        EXPECT_EQ (kind, 1u);
        service_field_reader reader (rest);
        service_field field;
        std::string all;
        while (reader.next (field)) {
            spot_presence who;
            if (field.tag == spot_tag_member && read_spot_member (field.value, who))
                all += std::to_string (who.node) + std::string (who.endpoint) + " ";
        }
        EXPECT_EQ (all, "5tcp://a:1 6ipc://b ");
    }
    std::uint16_t kind = 0;
    bytes_view rest;
    EXPECT_EQ (decode_spot_letter (octets ("x"), kind, rest), service_status::malformed);
    EXPECT_EQ (decode_spot_letter (octets ("xxyyy"), kind, rest), service_status::malformed);
}

TEST (SpotPresences, AreReadAsTheyWereWritten)
{
    for (const std::string_view endpoint : {"", "tcp://here:5555"}) {
        spot_presence read;
        const std::vector<std::byte> made = encode_spot_presence ({.node = 99, .endpoint = endpoint});
        ASSERT_EQ (decode_spot_presence (made, read), service_status::complete);
        EXPECT_EQ (read.node, 99u);
        EXPECT_EQ (read.endpoint, endpoint);
        EXPECT_EQ (decode_spot_presence (bytes_view (made).first (11), read), service_status::malformed);
    }
    spot_presence read;
    EXPECT_EQ (decode_spot_presence (octets ("news"), read), service_status::kind_unknown);
    EXPECT_EQ (decode_spot_presence (encode_spot_presence ({}), read), service_status::malformed);
    EXPECT_EQ (decode_spot_presence (encode_spot_presence ({.node = 1, .endpoint = "a b"}), read),
               service_status::malformed);
    std::vector<std::byte> newer = encode_spot_presence ({.node = 1});
    newer[3] = std::byte{2};
    EXPECT_EQ (decode_spot_presence (newer, read), service_status::version_unsupported);
}

}  // namespace
}  // namespace zlink::wire
