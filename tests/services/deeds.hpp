// What was asked, what was done and what was told of it: the invariants of requests, and
// the checker of them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "service/gateway.hpp"

namespace zlink::service::test {

class deeds
{
  public:
    void asked (const std::string &what, bool idempotent) { all_[what].idempotent = idempotent; }
    void done (const std::string &what) { ++all_[what].done; }
    void told (const std::string &what, const call_outcome &how, const std::string &reply)
    {
        deed &of = all_[what];
        ++of.told;
        of.status = how.status;
        of.maybe_done = how.maybe_done;
        of.reply = reply;
    }

    // What was violated, a line each.
    [[nodiscard]] std::vector<std::string> violations () const
    {
        std::vector<std::string> found;
        for (const auto &[what, of] : all_) {
            const bool replied = of.status == call_status::replied;
            const std::pair<bool, const char *> rules[] = {
              {of.told == 0, "lost without a word"},
              {of.told > 1, "answered twice"},
              {of.done > 1 && !of.idempotent, "done twice, and not idempotent"},
              {of.told == 1 && replied && of.done == 0, "replied to, and not done"},
              {of.told == 1 && replied && of.reply != what, "has another one's reply"},
              {of.told == 1 && !replied && !of.maybe_done && of.done > 0, "said to be undone, and done"},
            };
            for (const auto &[violated, how] : rules)
                if (violated)
                    found.push_back (what + ": " + how);
        }
        return found;
    }
    [[nodiscard]] std::size_t replied () const
    {
        std::size_t count = 0;
        for (const auto &[what, of] : all_)
            count += of.status == call_status::replied;
        return count;
    }
    [[nodiscard]] std::size_t size () const { return all_.size (); }

  private:
    struct deed
    {
        bool idempotent = false;
        int done = 0;
        int told = 0;
        call_status status = call_status::terminated;
        bool maybe_done = false;
        std::string reply;
    };
    std::map<std::string, deed> all_;
};

}  // namespace zlink::service::test
