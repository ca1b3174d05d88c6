// What the nodes of SPOT send each other: first parts, letters and presences.
//
// Promised: a topic that is read is one; what is read lies within what was given, and
// written again it is read again, and says the same.
#include <algorithm>
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/row.hpp"
#include "wire/spot_message.hpp"

namespace {

using namespace zlink;
using namespace zlink::wire;
using fuzz::require;

void read_letter (const spot_frame &frame)
{
    std::uint16_t kind = 0;
    bytes_view fields;
    if (decode_spot_letter (frame.body, kind, fields) != service_status::complete)
        return;
    service_field_reader reader (fields);
    service_field each;
    while (reader.next (each)) {
        spot_presence who;
        if (each.tag != spot_tag_member || !read_spot_member (each.value, who))
            continue;
        std::vector<std::byte> again;
        append_spot_member (again, who);
        require (std::ranges::equal (bytes_view (again).subspan (service_field_head_bytes), each.value));
    }
    require (!reader.malformed ());
    const std::uint64_t to = frame.subject == spot_subject::letter ? frame.to : 0;
    const std::vector<std::byte> again =
      encode_spot_letter (to, frame.head.publisher, frame.head.number, kind, fields);
    spot_frame second;
    require (decode_spot_frame (again, second) == service_status::complete);
    require (std::ranges::equal (second.body, frame.body));
}

void read_row (base::bytes_view body)
{
    base::bytes_view left = body;
    base::bytes_view item;
    while (take_row_item (left, item)) {
        require (item.data () >= body.data () + row_mark_bytes);
        require (item.data () + item.size () == left.data ());
        require (left.data () + left.size () == body.data () + body.size ());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    const base::bytes_view input = fuzz::input_of (data, size);
    spot_presence who;
    if (decode_spot_presence (input, who) == service_status::complete)
        require (std::ranges::equal (encode_spot_presence (who), input));
    spot_frame frame;
    if (decode_spot_frame (input, frame) != service_status::complete)
        return 0;
    if (frame.subject != spot_subject::topic) {
        read_letter (frame);
        return 0;
    }
    require (is_spot_topic (frame.topic));
    std::vector<std::byte> again;
    append_spot_opening (again, frame.topic, frame.head);
    require (again.size () + frame.body.size () == input.size ());
    require (std::equal (again.begin (), again.end (), input.begin ()));
    if ((frame.head.flags & spot_flag_row) != 0)
        read_row (frame.body);
    return 0;
}
