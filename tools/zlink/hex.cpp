#include "tools/zlink/hex.hpp"

namespace zlink::tool {

namespace {

int digit_of (char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    const int lower = letter | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

bool from_hex (std::string_view text, std::string &octets)
{
    octets.clear ();
    for (std::size_t i = 0; i < text.size (); ++i) {
        if (text[i] == ' ')
            continue;
        if (i + 1 == text.size () || digit_of (text[i]) < 0 || digit_of (text[i + 1]) < 0)
            return false;
        octets += static_cast<char> (digit_of (text[i]) * 16 + digit_of (text[i + 1]));
        ++i;
    }
    return true;
}

std::string to_hex (std::string_view octets)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char each : octets) {
        const auto octet = static_cast<unsigned char> (each);
        text += digits[octet / 16];
        text += digits[octet % 16];
    }
    return text;
}

}  // namespace zlink::tool
