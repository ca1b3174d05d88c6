#include "bench/machine.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include "bench/os.hpp"

namespace zlink::bench {

namespace {

// The value behind the first line that begins with a name; empty: there is none.
std::string value_in (const char *path, const std::string &name, const char *separator)
{
    std::ifstream from (path);
    for (std::string line; std::getline (from, line);) {
        const std::size_t at = line.find (separator);
        if (!line.starts_with (name) || at == std::string::npos)
            continue;
        const std::size_t start = line.find_first_not_of (" \t\"", at + 1);
        const std::size_t end = line.find_last_not_of (" \t\"");
        return start == std::string::npos || end < start ? "" : line.substr (start, end - start + 1);
    }
    return {};
}

std::string kernel ()
{
    utsname found{};
    if (uname (&found) != 0)
        return {};
    return fmt::format ("{} {} {}", found.sysname, found.release, found.machine);
}

}  // namespace

std::vector<fact> machine_facts ()
{
    const auto now = std::chrono::system_clock::to_time_t (std::chrono::system_clock::now ());
    std::vector<fact> facts = {
      {"date", fmt::format ("{:%F %T} UTC", fmt::gmtime (now))},
      {"processor", value_in ("/proc/cpuinfo", "model name", ":")},
      {"processors", fmt::format ("{}", os::processors ().size ())},
      {"memory", value_in ("/proc/meminfo", "MemTotal", ":")},
      {"kernel", kernel ()},
      {"system", value_in ("/etc/os-release", "PRETTY_NAME", "=")},
      {"load at the start", fmt::format ("{:.2f}", os::load_average ())},
    };
    std::erase_if (facts, [] (const fact &each) { return each.second.empty (); });
    return facts;
}

std::string file_facts (const std::string &path)
{
    std::error_code failure;
    const auto size = std::filesystem::file_size (path, failure);
    return failure ? path : fmt::format ("{}, {} bytes", path, size);
}

}  // namespace zlink::bench
