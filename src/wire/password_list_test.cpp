#include "wire/password_list.hpp"

#include <gtest/gtest.h>

namespace zlink::wire {
namespace {

using crypto::password_answer;

// Of "password", by the reference program of Argon2.
const std::string hash =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

std::unique_ptr<const password_list> read (std::string_view text)
{
    std::size_t bad_line = 0;
    auto made = password_list::read (text, bad_line);
    EXPECT_NE (made, nullptr) << bad_line;
    return made;
}

password_answer check (const password_list &by, std::string_view name, std::string_view password)
{
    return by.check (name, base::as_bytes (password));
}

TEST (password_list, says_whose_password_it_is)
{
    const std::string longest (255, 'n');
    const auto list =
      read ("# who may come\r\n\njoe:" + hash + "\r\na:b c:" + hash + "\n" + longest + ":" + hash);
    ASSERT_NE (list, nullptr);
    for (const std::string &name : {std::string ("joe"), std::string ("a:b c"), longest}) {
        EXPECT_EQ (check (*list, name, "password"), password_answer::right) << name;
        EXPECT_EQ (check (*list, name, "other"), password_answer::wrong) << name;
    }
    for (const char *const name : {"", "jo", "joe ", "Joe", "# who may come", "a"})
        EXPECT_EQ (check (*list, name, "password"), password_answer::wrong) << name;
}

TEST (password_list, is_told_from_a_path)
{
    for (const char *const path : {"/etc/passwords", "passwords", "./a b"})
        EXPECT_TRUE (password_list::is_path (path)) << path;
    for (const char *const list : {"", "joe:password", "# nobody", "\n", "joe\njim", "/etc:x", "joe\r"})
        EXPECT_FALSE (password_list::is_path (list)) << list;
}

TEST (password_list, without_lines_lets_nobody_in)
{
    for (const char *const text : {"", "\n", "# nobody", "\r\n\r\n#"}) {
        const auto list = read (text);
        ASSERT_NE (list, nullptr);
        EXPECT_EQ (check (*list, "", ""), password_answer::wrong);
        EXPECT_EQ (check (*list, "joe", "password"), password_answer::wrong);
    }
}

TEST (password_list, names_the_line_that_is_wrong)
{
    for (const std::string &wrong :
         {std::string ("joe"), std::string (":") + hash, std::string ("joe:"), "joe: " + hash,
          "joe:" + hash + " ", std::string (256, 'n') + ":" + hash, std::string (" # remark"), "ann:" + hash,
          std::string ("joe:password")}) {
        std::size_t bad_line = 0;
        EXPECT_EQ (password_list::read ("# list\nann:" + hash + "\n" + wrong + "\nbob:" + hash, bad_line),
                   nullptr)
          << wrong;
        EXPECT_EQ (bad_line, 3u) << wrong;
    }
}

}  // namespace
}  // namespace zlink::wire
