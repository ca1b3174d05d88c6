// The requests of a gateway that are under way, and what is to be done about each:
// send it, send it again, send it to a second one too, call it off, end it.
//
// A state machine over (now, what happened): it has no socket, clock, lock or dice.
// What it wants is asked for with take_step, until there is none. Retries are safe
// by construction: a request is sent again only when no earlier sending can have been
// done, or when it is idempotent, and nothing that the caller says changes that.
//
//   start ── send ──▶ sent ──▶ replied ──▶ end
//             ▲  │      ├─▶ recalled: no octet of it left ─────────────▶ send
//             │  ▼      ├─▶ refused, untouched ────────────────────────▶ send
//             │ no_room ├─▶ lost: idempotent ──▶ send, else end
//             └ room    └─▶ refused ──▶ end
//   at any time: cancel, and expire at the deadline ──▶ end; expire at the time of
//   the hedge, of an idempotent one: send, beside the first
//
// A sending is an *attempt*, by a number that what comes back repeats. The first
// reply ends the request; other attempts are cancelled, and what comes back of them
// later belongs to nobody, as ids are not used again.
//
// Thread rule: one thread at a time. now never goes back. Only start() takes memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "service/due_heap.hpp"
#include "service/limits.hpp"

namespace zlink::service {

using request_id = std::uint64_t;  // never 0
using provider_number = std::uint32_t;

struct request_wish
{
    base::time_ns deadline_ns = base::never_ns;
    // When a second one is asked as well, if the first has not replied; only of
    // idempotent requests.
    base::time_ns hedge_at_ns = base::never_ns;
    bool idempotent = false;
    bool one_way = false;  // it ends when it is sent
    // Sendings that may have arrived, or were refused; those that were recalled do not
    // count.
    unsigned attempts_max = attempts_per_request_max;
};

enum class request_end : std::uint8_t
{
    replied,
    sent,      // a one-way
    refused,   // by the last provider asked; its code is told
    lost,      // with the provider that had it, or may have had it
    deadline,  // may have been done, if an attempt was under way
    cancelled,
};

enum class step_kind : std::uint8_t
{
    none,
    send,    // choose a provider, then say sent or no_room
    cancel,  // tell the provider that nobody waits any more
    end,     // the last step of this request
};

struct request_step
{
    step_kind kind = step_kind::none;
    request_id id = 0;
    std::uint16_t attempt = 0;
    provider_number provider = 0;                 // of cancel
    std::span<const provider_number> excluded{};  // of send: who had it; valid until the next call
    bool outrun = false;                          // of cancel: another attempt was replied to
    request_end how = request_end::replied;       // of end
    std::uint16_t code = 0;                       // of refused
    bool maybe_done = false;  // of end, but for replied and sent: a provider may have done it
};

class request_table
{
  public:
    explicit request_table (std::size_t requests_max = requests_in_flight_max) noexcept
      : requests_max_ (requests_max)
    {
    }

    // Nothing: there are requests_max already. Throws bad_alloc, and nothing changed.
    [[nodiscard]] std::optional<request_id> start (base::time_ns now, const request_wish &wish);

    // False: nothing is to be done until something happens.
    [[nodiscard]] bool any_steps () const noexcept { return first_ != nobody; }
    // What is to be done next; none: nothing.
    [[nodiscard]] request_step take_step () noexcept;

    // --- answers to a send step ---
    // False: it has ended meanwhile; tell the provider that nobody waits.
    bool sent (request_id id, std::uint16_t attempt, provider_number provider) noexcept;
    // Nobody may have it now. It waits for room(); a hedge is given up.
    void no_room (request_id id, std::uint16_t attempt) noexcept;
    // A provider came, or has room again: all that wait are to be sent.
    void room () noexcept;

    // --- what comes back of an attempt; ids and attempts that are over are no error ---
    // True: this is the reply. False: nobody waits for it.
    bool replied (request_id id, std::uint16_t attempt) noexcept;
    // untouched: the provider says that nothing was done. False: nobody waits for it.
    bool refused (request_id id, std::uint16_t attempt, bool untouched, std::uint16_t code) noexcept;
    // The engine handed it back: no octet of it has left.
    void recalled (request_id id, std::uint16_t attempt) noexcept;
    // A provider is gone; what it handed back was told before. Looks at every request.
    void provider_gone (provider_number provider) noexcept;

    // Nobody waits for it any more. False: it was over.
    bool cancel (request_id id) noexcept;
    // All at once, as the gateway goes.
    void cancel_all () noexcept;

    [[nodiscard]] base::time_ns next_due () const noexcept { return due_.soonest (); }
    void expire (base::time_ns now) noexcept;

    // Started and not ended.
    [[nodiscard]] std::size_t size () const noexcept { return living_; }
    // Attempts that came back to nobody: replies after the first, and after the end.
    [[nodiscard]] std::uint64_t late () const noexcept { return late_; }

  private:
    using slot = due_heap::slot;
    static constexpr slot nobody = due_heap::none;

    enum class state : std::uint8_t
    {
        free,
        to_send,    // a send step is due
        chosen,     // the step was taken, its answer is not there
        waiting,    // for room
        under_way,  // at one provider or two
        ended,      // its last steps are due
    };
    struct attempt
    {
        std::uint16_t number = 0;
        bool out = false;     // at the provider
        bool revoke = false;  // a cancel step is due
        provider_number provider = 0;
    };
    struct request
    {
        std::uint32_t generation = 0;
        state is = state::free;
        request_end how = request_end::replied;
        bool listed = false;  // in the list of those with steps
        bool maybe_done = false;
        std::uint16_t code = 0;
        std::uint16_t attempts = 0;  // numbered so far
        unsigned tries = 0;          // that count
        slot next = nobody;          // in that list, or among the free
        request_wish wish{};
        std::array<attempt, attempts_at_once_max> at{};
        std::array<provider_number, attempts_per_request_max> had{};  // who had it, the last ones
        std::size_t had_count = 0;

        void begin (const request_wish &of) noexcept;
    };

    [[nodiscard]] request *find (request_id id) noexcept;
    [[nodiscard]] static attempt *find (request &of, std::uint16_t number) noexcept;
    [[nodiscard]] static bool any_out (const request &which) noexcept;
    [[nodiscard]] slot slot_of (const request &which) const noexcept;
    [[nodiscard]] request_id id_of (const request &which) const noexcept;
    void list (request &which) noexcept;
    void set_due (request &which) noexcept;
    void want (request &which) noexcept;
    void try_again (request &which, request_end otherwise) noexcept;
    void lose (request &which, attempt &at) noexcept;
    void end (request &which, request_end how) noexcept;
    void release (request &which) noexcept;
    [[nodiscard]] request_step send_step (request &which) noexcept;
    [[nodiscard]] bool cancel_step (request &which, request_step &step) noexcept;

    std::size_t requests_max_;
    std::vector<request> requests_;
    due_heap due_;
    slot free_ = nobody;
    slot first_ = nobody, last_ = nobody;  // of those with steps
    std::size_t living_ = 0;
    std::size_t waiting_ = 0;
    std::uint64_t late_ = 0;
};

}  // namespace zlink::service
