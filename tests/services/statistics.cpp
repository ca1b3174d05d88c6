// The server of statistics and its readers, polite ones and others.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/limits.hpp"
#include "service/option_numbers.hpp"
#include "service/statistics_server.hpp"
#include "services/provided.hpp"
#include "services/registries.hpp"
#include "wire/limits.hpp"

namespace zlink::service::test {
namespace {

using base::errc;

constexpr int type_pair = 0;
constexpr int type_pull = 7;
constexpr int type_push = 8;

// Somebody with a stream of octets.
class stranger
{
  public:
    stranger (void *context, std::string_view to)
      : socket_ (socket::open (context, static_cast<int> (socket::socket_type::stream)).value ())
    {
        for (const int number : {number_of_stream_raw, number_of_stream_notify})
            set (number, 1);
        set (socket::number_of_linger, 0);
        EXPECT_TRUE (socket::connect (socket_, to).ok ());
        (void)next ();  // it is there
    }
    ~stranger () { (void)socket::close (socket_); }
    stranger (const stranger &) = delete;
    stranger &operator= (const stranger &) = delete;

    // False: the stream has ended.
    bool say (std::string_view octets)
    {
        const auto name = base::as_bytes (name_);
        const bool named = socket::send (socket_, name, socket::io_send_more).ok ();
        return named && socket::send (socket_, base::as_bytes (octets), 0).ok ();
    }
    // All that comes until the stream ends.
    std::string hear ()
    {
        std::string all;
        for (std::string some = next (); !some.empty (); some = next ())
            all += some;
        return all;
    }
    std::string ask (std::string_view octets) { return say (octets) ? hear () : std::string (); }

  private:
    void set (int number, int value)
    {
        EXPECT_TRUE (socket::set_option (socket_, number, &value, sizeof value).ok ());
    }
    // Empty: it has come, or gone.
    std::string next ()
    {
        name_ = receive ();
        return receive ();
    }
    std::string receive ()
    {
        std::array<char, wire::http_head_bytes_max> octets{};
        const base::io_count got = socket::receive (socket_, std::as_writable_bytes (std::span (octets)), 0);
        EXPECT_TRUE (got.ok ());
        return got.ok () ? std::string (octets.data (), std::min (got.size (), octets.size ())) : "";
    }

    void *socket_;
    std::string name_;
};

struct observed
{
    explicit observed (base::world &world)
      : in (world), context (in.context.handle ()),
        server (statistics_server::open (world, context, in.loop, place (world, "statistics"), counts))
    {
    }
    stranger visitor () { return stranger (context, server->endpoint ()); }
    std::string get (std::string_view path)
    {
        stranger who (context, server->endpoint ());
        return who.ask ("GET " + std::string (path) + " HTTP/1.1\r\nHost: here\r\n\r\n");
    }

    town in;
    void *context;
    const std::shared_ptr<counted_list> counts = std::make_shared<counted_list> ();
    closing<statistics_server> server;
};

std::string body_of (const std::string &answer)
{
    const std::size_t end = answer.find ("\r\n\r\n");
    return end == std::string::npos ? std::string () : answer.substr (end + 4);
}

bool has (const std::string &text, std::string_view part) { return text.find (part) != std::string::npos; }

TEST (Statistics, ASocketsNumbersAreServedAsTextAndAsJson)
{
    in_every_world ([] (base::world &world) {
        observed of (world);
        void *const pull = socket::open (of.context, type_pull).value ();
        void *const push = socket::open (of.context, type_push).value ();
        ASSERT_TRUE (socket::bind (pull, "inproc://here").ok ());
        ASSERT_TRUE (socket::connect (push, "inproc://here").ok ());
        std::array<std::byte, 8> room{};
        for (const char *each : {"a", "bc"}) {
            ASSERT_TRUE (socket::send (push, base::as_bytes (std::string_view (each)), 0).ok ());
            ASSERT_TRUE (socket::receive (pull, room, 0).ok ());
        }
        const std::string text = of.get ("/metrics?x=1");
        EXPECT_TRUE (text.starts_with ("HTTP/1.1 200 OK\r\n")) << text;
        EXPECT_TRUE (has (text, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
        EXPECT_TRUE (has (text, "Content-Length: " + std::to_string (body_of (text).size ()) + "\r\n"));
        EXPECT_TRUE (has (text, "zlink_messages_received_total{socket=\"1\",type=\"PULL\"} 2\n")) << text;
        EXPECT_TRUE (has (text, "zlink_bytes_sent_total{socket=\"2\",type=\"PUSH\"} 3\n"));
        // Neither the loop's sockets nor the one that serves are told of.
        EXPECT_FALSE (has (text, loop_place));
        EXPECT_FALSE (has (text, of.server->endpoint () + "\",direction=\"bound\""));

        ASSERT_TRUE (socket::close (pull).ok ());
        void *const later = socket::open (of.context, type_pair).value ();
        const std::string json = body_of (of.get ("/statistics"));
        EXPECT_TRUE (json.starts_with ("{\"monotonic_ns\":")) << json;
        EXPECT_FALSE (has (json, "\"socket\":1,"));
        EXPECT_TRUE (has (json, "{\"type\":\"PUSH\",\"socket\":2,\"messages_sent\":2,"));
        EXPECT_TRUE (has (json, "{\"type\":\"PAIR\","));
        for (void *each : {push, later})
            ASSERT_TRUE (socket::close (each).ok ());
    });
}

TEST (Statistics, GatewaysAndReceiversAreToldOf)
{
    in_every_world ([] (base::world &world) {
        observed of (world);
        auto one = std::make_unique<serving> (world, of.context, "one", place_in (world));
        const auto by = service::gateway::open (world, of.context, {}).value ();
        of.counts->add (by);
        of.counts->add (one->shared ());
        const std::vector<listed_provider> listed = {{.endpoint = one->endpoint ()}};
        ASSERT_TRUE (by->set_providers ("calc", listed).ok ());
        for (int i = 0; i < 3; ++i) {
            held_parts parts = text_parts ({"question"});
            ASSERT_EQ (by->call ("calc", parts.all (), within (world, 30 * ns_per_s)).status,
                       call_status::replied);
        }
        held_parts parts = text_parts ({"question"});
        ASSERT_EQ (by->call ("nobody", parts.all (), within (world, ns_per_ms)).status,
                   call_status::no_provider);
        const std::string text = of.get ("/metrics");
        EXPECT_TRUE (has (text, "\nzlink_gateway_requests_total{gateway=\"1\"} 4\n")) << text;
        EXPECT_TRUE (has (text, "\nzlink_gateway_replies_total{gateway=\"1\"} 3\n"));
        EXPECT_TRUE (
          has (text, "\nzlink_gateway_failed_total{gateway=\"1\",error_type=\"no_provider\"} 1\n"));
        EXPECT_TRUE (has (text, "\nzlink_gateway_under_way{gateway=\"1\"} 0\n"));
        EXPECT_TRUE (has (text, "\nzlink_receiver_requests_total{receiver=\"2\"} 3\n"));
        const std::string json = body_of (of.get ("/statistics"));
        EXPECT_TRUE (has (json, "{\"kind\":\"receiver\",\"number\":2,\"requests\":3,")) << json;
        by->close ();
        one.reset ();
        EXPECT_FALSE (has (of.get ("/metrics"), "zlink_receiver_"));
    });
}

TEST (Statistics, WhatIsNotToBeHadIsRefused)
{
    in_every_world ([] (base::world &world) {
        observed of (world);
        EXPECT_TRUE (has (of.get ("/"), "/metrics"));
        EXPECT_TRUE (of.get ("/metrics/").starts_with ("HTTP/1.1 404 "));
        EXPECT_TRUE (of.visitor ().ask ("POST / HTTP/1.1\r\n\r\n").starts_with ("HTTP/1.1 405 "));
        EXPECT_TRUE (of.visitor ().ask ("get / HTTP/1.1\r\n\r\n").starts_with ("HTTP/1.1 400 "));
        EXPECT_TRUE (of.visitor ().ask ("GET / HTTP/1.1\n\n").starts_with ("HTTP/1.1 400 "));
        EXPECT_TRUE (of.visitor ().ask ("\xFF").starts_with ("HTTP/1.1 400 "));
        const std::string head = of.visitor ().ask ("HEAD /metrics HTTP/1.0\r\n\r\n");
        EXPECT_TRUE (head.starts_with ("HTTP/1.1 200 OK\r\n")) << head;
        EXPECT_EQ (body_of (head), "");
    });
}

// The head has an end, whatever comes; what stands behind a request is ignored.
TEST (Statistics, ARequestIsBounded)
{
    in_every_world ([] (base::world &world) {
        observed of (world);
        std::string endless = "GET / HTTP/1.1\r\n";
        while (endless.size () < 2 * wire::http_head_bytes_max)
            endless += "X: " + std::string (500, 'x') + "\r\n";
        EXPECT_TRUE (of.visitor ().ask (endless).starts_with ("HTTP/1.1 431 "));
        EXPECT_TRUE (of.visitor ()
                       .ask ("GET /" + std::string (wire::http_target_bytes_max, 'x') + " HTTP/1.1\r\n\r\n")
                       .starts_with ("HTTP/1.1 431 "));
        const std::string twice = of.visitor ().ask ("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        EXPECT_EQ (twice.find ("HTTP/1.1"), twice.rfind ("HTTP/1.1"));
    });
}

TEST (Statistics, ARequestMayComeOctetByOctet)
{
    in_every_world ([] (base::world &world) {
        observed of (world);
        stranger slow = of.visitor ();
        for (const char each : std::string_view ("GET / HTTP/1.1\r\n\r\n"))
            ASSERT_TRUE (slow.say (std::string_view (&each, 1)));
        EXPECT_TRUE (slow.hear ().starts_with ("HTTP/1.1 200 OK"));
    });
}

TEST (Statistics, WhoSaysNothingIsGivenUp)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_simulation (
          [] (base::world &world) {
              observed of (world);
              stranger silent = of.visitor ();
              const base::time_ns began = world.time.now_ns ();
              ASSERT_TRUE (silent.say ("GET / HT"));
              EXPECT_EQ (silent.hear (), "");
              EXPECT_GE (world.time.now_ns () - began, reader_asks_ns / 2);
          },
          seed);
}

TEST (Statistics, ManyAtATimeAreTurnedAwayAndLaterOnesServed)
{
    in_simulation (
      [] (base::world &world) {
          observed of (world);
          {
              std::vector<std::unique_ptr<stranger>> crowd;
              for (std::size_t i = 0; i < readers_max; ++i) {
                  crowd.push_back (std::make_unique<stranger> (of.context, of.server->endpoint ()));
                  ASSERT_TRUE (crowd.back ()->say ("G"));
              }
              EXPECT_EQ (of.get ("/"), "");
          }
          std::string later;
          while (later.empty ())
              later = of.get ("/");
          EXPECT_TRUE (later.starts_with ("HTTP/1.1 200 OK"));
      },
      1);
}

TEST (Statistics, ItEndsWithReadersInTheMiddle)
{
    in_every_world ([] (base::world &world) {
        observed of (world);
        stranger silent = of.visitor ();
        ASSERT_TRUE (silent.say ("GET / HT"));
        of.server.close ();
        EXPECT_EQ (silent.hear (), "");
    });
}

TEST (Statistics, ItIsBoundWhereNobodyElseIs)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto of_nobody = std::make_shared<counted_list> ();
        closing<statistics_server> one (
          statistics_server::open (world, in.context.handle (), in.loop, place (world, "a"), of_nobody));
        EXPECT_EQ (
          statistics_server::open (world, in.context.handle (), in.loop, one->endpoint (), of_nobody).code (),
          errc::address_in_use);
        EXPECT_EQ (
          statistics_server::open (world, in.context.handle (), in.loop, "nowhere", of_nobody).code (),
          errc::invalid_argument);
    });
}

}  // namespace
}  // namespace zlink::service::test
