// A letter about a partition and the stamp of an ordered message, from any node. The
// first two octets are the letter's kind.
//
// Promised: what is read has lists that can be walked to the end; written again it is
// read again, and says the same.
#include <string_view>
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/partition_message.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using namespace zlink::wire;
    using fuzz::require;
    const base::bytes_view input = fuzz::input_of (data, size);
    if (input.size () < 2)
        return 0;
    const partition_octets both = split_partition_octets (base::as_text (input));
    require (both.key.size () + both.body.size () <= input.size ());
    partition_stamp stamp;
    std::vector<std::byte> first, second;
    if (read_partition_stamp (input.subspan (2), stamp)) {
        partition_stamp again;
        append_partition_stamp (stamp, first);
        require (read_partition_stamp (first, again) && again == stamp);
        first.clear ();
    }
    const auto kind = static_cast<std::uint16_t> (16 + base::load_u16_be (input.data ()) % 9);
    partition_letter letter;
    if (!read_partition_letter (kind, input.subspan (2), letter))
        return 0;
    std::vector<std::byte> list;
    partition_entries entries (letter.entries);
    for (std::string_view octets; entries.next (stamp, octets);)
        append_partition_entry (stamp, octets, list);
    require (!entries.malformed ());
    letter.entries = list;
    append_partition_letter (letter, first);
    partition_letter again;
    require (read_partition_letter (kind, first, again));
    again.entries = list;
    append_partition_letter (again, second);
    require (first == second);
    return 0;
}
