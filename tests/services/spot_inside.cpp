// A node of SPOT by itself: what is published in it comes to its own subscriptions.
#include "services/spots.hpp"

namespace zlink::service::test {
namespace {

TEST (SpotInside, ATopicComesToWhoWantsIt)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription exact (node.share (), {}), prefix (node.share (), {}), glob (node.share (), {}),
          other (node.share (), {});
        ASSERT_TRUE (exact.subscribe (spot_match::exact, "room.a").ok ());
        ASSERT_TRUE (prefix.subscribe (spot_match::prefix, "room.").ok ());
        ASSERT_TRUE (glob.subscribe (spot_match::glob, "*.a").ok ());
        ASSERT_TRUE (other.subscribe (spot_match::exact, "room").ok ());
        for (const char *const topic : {"room.a", "room.ab", "hall.a", "roof"})
            publish (*node.share (), topic, "x");
        EXPECT_EQ (rest_of (exact), (texts{"room.a=x"}));
        EXPECT_EQ (rest_of (prefix), (texts{"room.a=x", "room.ab=x"}));
        EXPECT_EQ (rest_of (glob), (texts{"room.a=x", "hall.a=x"}));
        EXPECT_EQ (rest_of (other), texts{});
        EXPECT_EQ (node->counters ().published, 4u);
        EXPECT_EQ (node->counters ().received, 3u) << "what nobody wants is not sent";
    });
}

TEST (SpotInside, SubscriptionsAddUpAndEnd)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription one (node.share (), {});
        for (const spot_match how : {spot_match::exact, spot_match::prefix, spot_match::glob}) {
            ASSERT_TRUE (one.subscribe (how, "a").ok ());
            ASSERT_TRUE (one.subscribe (how, "a").ok ());
            ASSERT_TRUE (one.unsubscribe (how, "a").ok ());
            publish (*node.share (), "a", "1");
            EXPECT_EQ (rest_of (one), (texts{"a=1"}));
            ASSERT_TRUE (one.unsubscribe (how, "a").ok ());
            publish (*node.share (), "a", "2");
            EXPECT_EQ (rest_of (one), texts{});
            EXPECT_EQ (one.unsubscribe (how, "a").code (), errc::invalid_argument);
        }
    });
}

TEST (SpotInside, MessagesAreOfAnySizeAndNumberOfParts)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription all (node.share (), {});
        ASSERT_TRUE (all.subscribe (spot_match::prefix, "").ok ());
        for (const std::size_t size : {0u, 40u, 15'360u, 15'361u, 100'000u}) {
            const std::string body (size, 'b');
            publish (*node.share (), "t", body);
            EXPECT_EQ (next_of (all), "t=" + body);
            held_parts one = text_parts ({body});
            ASSERT_TRUE (node->publish ("t", one.all (), 0).ok ());
            EXPECT_EQ (next_of (all), "t=" + body);
            EXPECT_EQ (one[0].size (), 0u) << "it is taken";
        }
        for (const std::size_t count : {0u, 2u, 3u, 20u}) {
            held_parts parts = text_parts (texts (count, "part"));
            ASSERT_TRUE (node->publish ("t", parts.all (), 0).ok ());
            spot_item got;
            ASSERT_TRUE (all.receive (got, base::never_ns).ok ());
            ASSERT_EQ (got.parts.size (), count);
            for (base::message &each : got.parts)
                EXPECT_EQ (base::as_text (each.view ()), "part");
        }
        EXPECT_EQ (node->publish ("", base::bytes_view (), 0).code (), errc::invalid_argument);
        EXPECT_EQ (node->publish (std::string (256, 't'), base::bytes_view (), 0).code (),
                   errc::invalid_argument);
    });
}

TEST (SpotInside, OrderIsKeptOfEveryPublisher)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription first (node.share (), {}), second (node.share (), {});
        for (spot_subscription *const each : {&first, &second})
            ASSERT_TRUE (each->subscribe (spot_match::prefix, "p").ok ());
        constexpr int each_publishes = 200;
        std::vector<std::unique_ptr<base::joinable>> threads;
        for (int p = 0; p < 3; ++p)
            threads.push_back (start_thread (world, [&, p] {
                for (int i = 0; i < each_publishes; ++i)
                    publish (*node.share (), "p" + std::to_string (p), std::to_string (i));
            }));
        const auto read = [&] (spot_subscription &from) {
            int next[3] = {};
            for (int i = 0; i < 3 * each_publishes; ++i) {
                spot_item got;
                ASSERT_TRUE (from.receive (got, base::never_ns).ok ());
                int &expected = next[got.topic[1] - '0'];
                ASSERT_EQ (base::as_text (got.body), std::to_string (expected++));
            }
        };
        const auto other = start_thread (world, [&] { read (second); });
        read (first);
    });
}

// Rows go on, end and begin, whoever reads them and however little room he has.
TEST (SpotInside, EverybodyGetsWhatWasPublishedInWhateverRows)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription all (node.share (), {}),
          narrow (node.share (), {.policy = spot_policy::block, .messages_max = 3}),
          one (node.share (), {.policy = spot_policy::block});
        ASSERT_TRUE (all.subscribe (spot_match::prefix, "").ok ());
        texts sent, of_b;
        std::size_t taken = 0;
        bool narrowed = false;
        const auto read_some = [&] (std::size_t how_many) {
            for (; how_many > 0 && taken < sent.size (); --how_many) {
                ASSERT_EQ (next_of (all), sent[taken]);
                ++taken;
            }
        };
        const auto run_of = [&] (const std::string &topic, int count, std::size_t size) {
            for (int i = 0; i < count; ++i) {
                const std::string body = std::to_string (sent.size ()) + std::string (size, 'b');
                publish (*node.share (), topic, body);
                sent.push_back (topic + "=" + body);
                if (topic == "b" && narrowed)
                    of_b.push_back (sent.back ());
            }
        };
        for (int round = 0; round < 30; ++round) {
            run_of ("a", 40, 20);
            run_of ("b", 1 + round % 3, 100);
            run_of ("unread", 1, 0);
            run_of ("b", 30, 1 + static_cast<std::size_t> (round) * 40);
            read_some (50);
            run_of ("a", 300, 60);
            read_some (static_cast<std::size_t> (round) * 25);
        }
        read_some (sent.size ());
        ASSERT_TRUE (narrow.subscribe (spot_match::exact, "b").ok ());
        ASSERT_TRUE (one.subscribe (spot_match::exact, "a").ok ());
        narrowed = true;
        const std::size_t before = sent.size ();
        const auto reads = start_thread (world, [&] {
            std::uint64_t number = 0;
            for (std::size_t i = 0; i < 900; ++i) {
                const std::size_t at = i + (i < 300 ? 0 : 200);
                spot_item got;
                ASSERT_TRUE (one.receive (got, base::never_ns).ok ());
                ASSERT_EQ (text_of (got), "a=" + std::to_string (before + at) + std::string (60, 'b'));
                ASSERT_GT (got.number, number);
                ASSERT_TRUE (i == 0 || i == 300 || got.number == number + 1);
                number = got.number;
            }
        });
        run_of ("a", 300, 60);
        run_of ("b", 200, 60);
        run_of ("a", 600, 60);
        for (const std::string &each : of_b)
            ASSERT_EQ (next_of (narrow), each);
        read_some (sent.size ());
        EXPECT_EQ (node->counters ().malformed, 0u);
        EXPECT_EQ (node->counters ().repeated, 0u);
    });
}

TEST (SpotInside, ASlowHandlerDelaysItsOwnSubscriptionOnly)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        bell done (world.sleep);
        base::atomic<int> slow_has{0}, fast_has{0};
        base::atomic<bool> go_on{false};
        spot_subscription slow (node.share (), {}), fast (node.share (), {}), polled (node.share (), {});
        for (spot_subscription *const each : {&slow, &fast, &polled})
            ASSERT_TRUE (each->subscribe (spot_match::exact, "t").ok ());
        ASSERT_TRUE (slow
                       .set_handler ([&] (const spot_item &) {
                           ++slow_has;
                           for (std::uint32_t heard = done.heard (); !go_on; heard = done.heard ())
                               (void)done.wait (heard, base::never_ns);
                           return true;
                       })
                       .ok ());
        ASSERT_TRUE (fast
                       .set_handler ([&] (const spot_item &) {
                           ++fast_has;
                           done.ring ();
                           return true;
                       })
                       .ok ());
        for (int i = 0; i < 100; ++i)
            publish (*node.share (), "t", std::to_string (i));
        for (int i = 0; i < 100; ++i)
            ASSERT_EQ (next_of (polled), "t=" + std::to_string (i));
        for (std::uint32_t heard = done.heard (); fast_has < 100; heard = done.heard ())
            (void)done.wait (heard, base::never_ns);
        EXPECT_LE (slow_has, 1);
        spot_item got;
        EXPECT_EQ (fast.receive (got, 0).code (), errc::wrong_state);
        go_on = true;
        done.ring ();
        ASSERT_TRUE (fast.set_handler ({}).ok ());
        publish (*node.share (), "t", "more");
        EXPECT_EQ (next_of (fast), "t=more");
    });
}

TEST (SpotInside, WhatAHandlerHadNoMemoryForIsCountedAndTold)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        bell done (world.sleep);
        base::atomic<int> messages{0}, gaps{0};
        base::atomic<std::uint64_t> missing{0};
        spot_subscription by (node.share (), {});
        ASSERT_TRUE (by.subscribe (spot_match::exact, "t").ok ());
        ASSERT_TRUE (by.set_handler ([&] (const spot_item &got) {
                           if (got.gap == spot_gap::out_of_memory) {
                               ++gaps;
                               missing += got.missing;
                           } else {
                               ++messages;
                           }
                           done.ring ();
                           return base::as_text (got.body) != "large";
                       })
                       .ok ());
        for (const char *const each : {"1", "large", "2", "large", "3"})
            publish (*node.share (), "t", each);
        for (std::uint32_t heard = done.heard (); messages < 5 || missing < 2; heard = done.heard ())
            (void)done.wait (heard, base::never_ns);
        EXPECT_LE (gaps, 2);
        EXPECT_EQ (by.counters ().dropped, 2u);
    });
}

TEST (SpotInside, WhoReceivesKeepsOthersAndHandlersOut)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription by (node.share (), {});
        ASSERT_TRUE (by.subscribe (spot_match::exact, "t").ok ());
        std::string got;
        auto reading = start_thread (world, [&] {
            const std::string busy = "error " + std::to_string (static_cast<int> (errc::in_progress));
            do
                got = next_of (by);
            while (got == busy);
        });
        spot_item none;
        while (by.receive (none, 0).code () != errc::in_progress)
            world.sleep.yield ();
        EXPECT_EQ (by.set_handler ([] (const spot_item &) { return true; }).code (), errc::in_progress);
        publish (*node.share (), "t", "1");
        reading.reset ();
        EXPECT_EQ (got, "t=1");
        ASSERT_TRUE (by.set_handler ([] (const spot_item &) { return true; }).ok ());
        EXPECT_EQ (by.receive (none, 0).code (), errc::wrong_state);
        ASSERT_TRUE (by.set_handler ({}).ok ());
        EXPECT_EQ (by.receive (none, 0).code (), errc::would_block);
    });
}

TEST (SpotInside, QueuesDoAsTheirPolicySays)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        const auto bounded = [] (spot_policy policy) {
            return spot_bounds{.policy = policy, .messages_max = 2};
        };
        spot_subscription newest (node.share (), bounded (spot_policy::drop_newest)),
          oldest (node.share (), bounded (spot_policy::drop_oldest)),
          conflating (node.share (), bounded (spot_policy::conflate)),
          breaking (node.share (), bounded (spot_policy::disconnect)), reader (node.share (), {});
        for (spot_subscription *const each : {&newest, &oldest, &conflating, &breaking, &reader})
            ASSERT_TRUE (each->subscribe (spot_match::prefix, "t").ok ());
        for (int i = 0; i < 6; ++i)
            publish (*node.share (), i % 2 == 0 ? "t0" : "t1", std::to_string (i));
        for (int i = 0; i < 6; ++i)
            (void)next_of (reader);
        EXPECT_EQ (rest_of (newest), (texts{"t0=0", "t1=1", "gap 1:4"}));
        EXPECT_EQ (rest_of (oldest), (texts{"gap 1:4", "t0=4", "t1=5"}));
        EXPECT_EQ (rest_of (conflating), (texts{"t0=4", "t1=5"}));
        EXPECT_EQ (rest_of (breaking), (texts{"t0=0", "t1=1"}));
        spot_item got;
        EXPECT_EQ (breaking.receive (got, 0).code (), errc::connection_aborted);
        EXPECT_EQ (newest.counters ().dropped, 4u);
        EXPECT_EQ (conflating.counters ().conflated, 4u);
    });
}

TEST (SpotInside, RunsEndWhereSomebodyHasNoRoom)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription newest (node.share (), {.messages_max = 40}),
          oldest (node.share (), {.policy = spot_policy::drop_oldest, .messages_max = 30}),
          breaking (node.share (), {.policy = spot_policy::disconnect, .messages_max = 50}),
          narrow (node.share (), {.bytes_max = 2'000}), reader (node.share (), {});
        const std::vector<spot_subscription *> first{&newest, &breaking, &narrow, &reader};
        for (spot_subscription *const each : first)
            ASSERT_TRUE (each->subscribe (spot_match::exact, "t").ok ());
        texts sent;
        const auto run_of = [&] (int count) {
            for (int i = 0; i < count; ++i) {
                sent.push_back ("t=" + std::to_string (sent.size ()));
                publish (*node.share (), "t", sent.back ().substr (2));
            }
            for (std::size_t i = sent.size () - static_cast<std::size_t> (count); i < sent.size (); ++i)
                ASSERT_EQ (next_of (reader), sent[i]);
        };
        run_of (100);
        const auto first_of = [&] (std::size_t count, std::size_t missing) {
            texts all (sent.begin (), sent.begin () + static_cast<std::ptrdiff_t> (count));
            all.push_back ("gap 1:" + std::to_string (missing));
            return all;
        };
        EXPECT_EQ (rest_of (newest), first_of (40, 60));
        const std::size_t fitted = narrow.waiting ();
        EXPECT_GT (fitted, 10u);
        EXPECT_LT (fitted, 50u);
        EXPECT_EQ (rest_of (narrow), first_of (fitted, 100 - fitted));
        EXPECT_EQ (rest_of (breaking), texts (sent.begin (), sent.begin () + 50));
        spot_item got;
        EXPECT_EQ (breaking.receive (got, 0).code (), errc::connection_aborted);
        ASSERT_TRUE (oldest.subscribe (spot_match::exact, "t").ok ());
        run_of (100);
        EXPECT_EQ (rest_of (newest).size (), 41u);
        const texts left = rest_of (oldest);
        ASSERT_EQ (left.size (), 31u);
        EXPECT_EQ (left.front (), "gap 1:70");
        EXPECT_EQ (left.back (), sent.back ());
        EXPECT_EQ (node->counters ().received, 200u);
    });
}

TEST (SpotInside, WhereNothingIsDroppedTheNodeWaits)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription blocking (node.share (), {.policy = spot_policy::block, .messages_max = 2}),
          other (node.share (), {});
        for (spot_subscription *const each : {&blocking, &other})
            ASSERT_TRUE (each->subscribe (spot_match::exact, "t").ok ());
        for (int i = 0; i < 200; ++i)
            publish (*node.share (), "t", std::to_string (i));
        {
            const auto reads = start_thread (world, [&] {
                for (int i = 0; i < 200; ++i)
                    ASSERT_EQ (next_of (other), "t=" + std::to_string (i));
            });
            for (int i = 0; i < 200; ++i)
                ASSERT_EQ (next_of (blocking), "t=" + std::to_string (i));
        }
        EXPECT_EQ (blocking.counters ().dropped, 0u);
    });
}

TEST (SpotInside, WhatNobodyReadsIsReadByTheLoop)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in);
        spot_subscription late (node.share (), {.policy = spot_policy::drop_oldest, .messages_max = 3});
        ASSERT_TRUE (late.subscribe (spot_match::exact, "t").ok ());
        for (int i = 0; i < 10; ++i)
            publish (*node.share (), "t", std::to_string (i));
        const base::time_ns end = world.time.now_ns () + 30 * ns_per_s;
        while (node->counters ().received < 10) {
            ASSERT_LT (world.time.now_ns (), end);
            world.sleep.yield ();
        }
        EXPECT_EQ (late.waiting (), 3u);
        EXPECT_EQ (rest_of (late), (texts{"gap 1:7", "t=7", "t=8", "t=9"}));
    });
}

TEST (SpotInside, WhoWaitsIsSentHomeAtItsTimeOrByTheEnd)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        auto node = open_node (in);
        spot_subscription first (node.share (), {}), second (node.share (), {});
        EXPECT_EQ (next_of (first, world.time.now_ns () + 5 * ns_per_ms),
                   "error " + std::to_string (static_cast<int> (errc::timed_out)));
        EXPECT_EQ (next_of (first, 0), no_more ());
        std::string one, two;
        const std::string over = "error " + std::to_string (static_cast<int> (errc::terminated));
        {
            const auto waits = start_thread (world, [&] { one = next_of (first); });
            const auto also = start_thread (world, [&] { two = next_of (second); });
            publish (*node.share (), "nobody", "listens");
            first.close ();
            second.close ();
        }
        EXPECT_EQ (one, over);
        EXPECT_EQ (two, over);
        spot_subscription third (node.share (), {}), fourth (node.share (), {});
        {
            const auto waits = start_thread (world, [&] { one = next_of (third); });
            const auto also = start_thread (world, [&] { two = next_of (fourth); });
            node.close ();
        }
        EXPECT_EQ (one, over);
        EXPECT_EQ (two, over);
    });
}

}  // namespace
}  // namespace zlink::service::test
