#include "engine/judge_desk.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <utility>
#include <vector>

#include "engine/socket_core.hpp"
#include "engine/test_world.hpp"

namespace zlink::engine {
namespace {

// Works when the test says so.
class idle_worker final : public base::worker
{
  public:
    base::result<void> submit (std::function<void ()> piece) override
    {
        if (failure != base::errc::ok)
            return failure;
        pieces.push_back (std::move (piece));
        return {};
    }
    void work ()
    {
        while (!pieces.empty ())
            for (const auto &each : std::exchange (pieces, {}))
                each ();
    }

    std::vector<std::function<void ()>> pieces;
    base::errc failure = base::errc::ok;
};

// Lets in whose domain it notes.
class noted_judge final : public policy
{
  public:
    void judge (const peer_claim &about, wire::zap_reply &to) const override
    {
        asked.push_back (about.domain);
        if (about.domain == "memory is out")
            throw std::bad_alloc ();
        to.status = wire::zap_status_good;
        to.user_id = about.domain;
    }

    mutable std::vector<std::string> asked;
};

struct judges : testing::Test
{
    base::result<std::unique_ptr<verdict_source>> ask (const std::string &name, const std::string &address)
    {
        return desk->ask (judge, std::make_unique<peer_claim> (name, address, wire::credentials{}), asker);
    }
    std::unique_ptr<verdict_source> ask_well (const std::string &name, const std::string &address)
    {
        auto asked = ask (name, address);
        EXPECT_TRUE (asked.ok ());
        return asked.ok () ? std::move (asked).value () : nullptr;
    }

    ~judges () override { EXPECT_TRUE (asker.slot->close (asker.generation).ok ()); }

    test::quiet_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    // It is told of answers, and has no use for them.
    socket_ref asker = socket_core::create (of, pattern_traits{.type = 0, .name = "PAIR"}, {}).value ();
    idle_worker worker;
    std::shared_ptr<judge_desk> desk = std::make_shared<judge_desk> (worker);
    std::shared_ptr<const noted_judge> judge = std::make_shared<noted_judge> ();
};

TEST_F (judges, answer_on_the_worker)
{
    const auto one = ask_well ("one", "here");
    wire::zap_reply said;
    EXPECT_FALSE (one->news ());
    EXPECT_FALSE (one->hear (said));
    EXPECT_EQ (one->by (), judge.get ());
    EXPECT_TRUE (judge->asked.empty ());
    worker.work ();
    EXPECT_TRUE (one->news ());
    ASSERT_TRUE (one->hear (said));
    EXPECT_EQ (said.status, wire::zap_status_good);
    EXPECT_EQ (said.user_id, "one");
}

// However many come from the first.
TEST_F (judges, addresses_take_turns)
{
    std::vector<std::unique_ptr<verdict_source>> all;
    for (const char *const name : {"a1", "a2", "a3", "a4"})
        all.push_back (ask_well (name, "a"));
    for (const char *const name : {"b1", "b2"})
        all.push_back (ask_well (name, "b"));
    all.push_back (ask_well ("c1", "c"));
    worker.work ();
    EXPECT_EQ (judge->asked, (std::vector<std::string>{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}));
    for (const auto &each : all)
        EXPECT_TRUE (each->news ());
}

TEST_F (judges, are_not_asked_about_who_has_gone)
{
    auto first = ask_well ("a1", "a");
    auto second = ask_well ("a2", "a");
    auto other = ask_well ("b1", "b");
    const auto last = ask_well ("c1", "c");
    second.reset ();
    other.reset ();
    worker.work ();
    EXPECT_EQ (judge->asked, (std::vector<std::string>{"a1", "c1"}));
    first.reset ();  // answered, and nobody has heard it
    const auto again = ask_well ("b2", "b");
    worker.work ();
    EXPECT_EQ (judge->asked.back (), "b2");
    EXPECT_EQ (judge.use_count (), 3);  // what waits to be heard holds it
}

TEST_F (judges, that_cannot_be_asked_are_none)
{
    worker.failure = base::errc::no_memory;
    EXPECT_EQ (ask ("one", "here").code (), base::errc::no_memory);
    worker.failure = base::errc::ok;
    const auto two = ask_well ("two", "here");
    worker.work ();
    EXPECT_EQ (judge->asked, (std::vector<std::string>{"two"}));
    EXPECT_TRUE (two->news ());
}

TEST_F (judges, that_run_out_of_memory_say_so)
{
    const auto one = ask_well ("memory is out", "here");
    const auto two = ask_well ("two", "here");
    worker.work ();
    wire::zap_reply said;
    ASSERT_TRUE (one->hear (said));
    EXPECT_EQ (said.fault, base::close_reason::out_of_memory);
    ASSERT_TRUE (two->hear (said));
    EXPECT_EQ (said.user_id, "two");
}

}  // namespace
}  // namespace zlink::engine
