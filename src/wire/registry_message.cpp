#include "wire/registry_message.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/appending.hpp"
#include "wire/field_rows.hpp"

namespace zlink::wire {

namespace {

constexpr std::byte registry_mark{0x52};

bool fits_token (std::string_view text) noexcept { return text.size () == registry_token_bytes; }

using message_row = field_row<registry_message>;
constexpr std::array message_rows{
  message_row{.tag = tag_request, .number_64 = &registry_message::request},
  message_row{.tag = tag_incarnation, .number_64 = &registry_message::incarnation},
  message_row{.tag = tag_revision, .number_64 = &registry_message::revision},
  message_row{.tag = tag_since, .number_64 = &registry_message::since},
  message_row{.tag = tag_instance, .number_64 = &registry_message::instance},
  message_row{.tag = tag_lease, .number_32 = &registry_message::lease_ms},
  message_row{.tag = tag_renew, .number_32 = &registry_message::renew_ms},
  message_row{.tag = tag_family, .number_16 = &registry_message::family},
  message_row{.tag = tag_fault, .number_16 = &registry_message::fault},
  message_row{.tag = tag_token, .text = &registry_message::token, .fits = fits_token},
  message_row{.tag = tag_service, .text = &registry_message::service, .fits = fits_name},
  message_row{.tag = tag_endpoint, .text = &registry_message::endpoint, .fits = is_endpoint_text},
  message_row{.tag = tag_text, .text = &registry_message::text, .fits = fits_text},
};

constexpr row_mask rows_of (std::initializer_list<service_tag> tags) noexcept
{
    row_mask mask = 0;
    for (std::size_t row = 0; row < message_rows.size (); ++row)
        for (const service_tag tag : tags)
            if (message_rows[row].tag == tag)
                mask |= row_bit (row);
    return mask;
}

// What a kind must have, and what it may have beside it.
struct kind_row
{
    registry_kind kind;
    row_mask must;
    row_mask may = 0;
};

constexpr std::array kind_rows{
  kind_row{registry_kind::open, rows_of ({tag_instance, tag_token}), rows_of ({tag_request})},
  kind_row{registry_kind::opened, rows_of ({tag_incarnation, tag_revision, tag_lease, tag_renew}),
           rows_of ({tag_request})},
  kind_row{registry_kind::put, 0, rows_of ({tag_request})},
  kind_row{registry_kind::drop, rows_of ({tag_family, tag_service, tag_endpoint}), rows_of ({tag_request})},
  kind_row{registry_kind::answer, rows_of ({tag_incarnation, tag_revision, tag_fault}),
           rows_of ({tag_request, tag_text, tag_endpoint})},
  kind_row{registry_kind::renew, 0, rows_of ({tag_request})},
  kind_row{registry_kind::renewed, rows_of ({tag_incarnation, tag_revision}), rows_of ({tag_request})},
  kind_row{registry_kind::watch, rows_of ({tag_family, tag_service}),
           rows_of ({tag_request, tag_incarnation, tag_since})},
  kind_row{registry_kind::unwatch, rows_of ({tag_family, tag_service}), rows_of ({tag_request})},
  kind_row{registry_kind::page,
           rows_of ({tag_incarnation, tag_revision, tag_since, tag_family, tag_service})},
  kind_row{registry_kind::seen, rows_of ({tag_family, tag_service, tag_revision})},
  kind_row{registry_kind::close, 0, rows_of ({tag_request})},
  kind_row{registry_kind::refused, rows_of ({tag_fault}), rows_of ({tag_text})},
};

const kind_row *row_of_kind (registry_kind kind) noexcept
{
    const auto *const found = std::find_if (kind_rows.begin (), kind_rows.end (),
                                            [kind] (const kind_row &row) { return row.kind == kind; });
    return found == kind_rows.end () ? nullptr : found;
}

using provider_row = field_row<provider_view>;
constexpr std::array provider_rows{
  provider_row{.tag = tag_family, .number_16 = &provider_view::family},
  provider_row{.tag = tag_service, .text = &provider_view::service, .fits = fits_some_name},
  provider_row{.tag = tag_endpoint, .text = &provider_view::endpoint, .fits = is_endpoint_text},
  provider_row{.tag = tag_instance, .number_64 = &provider_view::instance},
  provider_row{.tag = tag_weight, .number_32 = &provider_view::weight},
  provider_row{.tag = tag_version, .number_64 = &provider_view::version},
  provider_row{.tag = tag_registered_at, .number_64 = &provider_view::registered_at_ms},
  provider_row{.tag = tag_host, .text = &provider_view::host, .fits = fits_place},
  provider_row{.tag = tag_zone, .text = &provider_view::zone, .fits = fits_place},
  provider_row{.tag = tag_labels, .text = &provider_view::labels, .fits = are_labels},
};
constexpr row_mask provider_must = 0x1F;  // up to weight
constexpr row_mask provider_may = 0x3FF;

using removed_row = field_row<removed_view>;
constexpr std::array removed_rows{
  removed_row{.tag = tag_family, .number_16 = &removed_view::family},
  removed_row{.tag = tag_service, .text = &removed_view::service, .fits = fits_some_name},
  removed_row{.tag = tag_endpoint, .text = &removed_view::endpoint, .fits = is_endpoint_text},
  removed_row{.tag = tag_instance, .number_64 = &removed_view::instance},
  removed_row{.tag = tag_why, .number_16 = &removed_view::why},
};
constexpr row_mask removed_must = 0x1F;

bool read_provider (bytes_view bytes, provider_view &out) noexcept
{
    out = {};
    return read_rows<provider_view> (provider_rows, provider_may, provider_must, bytes, out);
}

bool read_removed (bytes_view bytes, removed_view &out) noexcept
{
    out = {};
    return read_rows<removed_view> (removed_rows, removed_must, removed_must, bytes, out);
}

// The provider of a put: there is one.
bool read_only_provider (bytes_view fields, provider_view &out) noexcept
{
    registry_entries entries (fields);
    registry_entry entry;
    if (!entries.next (entry) || entry.gone)
        return false;
    out = entry.provider;
    return !entries.next (entry) && !entries.malformed ();
}

bool read_lists (bytes_view fields, registry_message &out) noexcept
{
    if (out.kind == registry_kind::put)
        return read_only_provider (fields, out.provider);
    if (out.kind == registry_kind::page) {
        out.entries = fields;
        registry_entries entries (fields);
        for (registry_entry entry; entries.next (entry);) {}
        return !entries.malformed ();
    }
    if (out.kind == registry_kind::opened) {
        out.others = fields;
        registry_others others (fields);
        for (std::string_view other; others.next (other);) {}
        return !others.malformed ();
    }
    return true;
}

}  // namespace

service_status decode_registry_message (bytes_view bytes, registry_message &out) noexcept
{
    if (bytes.size () > registry_message_bytes_max)
        return service_status::too_large;
    if (bytes.size () < registry_head_bytes || bytes[0] != registry_mark)
        return service_status::malformed;
    if (std::to_integer<unsigned> (bytes[1]) != registry_protocol_version)
        return service_status::version_unsupported;
    out = {};
    out.kind = static_cast<registry_kind> (bytes[2]);
    const kind_row *const row = row_of_kind (out.kind);
    if (row == nullptr)
        return service_status::kind_unknown;
    out.flags = std::to_integer<unsigned> (bytes[3]);
    const bytes_view fields = bytes.subspan (registry_head_bytes);
    const bool good = read_rows<registry_message> (message_rows, row->must | row->may, row->must, fields, out)
                      && read_lists (fields, out);
    return good ? service_status::complete : service_status::malformed;
}

void encode_registry_message (const registry_message &message, std::vector<std::byte> &out)
{
    const std::byte head[registry_head_bytes] = {registry_mark, std::byte{registry_protocol_version},
                                                 static_cast<std::byte> (message.kind),
                                                 static_cast<std::byte> (message.flags)};
    base::append (out, head);
    if (const kind_row *const row = row_of_kind (message.kind); row != nullptr)
        write_rows<registry_message> (message_rows, row->may, row->must, message, out);
    if (message.kind == registry_kind::put)
        append_provider (message.provider, out);
    if (message.kind == registry_kind::page)
        base::append (out, message.entries);
    if (message.kind == registry_kind::opened)
        base::append (out, message.others);
}

void append_provider (const provider_view &provider, std::vector<std::byte> &out)
{
    const std::size_t begun = begin_field (out, tag_provider);
    write_rows<provider_view> (provider_rows, provider_may, provider_must, provider, out);
    end_field (out, begun);
}

void append_removed (const removed_view &removed, std::vector<std::byte> &out)
{
    const std::size_t begun = begin_field (out, tag_removed);
    write_rows<removed_view> (removed_rows, removed_must, removed_must, removed, out);
    end_field (out, begun);
}

bool registry_entries::next (registry_entry &out) noexcept
{
    for (service_field field; fields_.next (field);) {
        if (field.tag != tag_provider && field.tag != tag_removed)
            continue;
        out.gone = field.tag == tag_removed;
        const bool good =
          out.gone ? read_removed (field.value, out.removed) : read_provider (field.value, out.provider);
        malformed_ = !good;
        return good;
    }
    return false;
}

void append_other (std::string_view endpoint, std::vector<std::byte> &out)
{
    append_field (out, tag_other, base::as_bytes (endpoint));
}

bool registry_others::next (std::string_view &out) noexcept
{
    for (service_field field; fields_.next (field);) {
        if (field.tag != tag_other)
            continue;
        out = base::as_text (field.value);
        malformed_ = ++told_ > registry_others_max || !is_endpoint_text (out);
        return !malformed_;
    }
    return false;
}

bool label_reader::next (std::string_view &name, std::string_view &value) noexcept
{
    if (malformed_ || rest_.empty ())
        return false;
    malformed_ = true;  // unless it is whole
    const std::size_t name_bytes = static_cast<unsigned char> (rest_[0]);
    if (name_bytes == 0 || rest_.size () < 1 + name_bytes + 2)
        return false;
    name = rest_.substr (1, name_bytes);
    rest_.remove_prefix (1 + name_bytes);
    const std::size_t value_bytes = base::load_u16_be (base::as_bytes (rest_).data ());
    if (rest_.size () < 2 + value_bytes)
        return false;
    value = rest_.substr (2, value_bytes);
    rest_.remove_prefix (2 + value_bytes);
    malformed_ = !is_endpoint_text (name) || !is_service_text (value, value_bytes);
    return !malformed_;
}

bool are_labels (std::string_view labels) noexcept
{
    if (labels.size () > service_labels_bytes_max)
        return false;
    label_reader reader (labels);
    for (std::string_view name, value; reader.next (name, value);) {}
    return !reader.malformed ();
}

bool append_label (std::vector<char> &labels, std::string_view name, std::string_view value)
{
    const std::size_t bytes = 1 + name.size () + 2 + value.size ();
    if (!is_endpoint_text (name) || !is_service_text (value, service_labels_bytes_max)
        || labels.size () + bytes > service_labels_bytes_max)
        return false;
    labels.reserve (labels.size () + bytes);
    labels.push_back (static_cast<char> (name.size ()));
    labels.insert (labels.end (), name.begin (), name.end ());
    labels.push_back (static_cast<char> (value.size () >> 8));
    labels.push_back (static_cast<char> (value.size () & 0xFF));
    labels.insert (labels.end (), value.begin (), value.end ());
    return true;
}

const char *fault_name (std::uint16_t fault) noexcept
{
    static constexpr std::array names{"none",      "malformed",     "version",   "no-session", "taken",
                                      "not-yours", "not-found",     "endpoint",  "too-many",   "not-allowed",
                                      "closing",   "out-of-memory", "store-lost"};
    return fault < names.size () ? names[fault] : "unknown";
}

const char *removal_name (std::uint16_t why) noexcept
{
    static constexpr std::array names{"unknown", "unregistered", "expired", "lost", "forced"};
    return why < names.size () ? names[why] : "unknown";
}

}  // namespace zlink::wire
