// What a publisher keeps for a subscriber that has no room: whole messages in
// order, behind all that the subscriber's pipe has taken. While there is one,
// its pipe takes nothing else, so nothing overtakes it.
//
// Only made when a pipe is full and the policy is to keep something; the pipe
// owns it, and lets it go as soon as it is empty.
// Thread rule: under the socket lock.
// Bounds: its user's, who drops from its front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/message.hpp"
#include "engine/byte_budget.hpp"

namespace zlink::engine {

class backlog
{
  public:
    // The bytes count there; null: nowhere.
    explicit backlog (byte_budget *account) noexcept : bytes_ (account) {}
    ~backlog ();
    backlog (const backlog &) = delete;
    backlog &operator= (const backlog &) = delete;

    enum class outcome : std::uint8_t
    {
        added,
        replaced,  // it stands where an older one of its topic was, which is gone
        no_memory,
    };
    // Behind all others; by_topic: in the place of the one with the same first
    // part that was added last, if that was by topic, too. The parts are empty afterwards, or, without
    // memory, as they were and nothing has changed. missed: how many messages were given up just before it;
    // of one that replaces another that is not looked at.
    outcome add (std::span<base::message> parts, bool by_topic, std::uint64_t missed) noexcept;

    [[nodiscard]] bool empty () const noexcept { return waiting_.empty (); }
    [[nodiscard]] std::int64_t messages () const noexcept
    {
        return static_cast<std::int64_t> (waiting_.size ());
    }
    [[nodiscard]] std::size_t bytes () const noexcept { return bytes_; }  // of bodies

    // The oldest, which none of its topic replaces any more, and how many bytes
    // its bodies have. Only when there is one. Its parts may be taken out.
    [[nodiscard]] std::span<base::message> front () noexcept;
    [[nodiscard]] std::size_t front_bytes () const noexcept { return waiting_.front ().bytes; }
    // How many messages are missing before the oldest: they were given up. Once
    // that has been said there are none.
    [[nodiscard]] std::uint64_t front_missed () const noexcept { return waiting_.front ().missed; }
    void front_said () noexcept { waiting_.front ().missed = 0; }
    // It has gone; what is left of its parts is closed.
    void pop_front () noexcept;
    // It is given up, and missing before the next, which there is.
    void drop_front () noexcept;

  private:
    struct entry
    {
        std::vector<base::message> parts;
        std::size_t bytes = 0;
        std::uint64_t missed = 0;
        bool listed = false;  // in places_
    };

    outcome replace (entry &old, entry &fresh) noexcept;
    void append (entry &fresh);
    void unlist (std::unordered_map<std::string_view, std::uint64_t>::iterator at) noexcept;
    void unlist_front () noexcept;

    std::deque<entry> waiting_;
    std::uint64_t first_ = 0;  // the front's number; the others' follow
    // By topic, which stands in the entry's first part: its number.
    std::unordered_map<std::string_view, std::uint64_t> places_;
    charge bytes_;
};

}  // namespace zlink::engine
