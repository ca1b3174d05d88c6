// What gateways and receivers have counted, for who serves statistics: each object of a
// context stands in a list as long as it lives, under a number that no other has.
//
// Thread rule: any thread. The lock is held while numbers are given, never while an object
// is asked. May throw std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/lock.hpp"

namespace zlink::service {

// One number of an object. Names and helps live for ever.
struct counted_number
{
    std::string_view name;
    std::string_view help;  // a sentence
    std::uint64_t value = 0;
    bool grows = true;              // false: how it is now
    std::string_view error_type{};  // of a name that there is several times: what went wrong
};

class counted
{
  public:
    virtual ~counted () = default;
    // "gateway", as it stands in the names of metrics.
    [[nodiscard]] virtual std::string_view kind () const noexcept = 0;
    // All of them, in one order for a kind; those of one name behind each other.
    [[nodiscard]] virtual std::vector<counted_number> numbers () = 0;
};

// The numbers of an object.
struct counted_rows
{
    std::string_view kind;
    std::uint64_t number = 0;
    std::vector<counted_number> numbers;
};

class counted_list
{
  public:
    void add (std::weak_ptr<counted> one)
    {
        const base::locked here (lock_);
        std::erase_if (all_, [] (const entry &each) { return each.is.expired (); });
        all_.push_back ({++last_, std::move (one)});
    }
    // Of those that are there, in the order of their numbers.
    [[nodiscard]] std::vector<counted_rows> rows ()
    {
        std::vector<entry> all;
        {
            const base::locked here (lock_);
            all = all_;
        }
        std::vector<counted_rows> made;
        for (const entry &each : all)
            if (const std::shared_ptr<counted> is = each.is.lock (); is != nullptr)
                made.push_back ({is->kind (), each.number, is->numbers ()});
        return made;
    }

  private:
    struct entry
    {
        std::uint64_t number;
        std::weak_ptr<counted> is;
    };

    base::exchange_lock lock_;  // of the next two
    std::vector<entry> all_;
    std::uint64_t last_ = 0;
};

}  // namespace zlink::service
