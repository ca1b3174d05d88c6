#include "base/glob.hpp"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/test_glob.hpp"

namespace zlink::base {
namespace {

bool fits (std::string_view pattern, std::string_view text)
{
    EXPECT_TRUE (glob_valid (as_bytes (pattern))) << pattern;
    return glob_matches (as_bytes (pattern), as_bytes (text));
}

std::string_view literal (std::string_view pattern)
{
    return pattern.substr (0, glob_literal_bytes (as_bytes (pattern)));
}

TEST (glob, without_signs_is_the_whole_text)
{
    EXPECT_TRUE (fits ("a.b", "a.b"));
    EXPECT_FALSE (fits ("a.b", "a.bc"));
    EXPECT_FALSE (fits ("a.b", "a/b"));
    EXPECT_FALSE (fits ("a.b", "a"));
    EXPECT_TRUE (fits ("", ""));
    EXPECT_FALSE (fits ("", "a"));
}

TEST (glob, stars_stay_in_their_segment)
{
    EXPECT_TRUE (fits ("a.*", "a.b"));
    EXPECT_TRUE (fits ("a.*", "a."));
    EXPECT_FALSE (fits ("a.*", "a"));
    EXPECT_FALSE (fits ("a.*", "a.b.c"));
    EXPECT_TRUE (fits ("*.c", "ab.c"));
    EXPECT_TRUE (fits ("room*-*x", "room12-ab-x"));
    EXPECT_FALSE (fits ("room*-*x", "room12-ab-y"));
    EXPECT_TRUE (fits ("a/*/c", "a/b/c"));
    EXPECT_FALSE (fits ("a/*/c", "a/b.c"));
}

TEST (glob, marks_and_classes_are_one_byte)
{
    EXPECT_TRUE (fits ("a?c", "abc"));
    EXPECT_FALSE (fits ("a?c", "a.c"));
    EXPECT_FALSE (fits ("a?", "a"));
    EXPECT_TRUE (fits ("[a-cx]1", "b1"));
    EXPECT_TRUE (fits ("[a-cx]1", "x1"));
    EXPECT_FALSE (fits ("[a-cx]1", "d1"));
    EXPECT_TRUE (fits ("[!a]", "b"));
    EXPECT_FALSE (fits ("[^a]", "a"));
    EXPECT_FALSE (fits ("[!a]", "."));
    EXPECT_TRUE (fits ("[]]", "]"));
    EXPECT_TRUE (fits ("[a-]", "-"));
    EXPECT_TRUE (fits ("[\xf0-\xff]", "\xf7"));
}

TEST (glob, hashes_are_any_number_of_segments)
{
    for (const char *text : {"a", "a.b", "a.b.c", "a/b.c", "a."})
        EXPECT_TRUE (fits ("a.#", text)) << text;
    EXPECT_FALSE (fits ("a.#", "ab"));
    for (const char *text : {"b", "a.b", "a/a.b", ".b"})
        EXPECT_TRUE (fits ("#.b", text)) << text;
    EXPECT_FALSE (fits ("#.b", "a/b"));
    for (const char *text : {"a.b", "a.x.b", "a.b.b", "a.b.x.b"})
        EXPECT_TRUE (fits ("a.#.b", text)) << text;
    EXPECT_FALSE (fits ("a.#.b", "a.b.c"));
    EXPECT_TRUE (fits ("#", ""));
    EXPECT_TRUE (fits ("#.x*.#", "a.b.xy.c"));
    EXPECT_TRUE (fits ("a#", "a#"));
    EXPECT_FALSE (fits ("\\#", "a"));
}

TEST (glob, escapes_take_the_meaning_away)
{
    EXPECT_TRUE (fits ("\\*\\?\\[\\\\", "*?[\\"));
    EXPECT_FALSE (fits ("\\*", "a"));
}

TEST (glob, that_is_malformed_is_told)
{
    for (const char *pattern : {"[", "[a", "[]", "[!", "[!]", "[z-a]", "a\\", "a\\.b", "[a\\"})
        EXPECT_FALSE (glob_valid (as_bytes (pattern))) << pattern;
    EXPECT_TRUE (glob_valid (as_bytes (std::string (glob_bytes_max, '*'))));
    EXPECT_FALSE (glob_valid (as_bytes (std::string (glob_bytes_max + 1, '*'))));
}

TEST (glob, begins_with_what_stands_for_itself)
{
    EXPECT_EQ (literal ("a.b.c"), "a.b.c");
    EXPECT_EQ (literal ("a.b*"), "a.b");
    EXPECT_EQ (literal ("a.b.*"), "a.b.");
    EXPECT_EQ (literal ("a.b.#"), "a.b");
    EXPECT_EQ (literal ("a.#.b"), "a");
    EXPECT_EQ (literal ("a.#b"), "a.#b");
    EXPECT_EQ (literal ("#"), "");
    EXPECT_EQ (literal ("?"), "");
    EXPECT_EQ (literal ("a[b]"), "a");
}

// What makes others exponential: the steps are bounded by both lengths, so this
// ends at once.
TEST (glob, ends_soon_however_it_is_built)
{
    std::string stars;
    while (stars.size () + 2 <= glob_bytes_max)
        stars += "*a";
    const std::string text (glob_text_bytes_max, 'a');
    EXPECT_FALSE (fits (stars.substr (0, glob_bytes_max - 1) + "b", text));
    std::string hashes;
    while (hashes.size () + 4 <= glob_bytes_max)
        hashes += "#.a.";
    std::string segments;
    while (segments.size () + 2 <= glob_text_bytes_max)
        segments += "a.";
    EXPECT_FALSE (fits (hashes.substr (0, glob_bytes_max - 1) + "b", segments));
    EXPECT_FALSE (fits ("#", std::string (glob_text_bytes_max + 1, 'a')));
}

std::string random_of (std::mt19937 &dice, std::string_view letters, std::size_t most)
{
    std::string made;
    for (std::size_t size = dice () % (most + 1); size > 0; --size)
        made += letters[dice () % letters.size ()];
    return made;
}

// The same as the plainest matcher, and what matches begins as said.
TEST (glob, does_what_a_plain_one_would)
{
    std::mt19937 dice (11);
    int matched = 0;
    for (int i = 0; i < 200'000; ++i) {
        const std::string pattern = random_of (dice, "ab.*?#/[]-!\\ab.*#", 9);
        const std::string text = random_of (dice, "ab.a/b#*", 7);
        if (!glob_valid (as_bytes (pattern)))
            continue;
        const bool found = fits (pattern, text);
        ASSERT_EQ (found, plain_glob::matches (pattern, text)) << pattern << "  " << text;
        matched += found;
        if (found) {
            ASSERT_TRUE (text.starts_with (literal (pattern))) << pattern << "  " << text;
        }
    }
    EXPECT_GT (matched, 1'000);
}

}  // namespace
}  // namespace zlink::base
