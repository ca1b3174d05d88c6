// Where partitions stand in a node: what is ordered does not go to subscriptions, but to
// them, and they give it to their readers when its turn has come.
//
// A node with no extension passes ordered messages over, counted.
//
// What an extension does with a node (spot_node.hpp): post() letters to one node or all,
// send() an ordered message with fields of its own, wake() to be advanced.
//
// Thread rule: took() and heard() by whichever thread reads the node's socket, one at a
// time, in the order of each publisher's numbers, under the node's table lock: post() and
// send() may be called there; nothing else of the node. came(), gone() and
// advance() on the loop's thread with no lock held. They return soon and throw nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "service/spot_queue.hpp"
#include "wire/spot_message.hpp"

namespace zlink::service {

class spot_extension
{
  public:
    virtual ~spot_extension () = default;

    // A message with spot_flag_ordered, also of this node itself; item.fields are its
    // head's. Its parts are borrowed. False: it cannot be read.
    [[nodiscard]] virtual bool took (const spot_item &item) noexcept = 0;
    // A letter whose kind is from spot_letters_of_partitions on. False: likewise.
    [[nodiscard]] virtual bool
    heard (std::uint64_t from, std::uint16_t kind, base::bytes_view fields) noexcept = 0;
    // A connection broke, or messages were dropped for us: what is ordered may be missing.
    virtual void doubted () noexcept = 0;

    // A node is there, and can be posted to; or it is not any more. May be said twice.
    virtual void came (std::uint64_t node) noexcept = 0;
    virtual void gone (std::uint64_t node) noexcept = 0;
    // In a turn of the loop: it was woken, or its time has come. When to go on.
    virtual base::time_ns advance (base::time_ns now) noexcept = 0;
};

}  // namespace zlink::service
