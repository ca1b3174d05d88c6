#include "tools/zlink/registry_snapshot.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/fnv.hpp"
#include "tools/zlink/hex.hpp"

namespace zlink::tool {

namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr mode_t file_mode = 0640;

std::string line_of (const json &what)
{
    return what.dump (-1, ' ', true, json::error_handler_t::replace) + '\n';
}

bool read_provider (const json &from, seen_provider &to)
{
    to.type = from.at ("type").get<std::uint16_t> ();
    to.service = from.at ("service").get<std::string> ();
    to.endpoint = from.at ("endpoint").get<std::string> ();
    to.host = from.at ("host").get<std::string> ();
    to.zone = from.at ("zone").get<std::string> ();
    to.weight = from.at ("weight").get<std::uint32_t> ();
    to.instance = from.at ("instance").get<std::uint64_t> ();
    to.registered_at = from.at ("registered_at").get<std::uint64_t> ();
    return from_hex (from.at ("labels").get<std::string> (), to.labels);
}

// Reads lines of a text, and knows how much of it is behind them.
struct cursor
{
    std::string_view text;
    std::size_t at = 0;
    std::size_t number = 0;

    // False: there is no whole line any more.
    bool next (std::string_view &line)
    {
        const std::size_t end = text.find ('\n', at);
        if (end == std::string_view::npos)
            return false;
        line = text.substr (at, end - at);
        at = end + 1;
        ++number;
        return true;
    }
};

// Empty: it is whole.
std::string judge_end (const json &end, const cursor &from, std::size_t begun, std::size_t providers)
{
    if (end.at ("end").get<std::uint64_t> () != providers)
        return fmt::format ("says that there are {} providers, and there are {}",
                            end.at ("end").get<std::uint64_t> (), providers);
    if (end.at ("sum").get<std::string> ()
        != fmt::format ("{:016x}", base::fnv1a (from.text.substr (0, begun))))
        return "has another check sum than what precedes it";
    return from.at == from.text.size () ? "" : "is the end, and there is more behind it";
}

// Empty: it is well.
std::string read_line (
  std::string_view line, cursor &from, std::size_t begun, std::vector<seen_provider> &all, bool &ended)
try {
    const json what = json::parse (line);
    if (from.number == 1) {
        if (what.at ("zlink") != "registry-snapshot" || what.at ("version") != version)
            return "is not the head of a snapshot that this program can read";
        return {};
    }
    if (what.contains ("end")) {
        ended = true;
        return judge_end (what, from, begun, all.size ());
    }
    return read_provider (what, all.emplace_back ()) ? "" : "has labels that are not hexadecimal";
} catch (const json::exception &wrong) {
    return fmt::format ("is not what a snapshot has there: {}", wrong.what ());
}

}  // namespace

std::string snapshot_of (const std::vector<seen_provider> &all)
{
    std::string made = line_of ({{"zlink", "registry-snapshot"}, {"version", version}});
    for (const seen_provider &each : all)
        made += line_of ({{"type", each.type},
                          {"service", each.service},
                          {"endpoint", each.endpoint},
                          {"host", each.host},
                          {"zone", each.zone},
                          {"weight", each.weight},
                          {"instance", each.instance},
                          {"registered_at", each.registered_at},
                          {"labels", to_hex (each.labels)}});
    return made + line_of ({{"end", all.size ()}, {"sum", fmt::format ("{:016x}", base::fnv1a (made))}});
}

bool read_snapshot (const std::string &text, std::vector<seen_provider> &all, std::string &why)
{
    all.clear ();
    why.clear ();
    cursor from{text};
    bool ended = false;
    std::size_t begun = 0;
    for (std::string_view line; !ended && why.empty () && from.next (line); begun = from.at)
        why = read_line (line, from, begun, all, ended);
    if (!why.empty ())
        why = fmt::format ("line {} {}", from.number, why);
    else if (!ended)
        why = fmt::format ("it ends behind line {}, without its last line", from.number);
    if (!why.empty ())
        all.clear ();
    return why.empty ();
}

// --- files ---

namespace {

std::string failed (const char *what, const std::string &path)
{
    return fmt::format ("cannot {} {}: {}", what, path, std::strerror (errno));
}

// Empty: all of it is with the disk.
std::string write_new (const std::string &path, const std::string &text)
{
    const int file = open (path.c_str (), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, file_mode);
    if (file < 0)
        return failed ("write", path);
    std::string why;
    for (std::size_t done = 0; done < text.size () && why.empty ();) {
        const auto written = write (file, text.data () + done, text.size () - done);
        if (written >= 0)
            done += static_cast<std::size_t> (written);
        else if (errno != EINTR)
            why = failed ("write", path);
    }
    if (why.empty () && fsync (file) != 0)
        why = failed ("sync", path);
    if (close (file) != 0 && why.empty ())
        why = failed ("close", path);
    return why;
}

std::string sync_folder_of (const std::string &path)
{
    std::string folder = std::filesystem::path (path).parent_path ();
    if (folder.empty ())
        folder = ".";
    const int file = open (folder.c_str (), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return failed ("open", folder);
    const std::string why = fsync (file) == 0 ? "" : failed ("sync", folder);
    close (file);
    return why;
}

}  // namespace

bool write_durably (const std::string &path, const std::string &text, std::string &why)
{
    const std::string fresh = path + ".new";
    why = write_new (fresh, text);
    if (why.empty () && rename (fresh.c_str (), path.c_str ()) != 0)
        why = failed ("replace", path);
    if (why.empty ())
        why = sync_folder_of (path);
    return why.empty ();
}

file_found read_whole (const std::string &path, std::string &text, std::string &why)
{
    std::error_code failure;
    const auto status = std::filesystem::status (path, failure);
    if (status.type () == std::filesystem::file_type::not_found)
        return file_found::absent;
    std::ifstream from (path, std::ios::binary);
    if (std::filesystem::is_directory (status))
        errno = EISDIR;
    else if (from) {
        text.assign (std::istreambuf_iterator<char> (from), {});
        if (!from.bad ())
            return file_found::there;
    }
    why = failed ("read", path);
    return file_found::unreadable;
}

}  // namespace zlink::tool
