// A registry as a grantor: reads questions (docs/protocol/grants.md), lets the voter
// decide, writes the answer. Without a record it keeps its votes in memory: it may grant
// alone, but is no voter among several, who have to remember what they voted for. With
// one, a vote for a fresh epoch is answered when it is written down.
//
// Thread rule: one thread at a time. now is of the clock that goes on while the machine
// sleeps. What may throw std::bad_alloc says so; whoever asked asks again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "service/grant_claim.hpp"
#include "service/grant_voter.hpp"
#include "wire/grant_message.hpp"

namespace zlink::service {

class grantor
{
  public:
    grantor (base::time_ns started, base::time_ns lease) noexcept : voter_ (started, lease) {}

    // Appends the answer to out, if there is one now. from: who asks, for later. Not
    // complete: what came is no question. May throw std::bad_alloc.
    [[nodiscard]] wire::service_status
    take (base::time_ns now, std::string_view from, base::bytes_view question, std::vector<std::byte> &out);

    void set_lease (base::time_ns lease) noexcept { voter_.set_lease (lease); }
    // Partitions that were ever granted.
    [[nodiscard]] std::size_t size () const noexcept { return voter_.size (); }

    // --- with a record ---
    // Votes are written down from now on; before that, what was written is read into it.
    void keep_record () noexcept { keeps_ = true; }
    [[nodiscard]] grant_voter &voter () noexcept { return voter_; }
    // There are votes that nobody has been told of, and that are not being written.
    [[nodiscard]] bool has_unwritten () const noexcept { return !waiting_.empty (); }
    // The text that is to be written for them, one at a time. May throw std::bad_alloc.
    [[nodiscard]] std::string begin_writing (base::time_ns now);
    // It is, or cannot be (then they are told so, and may be asked for again): calls
    // told (name, octets) for each answer that has waited for it.
    template <class Told> void end_writing (bool well, Told &&told)
    {
        for (const auto &[who, answer] : writing_) {
            const auto &[name, topic, partition] = who;
            if (well)
                voter_.recorded ({topic, partition}, answer.of);
            told (std::string_view (name), base::bytes_view (well ? answer.vote : answer.refusal));
        }
        writing_.clear ();
    }

  private:
    // By who asked, topic and partition: who asks again, asks for nothing else any more.
    using asked_by = std::tuple<std::string, std::string, std::uint32_t>;
    struct put_off
    {
        epoch of{};
        std::vector<std::byte> vote, refusal;
    };

    grant_voter voter_;
    bool keeps_ = false;
    std::map<asked_by, put_off> waiting_, writing_;
};

// A claim, or what is given back; malformed: another message. Borrows from the octets.
[[nodiscard]] wire::service_status read_question (base::bytes_view octets,
                                                  wire::grant_message &asked) noexcept;
// What is given back, to a voter. As it answers.
bool give_back (grant_voter &to, const wire::grant_message &asked) noexcept;

// The questions and answers of a claim, as messages.
[[nodiscard]] wire::grant_message message_of (const partition_ref &which,
                                              const grant_question &question,
                                              std::uint64_t holder,
                                              bool several) noexcept;
// What is answered to a claim.
[[nodiscard]] wire::grant_message answer_to (const wire::grant_message &claim,
                                             const grant_answer &answer) noexcept;
[[nodiscard]] grant_answer answer_in (const wire::grant_message &message) noexcept;

}  // namespace zlink::service
