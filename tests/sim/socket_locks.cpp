#include "sim/socket_locks.hpp"

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "engine/socket_core.hpp"
#include "sim/revealed.hpp"
#include "socket/handles.hpp"

namespace zlink::sim {

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

engine::socket_core *slot_of (void *socket) noexcept
{
    const socket::handle_record *const record = socket::find_handle (socket, socket::handle_kind::socket);
    return record == nullptr ? nullptr : static_cast<engine::socket_core *> (record->target.load ());
}

const base::atomic<std::uint32_t> &lock_word_of (const engine::socket_core &slot) noexcept
{
    return (slot.*reveal (lock_of_socket{})).*reveal (word_of_lock{});
}

const base::atomic<std::uint32_t> *lock_word_of (void *socket) noexcept
{
    const engine::socket_core *const slot = slot_of (socket);
    return slot == nullptr ? nullptr : &lock_word_of (*slot);
}

}  // namespace zlink::sim
