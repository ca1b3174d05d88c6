// Partitions at one node: whose it owns, what it publishes to them and who reads them
// here. Everything but the sockets, the clock and the lock.
//
// A topic is declared with its number of partitions at every node that uses it. Of the
// nodes that have declared it, may own it and are there, one is chosen for each partition
// (partition_choice.hpp); it asks the grantors for the partition, learns from everybody
// how far the last owner came, and numbers what is published. What others publish comes
// in letters; what is numbered goes to all who want the topic.
//
// What is published is told about once: numbered, or refused for want of an owner, or
// unknown: it was sent to an owner, and nobody has said what became of it.
//
// Thread rule: one thread at a time; what a host calls of its ways must not call it.
// now is of a clock that goes on while the machine sleeps. May throw std::bad_alloc, and
// then what came is as good as lost on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "service/due_heap.hpp"
#include "service/grant_claim.hpp"
#include "service/partition_log.hpp"
#include "service/partition_reader.hpp"
#include "wire/partition_message.hpp"

namespace zlink::service {

// What became of something that was published.
enum class publish_result : std::uint8_t
{
    numbered,  // under epoch and sequence; a sequence of 0 is not known any more
    unowned,   // nobody owned the partition in time: it was not numbered, and will not be
    unknown,   // it may have been numbered
};

struct publish_outcome
{
    publish_result what = publish_result::unowned;
    epoch of{};
    std::uint64_t sequence = 0;
    std::uint32_t partition = 0;
};

// What a host does to the world. None throws but what is said.
class partition_ways
{
  public:
    virtual ~partition_ways () = default;
    // A letter to a node, or to all others (0). Whether it arrives is not known.
    virtual void post (std::uint64_t to, const wire::partition_letter &letter) = 0;
    // A numbered message to all nodes that want the topic, this one among them.
    virtual void
    send (std::string_view topic, const wire::partition_stamp &stamp, std::string_view octets) = 0;
    // A question for a grantor, from this node as holder.
    virtual void ask (const partition_ref &which, const grant_question &question) = 0;
    virtual void published (std::uint64_t ticket, const publish_outcome &outcome) = 0;
    // Somebody else owns it now, or nobody is known to (0).
    virtual void owned (const partition_ref &which, std::uint64_t node, const epoch &of) noexcept = 0;
    // For a subscription, in order.
    virtual void told (std::uint64_t subscription, const partition_ref &which, const reader_event &event) = 0;
    // While it has none, what comes is not handed on, and asked for later.
    [[nodiscard]] virtual bool has_room (std::uint64_t subscription) = 0;
};

struct partitioned_topic
{
    std::uint32_t partitions = 1;  // 1 to partitions_max
    bool may_own = true;           // this node; false at all but one: that one owns them all
    log_bounds bounds{};
};

struct partition_state
{
    std::uint64_t owner = 0;  // node; 0: none is known
    epoch of{};
    std::uint64_t tail = 0;  // the last number, as far as this node knows
    bool owned_here = false;
    std::size_t under_way = 0;
};

class partition_host
{
  public:
    // grantors: how many there are; 0: nothing can be owned. The others outlive it.
    partition_host (std::uint64_t self,
                    std::size_t grantors,
                    base::random &dice,
                    partition_ways &ways) noexcept
      : self_ (self), grantors_ (grantors), dice_ (dice), ways_ (ways)
    {
    }
    partition_host (const partition_host &) = delete;
    partition_host &operator= (const partition_host &) = delete;

    // --- the application's ---

    // False: it is declared with another number of partitions, or that is none.
    bool declare (base::time_ns now, std::string_view topic, const partitioned_topic &how);
    [[nodiscard]] const partitioned_topic *find (std::string_view topic) const noexcept;
    // Those that are declared. May throw std::bad_alloc.
    struct declared
    {
        std::string topic{};
        std::uint32_t partitions = 0;
        std::uint32_t owned_here = 0;
    };
    [[nodiscard]] std::vector<declared> all_declared (base::time_ns now) const;
    // What becomes of it is told under its ticket, at the deadline at the latest, and maybe
    // before this returns. False: so many are under way (publishes_under_way_max), or there
    // is no such partition.
    bool publish (base::time_ns now,
                  const partition_ref &which,
                  std::shared_ptr<const std::string> octets,
                  base::time_ns deadline,
                  std::uint64_t ticket);
    // All partitions of a topic from there. False: it is not declared.
    bool subscribe (std::string_view topic, std::uint64_t subscription, read_from how, std::uint64_t value);
    void unsubscribe (std::uint64_t subscription) noexcept;
    // A subscription to it that had no room has some again.
    void room_made (std::string_view topic) noexcept;
    [[nodiscard]] partition_state state (base::time_ns now, const partition_ref &which) const noexcept;
    // Everything that it owns is given back, with where it ends. It owns nothing any more.
    void leave ();

    // --- the mesh's ---

    void came (std::uint64_t node);
    void gone (std::uint64_t node);
    // A numbered message, in order of the sender's. True: advance() soon, a reader misses
    // something, or another epoch is to be asked for.
    bool took (std::uint64_t from,
               std::string_view topic,
               const wire::partition_stamp &stamp,
               std::string_view octets);
    void heard (base::time_ns now, std::uint64_t from, const wire::partition_letter &letter);
    // Something may have been lost on the way to us.
    void doubted () noexcept;

    // --- the grantors' ---

    void answered (base::time_ns now,
                   const partition_ref &which,
                   std::size_t grantor,
                   std::uint64_t round,
                   const grant_answer &answer);
    void grantor_connected (std::size_t grantor) noexcept;

    // Lets time pass, for those partitions whose time has come or with which something has
    // happened; answers when to go on. To be called soon after any other that may change
    // something; after took () where it says so.
    base::time_ns advance (base::time_ns now);

  private:
    struct publishing
    {
        std::uint64_t ticket = 0;
        std::uint64_t number = 0;
        base::time_ns deadline = 0;
        unsigned unanswered = 0;  // times it was sent, but for those that were refused
        std::shared_ptr<const std::string> octets{};
    };
    struct reading
    {
        std::uint64_t subscription = 0;
        std::uint64_t letter = 0;  // of the question under way, and the reader's token of it
        std::uint64_t token = 0;
        std::unique_ptr<partition_reader> reader{};
    };
    enum class role : std::uint8_t
    {
        none,
        learning,  // it holds the lease, and asks how far the last owner came
        open,
    };
    struct topic_entry;
    struct partition
    {
        partition (topic_entry &in, std::uint32_t which, due_heap::slot where, const partition_host &by);
        topic_entry &of;
        const std::uint32_t number;
        const due_heap::slot slot;
        grant_claim claim;
        partition_log log;
        role at = role::none;
        epoch of_role{};                  // of learning and open
        std::set<std::uint64_t> asked{};  // whose end is waited for
        base::time_ns learns_until = 0;
        base::time_ns announces_ns = base::never_ns;
        epoch_watch owner_epoch{};
        std::uint64_t chosen = 0;                 // node
        base::time_ns chosen_ns = 0;              // it was, or was heard as owner; 0: just now
        std::set<std::uint64_t> passed_over{};    // were chosen, and not heard
        base::time_ns believes_ns = INT64_MIN;    // them, from then on
        base::time_ns disbelief_ns = 0;           // how long they were not, last
        std::uint64_t owner = 0;                  // node
        std::uint64_t known_tail = 0;             // of the owner's log
        std::uint64_t numbers = 0;                // of our publishes
        base::time_ns again_ns = base::never_ns;  // all under way are sent then
        base::time_ns resent_ns = 0;              // they were
        std::deque<publishing> under_way{};
        std::vector<reading> readings{};
    };
    struct topic_entry
    {
        std::string name;
        partitioned_topic how{};
        std::set<std::uint64_t> candidates{};  // who has declared it; those that are there count
        base::time_ns recalled_ns = 0;         // others were told that we are here still
        std::vector<std::unique_ptr<partition>> partitions{};
    };

    [[nodiscard]] partition *find (const partition_ref &which) const noexcept;
    [[nodiscard]] static partition_ref ref_of (const partition &which) noexcept;
    [[nodiscard]] static wire::partition_letter letter_of (const partition &which,
                                                           wire::partition_kind kind) noexcept;
    static void put_place (const partition &which, wire::partition_letter &letter) noexcept;
    [[nodiscard]] bool is_there (std::uint64_t node) const noexcept;
    void choose (topic_entry &topic);
    void choose (partition &which);
    void choose (partition &which, std::uint64_t chosen);
    void consider (topic_entry &topic, std::uint64_t newcomer);
    void look_at_chosen (base::time_ns now, partition &which);
    void pass_over (partition &which, std::size_t count);
    void believe (base::time_ns now, partition &which, std::uint64_t node);
    void recall (base::time_ns now, partition &which);
    void say_declared (const topic_entry &topic, std::uint64_t to);
    void choose_all ();

    // --- owning ---
    void follow_claim (base::time_ns now, partition &which);
    void learn (base::time_ns now, partition &which);
    void open (base::time_ns now, partition &which);
    void step_down (partition &which) noexcept;
    bool give_way (partition &which, const epoch &known);
    void refuse (partition &which, std::uint64_t node);
    void announce (partition &which, std::uint64_t to);
    [[nodiscard]] std::uint16_t number (base::time_ns now,
                                        partition &which,
                                        std::uint64_t origin,
                                        std::uint64_t origin_number,
                                        std::uint64_t waits_from,
                                        std::shared_ptr<const std::string> octets,
                                        std::uint64_t &sequence);
    void
    send_entries (partition &which, std::uint64_t to, wire::partition_letter &letter, std::uint64_t from);
    [[nodiscard]] static owner_place place_of (const partition &which) noexcept;
    [[nodiscard]] static std::uint64_t
    replay_start (const partition &which, read_from how, std::uint64_t value) noexcept;

    // --- letters ---
    void heard_declared (base::time_ns now, std::uint64_t from, const wire::partition_letter &letter);
    void heard_of_partition (base::time_ns now,
                             std::uint64_t from,
                             partition &which,
                             const wire::partition_letter &letter);
    void heard_publish (base::time_ns now,
                        std::uint64_t from,
                        partition &which,
                        const wire::partition_letter &letter);
    void heard_published (base::time_ns now, partition &which, const wire::partition_letter &letter);
    void heard_owner (base::time_ns now,
                      std::uint64_t from,
                      partition &which,
                      const wire::partition_letter &letter);
    void heard_replay (base::time_ns now,
                       std::uint64_t from,
                       partition &which,
                       const wire::partition_letter &letter);
    void heard_replayed (std::uint64_t from, partition &which, const wire::partition_letter &letter);
    void heard_tail_wanted (std::uint64_t from, partition &which, const wire::partition_letter &letter);
    void heard_tail (base::time_ns now,
                     std::uint64_t from,
                     partition &which,
                     const wire::partition_letter &letter);
    [[nodiscard]] bool see_owner (partition &which, const epoch &of, std::uint64_t node) noexcept;
    void set_owner (partition &which, std::uint64_t node) noexcept;

    // --- publishing and reading ---
    void send_one (base::time_ns now, partition &which, publishing &what);
    void send_under_way (base::time_ns now, partition &which);
    void end_numbered (partition &which);
    [[nodiscard]] bool readable (reading &which);
    void expire_publishes (base::time_ns now, partition &which);
    void ask_for_readers (base::time_ns now, partition &which);
    void ask_owner (base::time_ns now, partition &which, reading &by, const replay_wish &wish);
    void tell (const partition &which, const reading &to);
    [[nodiscard]] base::time_ns due_of (const partition &which) noexcept;
    void touch (const partition &which) noexcept { due_.set (which.slot, INT64_MIN); }
    void advance_one (base::time_ns now, partition &which);

    const std::uint64_t self_;
    const std::size_t grantors_;
    base::random &dice_;
    partition_ways &ways_;
    bool left_ = false;
    std::uint64_t letters_ = 0;
    std::set<std::uint64_t> nodes_;  // that are there, but this one
    std::map<std::string, std::unique_ptr<topic_entry>, std::less<>> topics_;
    std::vector<partition *> by_slot_;
    due_heap due_;
    std::vector<std::byte> entries_;  // of one letter
    partition_reader::events events_;
};

// How long a new owner waits for nodes that do not say what they saw last; how often what
// an owner has not answered is sent again; how often an owner says that it is there.
inline constexpr base::time_ns learn_ns = 300 * base::ns_per_ms;
inline constexpr base::time_ns publish_again_ns = 100 * base::ns_per_ms;
// Not more often, however many came too early.
inline constexpr base::time_ns early_again_ns = 20 * base::ns_per_ms;
inline constexpr base::time_ns announce_again_ns = base::ns_per_s;
// Who is chosen and not heard as owner for so long, dead or not, is passed over until it is, or
// says again that it may own the topic; with it, as many of those that come next as were before.
// Who was passed over says so again after the second time, and is believed more rarely each
// time, until one is heard as owner: who stands still again and again, or lies, does not take
// all others with it.
inline constexpr base::time_ns pass_over_ns = 3 * announce_again_ns;
inline constexpr base::time_ns recall_again_ns = 10 * base::ns_per_s;
inline constexpr base::time_ns believe_again_last_ns = 3'600 * base::ns_per_s;

}  // namespace zlink::service
