#include "wire/password_list.hpp"

#include <algorithm>
#include <utility>

namespace zlink::wire {

using crypto::password_answer;

namespace {

constexpr std::size_t user_name_bytes_max = 255;

}  // namespace

bool password_list::is_path (std::string_view text) noexcept
{
    return !text.empty () && !text.starts_with ('#') && text.find_first_of (":\r\n") == text.npos;
}

std::unique_ptr<const password_list> password_list::read (std::string_view text, std::size_t &bad_line)
{
    auto made = std::make_unique<password_list> ();
    for (bad_line = 1; !text.empty (); ++bad_line) {
        const std::size_t end = std::min (text.find ('\n'), text.size ());
        std::string_view line = text.substr (0, end);
        text.remove_prefix (std::min (end + 1, text.size ()));
        if (line.ends_with ('\r'))
            line.remove_suffix (1);
        if (!line.empty () && !line.starts_with ('#') && !made->take_line (line))
            return nullptr;
    }
    return made;
}

bool password_list::take_line (std::string_view line)
{
    const std::size_t colon = line.rfind (':');
    if (colon == std::string_view::npos || colon == 0 || colon > user_name_bytes_max)
        return false;
    std::string hash (line.substr (colon + 1));
    crypto::password_cost cost;
    if (!crypto::read_password_cost (hash, cost))
        return false;
    if (const std::uint64_t each = std::uint64_t{cost.memory_kib} * cost.rounds; each >= slowest_cost_) {
        slowest_cost_ = each;
        slowest_ = hash;
    }
    return hashes_.emplace (line.substr (0, colon), std::move (hash)).second;
}

password_answer password_list::check (std::string_view name, base::bytes_view password) const
{
    if (const auto known = hashes_.find (name); known != hashes_.end ())
        return crypto::check_password (known->second, password);
    if (!hashes_.empty () && crypto::check_password (slowest_, password) == password_answer::not_now)
        return password_answer::not_now;
    return password_answer::wrong;
}

}  // namespace zlink::wire
