// A folder with an authority, a server's certificate and clients', to try TLS with.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/zlink/certificates.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr mode_t secret_mode = 0600;
constexpr mode_t open_mode = 0644;
constexpr const char *authority_name = "ca";
constexpr const char *server_name = "server";

struct cert_wish
{
    std::string directory;
    std::vector<std::string> hosts;
    std::vector<std::string> clients;
    int days = 365;
    bool replaces = false;
};

[[noreturn]] void give_up (const std::string &what)
{
    throw stop{exit_failed, what + ": " + std::strerror (errno)};
}

class folder
{
  public:
    explicit folder (const cert_wish &wish) : wish_ (wish)
    {
        std::error_code failure;
        std::filesystem::create_directories (wish.directory, failure);
        if (failure)
            throw stop{exit_failed, "cannot make " + wish.directory + ": " + failure.message ()};
    }

    [[nodiscard]] bool has (const std::string &name) const
    {
        return std::filesystem::exists (path_of (name, ".pem"))
               || std::filesystem::exists (path_of (name, ".key"));
    }
    [[nodiscard]] credential read (const std::string &name) const
    {
        return {content_of (path_of (name, ".pem")), content_of (path_of (name, ".key"))};
    }
    // The key is nobody else's from its first byte on.
    void write (const std::string &name, const credential &what) const
    {
        write_file (path_of (name, ".key"), what.key, secret_mode);
        write_file (path_of (name, ".pem"), what.certificate, open_mode);
        std::printf ("%s\n%s\n", path_of (name, ".pem").c_str (), path_of (name, ".key").c_str ());
    }

  private:
    [[nodiscard]] std::string path_of (const std::string &name, const char *ending) const
    {
        return wish_.directory + "/" + name + ending;
    }
    static std::string content_of (const std::string &path)
    {
        std::ifstream from (path, std::ios::binary);
        if (!from)
            give_up ("cannot read " + path);
        return {std::istreambuf_iterator<char> (from), {}};
    }
    static void write_file (const std::string &path, const std::string &text, mode_t mode)
    {
        if (unlink (path.c_str ()) != 0 && errno != ENOENT)
            give_up ("cannot replace " + path);
        const int file = open (path.c_str (), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (file < 0)
            give_up ("cannot write " + path);
        const auto written = ::write (file, text.data (), text.size ());
        if (close (file) != 0 || written != static_cast<ssize_t> (text.size ()))
            give_up ("cannot write all of " + path);
    }

    const cert_wish &wish_;
};

credential authority_in (const folder &where, const cert_wish &wish)
{
    if (where.has (authority_name))
        return where.read (authority_name);
    std::string why;
    const std::optional<credential> made = make_authority ({"zlink test authority", {}, wish.days}, why);
    if (!made)
        throw stop{exit_failed, "cannot make the authority: " + why};
    where.write (authority_name, *made);
    return *made;
}

void make_one (const folder &where, const credential &authority, const certificate_wish &wish)
{
    std::string why;
    const std::optional<credential> made = make_certificate (authority, wish, why);
    if (!made)
        throw stop{exit_failed, "cannot make the certificate of " + wish.name + ": " + why};
    where.write (wish.name, *made);
}

// Before anything is written.
void check (const cert_wish &wish)
{
    for (const std::string &each : wish.hosts)
        if (!may_be_host (each))
            throw stop{exit_wrong_call, "--host '" + each + "' is neither a name nor an address"};
    for (const std::string &each : wish.clients) {
        const bool is_taken = each == authority_name || each == server_name;
        if (is_taken || each.find (':') != std::string::npos || !may_be_host (each) || each[0] == '.')
            throw stop{exit_wrong_call,
                       "--client '" + each
                         + "' is no name for a file of its own: letters, digits, dots and dashes, "
                           "and neither ca nor server"};
    }
}

int make_all (const cert_wish &wish)
{
    check (wish);
    const folder where (wish);
    std::vector<certificate_wish> wanted{
      {server_name,
       wish.hosts.empty () ? std::vector<std::string>{"localhost", "127.0.0.1", "::1"} : wish.hosts,
       wish.days}};
    for (const std::string &each : wish.clients)
        wanted.push_back ({each, {}, wish.days});
    for (const certificate_wish &each : wanted)
        if (!wish.replaces && where.has (each.name))
            throw stop{exit_failed, wish.directory + " has a certificate of " + each.name
                                      + " already; --replace makes another"};
    const credential authority = authority_in (where, wish);
    for (const certificate_wish &each : wanted)
        make_one (where, authority, each);
    return exit_done;
}

}  // namespace

action prepare_cert (CLI::App &command)
{
    constexpr int days_max = 36500;
    auto wish = std::make_shared<cert_wish> ();
    command
      .add_option ("directory", wish->directory, "Where to: ca.pem, server.pem and their like, with .key")
      ->required ();
    command
      .add_option ("--host", wish->hosts,
                   "A name or address that the server has (localhost, 127.0.0.1 and ::1); may be repeated")
      ->allow_extra_args (false);
    command.add_option ("--client", wish->clients, "Also a client's, of this name; may be repeated")
      ->allow_extra_args (false);
    command.add_option ("--days", wish->days, "How long they are good (365)")
      ->check (CLI::Range (1, days_max));
    command.add_flag ("--replace", wish->replaces, "Make anew what is there but the authority");
    command.footer (
      "An authority that is in the directory signs again. For tests and small networks: its key\n"
      "lies beside what it signs. The names of the files are values of TLS_CERT, TLS_KEY and TLS_CA.");
    return [wish] {
        try {
            return make_all (*wish);
        } catch (const stop &why) {
            return say_why ("cert", why);
        }
    };
}

}  // namespace zlink::tool
