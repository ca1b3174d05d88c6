// Coroutines that await whole messages, and messages to and from one of several
// peers.
#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zlink/zlink.hpp>

#include "support/waiting.hpp"

namespace zlink::test {
namespace {

using namespace std::chrono_literals;

constexpr const char *places[] = {"tcp://127.0.0.1:*", "inproc://awaited_peers"};

using texts = std::vector<std::string>;

texts texts_of (const std::vector<message> &parts)
{
    texts found;
    for (const message &each : parts)
        found.emplace_back (each.text ());
    return found;
}

// What an operation without exceptions ended with.
struct ended
{
    bool yes = false;
    std::error_code why;
};
// make: what begins it, kept as long.
template <class Make> task<> note (Make make, ended &end)
{
    const auto answer = co_await make ();
    end.why = answer.error ();
    end.yes = true;
}

// --- whole messages ---

task<> send_numbered (loop<> &in, push_socket &push, int count)
{
    for (int i = 0; i < count; ++i)
        co_await in.send_parts (push, parts_of (std::to_string (i), "", "end"));
}

TEST (cpp_loop_parts, wait_for_room_as_one_message)
{
    for (const char *const place : places) {
        context own;
        push_socket push (own);
        pull_socket pull (own);
        push.set (options::sndhwm, 1);
        pull.set (options::rcvhwm, 1);
        loop<> in;
        in.spawn (send_numbered (in, push, 50));
        in.run_once (0ms);  // there is nobody yet
        push.connect (pull.bind (place));
        const worker reads ([&] {
            for (int i = 0; i < 50; ++i)
                EXPECT_EQ (texts_of (pull.receive_parts ()), (texts{std::to_string (i), "", "end"}));
        });
        in.run_until_done ();
    }
}

task<> send_none (loop<> &in, push_socket &push) { co_await in.send_parts (push, {}); }

TEST (cpp_loop_parts, are_refused_when_there_are_none)
{
    context own;
    push_socket push (own);
    loop<> in;
    ended end;
    in.spawn (note ([&] { return in.send_parts (std::nothrow, push, {}); }, end));
    in.run_until_done ();
    EXPECT_EQ (end.why, errc::invalid_argument);
    in.spawn (send_none (in, push));
    EXPECT_THROW (in.run_until_done (), failure);
}

// At any moment: what was said to be sent came, with all of its parts, and
// nothing else did.
TEST (cpp_loop_parts, are_sent_or_not_whenever_they_are_cancelled)
{
    context own;
    push_socket push (own);
    pull_socket pull (own);
    push.set (options::sndhwm, 1);
    pull.set (options::rcvhwm, 1);
    push.connect (pull.bind ("inproc://raced_parts"));
    loop<> in;
    int sent = 0, received = 0;
    const auto take = [&] {
        const std::optional<std::vector<message>> got = pull.try_receive_parts ();
        if (got) {
            EXPECT_EQ (texts_of (*got), (texts{"a", "b"}));
        }
        received += got.has_value ();
        return got.has_value ();
    };
    for (int i = 0; i < 300; ++i) {
        std::stop_source stop;
        ended end;
        in.spawn (note (
          [&] { return in.send_parts (std::nothrow, push, parts_of ("a", "b"), stop.get_token ()); }, end));
        const worker reads ([&] { take (); });
        const worker stops ([&] { stop.request_stop (); });
        in.run_until_done ();
        sent += !end.why;
    }
    while (take ()) {}
    EXPECT_EQ (received, sent);
}

// Of two subscribers one has no room, and nothing may be dropped.
TEST (cpp_loop_parts, wait_for_every_subscriber)
{
    context own;
    xpub_socket publisher (own);
    sub_socket slow (own), fast (own);
    publisher.set (options::xpub_nodrop, true);
    publisher.set (options::sndhwm, 1);
    slow.set (options::rcvhwm, 1);
    const std::string place = publisher.bind ("inproc://all_of_them");
    for (sub_socket *const each : {&slow, &fast}) {
        each->subscribe ("");
        each->connect (place);
    }
    ASSERT_TRUE (publisher.wait_subscribers (2, std::chrono::milliseconds (watchdog_ms)));
    int before = 0;
    while (publisher.try_send ("before"))
        ++before;
    for (int i = 0; i < before; ++i)
        EXPECT_EQ (fast.receive ().text (), "before");
    loop<> in;
    ended end;
    in.spawn (note ([&] { return in.send_parts (std::nothrow, publisher, parts_of ("then", "this")); }, end));
    in.run_once (0ms);
    EXPECT_FALSE (end.yes);
    const worker reads ([&] {
        for (int i = 0; i < before; ++i)
            EXPECT_EQ (slow.receive ().text (), "before");
        for (sub_socket *const each : {&slow, &fast})
            EXPECT_EQ (texts_of (each->receive_parts ()), (texts{"then", "this"}));
    });
    in.run_until_done ();
    EXPECT_FALSE (end.why);
}

// --- peers that a ROUTER names ---

task<> answer (loop<> &in, router_socket &router, int count)
{
    for (int i = 0; i < count; ++i) {
        routed_message asked = co_await in.receive_from (router);
        asked.parts.push_back (message (asked.peer.text ()));
        co_await in.send_to (router, std::move (asked.peer), std::move (asked.parts));
    }
}

task<> ask (loop<> &in, dealer_socket &dealer, std::string name, int count, int &answered)
{
    for (int i = 0; i < count; ++i) {
        co_await in.send_parts (dealer, parts_of ("what", std::to_string (i)));
        const texts got = texts_of (co_await in.receive_parts (dealer));
        answered += got == texts{"what", std::to_string (i), name};
    }
}

TEST (cpp_loop_peers, are_answered_by_name)
{
    for (const char *const place : places) {
        context own;
        router_socket router (own);
        dealer_socket one (own), other (own);
        one.set (options::routing_id, "one");
        other.set (options::routing_id, "other");
        const std::string end = router.bind (place);
        one.connect (end);
        other.connect (end);
        loop<> in;
        int answered = 0;
        in.spawn (answer (in, router, 200));
        in.spawn (ask (in, one, "one", 100, answered));
        in.spawn (ask (in, other, "other", 100, answered));
        in.run_until_done ();
        EXPECT_EQ (answered, 200);
    }
}

TEST (cpp_loop_peers, come_without_waiting_too)
{
    context own;
    router_socket router (own);
    dealer_socket dealer (own);
    dealer.set (options::routing_id, "dealer");
    dealer.connect (router.bind ("inproc://at_once"));
    EXPECT_FALSE (router.try_receive_from ());
    dealer.send_parts ("a", "b");
    const std::optional<routed_message> got = router.try_receive_from ();
    ASSERT_TRUE (got);
    EXPECT_EQ (got->peer.text (), "dealer");
    EXPECT_EQ (texts_of (got->parts), (texts{"a", "b"}));
    router.close ();
    EXPECT_EQ (router.try_receive_from (std::nothrow).error (), errc::not_a_socket);
}

// A ROUTER, one peer without room and one that has some.
class loop_with_a_full_peer : public testing::Test
{
  protected:
    void SetUp () override
    {
        router_.set (options::router_mandatory, true);
        router_.set (options::sndhwm, 1);
        const std::string place = router_.bind ("inproc://full_peers");
        for (auto &[each, name] : {std::pair (&*full_, "full"), std::pair (&free_, "free")}) {
            each->set (options::routing_id, name);
            each->set (options::rcvhwm, 1);
            each->connect (place);
            each->send ("here");
            ASSERT_EQ (router_.receive_from ().peer.text (), name);
        }
        router_.set (options::sndtimeo, 0ms);
        while (router_.send_to (std::nothrow, "full", std::to_string (before_)))
            ++before_;
        router_.set (options::sndtimeo, -1ms);
    }
    auto send_last (std::stop_token token = {})
    {
        return in_.send_to (std::nothrow, router_, message ("full"), parts_of ("the", "last"), token);
    }
    // Until it waits for room.
    void begin (std::stop_token token = {})
    {
        in_.spawn (note ([&] { return send_last (token); }, end_));
        in_.run_once (0ms);
        ASSERT_FALSE (end_.yes);
    }
    // What stood before the peer while it was full.
    void read_those_before ()
    {
        for (int i = 0; i < before_; ++i)
            EXPECT_EQ (full_->receive ().text (), std::to_string (i));
    }

    context own_;
    router_socket router_{own_};
    std::optional<dealer_socket> full_{std::in_place, own_};
    dealer_socket free_{own_};
    int before_ = 0;
    loop<> in_;
    ended end_;
};

TEST_F (loop_with_a_full_peer, waits_for_room_and_keeps_others_going)
{
    begin ();
    ended others;
    in_.spawn (
      note ([&] { return in_.send_to (std::nothrow, router_, message ("free"), parts_of ("x")); }, others));
    while (!others.yes)
        in_.run_once ();
    EXPECT_FALSE (others.why);
    EXPECT_FALSE (end_.yes);
    EXPECT_EQ (free_.receive ().text (), "x");
    const worker reads ([&] { read_those_before (); });
    in_.run_until_done ();
    EXPECT_FALSE (end_.why);
    EXPECT_EQ (texts_of (full_->receive_parts ()), (texts{"the", "last"}));
}

// Then the socket tells of room, which it does not while another peer has some.
TEST_F (loop_with_a_full_peer, waits_for_room_where_nobody_has_any)
{
    free_.close ();
    begin ();
    const worker reads ([&] { read_those_before (); });
    in_.run_until_done ();
    EXPECT_FALSE (end_.why);
    EXPECT_EQ (texts_of (full_->receive_parts ()), (texts{"the", "last"}));
}

TEST_F (loop_with_a_full_peer, tells_that_it_has_gone_where_nobody_has_any)
{
    free_.close ();
    begin ();
    full_.reset ();
    in_.run_until_done ();
    EXPECT_EQ (end_.why, errc::no_such_peer);
}

// A turn that looked for room in vain tells nobody: others go on, and so does it.
TEST_F (loop_with_a_full_peer, waits_for_room_again_and_again)
{
    for (int round = 0; round < 3; ++round) {
        begin ();
        for (int i = 0; i < 8; ++i)
            in_.run_once ();
        EXPECT_FALSE (end_.yes);
        const worker reads ([&] { read_those_before (); });
        in_.run_until_done ();
        EXPECT_FALSE (end_.why);
        EXPECT_EQ (texts_of (full_->receive_parts ()), (texts{"the", "last"}));
        end_ = {};
        router_.set (options::sndtimeo, 0ms);
        for (before_ = 0; router_.send_to (std::nothrow, "full", std::to_string (before_));)
            ++before_;
        router_.set (options::sndtimeo, -1ms);
    }
}

TEST_F (loop_with_a_full_peer, sends_nothing_once_it_is_cancelled)
{
    std::stop_source stop;
    begin (stop.get_token ());
    const worker stops ([&] { stop.request_stop (); });
    in_.run_until_done ();
    EXPECT_EQ (end_.why, errc::cancelled);
    read_those_before ();
    router_.send_to ("full", "next");
    EXPECT_EQ (full_->receive ().text (), "next");
}

TEST_F (loop_with_a_full_peer, tells_that_it_has_gone)
{
    begin ();
    full_.reset ();
    in_.run_until_done ();
    EXPECT_EQ (end_.why, errc::no_such_peer);
}

TEST_F (loop_with_a_full_peer, tells_that_the_socket_was_closed)
{
    begin ();
    router_.close ();
    in_.run_until_done ();
    EXPECT_EQ (end_.why, errc::not_a_socket);
}

TEST_F (loop_with_a_full_peer, tells_that_the_context_ends)
{
    begin ();
    const worker ends ([&] { own_.shutdown (); });
    in_.run_until_done ();
    EXPECT_EQ (end_.why, errc::terminated);
}

TEST_F (loop_with_a_full_peer, is_cancelled_when_the_loop_ends)
{
    ended end;
    {
        loop<> in;
        in.spawn (
          note ([&] { return in.send_to (std::nothrow, router_, message ("full"), parts_of ("x")); }, end));
        in.run_once (0ms);
        EXPECT_FALSE (end.yes);
    }
    EXPECT_EQ (end.why, errc::cancelled);
}

task<> send_to_nobody (loop<> &in, router_socket &router)
{
    co_await in.send_to (router, message ("nobody"), parts_of ("x"));
}

TEST_F (loop_with_a_full_peer, is_told_from_one_that_is_not_there)
{
    ended end;
    in_.spawn (
      note ([&] { return in_.send_to (std::nothrow, router_, message ("nobody"), parts_of ("x")); }, end));
    in_.run_until_done ();
    EXPECT_EQ (end.why, errc::no_such_peer);
    in_.spawn (send_to_nobody (in_, router_));
    EXPECT_THROW (in_.run_until_done (), failure);
}

TEST (cpp_loop_peers, are_awaited_until_the_end)
{
    context own;
    router_socket cancelled (own), closed (own), ended_too (own);
    loop<> in;
    std::stop_source stop;
    ended ends[3];
    in.spawn (note ([&] { return in.receive_from (std::nothrow, cancelled, stop.get_token ()); }, ends[0]));
    in.spawn (note ([&] { return in.receive_from (std::nothrow, closed); }, ends[1]));
    in.spawn (note ([&] { return in.receive_from (std::nothrow, ended_too); }, ends[2]));
    in.run_once (0ms);
    stop.request_stop ();
    closed.close ();
    while (!ends[0].yes || !ends[1].yes)
        in.run_once ();
    EXPECT_FALSE (ends[2].yes);
    own.shutdown ();
    in.run_until_done ();
    EXPECT_EQ (ends[0].why, errc::cancelled);
    EXPECT_EQ (ends[1].why, errc::not_a_socket);
    EXPECT_EQ (ends[2].why, errc::terminated);
}

// --- byte streams ---

struct heard_of_stream
{
    std::string said;
    int came = 0;
    int went = 0;
};

// Until a peer has gone.
task<> echo_until_gone (loop<> &in, stream_socket &stream, heard_of_stream &heard)
{
    while (heard.went == 0) {
        streamed news = co_await in.receive_from (stream);
        heard.came += news.what == stream_news::came;
        heard.went += news.what == stream_news::went;
        if (news.what == stream_news::data) {
            heard.said += news.body.text ();
            co_await in.send_to (stream, std::move (news.peer), std::move (news.body));
        }
    }
}

task<> call_echo (loop<> &in, stream_socket &stream, std::string &back)
{
    const streamed there = co_await in.receive_from (stream);
    for (const char *const each : {"one", "two"}) {
        const std::size_t before = back.size ();
        co_await in.send_to (stream, there.peer.share (), message (std::string_view (each)));
        while (back.size () < before + 3)
            back += (co_await in.receive_from (stream)).body.text ();
    }
    stream.disconnect_peer (there.peer);
}

TEST (cpp_loop_streams, are_answered)
{
    for (const bool raw : {false, true}) {
        context own;
        stream_socket one (own), other (own);
        for (stream_socket *const each : {&one, &other})
            each->set (options::stream_raw, raw);
        other.connect (one.bind ("tcp://127.0.0.1:*"));
        loop<> in;
        heard_of_stream heard;
        std::string back;
        in.spawn (echo_until_gone (in, one, heard));
        in.spawn (call_echo (in, other, back));
        in.run_until_done ();
        EXPECT_EQ (heard.said, "onetwo");
        EXPECT_EQ (heard.came, 1);
        EXPECT_EQ (back, "onetwo");
    }
}

// Two STREAMs that know each other's name.
class loop_with_a_stream : public testing::Test
{
  protected:
    void SetUp () override
    {
        from_.set (options::sndhwm, 1);
        to_.set (options::rcvhwm, 1);
        to_.connect (from_.bind ("tcp://127.0.0.1:*"));
        peer_ = from_.receive_from ().peer;
        static_cast<void> (to_.receive_from ());
    }
    task<> send_all ()
    {
        for (int i = 0; i < packets; ++i)
            co_await in_.send_to (from_, peer_.share (), packet (i));
        sent_ = true;
    }
    static message packet (int number)
    {
        return message (std::string (1 << 20, static_cast<char> ('a' + number % 26)));
    }

    static constexpr int packets = 48;  // more than the system holds
    context own_;
    stream_socket from_{own_}, to_{own_};
    message peer_;
    bool sent_ = false;
    loop<> in_;
};

TEST_F (loop_with_a_stream, waits_for_its_room)
{
    in_.spawn (send_all ());
    in_.run_once (0ms);
    EXPECT_FALSE (sent_);
    const worker reads ([&] {
        for (int i = 0; i < packets; ++i)
            EXPECT_EQ (to_.receive_from ().body, packet (i)) << i;
    });
    in_.run_until_done ();
    EXPECT_TRUE (sent_);
}

TEST_F (loop_with_a_stream, sends_nothing_once_it_is_cancelled)
{
    std::stop_source stop;
    int count = 0;
    for (bool full = false; !full; ++count) {
        ended end;
        std::stop_source one;
        in_.spawn (note (
          [&] { return in_.send_to (std::nothrow, from_, peer_.share (), packet (count), one.get_token ()); },
          end));
        in_.run_once (0ms);
        full = !end.yes;
        one.request_stop ();
        in_.run_until_done ();
        if (full) {
            EXPECT_EQ (end.why, errc::cancelled);
        }
    }
    const worker reads ([&] {
        for (int i = 0; i < count - 1; ++i)
            EXPECT_EQ (to_.receive_from ().body, packet (i)) << i;
        EXPECT_EQ (to_.receive_from ().body.text (), "end");
    });
    from_.send_to (peer_, "end");
}

TEST_F (loop_with_a_stream, tells_that_its_peer_has_gone)
{
    to_.close ();
    EXPECT_EQ (from_.receive_from ().what, stream_news::went);
    ended end;
    in_.spawn (note ([&] { return in_.send_to (std::nothrow, from_, peer_.share (), message ("x")); }, end));
    in_.run_until_done ();
    EXPECT_EQ (end.why, errc::no_such_peer);
    in_.spawn (send_all ());
    EXPECT_THROW (in_.run_until_done (), failure);
}

TEST_F (loop_with_a_stream, tells_that_the_context_ends)
{
    ended hears, sends;
    in_.spawn (send_all ());
    in_.spawn (note ([&] { return in_.receive_from (std::nothrow, from_); }, hears));
    in_.run_once (0ms);
    own_.shutdown ();
    EXPECT_THROW (in_.run_until_done (), failure);
    in_.run_until_done ();
    EXPECT_EQ (hears.why, errc::terminated);
}

}  // namespace
}  // namespace zlink::test
