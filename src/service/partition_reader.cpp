#include "service/partition_reader.hpp"

namespace zlink::service {

bool partition_reader::accepts (const epoch &from, events &out)
{
    switch (owner_.look (from)) {
    case epoch_verdict::risen:
        if (asking_ || !joined_)
            needs_ask_ = true;  // who was asked is the owner no more
        return true;
    case epoch_verdict::current:
        return true;
    case epoch_verdict::lower:
        ++counters_.refused;
        return false;
    case epoch_verdict::another:
        break;
    }
    ++counters_.another;
    reader_event event;
    event.what = reader_event::kind::another;
    event.before = owner_.current ();
    event.entry.of = from;
    out.push_back (event);
    return false;
}

// What comes next in an epoch that is not below the one we are in.
std::uint64_t partition_reader::base_of (const epoch &of, std::uint64_t first) const noexcept
{
    return at_.number != 0 && is_above (of.number, at_.number) && first < expected_ ? first : expected_;
}

void partition_reader::begin_epoch (
  const epoch &of, std::uint64_t first, std::uint64_t after, std::uint64_t base, events &out)
{
    if (at_.number != 0) {
        reader_event event;
        event.what = reader_event::kind::epoch;
        event.entry.of = of;
        event.before = at_;
        event.last = expected_ - 1;
        event.from = base;
        event.loss_possible = after != at_.number || first != expected_;
        out.push_back (event);
    }
    at_ = of;
    expected_ = base;
}

void partition_reader::miss (std::uint64_t from, std::uint64_t to, events &out)
{
    if (from > to)
        return;
    reader_event event;
    event.what = reader_event::kind::gap;
    event.from = from;
    event.to = to;
    event.entry.of = at_;
    out.push_back (event);
    counters_.missing += to - from + 1;
    expected_ = to + 1;
}

void partition_reader::ask (std::uint64_t from) noexcept
{
    needs_ask_ = true;
    ask_from_ = from;
}

void partition_reader::place (const log_entry &entry, bool is_replay, events &out)
{
    if (entry.of != at_ && !is_above (entry.of.number, at_.number)) {
        ++counters_.repeated;
        return;
    }
    const std::uint64_t base = base_of (entry.of, entry.first);
    if (entry.sequence < base) {
        ++counters_.repeated;
        return;
    }
    // What was asked for began above that: it is not there any more.
    if (entry.sequence > base && (!is_replay || asked_value_ > base))
        return ask (base);
    if (is_above (entry.of.number, at_.number))
        begin_epoch (entry.of, entry.first, entry.after, base, out);
    miss (base, entry.sequence - 1, out);
    reader_event event;
    event.entry = entry;
    out.push_back (std::move (event));
    expected_ = entry.sequence + 1;
    ++counters_.delivered;
}

void partition_reader::take (const log_entry &entry, events &out)
{
    // What is asked for comes with the answer.
    if (accepts (entry.of, out) && joined_ && !asking_ && !needs_ask_)
        place (entry, false, out);
}

void partition_reader::announced (const owner_place &owner, events &out)
{
    if (!accepts (owner.of, out) || !joined_ || asking_ || needs_ask_)
        return;
    const std::uint64_t base = base_of (owner.of, owner.first);
    if (owner.tail + 1 > base)
        ask (base);
    else if (is_above (owner.of.number, at_.number))
        begin_epoch (owner.of, owner.first, owner.after, base, out);
}

void partition_reader::replayed (std::uint64_t token,
                                 const owner_place &owner,
                                 const log_entry &entry,
                                 events &out)
{
    if (!asking_ || token != token_ || !accepts (owner.of, out) || needs_ask_)
        return;
    if (!joined_) {
        joined_ = true;
        expected_ = how_ == read_from::sequence && value_ < entry.sequence ? value_ : entry.sequence;
    }
    place (entry, true, out);
}

void partition_reader::replay_ended (std::uint64_t token, const owner_place &owner, events &out)
{
    if (!asking_ || token != token_ || !accepts (owner.of, out) || needs_ask_)
        return;
    asking_ = false;
    if (!joined_) {
        joined_ = true;
        expected_ = how_ == read_from::sequence && value_ <= owner.tail ? value_ : owner.tail + 1;
    }
    const std::uint64_t base = base_of (owner.of, owner.first);
    if (is_above (owner.of.number, at_.number))
        begin_epoch (owner.of, owner.first, owner.after, base, out);
    miss (base, owner.tail, out);
}

std::optional<replay_wish> partition_reader::next (base::time_ns now) noexcept
{
    const bool again = asking_ && now >= asked_ns_ + replay_again_ns;
    if ((!needs_ask_ && !again) || owner_.current ().number == 0)
        return std::nullopt;
    needs_ask_ = false;
    asking_ = true;
    asked_ns_ = now;
    ++counters_.asked;
    replay_wish wish;
    wish.token = ++token_;
    if (joined_) {
        wish.how = read_from::sequence;
        wish.value = ask_from_ != 0 && ask_from_ < expected_ ? ask_from_ : expected_;
    } else {
        wish.how = how_;
        wish.value = value_;
    }
    ask_from_ = 0;
    asked_value_ = wish.how == read_from::sequence ? wish.value : 0;
    return wish;
}

base::time_ns partition_reader::next_due () const noexcept
{
    if (owner_.current ().number == 0)
        return base::never_ns;
    if (needs_ask_)
        return 0;
    return asking_ ? asked_ns_ + replay_again_ns : base::never_ns;
}

}  // namespace zlink::service
