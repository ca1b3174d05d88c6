// rules_planted [--break RULE] WORDS...: the conformance tests over one
// transport, with that rule broken. WORDS are GoogleTest's.
// Ends with the first failure: what a broken library does after it says nothing.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include <gtest/gtest.h>

namespace {

class end_at_once : public testing::EmptyTestEventListener
{
    void OnTestPartResult (const testing::TestPartResult &found) override
    {
        if (!found.failed ())
            return;
        std::printf ("%s:%d: %s\n", found.file_name (), found.line_number (), found.summary ());
        std::fflush (stdout);
        ::_exit (1);
    }
};

}  // namespace

int main (int count, char **words)
{
    testing::InitGoogleTest (&count, words);
    if (count == 3 && std::strcmp (words[1], "--break") == 0) {
        zlink::planted_rule = words[2];
    } else if (count != 1) {
        std::fprintf (stderr, "rules_planted [--break RULE], and GoogleTest's words\n");
        return 2;
    }
    testing::UnitTest::GetInstance ()->listeners ().Append (new end_at_once);
    return RUN_ALL_TESTS ();
}
