#include "tools/zlink/manual.hpp"

#include <gtest/gtest.h>

namespace zlink::tool {
namespace {

TEST (manual, has_a_page_of_every_verb)
{
    const auto verbs = describe_command_line ();
    const std::string all = manual_of_all (verbs);
    ASSERT_GT (verbs.size (), 20u);
    for (const described_verb &each : verbs) {
        EXPECT_NE (all.find ("\\fB" + each.name + "\\fR\n"), std::string::npos) << each.name;
        EXPECT_EQ (manual_of (each).find (".TH ZLINK\\-"), 0u) << each.name;
    }
    EXPECT_EQ (all.find ("bench\\-worker"), std::string::npos) << "a hidden verb";
}

TEST (manual, names_every_option)
{
    const std::string page = manual_of ({"say",
                                         "Say it",
                                         "more",
                                         {{{"-a", "--all-of-it"}, "", false, false, false, "All of it", {}},
                                          {{"--how"}, "", true, false, false, "How", {"loud", "not"}},
                                          {{}, "what", true, true, true, "What", {}}}});
    EXPECT_NE (page.find ("[\\fIOPTION\\fR ...] \\fIwhat\\fR ...\n"), std::string::npos) << page;
    EXPECT_NE (page.find (".TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\-of\\-it\\fR\nAll of it.\n"), std::string::npos);
    EXPECT_NE (page.find (".TP\n\\fB\\-\\-how\\fR \\fIloud|not\\fR\nHow.\n"), std::string::npos) << page;
    EXPECT_NE (page.find (".SH NOTES\n.nf\nmore\n.fi\n"), std::string::npos) << page;
}

// A line that begins with a dot, a quotation mark or a backslash is a request to roff.
TEST (manual, text_stays_text)
{
    const std::string page = manual_of ({"say", "Say it", ".so x\n'br\n\\fB", {}});
    EXPECT_NE (page.find ("\n\\&.so x\n\\&'br\n\\efB\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace zlink::tool
