#include "api/counters.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

#include "api/test_sockets.hpp"
#include "zlink/zlink.h"

namespace zlink::api {
namespace {

using socket::drop_reason;

socket::count_row sample ()
{
    socket::count_row row;
    row.what = socket::count_of::connection;
    row.id = 5;
    row.endpoint_id = 6;
    row.address = std::string (300, 'a');
    row.total.messages_sent = 11;
    row.total.wire_bytes_received = 12;
    row.total.of (drop_reason::cut) = 13;
    row.total.of (drop_reason::no_memory) = 14;
    row.now.queued_bytes = 15;
    row.now.round_trip_ns = 16;
    row.last_reason = base::close_reason::peer_closed;
    row.os_error = 17;
    return row;
}

TEST (api_counters, every_field_goes_to_its_place)
{
    zlink_counters_t row;
    std::memset (&row, 0xAA, sizeof row);
    fill_row (&row, sizeof row, sample ());
    EXPECT_EQ (row.what, 2U);
    EXPECT_EQ (row.is_listener, 0U);
    EXPECT_EQ (row.id, 5U);
    EXPECT_EQ (row.endpoint_id, 6U);
    EXPECT_EQ (std::strlen (row.address), sizeof (row.address) - 1);
    EXPECT_EQ (row.messages_sent, 11U);
    EXPECT_EQ (row.wire_bytes_received, 12U);
    EXPECT_EQ (row.dropped_cut, 13U);
    EXPECT_EQ (row.dropped_no_memory, 14U);
    EXPECT_EQ (row.queued_bytes, 15U);
    EXPECT_EQ (row.round_trip_ns, 16U);
    EXPECT_EQ (row.last_reason, static_cast<int> (base::close_reason::peer_closed));
    EXPECT_EQ (row.last_os_error, 17);
}

TEST (api_counters, a_row_of_another_length_is_filled_as_far_as_it_goes)
{
    std::array<std::uint64_t, sizeof (zlink_counters_t) / 8 + 2> room;
    room.fill (1);
    fill_row (room.data (), sizeof (zlink_counters_t) + 8, sample ());
    EXPECT_EQ (room[sizeof (zlink_counters_t) / 8], 0U);
    EXPECT_EQ (room.back (), 1U);
    room.fill (1);
    fill_row (room.data (), 16, sample ());
    EXPECT_EQ (room[1], 5U);
    EXPECT_EQ (room[2], 1U);
}

TEST (api_counters, rows_are_counted_before_there_is_room_for_them)
{
    test_sockets all;
    void *const pull = all.open_bound (test_sockets::pull_type, "inproc://counted");
    std::size_t count = 0;
    ASSERT_EQ (count_rows_into (pull, nullptr, sizeof (zlink_counters_t), &count), 0);
    ASSERT_EQ (count, 2U);
    std::array<zlink_counters_t, 2> rows{};
    ASSERT_EQ (count_rows_into (pull, rows.data (), sizeof (zlink_counters_t), &count), 0);
    EXPECT_EQ (rows[0].what, 0U);
    EXPECT_STREQ (rows[0].address, "PULL");
    EXPECT_STREQ (rows[1].address, "inproc://counted");
    EXPECT_EQ (count_rows_into (pull, rows.data (), 4, &count), -1);
    EXPECT_EQ (errno, EINVAL);
}

}  // namespace
}  // namespace zlink::api
