#include "tools/zlink/settings_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace zlink::tool {

namespace {

// Those that make no sense in a file.
constexpr std::string_view never_in_a_file[] = {"help", "config"};

std::string_view trimmed (std::string_view text)
{
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of (blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr (first, text.find_last_not_of (blanks) - first + 1);
}

class reading
{
  public:
    explicit reading (CLI::App &command) : command_ (command) {}

    // Empty: it is well.
    std::string take (std::string_view line)
    {
        line = trimmed (line);
        if (line.empty () || line.front () == '#')
            return {};
        const std::size_t equals = line.find ('=');
        if (equals == std::string_view::npos)
            return fmt::format ("'{}' is not of the form name = value", line);
        const std::string name (trimmed (line.substr (0, equals)));
        const std::string value (trimmed (line.substr (equals + 1)));
        CLI::Option *const option = find (name);
        if (option == nullptr)
            return fmt::format ("there is no setting '{}' (`zlink {} --help` lists them)", name,
                                command_.get_name ());
        const bool from_words = !seen_.contains (name) && option->count () != 0;
        bool &words_count = seen_.try_emplace (name, from_words).first->second;
        return words_count ? std::string () : give (*option, name, value);
    }

  private:
    CLI::Option *find (const std::string &name) const
    {
        for (const std::string_view each : never_in_a_file)
            if (name == each)
                return nullptr;
        return name.empty () ? nullptr : command_.get_option_no_throw ("--" + name);
    }

    static std::string give (CLI::Option &option, const std::string &name, const std::string &value)
    {
        if (value.empty ())
            return fmt::format ("{} has no value", name);
        if (option.get_items_expected_max () <= 1 && option.count () != 0)
            return fmt::format ("{} is there twice", name);
        try {
            option.add_result (value);
            option.run_callback ();
            return {};
        } catch (const CLI::Error &wrong) {
            return fmt::format ("{}: {}", name, wrong.what ());
        }
    }

    CLI::App &command_;
    std::map<std::string, bool> seen_;  // true: it is on the command line
};

}  // namespace

bool read_settings_file (CLI::App &command, const std::string &path, std::string &why)
{
    std::ifstream from (path);
    if (!from) {
        why = fmt::format ("cannot read {}: {}", path, std::strerror (errno));
        return false;
    }
    reading into (command);
    std::size_t number = 0;
    for (std::string line; std::getline (from, line);) {
        ++number;
        if (const std::string wrong = into.take (line); !wrong.empty ()) {
            why = fmt::format ("{}:{}: {}", path, number, wrong);
            return false;
        }
    }
    if (from.bad ()) {
        why = fmt::format ("cannot read {} behind line {}", path, number);
        return false;
    }
    return true;
}

}  // namespace zlink::tool
