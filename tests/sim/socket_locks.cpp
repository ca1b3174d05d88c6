#include "sim/socket_locks.hpp"

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "engine/socket_core.hpp"
#include "socket/handles.hpp"

namespace zlink::sim {

namespace {

// Access rules do not hold for the arguments of an explicit instantiation:
// the language's own way for a test to look inside.
template <class Tag, auto Member> struct revealed
{
    friend constexpr auto reveal (Tag) noexcept { return Member; }
};

struct lock_of_socket
{
    friend constexpr auto reveal (lock_of_socket) noexcept;
};
template struct revealed<lock_of_socket, &engine::socket_core::lock_>;

struct word_of_lock
{
    friend constexpr auto reveal (word_of_lock) noexcept;
};
template struct revealed<word_of_lock, &base::exchange_lock::word_>;

}  // namespace

const base::atomic<std::uint32_t> *lock_word_of (void *socket) noexcept
{
    const socket::handle_record *const record = socket::find_handle (socket, socket::handle_kind::socket);
    if (record == nullptr)
        return nullptr;
    auto *const slot = static_cast<engine::socket_core *> (record->target.load ());
    return &((slot->*reveal (lock_of_socket{})).*reveal (word_of_lock{}));
}

}  // namespace zlink::sim
