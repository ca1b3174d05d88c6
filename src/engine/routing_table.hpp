// Where a ROUTER finds its peers: from the name it knows a peer by to the pipe
// that leads there.
//
// A name stands in its pipe and does not change while it is listed; the table
// holds no copy. Thread rule: under the socket lock. Allocation: add() only.
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "engine/pipe.hpp"

namespace zlink::engine {

class routing_table
{
  public:
    // nullptr: nobody has the name. Not const: it remembers whom it found.
    [[nodiscard]] pipe *find (std::string_view name) noexcept
    {
        if (last_ != nullptr && last_->name == name)
            return last_;
        return look_up (name);
    }
    // Under its name from now on. address_in_use: another one has it; no_memory.
    base::result<void> add (pipe &which) noexcept;
    // Nothing happens when it is not listed.
    void remove (pipe &which) noexcept;
    void clear () noexcept;
    [[nodiscard]] std::size_t size () const noexcept { return by_name_.size (); }

  private:
    [[nodiscard]] pipe *look_up (std::string_view name) noexcept;

    std::unordered_map<std::string_view, pipe *> by_name_;
    pipe *last_ = nullptr;  // found last
};

}  // namespace zlink::engine
