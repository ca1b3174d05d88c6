// A table of calls that must be refused: which function, what is wrong with
// its arguments, which errno says so. A function that no row names fails the
// test of its header.
//
// Rows are made by what is wrong: a socket handle that is none (NULL, closed,
// of another kind, foreign memory), a context that is none, and so on.
#pragma once

#include <array>
#include <cerrno>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::test {

// How the functions say that they failed.
[[nodiscard]] inline bool refused (int outcome) { return outcome == -1; }
[[nodiscard]] inline bool refused (long outcome) { return outcome == -1; }
[[nodiscard]] inline bool refused (const void *outcome) { return outcome == nullptr; }
[[nodiscard]] inline bool refused (unsigned long outcome) { return outcome == 0; }
[[nodiscard]] inline bool refused (std::uint32_t outcome) { return outcome == 0; }

struct bad_call
{
    std::string function;
    std::string what;
    std::function<bool ()> is_refused;
    int number;  // errno; 0 = the function has none to tell
};

// A handle that is none of the wanted kind.
struct bad_handle
{
    const char *what;
    void *handle;
};

// Memory that never was a handle, readable and zero.
inline void *foreign_memory ()
{
    alignas (64) static std::array<unsigned char, 256> bytes{};
    return bytes.data ();
}

inline void *misaligned_memory () { return static_cast<unsigned char *> (foreign_memory ()) + 1; }

class bad_calls
{
  public:
    // The functions' names are given without the prefix ("zmq_").
    explicit bad_calls (const char *prefix) : prefix_ (prefix) {}

    // One row.
    template <class Call> void add (const char *function, const char *what, int number, Call call)
    {
        rows_.push_back ({prefix_ + function, what, [call] () mutable { return refused (call ()); }, number});
    }
    // A function that returns nothing, or for which all arguments are right:
    // it has to survive.
    template <class Call> void survives (const char *function, const char *what, Call call)
    {
        rows_.push_back ({prefix_ + function, what,
                          [call] () mutable {
                              call ();
                              return true;
                          },
                          0});
    }
    // A row for each handle that is none.
    template <class Call>
    void each (const std::vector<bad_handle> &handles, const char *function, int number, Call call)
    {
        for (const bad_handle &bad : handles)
            add (function, bad.what, number, [call, bad] () mutable { return call (bad.handle); });
    }
    // Nothing can be wrong with its arguments.
    void harmless (const char *function) { harmless_.insert (prefix_ + function); }

    void run () const
    {
        for (const bad_call &row : rows_) {
            errno = 0;
            EXPECT_TRUE (row.is_refused ()) << row.function << ": " << row.what;
            if (row.number != 0) {
                EXPECT_EQ (errno, row.number) << row.function << ": " << row.what;
            }
        }
    }

    // Every function that the header declares is in the table.
    void cover (const char *header) const
    {
        std::set<std::string> named = harmless_;
        for (const bad_call &row : rows_)
            named.insert (row.function);
        const std::set<std::string> wanted = declared (header);
        EXPECT_FALSE (wanted.empty ()) << header;
        for (const std::string &name : wanted)
            EXPECT_TRUE (named.contains (name)) << name << " is never called with wrong arguments";
        for (const std::string &name : named)
            EXPECT_TRUE (wanted.contains (name)) << name << " is not declared";
    }

  private:
    [[nodiscard]] std::set<std::string> declared (const char *header) const
    {
        std::ifstream file (std::string (ZLINK_TEST_HEADERS "/") + header);
        std::stringstream all;
        all << file.rdbuf ();
        const std::string text = all.str ();
        const std::regex call ("[A-Z]+_EXPORT\\s+[^;(]*?\\b(" + prefix_ + "\\w+)\\s*\\(");
        std::set<std::string> names;
        for (std::sregex_iterator at (text.begin (), text.end (), call), end; at != end; ++at)
            names.insert ((*at)[1]);
        return names;
    }

    const std::string prefix_;
    std::vector<bad_call> rows_;
    std::set<std::string> harmless_;
};

}  // namespace zlink::test
