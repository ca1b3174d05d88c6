// One part of a message that stands in two places, as services publish it.
//
// Messages of one row whose numbers follow each other may share a frame: what they all
// begin with stands there once, and each brings its own behind its size (wire/row.hpp).
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace zlink::base {

// Borrowed.
struct joined_part
{
    bytes_view front{};        // what a frame begins with: a topic, and what stands behind it
    bytes_view rest{};         // of a row at most row_item_bytes_max
    std::uint64_t row = 0;     // 0: none; rest stands behind front as it is then. One row, one front
    std::uint64_t number = 0;  // in the row
    // Where in front the number is to stand, in eight octets, big endian, whatever stands there;
    // 0: nowhere. Whoever wrote it there for each message would have to wait for it before the
    // front can be copied.
    std::size_t number_at = 0;
    // Of the front: those of one name (not 0) that a socket is given have the same topic.
    std::uint64_t name = 0;
};

}  // namespace zlink::base
