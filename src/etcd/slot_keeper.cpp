#include "etcd/slot_keeper.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::etcd {

using base::errc;
using base::result;
using base::slot_step;
using base::store_outcome;
using service::holding;

slot_keeper::slot_keeper (base::world &world,
                          std::vector<std::string> hosts,
                          std::string prefix,
                          poster_maker make)
  : world_ (world), hosts_ (std::move (hosts)), prefix_ (std::move (prefix)), make_ (std::move (make)),
    bell_ (world.sleep), lock_ (world.sleep)
{
}

slot_keeper::~slot_keeper ()
{
    ending_.store (true);
    if (post_ != nullptr)
        post_->stop ();
    bell_.ring ();
    thread_.reset ();
}

result<void> slot_keeper::visit (std::string_view slot,
                                 base::time_ns lease,
                                 base::time_ns longest,
                                 std::shared_ptr<base::slot_visitor> who) noexcept
try {
    visiting made{.slot = prefix_ + std::string (slot),
                  .lease_s = lease_seconds (lease),
                  .until_ns = world_.time.now_ns () + longest,
                  .who = std::move (who)};
    {
        const holding guard (lock_);
        if (const result<void> started = start (); !started)
            return started;
        visits_.push_back (std::move (made));
    }
    bell_.ring ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Under the lock.
result<void> slot_keeper::start ()
{
    if (thread_ != nullptr)
        return {};
    if (post_ == nullptr)
        post_ = make_ ();
    if (post_ == nullptr)
        return errc::no_memory;
    base::thread_options options;
    options.name = "zlink/etcd slot";
    result<std::unique_ptr<base::joinable>> started = world_.threads.start (options, [this] { run (); });
    if (!started)
        return started.failure ();
    thread_ = std::move (started).value ();
    return {};
}

std::optional<slot_keeper::visiting> slot_keeper::next () noexcept
{
    const holding guard (lock_);
    if (visits_.empty ())
        return std::nullopt;
    std::optional<visiting> first (std::move (visits_.front ()));
    visits_.pop_front ();
    return first;
}

// Who comes again after a failure decides how soon.
void slot_keeper::run () noexcept
{
    while (!ending_.load ()) {
        const std::uint32_t heard = bell_.heard ();
        const std::optional<visiting> what = next ();
        if (!what) {
            if (!ending_.load ())
                (void)bell_.wait (heard, base::never_ns);
            continue;
        }
        store_outcome outcome = store_outcome::no_memory;
        try {
            outcome = serve (*what);
        } catch (const std::bad_alloc &) {
            // As it says.
        }
        if (!ending_.load ())
            what->who->done (outcome);
    }
}

store_outcome slot_keeper::serve (const visiting &what)
{
    for (unsigned round = 0; round < slot_rounds_max; ++round) {
        const std::optional<found_slot> found = read (what);
        if (!found)
            return store_outcome::uncertain;
        const base::slot_wish wish =
          what.who->decide (base::as_bytes (found->record), found->keys.mark_at != 0);
        switch (wish.what == slot_step::leave ? attempt::done : change (what, *found, wish)) {
        case attempt::done:
            return store_outcome::stored;
        case attempt::unanswered:
            return store_outcome::uncertain;
        case attempt::overtaken:
            break;
        }
    }
    return store_outcome::taken;
}

// Who does not answer well is left for the next host.
std::optional<std::string> slot_keeper::ask (const visiting &what, const char *path, const std::string &body)
{
    const base::time_ns left = what.until_ns - world_.time.now_ns ();
    if (left <= 0)
        return std::nullopt;
    posted answer =
      post_->post (hosts_[host_ % hosts_.size ()], path, body, std::min (left, request_ns_max), nullptr);
    if (answer.status == status_well)
        return std::move (answer.body);
    ++host_;
    return std::nullopt;
}

std::optional<slot_keeper::found_slot> slot_keeper::read (const visiting &what)
{
    const std::optional<std::string> text =
      ask (what, path_range, range_request (what.slot + "/", what.slot + "0", 0, 0));
    std::optional<range_answer> answer = text ? read_range (*text) : std::nullopt;
    if (!answer)
        return std::nullopt;
    found_slot made;
    made.keys.record = what.slot + "/epoch";
    made.keys.mark = what.slot + "/held";
    for (record &each : answer->records)
        if (each.key == made.keys.record) {
            made.keys.record_at = each.changed_at;
            made.record = std::move (each.value);
        } else if (each.key == made.keys.mark) {
            made.keys.mark_at = each.changed_at;
            made.lease = each.lease;
        }
    return made;
}

slot_keeper::attempt
slot_keeper::change (const visiting &what, const found_slot &found, const base::slot_wish &wish)
{
    if (wish.what == slot_step::hold && found.keys.mark_at != 0 && wish.record == found.record)
        return keep_alive (what, found.lease);
    std::int64_t lease = 0;
    if (wish.what == slot_step::hold)
        if (const attempt granted = take_lease (what, lease); granted != attempt::done)
            return granted;
    const std::optional<std::string> text =
      ask (what, path_change, slot_request (found.keys, wish.record, lease));
    const std::optional<change_answer> answer = text ? read_change (*text) : std::nullopt;
    if (!answer)
        return attempt::unanswered;
    return answer->done ? attempt::done : attempt::overtaken;
}

// One that has just run out is read again without its mark.
slot_keeper::attempt slot_keeper::keep_alive (const visiting &what, std::int64_t lease)
{
    const std::optional<std::string> text = ask (what, path_renew, renew_request (lease));
    const std::optional<std::int64_t> lives = text ? read_lease (*text) : std::nullopt;
    if (!lives)
        return attempt::unanswered;
    return *lives == lease ? attempt::done : attempt::overtaken;
}

slot_keeper::attempt slot_keeper::take_lease (const visiting &what, std::int64_t &lease)
{
    const std::optional<std::string> text = ask (what, path_lease, lease_request (what.lease_s));
    lease = (text ? read_lease (*text) : std::nullopt).value_or (0);
    return lease != 0 ? attempt::done : attempt::unanswered;
}

}  // namespace zlink::etcd
