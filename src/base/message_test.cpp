#include "base/message.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/turnover.hpp"

namespace zlink::base {
namespace {

// Messages are trivial: this one closes itself so that tests cannot leak.
struct owned : message
{
    owned () { init (); }
    ~owned () { close (); }
    owned (const owned &) = delete;
    owned &operator= (const owned &) = delete;
};

struct release_log
{
    int calls = 0;
    void *data = nullptr;

    static void record (void *data, void *hint)
    {
        auto *log = static_cast<release_log *> (hint);
        ++log->calls;
        log->data = data;
    }
};

class counted_facts : public message_facts
{
  public:
    explicit counted_facts (int &alive) : alive_ (alive) { ++alive_; }
    ~counted_facts () override { --alive_; }
    const char *find (const char *name) const noexcept override
    {
        return std::strcmp (name, "Peer-Address") == 0 ? "127.0.0.1" : nullptr;
    }

  private:
    int &alive_;
};

TEST (message, starts_empty_and_valid)
{
    owned part;
    EXPECT_TRUE (part.valid ());
    EXPECT_EQ (part.size (), 0U);
    EXPECT_FALSE (part.more ());
    EXPECT_FALSE (part.shared ());
    EXPECT_EQ (part.facts (), nullptr);
    EXPECT_STREQ (part.group (), "");
}

TEST (message, closed_is_not_valid)
{
    message part;
    part.init ();
    part.close ();
    EXPECT_FALSE (part.valid ());
}

TEST (message, zeroed_memory_is_not_a_valid_message)
{
    alignas (message) std::array<std::byte, sizeof (message)> raw{};
    EXPECT_FALSE (reinterpret_cast<message *> (raw.data ())->valid ());
}

// Sizes around every border: inline, plain, each class of the pool, beyond.
TEST (message, holds_every_size)
{
    std::vector<std::size_t> sizes = {0, 1, 39, 40, 41, 255, 8192, 3 << 20};
    for (std::size_t size = pooled_body_min; size <= 2 * pooled_body_max; size *= 2)
        sizes.insert (sizes.end (), {size - 1, size, size + 1});
    for (std::size_t size : sizes) {
        owned part;
        ASSERT_TRUE (part.init_size (size).ok ());
        ASSERT_EQ (part.size (), size);
        if (size != 0)
            std::memset (part.data (), 0xA5, size);
        ASSERT_EQ (part.view ().size (), size);
        if (size != 0) {
            ASSERT_EQ (part.view ().back (), std::byte{0xA5});
        }
    }
}

TEST (message, impossible_size_is_no_memory_and_leaves_it_empty)
{
    owned part;
    EXPECT_EQ (part.init_size (SIZE_MAX).code (), errc::no_memory);
    EXPECT_TRUE (part.valid ());
    EXPECT_EQ (part.size (), 0U);
}

TEST (message, copies_bytes)
{
    const std::string text (1000, 'x');
    owned part;
    ASSERT_TRUE (part.init_copy (as_bytes (text)).ok ());
    EXPECT_EQ (as_text (part.view ()), text);
    EXPECT_NE (static_cast<const void *> (part.data ()), static_cast<const void *> (text.data ()));
}

TEST (message, adopted_memory_is_used_in_place_and_released_once)
{
    std::array<char, 100> memory{};
    release_log log;
    {
        owned part;
        ASSERT_TRUE (part.init_adopt (memory.data (), memory.size (), &release_log::record, &log).ok ());
        EXPECT_EQ (static_cast<void *> (part.data ()), static_cast<void *> (memory.data ()));
        EXPECT_FALSE (part.shared ());
        EXPECT_EQ (log.calls, 0);
    }
    EXPECT_EQ (log.calls, 1);
    EXPECT_EQ (log.data, static_cast<void *> (memory.data ()));
}

TEST (message, empty_adopted_memory_is_released_too)
{
    release_log log;
    {
        owned part;
        ASSERT_TRUE (part.init_adopt (nullptr, 0, &release_log::record, &log).ok ());
    }
    EXPECT_EQ (log.calls, 1);
}

TEST (message, constant_memory_counts_as_shared)
{
    static const char text[] = "constant";
    owned part;
    ASSERT_TRUE (part.init_adopt (const_cast<char *> (text), sizeof (text), nullptr, nullptr).ok ());
    EXPECT_TRUE (part.shared ());
}

TEST (message, copy_shares_and_the_last_owner_releases)
{
    std::array<char, 100> memory{};
    release_log log;
    owned second;
    {
        owned first;
        ASSERT_TRUE (first.init_adopt (memory.data (), memory.size (), &release_log::record, &log).ok ());
        first.set_more (true);
        second.copy_from (first);
        EXPECT_EQ (first.data (), second.data ());
        EXPECT_TRUE (first.shared ());
        EXPECT_TRUE (second.shared ());
        EXPECT_TRUE (second.more ());
    }
    EXPECT_EQ (log.calls, 0);
    second.close ();
    EXPECT_EQ (log.calls, 1);
}

TEST (message, copy_of_an_inline_message_is_its_own)
{
    owned first;
    owned second;
    ASSERT_TRUE (first.init_copy (as_bytes ("abc")).ok ());
    second.copy_from (first);
    first.data ()[0] = std::byte{'z'};
    EXPECT_EQ (as_text (second.view ()), "abc");
    EXPECT_FALSE (second.shared ());
}

TEST (message, copy_releases_what_the_target_held)
{
    std::array<char, 100> memory{};
    release_log log;
    owned first;
    owned second;
    ASSERT_TRUE (second.init_adopt (memory.data (), memory.size (), &release_log::record, &log).ok ());
    second.copy_from (first);
    EXPECT_EQ (log.calls, 1);
}

TEST (message, copy_to_a_copy_of_itself_keeps_the_body)
{
    std::array<char, 100> memory{};
    release_log log;
    owned first;
    owned second;
    ASSERT_TRUE (first.init_adopt (memory.data (), memory.size (), &release_log::record, &log).ok ());
    second.copy_from (first);
    second.copy_from (first);
    first.copy_from (first);
    EXPECT_EQ (log.calls, 0);
    first.close ();
    EXPECT_EQ (log.calls, 0);
    second.close ();
    EXPECT_EQ (log.calls, 1);
}

TEST (message, move_empties_the_source_and_releases_the_target)
{
    std::array<char, 100> memory{};
    release_log source_log;
    release_log target_log;
    owned source;
    owned target;
    ASSERT_TRUE (source.init_adopt (memory.data (), memory.size (), &release_log::record, &source_log).ok ());
    ASSERT_TRUE (target.init_adopt (memory.data (), memory.size (), &release_log::record, &target_log).ok ());
    target.move_from (source);
    EXPECT_EQ (target_log.calls, 1);
    EXPECT_EQ (source_log.calls, 0);
    EXPECT_TRUE (source.valid ());
    EXPECT_EQ (source.size (), 0U);
    EXPECT_EQ (target.size (), memory.size ());
    target.move_from (target);
    EXPECT_EQ (target.size (), memory.size ());
    target.close ();
    EXPECT_EQ (source_log.calls, 1);
}

TEST (message, facts_live_as_long_as_somebody_refers_to_them)
{
    int alive = 0;
    auto *facts = new counted_facts (alive);
    owned first;
    owned second;
    first.set_facts (facts);
    facts->drop ();
    second.copy_from (first);
    first.close ();
    first.init ();
    EXPECT_EQ (alive, 1);
    EXPECT_STREQ (second.facts ()->find ("Peer-Address"), "127.0.0.1");
    second.set_facts (nullptr);
    EXPECT_EQ (alive, 0);
}

TEST (message, groups_are_bounded_and_travel_with_copies)
{
    const std::string longest (group_name_max, 'g');
    owned first;
    owned second;
    EXPECT_EQ (first.set_group (longest + "g").code (), errc::invalid_argument);
    ASSERT_TRUE (first.set_group (longest).ok ());
    second.copy_from (first);
    ASSERT_TRUE (first.set_group ("").ok ());
    EXPECT_STREQ (first.group (), "");
    EXPECT_EQ (second.group (), longest);
}

TEST (message, groups_of_every_length_stand_beside_bodies_of_every_length)
{
    for (std::size_t body_bytes = 0; body_bytes <= message_inline_max + 1; ++body_bytes) {
        const std::string body (body_bytes, 'b');
        for (std::size_t group_bytes = 0; group_bytes <= message_inline_max + 1; ++group_bytes) {
            const std::string group (group_bytes, 'g');
            owned part;
            ASSERT_TRUE (part.init_copy (as_bytes (body)).ok ());
            ASSERT_TRUE (part.set_group (group).ok ());
            owned moved, copied;
            copied.copy_from (part);
            moved.move_from (part);
            EXPECT_STREQ (part.group (), "");
            for (const owned *const each : {&moved, &copied}) {
                EXPECT_EQ (as_text (each->view ()), body);
                EXPECT_EQ (each->group_text (), group);
                EXPECT_EQ (std::strlen (each->group ()), group_bytes);
            }
        }
    }
}

TEST (message, groups_are_shared_whatever_had_the_message_before)
{
    for (const std::size_t group_bytes : {0u, 1u, 39u, 255u}) {
        owned first;
        const std::string group (group_bytes, 'g');
        ASSERT_TRUE (first.set_group_to_share (group).ok ());
        for (const std::size_t body_bytes : {0u, 39u, 40u, 41u}) {
            for (const std::string &before : {std::string (), std::string ("a"), std::string (200, 'a')}) {
                owned second;
                ASSERT_TRUE (second.init_copy (as_bytes (std::string (body_bytes, 'b'))).ok ());
                ASSERT_TRUE (second.set_group (before).ok ());
                second.share_group (first);
                EXPECT_EQ (second.group_text (), group);
                EXPECT_EQ (second.size (), body_bytes);
            }
        }
    }
    owned none, other;
    ASSERT_TRUE (other.set_group ("other").ok ());
    other.share_group (none);
    EXPECT_STREQ (other.group (), "");
}

TEST (body_pool, data_starts_away_from_page_borders)
{
    constexpr std::uintptr_t page_bytes = 4096;
    for (std::size_t size = pooled_body_min; size <= 4 * pooled_body_max; size *= 2) {
        body *made = body::allocate (size);
        ASSERT_NE (made, nullptr);
        const auto address = reinterpret_cast<std::uintptr_t> (made->data);
        EXPECT_EQ (address % 64, 0U);
        EXPECT_GE (address % page_bytes, 512U);
        EXPECT_LE (address % page_bytes, 2048U);
        made->drop ();
    }
}

TEST (body_pool, reuses_what_was_dropped)
{
    body *first = body::allocate (pooled_body_max);
    ASSERT_NE (first, nullptr);
    first->drop ();
    body *second = body::allocate (pooled_body_max - 1);
    EXPECT_EQ (second, first);
    EXPECT_EQ (second->size, pooled_body_max - 1);
    EXPECT_EQ (second->references.load (), 1U);
    second->drop ();
}

// Of what another thread dropped the oldest comes first, once enough lies behind it.
TEST (body_pool, lets_turn_over_what_comes_from_another_thread)
{
    constexpr std::size_t size = pooled_body_max / 2;
    constexpr std::size_t behind = turnover_bytes / size;
    std::vector<body *> given;
    for (std::size_t i = 0; i <= behind; ++i)
        given.push_back (body::allocate (size));
    std::thread other ([&] {
        for (body *each : given)
            each->drop ();
    });
    other.join ();
    body *const oldest = body::allocate (size);
    EXPECT_EQ (oldest, given.front ());
    body *const fresh = body::allocate (size);
    EXPECT_EQ (std::find (given.begin (), given.end (), fresh), given.end ());
    oldest->drop ();
    EXPECT_EQ (body::allocate (size), oldest) << "it came back on the thread that took it";
    for (body *each : {oldest, fresh})
        each->drop ();
}

TEST (body_pool, keeps_a_bounded_number)
{
    constexpr std::size_t kept = 2 * turnover_bytes_max / pooled_body_max;
    std::vector<body *> held;
    for (std::size_t i = 0; i < 3 * kept; ++i)
        held.push_back (body::allocate (pooled_body_max));
    for (body *each : held) {
        ASSERT_NE (each, nullptr);
        each->drop ();  // the surplus goes back to the allocator: seen by leak and address checkers
    }
}

TEST (body_pool, serves_threads_at_once)
{
    auto churn = [] {
        for (int i = 0; i < 2000; ++i) {
            body *made = body::allocate (pooled_body_min << (i % 3));
            made->data[0] = std::byte{1};
            made->data[made->size - 1] = std::byte{2};
            made->drop ();
        }
    };
    std::thread other (churn);
    churn ();
    other.join ();
}

TEST (body, last_of_many_threads_releases_once)
{
    release_log log;
    std::array<char, 10> memory{};
    for (int round = 0; round < 200; ++round) {
        body *made = body::adopt (memory.data (), memory.size (), &release_log::record, &log);
        made->retain ();
        std::thread other ([made] { made->drop (); });
        made->drop ();
        other.join ();
        ASSERT_EQ (log.calls, round + 1);
    }
}

}  // namespace
}  // namespace zlink::base
