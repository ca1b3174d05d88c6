// Seam: a store outside of this process that keeps records for us as long as we live,
// and tells of everybody's: etcd, brought by a library of its own (src/etcd).
//
// What is stored belongs to the process that stored it: when that goes, or cannot be
// heard of for longer than the lease, the store drops it. Slots are nobody's: what stands
// in one stays, and only the mark that it is held goes with a lease.
//
// Thread rule: calls from any thread, with no lock held that the listener takes. The
// listener is told on threads of the store's. Nothing here blocks but the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/world.hpp"

namespace zlink::base {

// What has become of a record that was to be stored, or of a slot that was to be changed.
enum class store_outcome : std::uint8_t
{
    stored,
    taken,      // somebody else's is there
    uncertain,  // the store did not answer, or not soon enough: it may have been stored
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
    // What was to be put under that ticket.
    virtual void done (std::uint64_t ticket, store_outcome outcome) noexcept = 0;
    // Whether a record may be written over by that one of ours. Any thread.
    [[nodiscard]] virtual bool replaces (bytes_view mine, bytes_view found) const noexcept = 0;
};

// What shall become of a slot.
enum class slot_step : std::uint8_t
{
    leave,  // nothing
    hold,   // the record stands there, and the slot is held for a lease from now on
    free,   // the record stands there, and nobody holds the slot
};
struct slot_wish
{
    slot_step what = slot_step::leave;
    std::string record{};
};

// Who changes a slot by what stands there. Both are called on a thread of the store's, return
// soon, and do not call the store.
class slot_visitor
{
  public:
    virtual ~slot_visitor () = default;
    // record: what stands there, empty: nothing. Asked once more when somebody else was
    // faster: the last answer counts. May throw std::bad_alloc.
    virtual slot_wish decide (bytes_view record, bool held) = 0;
    // Once, unless the store ends before. stored: so it is, by one step of the store, and
    // nothing has changed between what was decided by and that; taken: others were faster,
    // again and again; uncertain and no_memory: it is so, or as it was.
    virtual void done (store_outcome outcome) noexcept = 0;
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
    // Lets somebody change a slot. The lease of a hold begins behind this call. Behind the
    // longest time nothing more is asked of the store. no_memory, or why there is no thread:
    // nothing has happened.
    virtual result<void> visit (std::string_view slot,
                                time_ns lease,
                                time_ns longest,
                                std::shared_ptr<slot_visitor> who) noexcept = 0;
};

// What a library with a store exports under the name below: a store behind a URL, or why
// not: invalid_argument, no_memory, what threads fail with. Another version of all this
// answers not_supported. The listener and the world outlive the store.
inline constexpr unsigned record_store_version = 2;
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
