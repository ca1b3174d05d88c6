#include "service/store_grantor.hpp"

#include <algorithm>
#include <memory>

#include "service/store_record.hpp"
#include "service/votes_file.hpp"

namespace zlink::service {

using base::slot_step;
using base::slot_wish;
using base::store_outcome;
using wire::grant_kind;
using wire::grant_message;
using wire::service_status;

std::string slot_of (const partition_ref &which)
{
    return store_name (which.topic) + "/" + std::to_string (which.partition);
}

// One question, until the store has done what it leads to.
class store_grantor::visit final : public base::slot_visitor
{
  public:
    visit (store_grantor &of, const asked_by &who, base::bytes_view question)
      : of_ (of), octets_ (question.begin (), question.end ())
    {
        (void)read_question (octets_, asked_);
        end_.who = who;
        end_.answer.reserve (answer_bytes_max);
    }

    slot_wish decide (base::bytes_view record, bool held) override;
    void done (store_outcome outcome) noexcept override;

  private:
    // So that what became of it can be told without memory.
    static constexpr std::size_t answer_bytes_max = 512;

    [[nodiscard]] bool restore (grant_voter &to, base::bytes_view record, bool held) const;
    [[nodiscard]] bool may_begin (bool is_new);
    [[nodiscard]] slot_wish decide_claim (base::time_ns now, grant_voter &voter);

    store_grantor &of_;
    const std::vector<std::byte> octets_;
    grant_message asked_;  // borrows from them
    grant_answer answer_{};
    bool is_new_ = false;      // nothing stood there
    bool is_damaged_ = false;  // what stood there cannot be read
    ended end_{};
};

// False: what stands there is no record of this partition, or somebody has deleted it under
// its holder.
bool store_grantor::visit::restore (grant_voter &to, base::bytes_view record, bool held) const
{
    to.ended_cleanly ();
    if (record.empty ())
        return !held;
    const partition_ref which{asked_.topic, asked_.partition};
    if (read_votes (base::as_text (record), to) != nullptr || to.size () != 1)
        return false;
    const grant_record *const found = to.find (which);
    if (found == nullptr)
        return false;
    grant_record known = *found;
    known.running = held;
    to.restore (which, known);
    return true;
}

slot_wish store_grantor::visit::decide (base::bytes_view record, bool held)
{
    const base::time_ns now = of_.time_.boot_ns ();
    grant_voter voter (now, of_.lease_);
    is_new_ = record.empty ();
    answer_ = {.fault = grant_fault::no_disk};
    is_damaged_ = !restore (voter, record, held);
    if (is_damaged_)
        return {};
    if (asked_.kind == grant_kind::claim)
        return decide_claim (now, voter);
    if (!give_back (voter, asked_))
        return {};
    return {.what = slot_step::free, .record = votes_text (voter, now, true)};
}

// How long the lease of another runs yet is not known here: who wants it asks again before
// that may be over.
slot_wish store_grantor::visit::decide_claim (base::time_ns now, grant_voter &voter)
{
    answer_ = voter.claim (now, {asked_.topic, asked_.partition}, {asked_.epoch_number, asked_.epoch_id},
                           asked_.holder);
    if (answer_.fault == grant_fault::held)
        answer_.pause_ns = std::min (answer_.pause_ns, grant_renewal_of (of_.lease_));
    if (answer_.fault == grant_fault::none && !may_begin (is_new_))
        answer_ = {.fault = grant_fault::no_room};
    if (answer_.fault != grant_fault::none)
        return {};
    return {.what = slot_step::hold, .record = votes_text (voter, now, true)};
}

bool store_grantor::visit::may_begin (bool is_new)
{
    const base::locked guard (of_.lock_);
    return !is_new || of_.made_ < granted_partitions_max;
}

void store_grantor::visit::done (store_outcome outcome) noexcept
{
    const bool well = outcome == store_outcome::stored;
    if (!well)
        answer_ = {.fault = grant_fault::no_disk};
    answer_.for_all = true;
    if (asked_.kind == grant_kind::claim)
        wire::encode_grant_message (answer_to (asked_, answer_), end_.answer);
    {
        const base::locked guard (of_.lock_);
        of_.made_ += well && is_new_ && answer_.fault == grant_fault::none;
        of_.ended_.push_back (std::move (end_));
    }
    if (is_damaged_)
        of_.warn_of_damage ();
    of_.wake_ ();
}

// Once: what cannot be read is asked for again and again.
void store_grantor::warn_of_damage () noexcept
{
    {
        const base::locked guard (lock_);
        if (std::exchange (warned_, true))
            return;
    }
    if (log_ != nullptr)
        log_->take ({.weight = base::severity::error,
                     .text =
                       "a record of grants in the store is damaged, or was deleted while its grant runs: "
                       "it is left as it is, and its partition is granted to nobody",
                     .about = ""});
}

service_status store_grantor::take (base::record_store &in, std::string_view from, base::bytes_view question)
{
    grant_message asked;
    const service_status status = read_question (question, asked);
    if (status != service_status::complete)
        return status;
    const asked_by who{std::string (from), std::string (asked.topic), asked.partition};
    const auto known = asking_.find (who);
    if (known != asking_.end ())
        known->second.assign (question.begin (), question.end ());
    else if (asking_.size () < store_questions_max)
        ask (in, who, question);
    return status;
}

// As if it had been lost on the way, where the store does not take it.
void store_grantor::ask (base::record_store &in, const asked_by &who, base::bytes_view question)
{
    const partition_ref which{std::get<1> (who), std::get<2> (who)};
    auto made = std::make_shared<visit> (*this, who, question);
    const std::string slot = slot_of (which);
    make_room (asking_.size () + 1);
    asking_[who].clear ();
    if (!in.visit (slot, lease_, grant_round_ns, std::move (made)))
        asking_.erase (who);
}

// So that the end of each that is under way can be told.
void store_grantor::make_room (std::size_t ends)
{
    const base::locked guard (lock_);
    if (ended_.capacity () < ends)
        ended_.reserve (2 * ends);
}

void store_grantor::ask_next (base::record_store &in, const asked_by &who)
{
    const auto found = asking_.find (who);
    if (found == asking_.end ())
        return;
    const std::vector<std::byte> question = std::move (found->second);
    asking_.erase (found);
    if (!question.empty ())
        ask (in, who, question);
}

bool store_grantor::take_ended (ended &out) noexcept
{
    const base::locked guard (lock_);
    if (ended_.empty ())
        return false;
    out = std::move (ended_.back ());
    ended_.pop_back ();
    return true;
}

}  // namespace zlink::service
