#include "wire/registry_message.hpp"

#include <gtest/gtest.h>
#include <random>

#include "wire/test_service.hpp"

namespace zlink::wire {
namespace {

using namespace test;

service_status status_of (std::string_view bytes)
{
    registry_message read;
    return decode_registry_message (as_bytes (bytes), read);
}

std::string head (unsigned kind, unsigned flags = 0) { return hex ("52 01") + octet (kind) + octet (flags); }

std::string u16 (unsigned value) { return be (value, 2); }
std::string u64 (std::uint64_t value) { return be (value, 8); }

// The least that a provider has.
std::string least_provider ()
{
    return field_octets (9, u16 (1)) + field_octets (10, "calc") + field_octets (11, "tcp://h:1")
           + field_octets (5, u64 (7)) + field_octets (16, be (3, 4));
}

std::string least_page ()
{
    return head (10, 3) + field_octets (2, u64 (1)) + field_octets (3, u64 (9)) + field_octets (4, u64 (0))
           + field_octets (9, u16 (1)) + field_octets (10, "calc");
}

// As in docs/protocol/registry.md.
TEST (registry_message, an_open_is_as_documented)
{
    const std::string token = "0123456789abcdef";
    registry_message open;
    open.instance = 0x0102030405060708;
    open.token = token;
    open.request = 1;
    EXPECT_EQ (encoded (open), hex ("52 01 01 00  0001 00000008 0000000000000001"
                                    "0005 00000008 0102030405060708  0006 00000010")
                                 + token);
}

TEST (registry_message, a_page_is_read)
{
    const std::string bytes = least_page () + field_octets (14, least_provider ())
                              + field_octets (15, field_octets (9, u16 (1)) + field_octets (10, "calc")
                                                    + field_octets (11, "tcp://h:2")
                                                    + field_octets (5, u64 (8)) + field_octets (22, u16 (3)));
    registry_message page;
    ASSERT_EQ (decode_registry_message (as_bytes (bytes), page), service_status::complete);
    EXPECT_EQ (page.kind, registry_kind::page);
    EXPECT_EQ (page.flags, registry_flag_reset | registry_flag_complete);
    EXPECT_EQ (page.revision, 9u);
    EXPECT_EQ (page.service, "calc");
    registry_entries entries (page.entries);
    registry_entry entry;
    ASSERT_TRUE (entries.next (entry));
    EXPECT_FALSE (entry.gone);
    EXPECT_EQ (entry.provider.endpoint, "tcp://h:1");
    EXPECT_EQ (entry.provider.weight, 3u);
    EXPECT_EQ (entry.provider.instance, 7u);
    ASSERT_TRUE (entries.next (entry));
    EXPECT_TRUE (entry.gone);
    EXPECT_EQ (entry.removed.why, removal_lost);
    EXPECT_FALSE (entries.next (entry));
    EXPECT_FALSE (entries.malformed ());
}

TEST (registry_message, what_is_not_known_is_passed_over)
{
    registry_message put;
    const std::string bytes = head (3, 0xF8) + field_octets (999, "new")
                              + field_octets (14, least_provider () + field_octets (998, "newer"))
                              + field_octets (7, "a lease, which a put does not have");
    ASSERT_EQ (decode_registry_message (as_bytes (bytes), put), service_status::complete);
    EXPECT_EQ (put.provider.service, "calc");
    EXPECT_EQ (put.lease_ms, 0u);
}

TEST (registry_message, what_must_be_there)
{
    EXPECT_EQ (status_of (head (3)), service_status::malformed) << "a put without a provider";
    EXPECT_EQ (
      status_of (head (3) + field_octets (14, least_provider ()) + field_octets (14, least_provider ())),
      service_status::malformed)
      << "a put of two";
    EXPECT_EQ (status_of (head (1) + field_octets (5, u64 (1))), service_status::malformed) << "no token";
    EXPECT_EQ (status_of (head (8) + field_octets (10, "")), service_status::malformed) << "no family";
    EXPECT_EQ (status_of (head (6)), service_status::complete) << "a renew needs nothing";
    const std::string whole = least_provider ();
    for (const std::size_t left_out : {0, 1, 2, 3, 4}) {
        service_field_reader fields (as_bytes (whole));
        service_field field;
        std::string rest;
        for (std::size_t i = 0; fields.next (field); ++i)
            if (i != left_out)
                rest += field_octets (field.tag, as_text (field.value));
        EXPECT_EQ (status_of (head (3) + field_octets (14, rest)), service_status::malformed) << left_out;
    }
}

TEST (registry_message, what_is_malformed)
{
    const auto put = [] (const std::string &more) {
        return status_of (head (3) + field_octets (14, least_provider () + more));
    };
    EXPECT_EQ (put (""), service_status::complete);
    EXPECT_EQ (put (field_octets (10, "again")), service_status::malformed);
    EXPECT_EQ (put (field_octets (17, u16 (1))), service_status::malformed) << "a version of 2 octets";
    EXPECT_EQ (put (field_octets (19, std::string (65, 'h'))), service_status::malformed);
    EXPECT_EQ (put (field_octets (21, "\1")), service_status::malformed) << "labels cut";
    EXPECT_EQ (put ("x"), service_status::malformed);
    EXPECT_EQ (status_of (least_page () + field_octets (14, "?")), service_status::malformed);
    EXPECT_EQ (status_of (least_page () + field_octets (15, least_provider ())), service_status::malformed)
      << "gone, and no reason";
    EXPECT_EQ (status_of (head (8) + field_octets (9, u16 (1)) + field_octets (10, std::string ("a\0b", 3))),
               service_status::malformed);
}

TEST (registry_message, what_is_of_another_protocol)
{
    EXPECT_EQ (status_of (""), service_status::malformed);
    EXPECT_EQ (status_of (hex ("52 01 06")), service_status::malformed);
    EXPECT_EQ (status_of (hex ("47 01 06 00")), service_status::malformed);
    EXPECT_EQ (status_of (hex ("52 00 06 00")), service_status::version_unsupported);
    EXPECT_EQ (status_of (hex ("52 02 06 00")), service_status::version_unsupported);
    EXPECT_EQ (status_of (head (0)), service_status::kind_unknown);
    EXPECT_EQ (status_of (head (14)), service_status::kind_unknown);
    EXPECT_EQ (status_of (head (255)), service_status::kind_unknown);
    EXPECT_EQ (status_of (head (6) + std::string (registry_message_bytes_max, 'x')),
               service_status::too_large);
}

TEST (registry_message, other_registries_are_told_of)
{
    registry_message opened;
    opened.kind = registry_kind::opened;
    opened.lease_ms = 10'000;
    std::vector<std::byte> others;
    append_other ("tcp://a:1", others);
    append_other ("tcp://b:1", others);
    opened.others = others;
    const std::string bytes = encoded (opened);
    registry_message read;
    ASSERT_EQ (decode_registry_message (as_bytes (bytes), read), service_status::complete);
    EXPECT_EQ (read.lease_ms, 10'000u);
    registry_others told (read.others);
    std::string_view other;
    ASSERT_TRUE (told.next (other));
    EXPECT_EQ (other, "tcp://a:1");
    ASSERT_TRUE (told.next (other));
    EXPECT_EQ (other, "tcp://b:1");
    EXPECT_FALSE (told.next (other));
    for (std::size_t i = others.size () / 2; i <= registry_others_max; ++i)
        append_other ("tcp://c:1", others);
    opened.others = others;
    EXPECT_EQ (status_of (encoded (opened)), service_status::complete);
    while (others.size () <= registry_others_max * 15)
        append_other ("tcp://c:1", others);
    opened.others = others;
    EXPECT_EQ (status_of (encoded (opened)), service_status::malformed);
}

TEST (registry_message, labels)
{
    std::vector<char> labels;
    EXPECT_TRUE (append_label (labels, "rack", "7"));
    EXPECT_TRUE (append_label (labels, "empty", ""));
    EXPECT_FALSE (append_label (labels, "", "x"));
    EXPECT_FALSE (append_label (labels, "two words", "x"));
    EXPECT_FALSE (append_label (labels, "lines", "a\nb"));
    EXPECT_FALSE (append_label (labels, std::string (256, 'x'), ""));
    EXPECT_FALSE (append_label (labels, "long", std::string (service_labels_bytes_max, 'x')));
    const std::string text (labels.begin (), labels.end ());
    EXPECT_EQ (text, "\4rack" + std::string ("\0\1", 2) + "7\5empty" + std::string ("\0\0", 2));
    EXPECT_TRUE (are_labels (text));
    for (std::size_t size = 1; size < text.size (); ++size)
        EXPECT_EQ (are_labels (text.substr (0, size)), size == 8) << size;
    EXPECT_FALSE (are_labels (std::string (3, '\0')));
    label_reader reader (text);
    std::string_view name, value;
    ASSERT_TRUE (reader.next (name, value));
    EXPECT_EQ (name, "rack");
    EXPECT_EQ (value, "7");
    ASSERT_TRUE (reader.next (name, value));
    EXPECT_EQ (name, "empty");
    EXPECT_FALSE (reader.next (name, value));
}

TEST (registry_message, names_of_faults)
{
    EXPECT_STREQ (fault_name (fault_none), "none");
    EXPECT_STREQ (fault_name (fault_out_of_memory), "out-of-memory");
    EXPECT_STREQ (fault_name (fault_store_lost + 1), "unknown");
    EXPECT_STREQ (removal_name (removal_forced), "forced");
    EXPECT_STREQ (removal_name (0), "unknown");
    EXPECT_STREQ (removal_name (removal_forced + 1), "unknown");
}

// --- properties --------------------------------------------------------------------

using dice_type = std::mt19937_64;

// Of this kind, with what it has filled in.
registry_message random_message (drawn<dice_type> &draw, unsigned kind, std::vector<std::byte> &lists)
{
    registry_message made;
    made.kind = static_cast<registry_kind> (kind);
    made.flags = static_cast<unsigned> (draw.below (8));
    made.request = draw.number ();
    made.incarnation = draw.number ();
    made.revision = draw.number ();
    made.since = draw.number ();
    made.instance = draw.number ();
    made.lease_ms = static_cast<std::uint32_t> (draw.number ());
    made.renew_ms = static_cast<std::uint32_t> (draw.number ());
    made.family = static_cast<std::uint16_t> (draw.number ());
    made.fault = static_cast<std::uint16_t> (draw.number ());
    made.token = draw.text (registry_token_bytes, registry_token_bytes);
    made.service = draw.text (1, service_name_bytes_max);
    made.endpoint = draw.text (1, service_endpoint_bytes_max);
    made.text = draw.text (0, service_text_bytes_max);
    made.provider = draw.provider ();
    for (std::uint64_t i = draw.below (20); i > 0; --i) {
        if (made.kind == registry_kind::opened && i <= registry_others_max)
            append_other (draw.text (1, 40), lists);
        else if (made.kind == registry_kind::page && draw.below (3) == 0)
            append_removed (draw.removed (), lists);
        else if (made.kind == registry_kind::page)
            append_provider (draw.provider (), lists);
    }
    made.entries = made.others = lists;
    return made;
}

// What was written is read, and writes the same again.
TEST (registry_message_property, comes_back)
{
    dice_type dice (8);
    for (unsigned round = 0; round < 1300; ++round) {
        drawn<dice_type> draw (dice);
        std::vector<std::byte> lists;
        const registry_message made = random_message (draw, 1 + round % 13, lists);
        const std::string bytes = encoded (made);
        registry_message read;
        ASSERT_EQ (decode_registry_message (as_bytes (bytes), read), service_status::complete) << round;
        ASSERT_EQ (read.provider == made.provider, made.kind == registry_kind::put) << round;
        read.entries = read.others = lists;
        ASSERT_EQ (encoded (read), bytes) << round;
    }
}

// Cut anywhere it is malformed, but where a message that needs nothing, or a list,
// ends between two fields.
TEST (registry_message_property, cut_it_is_seldom_whole)
{
    dice_type dice (9);
    for (unsigned round = 0; round < 130; ++round) {
        drawn<dice_type> draw (dice);
        std::vector<std::byte> lists;
        const std::string bytes = encoded (random_message (draw, 1 + round % 13, lists));
        for (std::size_t size = 0; size < bytes.size (); ++size) {
            if (status_of (std::string_view (bytes).substr (0, size)) != service_status::complete)
                continue;
            service_field field;
            service_field_reader fields (
              as_bytes (bytes).subspan (registry_head_bytes, size - registry_head_bytes));
            while (fields.next (field)) {}
            ASSERT_FALSE (fields.malformed ()) << round << ' ' << size;
        }
    }
}

}  // namespace
}  // namespace zlink::wire
