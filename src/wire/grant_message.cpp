#include "wire/grant_message.hpp"

#include <array>
#include <iterator>

#include "base/appending.hpp"
#include "wire/field_rows.hpp"

namespace zlink::wire {

namespace {

// A space of their own.
enum grant_tag : std::uint16_t
{
    grant_tag_topic = 1,
    grant_tag_partition = 2,
    grant_tag_round = 3,
    grant_tag_holder = 4,
    grant_tag_epoch_number = 5,
    grant_tag_epoch_id = 6,
    grant_tag_fault = 7,
    grant_tag_lease = 8,
    grant_tag_pause = 9,
    grant_tag_ended_number = 10,
    grant_tag_ended_id = 11,
    grant_tag_sequence = 12,
};

using grant_row = field_row<grant_message>;
// In front those that all kinds have, then those of claims and give_backs, then of answers.
constexpr std::array grant_rows{
  grant_row{.tag = grant_tag_topic, .text = &grant_message::topic, .fits = fits_topic},
  grant_row{.tag = grant_tag_partition, .number_32 = &grant_message::partition},
  grant_row{.tag = grant_tag_epoch_number, .number_64 = &grant_message::epoch_number},
  grant_row{.tag = grant_tag_epoch_id, .number_64 = &grant_message::epoch_id},
  grant_row{.tag = grant_tag_holder, .number_64 = &grant_message::holder},
  grant_row{.tag = grant_tag_round, .number_64 = &grant_message::round},
  grant_row{.tag = grant_tag_sequence, .number_64 = &grant_message::sequence},
  grant_row{.tag = grant_tag_fault, .number_16 = &grant_message::fault},
  grant_row{.tag = grant_tag_lease, .number_32 = &grant_message::lease_ms},
  grant_row{.tag = grant_tag_pause, .number_32 = &grant_message::pause_ms},
  grant_row{.tag = grant_tag_ended_number, .number_64 = &grant_message::ended_number},
  grant_row{.tag = grant_tag_ended_id, .number_64 = &grant_message::ended_id},
};
constexpr row_mask rows_of_all = 0x00F;
constexpr row_mask rows_of_claim = rows_of_all | 0x030;
constexpr row_mask rows_of_give_back = rows_of_all | 0x050;
constexpr row_mask rows_of_answer = rows_of_all | 0xFE0;

row_mask rows_of (grant_kind kind) noexcept
{
    switch (kind) {
    case grant_kind::claim:
        return rows_of_claim;
    case grant_kind::answer:
        return rows_of_answer;
    case grant_kind::give_back:
        return rows_of_give_back;
    }
    return 0;
}

}  // namespace

service_status decode_grant_message (bytes_view bytes, grant_message &out) noexcept
{
    if (bytes.size () > registry_message_bytes_max)
        return service_status::too_large;
    if (bytes.size () < registry_head_bytes || bytes[0] != grant_mark)
        return service_status::malformed;
    if (std::to_integer<unsigned> (bytes[1]) != grant_protocol_version)
        return service_status::version_unsupported;
    out = {};
    out.kind = static_cast<grant_kind> (bytes[2]);
    const row_mask rows = rows_of (out.kind);
    if (rows == 0)
        return service_status::kind_unknown;
    out.flags = std::to_integer<unsigned> (bytes[3]);
    return read_rows<grant_message> (grant_rows, rows, rows, bytes.subspan (registry_head_bytes), out)
             ? service_status::complete
             : service_status::malformed;
}

void encode_grant_message (const grant_message &message, std::vector<std::byte> &out)
{
    const std::byte head[registry_head_bytes] = {grant_mark, std::byte{grant_protocol_version},
                                                 static_cast<std::byte> (message.kind),
                                                 static_cast<std::byte> (message.flags)};
    base::append (out, head);
    write_rows<grant_message> (grant_rows, 0, rows_of (message.kind), message, out);
}

}  // namespace zlink::wire
