// Slots of a store (base/record_store.hpp) that stand-ins of tests share: in memory, with
// leases by a clock.
//
// Thread rule: one thread at a time. Lifetime: the clock outlives it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/record_store.hpp"

namespace zlink::service::test {

class shared_slots
{
  public:
    explicit shared_slots (base::clock &time) : time_ (time) {}

    struct slot
    {
        std::string record{};
        base::time_ns held_until = INT64_MIN;
        unsigned changes = 0;
    };

    // As a store does it: reads, lets it be decided, and changes what has not changed since.
    base::store_outcome visit (const std::string &which, base::time_ns lease, base::slot_visitor &who)
    {
        while (true) {
            const slot found = all[which];
            const bool held = is_held (found);
            const base::slot_wish wish = who.decide (base::as_bytes (found.record), held);
            if (wish.what == base::slot_step::leave)
                return base::store_outcome::stored;
            if (const auto meanwhile = std::exchange (between, nullptr); meanwhile != nullptr)
                meanwhile ();
            slot &now = all[which];
            if (compares && (now.changes != found.changes || is_held (now) != held))
                continue;
            const bool holds = wish.what == base::slot_step::hold;
            now = {wish.record, holds ? time_.boot_ns () + lease : INT64_MIN, found.changes + 1};
            return base::store_outcome::stored;
        }
    }
    [[nodiscard]] bool is_held (const slot &which) { return time_.boot_ns () < which.held_until; }

    std::map<std::string, slot> all;
    std::function<void ()> between;  // done once, when something has been decided
    bool compares = true;            // false: a planted fault

  private:
    base::clock &time_;
};

}  // namespace zlink::service::test
