// Requests and one-way messages to services by name: a gateway chooses a provider,
// sends, and brings the reply to whoever asked (docs/protocol/gateway.md).
//
// Who blocks does its own I/O: it sends, and then one of those who wait, the leader,
// reads for all; what is another's it files and wakes that one, and when its own reply
// is there it hands the lead on. Handlers run on a thread of the gateway's, which begins
// with the first of them and leads while nobody blocks; a slow handler holds up other
// handlers, and blocking callers no longer than until one of them leads.
//
// Who may answer comes from outside (set_providers): a list that never changes, or what
// a discovery knows. While a service has no provider that is connected, requests and
// blocking sends wait for one until their deadline.
//
// A request is sent again only where that is safe: see request_table.hpp. A provider
// that is lost, is silent until the deadline, or says that it has too much, and does so
// several times in a row, is left aside for a while and then probed (balancer.hpp).
//
// Thread rule: any thread, but close() and the destructor by none that runs a handler.
// Blocking: as said at each. No lock of the gateway's is held while a handler runs.
// Lifetime: world and context outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/prepared_head.hpp"
#include "base/world.hpp"
#include "service/counted.hpp"
#include "service/gateway_names.hpp"
#include "service/held_parts.hpp"
#include "service/provider_set.hpp"
#include "service/request_table.hpp"
#include "service/short_octets.hpp"
#include "service/waiting_lock.hpp"
#include "socket/facade.hpp"
#include "wire/gateway_message.hpp"

namespace zlink::service {

enum class call_status : std::uint8_t
{
    replied,
    sent,         // a one-way message
    no_provider,  // nobody was there until the deadline, or nobody took it
    deadline,     // somebody had it, and may have done it
    cancelled,
    lost,         // with the provider that had it, or may have had it
    refused,      // by the provider: code, detail and text say why
    overloaded,   // no provider has room for more, or the gateway itself
    interrupted,  // by a signal: it is called off
    terminated,   // the gateway, or the context, is going
    no_memory,
};
inline constexpr std::size_t call_statuses = static_cast<std::size_t> (call_status::no_memory) + 1;

struct call_options
{
    base::time_ns deadline_ns = base::never_ns;
    // An idempotent request that has no reply by then is sent to a second one, too.
    base::time_ns hedge_at_ns = base::never_ns;
    bool idempotent = false;  // doing it twice does no harm
    unsigned attempts_max = attempts_per_request_max;
    std::uint64_t instance = 0;      // only this one is to do it; 0: any
    std::string_view key{};          // for by_key
    std::string_view traceparent{};  // W3C Trace Context
    std::string_view tracestate{};
};

struct call_outcome
{
    call_status status = call_status::terminated;
    bool maybe_done = false;   // a provider may have done it, or be doing it
    std::uint16_t code = 0;    // of refused: wire::gateway_failure
    std::uint32_t detail = 0;  // the application's own
    std::uint32_t retry_after_ms = 0;
    std::string text{};  // for people
    held_parts parts{};  // of replied

    // As it was made.
    void clear () noexcept
    {
        status = call_status::terminated;
        maybe_done = false;
        code = 0;
        detail = retry_after_ms = 0;
        text.clear ();
        parts.clear ();
    }
};
using call_handler = std::function<void (request_id, call_outcome &&)>;

struct gateway_settings
{
    balancer_settings balancing{};
    std::string host{};  // where we are, for balancing::nearest
    std::string zone{};
    std::string routing_id{};                 // as providers' sockets see us; empty: made up
    int hwm = 100'000;                        // messages to and from each provider
    waiting_lock::word *lock_word = nullptr;  // of the gateway's lock; outlives it. Null: its own
    std::size_t requests_max = requests_in_flight_max;
    // A service is used that was not known before: somebody may find providers for it.
    // Called with no lock held; empty: nobody does.
    std::function<void (std::string_view)> wanted{};
};

struct gateway_counters
{
    std::uint64_t requests = 0;
    std::uint64_t attempts = 0;
    std::uint64_t replies = 0;
    std::uint64_t late = 0;      // replies that nobody waited for any more
    std::uint64_t recalled = 0;  // came back, as no octet of it had left
    std::uint64_t one_way = 0;
    std::uint64_t one_way_lost = 0;  // recalled, and there was nobody else
    std::uint64_t unasked_dropped = 0;
    std::uint64_t malformed = 0;                       // of what providers sent
    std::array<std::uint64_t, call_statuses> ended{};  // requests, by how
};

inline constexpr std::size_t spare_handled_max = 1024;  // requests with handlers, kept for the next ones
inline constexpr std::size_t replies_at_once = 16;      // taken under one lock, behind the first
inline constexpr std::size_t quick_head_bytes = 64;     // of services whose names are not long

class gateway final : public counted
{
  public:
    // no_memory, too_many_sockets, terminated, bad_address.
    static base::result<std::shared_ptr<gateway>>
    open (base::world &world, void *context, const gateway_settings &settings);
    ~gateway () override;
    gateway (const gateway &) = delete;
    gateway &operator= (const gateway &) = delete;

    // All that provide the service from now on. no_memory, too_many_files: some are
    // taken, and setting them again dials the others. Does not block.
    base::result<void> set_providers (std::string_view service, std::span<const listed_provider> all);
    base::result<void> set_policy (std::string_view service, balancing policy);
    // Providers that may be picked.
    [[nodiscard]] std::size_t connections (std::string_view service) noexcept;

    // Sends a request and waits for what becomes of it. The parts are left as they are,
    // and nobody may touch them meanwhile.
    [[nodiscard]] call_outcome
    call (std::string_view service, std::span<base::message> parts, const call_options &options) noexcept;

    // The same, and handler is called once, on the gateway's thread; with terminated, when
    // the gateway is closed. Takes the parts on success. Does not block. invalid_argument,
    // no_memory, terminated, would_block (too many are under way), no_io_thread: handler is
    // not called.
    base::result<request_id>
    submit (std::string_view service, held_parts &&parts, const call_options &options, call_handler handler);
    // The same in steps, for a small part without options to the service that was asked
    // last: begin, with the lock held; send, without it and without the gateway; and,
    // where that fails, go on, which sends it otherwise. False: it is to be submitted as
    // above, and part and handler are as they were.
    struct quick_request
    {
        void *socket = nullptr;
        request_id id = 0;
        provider_number to = 0;
        std::uint16_t attempt = 0;
        bool more_follow = false;
        std::uint32_t head_size = 0, body_size = 0;
        std::array<std::byte, quick_head_bytes> head;
        std::array<std::byte, short_octets::inside> body;
    };
    [[nodiscard]] bool begin_quick_locked (std::string_view service,
                                           base::message &part,
                                           call_handler &handler,
                                           quick_request &to) noexcept;
    [[nodiscard]] static base::io_count send_quick (const quick_request &what) noexcept;
    void go_on (const quick_request &unsent) noexcept;
    // Nobody waits for it any more. False: it is over.
    bool cancel (request_id id) noexcept;

    // To one of those who provide it; nothing comes back. Takes the parts on success.
    // wait: blocks while nobody is there, or has room, until the deadline. invalid_argument,
    // host_unreachable: nobody is there; would_block: nobody has room, or timed out;
    // interrupted, terminated, no_memory.
    base::io_count send (std::string_view service,
                         std::span<base::message> parts,
                         const call_options &options,
                         bool wait) noexcept;
    // The same of one part, which is copied.
    base::io_count send (std::string_view service, base::bytes_view body, bool wait) noexcept;
    // The same in three steps, for small messages without options to somebody who is there
    // and has room: choose, with the lock held; send, without it and without the gateway;
    // and, where that answers in_progress, send with what was chosen, whose turn it is.
    struct quick_send
    {
        void *socket = nullptr;
        provider_number to = 0;
        std::uint32_t head_size = 0;
        std::array<std::byte, quick_head_bytes> head;
    };
    // Before these there is a shorter one: what was chosen last is known to socket() itself,
    // by the service's name, and socket::send_prepared() does it all where it can.
    // False: it is to be sent as above. service: ends with a NUL, or is null.
    [[nodiscard]] bool choose_quick_locked (const char *service, quick_send &to) noexcept;
    [[nodiscard]] static base::io_count send_quick (const quick_send &to,
                                                    std::span<base::message> parts) noexcept;
    [[nodiscard]] static base::io_count send_quick (const quick_send &to, base::bytes_view body) noexcept;
    base::io_count send (std::string_view service,
                         std::span<base::message> parts,
                         const call_options &options,
                         bool wait,
                         std::optional<provider_number> chosen) noexcept;
    base::io_count send (std::string_view service,
                         base::bytes_view body,
                         bool wait,
                         std::optional<provider_number> chosen) noexcept;

    // What a provider has sent unasked: the service it speaks for, and the parts. Blocks
    // until the deadline. timed_out, interrupted, terminated, no_memory.
    struct unasked
    {
        std::string service;
        held_parts parts;
        std::uint64_t instance = 0;  // who has sent it; 0: not known
    };
    [[nodiscard]] base::result<unasked> receive (base::time_ns deadline) noexcept;

    // Whoever waits gets terminated; handlers that are due are called; then the thread
    // ends and the socket closes. Blocks until callers have left. A second one does
    // nothing.
    void close () noexcept;

    // The socket, for options; it is the gateway's to read and to close.
    [[nodiscard]] void *socket () const noexcept { return socket_; }
    [[nodiscard]] gateway_counters counters () noexcept;
    [[nodiscard]] std::string_view kind () const noexcept override { return "gateway"; }
    [[nodiscard]] std::vector<counted_number> numbers () override;

  private:
    using service = provider_set::service;

    // Somebody who waits, on a thread of its own. Kept, and used again.
    struct waiting
    {
        base::atomic<std::uint32_t> word{0};  // moves when it is to look again
        bool done = false;
        bool interrupted = false;  // a signal, while it waited
        bool asleep = false;       // in the list
        bool unasked = false;      // waits for what was not asked for
        bool sends = false;        // waits for somebody to send to
        request_id id = 0;         // what it waits for; 0: none
        call_outcome outcome{};
        waiting *next = nullptr, *before = nullptr;
    };
    // A request with a handler. Kept, and used again.
    struct handled
    {
        call_handler handler{};
        held_parts parts{};
        std::string texts{};  // what its options look at
        call_outcome outcome{};
        request_id id = 0;
        handled *next = nullptr;
        // Nothing of the request is left behind it.
        void call ();
    };
    // A request under way, by the slot of its id. who or by has it.
    struct pending
    {
        request_id id = 0;
        service *of = nullptr;  // null: over
        call_options options{};
        std::span<base::message> parts{};
        waiting *who = nullptr;
        handled *by = nullptr;
        bool forced = false;   // how it ends is said already
        bool refused = false;  // by whoever was asked last
        unsigned full = 0;     // how many had no room
        [[nodiscard]] call_outcome &outcome () const noexcept
        {
            return who != nullptr ? who->outcome : by->outcome;
        }
    };

    // A message to a provider: one small part as octets behind its head, or parts.
    struct outgoing
    {
        outgoing () noexcept {}
        request_id id = 0;  // 0: nobody waits for it
        std::uint16_t attempt = 0;
        provider_number to = 0;
        base::errc bad = base::errc::ok;
        bool copied = false;  // body is all of it
        short_octets head, body;
        held_parts parts{};
    };

    // What is owed when the lock is let go of, by a thread inside.
    struct work
    {
        base::time_ns now_ns = 0;
        waiting *self = nullptr;
        std::vector<outgoing> out{};
        std::vector<waiting *> wake{};
        std::vector<std::string> wanted{};
        std::vector<provider_number> let_go{};
        base::time_ns due_ns = base::never_ns;
        bool kick = false;
    };

    gateway (base::world &world, const gateway_settings &settings);
    base::result<void> open_socket (void *context);
    base::result<void> open_kicker ();
    base::result<void> start_handlers ();

    // --- under the lock ---
    [[nodiscard]] service *service_locked (std::string_view name, work &owed) noexcept;
    [[nodiscard]] base::errc begin_locked (std::string_view name,
                                           const call_options &options,
                                           waiting *who,
                                           handled *by,
                                           work &owed,
                                           request_id &id) noexcept;
    [[nodiscard]] pending &at (request_id id) noexcept;
    [[nodiscard]] request_id submit_quick (std::string_view name,
                                           held_parts &parts,
                                           const call_options &options,
                                           call_handler &handler) noexcept;
    [[nodiscard]] handled *take_handled_locked () noexcept;
    void give_handled_locked (handled *first) noexcept;
    [[nodiscard]] waiting *take_waiting_locked () noexcept;
    void give_waiting_locked (waiting &which) noexcept;
    void end_locked (call_status how) noexcept;
    void closed_locked (work &owed) noexcept;
    void force_locked (pending &which, call_status how) noexcept;

    // --- steps (gateway_steps.cpp), under the lock ---
    void settle_locked (work &owed) noexcept;
    void send_step_locked (const request_step &step, work &owed) noexcept;
    void note_request_sent_locked (pending &which, std::uint16_t attempt, provider_number to) noexcept;
    [[nodiscard]] std::optional<provider_number>
    choose_locked (pending &which, std::span<const provider_number> excluded) noexcept;
    [[nodiscard]] base::bytes_view encoded_locked (const wire::gateway_head &head);
    void write_request_locked (base::time_ns now, const pending &which, outgoing &to);
    [[nodiscard]] static std::uint64_t time_left_us (base::time_ns now, const call_options &options) noexcept;
    static void put_body (std::span<base::message> parts, outgoing &to);
    void put_locked (work &owed,
                     provider_number whom,
                     const wire::gateway_head &head,
                     std::span<base::message> parts);
    void say_locked (provider_number to, const wire::gateway_head &head, work &owed) noexcept;
    void cancel_step_locked (const request_step &step, work &owed) noexcept;
    void end_step_locked (const request_step &step, work &owed) noexcept;
    void report_locked (const outgoing &failed, work &owed) noexcept;
    void probe_locked (work &owed) noexcept;
    void let_go_locked (work &owed) noexcept;

    // --- waiting (gateway_waiting.cpp), under the lock ---
    void list_locked (waiting &which) noexcept;
    void unlist_locked (waiting &which) noexcept;
    void wake_locked (waiting &which, work &owed) noexcept;
    void wake_handlers_locked (work &owed) noexcept;
    void hand_on_locked (work &owed) noexcept;
    void room_locked (work &owed) noexcept;
    void await_locked (waiting &self, base::time_ns until, work &owed) noexcept;
    void wait_turn_locked (waiting &self, base::time_ns until, work &owed) noexcept;
    void read_one_locked (work &owed) noexcept;
    void take_ahead_locked (std::span<base::headed_message> all, work &owed) noexcept;
    [[nodiscard]] base::io_count read_message () noexcept;
    void drain_locked (work &owed) noexcept;

    // --- what comes (gateway_reading.cpp), under the lock ---
    void take_locked (std::span<base::message> got, work &owed) noexcept;
    void take_from_locked (provider_number from, std::span<base::message> got, work &owed) noexcept;
    void take_gone_locked (provider_number from, work &owed) noexcept;
    void take_recalled_locked (provider_number from, std::span<base::message> got, work &owed);
    void take_message_locked (provider_number from, std::span<base::message> got, work &owed);
    void take_reply_locked (provider_number from,
                            const wire::gateway_numbers &head,
                            std::span<base::message> body);
    void take_failure_locked (provider_number from, const wire::gateway_head &head, work &owed);
    void take_unasked_locked (provider_number from,
                              const wire::gateway_head &head,
                              std::span<base::message> body,
                              work &owed);

    // --- the lock is let go of ---
    // Does what is owed; the lock is free afterwards.
    void leave (work &owed) noexcept;
    [[nodiscard]] base::io_count send_out (outgoing &what) noexcept;
    // False: something could not be sent, and is still in owed.out.
    [[nodiscard]] bool perform (work &owed) noexcept;
    base::result<void> dial (provider_number number) noexcept;
    base::result<void> dial_new () noexcept;
    void kick () noexcept;
    void kick_sender () noexcept;
    [[nodiscard]] std::optional<provider_number> choose_locked (
      service &of, const call_options &options, std::span<const provider_number> excluded) noexcept;
    [[nodiscard]] base::io_count send_locked (service &to,
                                              std::optional<provider_number> chosen,
                                              std::span<base::message> parts,
                                              const call_options &options,
                                              bool wait,
                                              waiting &self,
                                              work &owed) noexcept;
    [[nodiscard]] base::io_count send_one_locked (service &of,
                                                  provider_number to,
                                                  std::span<base::message> parts,
                                                  const call_options &options,
                                                  bool wait,
                                                  work &owed) noexcept;
    void note_sent_locked (service &of) noexcept;
    void prepare_locked (service &of, provider_number only) noexcept;
    void take_back_prepared_locked () noexcept;
    void check_prepared_locked () noexcept;
    [[nodiscard]] bool choose_quick (std::string_view name, quick_send &to) noexcept;
    [[nodiscard]] bool choose_last_locked (quick_send &to) noexcept;
    [[nodiscard]] base::errc
    await_somebody_locked (base::time_ns deadline, bool wait, waiting &self, work &owed) noexcept;
    void look_at_news_locked (work &owed) noexcept;
    void serve_handlers () noexcept;
    void call_handlers_locked (work &owed) noexcept;
    // Of requests: the calling thread is about to call handlers, which may have more.
    [[nodiscard]] bool more_follow () const noexcept;

    // Notes that something has come, for those who only send.
    class news_teller final : public base::watcher
    {
      public:
        void wake () noexcept override { news_.store (true, std::memory_order_release); }
        [[nodiscard]] bool any () const noexcept { return news_.load (std::memory_order_relaxed); }
        [[nodiscard]] const base::atomic<bool> &news () const noexcept { return news_; }
        [[nodiscard]] bool take () noexcept
        {
            return any () && news_.exchange (false, std::memory_order_acquire);
        }

      private:
        base::atomic<bool> news_{true};
    };

    base::world &world_;
    gateway_settings settings_;
    void *context_ = nullptr;
    void *socket_ = nullptr;
    void *kicker_ = nullptr;
    std::unique_ptr<base::joinable> thread_;
    base::atomic<bool> handlers_run_{false};  // thread_ is there

    waiting_lock lock_;
    waiting_lock dial_lock_;  // the name of the next connection, and the connection
    bool closed_ = false;     // by close(), or with the context
    bool leaving_ = false;    // by close()
    unsigned users_ = 0;
    bell left_;
    request_table table_;
    provider_set providers_;
    service *last_asked_ = nullptr;     // by name
    service *last_sent_ = nullptr;      // to which a message went last
    std::uint32_t last_head_size_ = 0;  // and what stood in front of it
    std::array<std::byte, quick_head_bytes> last_head_{};
    service *prepared_for_ = nullptr;  // what the socket sends by itself, of a service with one provider
    provider_number prepared_to_ = 0;
    std::uint64_t prepared_sent_ = 0;  // messages, when another service was sent something
    provider_name prepared_name_{};
    std::array<std::byte, quick_head_bytes> prepared_behind_{};
    base::prepared_head prepared_{};
    std::deque<pending> pending_;
    std::deque<waiting> waiting_;
    waiting *idle_ = nullptr;  // of these, in nobody's use
    waiting *leader_ = nullptr;
    waiting *first_asleep_ = nullptr, *last_asleep_ = nullptr;
    waiting handlers_{};                                          // their thread
    waiting reader_{};                                            // who only looks
    handled *first_handled_ = nullptr, *last_handled_ = nullptr;  // over, and not called
    handled *spare_handled_ = nullptr;                            // in nobody's use
    std::size_t spare_handled_count_ = 0;
    std::deque<unasked> inbox_;
    std::vector<std::byte> scratch_;
    std::vector<base::message> incoming_;                      // the leader's
    std::array<base::headed_message, replies_at_once> ahead_;  // the leader's
    bool more_read_ = false;                                   // behind those that were taken last
    base::time_ns seen_ns_ = 0;                                // when somebody has last read
    gateway_counters counters_{};
    std::shared_ptr<news_teller> teller_;
};

}  // namespace zlink::service
