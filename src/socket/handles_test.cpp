#include "socket/handles.hpp"

#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::socket {
namespace {

int target;

handle_record *made (handle_kind kind = handle_kind::socket, std::uint32_t generation = 1)
{
    const base::result<handle_record *> record = make_handle (kind, &target, generation);
    EXPECT_TRUE (record.ok ());
    return record.ok () ? record.value () : nullptr;
}

std::uint32_t first_word (const void *handle)
{
    std::uint32_t word = 0;
    std::memcpy (&word, handle, sizeof word);
    return word;
}

TEST (handles, a_live_one_is_found_with_what_it_stands_for)
{
    handle_record *const record = made (handle_kind::socket, 77);
    ASSERT_NE (record, nullptr);
    EXPECT_EQ (find_handle (record, handle_kind::socket), record);
    EXPECT_EQ (record->target.load (), &target);
    EXPECT_EQ (record->generation.load (), 77U);
    EXPECT_EQ (&handle_region[handle_index (*record)], record);
    EXPECT_TRUE (retire_handle (*record, handle_kind::socket));
}

TEST (handles, the_first_32_bits_are_all_ones_alive_and_stale)
{
    handle_record *const record = made ();
    EXPECT_EQ (first_word (record), 0xFFFFFFFF);
    EXPECT_TRUE (retire_handle (*record, handle_kind::socket));
    EXPECT_EQ (first_word (record), 0xFFFFFFFF);
}

TEST (handles, a_stale_one_is_not_found)
{
    handle_record *const record = made ();
    EXPECT_TRUE (retire_handle (*record, handle_kind::socket));
    EXPECT_EQ (find_handle (record, handle_kind::socket), nullptr);
    EXPECT_EQ (find_handle (record, handle_kind::context), nullptr);
}

TEST (handles, the_wrong_kind_is_not_found)
{
    handle_record *const record = made (handle_kind::context);
    EXPECT_EQ (find_handle (record, handle_kind::socket), nullptr);
    EXPECT_FALSE (retire_handle (*record, handle_kind::socket));
    EXPECT_EQ (find_handle (record, handle_kind::context), record);
    EXPECT_TRUE (retire_handle (*record, handle_kind::context));
}

TEST (handles, only_one_retires_it)
{
    handle_record *const record = made ();
    EXPECT_TRUE (retire_handle (*record, handle_kind::socket));
    EXPECT_FALSE (retire_handle (*record, handle_kind::socket));
}

TEST (handles, any_pointer_may_be_asked_about)
{
    handle_record *const record = made ();
    auto *const bytes = reinterpret_cast<std::byte *> (record);
    for (std::size_t i = 1; i < sizeof (handle_record); ++i)
        EXPECT_EQ (find_handle (bytes + i, handle_kind::socket), nullptr);
    const auto region = reinterpret_cast<std::uintptr_t> (handle_region.data ());
    std::array<std::byte, 64> elsewhere{};
    for (void *const foreign :
         {static_cast<void *> (nullptr), static_cast<void *> (elsewhere.data ()),
          reinterpret_cast<void *> (region - sizeof (handle_record)),
          reinterpret_cast<void *> (region + sizeof (handle_region)), reinterpret_cast<void *> (UINTPTR_MAX)})
        EXPECT_EQ (find_handle (foreign, handle_kind::socket), nullptr);
    EXPECT_TRUE (retire_handle (*record, handle_kind::socket));
}

TEST (handles, one_comes_back_after_so_many_creations_and_not_before)
{
    handle_record *const stale = made ();
    EXPECT_TRUE (retire_handle (*stale, handle_kind::socket));
    std::size_t creations = 0;
    for (; creations <= 2 * handles_max; ++creations) {
        handle_record *const next = made ();
        ASSERT_NE (next, nullptr);
        if (next == stale)
            break;
        ASSERT_EQ (find_handle (stale, handle_kind::socket), nullptr);
        ASSERT_TRUE (retire_handle (*next, handle_kind::socket));
    }
    EXPECT_GE (creations, handle_reuse_min);
    EXPECT_LE (creations, 2 * handles_max) << "but it does come back";
    EXPECT_TRUE (retire_handle (*stale, handle_kind::socket));
}

TEST (handles, when_all_are_taken_or_too_young_there_is_an_answer)
{
    std::vector<handle_record *> taken;
    for (;;) {
        const base::result<handle_record *> next = make_handle (handle_kind::socket, &target, 1);
        if (!next.ok ()) {
            EXPECT_EQ (next.code (), base::errc::too_many_sockets);
            break;
        }
        taken.push_back (next.value ());
        ASSERT_LE (taken.size (), handles_max);
    }
    EXPECT_GE (taken.size (), handle_reuse_min - 1);
    for (handle_record *const each : taken)
        ASSERT_TRUE (retire_handle (*each, handle_kind::socket));
    handle_record *const after = made ();
    ASSERT_NE (after, nullptr);
    EXPECT_TRUE (retire_handle (*after, handle_kind::socket));
}

// Each thread's own are its own, and each is retired once.
TEST (handles, threads_make_and_retire_at_once)
{
    std::array<int, 4> failures{};
    std::vector<std::thread> threads;
    for (int &failed : failures)
        threads.emplace_back ([&failed] {
            for (int i = 0; i < 2000; ++i) {
                const auto record =
                  make_handle (handle_kind::socket, &failed, static_cast<std::uint32_t> (i));
                failed += !record.ok () || record.value ()->target.load () != &failed
                          || !retire_handle (*record.value (), handle_kind::socket);
            }
        });
    for (std::thread &each : threads)
        each.join ();
    EXPECT_EQ (failures, (std::array<int, 4>{}));
}

}  // namespace
}  // namespace zlink::socket
