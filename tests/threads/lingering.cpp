// Close, shutdown and term come while other threads send, and what they have
// sent is waited for: for a short time, or until somebody reads.
#include <atomic>
#include <cerrno>

#include "threads/crowd.hpp"
#include "threads/named_calls.hpp"

namespace zlink::test {
namespace {

class lingering : public testing::TestWithParam<call_over>
{
  protected:
    static constexpr int rounds_each = 3;

    // A round: a context with senders and one with who may read.
    class round
    {
      public:
        explicit round (int linger_ms)
        {
            const int few = 10;
            pull_.set (ZMQ_RCVHWM, few);
            const std::string where = pull_.bind (GetParam ().over.place ());
            at_.context = zmq_ctx_new ();
            at_.push = zmq_socket (at_.context, ZMQ_PUSH);
            EXPECT_EQ (zmq_setsockopt (at_.push, ZMQ_LINGER, &linger_ms, sizeof linger_ms), 0);
            EXPECT_EQ (zmq_setsockopt (at_.push, ZMQ_SNDHWM, &few, sizeof few), 0);
            EXPECT_EQ (zmq_connect (at_.push, where.c_str ()), 0);
            EXPECT_EQ (zlink_wait_peers (at_.push, 1, watchdog_ms), 0);
        }

        // Threads send until they are told that it is over.
        void send_until (end_by how, std::uint32_t turns)
        {
            const int wanted = how == end_by::close ? ENOTSOCK : ETERM;
            std::vector<worker> senders;
            std::atomic<int> entered{0};
            for (int i = 0; i < senders_count (); ++i)
                senders.emplace_back ([&] {
                    ++entered;
                    while (GetParam ().call.make (at_) >= 0)
                        ++accepted_;
                    EXPECT_EQ (errno, wanted) << zmq_strerror (errno);
                });
            EXPECT_TRUE (eventually ([&] { return entered == senders_count (); }));
            for (; turns > 0; --turns)
                zmq_ctx_get (at_.context, ZMQ_IO_THREADS);
            if (how == end_by::term)
                ends_.emplace ([this] { EXPECT_EQ (zlink_ctx_term_ms (at_.context, watchdog_ms), 0); });
            else if (how == end_by::shutdown) {
                EXPECT_EQ (zmq_ctx_shutdown (at_.context), 0);
            } else {
                EXPECT_EQ (zmq_close (at_.push), 0);
            }
            senders.clear ();
            if (how != end_by::close) {
                EXPECT_EQ (zmq_close (at_.push), 0);
            }
        }
        // True when the context has ended within that time.
        [[nodiscard]] bool ends_within (int timeout_ms)
        {
            if (ends_) {
                ends_->join ();
                return true;
            }
            return zlink_ctx_term_ms (at_.context, timeout_ms) == 0;
        }
        void begin_to_read ()
        {
            reads_.emplace ([this] {
                while (!all_sent_ || taken_ < accepted_) {
                    if (pull_.receive_message (ZMQ_DONTWAIT).empty ())
                        here ().give_way ();
                    else
                        ++taken_;
                }
            });
        }
        // All that was accepted, and no more.
        void has_arrived ()
        {
            all_sent_ = true;
            reads_->join ();
            EXPECT_TRUE (eventually ([&] { return pull_.statistics ().connections_lost == 1; }));
            EXPECT_TRUE (pull_.receive_message (ZMQ_DONTWAIT).empty ());
            EXPECT_EQ (taken_, accepted_);
        }

      private:
        // Parts of two threads' messages would mix.
        static int senders_count () { return GetParam ().call.name == std::string ("parts") ? 1 : 2; }

        context readers_;
        socket pull_{readers_, ZMQ_PULL};
        scene at_;
        std::atomic<int> accepted_{0};
        std::atomic<int> taken_{0};
        std::atomic<bool> all_sent_{false};
        std::optional<worker> reads_;
        std::optional<worker> ends_;
    };

    // Every way to end it, at several moments.
    template <class Body> static void in_every_way (Body body)
    {
        dice roll (rounds_each);
        for (const end_by how : {end_by::close, end_by::shutdown, end_by::term})
            for (int i = 0; i < rounds_each; ++i)
                body (how, roll.roll (8) * roll.roll (400));
    }
};

TEST_P (lingering, for_a_short_time_ends_though_nobody_reads)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);  // there would be a line for each
    in_every_way ([] (end_by how, std::uint32_t turns) {
        round one (10);
        one.send_until (how, turns);
        EXPECT_TRUE (one.ends_within (watchdog_ms));
    });
}

TEST_P (lingering, without_end_ends_when_all_is_read)
{
    in_every_way ([] (end_by how, std::uint32_t turns) {
        round one (-1);
        one.begin_to_read ();
        one.send_until (how, turns);
        EXPECT_TRUE (one.ends_within (watchdog_ms));
        one.has_arrived ();
    });
}

// The one who ends it waits for a moment only, and tries again while somebody
// reads.
TEST_P (lingering, without_end_survives_who_gave_up_waiting)
{
    in_every_way ([] (end_by how, std::uint32_t turns) {
        if (how == end_by::term)
            return;
        round one (-1);
        one.send_until (how, turns);
        const bool ended = one.ends_within (1);  // if it was little
        EXPECT_TRUE (ended || errno == ETIMEDOUT) << zmq_strerror (errno);
        one.begin_to_read ();
        EXPECT_TRUE (ended || one.ends_within (watchdog_ms));
        one.has_arrived ();
    });
}

std::vector<call_over> all_cases ()
{
    std::vector<call_over> all;
    for (const crowd_transport &over : {crowd_transport{"tcp", tcp_place}, crowd_transport{"ipc", ipc_place}})
        for (const named_call &each : sending_calls ())
            all.push_back ({over, each});
    return all;
}

INSTANTIATE_TEST_SUITE_P (of, lingering, testing::ValuesIn (all_cases ()), name_of_case);

}  // namespace
}  // namespace zlink::test
