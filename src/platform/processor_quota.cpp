#include "platform/processor_quota.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "platform/descriptor.hpp"

namespace zlink::platform {

namespace {

std::string read_small_file (const std::string &path)
{
    const descriptor file (::open (path.c_str (), O_RDONLY | O_CLOEXEC));
    std::array<char, 4096> buffer;
    const ssize_t got = file.valid () ? ::read (file.get (), buffer.data (), buffer.size ()) : -1;
    return got > 0 ? std::string (buffer.data (), static_cast<std::size_t> (got)) : std::string ();
}

std::optional<double> smaller (std::optional<double> a, std::optional<double> b)
{
    if (a && b)
        return std::min (*a, *b);
    return a ? a : b;
}

std::optional<double> read_v1_quota (const std::string &folder)
{
    const std::string quota = read_small_file (folder + "/cpu.cfs_quota_us");
    const std::string period = read_small_file (folder + "/cpu.cfs_period_us");
    if (quota.empty () || period.empty ())
        return std::nullopt;
    return parse_cpu_max (quota.substr (0, quota.find ('\n')) + " " + period);
}

// The tightest quota on the way from the group up to the root. In a container
// the path may not exist below the mount: then the mount's own root counts.
template <class Read>
std::optional<double> tightest (const std::string &mount, std::string_view group, Read read)
{
    std::optional<double> limit = read (mount);
    std::string path (group);
    while (path.size () > 1) {
        limit = smaller (limit, read (mount + path));
        path.resize (path.rfind ('/') == std::string::npos ? 0 : path.rfind ('/'));
    }
    return limit;
}

}  // namespace

std::optional<double> parse_cpu_max (std::string_view text) noexcept
{
    std::uint64_t quota = 0;
    std::uint64_t period = 0;
    const char *end = text.data () + text.size ();
    const auto first = std::from_chars (text.data (), end, quota);
    if (first.ec != std::errc () || first.ptr == end || *first.ptr != ' ')
        return std::nullopt;
    const auto second = std::from_chars (first.ptr + 1, end, period);
    if (second.ec != std::errc () || quota == 0 || period == 0)
        return std::nullopt;
    return static_cast<double> (quota) / static_cast<double> (period);
}

std::optional<std::string_view> find_group (std::string_view text, std::string_view controller) noexcept
{
    while (!text.empty ()) {
        const std::string_view line = text.substr (0, text.find ('\n'));
        text.remove_prefix (std::min (text.size (), line.size () + 1));
        const auto first = line.find (':');
        const auto second = first == line.npos ? line.npos : line.find (':', first + 1);
        if (second == line.npos)
            continue;
        std::string_view names = line.substr (first + 1, second - first - 1);
        if (controller.empty () && names.empty ())
            return line.substr (second + 1);
        while (!names.empty () && !controller.empty ()) {
            const std::string_view name = names.substr (0, names.find (','));
            if (name == controller)
                return line.substr (second + 1);
            names.remove_prefix (std::min (names.size (), name.size () + 1));
        }
    }
    return std::nullopt;
}

std::optional<double> quota_cores ()
{
    const std::string groups = read_small_file ("/proc/self/cgroup");
    std::optional<double> limit;
    if (const auto group = find_group (groups, ""))
        limit = tightest ("/sys/fs/cgroup", *group, [] (const std::string &folder) {
            return parse_cpu_max (read_small_file (folder + "/cpu.max"));
        });
    if (const auto group = find_group (groups, "cpu"))
        limit = smaller (limit, tightest ("/sys/fs/cgroup/cpu", *group, read_v1_quota));
    return limit;
}

}  // namespace zlink::platform
