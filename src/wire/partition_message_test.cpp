#include "wire/partition_message.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::wire {
namespace {

constexpr partition_stamp stamp{.partition = 3,
                                .epoch_number = 5,
                                .epoch_id = 0x0102030405060708,
                                .first = 7,
                                .after = 4,
                                .sequence = 9,
                                .origin = 77,
                                .origin_number = 12};

std::vector<std::byte> written (const partition_letter &letter)
{
    std::vector<std::byte> out;
    append_partition_letter (letter, out);
    return out;
}

bool reads (const partition_letter &letter, base::bytes_view octets, partition_letter &out)
{
    return read_partition_letter (static_cast<std::uint16_t> (letter.kind), octets, out);
}

TEST (PartitionMessage, AStampIsOneFieldAmongOthers)
{
    std::vector<std::byte> fields;
    append_number_field (fields, 99, std::uint16_t{1});
    append_partition_stamp (stamp, fields);
    partition_stamp read;
    ASSERT_TRUE (read_partition_stamp (fields, read));
    EXPECT_EQ (read, stamp);
    EXPECT_EQ (fields.size (), 8 + 6 + partition_stamp_bytes);
    EXPECT_FALSE (read_partition_stamp (base::bytes_view (fields).first (8), read));
    partition_stamp wrong = stamp;
    wrong.sequence = 6;
    fields.clear ();
    append_partition_stamp (wrong, fields);
    EXPECT_FALSE (read_partition_stamp (fields, read)) << "below the first of its epoch";
    for (const std::uint64_t far : {partition_sequence_max, partition_sequence_max + 1, UINT64_MAX}) {
        wrong.sequence = far;
        fields.clear ();
        append_partition_stamp (wrong, fields);
        EXPECT_EQ (read_partition_stamp (fields, read), far == partition_sequence_max);
    }
}

TEST (PartitionMessage, NoSequenceIsNearTheEndOfNumbers)
{
    partition_letter letter;
    letter.kind = partition_kind::owner;
    letter.topic = "prices";
    partition_letter read;
    for (std::uint64_t partition_letter::*const which :
         {&partition_letter::first, &partition_letter::sequence}) {
        letter.*which = partition_sequence_max;
        EXPECT_TRUE (reads (letter, written (letter), read));
        letter.*which = partition_sequence_max + 1;
        EXPECT_FALSE (reads (letter, written (letter), read));
        letter.*which = 1;
    }
}

TEST (PartitionMessage, EachKindIsReadAsItIsWritten)
{
    for (std::uint16_t kind = 16; kind <= 23; ++kind) {
        partition_letter letter;
        letter.kind = static_cast<partition_kind> (kind);
        letter.topic = "prices";
        letter.partition = 3;
        letter.partitions = 8;
        letter.epoch_number = 5;
        letter.epoch_id = 6;
        letter.first = 1;
        letter.after = 4;
        letter.sequence = 11;
        letter.number = 12;
        letter.waits_from = 10;
        letter.token = 13;
        letter.value = 14;
        letter.how = 2;
        letter.outcome = outcome_early;
        letter.flags = partition_flag_complete;
        letter.octets = std::string_view ("a\0b", 3);
        const std::vector<std::byte> first = written (letter);
        partition_letter read;
        ASSERT_TRUE (reads (letter, first, read)) << kind;
        read.entries = {};
        EXPECT_EQ (written (read), first) << kind;
        for (std::size_t cut = 0; cut < first.size (); ++cut)
            EXPECT_FALSE (reads (letter, base::bytes_view (first).first (cut), read)) << kind << " " << cut;
    }
    partition_letter read;
    EXPECT_FALSE (read_partition_letter (24, {}, read));
}

TEST (PartitionMessage, ListsAreWalkedAndLookedAtBefore)
{
    std::vector<std::byte> entries;
    append_partition_entry (stamp, "one", entries);
    append_partition_entry (stamp, "", entries);
    partition_letter letter;
    letter.kind = partition_kind::tail;
    letter.topic = "prices";
    letter.partition = 3;
    letter.entries = entries;
    std::vector<std::byte> octets = written (letter);
    partition_letter read;
    ASSERT_TRUE (reads (letter, octets, read));
    partition_entries walk (read.entries);
    partition_stamp at;
    std::string_view body;
    ASSERT_TRUE (walk.next (at, body));
    EXPECT_EQ (at, stamp);
    EXPECT_EQ (body, "one");
    ASSERT_TRUE (walk.next (at, body));
    EXPECT_EQ (body, "");
    EXPECT_FALSE (walk.next (at, body));
    EXPECT_FALSE (walk.malformed ());

    letter.partition = 4;
    EXPECT_FALSE (reads (letter, written (letter), read)) << "entries of another partition";
    letter.partition = 3;
    append_field (octets, 48, base::as_bytes ("short"));
    EXPECT_FALSE (reads (letter, octets, read));
}

TEST (PartitionMessage, KeyAndBodyStandTogether)
{
    const std::string both = join_partition_octets ("key", "body");
    EXPECT_EQ (both, std::string_view ("\0\3keybody", 9));
    EXPECT_EQ (split_partition_octets (both).key, "key");
    EXPECT_EQ (split_partition_octets (both).body, "body");
    const std::string long_key (partition_key_bytes_max, 'k');
    const std::string long_octets = join_partition_octets (long_key, "b");
    EXPECT_EQ (split_partition_octets (long_octets).key, long_key);
    EXPECT_EQ (split_partition_octets (long_octets).body, "b");
    EXPECT_EQ (split_partition_octets (join_partition_octets ({}, {})).body, "");
    for (const std::string_view each :
         {std::string_view (), std::string_view ("\0", 1), std::string_view ("\0\4key", 5)}) {
        EXPECT_EQ (split_partition_octets (each).key, "");
        EXPECT_EQ (split_partition_octets (each).body, each);
    }
}

}  // namespace
}  // namespace zlink::wire
