// What stands behind the handles of SPOT that both of its files work on: a node with all
// that belongs to it, and a publisher.
//
// Thread rule: any thread. Blocking: a node's close(), as those of what it holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/service_handles.hpp"
#include "api/texts.hpp"
#include "service/registration.hpp"
#include "service/spot_node.hpp"
#include "service/spot_partitions.hpp"
#include "service/waiting_lock.hpp"

#define ZLINK_BUILD
#include "zlink/zlink.h"

namespace zlink::api {

// Options of partitioned topics, for those that are declared later.
struct partition_options
{
    bool may_own = true;
    service::log_bounds ring{};
    std::size_t reader_room = 1'000;  // messages
};

// An option that is to be set.
struct option_before
{
    int number = 0;
    std::vector<std::byte> value{};
};

class node_object final : public service_object
{
  public:
    node_object (std::shared_ptr<context_services> all, void *of_context) noexcept
      : in (std::move (all)), context (of_context), lock (in->world.sleep)
    {
    }
    void close () noexcept override
    {
        lock.lock ();
        closed = true;
        const std::shared_ptr<service::registration> whom = books;
        const std::shared_ptr<service::spot_partitions> ordered = parts;
        lock.unlock ();
        if (ordered != nullptr)
            ordered->close ();
        if (is != nullptr)
            is->close ();
        if (whom != nullptr)
            whom->close ();
    }

    // What is said of sockets to registries and grantors that are not there yet is kept for them.
    base::result<void>
    set_option (side which, int number, const void *value, std::size_t size) noexcept override;

    const std::shared_ptr<context_services> in;
    void *const context;
    const gate_place at{};  // of publishers, whose lock the node's is; outlives it
    std::shared_ptr<service::spot_node> is;
    service::waiting_lock lock;  // of all below
    bool closed = false;         // nothing is opened any more
    std::string bound;           // last
    std::shared_ptr<service::registration> books;
    std::shared_ptr<service::spot_partitions> parts;              // null: none was asked for
    std::vector<std::pair<std::string, std::string>> registered;  // service, endpoint
    int mode = ZLINK_SPOT_NODE_PUB_MODE_SYNC;
    int full = ZLINK_SPOT_NODE_PUB_QUEUE_FULL_EAGAIN;
    partition_options partitioned{};
    std::vector<option_before> for_later{};
};

class pub_object final : public service_object
{
  public:
    explicit pub_object (std::shared_ptr<node_object> by) noexcept : of (std::move (by)) {}
    void close () noexcept override {}
    [[nodiscard]] gate *gate_of () const noexcept { return of->at.get (); }
    const std::shared_ptr<node_object> of;
};

template <class Body> int with_node (void *handle, Body &&body) noexcept
{
    return with_held<node_object> (handle, handle_kind::spot_node, std::forward<Body> (body));
}
template <class Body> int with_pub (void *handle, Body &&body) noexcept
{
    return with_held<pub_object> (handle, handle_kind::spot_pub, std::forward<Body> (body));
}

inline base::time_ns deadline_in (const node_object &of, std::int64_t timeout_ms) noexcept
{
    if (timeout_ms <= 0)
        return timeout_ms < 0 ? base::never_ns : 0;
    return of.in->world.time.now_ns () + timeout_ms * base::ns_per_ms;
}

// What was said before of a socket that is there now.
template <class Line> base::result<void> set_before_use (const node_object &of, Line &line) noexcept
{
    for (const option_before &each : of.for_later)
        if (base::result<void> set = line.set_option (each.number, each.value.data (), each.value.size ());
            !set)
            return set;
    return {};
}

// A subscriber's or a reader's, which has one.
template <class Object> int answer_descriptor (Object &of, zlink_fd_t *to) noexcept
{
    if (to == nullptr)
        return failed (base::errc::bad_address);
    const base::result<base::io_handle> opened = of.descriptor ();
    if (!opened)
        return failed (opened.failure ());
    *to = static_cast<zlink_fd_t> (opened.value ());
    return 0;
}

// The partitions of a node at which something was declared, or a grantor named; null: nothing was.
[[nodiscard]] std::shared_ptr<service::spot_partitions> known_parts_of (node_object &of);
// The partitions of a node, which are opened when they are first asked for. Errors as
// spot_partitions::open().
[[nodiscard]] base::result<std::shared_ptr<service::spot_partitions>> parts_of (node_object &of);
// One of ZLINK_SPOT_NODE_OPT_OWNS to READER_HWM. False: that is none, or no value of it.
[[nodiscard]] bool set_partition_option (node_object &of, int option, int value) noexcept;

}  // namespace zlink::api
