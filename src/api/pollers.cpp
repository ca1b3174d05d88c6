#include "api/pollers.hpp"

#include "api/real_world_access.hpp"
#include "api/utility_handle.hpp"

namespace zlink::api {

using base::errc;

namespace {

poller_set *set_of (void *handle) noexcept { return object_of<poller_set> (handle, handle_kind::poller); }

// Runs a change of the set behind a handle.
template <class Change> int changed (void *poller, Change change) noexcept
{
    poller_set *set = set_of (poller);
    if (set == nullptr)
        return failed (errc::bad_address);
    return without_throwing ([&] { return change (*set); });
}

unsigned event_bits_of (short events) { return static_cast<unsigned short> (events); }

}  // namespace

void *poller_new () noexcept
{
    base::world *const process = process_world ();
    auto *made = process == nullptr ? nullptr : new (std::nothrow) poller_set (*process);
    utility_record *record = made == nullptr ? nullptr : open_handle (handle_kind::poller, made);
    if (record == nullptr) {
        delete made;
        return failed_pointer (errc::no_memory);
    }
    return record;
}

int poller_destroy (void **poller) noexcept
{
    auto *ended =
      static_cast<poller_set *> (poller == nullptr ? nullptr : close_handle (*poller, handle_kind::poller));
    if (ended == nullptr)
        return failed (errc::bad_address);
    delete ended;
    *poller = nullptr;
    return 0;
}

int poller_size (void *poller) noexcept
{
    const poller_set *set = set_of (poller);
    return set == nullptr ? failed (errc::bad_address) : static_cast<int> (set->size ());
}

int poller_add_socket (void *poller, void *socket, void *user_data, short events) noexcept
{
    return changed (poller, [&] (poller_set &set) {
        if (!is_socket (socket))
            return failed (errc::not_a_socket);
        return answer (set.add ({socket, base::no_handle}, user_data, event_bits_of (events)));
    });
}

int poller_modify_socket (void *poller, void *socket, short events) noexcept
{
    return changed (poller, [&] (poller_set &set) {
        if (!is_socket (socket))
            return failed (errc::not_a_socket);
        return answer (set.modify ({socket, base::no_handle}, event_bits_of (events)));
    });
}

int poller_remove_socket (void *poller, void *socket) noexcept
{
    return changed (poller, [&] (poller_set &set) {
        if (socket == nullptr)
            return failed (errc::not_a_socket);
        const base::result<void> removed = set.remove ({socket, base::no_handle});
        return removed || is_socket (socket) ? answer (removed) : failed (errc::not_a_socket);
    });
}

int poller_add_handle (void *poller, base::io_handle handle, void *user_data, short events) noexcept
{
    return changed (poller, [&] (poller_set &set) {
        if (handle == base::no_handle)
            return failed_descriptor ();
        return answer (set.add ({nullptr, handle}, user_data, event_bits_of (events)));
    });
}

int poller_modify_handle (void *poller, base::io_handle handle, short events) noexcept
{
    return changed (poller, [&] (poller_set &set) {
        if (handle == base::no_handle)
            return failed_descriptor ();
        return answer (set.modify ({nullptr, handle}, event_bits_of (events)));
    });
}

int poller_remove_handle (void *poller, base::io_handle handle) noexcept
{
    return changed (poller, [&] (poller_set &set) {
        if (handle == base::no_handle)
            return failed_descriptor ();
        return answer (set.remove ({nullptr, handle}));
    });
}

int poller_wait (void *poller, std::span<ready_event> events, long timeout_ms) noexcept
{
    poller_set *set = set_of (poller);
    if (set == nullptr)
        return failed (errc::bad_address);
    const base::result<std::size_t> ready = set->wait (events, timeout_ms);
    if (!ready)
        return failed (ready.failure ());
    return ready.value () == 0 ? failed (errc::would_block) : static_cast<int> (ready.value ());
}

base::io_handle poller_descriptor (void *poller) noexcept
{
    base::io_handle found = base::no_handle;
    (void)changed (poller, [&found] (poller_set &set) {
        const base::result<base::io_handle> made = set.descriptor ();
        if (!made)
            return failed (made.failure ());
        found = made.value ();
        return 0;
    });
    return found;
}

}  // namespace zlink::api
