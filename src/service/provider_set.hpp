// Whom a gateway knows: the providers it keeps a connection to, and for each service
// which of them has it and gets the next request (balancer.hpp).
//
// A provider is an endpoint, with one connection for all services that it has. It gets
// a number when it is first listed, and keeps it until no service lists it and nothing
// is under way there; numbers do not come again. What has to be dialled, and who may be
// let go of, is asked for.
//
// A state machine: no socket, no clock, no lock, no dice. Thread rule: one thread at a
// time. set() may throw std::bad_alloc: some of the list is taken then, and setting it
// again is well. Nothing else takes memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "service/balancer.hpp"
#include "service/request_table.hpp"

namespace zlink::service {

// What is known of one provider of a service.
struct listed_provider
{
    std::string endpoint{};
    std::uint64_t instance = 0;  // 0: any
    std::uint32_t weight = 1;    // 0: no new requests
    std::string host{};
    std::string zone{};
};

class provider_set
{
  public:
    struct service
    {
        std::string name;
        balancer members;
        std::vector<provider_number> listed;
        bool used = false;                      // the owner's: it has been asked for
        std::vector<std::byte> one_way_head{};  // the owner's: what stands before its messages
        std::vector<std::byte> request_head{};  // and before its requests without options
    };
    struct provider
    {
        std::string endpoint;
        std::uint64_t instance = 0;
        bool to_dial = false;
        bool connected = false;
        bool draining = false;  // said so itself, since it is connected
        bool let_go = false;    // asked for already
        std::uint32_t under_way = 0;
        base::time_ns probe_until_ns = base::never_ns;  // an answer is due until then
        std::vector<service *> has;
    };

    explicit provider_set (const balancer_settings &settings) : settings_ (settings) {}
    // Who is near.
    void set_place (std::string_view host, std::string_view zone);

    // The service of that name, made if there is none. May throw; stays where it is.
    [[nodiscard]] service &at (std::string_view name);
    [[nodiscard]] service *find (std::string_view name) noexcept;
    // All that provide it from now on.
    void set (std::string_view name, std::span<const listed_provider> all);

    [[nodiscard]] provider *find (provider_number number) noexcept;
    // Whom to dial next, or whom to let go of: nothing is under way there, or ever will.
    [[nodiscard]] std::optional<provider_number> take_to_dial () noexcept;
    [[nodiscard]] std::optional<provider_number> take_to_let_go () noexcept;
    // False: nobody is.
    [[nodiscard]] bool any_to_let_go () const noexcept { return any_unlisted_; }
    // It could not be dialled just now: take_to_dial () answers it once more.
    void dial_again (provider_number number) noexcept;
    // It is let go of, and forgotten.
    void forget (provider_number number) noexcept;

    // Its connection. Nothing is under way there behind the loss of it.
    void connected (provider_number number) noexcept;
    void lost (base::time_ns now, provider_number number, std::uint64_t dice) noexcept;
    // Nothing can be sent there just now.
    void unreachable (provider_number number) noexcept;
    // No new ones until it is connected anew.
    void drains (provider_number number) noexcept;

    void began (service &of, provider_number number) noexcept;
    void ended (service &of, provider_number number) noexcept;
    // It could not do what others can: what ejects it.
    void failed (base::time_ns now, service &of, provider_number number, std::uint64_t dice) noexcept;
    // Another has answered before it: see balancer::outrun.
    void outrun (base::time_ns now, service &of, provider_number number) noexcept;
    // It has answered what nobody waits for any more.
    void heard (provider_number number) noexcept;

    // When somebody is to be probed next, or has not answered; never_ns: nobody is.
    [[nodiscard]] base::time_ns next_probe () const noexcept { return probe_at_ns_; }
    // Who is to be probed now; nothing: nobody more. Those who have not answered in time
    // are ejected anew.
    [[nodiscard]] std::optional<provider_number> take_probe (base::time_ns now, std::uint64_t dice) noexcept;
    // It has answered a probe.
    void alive (base::time_ns now, provider_number number) noexcept;

    [[nodiscard]] std::size_t size () const noexcept { return providers_.size (); }
    // Of those, the one that is this instance.
    [[nodiscard]] std::optional<provider_number> of_instance (const service &of,
                                                              std::uint64_t instance) noexcept;
    // May be picked for it, leaving ejection aside.
    [[nodiscard]] std::size_t usable (const service &of) const noexcept;
    template <class Told> void for_each (Told &&told)
    {
        for (auto &[number, each] : providers_)
            told (number, each);
    }

  private:
    provider_number number_of (const listed_provider &listed);
    void drop_from (service &of, provider_number number) noexcept;
    void answered (base::time_ns now, provider_number number, bool well, std::uint64_t dice) noexcept;
    void plan_probes () noexcept;

    balancer_settings settings_;
    std::string host_, zone_;
    std::map<std::string, std::unique_ptr<service>, std::less<>> services_;
    std::unordered_map<provider_number, provider> providers_;
    provider *found_ = nullptr;  // of these, who was looked for last; null: nobody
    provider_number found_number_ = 0;
    std::map<std::string, provider_number, std::less<>> by_endpoint_;
    provider_number last_ = 0;
    bool any_to_dial_ = false;
    bool any_unlisted_ = false;
    base::time_ns probe_at_ns_ = base::never_ns;
};

}  // namespace zlink::service
