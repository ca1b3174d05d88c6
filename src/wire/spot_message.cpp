#include "wire/spot_message.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::wire {

namespace {

constexpr auto end_of_topic = std::byte{0};
constexpr auto mark_letter = std::byte{'M'};
constexpr auto mark_circular = std::byte{'A'};
// Behind nearly all topics, as a subscriber asks for them in their order.
constexpr std::array presence_subject = {std::byte{0xFF}, end_of_topic, std::byte{'P'}};
constexpr std::size_t circular_subject_bytes = 2;
constexpr std::size_t presence_bytes = 12;
constexpr std::size_t letter_kind_bytes = 2;
constexpr std::size_t member_bytes_min = 9;

// How long the subject is, which out then tells; 0: it is malformed.
std::size_t read_subject (bytes_view bytes, spot_frame &out) noexcept
{
    if (bytes.empty ())
        return 0;
    if (bytes.front () != end_of_topic) {
        const bytes_view beginning = bytes.first (std::min (bytes.size (), spot_topic_bytes_max + 1));
        const void *const end = std::memchr (beginning.data (), 0, beginning.size ());
        if (end == nullptr)
            return 0;
        const auto size = static_cast<std::size_t> (static_cast<const std::byte *> (end) - bytes.data ());
        out.subject = spot_subject::topic;
        out.topic = base::as_text (bytes.first (size));
        return size + 1;
    }
    if (bytes.size () < 2)
        return 0;
    if (bytes[1] == mark_letter && bytes.size () >= spot_letter_subject_bytes) {
        out.subject = spot_subject::letter;
        out.to = base::load_u64_be (bytes.data () + 2);
        return spot_letter_subject_bytes;
    }
    out.subject = bytes[1] == mark_circular ? spot_subject::circular : spot_subject::other;
    return bytes[1] == mark_letter ? 0 : circular_subject_bytes;
}

service_status read_head (bytes_view bytes, spot_head &out, std::size_t &size) noexcept
{
    if (bytes.empty ())
        return service_status::malformed;
    if (std::to_integer<unsigned> (bytes[0]) != spot_protocol_version)
        return service_status::version_unsupported;
    if (bytes.size () < spot_head_bytes)
        return service_status::malformed;
    size = base::load_u16_be (bytes.data () + 2);
    if (size < spot_head_bytes || size > spot_head_bytes_max || size > bytes.size ())
        return service_status::malformed;
    out.flags = std::to_integer<unsigned> (bytes[1]);
    out.publisher = base::load_u64_be (bytes.data () + 4);
    out.number = base::load_u64_be (bytes.data () + spot_number_in_head);
    out.fields = bytes.subspan (spot_head_bytes, size - spot_head_bytes);
    return service_status::complete;
}

// But for its fields.
std::byte *write_head (std::byte *to, const spot_head &head, std::size_t field_bytes) noexcept
{
    to[0] = static_cast<std::byte> (spot_protocol_version);
    to[1] = static_cast<std::byte> (head.flags);
    base::store_u16_be (to + 2, static_cast<std::uint16_t> (spot_head_bytes + field_bytes));
    base::store_u64_be (to + 4, head.publisher);
    base::store_u64_be (to + spot_number_in_head, head.number);
    return to + spot_head_bytes;
}

bool fields_are_whole (bytes_view fields) noexcept
{
    service_field_reader reader (fields);
    service_field each;
    while (reader.next (each)) {}
    return !reader.malformed ();
}

}  // namespace

service_status decode_spot_frame (bytes_view bytes, spot_frame &out) noexcept
{
    const std::size_t subject = read_subject (bytes, out);
    if (subject == 0)
        return service_status::malformed;
    if (out.subject == spot_subject::other)
        return service_status::kind_unknown;
    std::size_t head = 0;
    const service_status status = read_head (bytes.subspan (subject), out.head, head);
    if (status != service_status::complete)
        return status;
    if (!out.head.fields.empty () && !fields_are_whole (out.head.fields))
        return service_status::malformed;
    out.body = bytes.subspan (subject + head);
    return service_status::complete;
}

bool is_spot_topic (std::string_view topic) noexcept
{
    return !topic.empty () && topic.size () <= spot_topic_bytes_max
           && std::memchr (topic.data (), 0, topic.size ()) == nullptr;
}

std::size_t
encode_spot_opening (std::span<std::byte> to, std::string_view topic, const spot_head &head) noexcept
{
    std::memcpy (to.data (), topic.data (), topic.size ());
    to[topic.size ()] = end_of_topic;
    return static_cast<std::size_t> (write_head (to.data () + topic.size () + 1, head, 0) - to.data ());
}

void append_spot_opening (std::vector<std::byte> &to, std::string_view topic, const spot_head &head)
{
    const std::size_t at = to.size ();
    to.resize (at + topic.size () + 1 + spot_head_bytes + head.fields.size ());
    std::byte *const begin = to.data () + at;
    std::memcpy (begin, topic.data (), topic.size ());
    begin[topic.size ()] = end_of_topic;
    std::ranges::copy (head.fields, write_head (begin + topic.size () + 1, head, head.fields.size ()));
}

// --- subjects that are no topics --------------------------------------------------

std::array<std::byte, spot_letter_subject_bytes> spot_letter_subject (std::uint64_t node) noexcept
{
    std::array<std::byte, spot_letter_subject_bytes> made{end_of_topic, mark_letter};
    base::store_u64_be (made.data () + 2, node);
    return made;
}

bytes_view spot_circular_subject () noexcept
{
    static constexpr std::byte subject[circular_subject_bytes] = {end_of_topic, mark_circular};
    return subject;
}

std::vector<std::byte> encode_spot_presence (const spot_presence &who)
{
    std::vector<std::byte> made (presence_bytes + who.endpoint.size ());
    std::ranges::copy (presence_subject, made.begin ());
    made[presence_subject.size ()] = static_cast<std::byte> (spot_protocol_version);
    base::store_u64_be (made.data () + presence_subject.size () + 1, who.node);
    std::ranges::copy (base::as_bytes (who.endpoint), made.begin () + presence_bytes);
    return made;
}

service_status decode_spot_presence (bytes_view subscription, spot_presence &out) noexcept
{
    constexpr std::size_t subject = presence_subject.size ();
    if (subscription.size () < subject
        || !std::ranges::equal (subscription.first (subject), presence_subject))
        return service_status::kind_unknown;
    if (subscription.size () > subject
        && std::to_integer<unsigned> (subscription[subject]) != spot_protocol_version)
        return service_status::version_unsupported;
    if (subscription.size () < presence_bytes)
        return service_status::malformed;
    out.node = base::load_u64_be (subscription.data () + subject + 1);
    out.endpoint = base::as_text (subscription.subspan (presence_bytes));
    if (out.node == 0 || (!out.endpoint.empty () && !is_endpoint_text (out.endpoint)))
        return service_status::malformed;
    return service_status::complete;
}

// --- letters ----------------------------------------------------------------------

std::vector<std::byte> encode_spot_letter (
  std::uint64_t to, std::uint64_t publisher, std::uint64_t number, std::uint16_t kind, bytes_view fields)
{
    const auto letter = spot_letter_subject (to);
    const bytes_view subject = to == 0 ? spot_circular_subject () : bytes_view (letter);
    std::vector<std::byte> made (subject.size () + spot_head_bytes + letter_kind_bytes + fields.size ());
    std::byte *at = std::ranges::copy (subject, made.data ()).out;
    at = write_head (at, {.publisher = publisher, .number = number}, 0);
    base::store_u16_be (at, kind);
    std::ranges::copy (fields, at + letter_kind_bytes);
    return made;
}

service_status decode_spot_letter (bytes_view body, std::uint16_t &kind, bytes_view &fields) noexcept
{
    if (body.size () < letter_kind_bytes || !fields_are_whole (body.subspan (letter_kind_bytes)))
        return service_status::malformed;
    kind = base::load_u16_be (body.data ());
    fields = body.subspan (letter_kind_bytes);
    return service_status::complete;
}

void append_spot_member (std::vector<std::byte> &to, const spot_presence &who)
{
    std::array<std::byte, member_bytes_min - 1 + service_endpoint_bytes_max> value{};
    base::store_u64_be (value.data (), who.node);
    const std::string_view endpoint = who.endpoint.substr (0, service_endpoint_bytes_max);
    std::ranges::copy (base::as_bytes (endpoint), value.begin () + member_bytes_min - 1);
    append_field (to, spot_tag_member, bytes_view (value).first (member_bytes_min - 1 + endpoint.size ()));
}

bool read_spot_member (bytes_view value, spot_presence &out) noexcept
{
    if (value.size () < member_bytes_min)
        return false;
    out.node = base::load_u64_be (value.data ());
    out.endpoint = base::as_text (value.subspan (member_bytes_min - 1));
    return out.node != 0 && is_endpoint_text (out.endpoint);
}

}  // namespace zlink::wire
