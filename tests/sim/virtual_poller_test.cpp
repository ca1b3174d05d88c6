#include "sim/virtual_poller.hpp"

#include <array>
#include <gtest/gtest.h>

#include "sim/test_world.hpp"

namespace zlink::sim {

namespace {

using base::interest_edge;
using base::interest_one_shot;
using base::interest_read;
using base::interest_write;

// A file whose level the test sets.
class plain_file final : public kernel_file
{
  public:
    using kernel_file::kernel_file;
    [[nodiscard]] std::uint32_t level () noexcept override { return level_; }
    void set (std::uint32_t bits)
    {
        level_ = bits;
        changed (bits);
    }

  private:
    std::uint32_t level_ = 0;
};

struct bench
{
    explicit bench (virtual_world &of) : world (of), set (of.files) {}

    std::vector<base::poll_event> wait (base::time_ns timeout_ns = 0)
    {
        std::array<base::poll_event, 16> events;
        const auto count = set.wait (events, timeout_ns);
        return {events.begin (),
                events.begin () + static_cast<std::ptrdiff_t> (count.ok () ? count.value () : 0)};
    }

    virtual_world &world;
    virtual_poller set;
};

TEST (VirtualPoller, LevelIsReportedAgain)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        ASSERT_TRUE (on.set.add (file.number (), interest_read, 7).ok ());
        EXPECT_TRUE (on.wait ().empty ());
        file.set (level_in);
        ASSERT_EQ (on.wait ().size (), 1u);
        const auto again = on.wait ();
        ASSERT_EQ (again.size (), 1u);
        EXPECT_EQ (again[0].tag, 7u);
        EXPECT_EQ (again[0].ready, base::ready_read);
        file.set (0);
        EXPECT_TRUE (on.wait ().empty ());
    });
}

TEST (VirtualPoller, AnEdgeIsReportedOnceForEachChange)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        ASSERT_TRUE (on.set.add (file.number (), interest_read | interest_edge, 7).ok ());
        file.set (level_in);
        EXPECT_EQ (on.wait ().size (), 1u);
        EXPECT_TRUE (on.wait ().empty ());
        file.set (level_in);
        EXPECT_EQ (on.wait ().size (), 1u);
        EXPECT_TRUE (on.wait ().empty ());
    });
}

TEST (VirtualPoller, AnEdgeThatIsGoneIsNotReported)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        ASSERT_TRUE (on.set.add (file.number (), interest_read | interest_edge, 7).ok ());
        file.set (level_in);
        file.set (0);
        EXPECT_TRUE (on.wait ().empty ());
    });
}

TEST (VirtualPoller, ReadyWhenAddedIsReported)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        file.set (level_in | level_out);
        ASSERT_TRUE (on.set.add (file.number (), interest_read | interest_edge, 7).ok ());
        const auto seen = on.wait ();
        ASSERT_EQ (seen.size (), 1u);
        EXPECT_EQ (seen[0].ready, base::ready_read);
    });
}

TEST (VirtualPoller, OneShotIsSilentUntilModify)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        ASSERT_TRUE (on.set.add (file.number (), interest_write | interest_one_shot, 7).ok ());
        file.set (level_out);
        EXPECT_EQ (on.wait ().size (), 1u);
        file.set (level_out | level_hangup);
        EXPECT_TRUE (on.wait ().empty ());
        ASSERT_TRUE (on.set.modify (file.number (), interest_write | interest_one_shot, 8).ok ());
        const auto seen = on.wait ();
        ASSERT_EQ (seen.size (), 1u);
        EXPECT_EQ (seen[0].tag, 8u);
        EXPECT_EQ (seen[0].ready, base::ready_write | base::ready_hangup);
    });
}

TEST (VirtualPoller, HangupIsAlwaysReportedAPeersEndUnderEdgeOnly)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file level (world.files);
        plain_file edge (world.files);
        ASSERT_TRUE (on.set.add (level.number (), interest_read, 1).ok ());
        ASSERT_TRUE (on.set.add (edge.number (), interest_read | interest_edge, 2).ok ());
        level.set (level_peer_ended);
        edge.set (level_peer_ended);
        auto seen = on.wait ();
        ASSERT_EQ (seen.size (), 1u);
        EXPECT_EQ (seen[0].tag, 2u);
        EXPECT_EQ (seen[0].ready, base::ready_hangup);
        level.set (level_hangup);
        seen = on.wait ();
        ASSERT_EQ (seen.size (), 1u);
        EXPECT_EQ (seen[0].tag, 1u);
    });
}

TEST (VirtualPoller, WhatIsRemovedOrGoneIsNotReported)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file removed (world.files);
        auto gone = std::make_unique<plain_file> (world.files);
        const io_handle number = gone->number ();
        ASSERT_TRUE (on.set.add (removed.number (), interest_read, 1).ok ());
        ASSERT_TRUE (on.set.add (number, interest_read, 2).ok ());
        removed.set (level_in);
        gone->set (level_in);
        on.set.remove (removed.number ());
        gone.reset ();
        EXPECT_TRUE (on.wait ().empty ());
        EXPECT_FALSE (on.set.modify (number, interest_read, 2).ok ());
        on.set.remove (number);
    });
}

TEST (VirtualPoller, WakeIsReportedOnce)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        on.set.wake ();
        on.set.wake ();
        const auto seen = on.wait ();
        ASSERT_EQ (seen.size (), 1u);
        EXPECT_EQ (seen[0].tag, base::wake_tag);
        EXPECT_TRUE (on.wait ().empty ());
    });
}

TEST (VirtualPoller, ASetInASetIsReadableWhileItHasEvents)
{
    in_world ([] (virtual_world &world) {
        bench outer (world);
        virtual_poller inner (world.files);
        plain_file file (world.files);
        ASSERT_TRUE (inner.add (file.number (), interest_read | interest_edge, 1).ok ());
        ASSERT_TRUE (outer.set.add (inner.handle (), interest_read | interest_one_shot, 9).ok ());
        EXPECT_TRUE (outer.wait ().empty ());
        file.set (level_in);
        ASSERT_EQ (outer.wait ().size (), 1u);
        EXPECT_TRUE (outer.wait ().empty ());  // one shot
        ASSERT_TRUE (outer.set.modify (inner.handle (), interest_read | interest_one_shot, 9).ok ());
        EXPECT_EQ (outer.wait ().size (), 1u);  // still not taken
        std::array<base::poll_event, 4> events;
        EXPECT_EQ (inner.wait (events, 0).value (), 1u);
        ASSERT_TRUE (outer.set.modify (inner.handle (), interest_read, 9).ok ());
        EXPECT_TRUE (outer.wait ().empty ());
        inner.wake ();
        EXPECT_EQ (outer.wait ().size (), 1u);
    });
}

TEST (VirtualPoller, WithoutNestingASetIsRefused)
{
    world_choice flat;
    flat.nests = false;
    in_world (
      [] (virtual_world &world) {
          EXPECT_FALSE (world.pollers.nests ());
          auto outer = world.pollers.make ();
          auto inner = world.pollers.make ();
          EXPECT_FALSE (outer.value ()->add (inner.value ()->handle (), interest_read, 1).ok ());
      },
      flat);
}

TEST (VirtualPoller, ASleeperIsWokenByAnEventAndByTime)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        ASSERT_TRUE (on.set.add (file.number (), interest_read, 1).ok ());
        const base::time_ns start = world.sim.now ();
        EXPECT_TRUE (on.wait (base::ns_per_s).empty ());
        EXPECT_GE (world.sim.now () - start, base::ns_per_s);
        world.sim.after (base::ns_per_s, [&file] { file.set (level_in); });
        EXPECT_EQ (on.wait (-1).size (), 1u);
        EXPECT_LT (world.sim.now () - start, 3 * base::ns_per_s);
    });
}

TEST (VirtualPoller, AnEventGoesToOneOfTheWaiters)
{
    in_world ([] (virtual_world &world) {
        bench on (world);
        plain_file file (world.files);
        ASSERT_TRUE (on.set.add (file.number (), interest_read | interest_edge, 1).ok ());
        std::size_t seen = 0;
        unsigned back = 0;
        for (int i = 0; i < 3; ++i)
            world.sim.spawn ("waits", [&] {
                seen += on.wait (2 * base::ns_per_s).size ();
                ++back;
            });
        world.sim.pass_time (base::ns_per_s);
        file.set (level_in);
        world.sim.wait ("all back", base::never_ns, [&back] { return back == 3; });
        EXPECT_EQ (seen, 1u);
    });
}

TEST (VirtualPoller, TheListOfACallIsLevelTriggered)
{
    in_world ([] (virtual_world &world) {
        plain_file a (world.files);
        plain_file b (world.files);
        std::array<base::poll_entry, 2> entries{
          {{a.number (), interest_read, 0}, {b.number (), interest_write, 0}}};
        EXPECT_EQ (world.pollers.wait_list (entries, 0, {}).value (), 0u);
        b.set (level_in | level_out);
        EXPECT_EQ (world.pollers.wait_list (entries, -1, {}).value (), 1u);
        EXPECT_EQ (world.pollers.wait_list (entries, -1, {}).value (), 1u);
        EXPECT_EQ (entries[0].ready, 0u);
        EXPECT_EQ (entries[1].ready, base::ready_write);
    });
}

}  // namespace

}  // namespace zlink::sim
