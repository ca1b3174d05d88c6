// The hashes were made by the reference program of Argon2 (Debian's argon2).
#include "crypto/password_hash.hpp"

#include <gtest/gtest.h>

namespace zlink::crypto {
namespace {

const std::string of_password =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
const std::string of_other =
  "$argon2i$v=19$m=64,t=3,p=1$c2FsdHNhbHQ$9jtH9eWRKB3SkflUZEviSIQKpivBjJhGBcEv5SuA/kI";

password_answer check (const std::string &hash, std::string_view password)
{
    return check_password (hash, base::as_bytes (password));
}

TEST (password_hash, of_the_reference_program_are_read_and_checked)
{
    password_cost cost;
    ASSERT_TRUE (read_password_cost (of_password, cost));
    EXPECT_EQ (cost.memory_kib, 256u);
    EXPECT_EQ (cost.rounds, 2u);
    ASSERT_TRUE (read_password_cost (of_other, cost));
    EXPECT_EQ (cost.memory_kib, 64u);
    EXPECT_EQ (cost.rounds, 3u);
    EXPECT_EQ (check (of_password, "password"), password_answer::right);
    EXPECT_EQ (check (of_other, "\xC3\xBC b"), password_answer::right);
    for (const char *const wrong : {"", "Password", "password ", "passwor"})
        EXPECT_EQ (check (of_password, wrong), password_answer::wrong) << wrong;
    EXPECT_EQ (check (of_password, std::string_view ("password\0", 9)), password_answer::wrong);
}

TEST (password_hash, texts_that_are_none)
{
    const std::string salt_and_hash = of_password.substr (of_password.find ("$c29"));
    const auto with = [&] (const std::string &front) { return front + salt_and_hash; };
    password_cost cost;
    for (const std::string &each :
         {std::string (), std::string ("password"), std::string ("$6$salt$hash"), of_password + "$",
          of_password + '\0', of_password + std::string (60, 'A'), of_password.substr (0, 40),
          with ("$argon2d$v=19$m=256,t=2,p=1"), with ("$argon2id$v=16$m=256,t=2,p=1"),
          with ("$argon2id$m=256,t=2,p=1"), with ("$argon2id$v=19$m=,t=2,p=1"),
          with ("$argon2id$v=19$m=256,t=2"), with ("$argon2id$v=19$m=256,t=0,p=1"),
          with ("$argon2id$v=19$m=1,t=2,p=1"), with ("$argon2id$v=19$m=1048577,t=2,p=1"),
          with ("$argon2id$v=19$m=256,t=17,p=1"), with ("$argon2id$v=19$m=99999999999,t=2,p=1"),
          with ("$argon2id$v=19$m=-1,t=2,p=1"), with ("$argon2id$v=19$m=256,t=2,p=0")})
        EXPECT_FALSE (read_password_cost (each, cost)) << each;
    EXPECT_TRUE (read_password_cost (with ("$argon2id$v=19$m=1048576,t=16,p=1"), cost));
}

TEST (password_hash, is_made_and_checked)
{
    std::array<std::byte, password_salt_bytes> salt{};
    salt.front () = std::byte{7};
    password_hash made{};
    ASSERT_TRUE (make_password_hash (base::as_bytes ("secret"), salt, {16, 1}, made));
    const std::string text = made.data ();
    EXPECT_TRUE (text.starts_with ("$argon2id$v=19$m=16,t=1,p=1$BwAAAAAAAAAAAAAAAAAAAA$")) << text;
    password_cost cost;
    EXPECT_TRUE (read_password_cost (text, cost));
    EXPECT_EQ (check (text, "secret"), password_answer::right);
    EXPECT_EQ (check (text, "Secret"), password_answer::wrong);
    password_hash again{};
    salt.front () = std::byte{8};
    ASSERT_TRUE (make_password_hash (base::as_bytes ("secret"), salt, {16, 1}, again));
    EXPECT_NE (text, again.data ());
}

TEST (password_hash, has_bounds)
{
    const std::array<std::byte, password_salt_bytes> salt{};
    password_hash made{};
    for (const password_cost &each :
         {password_cost{password_memory_kib_max + 1, 1}, password_cost{16, password_rounds_max + 1},
          password_cost{7, 1}, password_cost{16, 0}})
        EXPECT_FALSE (make_password_hash (base::as_bytes ("secret"), salt, each, made));
}

}  // namespace
}  // namespace zlink::crypto
