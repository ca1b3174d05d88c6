// What was published and what came of it at one subscription, and whether that keeps the
// promises: every publisher's messages in their order, none twice, and none missing, between
// two, in front of all or behind them, without a gap there that says so many or says not how
// many.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zlink::service::test {

class spot_history
{
  public:
    // The publisher knows that this subscription wants what is published from there on.
    void wanted (const std::string &publisher, std::uint64_t from) { reached (publisher, from); }
    // Message i of a publisher, of those that this subscription wants.
    void came (const std::string &publisher, std::uint64_t i)
    {
        ++messages_;
        const auto known = places_.find (publisher);
        if (known != places_.end () && i + 1 == known->second.next)
            note (publisher, i, "twice");
        else if (known != places_.end () && i < known->second.next)
            note (publisher, i, "out of order");
        else if (known != places_.end () && is_untold (known->second, i))
            note (publisher, i, "missing before it, and no gap");
        reached (publisher, i + 1);
    }
    // So many are missing; 0: it is not known how many.
    void gap (std::uint64_t missing)
    {
        told_ += missing;
        doubts_ += missing == 0;
    }
    // Nothing comes any more, and that was the number of the next.
    void ended (const std::string &publisher, std::uint64_t next)
    {
        const auto known = places_.find (publisher);
        if (known == places_.end ())
            note (publisher, next, "never heard");
        else if (is_untold (known->second, next))
            note (publisher, next, "missing at the end, and no gap");
    }

    [[nodiscard]] const std::vector<std::string> &violations () const { return violations_; }
    [[nodiscard]] std::uint64_t messages () const { return messages_; }
    [[nodiscard]] bool had_gaps () const { return doubts_ + told_ != 0; }

  private:
    struct place
    {
        std::uint64_t next;  // number
        std::uint64_t doubts, told;
    };
    void reached (const std::string &publisher, std::uint64_t next)
    {
        places_.insert_or_assign (publisher, place{next, doubts_, told_});
    }
    [[nodiscard]] bool is_untold (const place &before, std::uint64_t next) const
    {
        return before.doubts == doubts_ && next - before.next > told_ - before.told;
    }
    void note (const std::string &publisher, std::uint64_t i, const char *what)
    {
        violations_.push_back (publisher + "." + std::to_string (i) + ": " + what);
    }

    std::map<std::string, place> places_;
    std::uint64_t doubts_ = 0, told_ = 0;  // gaps without a number, and the sum of the others
    std::uint64_t messages_ = 0;
    std::vector<std::string> violations_;
};

}  // namespace zlink::service::test
