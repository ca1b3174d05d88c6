#include "api/utility_handle.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::api {
namespace {

TEST (utility_handle, is_found_by_its_kind_only)
{
    int object = 0;
    utility_record *record = open_handle (handle_kind::poller, &object);
    ASSERT_NE (record, nullptr);
    EXPECT_EQ (find_handle (record, handle_kind::poller), record);
    EXPECT_EQ (find_handle (record, handle_kind::timers), nullptr);
    EXPECT_EQ (object_of<int> (record, handle_kind::poller), &object);
    EXPECT_EQ (close_handle (record, handle_kind::timers), nullptr);
    EXPECT_EQ (close_handle (record, handle_kind::poller), &object);
}

TEST (utility_handle, knows_the_dead_and_the_foreign)
{
    int object = 0;
    utility_record *record = open_handle (handle_kind::poller, &object);
    ASSERT_NE (record, nullptr);
    ASSERT_EQ (close_handle (record, handle_kind::poller), &object);
    EXPECT_EQ (find_handle (record, handle_kind::poller), nullptr);
    EXPECT_EQ (close_handle (record, handle_kind::poller), nullptr);
    EXPECT_EQ (find_handle (nullptr, handle_kind::poller), nullptr);
    alignas (utility_record) std::array<std::byte, sizeof (utility_record)> foreign{};
    EXPECT_EQ (find_handle (foreign.data (), handle_kind::poller), nullptr);
    EXPECT_EQ (find_handle (foreign.data () + 1, handle_kind::poller), nullptr);
}

TEST (utility_handle, is_not_used_again_soon)
{
    utility_record *first = open_handle (handle_kind::counter, nullptr);
    ASSERT_NE (first, nullptr);
    static_cast<void> (close_handle (first, handle_kind::counter));
    for (std::size_t i = 1; i < quarantined_records_min; ++i) {
        utility_record *other = open_handle (handle_kind::counter, nullptr);
        ASSERT_NE (other, first);
        static_cast<void> (close_handle (other, handle_kind::counter));
    }
}

TEST (utility_handle, is_closed_by_one_of_many)
{
    int object = 0;
    for (int round = 0; round < 200; ++round) {
        utility_record *record = open_handle (handle_kind::thread, &object);
        ASSERT_NE (record, nullptr);
        std::atomic<int> winners{0};
        auto close = [&] { winners += close_handle (record, handle_kind::thread) != nullptr ? 1 : 0; };
        std::thread other (close);
        close ();
        other.join ();
        EXPECT_EQ (winners.load (), 1);
    }
}

}  // namespace
}  // namespace zlink::api
