// A node of SPOT: programs publish to topics and subscribe to them, and name no address.
//
// Sockets: an XPUB, from which other nodes and this one itself (inproc) read, and a SUB,
// which reads from all of them (docs/protocol/spot.md). So a message between nodes goes the
// way that PUB and SUB go, and one inside a node the way of their inproc link: whoever
// publishes sends, whoever receives reads, and there is no thread between. What a thread
// reads for others it puts in their queues. The loop of services reads where nobody does,
// and sees to who is there.
//
// Order: of one node's messages to a topic, every subscription sees those that it gets in
// the order in which they were published, once. What is missing is told as a gap: one
// that a queue of this node had no room for in its place; one of a publisher in front of what
// was read at once with it; one of a connection behind what had come over it, unless that
// ended with a farewell; and without a number in front of whatever meanwhile does not follow
// what came before.
//
// A handler runs on a thread of its subscription's, so that a slow one delays only its own.
//
// Partitions: extend() says who gets what is ordered (spot_extension.hpp); post(), send() and
// wake() are for it. Subscriptions get nothing of it.
//
// Thread rule: any thread, unless said. Blocking: receive() until its deadline, publish()
// where it is told to wait; ending a subscription or the node, until its handler has
// returned and the loop has let go.
// Lifetime: world, context and loop outlive it; subscriptions hold the node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/adaptive_spin.hpp"
#include "base/error.hpp"
#include "base/same_octets.hpp"
#include "base/world.hpp"
#include "service/discovery.hpp"
#include "service/limits.hpp"
#include "service/news_descriptor.hpp"
#include "service/service_loop.hpp"
#include "service/spot_batch.hpp"
#include "service/spot_beginning.hpp"
#include "service/spot_extension.hpp"
#include "service/spot_interest.hpp"
#include "service/spot_mesh.hpp"
#include "service/spot_queue.hpp"
#include "service/waiting_lock.hpp"
#include "socket/facade.hpp"
#include "wire/row.hpp"
#include "wire/spot_message.hpp"

namespace zlink::service {

class spot_node;

// One subscriber with any number of topics, prefixes and patterns, and one queue.
class spot_subscription;

struct spot_node_settings
{
    std::uint64_t id = 0;                        // 0: drawn
    int hwm = 100'000;                           // messages to and from each node
    waiting_lock::word *publish_word = nullptr;  // of the lock of publishers; outlives it. Null: its own
};

struct spot_node_counters
{
    std::uint64_t published = 0;
    std::uint64_t received = 0;   // from other nodes and our own, letters not counted
    std::uint64_t delivered = 0;  // to subscriptions
    std::uint64_t unwanted = 0;   // received, and nobody wanted it any more
    std::uint64_t repeated = 0;   // came by another connection before
    std::uint64_t malformed = 0;
    std::uint64_t missed = 0;  // by us, as publishers told
    std::uint64_t broken = 0;  // connections
};

// Called with what came, and with gaps; what it is given is borrowed. False: for a
// message there was no memory.
using spot_handler = std::function<bool (const spot_item &item)>;

class spot_subscription final : public spot_interested
{
  public:
    // hand_word: of the lock of take_at_hand_locked(); outlives it. Null: its own.
    spot_subscription (std::shared_ptr<spot_node> of,
                       const spot_bounds &bounds,
                       waiting_lock::word *hand_word = nullptr);
    ~spot_subscription () { close (); }
    spot_subscription (const spot_subscription &) = delete;
    spot_subscription &operator= (const spot_subscription &) = delete;

    // Wishes add up: two of the same take two to end; a message comes once however many
    // match. invalid_argument: it is none, or was not there; no_memory, terminated. What
    // this node publishes behind it comes.
    base::result<void> subscribe (spot_match how, std::string_view what) noexcept;
    base::result<void> unsubscribe (spot_match how, std::string_view what) noexcept;
    // For what comes from now on.
    void set_bounds (const spot_bounds &bounds) noexcept;
    [[nodiscard]] spot_bounds bounds () noexcept;

    // The next message or gap, borrowed until the next call. would_block: nothing is there
    // (deadline 0), timed_out, interrupted; terminated: closed, or its node or context was;
    // connection_aborted: it was disconnected, as its policy says, and all is read;
    // wrong_state: it has a handler; in_progress: another thread is receiving.
    base::result<void> receive (spot_item &out, base::time_ns deadline) noexcept;
    // The same of what was fetched together with the one before, with its lock held. False:
    // nothing is at hand, or another is receiving.
    [[nodiscard]] bool take_at_hand_locked (spot_item &out) noexcept
    {
        return !busy_.load (std::memory_order_acquire) && at_hand (out);
    }
    // Of that only what stands as it was read, where it stands. Null: ask for the others.
    [[nodiscard]] const spot_plain *take_read_locked () noexcept
    {
        return busy_.load (std::memory_order_acquire) ? nullptr : read_.next ();
    }

    // For the message that it received last there was no memory: that is counted, and told as
    // a gap behind what has been fetched.
    void lose_one () noexcept;

    // For those who wait elsewhere: readable while receive() may find something; only one that
    // finds nothing takes that back. Its own. From the first call on it does not count as one
    // that reads: the loop does, where nobody else does. not_supported; too_many_files, no_memory.
    base::result<base::io_handle> descriptor () noexcept;

    // From now on a thread calls it with everything that comes; empty: no longer. Not to be
    // called by a handler of the same. in_progress: somebody is receiving; no_memory, and
    // as threads fail.
    base::result<void> set_handler (spot_handler handler) noexcept;

    // Nothing comes any more; who waits for it hears of it. Not to be called by its handler.
    void close () noexcept;

    [[nodiscard]] spot_queue_counters counters () noexcept;
    [[nodiscard]] std::size_t waiting () noexcept;  // messages

  private:
    friend class spot_node;
    struct wish
    {
        spot_match how;
        std::string what;
        bool operator== (const wish &) const = default;
    };
    struct digest
    {
        std::size_t operator() (const wish &of) const noexcept
        {
            return std::hash<std::string> () (of.what) + static_cast<std::size_t> (of.how);
        }
    };
    using wish_set = std::unordered_multiset<wish, digest>;

    base::result<void> next (spot_item &out, base::time_ns deadline) noexcept;
    [[nodiscard]] bool begin_locked () noexcept;
    [[nodiscard]] bool at_hand (spot_item &out) noexcept
    {
        const spot_plain *const read = read_.next ();
        if (read == nullptr)
            return hand_.next (out);
        out.show (*read);
        return true;
    }
    [[nodiscard]] base::errc fetch () noexcept;
    void run_handler () noexcept;
    // False: another receives.
    [[nodiscard]] bool begin_handling () noexcept;
    void end_handling () noexcept;
    void stop_handler () noexcept;
    // By who dispatches, under the table lock; the lock of the queue is held from the first
    // thing of a batch on until let_go(), so that many take it once. put, false: it has no
    // room, and is to be waited for; it has had this frame already: nothing happens.
    void hold_on () noexcept
    {
        if (!dispatching_) [[unlikely]]
            begin_holding ();
    }
    void begin_holding () noexcept;
    void let_go () noexcept;
    [[nodiscard]] bool put (const spot_item &what, std::uint64_t frame) noexcept;
    // Of whoever reads for itself: it has the message, which stands in the memory that it
    // gets behind the batch. False: put() it is.
    [[gnu::always_inline, nodiscard]] bool put_at_hand (const spot_plain &what, std::uint64_t frame) noexcept
    {
        hold_on ();
        if (closed_ || disconnected_ || frame_ == frame) [[unlikely]]
            return true;
        if (!read_.ready () || !queue_.pass (what))
            return false;
        read_.add (what);
        frame_ = frame;
        return true;
    }
    // Many like that: room for them, each one, and all at once. Nothing else comes between.
    struct handing
    {
        spot_queue::passage room{};
        spot_queue::passage given{};
    };
    [[nodiscard]] handing begin_handing () noexcept
    {
        hold_on ();
        if (closed_ || disconnected_ || !read_.ready ()) [[unlikely]]
            return {};
        handing fresh{.room = queue_.free_passage ()};
        fresh.room.messages = std::min (fresh.room.messages, read_.room ());
        return fresh;
    }
    [[gnu::always_inline, nodiscard]] bool put_at_hand (const spot_plain &what, handing &by) noexcept
    {
        const std::size_t bytes = by.given.bytes + spot_queue::bytes_of (what);
        if (by.given.messages == by.room.messages || bytes > by.room.bytes)
            return false;
        read_.add (what);
        ++by.given.messages;
        by.given.bytes = bytes;
        return true;
    }
    void end_handing (const handing &by, std::uint64_t last_frame) noexcept
    {
        queue_.pass_many (by.given);
        frame_ = last_frame;
    }
    // Many for which there is room for certain: how many, each one, and behind the last.
    [[nodiscard]] spot_queue::passage sure_room () noexcept
    {
        hold_on ();
        return closed_ || disconnected_ ? spot_queue::passage{} : queue_.sure_room ();
    }
    void put_sure (const spot_item &what) noexcept { (void)queue_.push (what); }
    void end_putting (std::uint64_t last_frame) noexcept
    {
        frame_ = last_frame;
        rouse_locked ();
    }
    void put_gap (spot_gap why, std::uint64_t missing) noexcept;
    void rouse_locked () noexcept;
    // Who is receiving need not wait.
    [[nodiscard]] bool has_news () noexcept;
    [[nodiscard]] bool has_news_locked () const noexcept;
    void end () noexcept;
    void wake () noexcept;
    // Behind a receive(): may the next find something?
    void note_descriptor (base::errc last) noexcept;
    // It reads, or will soon: the loop need not.
    void attended () noexcept;
    // Who waits looks again. Any thread.
    void ring () noexcept;
    // Until the word is another than that. Of who receives.
    [[nodiscard]] base::wait_outcome await_ring (std::uint32_t than, base::time_ns deadline) noexcept;
    void give_back (const wish &which) noexcept;
    [[nodiscard]] base::time_ns world_time () const noexcept;

    const std::shared_ptr<spot_node> node_;
    waiting_lock hand_lock_;           // who begins to receive holds it
    base::atomic<bool> busy_{false};   // somebody is receiving
    bool handled_ = false;             // by its handler; under hand_lock_
    base::atomic<bool> quits_{false};  // the handler's thread
    spot_batch read_;                  // of whoever is receiving; in front of
    spot_block hand_;                  // what was fetched

    waiting_lock lock_;  // of the next ones
    spot_queue queue_;
    bool closed_ = false;
    bool disconnected_ = false;
    bool asleep_ = false;
    news_descriptor descriptor_;
    base::atomic<bool> watched_{false};  // it has one
    // On a line of its own, at which who receives may be looking.
    alignas (64) base::atomic<std::uint32_t> word_{0};
    base::atomic<bool> sleeps_{false};      // until the word moves
    base::adaptive_spin looks_;             // whether looking at it has helped lately; of who receives
    alignas (64) std::uint64_t frame_ = 0;  // that it got last
    bool dispatching_ = false;              // of who dispatches: he has the lock

    waiting_lock handler_lock_;  // of the next ones
    spot_handler handler_;
    std::unique_ptr<base::joinable> thread_;
    wish_set wishes_;  // under the node's table lock
};

class spot_node final : public served, public std::enable_shared_from_this<spot_node>
{
  public:
    // no_memory, too_many_sockets, terminated, bad_address.
    static base::result<std::shared_ptr<spot_node>> open (base::world &world,
                                                          void *context,
                                                          const std::shared_ptr<service_loop> &loop,
                                                          const spot_node_settings &settings) noexcept;
    spot_node (base::world &world, void *context, std::uint64_t id, waiting_lock::word *publish_word);
    ~spot_node () override;

    [[nodiscard]] std::uint64_t id () const noexcept { return id_; }
    // Which of the two sockets: options are the facade's, and set before what they are for.
    [[nodiscard]] void *publisher () const noexcept { return out_; }
    [[nodiscard]] void *subscriber () const noexcept { return in_; }
    // Of the one that reads, as the facade's set_option; HEARTBEAT_TTL goes with HEARTBEAT_IVL,
    // so that who is read bears the longer silence, until it is set itself.
    base::result<void> set_subscriber_option (int number, const void *value, std::size_t size) noexcept;

    // The endpoint as it is bound. As the facade's bind.
    base::result<std::string> bind (std::string_view endpoint) noexcept;
    // Where others reach us, instead of the last endpoint that was bound. invalid_argument: it is
    // none, or nobody reaches us there.
    base::result<void> advertise (std::string_view endpoint) noexcept;

    // What that node publishes is read from now on, or no longer; it does not read us.
    // Errors as the facade's connect and disconnect.
    base::result<void> add_peer (std::string_view endpoint) noexcept;
    base::result<void> remove_peer (std::string_view endpoint) noexcept;
    // Everybody whom that node knows, and who comes to know it, is connected both ways. With
    // an empty one this node only lets others join.
    base::result<void> join (std::string_view seed) noexcept;
    // Takes that back: of one seed, or (empty) of all, and of being known. no_such_endpoint: it
    // was not.
    base::result<void> leave (std::string_view seed) noexcept;
    // All of a service of the family of SPOT. One at a time; null: none.
    base::result<void> join_by (std::shared_ptr<discovery> registry, std::string_view service) noexcept;
    // What that instance has registered is this node, and not read once more. 0: none.
    void be_registered_by (std::uint64_t instance) noexcept;

    // One part, or several; a topic that nobody wants costs a look. On success the parts
    // are taken. A node that has no room loses it and is told so, unless the publisher's
    // socket has XPUB_NODROP: would_block (deadline 0) then, or it waits: timed_out,
    // interrupted. invalid_argument: no topic; message_too_long, no_memory, terminated.
    base::result<void>
    publish (std::string_view topic, base::bytes_view body, base::time_ns deadline) noexcept;
    base::result<void>
    publish (std::string_view topic, std::span<base::message> parts, base::time_ns deadline) noexcept;
    // The same of a small body that everybody who wants it has room for, with the lock of
    // publishers held.
    enum class quickly : std::uint8_t
    {
        no,    // nothing was done, and publish() is to do it or to say what is wrong
        done,  //
        look,  // done, and keep_near() is due, without the lock
    };
    [[gnu::always_inline, nodiscard]] quickly publish_quick_locked (std::string_view topic,
                                                                    base::bytes_view body) noexcept
    {
        if (body.size () > spot_packed_bytes_max)
            return quickly::no;
        if (!base::same_octets (opening_topic_, topic) || topic.empty ()) [[unlikely]]
            if (!open_topic_locked (topic))
                return quickly::no;
        const bool in_row = body.size () <= wire::row_item_bytes_max;
        if (in_row != (next_.row != 0)) [[unlikely]]
            open_row_locked (in_row);
        next_.rest = body;
        next_.row = in_row ? next_.name : 0;
        next_.number = number_ + 1;
        return socket::send_joined (out_stands_, next_).ok () ? count_published_locked (body.size ())
                                                              : quickly::no;
    }
    // A publisher that loses nothing gives the reader in its own node, where it is so far behind
    // that caches have lost what it has not read, a moment (spot_near_ns) to come nearer, while
    // that helps. Without locks.
    void keep_near () noexcept;

    // Until so many other nodes are there that read us. timed_out, interrupted, terminated.
    base::result<void> wait_nodes (std::size_t count, base::time_ns deadline) noexcept;
    [[nodiscard]] std::size_t nodes () noexcept;
    [[nodiscard]] spot_node_counters counters () noexcept;
    // What its subscriptions want, and how often. May throw std::bad_alloc.
    struct wished
    {
        spot_match how = spot_match::exact;
        std::string what{};
        std::uint32_t count = 0;
    };
    [[nodiscard]] std::vector<wished> all_wished ();

    // Says farewell, ends its subscriptions and closes its sockets.
    void close () noexcept;

    // --- partitions ---------------------------------------------------------------------

    // Once. It is told of those who are there already, but nothing that came before. May
    // throw std::bad_alloc, and nothing has changed then.
    void extend (std::shared_ptr<spot_extension> by);
    // A letter to a node, or to all (0). False: it could not be sent now. May be called
    // anywhere but under the publishing lock.
    bool post (std::uint64_t to, std::uint16_t kind, base::bytes_view fields) noexcept;
    // An ordered message: fields, at most spot_head_bytes_max - spot_head_bytes, go in its
    // head. Errors as publish(); the parts are shared, not taken.
    base::result<void>
    send (std::string_view topic, base::bytes_view fields, std::span<base::message> parts) noexcept;
    // advance() of the extension is called soon.
    void wake () noexcept;

    // --- the loop's ---
    void sockets (std::vector<socket::poll_item> &wanted) override;
    loop_wish advance (base::time_ns now) override;
    void ended () noexcept override;

  private:
    friend class spot_subscription;
    class listener;

    // What was read and is not handed on yet; of who leads.
    struct reading
    {
        spot_memory memory{};
        std::array<base::bytes_view, spot_batch_frames> frames{};  // in it
        std::array<bool, spot_batch_frames> goes_on{};             // in the row of the one before
        std::size_t count = 0;
        std::size_t at = 0;
        // If that goes on: what its row begins with, in memory; empty: it cannot be read. And the
        // number of the first message of it.
        base::bytes_view row_front{};
        std::uint64_t row_number = 0;
        std::vector<base::message> parts{};  // of one message, instead
        std::size_t parts_count = 0;
        spot_subscription *by = nullptr;  // who leads, and has nothing at hand; null: the loop
        std::uint64_t frame = 0;          // counts
        bool entered = false;             // the one at hand is known to be new
        std::size_t row_bytes = 0;        // of the row at hand: what was taken
        std::uint64_t row_taken = 0;      // likewise, messages
        bool doubtful = false;            // something is missing, perhaps between what was read
        unsigned broke = 0;               // connections that are not settled
        unsigned batches_since = 0;       // likewise, read
        int timeout_ms = -1;              // of the socket
    };
    struct heard_publisher
    {
        std::uint64_t last = 0;  // number
        std::uint64_t doubt = 0;
        std::uint64_t frame = 0;
        bool has_left = false;  // it said farewell
    };

    base::result<void> open_sockets (const spot_node_settings &settings);
    base::result<void> listen ();

    // --- publishing (spot_publishing.cpp) ---
    [[nodiscard]] base::errc wait_room (base::time_ns deadline) noexcept;
    [[nodiscard]] base::errc refused (base::errc why, base::time_ns deadline) noexcept;
    base::result<quickly> send_parts (std::string_view topic,
                                      const wire::spot_head &head,
                                      std::span<base::message> parts,
                                      base::time_ns deadline);
    base::result<void>
    publish_copied (std::string_view topic, base::bytes_view body, base::time_ns deadline) noexcept;
    base::result<void>
    send_one (base::bytes_span frame, std::size_t number_at, base::time_ns deadline) noexcept;

    // --- reading (spot_reading.cpp) ---
    // ok: something may have come; would_block; else as the facade's receive.
    [[nodiscard]] base::errc attend (spot_subscription &self, base::time_ns deadline) noexcept;
    [[nodiscard]] base::errc follow (spot_subscription &self, base::time_ns deadline) noexcept;
    [[nodiscard]] bool try_lead () noexcept { return !leading_.exchange (true, std::memory_order_seq_cst); }
    void lead_off () noexcept;
    void hand_on () noexcept;
    // The front says whether it is one of a row, and has another name then.
    void open_row_locked (bool in_row) noexcept
    {
        opening_[next_.number_at - wire::spot_number_in_head + wire::spot_flags_in_head] =
          static_cast<std::byte> (in_row ? wire::spot_flag_row : 0u);
        ++next_.name;
    }
    [[nodiscard]] quickly count_published_locked (std::size_t bytes) noexcept
    {
        ++number_;
        unlooked_bytes_ += bytes;
        if (unlooked_bytes_ < spot_look_bytes) [[likely]]
            return quickly::done;
        unlooked_bytes_ = 0;
        return quickly::look;
    }
    void await_near () noexcept;
    [[nodiscard]] bool may_look () noexcept;
    void room_made () noexcept;
    [[nodiscard]] bool poke () noexcept;
    [[nodiscard]] base::errc read (base::time_ns deadline) noexcept;
    [[nodiscard]] base::errc fill (base::time_ns deadline);
    [[nodiscard]] base::errc fill_parts ();
    void set_timeout (base::time_ns deadline) noexcept;
    void dispatch () noexcept;
    void take_batch_locked () noexcept;
    void hand_over_locked () noexcept;
    [[nodiscard]] bool open_topic_locked (std::string_view topic) noexcept;
    void take_alikes_locked () noexcept;
    void take_alikes_alone_locked () noexcept;
    void take_alikes_for_all_locked () noexcept;
    template <class Visit> void for_alikes_locked (const spot_subscription *but, Visit visit);
    template <class Give> void take_run_locked (Give give) noexcept;
    template <class Give> [[nodiscard]] bool take_alike_locked (const spot_plain &what, Give give) noexcept;
    template <class Give> [[nodiscard]] bool take_alike_row_locked (spot_plain &what, Give give) noexcept;
    void count_run_locked (std::size_t messages, std::size_t receivers) noexcept;
    void note_alike_locked (base::bytes_view first,
                            const wire::spot_frame &frame,
                            const spot_plain &what,
                            std::span<spot_interested *const> all) noexcept;
    [[nodiscard]] bool
    take_row_locked (base::bytes_view first, wire::spot_frame &frame, base::bytes_view body) noexcept;
    [[nodiscard]] bool take_one_locked (base::bytes_view first,
                                        const wire::spot_frame &frame,
                                        std::span<base::message> parts) noexcept;
    [[nodiscard]] bool leader_is_full_locked () const noexcept;
    [[nodiscard]] bool give_locked (base::bytes_view first,
                                    const wire::spot_frame &frame,
                                    const spot_item &item,
                                    bool placed,
                                    std::span<spot_interested *const> chosen) noexcept;
    [[nodiscard]] bool take_next_locked () noexcept;
    [[nodiscard]] bool take_frame_locked (base::bytes_view first, std::span<base::message> parts) noexcept;
    void forget_publishers_locked ();
    [[nodiscard]] bool is_new_locked (const wire::spot_frame &frame) noexcept;
    [[nodiscard]] bool take_topic_locked (base::bytes_view first,
                                          const wire::spot_frame &frame,
                                          std::span<base::message> parts) noexcept;
    void take_letter_locked (const wire::spot_frame &frame) noexcept;
    void take_events_locked () noexcept;
    void take_loss_locked (base::close_reason why) noexcept;
    void leave_doubts_locked () noexcept;
    void end_doubts_locked () noexcept;
    void take_farewell_locked (std::uint64_t of) noexcept;
    void report_all_locked (spot_gap why, std::uint64_t missing) noexcept;
    void settle_locked () noexcept;

    // --- who is there (spot_joining.cpp) ---
    [[nodiscard]] bool hear_presences (base::time_ns now);
    void hear_members (base::bytes_view fields) noexcept;
    void hear_monitor () noexcept;
    base::result<void> change_mesh (const std::function<void (spot_mesh &)> &how) noexcept;
    base::result<void> act_locked (const spot_mesh::action &what) noexcept;
    base::result<void> act_all_locked () noexcept;
    void warn_of_hiding (std::string_view seed) noexcept;
    [[nodiscard]] spot_extension *extension () const noexcept
    {
        return extended_.load (std::memory_order_acquire);
    }
    void introduce_locked (std::uint64_t node);
    base::result<void> say_presence_locked ();
    void registry_changed () noexcept;
    void refresh_registry ();
    [[nodiscard]] base::time_ns stand_in (base::time_ns now) noexcept;
    [[nodiscard]] bool read_as_loop () noexcept;
    template <class Condition> [[nodiscard]] bool read_on (Condition holds) noexcept;

    base::world &world_;
    void *const context_;
    const std::uint64_t id_;
    void *out_ = nullptr;
    socket::standing out_stands_{};  // for small messages
    void *in_ = nullptr;
    void *events_ = nullptr;   // of in_
    void *monitor_ = nullptr;  // likewise: something has happened
    std::unique_ptr<service_loop::seat> seat_;
    std::shared_ptr<spot_extension> extension_;         // never changed once the next one is set
    base::atomic<spot_extension *> extended_{nullptr};  // under mesh_lock_
    base::atomic<bool> over_{false};                    // nothing comes any more
    base::atomic<bool> closed_{false};
    base::atomic<bool> ttl_is_said_{false};  // by the application

    waiting_lock publish_lock_;  // of the next ones
    std::uint64_t number_ = 0;
    base::atomic<bool> nears_{false};  // somebody waits in keep_near()
    base::adaptive_spin near_;         // whether that has helped lately; his
    // In front of the last small message, topic and head, as the next has often the same topic.
    std::array<std::byte, wire::spot_opening_bytes_max> opening_;
    std::string_view opening_topic_{};  // in there; empty: none
    base::joined_part next_{};          // its front is all of it, named anew with every topic
    std::size_t unlooked_bytes_ = 0;    // published since keep_near() was due

    waiting_lock table_lock_;  // of the next ones; before publish_lock_ and those of subscriptions
    spot_interest interest_;
    std::vector<spot_subscription *> subscriptions_;
    std::vector<spot_subscription *> roused_;
    std::vector<spot_subscription *> cut_;   // disconnected
    std::vector<spot_subscription *> held_;  // whose locks are held, while a batch is handed out
    std::unordered_map<std::uint64_t, heard_publisher> publishers_;
    std::uint64_t last_publisher_ = 0;
    heard_publisher *last_heard_ = nullptr;
    spot_beginning alike_;                        // of the last publisher's
    std::vector<spot_subscription *> alike_for_;  // who want those
    std::uint64_t doubts_ = 0;
    std::uint64_t farewells_ = 0;       // of connections that are to end
    std::uint64_t late_farewells_ = 0;  // that may come for those that were settled
    spot_node_counters counters_{};

    base::atomic<bool> leading_{false};
    base::atomic<bool> loop_leads_{false};
    base::atomic<bool> stalled_{false};  // the next message waits for room
    base::atomic<std::uint32_t> followers_count_{0};
    waiting_lock turn_lock_;  // of the next one
    std::vector<spot_subscription *> followers_;
    reading reading_;

    // Does anybody read? (stand_in)
    base::atomic<std::uint64_t> attended_{0};
    base::atomic<bool> loop_reads_{false};
    base::atomic<bool> loop_rests_{false};
    std::uint64_t attended_before_ = 0;
    base::time_ns unread_ns_ = 0;  // before it nobody has failed to read
    bool reads_now_ = false;
    base::message notice_;  // of the loop: a presence
    bool unheard_ = false;  // it is

    waiting_lock mesh_lock_;  // of the next ones; behind table_lock_
    bell came_;
    spot_mesh mesh_;
    std::string advertised_;
    bool advertises_ = false;  // it was said
    std::uint64_t registered_by_ = 0;
    bool hidden_ = false;  // bound where nobody elsewhere can be sent
    std::vector<std::byte> presence_;
    std::vector<spot_mesh::action> arrivals_;  // and departures
    std::shared_ptr<discovery> registry_;
    std::shared_ptr<listener> listener_;
    std::string service_;
    std::vector<std::string> listed_;
    base::atomic<bool> registry_due_{false};
};

}  // namespace zlink::service
