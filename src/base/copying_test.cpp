#include "base/copying.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

constexpr std::size_t page_bytes = 4'096;
constexpr unsigned char untouched = 0xee;

// Two pages each, from the beginning of a page on.
struct places
{
    places () : memory_ (8 * page_bytes, untouched)
    {
        const auto begin = reinterpret_cast<std::uintptr_t> (memory_.data ());
        from = memory_.data () + (page_bytes - begin % page_bytes) % page_bytes;
        to = from + 4 * page_bytes;
        for (std::size_t i = 0; i < 3 * page_bytes; ++i)
            from[i] = static_cast<unsigned char> (i * 131 + i / 256 + 1);
    }
    // Copied so, and what is in front of it and behind it is as it was.
    template <class Copy = decltype (&copy_octets)>
    [[nodiscard]] bool
    copies (std::size_t at, std::size_t source, std::size_t bytes, Copy copy = &copy_octets)
    {
        constexpr std::size_t beside = 16;
        std::memset (to, untouched, 3 * page_bytes);
        copy (to + beside + at, from + source, bytes);
        bool clean = true;
        for (std::size_t i = 0; i < beside; ++i)
            clean = clean && to[at + i] == untouched && to[beside + at + bytes + i] == untouched;
        return clean && (bytes == 0 || std::memcmp (to + beside + at, from + source, bytes) == 0);
    }

    unsigned char *from;
    unsigned char *to;

  private:
    std::vector<unsigned char> memory_;
};

TEST (copying, is_the_same_wherever_the_places_lie)
{
    places both;
    for (const std::size_t bytes : {0U, 1U, 64U, 2'047U, 2'048U, 2'049U, 4'095U, 4'096U, 4'097U, 6'200U})
        for (std::size_t at = 0; at < 40; ++at)
            for (const std::size_t source : {0U, 1U, 15U, 16U, 17U, 33U})
                ASSERT_TRUE (both.copies (at, source, bytes)) << bytes << ' ' << at << ' ' << source;
}

TEST (copying, is_the_same_for_any_size_where_they_lie_badly)
{
    places both;
    for (std::size_t bytes = 0; bytes < 2 * page_bytes; bytes += bytes < 300 ? 1 : 37)
        ASSERT_TRUE (both.copies (1, 10, bytes)) << bytes;
}

TEST (copying, of_a_few_is_the_same)
{
    places both;
    for (std::size_t bytes = 0; bytes < 100; ++bytes)
        for (const std::size_t at : {0U, 1U, 7U, 8U, 13U})
            ASSERT_TRUE (both.copies (at, 3, bytes, &copy_few_octets)) << bytes << ' ' << at;
}

}  // namespace
}  // namespace zlink::base
