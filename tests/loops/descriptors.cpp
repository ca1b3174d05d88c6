// ZMQ_FD in event loops as people write them: level- and edge-triggered epoll,
// loops that take all there is and loops that take one message per wake, in
// both directions at once. Nothing but the descriptor says when to look. None stalls, and none turns without
// need: the turns that found nothing are counted.
#include <array>
#include <atomic>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>

#include "support/places.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

enum class appetite
{
    all_there_is,
    one_per_wake,
};

struct loop_kind
{
    const char *name;
    std::string (*place) ();
    std::uint32_t trigger;  // EPOLLET or 0
    appetite takes;
    friend void PrintTo (const loop_kind &of, std::ostream *to) { *to << of.name; }
};

// One socket, served by one thread through an epoll set that holds nothing
// but its descriptor.
class event_loop
{
  public:
    event_loop (socket &of, std::uint32_t trigger) : socket_ (of), set_ (::epoll_create1 (EPOLL_CLOEXEC))
    {
        epoll_event wish{};
        wish.events = EPOLLIN | trigger;
        EXPECT_EQ (::epoll_ctl (set_, EPOLL_CTL_ADD, of.get (ZMQ_FD), &wish), 0);
    }
    ~event_loop () { ::close (set_); }
    event_loop (const event_loop &) = delete;
    event_loop &operator= (const event_loop &) = delete;

    // Sends and receives so many numbered messages.
    void run (int total, appetite takes)
    {
        (void)serve (total, takes);  // as the manual says: look before the first wait
        while (sent_ < total || received_ < total) {
            epoll_event seen{};
            const int ready = ::epoll_wait (set_, &seen, 1, watchdog_ms);
            ASSERT_EQ (ready, 1) << "stalled at " << sent_ << " sent, " << received_ << " received";
            ++turns_;
            empty_turns_ += serve (total, takes) == 0;
        }
    }
    // Whether the descriptor is quiet when there is nothing to do.
    [[nodiscard]] bool comes_to_rest ()
    {
        return eventually ([this] {
            (void)socket_.get (ZMQ_EVENTS);
            epoll_event seen{};
            return ::epoll_wait (set_, &seen, 1, 50) == 0;
        });
    }
    [[nodiscard]] long turns () const { return turns_; }
    [[nodiscard]] long empty_turns () const { return empty_turns_; }

  private:
    // Answers how many messages it moved.
    int serve (int total, appetite takes)
    {
        int moved = 0;
        for (bool progress = true; progress;) {
            progress = (socket_.get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0 && take_one ();
            while (may_give (total) && give_one ())
                ++moved;
            moved += progress;
            if (takes == appetite::one_per_wake)
                break;  // what is left raises the descriptor again
        }
        return moved;
    }
    [[nodiscard]] bool may_give (int total) const { return sent_ < total && sent_ < received_ + window; }
    bool take_one ()
    {
        const auto got = socket_.receive (ZMQ_DONTWAIT);
        if (!got)
            return false;
        EXPECT_EQ (std::stoi (*got), received_);
        ++received_;
        return true;
    }
    bool give_one ()
    {
        const std::string text = std::to_string (sent_) + (sent_ % 1000 == 0 ? pattern (90'000) : "");
        const bool sent = socket_.send (text, ZMQ_DONTWAIT);
        sent_ += sent;
        return sent;
    }

    // Not too far ahead of the other side: both have to wait again and again.
    static constexpr int window = 40;

    socket &socket_;
    int set_;
    int sent_ = 0;
    int received_ = 0;
    long turns_ = 0;
    long empty_turns_ = 0;
};

class loops : public testing::TestWithParam<loop_kind>
{
  protected:
    void converse (int total, int mark);

    context own;
};

void loops::converse (int total, int mark)
{
    const loop_kind &kind = GetParam ();
    socket one (own, ZMQ_PAIR);
    socket two (own, ZMQ_PAIR);
    for (socket *each : {&one, &two}) {
        each->set (ZMQ_SNDHWM, mark);
        each->set (ZMQ_RCVHWM, mark);
    }
    two.connect (one.bind (kind.place ()));
    ASSERT_TRUE (one.has_peers () && two.has_peers ());
    event_loop here (one, kind.trigger);
    event_loop there (two, kind.trigger);
    {
        const worker other ([&] { there.run (total, kind.takes); });
        here.run (total, kind.takes);
    }
    for (event_loop *each : {&here, &there}) {
        EXPECT_TRUE (each->comes_to_rest ());
        // A wake may find that somebody else took what it was for, but most
        // do not.
        EXPECT_LT (each->empty_turns (), total / 2) << "of " << each->turns ();
        RecordProperty ("turns",
                        std::to_string (each->turns ()) + " empty " + std::to_string (each->empty_turns ()));
    }
}

TEST_P (loops, carry_streams_both_ways) { converse (30'000, 1000); }

TEST_P (loops, carry_streams_both_ways_at_low_marks) { converse (5'000, 3); }

// A hundred exchanges, each of which ends at rest.
TEST_P (loops, wake_for_every_single_message)
{
    const loop_kind &kind = GetParam ();
    socket one (own, ZMQ_PAIR);
    socket two (own, ZMQ_PAIR);
    two.connect (one.bind (kind.place ()));
    ASSERT_TRUE (one.has_peers () && two.has_peers ());
    const int set = ::epoll_create1 (EPOLL_CLOEXEC);
    epoll_event wish{};
    wish.events = EPOLLIN | kind.trigger;
    ASSERT_EQ (::epoll_ctl (set, EPOLL_CTL_ADD, one.get (ZMQ_FD), &wish), 0);
    for (int i = 0; i < 100; ++i) {
        while ((one.get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0)
            ADD_FAILURE () << "nothing was sent";
        ASSERT_TRUE (two.send (std::to_string (i)));
        while ((one.get (ZMQ_EVENTS) & ZMQ_POLLIN) == 0) {
            epoll_event seen{};
            ASSERT_EQ (::epoll_wait (set, &seen, 1, watchdog_ms), 1);
        }
        ASSERT_EQ (one.receive (ZMQ_DONTWAIT), std::to_string (i));
    }
    ::close (set);
}

std::vector<loop_kind> kinds ()
{
    std::vector<loop_kind> all;
    const auto add = [&all] (const char *name, std::uint32_t trigger, appetite takes,
                             std::string (*place) ()) {
        all.push_back ({name, place, trigger, takes});
    };
    add ("level_all_tcp", 0, appetite::all_there_is, tcp_place);
    add ("level_all_ipc", 0, appetite::all_there_is, ipc_place);
    add ("level_all_inproc", 0, appetite::all_there_is, inproc_place);
    add ("level_one_tcp", 0, appetite::one_per_wake, tcp_place);
    add ("level_one_ipc", 0, appetite::one_per_wake, ipc_place);
    add ("level_one_inproc", 0, appetite::one_per_wake, inproc_place);
    add ("edge_all_tcp", EPOLLET, appetite::all_there_is, tcp_place);
    add ("edge_all_ipc", EPOLLET, appetite::all_there_is, ipc_place);
    add ("edge_all_inproc", EPOLLET, appetite::all_there_is, inproc_place);
    add ("edge_one_tcp", EPOLLET, appetite::one_per_wake, tcp_place);
    add ("edge_one_ipc", EPOLLET, appetite::one_per_wake, ipc_place);
    add ("edge_one_inproc", EPOLLET, appetite::one_per_wake, inproc_place);
    return all;
}

INSTANTIATE_TEST_SUITE_P (of, loops, testing::ValuesIn (kinds ()), [] (const auto &of) {
    return std::string (of.param.name);
});

}  // namespace
}  // namespace zlink::test
