// A socket's counters for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "zlink/zlink.h"

namespace zlink::test {

// All rows of this moment: of the socket, its endpoints, its connections.
[[nodiscard]] inline std::vector<zlink_counters_t> rows_of (void *socket)
{
    std::vector<zlink_counters_t> rows;
    std::size_t count = 0;
    do {
        rows.resize (count);
        EXPECT_EQ (zlink_counters (socket, rows.data (), sizeof (zlink_counters_t), &count), 0);
    } while (count > rows.size ());
    rows.resize (count);
    return rows;
}

[[nodiscard]] inline zlink_counters_t own_row (void *socket) { return rows_of (socket).at (0); }

[[nodiscard]] inline std::vector<zlink_counters_t> rows_of (void *socket, std::uint32_t what)
{
    std::vector<zlink_counters_t> rows = rows_of (socket);
    std::erase_if (rows, [what] (const zlink_counters_t &each) { return each.what != what; });
    return rows;
}

}  // namespace zlink::test
