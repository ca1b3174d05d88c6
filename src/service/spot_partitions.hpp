// Partitioned, ordered topics of a node of SPOT: what a partition host decides, over the
// node's messages and a connection to each grantor (docs/protocol/partitions.md,
// grants.md).
//
// Thread rule: every call from any thread; what comes is taken in by whoever reads the
// node's socket, what is due by the loop. Blocking: publish() until it is known what
// became of it, receive() until its deadline, close() for as long as a farewell takes.
// Lifetime: world, context and loop outlive it. Held by a shared_ptr, and holds the node;
// close() before the node's, and before it is dropped. Subscriptions hold it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/poller.hpp"
#include "base/threads.hpp"
#include "base/world.hpp"
#include "service/news_descriptor.hpp"
#include "service/partition_host.hpp"
#include "service/registry_line.hpp"
#include "service/service_loop.hpp"
#include "service/spot_extension.hpp"
#include "service/spot_node.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

class spot_partitions;

// What a subscriber is told: a message, a gap, an epoch's beginning, a second owner, and
// who owns a partition when that changes. The latter stands in no line with the others, and
// of several changes the last one is told.
struct ordered_event
{
    std::uint32_t partition = 0;
    reader_event event{};
    std::uint64_t behind = 0;  // of a message: so many were numbered behind it, as far as this node knows
    // Of a message; while event is there.
    [[nodiscard]] std::string_view key () const noexcept { return octets ().key; }
    [[nodiscard]] std::string_view body () const noexcept { return octets ().body; }

  private:
    [[nodiscard]] wire::partition_octets octets () const noexcept
    {
        return event.entry.octets == nullptr ? wire::partition_octets{}
                                             : wire::split_partition_octets (*event.entry.octets);
    }
};

// A subscriber of one topic, with a queue of its own. What it has no room for is asked for
// later, from the owner's ring; what is not there any more is told as a gap.
class spot_ordered
{
  public:
    spot_ordered (std::shared_ptr<spot_partitions> of,
                  std::uint64_t number,
                  std::string_view topic,
                  std::size_t room)
      : of_ (std::move (of)), number_ (number), topic_ (topic), room_ (room)
    {
    }
    ~spot_ordered () { close (); }
    spot_ordered (const spot_ordered &) = delete;
    spot_ordered &operator= (const spot_ordered &) = delete;

    // The next, in order for each partition. would_block (deadline 0), timed_out,
    // interrupted; terminated: it is closed, or its node is.
    base::result<void> receive (ordered_event &out, base::time_ns deadline) noexcept;
    // For those who wait elsewhere; as spot_subscription::descriptor().
    base::result<base::io_handle> descriptor () noexcept;
    // A thread calls it with all that comes, until the handler is stopped or the subscriber is
    // closed; nobody receives meanwhile. What it is given is borrowed. no_memory, and as threads
    // fail. Precondition: there is none.
    base::result<void> start_handler (std::function<void (const ordered_event &event)> handler) noexcept;
    // It has returned behind it. Not to be called by it.
    void stop_handler () noexcept;
    // Who waits for it hears of it.
    void close () noexcept;

  private:
    friend class spot_partitions;
    void run_handler () noexcept;

    const std::shared_ptr<spot_partitions> of_;
    const std::uint64_t number_;
    const std::string topic_;
    const std::size_t room_;
    // The next ones under the lock of the partitions.
    struct ownership
    {
        std::uint64_t node = 0;
        epoch of{};
        bool is_news = false;
    };
    std::deque<ordered_event> queue_;
    std::vector<ownership> owners_;  // by partition
    std::size_t owners_news_ = 0;    // so many of them
    std::size_t owners_from_ = 0;    // where the next one is looked for
    bool closed_ = false;
    bool quits_ = false;  // the handler's thread
    bool was_full_ = false;
    news_descriptor descriptor_;
    // Of who starts and stops the handler.
    std::function<void (const ordered_event &event)> handler_;
    std::unique_ptr<base::joinable> thread_;
};

class spot_partitions final : public spot_extension,
                              public std::enable_shared_from_this<spot_partitions>,
                              private partition_ways
{
  public:
    // Extends a node that has no extension. too_many_sockets, terminated, no_memory.
    static base::result<std::shared_ptr<spot_partitions>> open (base::world &world,
                                                                void *context,
                                                                const std::shared_ptr<service_loop> &loop,
                                                                std::shared_ptr<spot_node> node) noexcept;
    spot_partitions (base::world &world, std::shared_ptr<spot_node> node);
    ~spot_partitions () override;

    // One of the fixed list of registries that grant partitions, before the first topic is
    // declared; the list is the same at every node, or all of all lists have one store.
    // wrong_state: too late; invalid_argument: one too many; else as the facade's connect.
    base::result<void> add_grantor (std::string_view endpoint) noexcept;
    // An option of the socket to the grantors; counts for those that are added later.
    base::result<void> set_option (int number, const void *value, std::size_t size) noexcept;

    // A topic has so many partitions; the same at every node that uses it. invalid_argument:
    // no topic, no such number, or declared otherwise; no_memory, terminated.
    base::result<void> declare (std::string_view topic, const partitioned_topic &how) noexcept;

    // To the partition of the key, and until it is known what became of it: at the deadline
    // at the latest. Errors before anything was sent: invalid_argument: it is not declared, or
    // the key is too long (wire::partition_key_bytes_max); would_block: so many are under way
    // (publishes_under_way_max); no_memory. terminated: perhaps it was sent. A signal
    // interrupts nothing here.
    base::result<publish_outcome> publish (std::string_view topic,
                                           std::string_view key,
                                           base::bytes_view body,
                                           base::time_ns deadline) noexcept;

    // The same without waiting: `by` is told once, with the outcome or terminated, on the loop's
    // thread or by who ends this; never within this call, nor after one that failed. It returns
    // soon, and throws nothing.
    using publish_listener = std::function<void (const base::result<publish_outcome> &outcome)>;
    base::result<void> publish_async (std::string_view topic,
                                      std::string_view key,
                                      base::bytes_view body,
                                      base::time_ns deadline,
                                      publish_listener by) noexcept;

    // All partitions, from there in each. room: messages in its queue, at least 1.
    // invalid_argument: it is not declared; no_memory, terminated.
    base::result<std::unique_ptr<spot_ordered>>
    subscribe (std::string_view topic, read_from how, std::uint64_t value, std::size_t room) noexcept;

    // no_such_endpoint: it is not declared, or has no such partition.
    [[nodiscard]] base::result<partition_state> state (std::string_view topic,
                                                       std::uint32_t partition) noexcept;

    // Topics that are declared. May throw std::bad_alloc.
    [[nodiscard]] std::vector<partition_host::declared> all_declared ();

    // Gives back what it owns, and is of no use any more.
    void close () noexcept;

    // --- the node's ---
    bool took (const spot_item &item) noexcept override;
    bool heard (std::uint64_t from, std::uint16_t kind, base::bytes_view fields) noexcept override;
    void doubted () noexcept override;
    void came (std::uint64_t node) noexcept override;
    void gone (std::uint64_t node) noexcept override;
    base::time_ns advance (base::time_ns) noexcept override { return base::never_ns; }

  private:
    friend class spot_ordered;
    // Its place in the loop.
    class turning;
    struct awaited
    {
        bool done = false;
        publish_outcome outcome{};
        publish_listener by{};  // empty: somebody waits
    };
    using tickets = std::map<std::uint64_t, awaited>;

    // --- the host's, under the lock ---
    void post (std::uint64_t to, const wire::partition_letter &letter) override;
    void send (std::string_view topic, const wire::partition_stamp &stamp, std::string_view octets) override;
    void ask (const partition_ref &which, const grant_question &question) override;
    void published (std::uint64_t ticket, const publish_outcome &outcome) override;
    void owned (const partition_ref &which, std::uint64_t node, const epoch &of) noexcept override;
    void told (std::uint64_t subscription, const partition_ref &which, const reader_event &event) override;
    bool has_room (std::uint64_t subscription) override;

    // Answers its ticket, which stands in awaited_ or, if nobody waits for it, maybe in finished_.
    base::result<std::uint64_t> begin (std::string_view topic,
                                       std::string_view key,
                                       base::bytes_view body,
                                       base::time_ns deadline,
                                       publish_listener by);
    static void tell (const tickets &all) noexcept;
    base::result<void> open_line (void *context, const std::shared_ptr<service_loop> &loop);
    [[nodiscard]] loop_wish turn (base::time_ns now);
    [[nodiscard]] base::time_ns move_on_locked (base::time_ns now);
    void take_news (base::time_ns boot, const line_news &news);
    void end_all () noexcept;
    void wake () noexcept;
    base::result<void> receive (spot_ordered &by, ordered_event &out, base::time_ns deadline) noexcept;
    // True: there was something. Under the lock.
    [[nodiscard]] bool take_locked (spot_ordered &by, ordered_event &out) noexcept;
    static void take_owner (spot_ordered &by, ordered_event &out) noexcept;
    void leave (spot_ordered &which) noexcept;
    static void end_locked (spot_ordered &which) noexcept;

    base::world &world_;
    std::unique_ptr<service_loop::seat> seat_;

    waiting_lock lock_;  // of the next ones; behind the node's table lock
    bell news_;
    std::shared_ptr<spot_node> node_;          // null: over
    std::shared_ptr<spot_subscription> wish_;  // so that the topics come
    registry_line line_;
    std::unique_ptr<partition_host> host_;  // null: nothing is declared
    tickets awaited_;
    tickets finished_;  // whose listeners are to be told
    std::map<std::uint64_t, spot_ordered *> subscriptions_;
    std::uint64_t numbers_ = 0;         // of tickets and subscriptions
    std::vector<std::uint64_t> nodes_;  // that are there
    std::vector<std::byte> octets_;
    bool over_ = false;
};

}  // namespace zlink::service
