// STREAM with ten thousand clients, in two processes: all are served, one that is
// ended leaves the others, and one that does not read keeps nobody waiting.
#include <map>
#include <string>
#include <vector>

#include "conformance/stream_reader.hpp"
#include "lifetimes/child.hpp"
#include "support/papers.hpp"
#include "support/places.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

constexpr std::size_t crowd = 10'000;
const std::string ending (1, '\0');  // a packet that closes its connection

// What a client may ask of the server; everything else is sent back.
const std::string end_me = "end me";
const std::string flood_me = "flood me";      // until there is no more room for this client
const std::string how_many = "how many?";     // packets the flooded one was sent
const std::string everybody = "everybody's";  // how many clients there are
const std::string stop = "stop";

const std::string water = pattern (10'000);

socket open (void *of, const papers &shown)
{
    socket made (of, ZMQ_STREAM);
    shown.hand_to (made);
    made.set (ZMQ_BACKLOG, 4096);
    made.set (ZMQ_RECONNECT_IVL, -1);
    return made;
}

// The other process.
class server : stream_reader
{
  public:
    server (void *of, const papers &shown, const std::string &where) : socket_ (open (of, shown))
    {
        socket_.set (ZMQ_SNDBUF, 16 * 1024);
        socket_.bind (where);
    }

    // Until a client says stop.
    void serve (verdict &found)
    {
        for (news got = next (socket_); got.body != stop; got = next (socket_)) {
            CHILD_EXPECT (got.event >= 0);
            if (got.event < 0)
                return;
            if (got.event == data)
                answer (found, got);
            else
                clients_ += got.event == came ? 1U : ~std::size_t{0};
        }
    }

  private:
    void answer (verdict &found, const news &asked)
    {
        std::string answered = asked.body;
        if (asked.body == end_me) {
            answered = ending;
            --clients_;  // it is not told of what it does itself
        } else if (asked.body == flood_me)
            return flood (asked.name);
        else if (asked.body == how_many)
            answered = std::to_string (flooded_);
        else if (asked.body == everybody)
            answered = std::to_string (clients_);
        CHILD_EXPECT (socket_.send (parts{asked.name, answered}));
    }
    void flood (const std::string &name)
    {
        while (socket_.send (name, ZMQ_SNDMORE | ZMQ_DONTWAIT) && socket_.send (water))
            ++flooded_;
    }

    socket socket_;
    std::size_t clients_ = 0;
    std::size_t flooded_ = 0;
};

// Many connections of one socket, by the name that each has here.
class client : stream_reader
{
  public:
    client (void *of, const papers &shown) : socket_ (open (of, shown)) {}

    // A hundred at a time: nobody's handshake waits for those of thousands.
    void dial (const std::string &where, std::size_t times)
    {
        for (std::size_t dialled = 0; dialled < times; ++dialled) {
            socket_.connect (where);
            if (dialled % 100 == 99 || dialled + 1 == times)
                meet (dialled + 1);
        }
    }

    // Each says something of its own, and hears it.
    void talk (const std::string &about)
    {
        std::map<std::string, std::string> expected;
        for (const std::string &host : hosts_) {
            const std::string words = about + ' ' + std::to_string (expected.size ());
            ASSERT_TRUE (socket_.send (parts{host, words})) << words;
            expected.emplace (host, words);
        }
        while (!expected.empty ()) {
            const news got = next (socket_);
            ASSERT_EQ (got.event, data);
            ASSERT_EQ (expected[got.name], got.body);
            expected.erase (got.name);
        }
    }
    [[nodiscard]] std::string ask (std::size_t which, const std::string &question)
    {
        say (which, question);
        const news got = next (socket_);
        EXPECT_EQ (got.event, data);
        EXPECT_EQ (got.name, hosts_[which]);
        return got.body;
    }
    void say (std::size_t which, const std::string &words)
    {
        ASSERT_TRUE (socket_.send (parts{hosts_[which], words}));
    }
    void be_ended (std::size_t which)
    {
        say (which, end_me);
        const news got = next (socket_);
        EXPECT_EQ (got.event, gone);
        EXPECT_EQ (got.name, hosts_[which]);
        hosts_.erase (hosts_.begin () + static_cast<std::ptrdiff_t> (which));
    }
    // Whole packets of the flood, so many.
    void read_water (std::size_t packets)
    {
        for (std::size_t i = 0; i < packets; ++i) {
            const news got = next (socket_);
            ASSERT_EQ (got.event, data);
            ASSERT_TRUE (got.body == water) << i;
        }
    }
    void read_slowly ()
    {
        socket_.set (ZMQ_RCVHWM, 1);
        socket_.set (ZMQ_RCVBUF, 16 * 1024);
    }

  private:
    void meet (std::size_t hosts)
    {
        while (hosts_.size () < hosts) {
            const news got = next (socket_);
            ASSERT_EQ (got.event, came) << hosts_.size ();
            hosts_.push_back (got.name);
        }
    }

    socket socket_;
    std::vector<std::string> hosts_;
};

using stream_crowds = testing::TestWithParam<const char *>;

TEST_P (stream_crowds, are_served_each_for_itself)
{
    const papers shown (own_loopback ());
    const std::string where = std::string (GetParam ()) + tcp_place ().substr (3);
    gate bound;
    child other ([&] (verdict &found) {
        ::alarm (10 * watchdog_ms / 1000);  // there are many
        context own (zlink_ctx_new ());
        server serving (own, shown, where);
        bound.open ();
        serving.serve (found);
    });
    bound.wait ();
    context own (zlink_ctx_new ());
    client all (own, shown);
    all.dial (where, crowd);
    all.talk ("together");
    EXPECT_EQ (all.ask (crowd / 2, everybody), std::to_string (crowd));
    all.be_ended (crowd / 2);
    EXPECT_TRUE (eventually ([&] { return all.ask (0, everybody) == std::to_string (crowd - 1); }));
    client slow (own, shown);
    slow.read_slowly ();
    slow.dial (where, 1);
    slow.say (0, flood_me);
    std::size_t flooded = 0;
    ASSERT_TRUE (eventually ([&] { return (flooded = std::stoul (all.ask (0, how_many))) > 0; }));
    all.talk ("while one does not read");
    slow.read_water (flooded);
    EXPECT_EQ (slow.ask (0, "dry again"), "dry again");
    all.say (0, stop);
    EXPECT_TRUE (other.ended_well ());
}

INSTANTIATE_TEST_SUITE_P (over,
                          stream_crowds,
                          testing::Values ("tcp", "tls", "ws", "wss"),
                          [] (const auto &each) { return std::string (each.param); });

}  // namespace
}  // namespace zlink::test
