// Instead of poll_set, in a minimal library: nothing is kept, every wait looks at
// everything.
// Chosen by src/socket/CMakeLists.txt; contracts and thread rules are those of
// socket/poll_set.hpp.
#include "socket/poll_set.hpp"

#include <new>

#include "socket/facade.hpp"

namespace zlink::socket {

using base::errc;
using base::result;

result<void> poll_set::assign (std::span<const poll_item> items) noexcept
try {
    items_.assign (items.begin (), items.end ());
    return {};
} catch (const std::bad_alloc &) {
    clear ();
    return errc::no_memory;
}

result<std::size_t> poll_set::wait (std::int64_t timeout_ms) noexcept
{
    const result<std::size_t> found = poll (world_, items_, timeout_ms);
    if (found.code () == errc::not_a_socket || found.code () == errc::terminated)
        clear ();
    return found;
}

void poll_set::clear () noexcept { items_.clear (); }
void poll_set::forsake () noexcept { clear (); }

}  // namespace zlink::socket
