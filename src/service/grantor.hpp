// A registry as a grantor: reads questions (docs/protocol/grants.md), lets the voter
// decide, writes the answer. It keeps its votes in memory: it may grant alone, but is no
// voter among several, who have to remember what they voted for.
//
// Thread rule: one thread at a time. now is of the clock that goes on while the machine
// sleeps. take() may throw std::bad_alloc; whoever asked asks again.
#pragma once

#include <cstddef>
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

    // Appends the answer to out, if there is one. Not complete: what came is no question.
    [[nodiscard]] wire::service_status
    take (base::time_ns now, base::bytes_view question, std::vector<std::byte> &out);

    void set_lease (base::time_ns lease) noexcept { voter_.set_lease (lease); }
    // Partitions that were ever granted.
    [[nodiscard]] std::size_t size () const noexcept { return voter_.size (); }

  private:
    grant_voter voter_;
};

// The questions and answers of a claim, as messages.
[[nodiscard]] wire::grant_message message_of (const partition_ref &which,
                                              const grant_question &question,
                                              std::uint64_t holder,
                                              bool several) noexcept;
[[nodiscard]] grant_answer answer_in (const wire::grant_message &message) noexcept;

}  // namespace zlink::service
