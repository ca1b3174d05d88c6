// Gateways and receivers together: requests and what becomes of them.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "services/bound_socket.hpp"
#include "services/provided.hpp"

namespace zlink::service::test {
namespace {

using service::gateway;

std::shared_ptr<gateway>
open_gateway (base::world &world, void *context, const gateway_settings &settings = {})
{
    return gateway::open (world, context, settings).value ();
}

TEST (Requests, AreAnsweredToWhoAsked)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        for (const std::string &place : {place_in (world), std::string ("inproc://one")}) {
            serving one (world, context.handle (), "one", place);
            const auto by = open_gateway (world, context.handle ());
            list (*by, {one.listed ()});
            for (int i = 0; i < 20; ++i) {
                call_outcome got = ask (*by, world, std::to_string (i));
                ASSERT_EQ (got.status, call_status::replied);
                ASSERT_EQ (text_of (got.parts), "one:" + std::to_string (i));
                ASSERT_EQ (got.parts.size (), 1u);
                EXPECT_FALSE (got.maybe_done);
            }
            EXPECT_EQ (by->counters ().replies, 20u);
            one.go ();
            EXPECT_EQ (one.at ().counters ().replies, 20u);
            EXPECT_EQ (one.at ().under_way (), 0u);
        }
    });
}

TEST (Requests, CarryPartsOfAnySizeBothWays)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world), [] (receiver &by, inquiry &what) {
            EXPECT_EQ (what.service, "calc");
            EXPECT_TRUE (by.reply (what, what.parts.all ()).ok ());
        });
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        for (const std::size_t count : {0u, 1u, 2u, 20u})
            for (const std::size_t size :
                 {std::size_t{0}, std::size_t{40}, std::size_t{5000}, std::size_t{50'000}}) {
                std::vector<std::string> texts;
                for (std::size_t i = 0; i < count; ++i)
                    texts.push_back (std::string (size, static_cast<char> ('a' + i)));
                held_parts parts = text_parts (texts);
                call_outcome got = by->call ("calc", parts.all (), within (world, 30 * ns_per_s));
                ASSERT_EQ (got.status, call_status::replied);
                ASSERT_EQ (got.parts.size (), count);
                for (std::size_t i = 0; i < count; ++i) {
                    EXPECT_EQ (text_of (got.parts, i), texts[i]);
                    EXPECT_EQ (text_of (parts, i), texts[i]) << "they stay the caller's";
                }
            }
    });
}

TEST (Requests, OfManyThreadsFindTheirWayBack)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world), {}, 2);
        serving two (world, context.handle (), "two", place_in (world), {}, 2);
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed (), two.listed ()});
        std::vector<std::unique_ptr<base::joinable>> threads;
        base::atomic<int> good{0};
        for (int t = 0; t < 4; ++t)
            threads.push_back (start_thread (world, [&, t] {
                for (int i = 0; i < 25; ++i) {
                    const std::string text = std::to_string (t) + "." + std::to_string (i);
                    call_outcome got = ask (*by, world, text);
                    const std::string reply = text_of (got.parts);
                    good += got.status == call_status::replied && reply.substr (4) == text;
                }
            }));
        threads.clear ();
        EXPECT_EQ (good, 100);
        EXPECT_EQ (by->counters ().late, 0u);
    });
}

TEST (Requests, WaitForTheFirstProvider)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const auto by = open_gateway (world, context.handle ());
        serving one (world, context.handle (), "one", place_in (world));
        call_outcome got;
        {
            const auto asks = start_thread (world, [&] { got = ask (*by, world, "early"); });
            list (*by, {one.listed ()});
        }
        EXPECT_EQ (got.status, call_status::replied);
        EXPECT_EQ (text_of (got.parts), "one:early");
    });
}

// It is connected already, so that no news of it comes: a request and a message that want somebody are sent
// when it is listed, whichever of the two reads for both.
TEST (Requests, OfAServiceThatComesToAProviderWhoIsThereAreSent)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        base::atomic<int> got{0};
        serving one (world, context.handle (), "one", place_in (world), [&] (receiver &by, inquiry &what) {
            ++got;
            if (!what.one_way)
                (void)by.reply (what, what.parts.all ());
        });
        EXPECT_TRUE (one.at ().offer ("more", {}, 1).ok ());
        for (const bool message_first : {false, true}) {
            const auto by = open_gateway (world, context.handle ());
            list (*by, {one.listed ()});
            wait_connected (*by, world, 1);
            call_options forever;
            const auto request = [&] {
                held_parts parts = text_parts ({"request"});
                EXPECT_EQ (by->call ("more", parts.all (), forever).status, call_status::replied);
            };
            const auto message = [&] {
                held_parts parts = text_parts ({"message"});
                EXPECT_TRUE (by->send ("more", parts.all (), forever, true).ok ());
            };
            const int before = got;
            const auto waits_first = start_thread (world, message_first ? std::function (message) : request);
            for (int i = 0; i < 50; ++i)
                world.sleep.yield ();
            const auto waits_then = start_thread (world, message_first ? std::function (request) : message);
            for (int i = 0; i < 50; ++i)
                world.sleep.yield ();
            EXPECT_TRUE (by->set_providers ("more", std::vector{one.listed ()}).ok ());
            while (got < before + 2)
                world.sleep.yield ();
        }
    });
}

TEST (OneWay, AMessageIsSentToWhoComesWhileARequestReads)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const auto by = open_gateway (world, context.handle ());
        serving one (world, context.handle (), "one", place_in (world), [] (receiver &, inquiry &) {});
        const auto reads = start_thread (world, [&] {
            held_parts parts = text_parts ({"nobody offers this"});
            EXPECT_EQ (by->call ("never", parts.all (), {}).status, call_status::terminated);
        });
        while (by->counters ().requests == 0)
            world.sleep.yield ();
        {
            const auto sends = start_thread (world, [&] {
                held_parts parts = text_parts ({"message"});
                EXPECT_TRUE (by->send ("calc", parts.all (), {}, true).ok ());
            });
            for (int i = 0; i < 50; ++i)
                world.sleep.yield ();
            list (*by, {one.listed ()});
        }
        by->close ();
    });
}

TEST (Requests, WithoutAProviderEndAtTheirDeadlineUndone)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const auto by = open_gateway (world, context.handle ());
        const call_options options = within (world, 20 * ns_per_ms);
        const call_outcome got = ask (*by, world, "x", options);
        EXPECT_EQ (got.status, call_status::no_provider);
        EXPECT_FALSE (got.maybe_done);
        EXPECT_GE (world.time.now_ns (), options.deadline_ns);
        // Several at once, of which one reads.
        std::vector<std::unique_ptr<base::joinable>> threads;
        base::atomic<int> ended{0};
        for (int i = 1; i <= 3; ++i)
            threads.push_back (start_thread (world, [&, i] {
                ended += ask (*by, world, "x", within (world, i * 10 * ns_per_ms)).status
                         == call_status::no_provider;
            }));
        threads.clear ();
        EXPECT_EQ (ended, 3);
    });
}

TEST (Requests, WithASilentProviderEndAtTheirDeadlineMaybeDoneAndItsAnswerIsNobodys)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        std::vector<inquiry> kept;
        base::atomic<bool> silent{true};
        serving one (world, context.handle (), "one", place_in (world), [&] (receiver &by, inquiry &what) {
            if (silent) {
                kept.push_back (std::move (what));
                return;
            }
            for (inquiry &each : kept)
                EXPECT_TRUE (by.reply (each, each.parts.all ()).ok ());
            kept.clear ();
            EXPECT_TRUE (by.reply (what, what.parts.all ()).ok ());
        });
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        wait_connected (*by, world, 1);
        call_outcome got = ask (*by, world, "lost", within (world, 50 * ns_per_ms));
        EXPECT_EQ (got.status, call_status::deadline);
        EXPECT_TRUE (got.maybe_done);
        silent = false;
        got = ask (*by, world, "next");
        EXPECT_EQ (got.status, call_status::replied);
        EXPECT_EQ (text_of (got.parts), "next");
        one.go ();
        EXPECT_EQ (one.at ().under_way (), 0u);
        EXPECT_EQ (one.at ().counters ().cancelled, 1u) << "it was called off";
    });
}

TEST (Requests, ThatAreRefusedUntouchedGoToAnother)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving full (world, context.handle (), "full", place_in (world), [] (receiver &by, inquiry &what) {
            EXPECT_TRUE (by.fail (what, {.code = wire::failure_overloaded, .retry_after_ms = 7}).ok ());
        });
        serving good (world, context.handle (), "good", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        list (*by, {full.listed (), good.listed ()});
        wait_connected (*by, world, 2);
        for (int i = 0; i < 6; ++i) {
            call_outcome got = ask (*by, world, "x");
            EXPECT_EQ (got.status, call_status::replied);
            EXPECT_EQ (text_of (got.parts), "good:x");
        }
        EXPECT_GE (full.received (), 1);
        // With nobody else they are refused, and the reason is told.
        good.go ();
        list (*by, {full.listed ()});
        const call_outcome got = ask (*by, world, "x");
        EXPECT_EQ (got.status, call_status::refused);
        EXPECT_EQ (got.code, wire::failure_overloaded);
        EXPECT_EQ (got.retry_after_ms, 7u);
        EXPECT_FALSE (got.maybe_done);
    });
}

TEST (Requests, ThatAreRejectedAreNotTriedElsewhere)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const auto rejects = [] (receiver &by, inquiry &what) {
            EXPECT_TRUE (by.fail (what, {.detail = 42, .text = "no such number"}).ok ());
        };
        serving one (world, context.handle (), "one", place_in (world), rejects);
        serving two (world, context.handle (), "two", place_in (world), rejects);
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed (), two.listed ()});
        call_options options;
        options.idempotent = true;
        const call_outcome got = ask (*by, world, "x", options);
        EXPECT_EQ (got.status, call_status::refused);
        EXPECT_EQ (got.code, wire::failure_rejected);
        EXPECT_EQ (got.detail, 42u);
        EXPECT_EQ (got.text, "no such number");
        EXPECT_EQ (one.received () + two.received (), 1);
    });
}

TEST (Requests, ForAServiceThatIsNotThereAreRefused)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        const listed_provider row = one.listed ();
        EXPECT_TRUE (by->set_providers ("other", std::span (&row, 1)).ok ());
        held_parts parts = text_parts ({"x"});
        call_outcome got = by->call ("other", parts.all (), within (world, 30 * ns_per_s));
        EXPECT_EQ (got.status, call_status::refused);
        EXPECT_EQ (got.code, wire::failure_no_service);
        got = by->call ("", parts.all (), {});
        EXPECT_EQ (got.status, call_status::refused);
        EXPECT_EQ (got.code, wire::failure_malformed);
        EXPECT_EQ (one.received (), 0);
    });
}

// The provider dies with them in its hands.
TEST (Requests, OfALostProviderEndLostOrGoToAnotherWhenIdempotent)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        for (const bool idempotent : {false, true}) {
            base::atomic<int> taken{0};
            bell took (world.sleep);
            const auto keeps = [&] (receiver &, inquiry &) {
                ++taken;
                took.ring ();
            };
            auto dies = std::make_unique<serving> (world, context.handle (), "dies", place_in (world), keeps);
            serving lives (world, context.handle (), "lives", place_in (world));
            const auto by = open_gateway (world, context.handle ());
            list (*by, {dies->listed ()});
            wait_connected (*by, world, 1);
            call_outcome got;
            {
                const auto asks = start_thread (world, [&] {
                    call_options options;
                    options.idempotent = idempotent;
                    got = ask (*by, world, "x", options);
                });
                for (std::uint32_t heard = took.heard (); taken == 0; heard = took.heard ())
                    (void)took.wait (heard, base::never_ns);
                list (*by, {dies->listed (), lives.listed ()});
                dies.reset ();
            }
            if (idempotent) {
                EXPECT_EQ (got.status, call_status::replied);
                EXPECT_EQ (text_of (got.parts), "lives:x");
            } else {
                EXPECT_EQ (got.status, call_status::lost);
                EXPECT_TRUE (got.maybe_done);
                EXPECT_EQ (lives.received (), 0) << "it may have been done";
            }
        }
    });
}

// Nobody has read them when their provider goes: they go to another, once.
TEST (Requests, ThatNeverLeftGoToAnotherWhateverTheyAre)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        auto deaf =
          std::make_unique<serving> (world, context.handle (), "deaf", "inproc://deaf", serving::answer{}, 0);
        serving other (world, context.handle (), "other", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        list (*by, {deaf->listed ()});
        wait_connected (*by, world, 1);
        const auto sent = [&by] { return socket::statistics (by->socket ()).value ().total.messages_sent; };
        const std::uint64_t sent_before = sent ();
        call_outcome got[2];
        {
            std::vector<std::unique_ptr<base::joinable>> threads;
            for (call_outcome &each : got)
                threads.push_back (start_thread (world, [&] { each = ask (*by, world, "x"); }));
            // An attempt is counted before it is sent.
            while (sent () < sent_before + 2)
                world.sleep.yield ();
            list (*by, {deaf->listed (), other.listed ()});
            deaf.reset ();
        }
        for (call_outcome &each : got) {
            EXPECT_EQ (each.status, call_status::replied);
            EXPECT_EQ (text_of (each.parts), "other:x");
        }
        EXPECT_EQ (other.received (), 2);
        EXPECT_EQ (by->counters ().recalled, 2u);
    });
}

TEST (Requests, AreHedgedWhenIdempotent)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        std::vector<inquiry> kept;
        serving slow (world, context.handle (), "slow", place_in (world),
                      [&] (receiver &, inquiry &what) { kept.push_back (std::move (what)); });
        serving quick (world, context.handle (), "quick", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        list (*by, {slow.listed (), quick.listed ()});
        wait_connected (*by, world, 2);
        for (int i = 0; i < 2; ++i) {  // the turn of each
            call_options options = within (world, 30 * ns_per_s);
            options.idempotent = true;
            options.hedge_at_ns = world.time.now_ns () + 5 * ns_per_ms;
            call_outcome got = ask (*by, world, "x", options);
            EXPECT_EQ (got.status, call_status::replied);
            EXPECT_EQ (text_of (got.parts), "quick:x");
        }
        EXPECT_GE (slow.received (), 1);
        EXPECT_EQ (by->counters ().attempts, 2u + static_cast<unsigned> (slow.received ()));
    });
}

// One who is connected and says nothing, not even that it is there.
TEST (Requests, ThatAreHedgedGoNoMoreToWhoIsSilent)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const bound_socket silent (context.handle (), place_in (world));
        serving quick (world, context.handle (), "quick", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        listed_provider row;
        row.endpoint = silent.endpoint ();
        list (*by, {row, quick.listed ()});
        wait_connected (*by, world, 2);
        constexpr unsigned count = 5 * outruns_to_doubt;
        for (unsigned i = 0; i < count; ++i) {
            call_options options = within (world, 30 * ns_per_s);
            options.idempotent = true;
            options.hedge_at_ns = world.time.now_ns () + 5 * ns_per_ms;
            EXPECT_EQ (ask (*by, world, "x", options).status, call_status::replied);
        }
        // A busy machine may hedge once more.
        EXPECT_GE (by->counters ().attempts, count + outruns_to_doubt);
        EXPECT_LT (by->counters ().attempts, count + count / 2);
    });
}

TEST (Requests, WithHandlersAreAnsweredOnceEach)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        base::atomic<int> replied{0}, wrong{0};
        bell called (world.sleep);
        constexpr int count = 64;
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE (by->submit ("calc", text_parts ({std::to_string (i)}), within (world, 30 * ns_per_s),
                                     [&, i] (request_id, call_outcome &&got) {
                                         const bool good =
                                           got.status == call_status::replied
                                           && text_of (got.parts) == "one:" + std::to_string (i);
                                         (good ? replied : wrong) += 1;
                                         called.ring ();
                                     })
                           .ok ());
        list (*by, {one.listed ()});
        // A blocking one beside them.
        call_outcome got = ask (*by, world, "beside");
        EXPECT_EQ (text_of (got.parts), "one:beside");
        for (std::uint32_t heard = called.heard (); replied + wrong < count; heard = called.heard ())
            (void)called.wait (heard, base::never_ns);
        EXPECT_EQ (replied, count);
    });
}

TEST (Requests, WithHandlersEndAtTheirDeadlinesAndWhenCalledOff)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const auto by = open_gateway (world, context.handle ());
        base::atomic<int> calls{0};
        std::map<std::string, call_status> how;
        bell called (world.sleep);
        const auto ends = [&] (const std::string &name) {
            return [&, name] (request_id, call_outcome &&got) {
                how[name] = got.status;
                ++calls;
                called.ring ();
            };
        };
        const auto wait = [&] (int count) {
            for (std::uint32_t heard = called.heard (); calls < count; heard = called.heard ())
                (void)called.wait (heard, base::never_ns);
        };
        const auto late =
          by->submit ("calc", text_parts ({"a"}), within (world, 100 * ns_per_s), ends ("cancelled"));
        ASSERT_TRUE (late.ok ());
        // Sooner than what its thread waits for.
        ASSERT_TRUE (
          by->submit ("calc", text_parts ({"b"}), within (world, 20 * ns_per_ms), ends ("deadline")).ok ());
        wait (1);
        EXPECT_EQ (how["deadline"], call_status::no_provider);
        EXPECT_TRUE (by->cancel (late.value ()));
        EXPECT_FALSE (by->cancel (late.value ()));
        wait (2);
        EXPECT_EQ (how["cancelled"], call_status::cancelled);
        ASSERT_TRUE (
          by->submit ("calc", text_parts ({"c"}), within (world, 100 * ns_per_s), ends ("closed")).ok ());
        by->close ();
        EXPECT_EQ (calls, 3);
        EXPECT_EQ (how["closed"], call_status::terminated);
        EXPECT_EQ (by->submit ("calc", {}, {}, ends ("late")).code (), errc::terminated);
    });
}

TEST (Requests, EndWhenTheGatewayIsClosedAndWhenItsContextIs)
{
    in_every_world ([] (base::world &world) {
        for (const bool shut_down : {false, true}) {
            const own_context context (world);
            std::vector<inquiry> kept;
            base::atomic<int> taken{0};
            bell took (world.sleep);
            auto one = std::make_unique<serving> (world, context.handle (), "one", place_in (world),
                                                  [&] (receiver &, inquiry &what) {
                                                      kept.push_back (std::move (what));
                                                      ++taken;
                                                      took.ring ();
                                                  });
            auto by = open_gateway (world, context.handle ());
            list (*by, {one->listed ()});
            call_outcome got[3];
            {
                std::vector<std::unique_ptr<base::joinable>> threads;
                for (call_outcome &each : got)
                    threads.push_back (start_thread (world, [&] { each = ask (*by, world, "x"); }));
                for (std::uint32_t heard = took.heard (); taken < 3; heard = took.heard ())
                    (void)took.wait (heard, base::never_ns);
                if (shut_down)
                    EXPECT_TRUE (socket::context_shutdown (context.handle ()).ok ());
                else
                    by->close ();
            }
            for (const call_outcome &each : got)
                EXPECT_EQ (each.status, call_status::terminated);
            EXPECT_EQ (ask (*by, world, "late").status, call_status::terminated);
        }
    });
}

TEST (Requests, AreNotSentToWhoDrains)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving leaves (world, context.handle (), "leaves", place_in (world));
        serving stays (world, context.handle (), "stays", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        list (*by, {leaves.listed (), stays.listed ()});
        wait_connected (*by, world, 2);
        for (int i = 0; i < 4; ++i)
            EXPECT_EQ (ask (*by, world, "x").status, call_status::replied);
        EXPECT_TRUE (leaves.at ().drain (world.time.now_ns () + 30 * ns_per_s).ok ());
        for (int i = 0; i < 8; ++i) {
            call_outcome got = ask (*by, world, "x");
            EXPECT_EQ (got.status, call_status::replied);
            EXPECT_EQ (text_of (got.parts), "stays:x");
        }
        EXPECT_EQ (leaves.received (), 2);
        EXPECT_EQ (by->connections ("calc"), 1u);
    });
}

// What the receiver says of the service, or of all.
std::string health_told (gateway &by, base::world &world, const std::vector<std::string> &of)
{
    held_parts parts = text_parts (of);
    call_outcome got = by.call ("zlink.health", parts.all (), within (world, 30 * ns_per_s));
    EXPECT_EQ (got.status, call_status::replied);
    EXPECT_EQ (got.parts.size (), 1u);
    return text_of (got.parts);
}

TEST (Requests, ForHealthAreAnsweredByTheReceiver)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        const std::vector<listed_provider> all{one.listed ()};
        ASSERT_TRUE (by->set_providers ("zlink.health", all).ok ());
        const auto health = [&] (const std::vector<std::string> &of) { return health_told (*by, world, of); };
        EXPECT_EQ (health ({}), "serving");
        EXPECT_EQ (health ({""}), "serving");
        EXPECT_EQ (health ({"calc"}), "serving");
        EXPECT_EQ (health ({"other"}), "unknown");
        ASSERT_TRUE (one.at ().offer ("calc", {}, 0).ok ());
        EXPECT_EQ (health ({"calc"}), "not-serving");
        EXPECT_EQ (health ({}), "not-serving");
        ASSERT_TRUE (one.at ().offer ("other", {}, 1).ok ());
        EXPECT_EQ (health ({}), "serving");
        EXPECT_EQ (health ({"calc"}), "not-serving");
        EXPECT_TRUE (one.at ().drain (world.time.now_ns () + 30 * ns_per_s).ok ());
        EXPECT_EQ (one.received (), 0) << "the application sees none of them";
    });
}

TEST (Requests, ForHealthAreAnsweredWhileDraining)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        const std::vector<listed_provider> all{one.listed ()};
        ASSERT_TRUE (by->set_providers ("zlink.health", all).ok ());
        EXPECT_TRUE (one.at ().drain (world.time.now_ns () + 30 * ns_per_s).ok ());
        EXPECT_EQ (health_told (*by, world, {"calc"}), "draining");
    });
}

// Many of one thread's handlers: what comes together is taken together.
TEST (Requests, InAWindowEachGetTheirOwn)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        wait_connected (*by, world, 1);
        constexpr int window = 64, all = 1'000;
        struct
        {
            base::atomic<int> asked{0}, right{0}, over{0};
        } count;
        bell changed (world.sleep);
        std::function<void ()> next = [&] {
            const std::string text = std::to_string (count.asked.fetch_add (1));
            const auto took = [&, text] (request_id, call_outcome &&got) {
                count.right += got.status == call_status::replied && text_of (got.parts) == "one:" + text;
                if (count.asked < all)
                    next ();
                ++count.over;
                changed.ring ();
            };
            EXPECT_TRUE (by->submit ("calc", text_parts ({text}), {}, took).ok ());
        };
        for (int i = 0; i < window; ++i)
            next ();
        const base::time_ns end = world.time.now_ns () + 60 * ns_per_s;
        for (;;) {
            const std::uint32_t heard = changed.heard ();
            if (count.over >= all && count.over == count.asked)
                break;
            ASSERT_NE (changed.wait (heard, end), base::wait_outcome::timed_out);
        }
        EXPECT_EQ (count.right, count.over);
    });
}

std::vector<std::vector<std::byte>> heads_that_are_none ()
{
    std::vector<std::vector<std::byte>> all (1);
    for (const std::string_view octets :
         {std::string_view ("x"), std::string_view ("G\1\1\0", 4), std::string_view ("G\1\11\0", 4)})
        all.emplace_back (base::as_bytes (octets).begin (), base::as_bytes (octets).end ());
    wire::gateway_head head;
    for (const auto &[kind, service, id] :
         {std::tuple (wire::gateway_kind::request, "calc", 0),
          std::tuple (wire::gateway_kind::request, "", 7), std::tuple (wire::gateway_kind::reply, "", 7)}) {
        head.kind = kind;
        head.service = service;
        head.id = static_cast<std::uint64_t> (id);
        wire::encode_gateway_head (head, all.emplace_back ());
    }
    return all;
}

TEST (Requests, ThatAreNoneCostTheirSenderItsConnection)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world));
        const base::time_ns end = world.time.now_ns () + 60 * ns_per_s;
        std::uint64_t bad = 0;
        for (const std::vector<std::byte> &head : heads_that_are_none ()) {
            void *const stranger =
              socket::open (context.handle (), static_cast<int> (socket::socket_type::dealer)).value ();
            ASSERT_TRUE (socket::connect (stranger, one.endpoint ()).ok ());
            ASSERT_TRUE (socket::send (stranger, head, socket::io_send_more).ok ());
            ASSERT_TRUE (socket::send (stranger, base::bytes_view (), 0).ok ());
            ++bad;
            while (one.at ().counters ().malformed < bad) {
                ASSERT_LT (world.time.now_ns (), end);
                world.sleep.yield ();
            }
            EXPECT_TRUE (socket::close (stranger).ok ());
        }
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        call_outcome good = ask (*by, world, "good");
        EXPECT_EQ (text_of (good.parts), "one:good");
        EXPECT_EQ (one.at ().counters ().malformed, bad);
        EXPECT_EQ (one.at ().counters ().requests, 1u);
    });
}

// A receiver whose requests stand there until the test takes them, and a gateway that
// knows it.
struct unattended
{
    unattended (base::world &world, void *context)
      : at (receiver::open (world, context, {}).value ()), by (open_gateway (world, context))
    {
        listed_provider row;
        row.endpoint = at->bind (place_in (world)).value ();
        EXPECT_TRUE (at->offer ("calc", {}, 1).ok ());
        list (*by, {row});
        wait_connected (*by, world, 1);
    }

    const std::shared_ptr<receiver> at;
    const std::shared_ptr<gateway> by;
};

// Most are taken ahead, as requests like the one before.
TEST (Requests, ThatStandHereAreRefusedOnceTheirServiceIsWithdrawnOrDrains)
{
    for (const bool drains : {false, true})
        in_every_world ([drains] (base::world &world) {
            const own_context context (world);
            const unattended both (world, context.handle ());
            const auto &[at, by] = both;
            constexpr int all = 40, taken = 10;
            base::atomic<int> right{0};
            for (int i = 0; i < all; ++i) {
                const auto took = [&, i] (request_id, call_outcome &&got) {
                    right += got.status == call_status::replied && text_of (got.parts) == std::to_string (i);
                };
                ASSERT_TRUE (by->submit ("calc", text_parts ({std::to_string (i)}), {}, took).ok ());
            }
            std::vector<inquiry> some (taken);
            for (int i = 0; i < taken; ++i) {
                ASSERT_TRUE (at->receive (some[i], base::never_ns).ok ());
                EXPECT_EQ (text_of (some[i].parts), std::to_string (i));
                EXPECT_EQ (some[i].service, "calc");
                EXPECT_FALSE (some[i].one_way);
            }
            EXPECT_EQ (at->under_way (), static_cast<std::size_t> (taken));
            if (drains)
                EXPECT_EQ (at->drain (0).code (), errc::timed_out);
            else
                EXPECT_TRUE (at->withdraw ("calc"));
            for (inquiry &each : some)
                EXPECT_TRUE (at->reply (each, each.parts.all ()).ok ());
            const base::time_ns end = world.time.now_ns () + 60 * ns_per_s;
            inquiry none;
            while (at->counters ().refused < all - taken || right < taken) {
                ASSERT_LT (world.time.now_ns (), end);
                EXPECT_EQ (at->receive (none, world.time.now_ns () + 5 * ns_per_ms).code (), errc::timed_out);
            }
            EXPECT_EQ (at->counters ().requests, static_cast<std::uint64_t> (taken));
            by->close ();
            at->close ();
            EXPECT_EQ (right, taken);
        });
}

// --- one-way -----------------------------------------------------------------------

TEST (OneWay, MessagesGoToThoseWhoAreThereInTurn)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        base::atomic<int> got{0};
        bell came (world.sleep);
        const auto counts = [&] (receiver &, inquiry &what) {
            EXPECT_TRUE (what.one_way);
            ++got;
            came.ring ();
        };
        serving one (world, context.handle (), "one", place_in (world), counts);
        serving two (world, context.handle (), "two", place_in (world), counts);
        const auto by = open_gateway (world, context.handle ());
        held_parts parts = text_parts ({"early"});
        EXPECT_EQ (by->send ("calc", parts.all (), {}, false).code (), errc::host_unreachable);
        EXPECT_EQ (text_of (parts), "early");
        list (*by, {one.listed (), two.listed ()});
        // Waits for the first.
        EXPECT_TRUE (by->send ("calc", parts.all (), within (world, 30 * ns_per_s), true).ok ());
        wait_connected (*by, world, 2);
        for (int i = 1; i < 101; ++i) {
            held_parts next = text_parts ({std::to_string (i), "more"});
            ASSERT_TRUE (by->send ("calc", next.all (), {}, false).ok ());
        }
        for (std::uint32_t heard = came.heard (); got < 101; heard = came.heard ())
            (void)came.wait (heard, base::never_ns);
        EXPECT_GE (one.received (), 50);
        EXPECT_GE (two.received (), 50);
        EXPECT_EQ (by->counters ().one_way, 101u);
    });
}

// Whichever way each goes: small, large, in several parts, between requests.
TEST (OneWay, AStreamIsReceivedWholeAndInItsOrder)
{
    in_every_world ([] (base::world &world) {
        constexpr int count = 400;
        const own_context context (world);
        base::atomic<int> got{0};
        bell came (world.sleep);
        serving one (world, context.handle (), "one", place_in (world), [&] (receiver &at, inquiry &what) {
            EXPECT_EQ (text_of (what.parts), std::to_string (got));
            EXPECT_EQ (what.parts.size (), got % 7 == 3 ? 2u : 1u + (got % 50 == 20));
            EXPECT_EQ (what.service, "calc");
            EXPECT_FALSE (what.from ().empty ());
            if (!what.one_way) {
                held_parts reply = text_parts ({"yes"});
                EXPECT_TRUE (at.reply (what, reply.all ()).ok ());
            }
            ++got;
            came.ring ();
        });
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        wait_connected (*by, world, 1);
        for (int i = 0; i < count; ++i) {
            held_parts next = text_parts ({std::to_string (i)});
            if (i % 7 == 3)
                next = text_parts ({std::to_string (i), "more"});
            else if (i % 50 == 20)
                next = text_parts ({std::to_string (i), std::string (40'000, 'x')});
            if (i % 90 == 89)
                EXPECT_EQ (by->call ("calc", next.all (), {}).status, call_status::replied);
            else if (next.size () == 1 && i % 2 == 0)
                ASSERT_TRUE (by->send ("calc", next[0].view (), true).ok ());
            else
                ASSERT_TRUE (by->send ("calc", next.all (), {}, true).ok ());
        }
        for (std::uint32_t heard = came.heard (); got < count; heard = came.heard ())
            (void)came.wait (heard, base::never_ns);
        EXPECT_EQ (one.at ().counters ().one_way + one.at ().counters ().requests, std::uint64_t{count});
        EXPECT_EQ (by->counters ().one_way, one.at ().counters ().one_way);
    });
}

// Messages whose services, keys, sizes and wishes for a reply change now and then.
struct kinds
{
    std::array<std::string, 3> services{"calc", "cash", "a service of another and longer name"};
    std::array<std::string, 3> names{"g", "h", "another gateway, whose name is long"};

    [[nodiscard]] const std::string &service (int i) const { return services[i / 20 % 3]; }
    [[nodiscard]] std::string text (std::size_t by, int i) const
    {
        return names[by] + std::to_string (i) + std::string (i % 40 == 8 ? 40'000 : 0, 'x');
    }
    static std::string_view key (int i) { return i / 30 % 3 == 2 ? "key" : ""; }
    static bool asks (int i) { return i % 50 == 49; }

    void send (gateway &from, std::size_t by, int i, call_options how) const
    {
        held_parts next = text_parts ({text (by, i)});
        how.key = key (i);
        if (asks (i)) {
            EXPECT_EQ (from.call (service (i), next.all (), how).status, call_status::replied);
        } else if (how.key.empty () && i % 2 == 0) {
            EXPECT_TRUE (from.send (service (i), next[0].view (), true).ok ());
        } else {
            EXPECT_TRUE (from.send (service (i), next.all (), how, true).ok ());
        }
    }
    void expect (receiver &at, inquiry &what, std::size_t by, int i) const
    {
        EXPECT_TRUE (text_of (what.parts) == text (by, i)) << i;
        EXPECT_EQ (what.service, service (i));
        EXPECT_EQ (what.key, key (i));
        EXPECT_EQ (what.one_way, !asks (i));
        if (!what.one_way) {
            EXPECT_TRUE (at.reply (what, what.parts.all ()).ok ());
        }
        // Whoever has it may take its texts away.
        if (i % 7 == 3 || i % 7 == 6)
            (i % 2 == 1 ? what.gateway : what.service) = std::string ();
    }
};

// Of several senders, whose heads and names come again or not: each says whose it is.
TEST (OneWay, MessagesOfManyKindsSayWhatTheyAre)
{
    in_every_world ([] (base::world &world) {
        constexpr int count = 200;
        const kinds of;
        const own_context context (world);
        const auto at = receiver::open (world, context.handle (), {}).value ();
        listed_provider row;
        row.endpoint = at->bind (place_in (world)).value ();
        std::vector<std::shared_ptr<gateway>> all;
        for (const std::string &each : of.names) {
            gateway_settings settings;
            settings.routing_id = each;
            all.push_back (gateway::open (world, context.handle (), settings).value ());
            for (const std::string &service : of.services)
                ASSERT_TRUE (all.back ()->set_providers (service, {&row, 1}).ok ());
        }
        for (const std::string &service : of.services)
            ASSERT_TRUE (at->offer (service, {}, 1).ok ());
        std::unique_ptr<base::joinable> reader = start_thread (world, [&] {
            std::array<int, 3> next{};
            inquiry what;
            for (int i = 0; i < count * static_cast<int> (next.size ()); ++i) {
                ASSERT_TRUE (at->receive (what, base::never_ns).ok ());
                const auto by =
                  static_cast<std::size_t> (std::ranges::find (of.names, what.from ()) - of.names.begin ());
                ASSERT_LT (by, next.size ());
                of.expect (*at, what, by, next[by]++);
            }
        });
        for (int i = 0; i < count; ++i)
            for (std::size_t by = 0; by < all.size (); ++by)
                of.send (*all[by], by, i, within (world, 30 * ns_per_s));
        reader.reset ();  // it has all
        for (const auto &each : all)
            each->close ();
        at->close ();
    });
}

// What one thread has read ahead is another's who comes.
TEST (OneWay, AMessageDoesNotWaitForWhoHasTheOneBefore)
{
    in_every_world ([] (base::world &world) {
        constexpr int count = 60;
        const own_context context (world);
        base::atomic<int> got{0};
        bell came (world.sleep);
        const auto pairs = [&] (receiver &, inquiry &) {
            const int mine = ++got;
            came.ring ();
            // Until there is a second one, which another thread has.
            for (std::uint32_t heard = came.heard (); mine % 2 == 1 && got == mine; heard = came.heard ())
                (void)came.wait (heard, base::never_ns);
        };
        serving one (world, context.handle (), "one", place_in (world), pairs, 2);
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        wait_connected (*by, world, 1);
        for (int i = 0; i < count; ++i) {
            held_parts next = text_parts ({"x"});
            ASSERT_TRUE (by->send ("calc", next.all (), {}, true).ok ());
        }
        for (std::uint32_t heard = came.heard (); got < count; heard = came.heard ())
            (void)came.wait (heard, base::never_ns);
    });
}

TEST (OneWay, MessagesForWhatIsWithdrawnAreRefused)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const unattended both (world, context.handle ());
        const auto &[at, by] = both;
        for (int i = 0; i < 10; ++i) {
            held_parts next = text_parts ({std::to_string (i)});
            ASSERT_TRUE (by->send ("calc", next.all (), {}, true).ok ());
        }
        inquiry what;
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE (at->receive (what, base::never_ns).ok ());
            EXPECT_EQ (text_of (what.parts), std::to_string (i));
        }
        EXPECT_TRUE (at->withdraw ("calc"));
        EXPECT_EQ (at->receive (what, world.time.now_ns () + 50 * ns_per_ms).code (), errc::timed_out);
        EXPECT_EQ (at->counters ().one_way, 3u);
        at->close ();
        by->close ();
    });
}

TEST (OneWay, MessagesFromProvidersAreReceivedUnasked)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world), [] (receiver &by, inquiry &what) {
            held_parts back = text_parts ({"news of " + text_of (what.parts)});
            EXPECT_TRUE (by.tell (what.from (), what.service, back.all ()).ok ());
        });
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        EXPECT_EQ (by->receive (world.time.now_ns () + 5 * ns_per_ms).code (), errc::timed_out);
        for (int i = 0; i < 3; ++i) {
            held_parts parts = text_parts ({std::to_string (i)});
            ASSERT_TRUE (by->send ("calc", parts.all (), within (world, 30 * ns_per_s), true).ok ());
        }
        for (int i = 0; i < 3; ++i) {
            base::result<gateway::unasked> got = by->receive (world.time.now_ns () + 30 * ns_per_s);
            ASSERT_TRUE (got.ok ());
            EXPECT_EQ (got.value ().service, "calc");
            EXPECT_EQ (text_of (got.value ().parts), "news of " + std::to_string (i));
        }
        by->close ();
        EXPECT_EQ (by->receive (base::never_ns).code (), errc::terminated);
    });
}

// Many that stand behind each other are read at once.
TEST (OneWay, ManyMessagesFromOneProviderAreReceivedUnasked)
{
    in_every_world ([] (base::world &world) {
        constexpr int count = 50;
        const own_context context (world);
        serving one (world, context.handle (), "one", place_in (world), [] (receiver &by, inquiry &what) {
            for (int i = 0; i < count; ++i) {
                held_parts back = text_parts ({std::to_string (i)});
                EXPECT_TRUE (by.tell (what.from (), what.service, back.all ()).ok ());
            }
        });
        const auto by = open_gateway (world, context.handle ());
        list (*by, {one.listed ()});
        held_parts parts = text_parts ({"go on"});
        ASSERT_TRUE (by->send ("calc", parts.all (), within (world, 30 * ns_per_s), true).ok ());
        for (int i = 0; i < count; ++i) {
            base::result<gateway::unasked> got = by->receive (world.time.now_ns () + 30 * ns_per_s);
            ASSERT_TRUE (got.ok ());
            EXPECT_EQ (got.value ().service, "calc");
            EXPECT_EQ (text_of (got.value ().parts), std::to_string (i));
        }
        EXPECT_EQ (by->counters ().malformed, 0u);
        by->close ();
    });
}

// A sender that never reads hears all the same who has gone.
TEST (OneWay, SendersHearWhoComesAndGoes)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        auto first = std::make_unique<serving> (world, context.handle (), "first", place_in (world));
        const auto by = open_gateway (world, context.handle ());
        list (*by, {first->listed ()});
        held_parts parts = text_parts ({"x"});
        EXPECT_TRUE (by->send ("calc", parts.all (), within (world, 30 * ns_per_s), true).ok ());
        serving second (world, context.handle (), "second", place_in (world));
        list (*by, {first->listed (), second.listed ()});
        first.reset ();
        const base::time_ns end = world.time.now_ns () + 30 * ns_per_s;
        while (second.received () < 5) {
            held_parts next = text_parts ({"y"});
            (void)by->send ("calc", next.all (), within (world, ns_per_s), true);
            ASSERT_LT (world.time.now_ns (), end);
            world.sleep.yield ();
        }
    });
}

}  // namespace
}  // namespace zlink::service::test
