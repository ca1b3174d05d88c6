// A provider's side of the registry protocol (docs/protocol/registry.md), towards one
// registry: what is to be registered there, and the next message that makes it so.
//
// The owner says what shall be registered, and what happens to the connection; the
// link opens its session, registers, renews, and begins anew when the connection comes
// back, the registry was restarted or does not know the session. What a registry
// refuses is tried again with each renewal, an open that it refuses after as long.
//
// A state machine: no socket, no clock, no lock, no dice. Thread rule: one thread at a
// time. set() and next() may throw std::bad_alloc, and nothing has changed then, but
// that a part of a message may be appended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "service/limits.hpp"
#include "wire/registry_message.hpp"

namespace zlink::service {

enum class offer_state : std::uint8_t
{
    unknown,     // it was never set, or is dropped
    pending,     // the registry has not answered
    registered,  // as it was set last
    refused,     // see the fault
};

class provider_link
{
  public:
    // The token has registry_token_bytes octets, and is nobody else's.
    provider_link (std::uint64_t instance, std::string_view token) : instance_ (instance), token_ (token) {}
    provider_link (const provider_link &) = delete;
    provider_link &operator= (const provider_link &) = delete;

    // Shall be registered, with a version above that of what was set before; the
    // instance is the link's.
    void set (const wire::provider_view &provider);
    // Shall not. Nothing happens when it was not set.
    void drop (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept;
    // All are dropped at once, as the provider goes; nothing is said behind that.
    void leave () noexcept { leaving_ = true; }

    void connected () noexcept;
    void lost () noexcept;
    // What the registry has sent.
    void receive (const wire::registry_message &message) noexcept;

    // Appends the next message to be sent. False: there is none before something
    // happens, or next_due.
    [[nodiscard]] bool next (base::time_ns now, std::vector<std::byte> &out);
    [[nodiscard]] base::time_ns next_due () const noexcept;

    // The session is open, and its lease, counted from when it was asked for, runs.
    [[nodiscard]] bool alive (base::time_ns now) const noexcept
    {
        return at_ == place::open && now < lease_end_ns_;
    }
    [[nodiscard]] std::uint64_t incarnation () const noexcept { return incarnation_; }
    [[nodiscard]] offer_state
    state_of (std::uint16_t family, std::string_view service, std::string_view endpoint) const noexcept;
    // Why one was refused, or the session; fault_none.
    [[nodiscard]] std::uint16_t
    fault_of (std::uint16_t family, std::string_view service, std::string_view endpoint) const noexcept;
    [[nodiscard]] std::uint16_t fault () const noexcept { return fault_; }

  private:
    enum class place : std::uint8_t
    {
        away,     // no connection
        to_open,  // open is to be sent
        opening,  // it was
        open,
        refused,  // what we speak is not understood: nothing more until it connects anew
        left,     // close was sent
    };
    struct offer
    {
        std::uint16_t family = 0;
        std::uint32_t weight = 1;
        std::uint64_t version = 0;
        std::uint64_t told_version = 0;  // in the put under way
        std::uint64_t request = 0;       // under way, 0 = none
        std::uint16_t fault = 0;
        bool registered = false;
        bool dropped = false;  // goes when the registry has it no more
        bool queued = false;
        std::string service, endpoint, host, zone, labels;
    };
    using offer_key = std::tuple<std::uint16_t, std::string, std::string>;
    using offer_ref = std::tuple<std::uint16_t, std::string_view, std::string_view>;
    struct offer_order
    {
        using is_transparent = void;
        bool operator() (const auto &a, const auto &b) const noexcept { return ref (a) < ref (b); }
        static offer_ref ref (const auto &of) noexcept
        {
            return {std::get<0> (of), std::get<1> (of), std::get<2> (of)};
        }
    };

    [[nodiscard]] const offer *
    find (std::uint16_t family, std::string_view service, std::string_view endpoint) const noexcept;
    void queue (offer &which) noexcept;
    void begin_session () noexcept;
    void take_opened (const wire::registry_message &message) noexcept;
    void take_answer (const wire::registry_message &message) noexcept;
    void take_outcome (offer &which, std::uint16_t fault) noexcept;
    void erase (const offer &which) noexcept;
    [[nodiscard]] bool ask (base::time_ns now, wire::registry_kind kind, std::vector<std::byte> &out);
    [[nodiscard]] bool tell_next (std::vector<std::byte> &out);

    const std::uint64_t instance_;
    const std::string token_;
    place at_ = place::away;
    bool leaving_ = false;
    std::uint16_t fault_ = 0;
    std::uint64_t incarnation_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t asked_request_ = 0;  // the open or renew under way
    base::time_ns asked_ns_ = 0;
    base::time_ns lease_ns_ = 0, renew_ns_ = 0;
    base::time_ns open_at_ns_ = 0;  // not before
    base::time_ns lease_end_ns_ = 0, renew_at_ns_ = base::never_ns;
    std::map<offer_key, offer, offer_order> offers_;
    std::map<std::uint64_t, offer *> under_way_;  // by request
    std::vector<offer *> queue_;                  // the last is the next
};

}  // namespace zlink::service
