// A registry as a grantor that remembers in a store (base/record_store.hpp): all registries of
// one store are one grantor, and keep nothing themselves. A partition is a slot of the store.
// Its record is what a voter of that partition alone would write down (votes_file.hpp), and the
// slot is held as long as the lease of the last vote runs. Each claim is decided by the voter of
// what stands there, and becomes true with the step of the store that changes it: so numbers
// rise, and no two get one, whichever registries are asked. A store that does not answer grants
// nothing.
//
// Behind its start it need not wait, as the store knows which leases run.
//
// Thread rule: calls by one thread at a time; what the store does is on its threads, and wake is
// called there. Lifetime: clock and log outlive it; it outlives the store's visits. What may throw
// std::bad_alloc says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/record_store.hpp"
#include "service/grantor.hpp"

namespace zlink::service {

// Questions that are with the store at a time: the rest is as if lost on the way. More than
// these are not answered within a round of questions anyway.
inline constexpr std::size_t store_questions_max = 10'000;

// Of a partition, in the store.
[[nodiscard]] std::string slot_of (const partition_ref &which);

class store_grantor
{
  public:
    // wake: there is something for turn(). A null log: nobody reads.
    store_grantor (base::clock &time, base::log_sink *log, base::time_ns lease, std::function<void ()> wake)
      : time_ (time), log_ (log), lease_ (lease), wake_ (std::move (wake))
    {
    }
    store_grantor (const store_grantor &) = delete;
    store_grantor &operator= (const store_grantor &) = delete;

    // A question of from, which is answered by turn(), unless there are too many. Of one who
    // asks again before that the last question is asked next. Not complete: what came is no
    // question. May throw std::bad_alloc.
    [[nodiscard]] wire::service_status
    take (base::record_store &in, std::string_view from, base::bytes_view question);

    // Calls told (name, octets) for each answer that has come, and asks what has waited behind
    // it. May throw std::bad_alloc: what was told is told.
    template <class Told> void turn (base::record_store &in, Told &&told)
    {
        for (ended one; take_ended (one);) {
            if (!one.answer.empty ())
                told (std::string_view (std::get<0> (one.who)), base::bytes_view (one.answer));
            ask_next (in, one.who);
        }
    }

  private:
    class visit;
    // By who asked, topic and partition: of each, one question is with the store at a time.
    using asked_by = std::tuple<std::string, std::string, std::uint32_t>;
    struct ended
    {
        asked_by who;
        std::vector<std::byte> answer;  // empty: it wants none
    };

    void ask (base::record_store &in, const asked_by &who, base::bytes_view question);
    void ask_next (base::record_store &in, const asked_by &who);
    void make_room (std::size_t ends);
    void warn_of_damage () noexcept;
    [[nodiscard]] bool take_ended (ended &out) noexcept;

    base::clock &time_;
    base::log_sink *const log_;
    const base::time_ns lease_;
    const std::function<void ()> wake_;
    // What is to be asked behind the one that is with the store; empty: nothing.
    std::map<asked_by, std::vector<std::byte>> asking_;

    base::exchange_lock lock_;  // of the next ones
    std::vector<ended> ended_;
    std::size_t made_ = 0;  // slots that were empty before
    bool warned_ = false;   // of a record that cannot be read
};

}  // namespace zlink::service
