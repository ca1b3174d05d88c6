// The table of what the scenarios call is the facade's.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "sim/coverage.hpp"

namespace zlink::sim {

namespace {

// Without comments and without what stands in braces inside the namespace.
std::string declarations_of (std::istream &header)
{
    std::string text;
    int depth = 0;
    for (std::string line; std::getline (header, line);) {
        line = line.substr (0, line.find ("//"));
        if (line.starts_with ("#"))
            continue;
        for (const char each : line + " ") {
            depth += each == '{' ? 1 : each == '}' ? -1 : 0;
            if (depth == 1 && each != '{' && each != '}')
                text += each;
        }
    }
    return text;
}

// How often each function is declared.
std::map<std::string, int> functions_of (const std::string &declarations)
{
    std::map<std::string, int> found;
    std::istringstream rest (declarations);
    const std::regex name_before_bracket ("([a-z_]+) ?\\(");
    for (std::string each; std::getline (rest, each, ';');) {
        std::smatch name;
        if (std::regex_search (each, name, name_before_bracket))
            ++found[name[1]];
    }
    return found;
}

TEST (Coverage, KnowsEveryCallOfTheFacade)
{
    std::ifstream header (ZLINK_FACADE_HEADER);
    const std::map<std::string, int> declared = functions_of (declarations_of (header));
    std::map<std::string, int> known;
    for (const std::string_view each : facade_calls)
        ++known[std::string (each.substr (0, each.find (' ')))];
    for (const uncalled &each : facade_exceptions)
        ++known[std::string (each.name)];
    EXPECT_GT (declared.size (), 40u);
    EXPECT_EQ (declared, known)
      << "a function of the facade is neither called by the scenarios nor an exception";
}

TEST (Coverage, ExceptionsHaveReasons)
{
    for (const uncalled &each : facade_exceptions)
        EXPECT_GT (each.why.size (), 20u) << each.name;
}

TEST (Coverage, FindsWhatWasSeenTooRarely)
{
    coverage all;
    for (std::size_t i = 0; i < features; ++i)
        all.saw (i);
    EXPECT_EQ (all.kinds_seen_less_than (1), 0u);
    EXPECT_EQ (all.kinds_seen_less_than (2), features);
    all.saw ("reset");
    EXPECT_EQ (all.kinds_seen_less_than (2), features - 1);
    EXPECT_EQ (all.steps (), facade_calls.size () + faults.size () + 1);
    coverage twice = all;
    twice += all;
    EXPECT_EQ (twice[find_feature ("reset")], 4u);
    EXPECT_NE (twice.text (3).find ("RARE call bind: 2"), std::string::npos);
    EXPECT_NE (twice.text (3).find ("     fault reset: 4"), std::string::npos);
}

}  // namespace

}  // namespace zlink::sim
