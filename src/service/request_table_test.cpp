#include "service/request_table.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::never_ns;

constexpr std::uint16_t some_code = 8;

const char *end_name (request_end how)
{
    constexpr std::array names{"replied", "sent", "refused", "lost", "deadline", "cancelled"};
    return names[static_cast<std::size_t> (how)];
}

class requests : public testing::Test
{
  protected:
    request_id start (const request_wish &wish) { return table_.start (now_, wish).value (); }
    // The next step in words.
    std::string step ()
    {
        step_ = table_.take_step ();
        switch (step_.kind) {
        case step_kind::none:
            return "none";
        case step_kind::send: {
            std::string text = "send " + std::to_string (step_.attempt);
            for (const provider_number each : step_.excluded)
                text += " -" + std::to_string (each);
            return text;
        }
        case step_kind::cancel:
            return "cancel " + std::to_string (step_.attempt) + " at " + std::to_string (step_.provider);
        default:
            return std::string (end_name (step_.how)) + (step_.maybe_done ? "?" : "");
        }
    }
    // Takes the send step and sends.
    void send_to (provider_number provider)
    {
        ASSERT_TRUE (step ().starts_with ("send"));
        EXPECT_TRUE (table_.sent (step_.id, step_.attempt, provider));
    }

    request_table table_;
    request_step step_;
    base::time_ns now_ = 1000;
};

TEST_F (requests, are_sent_and_replied_to)
{
    const request_id id = start ({});
    EXPECT_NE (id, 0u);
    EXPECT_EQ (step (), "send 1");
    EXPECT_EQ (step_.id, id);
    EXPECT_EQ (step (), "none");
    EXPECT_TRUE (table_.sent (id, 1, 7));
    EXPECT_EQ (step (), "none");
    EXPECT_TRUE (table_.replied (id, 1));
    EXPECT_EQ (step (), "replied");
    EXPECT_EQ (step_.id, id);
    EXPECT_EQ (step (), "none");
    EXPECT_EQ (table_.size (), 0u);
    EXPECT_FALSE (table_.replied (id, 1));
    EXPECT_EQ (table_.late (), 1u);
}

TEST_F (requests, what_is_a_strangers_is_no_reply)
{
    const request_id id = start ({});
    EXPECT_FALSE (table_.replied (id, 1)) << "not sent";
    send_to (7);
    EXPECT_FALSE (table_.replied (id, 2));
    EXPECT_FALSE (table_.replied (id + 1, 1));
    EXPECT_FALSE (table_.replied (id + (request_id{1} << 32), 1));
    EXPECT_FALSE (table_.replied (0, 0));
    EXPECT_FALSE (table_.refused (id, 9, true, some_code));
    EXPECT_EQ (table_.late (), 6u);
    EXPECT_TRUE (table_.replied (id, 1));
}

TEST_F (requests, wait_for_room)
{
    const request_id id = start ({});
    EXPECT_EQ (step (), "send 1");
    table_.no_room (id, 1);
    EXPECT_EQ (step (), "none");
    table_.room ();
    EXPECT_EQ (step (), "send 2");
    table_.no_room (id, 1);
    EXPECT_TRUE (table_.sent (id, 2, 7)) << "the answer to the first step is of no account";
    table_.room ();
    EXPECT_EQ (step (), "none");
}

// Who had it may have it again, rather than nobody.
TEST_F (requests, with_no_room_elsewhere_nobody_is_excluded)
{
    const request_id id = start ({.idempotent = true});
    send_to (7);
    table_.provider_gone (7);
    EXPECT_EQ (step (), "send 2 -7");
    table_.no_room (id, 2);
    table_.room ();
    EXPECT_EQ (step (), "send 3");
}

TEST_F (requests, end_at_their_deadline)
{
    start ({.deadline_ns = now_ + 10});
    const request_id second = start ({.deadline_ns = now_ + 20});
    EXPECT_EQ (step (), "send 1");
    table_.no_room (step_.id, 1);
    send_to (7);
    EXPECT_EQ (table_.next_due (), now_ + 10);
    table_.expire (now_ + 9);
    EXPECT_EQ (step (), "none");
    table_.expire (now_ + 10);
    EXPECT_EQ (step (), "deadline") << "nobody had it";
    table_.expire (now_ + 20);
    EXPECT_EQ (step (), "cancel 1 at 7");
    EXPECT_EQ (step_.id, second);
    EXPECT_EQ (step (), "deadline?");
    EXPECT_EQ (table_.next_due (), never_ns);
    start ({.deadline_ns = now_});
    EXPECT_EQ (step (), "deadline") << "over before it began";
}

TEST_F (requests, are_cancelled)
{
    const request_id id = start ({});
    send_to (7);
    EXPECT_TRUE (table_.cancel (id));
    EXPECT_FALSE (table_.cancel (id));
    EXPECT_EQ (step (), "cancel 1 at 7");
    EXPECT_EQ (step (), "cancelled?");
    const request_id unsent = start ({});
    EXPECT_TRUE (table_.cancel (unsent));
    EXPECT_EQ (step (), "cancelled");
    const request_id on_the_way = start ({});
    EXPECT_EQ (step (), "send 1");
    EXPECT_TRUE (table_.cancel (on_the_way));
    EXPECT_FALSE (table_.sent (on_the_way, 1, 7)) << "whoever sent it revokes it";
    EXPECT_EQ (step (), "cancelled?");
}

TEST_F (requests, all_at_once)
{
    start ({});
    start ({});
    send_to (7);
    table_.cancel_all ();
    EXPECT_EQ (step (), "cancelled") << "the second, which waits to be sent";
    EXPECT_EQ (step (), "cancel 1 at 7");
    EXPECT_EQ (step (), "cancelled?");
    EXPECT_EQ (step (), "none");
    EXPECT_EQ (table_.size (), 0u);
}

// No octet left: anybody may have it, as often as it takes.
TEST_F (requests, recalled_go_elsewhere)
{
    const request_id id = start ({.attempts_max = 1});
    for (provider_number each = 1; each <= 20; ++each) {
        send_to (each);
        table_.recalled (id, step_.attempt);
    }
    EXPECT_EQ (step (), "send 21 -13 -14 -15 -16 -17 -18 -19 -20");
    EXPECT_TRUE (table_.sent (id, 21, 21));
    EXPECT_TRUE (table_.replied (id, 21));
}

TEST_F (requests, lost_ones_are_not_sent_again)
{
    start ({});
    send_to (7);
    table_.provider_gone (8);
    EXPECT_EQ (step (), "none");
    table_.provider_gone (7);
    EXPECT_EQ (step (), "lost?");
}

TEST_F (requests, lost_ones_are_sent_again_if_that_does_no_harm)
{
    start ({.idempotent = true, .attempts_max = 2});
    send_to (7);
    table_.provider_gone (7);
    EXPECT_EQ (step (), "send 2 -7");
    EXPECT_TRUE (table_.sent (step_.id, 2, 8));
    table_.provider_gone (8);
    EXPECT_EQ (step (), "lost?");
}

TEST_F (requests, refused_untouched_go_elsewhere)
{
    const request_id id = start ({.attempts_max = 2});
    send_to (7);
    EXPECT_TRUE (table_.refused (id, 1, true, some_code));
    EXPECT_EQ (step (), "send 2 -7");
    EXPECT_TRUE (table_.sent (id, 2, 8));
    EXPECT_TRUE (table_.refused (id, 2, true, some_code + 1));
    EXPECT_EQ (step (), "refused");
    EXPECT_EQ (step_.code, some_code + 1);
}

TEST_F (requests, refused_for_good)
{
    const request_id id = start ({.idempotent = true});
    send_to (7);
    EXPECT_TRUE (table_.refused (id, 1, false, some_code));
    EXPECT_EQ (step (), "refused?");
    EXPECT_EQ (step_.code, some_code);
}

TEST_F (requests, are_hedged)
{
    const request_id id = start ({.hedge_at_ns = now_ + 5, .idempotent = true});
    send_to (7);
    EXPECT_EQ (table_.next_due (), now_ + 5);
    table_.expire (now_ + 5);
    EXPECT_EQ (step (), "send 2 -7");
    EXPECT_TRUE (table_.sent (id, 2, 8));
    table_.expire (now_ + 1000);
    EXPECT_EQ (step (), "none") << "once";
    EXPECT_TRUE (table_.replied (id, 2));
    EXPECT_EQ (step (), "cancel 1 at 7");
    EXPECT_EQ (step (), "replied");
    EXPECT_FALSE (table_.replied (id, 1));
}

TEST_F (requests, a_hedge_outlives_the_first)
{
    const request_id id = start ({.hedge_at_ns = now_ + 5, .idempotent = true});
    send_to (7);
    table_.expire (now_ + 5);
    send_to (8);
    table_.provider_gone (7);
    EXPECT_EQ (step (), "none") << "the other one has it";
    EXPECT_TRUE (table_.refused (id, 2, true, some_code));
    EXPECT_EQ (step (), "send 3 -7 -8");
}

TEST_F (requests, a_hedge_that_nobody_takes_is_given_up)
{
    const request_id id = start ({.hedge_at_ns = now_ + 5, .idempotent = true});
    send_to (7);
    table_.expire (now_ + 5);
    EXPECT_EQ (step (), "send 2 -7");
    table_.no_room (id, 2);
    table_.room ();
    EXPECT_EQ (step (), "none");
    EXPECT_TRUE (table_.replied (id, 1));
    EXPECT_EQ (step (), "replied");
}

TEST_F (requests, only_the_idempotent_are_hedged)
{
    start ({.hedge_at_ns = now_ + 5});
    EXPECT_EQ (table_.next_due (), never_ns);
    send_to (7);
    table_.expire (now_ + 5);
    EXPECT_EQ (step (), "none");
}

TEST_F (requests, one_way_ends_when_it_is_sent)
{
    const request_id id = start ({.one_way = true});
    EXPECT_EQ (step (), "send 1");
    table_.no_room (id, 1);
    table_.room ();
    send_to (7);
    EXPECT_EQ (step (), "sent");
    EXPECT_EQ (step (), "none");
}

TEST_F (requests, there_is_a_limit)
{
    request_table small (2);
    const request_id one = small.start (now_, {}).value ();
    EXPECT_TRUE (small.start (now_, {}).has_value ());
    EXPECT_FALSE (small.start (now_, {}).has_value ());
    small.cancel (one);
    while (small.take_step ().kind != step_kind::none) {}
    EXPECT_TRUE (small.start (now_, {}).has_value ());
}

// --- properties --------------------------------------------------------------------

// A world around a table that plays every part badly: providers that lose, refuse and
// answer late, and an engine that hands back. It knows what has really been done.
class rough_world
{
  public:
    explicit rough_world (unsigned seed) : dice_ (seed) {}

    void turn ()
    {
        now_ += static_cast<base::time_ns> (dice_ () % 10);
        switch (dice_ () % 12) {
        case 0:
        case 1:
            return begin ();
        case 2:
            return table_.expire (now_);
        case 3:
            return table_.room ();
        case 4:
            return cancel_one ();
        case 5:
            return break_provider (static_cast<provider_number> (dice_ () % providers));
        default:
            return come_back ();
        }
    }
    void take_steps ()
    {
        for (request_step step = table_.take_step (); step.kind != step_kind::none;
             step = table_.take_step ())
            take (step);
    }
    void finish ()
    {
        table_.cancel_all ();
        take_steps ();
        EXPECT_EQ (table_.size (), 0u);
        EXPECT_EQ (table_.next_due (), never_ns);
        for (const auto &[id, each] : known_)
            EXPECT_TRUE (each.ended) << id;
        EXPECT_GT (known_.size (), 100u);
        EXPECT_GT (replied_, 20u);
    }

  private:
    static constexpr unsigned providers = 5;
    struct fact
    {
        request_wish wish;
        unsigned times_done = 0;
        bool ended = false;
    };
    struct sending
    {
        request_id id = 0;
        std::uint16_t attempt = 0;
        provider_number provider = 0;
        bool cancelled = false;
    };

    void begin ()
    {
        const auto later = [this] (std::uint64_t within) {
            return dice_ () % 3 == 0 ? never_ns : now_ + static_cast<base::time_ns> (dice_ () % within);
        };
        const request_wish wish{.deadline_ns = later (300),
                                .hedge_at_ns = later (50),
                                .idempotent = dice_ () % 2 == 0,
                                .one_way = dice_ () % 10 == 0,
                                .attempts_max = 1 + static_cast<unsigned> (dice_ () % 4)};
        const request_id id = table_.start (now_, wish).value ();
        ASSERT_TRUE (known_.emplace (id, fact{wish}).second) << "an id that has been";
    }
    void cancel_one ()
    {
        if (!known_.empty () && dice_ () % 4 == 0)
            table_.cancel (std::next (known_.begin (), static_cast<long> (dice_ () % known_.size ()))->first);
    }
    void take (const request_step &step)
    {
        fact &of = known_.at (step.id);
        ASSERT_FALSE (of.ended) << "a step behind the end";
        if (step.kind == step_kind::send)
            send (step, of);
        else if (step.kind == step_kind::cancel)
            revoke (step);
        else
            end (step, of);
    }
    void send (const request_step &step, fact &of)
    {
        ASSERT_TRUE (of.wish.idempotent || of.times_done == 0) << "it is sent, and has been done";
        ASSERT_LT (out_of (step.id), of.wish.idempotent ? attempts_at_once_max : 1u);
        if (dice_ () % 5 == 0)
            return table_.no_room (step.id, step.attempt);
        const auto to = static_cast<provider_number> (dice_ () % providers);
        const request_id id = step.id;
        const std::uint16_t attempt = step.attempt;
        ASSERT_TRUE (table_.sent (id, attempt, to));
        if (of.wish.one_way)
            ++of.times_done;
        else
            out_.push_back ({.id = id, .attempt = attempt, .provider = to});
    }
    void revoke (const request_step &step)
    {
        const auto found = std::find_if (out_.begin (), out_.end (), [&step] (const sending &each) {
            return each.id == step.id && each.attempt == step.attempt;
        });
        ASSERT_TRUE (found != out_.end ()) << "a cancel of what is not out";
        ASSERT_FALSE (found->cancelled);
        ASSERT_EQ (found->provider, step.provider);
        found->cancelled = true;
    }
    void end (const request_step &step, fact &of)
    {
        of.ended = true;
        replied_ += step.how == request_end::replied ? 1 : 0;
        const bool well = step.how == request_end::replied || step.how == request_end::sent;
        ASSERT_TRUE (!well || of.times_done > 0);
        ASSERT_TRUE (well || step.maybe_done || of.times_done == 0)
          << "said to be untouched: " << end_name (step.how);
        ASSERT_TRUE (step.how != request_end::deadline || of.wish.deadline_ns <= now_);
        for (const sending &each : out_)
            ASSERT_TRUE (each.id != step.id || each.cancelled || step.how == request_end::lost);
    }
    [[nodiscard]] unsigned out_of (request_id id) const
    {
        return static_cast<unsigned> (
          std::count_if (out_.begin (), out_.end (), [id] (const sending &each) { return each.id == id; }));
    }
    // Something that is out comes back, one way or another.
    void come_back ()
    {
        if (out_.empty ())
            return;
        const std::size_t at = dice_ () % out_.size ();
        const sending which = out_[at];
        out_.erase (out_.begin () + static_cast<std::ptrdiff_t> (at));
        fact &of = known_.at (which.id);
        switch (dice_ () % 6) {
        case 0:
            return table_.recalled (which.id, which.attempt);
        case 1:
            table_.refused (which.id, which.attempt, true, some_code);
            return;
        case 2:
            ++of.times_done;
            table_.refused (which.id, which.attempt, false, some_code);
            return;
        default:
            ++of.times_done;
            ASSERT_TRUE (of.wish.idempotent || of.times_done == 1);
            ASSERT_EQ (table_.replied (which.id, which.attempt), !of.ended);
        }
    }
    // Some of what it had is handed back; of the rest some has been done.
    void break_provider (provider_number which)
    {
        for (const sending &each : out_) {
            if (each.provider != which)
                continue;
            if (dice_ () % 2 == 0)
                table_.recalled (each.id, each.attempt);
            else if (dice_ () % 2 == 0)
                ++known_.at (each.id).times_done;
        }
        std::erase_if (out_, [which] (const sending &each) { return each.provider == which; });
        table_.provider_gone (which);
    }

    std::mt19937_64 dice_;
    request_table table_;
    base::time_ns now_ = 0;
    std::map<request_id, fact> known_;
    std::vector<sending> out_;
    unsigned replied_ = 0;
};

class request_runs : public testing::TestWithParam<unsigned>
{
};

TEST_P (request_runs, nothing_is_done_twice_or_ends_untold)
{
    rough_world world (GetParam ());
    for (int round = 0; round < 3000 && !HasFatalFailure (); ++round) {
        world.turn ();
        world.take_steps ();
    }
    world.finish ();
}
INSTANTIATE_TEST_SUITE_P (seeds, request_runs, testing::Range (1u, 101u));

}  // namespace
}  // namespace zlink::service
