// Structs that are written and read as fields of services (service_fields.hpp), by
// a table: each row names a tag and the member that its value goes to.
//
// Which of the rows a message may have, and which it must, are masks of row
// numbers. A tag in no row, or in one that the message does not have, is passed
// over; one that comes twice, or has a value that does not fit, is malformed.
// Pure; text members borrow from what was read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/service_fields.hpp"

namespace zlink::wire {

// All tags: one space for both protocols. A number is never used again.
enum service_tag : std::uint16_t
{
    tag_request = 1,
    tag_incarnation = 2,
    tag_revision = 3,
    tag_since = 4,
    tag_instance = 5,
    tag_token = 6,
    tag_lease = 7,
    tag_renew = 8,
    tag_family = 9,
    tag_service = 10,
    tag_endpoint = 11,
    tag_fault = 12,
    tag_text = 13,
    tag_provider = 14,
    tag_removed = 15,
    tag_weight = 16,
    tag_version = 17,
    tag_registered_at = 18,
    tag_host = 19,
    tag_zone = 20,
    tag_labels = 21,
    tag_why = 22,
    tag_other = 23,
    tag_key = 32,
    tag_traceparent = 33,
    tag_tracestate = 34,
    tag_detail = 35,
    tag_load = 36,
    tag_retry_after = 37,
    tag_hops = 38,
};

// What texts of both protocols may be.
inline bool fits_name (std::string_view text) noexcept
{
    return is_service_text (text, service_name_bytes_max);
}
inline bool fits_some_name (std::string_view text) noexcept { return !text.empty () && fits_name (text); }
inline bool fits_text (std::string_view text) noexcept
{
    return is_service_text (text, service_text_bytes_max);
}
inline bool fits_place (std::string_view text) noexcept
{
    return is_service_text (text, service_place_bytes_max);
}

// A topic may be any octets but 0.
inline bool fits_topic (std::string_view text) noexcept
{
    return !text.empty () && text.size () <= service_name_bytes_max && text.find ('\0') == text.npos;
}

// One of the members, the others null.
template <class T> struct field_row
{
    std::uint16_t tag = 0;
    std::uint64_t T::*number_64 = nullptr;
    std::uint32_t T::*number_32 = nullptr;
    std::uint16_t T::*number_16 = nullptr;
    std::string_view T::*text = nullptr;
    bool (*fits) (std::string_view text) noexcept = nullptr;  // of a text
};

using row_mask = std::uint32_t;
[[nodiscard]] constexpr row_mask row_bit (std::size_t row) noexcept { return row_mask{1} << row; }

template <class T> [[nodiscard]] bool take_value (const field_row<T> &row, bytes_view value, T &into) noexcept
{
    if (row.number_64 != nullptr)
        return read_number (value, into.*row.number_64);
    if (row.number_32 != nullptr)
        return read_number (value, into.*row.number_32);
    if (row.number_16 != nullptr)
        return read_number (value, into.*row.number_16);
    into.*row.text = base::as_text (value);
    return row.fits (into.*row.text);
}

// Reads what there is of the rows in `may`; other fields are left to the caller's
// eyes by being passed over. False: malformed, or one of `must` is missing.
template <class T>
[[nodiscard]] bool read_rows (
  std::span<const field_row<T>> rows, row_mask may, row_mask must, bytes_view bytes, T &into) noexcept
{
    row_mask seen = 0;
    service_field field;
    service_field_reader fields (bytes);
    while (fields.next (field)) {
        for (row_mask left = may; left != 0; left &= left - 1) {
            const auto i = static_cast<std::size_t> (std::countr_zero (left));
            if (rows[i].tag != field.tag)
                continue;
            if ((seen & row_bit (i)) != 0 || !take_value (rows[i], field.value, into))
                return false;
            seen |= row_bit (i);
        }
    }
    return !fields.malformed () && (must & ~seen) == 0;
}

// Appends one member, unless it is empty and need not be there.
template <class T>
void write_value (const field_row<T> &row, bool wanted, const T &from, std::vector<std::byte> &out)
{
    const auto append_number = [&] (auto number) {
        if (wanted || number != 0)
            append_number_field (out, row.tag, number);
    };
    if (row.text != nullptr) {
        if (wanted || !(from.*row.text).empty ())
            append_field (out, row.tag, base::as_bytes (from.*row.text));
    } else if (row.number_64 != nullptr) {
        append_number (from.*row.number_64);
    } else if (row.number_32 != nullptr) {
        append_number (from.*row.number_32);
    } else {
        append_number (from.*row.number_16);
    }
}

// Appends the rows of `must`, and those of `may` that are neither zero nor empty.
// May throw std::bad_alloc, with a part of them appended.
template <class T>
void write_rows (
  std::span<const field_row<T>> rows, row_mask may, row_mask must, const T &from, std::vector<std::byte> &out)
{
    for (row_mask left = may | must; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t> (std::countr_zero (left));
        write_value (rows[i], (must & row_bit (i)) != 0, from, out);
    }
}

}  // namespace zlink::wire
