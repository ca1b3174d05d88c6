#include "engine/routing_table.hpp"

#include <new>

namespace zlink::engine {

pipe *routing_table::look_up (std::string_view name) noexcept
{
    const auto found = by_name_.find (name);
    if (found == by_name_.end ())
        return nullptr;
    return last_ = found->second;
}

base::result<void> routing_table::add (pipe &which) noexcept
try {
    if (!by_name_.try_emplace (which.name, &which).second)
        return base::errc::address_in_use;
    which.routed = true;
    return {};
} catch (const std::bad_alloc &) {
    return base::errc::no_memory;
}

void routing_table::remove (pipe &which) noexcept
{
    if (!which.routed)
        return;
    which.routed = false;
    if (last_ == &which)
        last_ = nullptr;
    by_name_.erase (which.name);
}

void routing_table::clear () noexcept
{
    by_name_.clear ();
    last_ = nullptr;
}

}  // namespace zlink::engine
