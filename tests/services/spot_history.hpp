// What was published and what came of it at one subscription, and whether that keeps the
// promises: every publisher's messages in their order, none twice, and none missing
// without a gap between the messages around it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zlink::service::test {

class spot_history
{
  public:
    // Message i of a publisher, of those that this subscription wants.
    void came (const std::string &publisher, std::uint64_t i)
    {
        ++messages_;
        const auto [at, first] = last_.try_emplace (publisher, seen{i, gaps_});
        if (first)
            return;
        seen &before = at->second;
        if (i == before.number)
            note (publisher, i, "twice");
        else if (i < before.number)
            note (publisher, i, "out of order");
        else if (i != before.number + 1 && before.gaps == gaps_)
            note (publisher, i, "missing before it, and no gap");
        before = {i, gaps_};
    }
    void gap () { ++gaps_; }

    [[nodiscard]] const std::vector<std::string> &violations () const { return violations_; }
    [[nodiscard]] std::uint64_t messages () const { return messages_; }
    [[nodiscard]] std::uint64_t gaps () const { return gaps_; }

  private:
    struct seen
    {
        std::uint64_t number;
        std::uint64_t gaps;
    };
    void note (const std::string &publisher, std::uint64_t i, const char *what)
    {
        violations_.push_back (publisher + "." + std::to_string (i) + ": " + what);
    }

    std::map<std::string, seen> last_;
    std::uint64_t gaps_ = 0;
    std::uint64_t messages_ = 0;
    std::vector<std::string> violations_;
};

}  // namespace zlink::service::test
