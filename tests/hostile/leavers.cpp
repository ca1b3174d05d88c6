// Very many peers that come, say something and go, while nobody receives.
#include <filesystem>
#include <map>
#include <sys/resource.h>
#include <system_error>

#include "hostile/corpus.hpp"
#include "support/events.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

// 0: there is none left to look with.
std::size_t descriptors ()
{
    std::error_code none_left;
    const std::filesystem::directory_iterator all ("/proc/self/fd", none_left);
    return static_cast<std::size_t> (std::distance (begin (all), end (all)));
}

// The process may have so many, for the length of a scope.
class few_descriptors
{
  public:
    explicit few_descriptors (std::size_t count)
    {
        EXPECT_EQ (::getrlimit (RLIMIT_NOFILE, &before_), 0);
        const rlimit few{count, before_.rlim_max};
        EXPECT_EQ (::setrlimit (RLIMIT_NOFILE, &few), 0);
    }
    ~few_descriptors () { EXPECT_EQ (::setrlimit (RLIMIT_NOFILE, &before_), 0); }
    few_descriptors (const few_descriptors &) = delete;
    few_descriptors &operator= (const few_descriptors &) = delete;

  private:
    rlimit before_{};
};

class leavers : public testing::TestWithParam<bool>
{
  protected:
    leavers ()
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);
        where = own.bind (GetParam () ? ipc_place () : tcp_place ());
    }
    [[nodiscard]] raw_peer guest () const
    {
        raw_peer peer = raw_peer::connect_to (where);
        EXPECT_TRUE (peer.shake_hands ("PUSH"));
        return peer;
    }
    // Each says its number and a place, in order.
    void come_and_go (int count, int messages, std::size_t bytes)
    {
        for (int i = 0; i < count; ++i) {
            std::string says;
            for (int k = 0; k < messages; ++k) {
                std::string body = std::to_string (i) + ' ' + std::to_string (k);
                body.resize (std::max (body.size (), bytes), ' ');
                says += zmtp_frame (0, body);
            }
            const raw_peer peer = guest ();
            ASSERT_TRUE (peer.send (says));
            most = std::max (most, descriptors ());
        }
    }
    // So many peers' messages, each once and in order.
    void receive_all_of (int count, int messages)
    {
        std::map<int, int> next;
        for (int i = 0; i < count * messages; ++i) {
            const std::string text = own.receive ().value_or ("");
            ASSERT_FALSE (text.empty ()) << i << " have come";
            std::size_t at = 0;
            const int who = std::stoi (text, &at);
            ASSERT_EQ (std::stoi (text.substr (at)), next[who]++);
        }
        ASSERT_EQ (next.size (), static_cast<std::size_t> (count));
    }
    // A peer that comes now is served.
    void serves_another ()
    {
        socket good (around, ZMQ_PUSH);
        good.connect (where);
        ASSERT_TRUE (good.send ("good"));
        ASSERT_TRUE (good.has_peers ());
        ASSERT_EQ (own.receive (), "good");
    }

    context around;
    socket own{around, ZMQ_PULL};
    std::string where;
    const std::size_t before = descriptors ();
    std::size_t most = 0;
};

INSTANTIATE_TEST_SUITE_P (by, leavers, testing::Bool (), [] (const auto &of) {
    return of.param ? "ipc" : "tcp";
});

TEST_P (leavers, that_nobody_receives_from_take_few_descriptors)
{
    constexpr int count = 5000;
    constexpr int messages = 3;
    ASSERT_NO_FATAL_FAILURE (come_and_go (count, messages, 0));
    EXPECT_LT (most, before + 300);
    const raw_peer another = guest ();
    EXPECT_TRUE (another.valid ()) << "there is room for more";
    ASSERT_NO_FATAL_FAILURE (receive_all_of (count, messages));
    ASSERT_NO_FATAL_FAILURE (serves_another ());
}

TEST_P (leavers, that_break_off_take_few_descriptors)
{
    for (int i = 0; i < 1000; ++i) {
        raw_peer peer = guest ();
        ASSERT_TRUE (peer.send (zmtp_frame (0, "bad") + zmtp_frame (0, "never whole").substr (0, 5)));
        peer.reset ();
        most = std::max (most, descriptors ());
    }
    EXPECT_LT (most, before + 300);
    own.set (ZMQ_RCVTIMEO, 100);
    for (auto text = own.receive (); text.has_value (); text = own.receive ())
        ASSERT_EQ (*text, "bad");
    own.set (ZMQ_RCVTIMEO, watchdog_ms);
    ASSERT_NO_FATAL_FAILURE (serves_another ());
}

TEST_P (leavers, that_hold_the_last_descriptor_give_it_back)
{
    constexpr int count = 200;
    {
        const few_descriptors here (before + 40);
        ASSERT_NO_FATAL_FAILURE (come_and_go (count, 1, 0));
    }
    ASSERT_NO_FATAL_FAILURE (receive_all_of (count, 1));
    ASSERT_NO_FATAL_FAILURE (serves_another ());
}

// Their end stands behind more than there is room for: others wait, and nothing
// is lost.
TEST_P (leavers, that_have_sent_much_keep_others_out_until_it_is_received)
{
    constexpr int count = 500;
    constexpr int messages = 160;
    events told (own, ZLINK_EVENT_ACCEPT_FAILED);
    worker crowd ([&] { come_and_go (count, messages, 1000); });
    const zlink_event_t full = told.next ();
    ASSERT_NE (full.event, 0U);
    EXPECT_STREQ (full.reason_text, "limit-reached");
    EXPECT_LT (descriptors (), before + 600);
    ASSERT_NO_FATAL_FAILURE (receive_all_of (count, messages));
    crowd.join ();
    EXPECT_LT (most, before + 600);
    ASSERT_NO_FATAL_FAILURE (serves_another ());
}

}  // namespace
}  // namespace zlink::test
