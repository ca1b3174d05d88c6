#include "base/z85.hpp"

#include <array>

#include "base/bytes.hpp"

namespace zlink::base {

namespace {

constexpr std::string_view alphabet =
  "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr std::uint32_t base_number = 85;
static_assert (alphabet.size () == base_number);

constexpr std::uint8_t foreign = 255;

constexpr std::array<std::uint8_t, 256> digits = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill (foreign);
    for (std::size_t i = 0; i < alphabet.size (); ++i)
        table[static_cast<unsigned char> (alphabet[i])] = static_cast<std::uint8_t> (i);
    return table;
}();

}  // namespace

bool z85_encode (char *to, const std::uint8_t *data, std::size_t size) noexcept
{
    if (size % 4 != 0)
        return false;
    for (std::size_t at = 0; at < size; at += 4) {
        std::uint32_t value = load_u32_be (reinterpret_cast<const std::byte *> (data + at));
        for (int i = 4; i >= 0; --i) {
            to[i] = alphabet[value % base_number];
            value /= base_number;
        }
        to += 5;
    }
    *to = '\0';
    return true;
}

bool z85_decode (std::uint8_t *to, std::string_view text) noexcept
{
    if (text.size () % 5 != 0)
        return false;
    for (std::size_t at = 0; at < text.size (); at += 5) {
        std::uint64_t value = 0;
        for (const char letter : text.substr (at, 5)) {
            const std::uint8_t digit = digits[static_cast<unsigned char> (letter)];
            if (digit == foreign)
                return false;
            value = value * base_number + digit;
        }
        if (value > UINT32_MAX)
            return false;
        store_u32_be (reinterpret_cast<std::byte *> (to), static_cast<std::uint32_t> (value));
        to += 4;
    }
    return true;
}

}  // namespace zlink::base
