// The verbs that make secrets: keys for CURVE, hashes of passwords for PLAIN.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <termios.h>
#include <unistd.h>
#include <zlink/zlink.h>

#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr std::size_t key_letters = 40;

int refuse (const char *verb, const std::string &why, int code = 1)
{
    std::fprintf (stderr, "zlink %s: %s\n", verb, why.c_str ());
    return code;
}

// What is typed at a terminal is not shown while one of these lives.
class hidden_typing
{
  public:
    hidden_typing () noexcept : is_terminal_ (tcgetattr (STDIN_FILENO, &before_) == 0)
    {
        if (!is_terminal_)
            return;
        termios hidden = before_;
        hidden.c_lflag &= ~static_cast<tcflag_t> (ECHO);
        tcsetattr (STDIN_FILENO, TCSAFLUSH, &hidden);
        std::fputs ("Password: ", stderr);
    }
    ~hidden_typing ()
    {
        if (!is_terminal_)
            return;
        tcsetattr (STDIN_FILENO, TCSAFLUSH, &before_);
        std::fputs ("\n", stderr);
    }
    hidden_typing (const hidden_typing &) = delete;
    hidden_typing &operator= (const hidden_typing &) = delete;

  private:
    termios before_{};
    bool is_terminal_;
};

int print_keys (const std::string &from)
{
    char open[key_letters + 1];
    char secret[key_letters + 1];
    if (from.empty ()) {
        if (zlink_curve_keypair (open, secret) != 0)
            return refuse ("keygen", zlink_strerror (zlink_errno ()));
        std::printf ("public %s\nsecret %s\n", open, secret);
        return 0;
    }
    if (from.size () != key_letters || zlink_curve_public (open, from.c_str ()) != 0)
        return refuse ("keygen", "a secret key has 40 letters, as this command prints them");
    std::printf ("public %s\n", open);
    return 0;
}

int print_password (const std::string &user)
{
    if (user.empty () || user.find (':') != std::string::npos)
        return refuse ("passwd", "a user's name is not empty and has no colon", exit_wrong_call);
    std::string password;
    {
        const hidden_typing here;
        std::getline (std::cin, password);
    }
    if (password.empty ())
        return refuse ("passwd", "no password was given");
    char hash[ZLINK_PASSWORD_HASH_BYTES];
    if (zlink_hash_password (hash, sizeof hash, password.data (), password.size ()) != 0)
        return refuse ("passwd", zlink_strerror (zlink_errno ()));
    std::printf ("%s:%s\n", user.c_str (), hash);
    return 0;
}

}  // namespace

action prepare_keygen (CLI::App &command)
{
    auto from = std::make_shared<std::string> ();
    command.add_option ("--from", *from, "Print the public key of this secret one instead");
    return [from] { return print_keys (*from); };
}

action prepare_passwd (CLI::App &command)
{
    auto user = std::make_shared<std::string> ();
    command.add_option ("user", *user, "Whose password is read from standard input")->required ();
    return [user] { return print_password (*user); };
}

}  // namespace zlink::tool
