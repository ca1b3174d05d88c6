// Warnings on their way to the log: noted under a socket's lock, said after it.
//
// The first of a kind and reason is said at once, further ones at most every
// warning_interval_ns; those left out are counted in the next one. What is
// noted takes no memory: there is a place for each kind and reason.
// Thread rule: any thread; note() under socket locks (leaf lock inside), say()
// with no lock held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/reason.hpp"
#include "engine/counters.hpp"
#include "engine/limits.hpp"

namespace zlink::engine {

enum class warning_kind : std::uint8_t
{
    drop,       // of messages, against anybody's wish
    refusal,    // of a peer
    listener,   // that cannot accept
    system,     // it answered what nobody expects
    gave_up,    // an endpoint: it is not dialled any more
    events,     // that nobody fetched
    budget,     // of bytes: it holds somebody back
    values,     // that are not kept for subscribers to come
    policy,     // a server has nobody to ask about peers
    passwords,  // a list of them that is none
    tls,        // what is needed for it cannot be used
    option,     // that was set, and has no effect
};

struct warning
{
    // Of drops their reason; of all others the connection's.
    static warning dropped (drop_reason why, std::uint64_t messages) noexcept;
    static warning refused (base::close_reason why, int os_error = 0) noexcept;
    static warning not_accepting (base::close_reason why, int os_error) noexcept;
    static warning odd_answer (base::close_reason why, int os_error) noexcept;
    static warning gave_up (base::close_reason why, int os_error) noexcept;
    static warning events_lost (std::uint64_t events) noexcept;
    static warning budget_reached () noexcept;
    static warning values_not_kept (std::uint64_t messages) noexcept;
    static warning unguarded (bool open_to_all) noexcept;
    static warning bad_password_list (std::size_t line) noexcept;
    static warning tls_unfit () noexcept;
    static warning idle_option (int number) noexcept;

    warning_kind kind = warning_kind::drop;
    std::uint8_t reason = 0;  // of policy: 1 = all peers come in
    std::uint64_t count = 0;  // messages or events; adds up
    // 0 = none; the number of the reason, see base/reason.hpp; of passwords: the line;
    // of an option: its own.
    int os_error = 0;
};

class warnings
{
  public:
    // True: there is something to say() once no lock is held. What it is about
    // is an endpoint and a peer, either may be empty.
    [[nodiscard]] bool
    note (const warning &what, std::string_view place, std::string_view peer, base::time_ns now) noexcept;

    void say (base::log_sink &to) noexcept;

  private:
    static constexpr std::size_t about_bytes_max = 128;

    struct place
    {
        warning last;
        bool due = false;            // to be said
        bool ever = false;           // has been noted
        std::uint64_t left_out = 0;  // noted, not said
        base::time_ns said_at_ns = 0;
        std::array<char, about_bytes_max> about{};
    };

    // Drops have their own reasons, peers that are turned away and endpoints that are
    // given up those of connections. The system's answers come with the first few of
    // these, and listeners pause for a limit, or for whatever else.
    static constexpr std::size_t system_reasons =
      static_cast<std::size_t> (base::close_reason::write_failed) + 1;
    static constexpr std::size_t listener_reasons = 2;
    static constexpr std::size_t places_max =
      drop_reasons + 2 * base::close_reasons + system_reasons + listener_reasons + 7;
    [[nodiscard]] static std::size_t place_of (const warning &what) noexcept;
    [[nodiscard]] bool take_due (place &to) noexcept;

    base::exchange_lock lock_;
    base::atomic<unsigned> due_{0};
    std::array<place, places_max> places_{};
};

}  // namespace zlink::engine
