#include "engine/routing_table.hpp"

#include <array>
#include <new>
#include <utility>

#include "base/bytes.hpp"

namespace zlink::engine {

pipe *routing_table::look_up (std::string_view name) noexcept
{
    const auto found = by_name_.find (name);
    if (found == by_name_.end ())
        return nullptr;
    return last_ = found->second;
}

pipe *routing_table::look_up (std::uint32_t number) noexcept
{
    std::array<std::byte, 4> octets;
    base::store_u32_be (octets.data (), number);
    return look_up (base::as_text (octets));
}

routing_table::place routing_table::make_place (std::size_t pipes)
{
    by_name_.reserve (pipes);
    table one;
    return one.extract (one.emplace (std::string_view (), nullptr).first);
}

base::result<void> routing_table::add (pipe &which, place &at) noexcept
try {
    if (at.empty ()) {
        if (!by_name_.try_emplace (which.name, &which).second)
            return base::errc::address_in_use;
    } else {
        at.key () = which.name;
        at.mapped () = &which;
        auto put = by_name_.insert (std::move (at));
        at = std::move (put.node);
        if (!put.inserted)
            return base::errc::address_in_use;
    }
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
