// What has happened to one partition, and whether it may have: for tests that write down
// who numbered what, what was confirmed to publishers, and what subscribers were told.
//
//   - Nobody numbers in an epoch of somebody else.
//   - Within an epoch numbers go up one by one, and no publish stands twice.
//   - A subscriber gets the numbers of an epoch in order, without a hole that it was not
//     told of, and what stands under a number is the same for everybody.
//   - What was confirmed and a subscriber did not get it was told of: by a gap, or by an
//     epoch's beginning that says that something may be lost.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/partition_reader.hpp"

namespace zlink::service::test {

class history
{
  public:
    using publish_name = std::pair<std::uint64_t, std::uint64_t>;  // origin, its number

    // An owner has numbered a message.
    void numbered (std::uint64_t node, const log_entry &entry)
    {
        ruling &of = epochs_[entry.of.number];
        if (of.owner == 0) {
            of.owner = node;
            of.next = entry.first;
        }
        if (of.owner != node)
            complain_of_two (entry);
        if (entry.sequence != of.next)
            complain ("an owner skips or repeats a number");
        of.next = entry.sequence + 1;
        stands (entry);
    }
    // Somebody has numbered a message: where owners are not seen, in front of what a
    // subscriber is told.
    void stands (const log_entry &entry)
    {
        ruling &of = epochs_[entry.of.number];
        if (of.id == 0)
            of.id = entry.of.id;
        if (of.id != entry.of.id)
            complain_of_two (entry);
        const publish_name what{entry.origin, entry.origin_number};
        const bool is_news = contents_.try_emplace ({entry.of.number, entry.sequence}, what).second;
        if (is_news && !of.published.insert (what).second)
            complain ("a publish is numbered twice within an epoch");
    }
    // A publisher was told that it was.
    void confirmed (const epoch &of, std::uint64_t sequence)
    {
        if (sequence != 0)
            confirmed_.insert ({of.number, sequence});
    }
    // A subscriber was told something.
    void told (std::uint64_t subscriber, const reader_event &event)
    {
        view &by = views_[subscriber];
        switch (event.what) {
        case reader_event::kind::message:
            return message (by, event.entry);
        case reader_event::kind::gap:
            if (by.began && event.from != by.next)
                complain ("a gap does not begin where the subscriber stands");
            by.gaps.push_back ({by.at, event.from, event.to});
            by.next = event.to + 1;
            return;
        case reader_event::kind::epoch:
            return turn (by, event);
        case reader_event::kind::another:
        case reader_event::kind::owner:
            return;
        }
    }
    // At the end. Empty: nothing was wrong.
    [[nodiscard]] std::string verdict () const
    {
        if (!wrong_.empty ())
            return wrong_;
        for (const auto &[subscriber, by] : views_)
            for (const place &each : confirmed_)
                if (!is_accounted_for (by, each))
                    return "subscriber " + std::to_string (subscriber) + " was not told of the loss of "
                           + std::to_string (each.first) + "/" + std::to_string (each.second);
        return {};
    }
    // Until now, without losses.
    [[nodiscard]] const std::string &wrong () const { return wrong_; }
    [[nodiscard]] std::size_t confirmations () const { return confirmed_.size (); }
    [[nodiscard]] std::size_t epochs () const { return epochs_.size (); }
    [[nodiscard]] std::size_t deliveries () const
    {
        std::size_t all = 0;
        for (const auto &[subscriber, by] : views_)
            all += by.got.size ();
        return all;
    }
    [[nodiscard]] std::size_t gaps () const
    {
        std::size_t all = 0;
        for (const auto &[subscriber, by] : views_)
            all += by.gaps.size ();
        return all;
    }

  private:
    using place = std::pair<std::uint64_t, std::uint64_t>;  // epoch, number
    struct ruling
    {
        std::uint64_t owner = 0, id = 0, next = 0;
        std::set<publish_name> published{};
    };
    struct gap
    {
        std::uint64_t in, from, to;
    };
    struct passage  // from an epoch to another, with a doubt
    {
        std::uint64_t from, to;
    };
    struct view
    {
        bool began = false;
        std::uint64_t at = 0, next = 0;
        place first{};
        std::set<place> got{};
        std::vector<gap> gaps{};
        std::vector<passage> doubts{};
    };

    void complain (std::string what)
    {
        if (wrong_.empty ())
            wrong_ = std::move (what);
    }
    void complain_of_two (const log_entry &entry)
    {
        complain ("two owners number in epoch " + std::to_string (entry.of.number));
    }
    void message (view &by, const log_entry &entry)
    {
        const place at{entry.of.number, entry.sequence};
        if (by.at == 0)
            by.at = entry.of.number;
        if (!by.began) {
            by.began = true;
            by.first = at;
            by.next = by.next == 0 ? entry.sequence : by.next;
        }
        if (entry.of.number != by.at)
            complain ("a message of an epoch whose beginning was not told");
        if (entry.sequence < by.next)
            complain ("a message comes again, or late");
        if (entry.sequence > by.next)
            complain ("a hole that was not told");
        by.next = entry.sequence + 1;
        const auto known = contents_.find (at);
        if (known == contents_.end ())
            complain ("a message that nobody has numbered");
        else if (known->second != publish_name{entry.origin, entry.origin_number})
            complain ("two messages under one number");
        by.got.insert (at);
    }
    void turn (view &by, const reader_event &event)
    {
        if (by.at != 0 && event.entry.of.number <= by.at)
            complain ("epochs do not rise");
        if (by.began && event.from > by.next)
            complain ("a hole in front of an epoch");
        if (by.began && event.from < by.next && !event.loss_possible)
            complain ("an epoch begins in what was seen, and says that nothing is lost");
        if (event.loss_possible)
            by.doubts.push_back ({event.before.number, event.entry.of.number});
        by.at = event.entry.of.number;
        if (by.began)
            by.next = event.from;
    }
    [[nodiscard]] static bool is_accounted_for (const view &by, const place &which)
    {
        const bool passed = by.at > which.first || (by.at == which.first && by.next > which.second);
        if (!by.began || which < by.first || !passed || by.got.contains (which))
            return true;
        for (const gap &each : by.gaps)
            if (each.from <= which.second && which.second <= each.to)
                return true;
        for (const passage &each : by.doubts)
            if (each.from <= which.first && which.first < each.to)
                return true;
        return false;
    }

    std::string wrong_;
    std::map<std::uint64_t, ruling> epochs_;
    std::map<place, publish_name> contents_;
    std::set<place> confirmed_;
    std::map<std::uint64_t, view> views_;
};

}  // namespace zlink::service::test
