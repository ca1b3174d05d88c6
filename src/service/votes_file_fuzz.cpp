// A file of votes with any octets in it.
//
// Promised: one that is believed is written again as it was, and one that is not changes
// nothing.
#include "base/fuzz_target.hpp"
#include "service/votes_file.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    const std::string_view text = base::as_text (fuzz::input_of (data, size));
    service::grant_voter voter (0, service::grant_lease_ns);
    if (service::read_votes (text, voter) != nullptr) {
        require (voter.size () == 0 && !voter.settled (0));
        return 0;
    }
    service::grant_voter again (0, service::grant_lease_ns);
    require (service::read_votes (service::votes_text (voter, 0, false), again) == nullptr);
    require (again.size () == voter.size ());
    return 0;
}
