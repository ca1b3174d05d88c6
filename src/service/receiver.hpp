// A provider's end of requests (docs/protocol/gateway.md): one ROUTER from which its
// callers take requests, and by which they answer.
//
// Who calls receive() reads the socket itself; what is not the application's (a request
// for a service that is not here, one that was called off, a probe) it sees to on the
// way. Several threads may receive at once, and answer what others have received. Of what
// has been read from the kernel a few messages are taken at once, while nobody waits for
// others: whoever comes next finds them here.
//
// Requests for the service "zlink.health" it answers itself, as soon as somebody receives:
// how it is, or how a service here is (docs/protocol/gateway.md).
//
// Going: drain() tells gateways and registries that no new requests are wanted, refuses
// those that come all the same, untouched, and waits for those under way; then close().
//
// Thread rule: any thread. Blocking: receive() and drain() until their deadlines, and
// close() until those have left.
// Lifetime: world and context outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/world.hpp"
#include "service/counted.hpp"
#include "service/held_parts.hpp"
#include "service/limits.hpp"
#include "service/registrar.hpp"
#include "service/waiting_lock.hpp"
#include "socket/facade.hpp"
#include "wire/gateway_message.hpp"

namespace zlink::service {

struct receiver_settings
{
    std::string routing_id{};                             // as gateways' sockets see us; empty: made up
    std::uint64_t instance = 0;                           // this process; 0: drawn
    int hwm = 100'000;                                    // messages to and from each gateway
    std::size_t requests_max = requests_at_provider_max;  // above it they are refused as overloaded
    waiting_lock::word *lock_word = nullptr;  // of the receiver's lock; outlives it. Null: its own
};

// A request, from when it is received until it is answered. Its receiver's; whoever
// drops it unanswered leaves the gateway waiting until its deadline.
struct inquiry
{
    std::string service{};
    held_parts parts{};
    bool one_way = false;  // nothing is to be answered
    bool idempotent = false;
    base::time_ns deadline_ns = base::never_ns;  // nobody waits for longer
    std::string key{};
    std::string traceparent{};
    std::string tracestate{};
    std::string gateway{};  // its routing id
    [[nodiscard]] std::string_view from () const noexcept { return gateway; }

    // The receiver's.
    std::uint64_t id = 0;
    std::uint16_t attempt = 0;
    std::uint32_t place = 0;
    base::time_ns came_ns = 0;
    std::vector<std::byte> head{};  // of the answer
    std::uint64_t alike = 0;        // which head it says everything of; 0: none that is known
};

// Why a request is not done.
struct refusal
{
    std::uint16_t code = wire::failure_rejected;
    std::uint32_t detail = 0;  // the application's own
    bool untouched = false;    // nothing was done: it may be sent elsewhere
    std::uint32_t retry_after_ms = 0;
    std::string_view text{};  // for people; as much of it as fits
};

struct receiver_counters
{
    std::uint64_t requests = 0;
    std::uint64_t one_way = 0;
    std::uint64_t replies = 0;
    std::uint64_t failures = 0;   // by the application
    std::uint64_t refused = 0;    // before it saw them
    std::uint64_t cancelled = 0;  // answers that nobody wanted any more
    std::uint64_t malformed = 0;  // whose senders were disconnected
};

class receiver final : public counted
{
  public:
    // no_memory, too_many_sockets, terminated, bad_address.
    static base::result<std::shared_ptr<receiver>>
    open (base::world &world, void *context, const receiver_settings &settings);
    ~receiver () override;
    receiver (const receiver &) = delete;
    receiver &operator= (const receiver &) = delete;

    // The endpoint as it is bound. As the facade's bind.
    base::result<std::string> bind (std::string_view endpoint);

    // Who registers what is offered, also what has been; once, before requests come.
    // wrong_state: there is one already; else as registrar::offer.
    base::result<void> register_by (std::shared_ptr<registrar> whom) noexcept;
    // Requests for the service are taken from now on, and it is registered at this
    // endpoint; again: the weight changes. Empty endpoint: nowhere. As registrar::offer;
    // invalid_argument: no service may be called so.
    base::result<void> offer (std::string_view service, std::string_view endpoint, std::uint32_t weight);
    // Requests for it are refused from now on. False: it was not offered.
    bool withdraw (std::string_view service);

    // The next request, in the place of what was there. timed_out, interrupted, terminated;
    // no_memory: what came is lost, and whose it was is disconnected, by which it knows.
    base::result<void> receive (inquiry &to, base::time_ns deadline) noexcept;
    // The same with the lock held, which stays so: one like the last that is there
    // already. False: it is to be received as above.
    [[nodiscard]] bool receive_quick_locked (inquiry &to) noexcept;
    // Answers it: the parts are taken, also where nobody waits any more. would_block: its
    // gateway has no room; host_unreachable: it is gone; wrong_state: it was answered;
    // terminated, no_memory. On failure the parts stay, and it may be answered again.
    base::result<void> reply (inquiry &to, std::span<base::message> parts) noexcept;
    base::result<void> fail (inquiry &to, const refusal &why) noexcept;
    // Nobody waits for it any more: it was called off, or is too late.
    [[nodiscard]] bool unwanted (inquiry &which) noexcept;
    // To a gateway, unasked, for a service: what its gateway::receive answers. Takes the
    // parts on success. Errors as reply().
    base::io_count
    tell (std::string_view gateway, std::string_view service, std::span<base::message> parts) noexcept;

    // timed_out: some are still under way. A second one waits likewise.
    base::result<void> drain (base::time_ns deadline) noexcept;
    void close () noexcept;

    // Received and not answered.
    [[nodiscard]] std::size_t under_way () noexcept;
    [[nodiscard]] std::uint64_t instance () noexcept;
    // The socket, for options.
    [[nodiscard]] void *socket () const noexcept { return socket_; }
    [[nodiscard]] receiver_counters counters () noexcept;
    [[nodiscard]] std::string_view kind () const noexcept override { return "receiver"; }
    [[nodiscard]] std::vector<counted_number> numbers () override;

  private:
    struct offered
    {
        std::string endpoint;
        std::uint32_t weight = 1;
    };
    // A request under way, by its place.
    struct place
    {
        std::string from;
        std::uint64_t id = 0;  // 0: free
        std::uint16_t attempt = 0;
        bool cancelled = false;
        std::uint32_t next = 0;  // free
    };

    receiver (base::world &world, const receiver_settings &settings);
    base::result<void> open_socket (void *context);
    [[nodiscard]] bool read_ahead_locked () noexcept;
    [[nodiscard]] base::time_ns when_read_locked () noexcept;
    // What was taken from the socket before, or is now without waiting; with the lock held,
    // which is dropped on success. False: nothing is there.
    [[nodiscard]] bool receive_read_locked (inquiry &to);
    // The next one of these. The lock is dropped. False: it was none of the application's.
    [[nodiscard]] bool take_read_locked (inquiry &to);
    [[nodiscard]] base::errc receive_alone (inquiry &to, base::time_ns deadline);
    // The next one of these, if it is like the last.
    [[nodiscard]] bool take_like_last_locked (inquiry &to) noexcept;
    [[nodiscard]] bool is_like_last_locked () noexcept;
    [[nodiscard]] bool say_last_locked (inquiry &to) const noexcept;
    [[nodiscard]] bool enter_like_last_locked (inquiry &to) noexcept;
    void note_last_locked (const base::message &head, const inquiry &of) noexcept;
    void forget_last_locked () noexcept;
    base::result<void> receive_waiting (inquiry &to, base::time_ns deadline);
    // False: it was none of the application's.
    [[nodiscard]] bool take_or_part (std::span<base::message> got, inquiry &to);
    [[nodiscard]] bool take (std::span<base::message> got, inquiry &to);
    [[nodiscard]] bool
    take_request (std::span<base::message> got, const wire::gateway_head &head, inquiry &to);
    [[nodiscard]] std::uint16_t admit_locked (const wire::gateway_head &head) const noexcept;
    [[nodiscard]] std::string_view health_locked (std::string_view service) const noexcept;
    void answer_health (std::span<base::message> got, const wire::gateway_head &head);
    void note_time (const wire::gateway_head &head, inquiry &to) const noexcept;
    void enter_locked (std::string_view from, inquiry &to);
    void take_cancel (std::string_view from, const wire::gateway_head &head) noexcept;
    void take_event (std::span<base::message> got);
    // True: it is to be answered; false: nobody waits. wrong_state.
    [[nodiscard]] base::result<bool> answered_locked (inquiry &which) noexcept;
    void end_locked (inquiry &which) noexcept;
    base::result<void>
    answer (inquiry &to, wire::gateway_head *head, std::span<base::message> parts) noexcept;
    [[nodiscard]] static base::bytes_view encoded_answer (inquiry &to,
                                                          wire::gateway_head &head,
                                                          const wire::gateway_numbers &numbers,
                                                          std::uint32_t load);
    [[nodiscard]] base::io_count
    say_answer (inquiry &to, base::bytes_view head, std::span<base::message> parts, bool more_follow);
    [[nodiscard]] base::io_count
    say_encoded (std::string_view to, base::bytes_view head, std::span<base::message> parts);
    [[nodiscard]] base::io_count
    say (std::string_view to, const wire::gateway_head &head, std::span<base::message> parts);
    base::result<void> offer_all (registrar &whom) noexcept;
    [[nodiscard]] std::shared_ptr<registrar> who_registers () noexcept;
    [[nodiscard]] bool enter_call () noexcept;
    void leave_call (unsigned readers = 0) noexcept;

    base::world &world_;
    receiver_settings settings_;
    void *socket_ = nullptr;
    waiting_lock lock_;
    bell change_;                           // a request is over, a caller has left
    std::shared_ptr<registrar> registers_;  // null: nobody
    bool closed_ = false;
    bool draining_ = false;
    unsigned users_ = 0;
    unsigned readers_ = 0;  // who wait at the socket: nothing is in read_ then
    std::map<std::string, offered, std::less<>> offers_;
    std::set<std::string, std::less<>> gateways_;
    std::vector<base::headed_message> read_;
    std::size_t read_at_ = 0, read_end_ = 0;
    std::size_t name_at_ = 0, head_at_ = 0;  // where those of the next one stand
    base::time_ns read_ns_ = 0;              // when somebody first looked at what is there; 0: nobody has
    std::vector<std::byte> last_head_;       // of a plain one that was taken; empty: none
    bool last_one_way_ = false, last_idempotent_ = false;
    std::string last_service_;
    std::string last_gateway_;
    std::uint64_t last_number_;  // of the last three; everywhere another
    bool like_before_ = false;   // the one before the next one was like the last
    std::vector<place> places_;
    std::uint32_t free_ = no_place;
    std::size_t under_way_ = 0;
    receiver_counters counters_{};

    static constexpr std::uint32_t no_place = UINT32_MAX;
};

}  // namespace zlink::service
