#include "wire/partition_message.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>

#include "base/appending.hpp"
#include "wire/field_rows.hpp"

namespace zlink::wire {

namespace {

// Tags of SPOT's fields, a space of their own: from 32 on they are of partitions.
enum partition_tag : std::uint16_t
{
    part_topic = 32,
    part_partition = 33,
    part_partitions = 34,
    part_epoch_number = 35,
    part_epoch_id = 36,
    part_first = 37,
    part_after = 38,
    part_sequence = 39,
    part_number = 40,
    part_waits_from = 41,
    part_token = 42,
    part_value = 43,
    part_how = 44,
    part_outcome = 45,
    part_flags = 46,
    part_octets = 47,
    part_entry = 48,
    part_stamp = 49,
};

constexpr std::size_t key_size_bytes = 2;

bool fits_anything (std::string_view) noexcept { return true; }

using letter_row = field_row<partition_letter>;
constexpr std::array letter_rows{
  letter_row{.tag = part_topic, .text = &partition_letter::topic, .fits = fits_topic},
  letter_row{.tag = part_partition, .number_32 = &partition_letter::partition},
  letter_row{.tag = part_partitions, .number_32 = &partition_letter::partitions},
  letter_row{.tag = part_epoch_number, .number_64 = &partition_letter::epoch_number},
  letter_row{.tag = part_epoch_id, .number_64 = &partition_letter::epoch_id},
  letter_row{.tag = part_first, .number_64 = &partition_letter::first},
  letter_row{.tag = part_after, .number_64 = &partition_letter::after},
  letter_row{.tag = part_sequence, .number_64 = &partition_letter::sequence},
  letter_row{.tag = part_number, .number_64 = &partition_letter::number},
  letter_row{.tag = part_waits_from, .number_64 = &partition_letter::waits_from},
  letter_row{.tag = part_token, .number_64 = &partition_letter::token},
  letter_row{.tag = part_value, .number_64 = &partition_letter::value},
  letter_row{.tag = part_how, .number_16 = &partition_letter::how},
  letter_row{.tag = part_outcome, .number_16 = &partition_letter::outcome},
  letter_row{.tag = part_flags, .number_16 = &partition_letter::flags},
  letter_row{.tag = part_octets, .text = &partition_letter::octets, .fits = fits_anything},
};

constexpr row_mask rows_of (std::initializer_list<partition_tag> tags) noexcept
{
    row_mask mask = 0;
    for (std::size_t row = 0; row < letter_rows.size (); ++row)
        for (const partition_tag tag : tags)
            if (letter_rows[row].tag == tag)
                mask |= row_bit (row);
    return mask;
}

struct kind_row
{
    partition_kind kind;
    row_mask must;
};

constexpr row_mask which = rows_of ({part_topic, part_partition});
constexpr row_mask epoch_rows = rows_of ({part_epoch_number, part_epoch_id});
constexpr row_mask place_rows = epoch_rows | rows_of ({part_first, part_after, part_sequence});
constexpr std::array kind_rows{
  kind_row{partition_kind::declared, rows_of ({part_topic, part_partitions})},
  kind_row{partition_kind::publish, which | rows_of ({part_number, part_waits_from, part_octets})},
  kind_row{partition_kind::published,
           which | epoch_rows | rows_of ({part_number, part_outcome, part_sequence})},
  kind_row{partition_kind::owner, which | place_rows},
  kind_row{partition_kind::replay, which | rows_of ({part_token, part_how, part_value})},
  kind_row{partition_kind::replayed, which | place_rows | rows_of ({part_token, part_flags})},
  kind_row{partition_kind::tail_wanted, which | epoch_rows},
  kind_row{partition_kind::tail, which | epoch_rows | rows_of ({part_flags})},
};

const kind_row *row_of (std::uint16_t kind) noexcept
{
    const auto *const found =
      std::find_if (kind_rows.begin (), kind_rows.end (),
                    [kind] (const kind_row &row) { return static_cast<std::uint16_t> (row.kind) == kind; });
    return found == kind_rows.end () ? nullptr : found;
}

bool has_entries (partition_kind kind) noexcept
{
    return kind == partition_kind::replayed || kind == partition_kind::tail;
}

void store (const partition_stamp &stamp, std::byte (&to)[partition_stamp_bytes]) noexcept
{
    base::store_be (to, stamp.partition);
    std::byte *at = to + 4;
    for (const std::uint64_t each : {stamp.epoch_number, stamp.epoch_id, stamp.first, stamp.after,
                                     stamp.sequence, stamp.origin, stamp.origin_number}) {
        base::store_be (at, each);
        at += 8;
    }
}

bool load (bytes_view from, partition_stamp &out) noexcept
{
    if (from.size () < partition_stamp_bytes)
        return false;
    out.partition = base::load_be<std::uint32_t> (from.data ());
    const std::byte *at = from.data () + 4;
    for (std::uint64_t *const each : {&out.epoch_number, &out.epoch_id, &out.first, &out.after, &out.sequence,
                                      &out.origin, &out.origin_number}) {
        *each = base::load_be<std::uint64_t> (at);
        at += 8;
    }
    return out.partition < partitions_max && out.epoch_number != 0 && out.first != 0
           && out.sequence >= out.first && out.sequence <= partition_sequence_max;
}

}  // namespace

void append_partition_letter (const partition_letter &letter, std::vector<std::byte> &out)
{
    const kind_row *const row = row_of (static_cast<std::uint16_t> (letter.kind));
    if (row == nullptr)
        return;
    write_rows<partition_letter> (letter_rows, 0, row->must, letter, out);
    if (has_entries (letter.kind))
        base::append (out, letter.entries);
}

bool is_partition_kind (std::uint16_t kind) noexcept { return row_of (kind) != nullptr; }

bool read_partition_letter (std::uint16_t kind, bytes_view fields, partition_letter &out) noexcept
{
    const kind_row *const row = row_of (kind);
    if (row == nullptr)
        return false;
    out = {};
    out.kind = row->kind;
    if (!read_rows<partition_letter> (letter_rows, row->must, row->must, fields, out)
        || out.partition >= partitions_max || out.partitions > partitions_max
        || out.first > partition_sequence_max || out.sequence > partition_sequence_max)
        return false;
    if (!has_entries (out.kind))
        return true;
    out.entries = fields;
    partition_entries entries (fields);
    partition_stamp stamp;
    for (std::string_view octets; entries.next (stamp, octets);)
        if (stamp.partition != out.partition)
            return false;
    return !entries.malformed ();
}

void append_partition_stamp (const partition_stamp &stamp, std::vector<std::byte> &out)
{
    std::byte octets[partition_stamp_bytes];
    store (stamp, octets);
    append_field (out, part_stamp, octets);
}

bool read_partition_stamp (bytes_view fields, partition_stamp &out) noexcept
{
    service_field_reader reader (fields);
    for (service_field field; reader.next (field);)
        if (field.tag == part_stamp)
            return field.value.size () == partition_stamp_bytes && load (field.value, out);
    return false;
}

void append_partition_entry (const partition_stamp &stamp,
                             std::string_view octets,
                             std::vector<std::byte> &out)
{
    std::byte head[partition_stamp_bytes];
    store (stamp, head);
    const std::size_t before = out.size ();
    const std::size_t begun = begin_field (out, part_entry);
    try {
        base::append (out, head);
        base::append (out, base::as_bytes (octets));
    } catch (...) {
        out.resize (before);
        throw;
    }
    end_field (out, begun);
}

bool partition_entries::next (partition_stamp &stamp, std::string_view &octets) noexcept
{
    for (service_field field; !malformed_ && fields_.next (field);) {
        if (field.tag != part_entry)
            continue;
        malformed_ = !load (field.value, stamp);
        if (malformed_)
            return false;
        octets = base::as_text (field.value.subspan (partition_stamp_bytes));
        return true;
    }
    return false;
}

std::string join_partition_octets (std::string_view key, std::string_view body)
{
    std::string joined;
    joined.reserve (key_size_bytes + key.size () + body.size ());
    joined += static_cast<char> (key.size () >> 8);
    joined += static_cast<char> (key.size () & 0xFF);
    joined += key;
    joined += body;
    return joined;
}

partition_octets split_partition_octets (std::string_view octets) noexcept
{
    if (octets.size () < key_size_bytes)
        return {{}, octets};
    const std::size_t size = base::load_u16_be (base::as_bytes (octets).data ());
    if (size > octets.size () - key_size_bytes)
        return {{}, octets};
    return {octets.substr (key_size_bytes, size), octets.substr (key_size_bytes + size)};
}

}  // namespace zlink::wire
