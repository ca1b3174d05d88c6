#include "service/spot_partitions.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "service/grantor.hpp"
#include "service/limits.hpp"
#include "service/partition_choice.hpp"

namespace zlink::service {

using base::errc;
using base::result;
using base::time_ns;

namespace {

// The same moment by another clock.
time_ns moved (time_ns when, time_ns from, time_ns to) noexcept
{
    return when == base::never_ns ? when : to + std::max<time_ns> (when - from, 0);
}

}  // namespace

class spot_partitions::turning final : public served
{
  public:
    explicit turning (std::weak_ptr<spot_partitions> of) noexcept : of_ (std::move (of)) {}
    void sockets (std::vector<socket::poll_item> &wanted) override
    {
        if (const auto of = of_.lock (); of != nullptr)
            wanted.push_back ({of->line_.handle (), base::no_handle, socket::event_in, 0});
    }
    loop_wish advance (time_ns now) override
    {
        const auto of = of_.lock ();
        return of != nullptr ? of->turn (now) : loop_wish{};
    }
    void ended () noexcept override
    {
        if (const auto of = of_.lock (); of != nullptr)
            of->end_all ();
    }

  private:
    const std::weak_ptr<spot_partitions> of_;
};

// --- its life ------------------------------------------------------------------------

spot_partitions::spot_partitions (base::world &world, std::shared_ptr<spot_node> node)
  : world_ (world), lock_ (world.sleep), news_ (world.sleep), node_ (std::move (node)), line_ (world)
{
}

spot_partitions::~spot_partitions () = default;

result<std::shared_ptr<spot_partitions>> spot_partitions::open (base::world &world,
                                                                void *context,
                                                                const std::shared_ptr<service_loop> &loop,
                                                                std::shared_ptr<spot_node> node) noexcept
try {
    auto made = std::make_shared<spot_partitions> (world, std::move (node));
    made->wish_ = std::make_shared<spot_subscription> (made->node_, spot_bounds{.messages_max = 1});
    if (const result<void> opened = made->open_line (context, loop); !opened)
        return opened.failure ();
    made->node_->extend (made);
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> spot_partitions::open_line (void *context, const std::shared_ptr<service_loop> &loop)
{
    if (const result<void> opened = line_.open (context); !opened)
        return opened;
    return loop->join (std::make_shared<turning> (weak_from_this ()), seat_);
}

void spot_partitions::close () noexcept
{
    {
        const holding guard (lock_);
        if (over_)
            return;
        try {
            if (host_ != nullptr) {
                host_->leave ();
                (void)host_->advance (world_.time.boot_ns ());
            }
        } catch (const std::bad_alloc &) {
            // Its leases run out.
        }
    }
    end_all ();
    seat_->leave ();
    std::shared_ptr<spot_node> node;
    std::shared_ptr<spot_subscription> wish;
    const holding guard (lock_);
    line_.close ();
    node.swap (node_);
    wish.swap (wish_);
}

// Who waits hears of it by himself.
void spot_partitions::end_all () noexcept
{
    tickets told;
    {
        const holding guard (lock_);
        over_ = true;
        for (const auto &[number, each] : subscriptions_)
            end_locked (*each);
        told.swap (finished_);
        for (auto at = awaited_.begin (); at != awaited_.end ();) {
            const auto each = at++;
            if (each->second.by)
                told.insert (awaited_.extract (each));
        }
        news_.ring ();
    }
    tell (told);
}

void spot_partitions::wake () noexcept { seat_->wake (); }

result<void> spot_partitions::add_grantor (std::string_view endpoint) noexcept
{
    {
        const holding guard (lock_);
        if (over_)
            return errc::terminated;
        if (host_ != nullptr)
            return errc::wrong_state;
        if (line_.size () >= grantors_max)
            return errc::invalid_argument;
        if (const auto added = line_.add (endpoint); !added)
            return added.failure ();
    }
    wake ();
    return {};
}

result<void> spot_partitions::set_option (int number, const void *value, std::size_t size) noexcept
{
    const holding guard (lock_);
    return line_.set_option (number, value, size);
}

result<void> spot_partitions::declare (std::string_view topic, const partitioned_topic &how) noexcept
try {
    if (!wire::is_spot_topic (topic))
        return errc::invalid_argument;
    {
        const holding guard (lock_);
        if (over_)
            return errc::terminated;
        if (host_ == nullptr) {
            partition_ways &ways = *this;
            host_ = std::make_unique<partition_host> (node_->id (), line_.size (), world_.dice, ways);
            for (const std::uint64_t node : nodes_)
                host_->came (node);
        }
        if (!host_->declare (world_.time.boot_ns (), topic, how))
            return errc::invalid_argument;
    }
    wake ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<partition_state> spot_partitions::state (std::string_view topic, std::uint32_t partition) noexcept
{
    const holding guard (lock_);
    const partitioned_topic *const how = host_ == nullptr ? nullptr : host_->find (topic);
    if (how == nullptr || partition >= how->partitions)
        return errc::no_such_endpoint;
    return host_->state (world_.time.boot_ns (), {topic, partition});
}

std::vector<partition_host::declared> spot_partitions::all_declared ()
{
    const holding guard (lock_);
    return host_ == nullptr ? std::vector<partition_host::declared>{}
                            : host_->all_declared (world_.time.boot_ns ());
}

// --- publishing ----------------------------------------------------------------------

result<std::uint64_t> spot_partitions::begin (
  std::string_view topic, std::string_view key, base::bytes_view body, time_ns deadline, publish_listener by)
{
    if (key.size () > wire::partition_key_bytes_max)
        return errc::invalid_argument;
    auto octets =
      std::make_shared<const std::string> (wire::join_partition_octets (key, base::as_text (body)));
    const holding guard (lock_);
    if (over_)
        return errc::terminated;
    const partitioned_topic *const how = host_ == nullptr ? nullptr : host_->find (topic);
    if (how == nullptr)
        return errc::invalid_argument;
    const partition_ref which{topic, partition_of (key, how->partitions)};
    const std::uint64_t ticket = ++numbers_;
    awaited &mine = awaited_[ticket];
    mine.outcome.partition = which.partition;
    mine.by = std::move (by);
    const time_ns boot = world_.time.boot_ns ();
    try {
        if (host_->publish (boot, which, std::move (octets), moved (deadline, world_.time.now_ns (), boot),
                            ticket))
            return ticket;
    } catch (const std::bad_alloc &) {
        awaited_.erase (ticket);
        throw;
    }
    awaited_.erase (ticket);
    return errc::would_block;
}

result<publish_outcome> spot_partitions::publish (std::string_view topic,
                                                  std::string_view key,
                                                  base::bytes_view body,
                                                  time_ns deadline) noexcept
try {
    const result<std::uint64_t> ticket = begin (topic, key, body, deadline, {});
    if (!ticket)
        return ticket.failure ();
    for (bool woken = false;; woken = true) {
        const std::uint32_t heard = news_.heard ();
        {
            const holding guard (lock_);
            const auto known = awaited_.find (ticket.value ());
            if (known->second.done || over_) {
                const awaited ended = std::move (known->second);
                awaited_.erase (known);
                return ended.done ? result<publish_outcome> (ended.outcome) : errc::terminated;
            }
        }
        if (!woken)
            wake ();
        (void)news_.wait (heard, base::never_ns);
    }
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> spot_partitions::publish_async (std::string_view topic,
                                             std::string_view key,
                                             base::bytes_view body,
                                             time_ns deadline,
                                             publish_listener by) noexcept
try {
    const result<std::uint64_t> ticket = begin (topic, key, body, deadline, std::move (by));
    if (!ticket)
        return ticket.failure ();
    wake ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_partitions::published (std::uint64_t ticket, const publish_outcome &outcome)
{
    const auto known = awaited_.find (ticket);
    if (known == awaited_.end ())
        return;
    awaited &which = known->second;
    const std::uint32_t partition = which.outcome.partition;
    which.done = true;
    which.outcome = outcome;
    which.outcome.partition = partition;
    if (which.by)
        finished_.insert (awaited_.extract (known));
    else
        news_.ring ();
}

// Without a lock.
void spot_partitions::tell (const tickets &all) noexcept
{
    for (const auto &[ticket, each] : all)
        each.by (each.done ? result<publish_outcome> (each.outcome) : errc::terminated);
}

// --- reading -------------------------------------------------------------------------

result<std::unique_ptr<spot_ordered>> spot_partitions::subscribe (std::string_view topic,
                                                                  read_from how,
                                                                  std::uint64_t value,
                                                                  std::size_t room) noexcept
try {
    if (room == 0 || !wire::is_spot_topic (topic))
        return errc::invalid_argument;
    std::unique_ptr<spot_ordered> made;
    std::shared_ptr<spot_subscription> wish;
    {
        const holding guard (lock_);
        if (over_)
            return errc::terminated;
        if (host_ == nullptr || host_->find (topic) == nullptr)
            return errc::invalid_argument;
        made = std::make_unique<spot_ordered> (shared_from_this (), ++numbers_, topic, room);
        made->closed_ = true;
        made->owners_.resize (host_->find (topic)->partitions);
        wish = wish_;
    }
    if (const result<void> wanted = wish->subscribe (spot_match::exact, topic); !wanted)
        return wanted.failure ();
    {
        const holding guard (lock_);
        subscriptions_[made->number_] = made.get ();
        made->closed_ = over_;
        (void)host_->subscribe (topic, made->number_, how, value);
    }
    wake ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_partitions::end_locked (spot_ordered &which) noexcept
{
    which.closed_ = true;
    which.descriptor_.raise ();
}

void spot_partitions::leave (spot_ordered &which) noexcept
{
    std::shared_ptr<spot_subscription> wish;
    {
        const holding guard (lock_);
        if (subscriptions_.erase (which.number_) == 0)
            return;
        host_->unsubscribe (which.number_);
        end_locked (which);
        news_.ring ();
        wish = wish_;
    }
    if (wish != nullptr)
        (void)wish->unsubscribe (spot_match::exact, which.topic_);
}

bool spot_partitions::has_room (std::uint64_t subscription)
{
    const auto found = subscriptions_.find (subscription);
    if (found == subscriptions_.end ())
        return false;
    spot_ordered &to = *found->second;
    const bool room = to.queue_.size () < to.room_;
    to.was_full_ = to.was_full_ || !room;
    return room;
}

void spot_partitions::owned (const partition_ref &which, std::uint64_t node, const epoch &of) noexcept
{
    for (const auto &[number, each] : subscriptions_) {
        if (each->topic_ != which.topic)
            continue;
        spot_ordered::ownership &at = each->owners_[which.partition];
        each->owners_news_ += !at.is_news;
        at = {node, of, true};
        each->descriptor_.raise ();
    }
    news_.ring ();
}

void spot_partitions::told (std::uint64_t subscription, const partition_ref &which, const reader_event &event)
{
    const auto found = subscriptions_.find (subscription);
    if (found == subscriptions_.end ())
        return;
    found->second->queue_.push_back ({which.partition, event});
    found->second->descriptor_.raise ();
    news_.ring ();
}

// In a round, so that one of many does not cost a look at all.
void spot_partitions::take_owner (spot_ordered &by, ordered_event &out) noexcept
{
    const auto find_in = [] (auto from, auto to) {
        return std::ranges::find (from, to, true, &spot_ordered::ownership::is_news);
    };
    const auto from = by.owners_.begin () + static_cast<std::ptrdiff_t> (by.owners_from_);
    auto at = find_in (from, by.owners_.end ());
    if (at == by.owners_.end ())
        at = find_in (by.owners_.begin (), from);
    at->is_news = false;
    --by.owners_news_;
    out = {};
    by.owners_from_ = static_cast<std::size_t> (at - by.owners_.begin ());
    out.partition = static_cast<std::uint32_t> (by.owners_from_);
    out.event.what = reader_event::kind::owner;
    out.event.entry.of = at->of;
    out.event.entry.origin = at->node;
}

bool spot_partitions::take_locked (spot_ordered &by, ordered_event &out) noexcept
{
    if (by.owners_news_ != 0) {
        take_owner (by, out);
        return true;
    }
    if (by.queue_.empty ())
        return false;
    out = std::move (by.queue_.front ());
    by.queue_.pop_front ();
    if (out.event.what == reader_event::kind::message && !over_) {
        const std::uint64_t tail = host_->state (world_.time.boot_ns (), {by.topic_, out.partition}).tail;
        out.behind = tail - std::min (tail, out.event.entry.sequence);
    }
    return true;
}

result<void> spot_partitions::receive (spot_ordered &by, ordered_event &out, time_ns deadline) noexcept
{
    for (std::uint32_t heard = news_.heard ();; heard = news_.heard ()) {
        bool room_again = false;
        {
            const holding guard (lock_);
            if (by.quits_)
                return errc::terminated;
            if (take_locked (by, out)) {
                room_again = by.was_full_ && by.queue_.size () <= by.room_ / 2;
                by.was_full_ = by.was_full_ && !room_again;
                if (!room_again)
                    return {};
                host_->room_made (by.topic_);
            } else if (by.closed_ || over_) {
                return errc::terminated;
            } else if (deadline == 0) {
                by.descriptor_.take_back ();
            }
        }
        if (room_again) {
            wake ();
            return {};
        }
        if (deadline == 0)
            return errc::would_block;
        const base::wait_outcome outcome = news_.wait (heard, deadline);
        if (outcome == base::wait_outcome::interrupted)
            return errc::interrupted;
        if (outcome == base::wait_outcome::timed_out)
            deadline = 0;
    }
}

result<void> spot_ordered::receive (ordered_event &out, time_ns deadline) noexcept
{
    const result<void> got = of_->receive (*this, out, deadline);
    return got.code () == errc::would_block && deadline != 0 ? result<void> (errc::timed_out) : got;
}

void spot_ordered::close () noexcept { of_->leave (*this); }

result<base::io_handle> spot_ordered::descriptor () noexcept
{
    const holding guard (of_->lock_);
    return descriptor_.open (of_->world_.pollers);
}

result<void> spot_ordered::start_handler (std::function<void (const ordered_event &event)> handler) noexcept
try {
    handler_ = std::move (handler);
    base::thread_options options;
    options.name = "zlink/reader";
    result<std::unique_ptr<base::joinable>> thread =
      of_->world_.threads.start (options, [this] { run_handler (); });
    if (!thread)
        return thread.failure ();
    thread_ = std::move (thread).value ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_ordered::run_handler () noexcept
{
    ordered_event got;
    for (;;) {
        const result<void> came = receive (got, base::never_ns);
        if (came.ok ())
            handler_ (got);
        else if (came.code () != errc::interrupted)
            return;
    }
}

void spot_ordered::stop_handler () noexcept
{
    const auto set = [this] (bool to) {
        const holding guard (of_->lock_);
        quits_ = to;
        of_->news_.ring ();
    };
    set (true);
    thread_.reset ();
    set (false);
    handler_ = nullptr;
}

// --- what the host does ----------------------------------------------------------------

void spot_partitions::post (std::uint64_t to, const wire::partition_letter &letter)
{
    octets_.clear ();
    wire::append_partition_letter (letter, octets_);
    (void)node_->post (to, static_cast<std::uint16_t> (letter.kind), octets_);
}

void spot_partitions::send (std::string_view topic,
                            const wire::partition_stamp &stamp,
                            std::string_view octets)
{
    octets_.clear ();
    wire::append_partition_stamp (stamp, octets_);
    base::message body;
    if (!body.init_copy (base::as_bytes (octets)).ok ())
        return;  // readers miss it, and ask
    (void)node_->send (topic, octets_, {&body, 1});
    body.close ();
}

void spot_partitions::ask (const partition_ref &which, const grant_question &question)
{
    octets_.clear ();
    wire::encode_grant_message (message_of (which, question, node_->id (), line_.size () > 1), octets_);
    (void)line_.send (static_cast<registry_line::source_number> (question.grantor), octets_);
}

// --- what comes ----------------------------------------------------------------------

bool spot_partitions::took (const spot_item &item) noexcept
try {
    wire::partition_stamp stamp;
    if (!wire::read_partition_stamp (item.fields, stamp))
        return false;
    bool misses = false;
    {
        const holding guard (lock_);
        if (host_ != nullptr && !over_)
            misses = host_->took (item.publisher, item.topic, stamp, base::as_text (item.body));
        misses = misses || !finished_.empty ();
    }
    if (misses)
        wake ();
    return true;
} catch (const std::bad_alloc &) {
    doubted ();
    return true;
}

bool spot_partitions::heard (std::uint64_t from, std::uint16_t kind, base::bytes_view fields) noexcept
try {
    wire::partition_letter letter;
    if (!wire::read_partition_letter (kind, fields, letter))
        return !wire::is_partition_kind (kind);
    {
        const holding guard (lock_);
        if (host_ == nullptr || over_)
            return true;
        host_->heard (world_.time.boot_ns (), from, letter);
    }
    wake ();
    return true;
} catch (const std::bad_alloc &) {
    doubted ();
    return true;
}

void spot_partitions::doubted () noexcept
{
    {
        const holding guard (lock_);
        if (host_ == nullptr)
            return;
        host_->doubted ();
    }
    wake ();
}

void spot_partitions::came (std::uint64_t node) noexcept
try {
    {
        const holding guard (lock_);
        if (std::ranges::find (nodes_, node) != nodes_.end ())
            return;
        nodes_.push_back (node);
        if (host_ != nullptr && !over_)
            host_->came (node);
    }
    wake ();
} catch (const std::bad_alloc &) {
    // It says again that it owns something, every now and then.
}

void spot_partitions::gone (std::uint64_t node) noexcept
try {
    {
        const holding guard (lock_);
        std::erase (nodes_, node);
        if (host_ != nullptr && !over_)
            host_->gone (node);
    }
    wake ();
} catch (const std::bad_alloc &) {
    // Whom it is told of later.
}

// --- the loop's ----------------------------------------------------------------------

void spot_partitions::take_news (time_ns boot, const line_news &news)
{
    if (news.what == line_event::connected && host_ != nullptr)
        host_->grantor_connected (news.source);
    wire::grant_message answer;
    if (news.what != line_event::message || host_ == nullptr
        || wire::decode_grant_message (news.octets, answer) != wire::service_status::complete
        || answer.kind != wire::grant_kind::answer)
        return;
    const std::string topic (answer.topic);
    host_->answered (boot, {topic, answer.partition}, news.source, answer.round, answer_in (answer));
}

time_ns spot_partitions::move_on_locked (time_ns now)
{
    const time_ns boot = world_.time.boot_ns ();
    const time_ns due = line_.read (now, [&] (const line_news &news) { take_news (boot, news); });
    return host_ == nullptr ? due : std::min (due, moved (host_->advance (boot), boot, now));
}

loop_wish spot_partitions::turn (time_ns now)
{
    loop_wish wish;
    tickets told;
    {
        const holding guard (lock_);
        if (over_)
            return wish;
        wish.due_ns = move_on_locked (now);
        told.swap (finished_);
    }
    tell (told);
    return wish;
}

}  // namespace zlink::service
