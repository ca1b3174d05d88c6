// Seam: a store outside of this process that keeps records for us as long as we live,
// and tells of everybody's: etcd, brought by a library of its own (src/etcd).
//
// What is stored belongs to the process that stored it: when that goes, or cannot be
// heard of for longer than the lease, the store drops it.
//
// Thread rule: calls from any thread, with no lock held that the listener takes. The
// listener is told on threads of the store's. Nothing here blocks but the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/world.hpp"

namespace zlink::base {

// What has become of a record that was to be stored, or swapped.
enum class store_outcome : std::uint8_t
{
    stored,
    taken,      // somebody else's is there
    uncertain,  // the store was lost in between: it may have been stored
    no_memory,
};

// Who is told. Each returns soon, and does not call the store. False: it could not be
// noted, for lack of memory; the store begins its list anew a little later.
class record_listener
{
  public:
    virtual ~record_listener () = default;

    // A whole list follows, record by record, until it is whole: what it does not name is
    // gone.
    virtual bool reset () noexcept = 0;
    virtual bool put (std::string_view key, bytes_view value) noexcept = 0;
    virtual bool gone (std::string_view key) noexcept = 0;
    // The store is reached, and all is told. The host is that of our end of the connection.
    virtual bool whole (std::string_view route_host) noexcept = 0;
    // It is not reached any more, and why, for people. What was told may be old.
    virtual void lost (std::string_view why) noexcept = 0;
    // What was asked for under that ticket. Of a swap that is taken, with what is there.
    virtual void done (std::uint64_t ticket, store_outcome outcome, bytes_view found) noexcept = 0;
    // Whether a record may be written over by that one of ours. Any thread.
    [[nodiscard]] virtual bool replaces (bytes_view mine, bytes_view found) const noexcept = 0;
};

class record_store
{
  public:
    // Drops what was stored, as far as that is done soon, and joins.
    virtual ~record_store () = default;

    // Is stored from now on, and again whenever it is found missing: done() once, unless
    // the store ends before. no_memory: nothing has happened.
    virtual result<void> put (std::uint64_t ticket, std::string_view key, bytes_view value) noexcept = 0;
    // Is not any more. A drop without memory is made up for by the lease.
    virtual void drop (std::string_view key) noexcept = 0;
    // Puts value in the place of expected (null: of nothing), or leaves all as it is: one
    // step for the store, whoever else asks. It has a lease of its own, which counts from
    // when the store is asked, and is not renewed; done() once. no_memory.
    virtual result<void> swap (std::uint64_t ticket,
                               std::string_view key,
                               const bytes_view *expected,
                               bytes_view value,
                               time_ns lease) noexcept = 0;
};

// What a library with a store exports under the name below: a store behind a URL, or why
// not: invalid_argument, no_memory, what threads fail with. Another version of all this
// answers not_supported. The listener and the world outlive the store.
inline constexpr unsigned record_store_version = 1;
inline constexpr const char *record_store_opener_name = "zlink_open_record_store";
struct record_store_wish
{
    unsigned version = record_store_version;
    const char *url = "";
    time_ns lease = 0;
    record_listener *listener = nullptr;
    world *on = nullptr;
};
using record_store_opener = errc (const record_store_wish &wish, record_store **made) noexcept;

}  // namespace zlink::base
