#include "service/grantor.hpp"

#include <utility>

#include "service/votes_file.hpp"

namespace zlink::service {

using wire::grant_kind;
using wire::grant_message;
using wire::service_status;

namespace {

// A pause is never told shorter than it is.
std::uint32_t in_ms_up (base::time_ns time) noexcept
{
    return static_cast<std::uint32_t> ((time + base::ns_per_ms - 1) / base::ns_per_ms);
}

}  // namespace

service_status grantor::take (base::time_ns now,
                              std::string_view from,
                              base::bytes_view question,
                              std::vector<std::byte> &out)
{
    grant_message asked;
    const service_status status = read_question (question, asked);
    if (status != service_status::complete)
        return status;
    if (asked.kind == grant_kind::give_back) {
        (void)give_back (voter_, asked);
        return status;
    }
    const partition_ref which{asked.topic, asked.partition};
    const epoch wanted{asked.epoch_number, asked.epoch_id};
    grant_answer answer;
    if ((asked.flags & wire::grant_flag_of_several) != 0 && !keeps_)
        answer.fault = grant_fault::no_disk;
    else
        answer = voter_.claim (now, which, wanted, asked.holder);
    if (!keeps_ || !answer.must_be_recorded) {
        wire::encode_grant_message (answer_to (asked, answer), out);
        return status;
    }
    put_off later{.of = wanted, .vote = {}, .refusal = {}};
    wire::encode_grant_message (answer_to (asked, answer), later.vote);
    answer = {.fault = grant_fault::no_disk};
    wire::encode_grant_message (answer_to (asked, answer), later.refusal);
    waiting_[{std::string (from), std::string (asked.topic), asked.partition}] = std::move (later);
    return status;
}

std::string grantor::begin_writing (base::time_ns now)
{
    std::string text = votes_text (voter_, now, false);
    writing_.swap (waiting_);
    return text;
}

service_status read_question (base::bytes_view octets, grant_message &asked) noexcept
{
    const service_status status = wire::decode_grant_message (octets, asked);
    if (status != service_status::complete || asked.kind == grant_kind::give_back)
        return status;
    if (asked.kind != grant_kind::claim || asked.holder == 0 || asked.epoch_number == 0)
        return service_status::malformed;
    return status;
}

bool give_back (grant_voter &to, const grant_message &asked) noexcept
{
    const bool ended = (asked.flags & wire::grant_flag_ended) != 0;
    return to.release ({asked.topic, asked.partition}, {asked.epoch_number, asked.epoch_id}, asked.holder,
                       ended ? &asked.sequence : nullptr);
}

grant_message answer_to (const grant_message &claim, const grant_answer &answer) noexcept
{
    grant_message made;
    made.kind = grant_kind::answer;
    made.topic = claim.topic;
    made.partition = claim.partition;
    made.round = claim.round;
    made.fault = static_cast<std::uint16_t> (answer.fault);
    made.epoch_number = answer.highest.number;
    made.epoch_id = answer.highest.id;
    made.lease_ms = static_cast<std::uint32_t> (answer.lease_ns / base::ns_per_ms);
    made.pause_ms = in_ms_up (answer.pause_ns);
    made.flags = answer.for_all ? wire::grant_flag_for_all : 0;
    if (answer.before.of.number == 0)
        return made;
    made.flags |= wire::grant_flag_ended;
    made.ended_number = answer.before.of.number;
    made.ended_id = answer.before.of.id;
    made.sequence = answer.before.last_sequence;
    return made;
}

grant_message message_of (const partition_ref &which,
                          const grant_question &question,
                          std::uint64_t holder,
                          bool several) noexcept
{
    grant_message made;
    made.kind = question.is_release ? grant_kind::give_back : grant_kind::claim;
    made.topic = which.topic;
    made.partition = which.partition;
    made.holder = holder;
    made.round = question.round;
    made.epoch_number = question.of.number;
    made.epoch_id = question.of.id;
    made.sequence = question.last_sequence;
    if (question.is_release)
        made.flags = question.knows_end ? wire::grant_flag_ended : 0;
    else
        made.flags = several ? wire::grant_flag_of_several : 0;
    return made;
}

grant_answer answer_in (const grant_message &message) noexcept
{
    grant_answer answer;
    answer.fault = static_cast<grant_fault> (message.fault);
    answer.highest = {message.epoch_number, message.epoch_id};
    answer.lease_ns = base::time_ns{message.lease_ms} * base::ns_per_ms;
    answer.pause_ns = base::time_ns{message.pause_ms} * base::ns_per_ms;
    if ((message.flags & wire::grant_flag_ended) != 0)
        answer.before = {{message.ended_number, message.ended_id}, message.sequence};
    answer.for_all = (message.flags & wire::grant_flag_for_all) != 0;
    return answer;
}

}  // namespace zlink::service
