// The loop of services (service/service_loop.hpp): who is called, when, and that
// leaving is final.
#include "service/service_loop.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "services/worlds.hpp"

namespace zlink::service::test {
namespace {

using base::errc;
using base::ns_per_ms;

constexpr int pair = 0;

// Counts how often it goes on, reads one socket, and wants to go on when it is told.
class counting final : public served
{
  public:
    explicit counting (base::world &world) : change (world.sleep) {}

    void sockets (std::vector<socket::poll_item> &wanted) override
    {
        ++asked;
        if (reads != nullptr)
            wanted.push_back ({reads, base::no_handle, socket::event_in, 0});
        change.ring ();
    }
    loop_wish advance (base::time_ns now) override
    {
        ++advanced;
        last = now;
        std::array<std::byte, 8> room;
        while (reads != nullptr && socket::receive (reads, room, socket::io_dont_wait).ok ())
            ++received;
        if (const int more = failing.load (); more > 0) {
            failing = more - 1;
            throw std::bad_alloc ();
        }
        change.ring ();
        return {.due_ns = due, .sockets_changed = asks.exchange (false)};
    }
    void ended () noexcept override
    {
        over = true;
        change.ring ();
    }

    template <class Condition> void wait_until (Condition &&holds)
    {
        for (std::uint32_t heard = change.heard (); !holds (); heard = change.heard ())
            (void)change.wait (heard, base::never_ns);
    }

    bell change;
    base::atomic<void *> reads{nullptr};
    base::atomic<base::time_ns> due{base::never_ns};
    base::atomic<base::time_ns> last{0};
    base::atomic<int> asked{0}, advanced{0}, received{0}, failing{0};
    base::atomic<bool> asks{false}, over{false};
};

// Two sockets that are connected; closed in the end.
struct joined_pair
{
    joined_pair (void *context, const std::string &place)
    {
        for (void *&each : ends)
            each = socket::open (context, pair).value ();
        EXPECT_TRUE (socket::bind (ends[0], place).ok ());
        EXPECT_TRUE (socket::connect (ends[1], place).ok ());
    }
    ~joined_pair ()
    {
        for (void *const each : ends)
            (void)socket::close (each);
    }
    joined_pair (const joined_pair &) = delete;
    joined_pair &operator= (const joined_pair &) = delete;
    void send () const
    {
        EXPECT_TRUE (socket::send (ends[1], base::as_bytes (std::string_view ("x")), 0).ok ());
    }
    std::array<void *, 2> ends{};
};

struct seated
{
    seated (base::world &world, service_loop &loop) : object (std::make_shared<counting> (world))
    {
        EXPECT_TRUE (loop.join (object, seat).ok ());
    }
    std::shared_ptr<counting> object;
    std::unique_ptr<service_loop::seat> seat;
};

TEST (ServiceLoop, WhoJoinsGoesOnAndIsAskedForItsSockets)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        seated one (world, *service_loop::start (world, context.handle ()).value ());
        one.object->wait_until ([&] { return one.object->advanced >= 1 && one.object->asked >= 1; });
        one.seat->leave ();
        EXPECT_EQ (one.object.use_count (), 1);
        one.seat->leave ();  // nothing
    });
}

// Counts lines as long as it lives.
class counting_log final : public base::log_sink
{
  public:
    explicit counting_log (base::world &world) : in_ (world), before_ (std::exchange (world.log, this)) {}
    ~counting_log () override { in_.log = before_; }
    counting_log (const counting_log &) = delete;
    counting_log &operator= (const counting_log &) = delete;
    void take (const base::log_line &line) noexcept override
    {
        ++lines;
        ADD_FAILURE () << line.text << " [" << line.about << "]";
    }
    base::atomic<int> lines{0};

  private:
    base::world &in_;
    base::log_sink *const before_;
};

// What it was told last and does not hear any more, having ended at once, is nobody's loss.
TEST (ServiceLoop, EndsWithoutAWarning)
{
    in_every_world ([] (base::world &world) {
        const counting_log log (world);
        for (int round = 0; round < 10; ++round) {
            const own_context context (world);
            (void)service_loop::start (world, context.handle ());
        }
        EXPECT_EQ (log.lines, 0);
    });
}

TEST (ServiceLoop, WhoIsWokenGoesOn)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        seated one (world, *service_loop::start (world, context.handle ()).value ());
        for (int round = 1; round < 20; ++round) {
            one.object->wait_until ([&] { return one.object->advanced >= round; });
            one.seat->wake ();
        }
        one.seat->leave ();
        const int last = one.object->advanced;
        one.seat->wake ();
        EXPECT_EQ (one.object->advanced, last);
    });
}

TEST (ServiceLoop, ADeadlineIsKeptAndNotBefore)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        seated one (world, *service_loop::start (world, context.handle ()).value ());
        seated other (world, *service_loop::start (world, context.handle ()).value ());
        const base::time_ns due = world.time.now_ns () + 20 * ns_per_ms;
        one.object->due = due;
        one.seat->wake ();
        one.object->wait_until ([&] { return one.object->last >= due; });
        EXPECT_GE (world.time.now_ns (), due);
        one.object->due = base::never_ns;
        one.seat->leave ();
        other.seat->leave ();
    });
}

TEST (ServiceLoop, WhoseSocketIsReadyGoesOnAndNobodyElse)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const std::shared_ptr<service_loop> loop = service_loop::start (world, context.handle ()).value ();
        seated reader (world, *loop);
        seated idle (world, *loop);
        {
            const joined_pair line (context.handle (), "inproc://line");
            idle.object->wait_until ([&] { return idle.object->advanced >= 1; });
            const int idle_before = idle.object->advanced;
            reader.object->reads = line.ends[0];
            reader.object->asks = true;
            reader.seat->wake ();
            for (int count = 1; count < 10; ++count) {
                line.send ();
                reader.object->wait_until ([&] { return reader.object->received >= count; });
            }
            EXPECT_EQ (idle.object->advanced, idle_before);
            reader.seat->leave ();
        }
        idle.seat->leave ();
    });
}

TEST (ServiceLoop, ManySocketsAndManyObjects)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const std::shared_ptr<service_loop> loop = service_loop::start (world, context.handle ()).value ();
        std::vector<std::unique_ptr<joined_pair>> lines;
        std::vector<seated> readers;
        for (int i = 0; i < 12; ++i) {
            lines.push_back (
              std::make_unique<joined_pair> (context.handle (), "inproc://line" + std::to_string (i)));
            readers.emplace_back (world, *loop);
            readers.back ().object->reads = lines.back ()->ends[0];
            readers.back ().object->asks = true;
            readers.back ().seat->wake ();
        }
        // In the midst of it every third leaves.
        for (std::size_t i = 0; i < lines.size (); ++i) {
            lines[i]->send ();
            if (i % 3 == 0)
                readers[i].seat->leave ();
            else
                readers[i].object->wait_until ([&] { return readers[i].object->received >= 1; });
        }
        for (const seated &each : readers)
            each.seat->leave ();
    });
}

TEST (ServiceLoop, AClosedSocketIsLeftOutAndTheOthersGoOn)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const std::shared_ptr<service_loop> loop = service_loop::start (world, context.handle ()).value ();
        seated careless (world, *loop);
        seated careful (world, *loop);
        const joined_pair good (context.handle (), "inproc://good");
        {
            const joined_pair bad (context.handle (), "inproc://bad");
            careless.object->reads = bad.ends[0];
            careful.object->reads = good.ends[0];
            bad.send ();
            good.send ();
            for (const seated *each : {&careless, &careful}) {
                each->object->asks = true;
                each->seat->wake ();
                each->object->wait_until ([&] { return each->object->received >= 1; });
            }
        }
        good.send ();
        careful.object->wait_until ([&] { return careful.object->received >= 2; });
        careless.object->reads = nullptr;
        careless.seat->leave ();
        careful.seat->leave ();
    });
}

TEST (ServiceLoop, WhoFindsNoMemoryIsCalledAgain)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        seated one (world, *service_loop::start (world, context.handle ()).value ());
        one.object->failing = 2;
        one.seat->wake ();
        one.object->wait_until ([&] { return one.object->failing == 0 && one.object->advanced >= 3; });
        one.seat->leave ();
    });
}

TEST (ServiceLoop, AShutDownContextEndsIt)
{
    in_every_world ([] (base::world &world) {
        const own_context context (world);
        const std::shared_ptr<service_loop> loop = service_loop::start (world, context.handle ()).value ();
        seated one (world, *loop);
        EXPECT_TRUE (socket::context_shutdown (context.handle ()).ok ());
        one.object->wait_until ([&] { return one.object->over.load (); });
        one.seat->leave ();
        EXPECT_EQ (one.object.use_count (), 1);
        std::unique_ptr<service_loop::seat> none;
        EXPECT_EQ (loop->join (std::make_shared<counting> (world), none).code (), errc::terminated);
        EXPECT_EQ (none, nullptr);
        EXPECT_EQ (service_loop::start (world, context.handle ()).code (), errc::terminated);
    });
}

// The lock under them: what one adds under it is not lost, and a bell wakes.
TEST (WaitingLock, HoldsOthersOffOverACall)
{
    in_every_world ([] (base::world &world) {
        waiting_lock lock (world.sleep);
        int sum = 0;
        const auto add = [&] {
            for (int round = 0; round < 50; ++round) {
                const holding guard (lock);
                const int before = sum;
                world.sleep.yield ();
                sum = before + 1;
            }
        };
        std::vector<std::unique_ptr<base::joinable>> threads;
        for (int i = 0; i < 4; ++i)
            threads.push_back (world.threads.start ({}, add).value ());
        threads.clear ();
        EXPECT_EQ (sum, 200);
    });
}

}  // namespace
}  // namespace zlink::service::test
