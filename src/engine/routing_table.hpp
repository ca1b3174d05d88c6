// Where a ROUTER finds its peers: from the name it knows a peer by to the pipe
// that leads there.
//
// A name stands in its pipe and does not change while it is listed; the table
// holds no copy. Thread rule: under the socket lock. Allocation: what has a place
// before it is added needs none then.
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/same_octets.hpp"
#include "engine/pipe.hpp"

namespace zlink::engine {

class routing_table
{
    using table = std::unordered_map<std::string_view, pipe *>;

  public:
    using place = table::node_type;

    // nullptr: nobody has the name. Not const: it remembers whom it found.
    [[nodiscard]] pipe *find (std::string_view name) noexcept
    {
        if (last_ != nullptr && base::same_octets (last_->name, name))
            return last_;
        return look_up (name);
    }
    // The same by the number that the octets of the name are.
    [[nodiscard]] pipe *find (std::uint32_t number) noexcept
    {
        if (last_ != nullptr && last_->number == number)
            return last_;
        return look_up (number);
    }
    // For one more pipe, of so many that there may be then. Throws bad_alloc.
    [[nodiscard]] place make_place (std::size_t pipes);
    // So many pipes may be listed at once. Throws bad_alloc.
    void reserve (std::size_t pipes) { by_name_.reserve (pipes); }
    // Under its name from now on, in that place if it is one. address_in_use:
    // another one has it, and the place is still the caller's; no_memory.
    base::result<void> add (pipe &which, place &at) noexcept;
    base::result<void> add (pipe &which) noexcept
    {
        place none;
        return add (which, none);
    }
    // Nothing happens when it is not listed.
    void remove (pipe &which) noexcept;
    void clear () noexcept;
    [[nodiscard]] std::size_t size () const noexcept { return by_name_.size (); }

  private:
    [[nodiscard]] pipe *look_up (std::string_view name) noexcept;
    [[nodiscard]] pipe *look_up (std::uint32_t number) noexcept;

    table by_name_;
    pipe *last_ = nullptr;  // found last
};

}  // namespace zlink::engine
