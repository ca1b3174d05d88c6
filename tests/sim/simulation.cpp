#include "sim/simulation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/atomic.hpp"
#include "sim/thread_locals.hpp"

namespace zlink::sim {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

std::uint64_t scramble (std::uint64_t x) noexcept
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

std::uint64_t rotate (std::uint64_t x, int by) noexcept { return (x << by) | (x >> (64 - by)); }

}  // namespace

struct simulation::strand
{
    std::size_t number = 0;
    std::string name;
    bool over = false;
    std::unique_ptr<fibre> body;  // null: over, or the guest
    bool servant = false;
    unsigned process = 0;
    unsigned weight = 1;
    std::vector<std::byte> locals;
    // While it waits; no predicate: it can go on.
    const std::function<bool ()> *ready = nullptr;
    time_ns deadline = base::never_ns;
    bool interruptible = false;
    bool interrupted = false;
    bool woken = false;  // of a sleep on a word
    const char *doing = "starts";
    time_ns since = 0;
};

simulation::simulation (std::uint64_t seed, const schedule &how) : seed_ (seed), how_ (how)
{
    std::uint64_t state = seed;
    for (std::uint64_t &each : dice_)
        each = scramble (state += golden);
}

simulation::~simulation () = default;

// xoshiro256**
std::uint64_t simulation::roll () noexcept
{
    const std::uint64_t answer = rotate (dice_[1] * 5, 7) * 9;
    const std::uint64_t t = dice_[1] << 17;
    dice_[2] ^= dice_[0];
    dice_[3] ^= dice_[1];
    dice_[1] ^= dice_[2];
    dice_[0] ^= dice_[3];
    dice_[2] ^= t;
    dice_[3] = rotate (dice_[3], 45);
    return answer;
}

void simulation::note (const char *what, std::uint64_t detail) noexcept
{
    std::uint64_t mixed = fingerprint_ ^ static_cast<std::uint64_t> (now_) ^ (detail * golden);
    for (const char *at = what; *at != 0; ++at)
        mixed = mixed * 31 + static_cast<unsigned char> (*at);
    if (current_ != nullptr)
        mixed += current_->number << 48;
    fingerprint_ = scramble (mixed);
    if (how_.trace)
        std::fprintf (stderr, "%14lld %-14s %s %llu\n", static_cast<long long> (now_),
                      current_ == nullptr ? "-" : current_->name.c_str (), what,
                      static_cast<unsigned long long> (detail));
}

// --- events ------------------------------------------------------------------------

bool simulation::later (const due_event &a, const due_event &b) noexcept
{
    return a.when != b.when ? a.when > b.when : a.order > b.order;
}

void simulation::at (time_ns when, std::function<void ()> action)
{
    events_.push_back ({std::max (when, now_), event_order_++, std::move (action)});
    std::push_heap (events_.begin (), events_.end (), later);
}

void simulation::run_due ()
{
    while (!events_.empty () && events_.front ().when <= now_) {
        std::pop_heap (events_.begin (), events_.end (), later);
        const due_event due = std::move (events_.back ());
        events_.pop_back ();
        due.action ();
    }
}

// --- fibres ------------------------------------------------------------------------

std::size_t simulation::enlist (std::string name, bool servant)
{
    auto fresh = std::make_unique<strand> ();
    fresh->number = strands_.size ();
    fresh->name = std::move (name);
    fresh->servant = servant;
    fresh->process = current_ == nullptr ? 0 : current_->process;
    fresh->weight = how_.weight_spread > 1 && chance (300) ? how_.weight_spread : 1;
    fresh->since = now_;
    if (how_.own_thread_locals)
        fresh->locals = fresh_thread_locals ();
    strands_.push_back (std::move (fresh));
    return strands_.size () - 1;
}

std::size_t simulation::spawn (std::string name, std::function<void ()> body, bool servant)
{
    const std::size_t number = enlist (std::move (name), servant);
    strands_[number]->body = std::make_unique<fibre> (std::move (body));
    return number;
}

bool simulation::finished (std::size_t number) const noexcept { return strands_[number]->over; }

void simulation::be_of_process (unsigned process) noexcept { current_->process = process; }

void simulation::stop_process (unsigned process, time_ns length)
{
    time_ns &until = stopped_until_[process];
    until = std::max (until, now_ + length);
    at (until, [] {});
}

bool simulation::stopped (const strand &which) const
{
    const auto found = which.process == 0 ? stopped_until_.end () : stopped_until_.find (which.process);
    return found != stopped_until_.end () && found->second > now_;
}

bool simulation::runnable (const strand &which) const
{
    if (which.over || stopped (which))
        return false;
    return which.ready == nullptr || which.interrupted || which.deadline <= now_ || (*which.ready) ();
}

simulation::strand *simulation::choose ()
{
    std::uint64_t sum = 0;
    static thread_local std::vector<strand *> able;
    able.clear ();
    for (const auto &each : strands_)
        if (runnable (*each)) {
            able.push_back (each.get ());
            sum += each->weight;
        }
    if (able.empty ())
        return nullptr;
    if (decider_ != nullptr)
        return able[pick (able.size ())];
    std::uint64_t dice = roll_below (sum);
    for (strand *each : able) {
        if (dice < each->weight)
            return each;
        dice -= each->weight;
    }
    return able.back ();
}

// Nobody can go on: time passes.
void simulation::jump ()
{
    time_ns next = events_.empty () ? base::never_ns : events_.front ().when;
    for (const auto &each : strands_)
        if (!each->over && !stopped (*each))
            next = std::min (next, each->deadline);
    if (next == base::never_ns)
        fail ("everybody waits, and nothing is due");
    if (next - now_ > silence_max_)
        fail ("nothing happens for " + std::to_string ((next - now_) / base::ns_per_us)
              + " us: a wake was lost");
    now_ = std::max (now_, next);
}

bool simulation::step ()
{
    run_due ();
    const bool over = std::all_of (strands_.begin (), strands_.end (),
                                   [] (const auto &each) { return each->servant || each->over; });
    if (over)
        return false;
    current_ = next_ != nullptr ? std::exchange (next_, nullptr) : choose ();
    if (current_ == nullptr) {
        jump ();
        return true;
    }
    if (how_.weight_spread > 1 && chance (5))
        current_->weight = chance (300) ? how_.weight_spread : 1;
    if (current_ == guest_) {
        host_->leave ();
    } else {
        swap_thread_locals (current_->locals);
        current_->body->enter ();
        swap_thread_locals (current_->locals);
        if (current_->body->finished ()) {
            current_->body.reset ();
            current_->over = true;
        }
    }
    current_ = nullptr;
    return true;
}

void simulation::run ()
{
    while (step ()) {}
}

void simulation::step_in (std::string name)
{
    if (current_ != nullptr || guest_ != nullptr)
        fail ("somebody steps in twice");
    guest_ = strands_[enlist (std::move (name), false)].get ();
    host_ = std::make_unique<fibre> ([this] { run (); });
    current_ = guest_;
}

void simulation::step_out ()
{
    if (current_ != guest_)
        fail ("somebody else steps out");
    events_.clear ();  // they are about what is gone
    wait ("waits for the others' ends", base::never_ns, [this] {
        return std::all_of (strands_.begin (), strands_.end (),
                            [this] (const auto &each) { return each->over || each.get () == guest_; });
    });
    guest_->over = true;
    current_ = nullptr;
    host_->enter ();  // to its end, if it ever began
    host_.reset ();
    guest_ = nullptr;
}

void simulation::interrupt (std::size_t number) noexcept
{
    strand &whom = *strands_[number];
    whom.interrupted = whom.ready != nullptr && whom.interruptible;
}

// The C library's errno is a fibre's own as it is a thread's.
void simulation::leave () noexcept
{
    const int own_errno = errno;
    if (current_ == guest_)
        host_->enter ();
    else
        current_->body->leave ();
    errno = own_errno;
}

void simulation::leave_to (strand *next) noexcept
{
    next_ = next;
    leave ();
}

void simulation::check_locks (const char *what) noexcept
{
    const still hold (*this);
    for (const guarded_lock &each : guarded_)
        if (holders_known_ ? each.holder == current_ : each.word->load (std::memory_order_relaxed) != 0)
            fail (std::string ("a system call under a socket's lock: ") + what);
}

void simulation::call (const char *what) noexcept
{
    note (what);
    if (current_ == nullptr)
        return;
    check_locks (what);
    {
        const still hold (*this);
        for (const auto &check : checks_)
            check ();
    }
    if (++calls_ > how_.calls_max)
        fail ("it does not come to rest");
    now_ += 1 + static_cast<time_ns> (roll_below (static_cast<std::uint64_t> (how_.call_cost_max_ns)));
    current_->doing = what;
    current_->since = now_;
    // What is due happens outside the fibre, as do the others' turns.
    const bool due = !events_.empty () && events_.front ().when <= now_;
    if (decider_ != nullptr) {
        if (due)
            leave_to (current_);
        point ();
        return;
    }
    if (due || chance (how_.switch_per_mille))
        leave ();
}

wait_end simulation::wait (const char *what,
                           time_ns deadline,
                           const std::function<bool ()> &ready,
                           bool interruptible) noexcept
{
    if (current_ == nullptr)
        fail (std::string ("waiting outside a fibre: ") + what);
    check_locks (what);
    wait_until_ready (what, deadline, ready, interruptible);
    if (ready ())
        return wait_end::ready;
    const bool signal = std::exchange (current_->interrupted, false);
    if (signal)
        seen.saw ("signal");
    return signal ? wait_end::interrupted : wait_end::timed_out;
}

void simulation::wait_until_ready (const char *what,
                                   time_ns deadline,
                                   const std::function<bool ()> &ready,
                                   bool interruptible) noexcept
{
    strand &me = *current_;
    note (what, static_cast<std::uint64_t> (deadline));
    me.doing = what;
    me.since = now_;
    me.deadline = deadline;
    me.interrupted = false;
    me.interruptible = interruptible;
    if (interruptible && chance (how_.interrupt_per_mille)) {
        strand *const whom = &me;
        after (static_cast<time_ns> (roll_below (base::ns_per_ms)),
               [whom, since = me.since] { whom->interrupted = whom->interruptible && whom->since == since; });
    }
    me.ready = &ready;
    leave ();
    me.ready = nullptr;
    me.deadline = base::never_ns;
    me.interruptible = false;
}

void simulation::pass_time (time_ns length) noexcept
{
    wait ("passes time", now_ + length, [] { return false; });
}

void simulation::give_way () noexcept
{
    note ("yield");
    if (current_ == nullptr)
        return;
    check_locks ("yield");
    if (++calls_ > how_.calls_max)
        fail ("it does not come to rest");
    now_ += 500;
    if (decider_ == nullptr) {
        leave ();
        return;
    }
    const auto &able = others ();
    const auto after = std::find_if (able.begin (), able.end (),
                                     [this] (const strand *each) { return each->number > current_->number; });
    leave_to (able.empty () ? current_ : after != able.end () ? *after : able.front ());
}

// --- the explorer's ------------------------------------------------------------------

const std::vector<simulation::strand *> &simulation::others ()
{
    others_.clear ();
    for (const auto &each : strands_)
        if (each.get () != current_ && runnable (*each))
            others_.push_back (each.get ());
    return others_;
}

std::size_t simulation::pick (std::size_t count) noexcept
{
    if (decider_ == nullptr)
        return roll_below (count);
    return count < 2 ? 0 : decider_->pick (count);
}

void simulation::point () noexcept
{
    if (current_ == nullptr || still_ > 0)
        return;
    if (++points_ > how_.calls_max)
        fail ("it does not come to rest");
    if (decider_ == nullptr) {
        if (how_.preempt_per_mille > 0 && chance (how_.preempt_per_mille)) {
            note ("preempted");
            current_->doing = "is stopped";
            leave ();
        }
        return;
    }
    const auto &able = others ();
    if (able.empty ())
        return;
    const std::size_t which = decider_->at_point (able.size ());
    if (which > 0) {
        note ("preempted", which);
        leave_to (able[which - 1]);
    }
}

void simulation::changed (const void *word, std::uint32_t was, std::uint32_t is) noexcept
{
    holders_known_ = true;
    for (guarded_lock &each : guarded_)
        if (each.word == word && (was == 0 || is == 0))
            each.holder = is == 0 ? nullptr : current_;
}

void simulation::sleep_at (const void *place) noexcept
{
    strand &me = *current_;
    me.woken = false;
    sleepers_[place].push_back (&me);
    wait_until_ready (
      "waits for a lock", base::never_ns, [&me] { return me.woken; }, false);
    auto &list = sleepers_[place];
    std::erase (list, &me);
    if (list.empty ())
        sleepers_.erase (place);
}

void simulation::wake_at (const void *place, std::size_t count) noexcept
{
    const auto found = sleepers_.find (place);
    if (found == sleepers_.end ())
        return;
    auto &list = found->second;
    for (; count > 0 && !list.empty (); --count) {
        const std::size_t which = pick (list.size ());
        list[which]->woken = true;
        list.erase (list.begin () + static_cast<std::ptrdiff_t> (which));
    }
}

// --- words -------------------------------------------------------------------------

wait_end
simulation::sleep_on (base::atomic<std::uint32_t> &word, std::uint32_t expected, time_ns deadline) noexcept
{
    call ("futex wait");
    {
        const still hold (*this);  // the kernel looks and queues in one
        if (word.load () != expected)
            return wait_end::ready;
    }
    if (chance (how_.spurious_per_mille)) {
        seen.saw ("spurious wake");
        return wait_end::ready;
    }
    strand &me = *current_;
    me.woken = false;
    sleepers_[&word].push_back (&me);
    const wait_end end = wait (
      "sleeps on a word", deadline, [&me] { return me.woken; }, true);
    auto &list = sleepers_[&word];
    std::erase (list, &me);
    if (list.empty ())
        sleepers_.erase (&word);
    return end;
}

void simulation::wake_on (base::atomic<std::uint32_t> &word, int count) noexcept
{
    call ("futex wake");
    wake_at (&word, static_cast<std::size_t> (count));
    call ("futex woken");
}

// --- failure -----------------------------------------------------------------------

void simulation::fail (const std::string &what) noexcept
{
    if (std::exchange (failing_, true))
        std::_Exit (4);
    std::fprintf (stderr, "\nFAILED seed %llu: %s\n  at %.6f s, after %llu calls, in %s\n",
                  static_cast<unsigned long long> (seed_), what.c_str (),
                  static_cast<double> (now_) / static_cast<double> (base::ns_per_s),
                  static_cast<unsigned long long> (calls_),
                  current_ == nullptr ? "-" : current_->name.c_str ());
    for (const auto &each : strands_) {
        if (each->over)
            continue;
        const char *const how = each->ready == nullptr ? "can go on" : "waits";
        std::fprintf (stderr, "  %-22s %s: %s, since %.6f s%s\n", each->name.c_str (), how, each->doing,
                      static_cast<double> (each->since) / static_cast<double> (base::ns_per_s),
                      each->ready != nullptr && each->deadline == base::never_ns ? ", for ever" : "");
    }
    for (const auto &each : reports_)
        std::fprintf (stderr, "%s", each ().c_str ());
    std::fflush (stderr);
    std::_Exit (3);
}

}  // namespace zlink::sim
