#include "etcd/store.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::etcd {

using base::errc;
using base::result;
using base::store_outcome;
using service::holding;

namespace {

constexpr unsigned rounds_max = 4;

// The first key behind all that begin with a prefix, which ends with '/'.
std::string end_of (std::string prefix)
{
    ++prefix.back ();
    return prefix;
}

// What is wrong with an answer, for people.
std::string complaint_of (const posted &answer)
{
    if (answer.status == 0)
        return answer.why;
    std::string said = read_complaint (answer.body);
    return said.empty () ? "it does not answer as etcd does, with status " + std::to_string (answer.status)
                         : said;
}

}  // namespace

// --- its life ------------------------------------------------------------------------

store::store (const base::record_store_wish &wish, address where, const poster_maker &make)
  : world_ (*wish.on), listener_ (*wish.listener), where_ (std::move (where)),
    providers_ (where_.prefix + "/providers/"), lease_s_ (lease_seconds (wish.lease)), bell_ (world_.sleep),
    lock_ (world_.sleep), slots_ (world_, where_.hosts, where_.prefix + "/grants/", make)
{
}

result<std::unique_ptr<base::record_store>> store::open (const base::record_store_wish &wish,
                                                         const poster_maker &make) noexcept
try {
    std::optional<address> where = read_address (wish.url);
    if (!where)
        return errc::invalid_argument;
    auto made = std::make_unique<store> (wish, std::move (*where), make);
    made->keeper_post_ = make ();
    made->watcher_post_ = make ();
    if (made->keeper_post_ == nullptr || made->watcher_post_ == nullptr)
        return errc::no_memory;
    for (const auto &[name, thread, body] :
         {std::tuple{"zlink/etcd keep", &store::keeper_, &store::keep},
          std::tuple{"zlink/etcd watch", &store::watcher_, &store::watch}}) {
        base::thread_options options;
        options.name = name;
        result<std::unique_ptr<base::joinable>> started =
          wish.on->threads.start (options, [self = made.get (), body = body] { (self->*body) (); });
        if (!started)
            return started.failure ();
        (*made).*thread = std::move (started).value ();
    }
    return result<std::unique_ptr<base::record_store>> (std::move (made));
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

store::~store ()
{
    ending_.store (true);
    if (watcher_post_ != nullptr)
        watcher_post_->stop ();
    bell_.ring ();
    watcher_.reset ();
    keeper_.reset ();
}

// --- what is asked for ---------------------------------------------------------------

result<void> store::put (std::uint64_t ticket, std::string_view key, base::bytes_view value) noexcept
try {
    {
        key_set due{std::string (key)};
        std::map<std::string, kept, std::less<>> fresh;
        fresh[std::string (key)] = {.value = std::string (base::as_text (value)), .tickets = {}};
        const holding guard (lock_);
        // A drop that has not been done is not done any more.
        auto known = drops_.find (key);
        if (known != drops_.end ())
            known = kept_.insert (drops_.extract (known)).position;
        else
            known = kept_.find (key);
        kept &which = known == kept_.end () ? fresh.begin ()->second : known->second;
        which.tickets.push_back (ticket);
        if (known != kept_.end ())
            which.value.swap (fresh.begin ()->second.value);
        kept_.merge (fresh);
        due_.merge (due);
    }
    bell_.ring ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void store::drop (std::string_view key) noexcept
{
    {
        const holding guard (lock_);
        const auto found = kept_.find (key);
        if (found == kept_.end ())
            return;
        if (const auto due = due_.find (key); due != due_.end ())
            due_.erase (due);
        drops_.insert (kept_.extract (found));
    }
    bell_.ring ();
}

// --- both threads --------------------------------------------------------------------

// Twice as long as the last one, with up to a quarter of chance; not when the end has come.
void store::pause (base::time_ns &length) noexcept
{
    length = std::clamp (2 * length, pause_first_ns, pause_last_ns);
    const auto chance =
      static_cast<base::time_ns> (world_.dice.next () % (static_cast<std::uint64_t> (length) / 4));
    const base::time_ns until = world_.time.now_ns () + length + chance;
    while (!ending () && world_.time.now_ns () < until) {
        const std::uint32_t heard = bell_.heard ();
        if (!ending ())
            (void)bell_.wait (heard, until);
    }
}

const std::string &store::host () const noexcept
{
    return where_.hosts[host_.load () % where_.hosts.size ()];
}

void store::leave_host (const std::string &whom) noexcept
{
    unsigned at = host_.load ();
    if (where_.hosts[at % where_.hosts.size ()] == whom)
        (void)host_.compare_exchange_strong (at, at + 1);
}

// --- the keeper ------------------------------------------------------------------------

void store::keep () noexcept
{
    base::time_ns pause_ns = 0;
    while (!ending ()) {
        const std::uint32_t heard = bell_.heard ();
        const std::string &at = host ();
        const base::time_ns begun_ns = world_.time.now_ns ();
        step did = step::failed;
        try {
            did = turn ();
        } catch (const std::bad_alloc &) {
            // A little later.
        }
        if (did == step::failed) {
            leave_host (at);
            if (watching_since_ns_.load () < begun_ns)
                watcher_post_->stop ();  // it may wait for who has died without a word
            pause (pause_ns);
            continue;
        }
        pause_ns = 0;
        if (did == step::nothing && !ending ())
            (void)bell_.wait (heard, renew_at_ns_);
    }
    take_back ();
}

store::step store::turn ()
{
    if (lease_ == 0)
        return begin_lease ();
    if (world_.time.now_ns () >= renew_at_ns_)
        return renew_lease ();
    const step did = drop_one ();
    return did == step::nothing ? put_one () : did;
}

// Nothing: it was not answered, or not well. Then the lease is looked after first.
std::optional<std::string> store::ask (const char *path, const std::string &body)
{
    const base::time_ns left =
      end_by_ns_ == base::never_ns ? request_ns_max : end_by_ns_ - world_.time.now_ns ();
    if (left <= 0)
        return std::nullopt;
    posted answer = keeper_post_->post (host (), path, body, std::min (left, request_ns_max), nullptr);
    if (answer.status == status_well)
        return std::move (answer.body);
    renew_at_ns_ = 0;
    return std::nullopt;
}

store::step store::begin_lease ()
{
    const base::time_ns asked_ns = world_.time.now_ns ();
    const std::optional<std::string> answer = ask (path_lease, lease_request (lease_s_));
    const std::optional<std::int64_t> lease = answer ? read_lease (*answer) : std::nullopt;
    if (!lease || *lease == 0)
        return step::failed;
    put_all_again ();
    lease_ = *lease;
    renew_at_ns_ = asked_ns + lease_s_ * base::ns_per_s / 3;
    return step::well;
}

store::step store::renew_lease ()
{
    const base::time_ns asked_ns = world_.time.now_ns ();
    const std::optional<std::string> answer = ask (path_renew, renew_request (lease_));
    const std::optional<std::int64_t> lease = answer ? read_lease (*answer) : std::nullopt;
    if (!lease)
        return step::failed;
    lease_ = *lease;  // 0: it has run out
    renew_at_ns_ = asked_ns + lease_s_ * base::ns_per_s / 3;
    return step::well;
}

store::step store::put_one ()
{
    std::string key, value;
    {
        const holding guard (lock_);
        if (due_.empty ())
            return step::nothing;
        key = *due_.begin ();
        value = kept_.find (key)->second.value;
    }
    return put_as (key, value);
}

// Where something else stands it is asked whether that may go, and it goes only if it has
// not changed since.
store::step store::put_as (const std::string &key, const std::string &value)
{
    std::int64_t changed_at = 0;
    for (unsigned round = 0; round < rounds_max; ++round) {
        const std::optional<std::string> text =
          ask (path_change, put_request (providers_ + key, value, lease_, changed_at));
        const std::optional<change_answer> answer = text ? read_change (*text) : std::nullopt;
        if (!answer)
            return step::failed;
        if (answer->done) {
            tell_put (key, value, store_outcome::stored);
            return step::well;
        }
        if (answer->found
            && !listener_.replaces (base::as_bytes (value), base::as_bytes (answer->found->value))) {
            tell_put (key, value, store_outcome::taken);
            return step::well;
        }
        changed_at = answer->found ? answer->found->changed_at : 0;
    }
    return step::failed;
}

// What was changed meanwhile is put again before anybody is told.
void store::tell_put (const std::string &key, const std::string &value, store_outcome outcome) noexcept
{
    std::vector<std::uint64_t> tickets;
    {
        const holding guard (lock_);
        const auto found = kept_.find (key);
        if (found == kept_.end () || found->second.value != value)
            return;
        tickets.swap (found->second.tickets);
        due_.erase (key);
        if (outcome == store_outcome::taken)
            kept_.erase (found);
    }
    for (const std::uint64_t each : tickets)
        listener_.done (each, outcome);
}

// What another process has stored under the same key since stays, and is told of.
store::step store::drop_one ()
{
    std::string key;
    {
        const holding guard (lock_);
        if (drops_.empty ())
            return step::nothing;
        key = drops_.begin ()->first;
    }
    const std::optional<std::string> text = ask (path_change, drop_request (providers_ + key, lease_));
    const std::optional<change_answer> answer = text ? read_change (*text) : std::nullopt;
    if (!answer)
        return step::failed;
    if (answer->found && !listener_.put (key, base::as_bytes (answer->found->value)))
        return step::failed;
    std::vector<std::uint64_t> tickets;
    {
        const holding guard (lock_);
        const auto found = drops_.find (key);
        if (found != drops_.end ()) {
            tickets.swap (found->second.tickets);
            drops_.erase (found);
        }
    }
    for (const std::uint64_t each : tickets)
        listener_.done (each, store_outcome::stored);
    return step::well;
}

// What was to be dropped is, as far as that is done soon.
void store::take_back () noexcept
try {
    end_by_ns_ = world_.time.now_ns () + farewell_ns;
    while (lease_ != 0 && drop_one () == step::well)
        ;
} catch (const std::bad_alloc &) {
    // The lease ends.
}

// --- the watcher -----------------------------------------------------------------------

void store::watch () noexcept
{
    base::time_ns pause_ns = 0;
    while (true) {
        watcher_post_->resume ();
        if (ending ())
            return;
        const std::string &at = host ();
        try {
            why_.clear ();
            watch_once ();
        } catch (const std::bad_alloc &) {
            // A little later.
        }
        watching_since_ns_.store (base::never_ns);  // all else ends by itself
        if (ending ())
            return;
        if (in_step_)
            pause_ns = 0;
        note_loss (why_.empty () ? "it has ended the watch" : std::string_view (why_));
        leave_host (at);
        pause (pause_ns);
    }
}

void store::watch_once ()
{
    const std::string at = host ();
    std::int64_t revision = 0;
    if (!list (at, revision) || !listener_.whole (our_host_))
        return;
    in_step_ = true;
    loss_told_ = false;
    watching_since_ns_.store (world_.time.now_ns ());
    follow (at, revision + 1);
}

// One loss is told once.
void store::note_loss (std::string_view why) noexcept
{
    if (!loss_told_)
        listener_.lost (why);
    loss_told_ = true;
    in_step_ = false;
}

// Everything, as it is at one revision. What is ours and is not there is put again.
bool store::list (const std::string &at, std::int64_t &revision)
{
    key_set missing = keys_kept ();
    std::string from = providers_;
    bool begun = false;
    for (range_answer page{.revision = 0, .more = true, .records = {}}; page.more;) {
        page.revision = revision;
        if (!list_page_of (at, from, page))
            return false;
        if (!begun && !listener_.reset ())
            return false;
        begun = true;
        if (revision == 0)
            revision = page.revision;
        for (const record &each : page.records) {
            if (each.key.starts_with (providers_))
                missing.erase (each.key.substr (providers_.size ()));
            if (!tell (each, false))
                return false;
        }
    }
    for (const std::string &each : missing)
        put_again (each);
    return true;
}

// The page at a revision (0: the newest) from a key on; from becomes that of the next one.
bool store::list_page_of (const std::string &at, std::string &from, range_answer &page)
{
    const std::string body = range_request (from, end_of (providers_), page.revision, page_records);
    posted answer = watcher_post_->post (at, path_range, body, request_ns_max, nullptr);
    std::optional<range_answer> read;
    if (answer.status == status_well)
        read = read_range (answer.body);
    if (!read) {
        why_ = complaint_of (answer);
        return false;
    }
    our_host_ = answer.our_host;
    page = std::move (*read);
    page.more = page.more && !page.records.empty ();
    if (page.more)
        from = page.records.back ().key + '\0';
    return true;
}

// Until it ends, one way or another.
void store::follow (const std::string &at, std::int64_t revision)
{
    std::string held;
    const auto take = [this, &held] (std::string_view bytes) {
        while (!bytes.empty ()) {
            const std::size_t end = bytes.find ('\n');
            held.append (bytes.substr (0, end));
            if (held.size () > line_bytes_max)
                return false;
            if (end == std::string_view::npos)
                return true;
            bytes.remove_prefix (end + 1);
            if (!take_line (held))
                return false;
            held.clear ();
        }
        return true;
    };
    const posted answer = watcher_post_->post (
      at, path_watch, watch_request (providers_, end_of (providers_), revision), 0, take);
    if (why_.empty ())
        why_ = read_complaint (held);
    if (why_.empty ())
        why_ = answer.why;
}

bool store::take_line (std::string_view line)
{
    const std::optional<watch_answer> told = read_watch (line);
    if (!told) {
        why_ = read_complaint (line);
        return false;
    }
    return std::ranges::all_of (told->events,
                                [this] (const watch_event &each) { return tell (each.what, each.gone); })
           && !told->ended;
}

// False: there was no memory for it.
bool store::tell (const record &what, bool gone)
{
    if (!what.key.starts_with (providers_))
        return true;
    const std::string_view key = std::string_view (what.key).substr (providers_.size ());
    if (gone) {
        put_again (key);
        return listener_.gone (key);
    }
    {
        const holding guard (lock_);
        const auto ours = kept_.find (key);
        // Somebody else has it now; who waits for it still will be told by the keeper.
        if (ours != kept_.end () && ours->second.tickets.empty ()
            && !listener_.replaces (base::as_bytes (ours->second.value), base::as_bytes (what.value))) {
            if (const auto due = due_.find (key); due != due_.end ())
                due_.erase (due);
            kept_.erase (ours);
        }
    }
    return listener_.put (key, base::as_bytes (what.value));
}

// One of ours is missing.
void store::put_again (std::string_view key)
{
    {
        const holding guard (lock_);
        if (!kept_.contains (key))
            return;
        due_.emplace (key);
    }
    bell_.ring ();
}

void store::put_all_again ()
{
    const holding guard (lock_);
    for (const auto &[key, each] : kept_)
        due_.insert (key);
}

store::key_set store::keys_kept ()
{
    const holding guard (lock_);
    key_set keys;
    for (const auto &[key, each] : kept_)
        keys.insert (key);
    return keys;
}

}  // namespace zlink::etcd
