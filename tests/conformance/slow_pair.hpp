// A publisher with small marks, a subscriber that reads all the time, and one
// that does not: what both get is told apart by number.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/transport.hpp"

namespace zlink::test {

using message = std::vector<std::string>;

inline constexpr int mark = 10;

struct slow_pair : conformance
{
    socket publisher (int rule)
    {
        socket made = open (ZMQ_PUB);
        made.set (ZLINK_SLOW_CONSUMER, rule);
        made.set (ZMQ_SNDHWM, mark);
        made.set (ZMQ_SNDBUF, 20'000);
        return made;
    }
    socket subscriber (const std::string &where, bool wants_gaps = false)
    {
        socket made = open (ZMQ_SUB);
        made.set (ZLINK_REPORT_GAPS, wants_gaps);
        made.set (ZMQ_RCVHWM, mark);
        made.set (ZMQ_RCVBUF, 20'000);
        EXPECT_EQ (zmq_setsockopt (made, ZMQ_SUBSCRIBE, "", 0), 0);
        made.connect (where);
        return made;
    }
    // Both have asked, and have got all that was sent so far.
    static void warm_up (socket &pub, socket &fast, socket &slow)
    {
        std::array<bool, 2> heard{};
        const std::array readers{&fast, &slow};
        ASSERT_TRUE (eventually ([&] {
            if (!pub.send ("?"))
                return false;
            for (std::size_t i = 0; i < readers.size (); ++i)
                while (readers[i]->receive (ZMQ_DONTWAIT))
                    heard[i] = true;
            return heard[0] && heard[1];
        }));
        ASSERT_TRUE (pub.send ("!"));
        for (socket *each : readers)
            while (each->receive ().value_or ("!") != "!") {}
    }
    struct three
    {
        socket pub;
        socket fast;
        socket slow;
    };
    // The three, warmed up.
    three meet (int rule, bool slow_wants_gaps = false)
    {
        socket pub = publisher (rule);
        const std::string where = pub.bind (place ());
        socket fast = subscriber (where);
        socket slow = subscriber (where, slow_wants_gaps);
        warm_up (pub, fast, slow);
        return {std::move (pub), std::move (fast), std::move (slow)};
    }
    // Sends the message, which the fast one gets.
    static void publish (socket &pub, socket &fast, const message &what)
    {
        ASSERT_TRUE (pub.send (what));
        ASSERT_EQ (fast.receive_message (), what);
    }
    // The next message of the slow one, and one more sent behind it. That there is room
    // again the publisher knows when its write has returned, which may be behind the
    // arrival: what was sent in between was dropped, so more is sent until one comes.
    static message next_and_publish (socket &pub, socket &fast, socket &slow, int &sent)
    {
        message got;
        EXPECT_TRUE (eventually ([&] {
            got = slow.receive_message (ZMQ_DONTWAIT);
            publish (pub, fast, numbered (sent++));
            return !got.empty ();
        }));
        return got;
    }
    // Of many sizes: inside a part, in an arena, large.
    static message numbered (int i, const std::string &topic = "x")
    {
        constexpr std::array sizes = {std::size_t{10}, std::size_t{20'000}, std::size_t{3000}};
        const auto salt = static_cast<unsigned> (i);
        return {topic, std::to_string (i), pattern (sizes[salt % sizes.size ()], salt)};
    }
    // All that the slow one has still to get, up to this one.
    static std::vector<int> read_up_to (socket &slow, int last)
    {
        std::vector<int> all;
        while (all.empty () || all.back () != last) {
            const message got = slow.receive_message ();
            if (got.size () != 3 || got != numbered (std::stoi (got[1]), got[0])) {
                ADD_FAILURE () << "after " << all.size () << " messages";
                break;
            }
            all.push_back (std::stoi (got[1]));
        }
        EXPECT_FALSE (slow.receive (ZMQ_DONTWAIT));
        return all;
    }
};

}  // namespace zlink::test
