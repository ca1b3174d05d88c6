// The paths of gateways and receivers, each run by itself for budgets.py to measure: as
// hot_paths.cpp.
//
// "one_way" is a message that wants no reply, "message" one whose body is the caller's
// until then; "request" what one costs who asks without
// waiting, the receiver that takes it, and the receiver that answers it.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

#include "budgets/measuring.hpp"
#include "budgets/still_world.hpp"
#include "service/gateway.hpp"
#include "service/receiver.hpp"
#include "socket/facade.hpp"

namespace {

using namespace zlink;
using service::gateway;
using service::inquiry;
using service::receiver;
using test::must;

constexpr std::string_view service_name = "stock";
constexpr int messages = 1000;
constexpr int rounds = 5;

struct ends
{
    std::shared_ptr<gateway> from;
    std::shared_ptr<receiver> to;
    std::array<inquiry, messages> got{};  // a request each; one-way messages share the first
    std::size_t next = 0;
    std::array<std::byte, 64> body{};
    std::atomic<int> heard{0};  // replies
};

// A message of the caller's, as every call wants it.
base::message made (const ends &all)
{
    base::message part;
    must (part.init_copy (all.body).ok (), "making a message");
    return part;
}

void send (void *on)
{
    auto &all = *static_cast<ends *> (on);
    base::message part = made (all);
    must (all.from->send (service_name, {&part, 1}, {}, false).ok (), "send");
    part.close ();
}

// The same by a copying call.
void send_copy (void *on)
{
    auto &all = *static_cast<ends *> (on);
    must (all.from->send (service_name, all.body, false).ok (), "send");
}

// The same as the socket knows it by itself.
void send_prepared (void *on)
{
    auto &all = *static_cast<ends *> (on);
    must (socket::send_prepared (all.from->socket (), service_name.data (), all.body).ok (), "send_prepared");
}

void receive (void *on)
{
    auto &all = *static_cast<ends *> (on);
    must (all.to->receive (all.got[0], base::never_ns).ok () && all.got[0].one_way, "receive");
    all.got[0].parts.let_go ();
}

void ask (void *on)
{
    auto &all = *static_cast<ends *> (on);
    base::message part = made (all);
    must (all.from
            ->submit (service_name, service::held_parts ({&part, 1}), {},
                      [&all] (service::request_id, service::call_outcome &&) {
                          all.heard.fetch_add (1);
                          all.heard.notify_one ();
                      })
            .ok (),
          "submit");
    part.close ();
}

void take (void *on)
{
    auto &all = *static_cast<ends *> (on);
    must (all.to->receive (all.got[all.next++], base::never_ns).ok (), "taking a request");
}

void answer (void *on)
{
    auto &all = *static_cast<ends *> (on);
    inquiry &which = all.got[all.next++];
    must (all.to->reply (which, which.parts.all ()).ok (), "reply");
}

// Writes what the burst rule has left.
void flush (void *socket)
{
    std::size_t needed = 0;
    (void)socket::receive_parts (socket, {}, socket::io_dont_wait, &needed);
}

void add (test::counted &to, const test::counted &more)
{
    to.allocations += more.allocations;
    to.system_calls += more.system_calls;
}

void repeat (void (*step) (void *), ends &on)
{
    on.next = 0;
    for (int i = 0; i < messages; ++i)
        step (&on);
}

test::counted measured (void (*step) (void *), ends &on)
{
    on.next = 0;
    return test::measure (step, &on, messages);
}

void one_way_sent (const char *name, ends &on, void (*send_one) (void *))
{
    test::counted sent;
    for (int i = 0; i <= rounds; ++i) {
        if (i == 0)
            repeat (send_one, on);
        else
            add (sent, measured (send_one, on));
        flush (on.from->socket ());
        repeat (receive, on);
    }
    test::print_path (name, rounds * messages, sent);
}

void one_way_received (ends &on)
{
    test::counted received;
    for (int i = 0; i < rounds; ++i) {
        repeat (send, on);
        flush (on.from->socket ());
        add (received, measured (receive, on));
    }
    test::print_path ("gateway_one_way_64_receive", rounds * messages, received);
}

// One of the three steps of a request, which are all done, is measured. Replies are
// heard between the rounds.
void request (const char *name, ends &on, test::gate &others, void (*which) (void *))
{
    test::counted seen;
    for (int i = 0; i <= rounds; ++i) {
        on.heard.store (0);
        for (void (*const step) (void *) : {ask, take, answer}) {
            if (step == which && i > 0)
                add (seen, measured (step, on));
            else
                repeat (step, on);
            flush (step == ask ? on.from->socket () : on.to->socket ());
        }
        others.open ();
        for (int heard = on.heard.load (); heard < messages; heard = on.heard.load ())
            on.heard.wait (heard);
        others.shut ();
    }
    test::print_path (name, rounds * messages, seen);
}

void spin_off (void *socket)
{
    const int off = 0;
    constexpr int option_spin = 3003;
    must (socket::set_option (socket, option_spin, &off, sizeof off).ok (), "spin");
}

// Until it has come through, what was left is written by who looks.
void connect (ends &on, base::world &world, void *context, const std::string &place)
{
    auto gateway_opened = gateway::open (world, context, {});
    auto receiver_opened = receiver::open (world, context, {});
    must (gateway_opened.ok () && receiver_opened.ok (), "open");
    on.from = std::move (gateway_opened.value ());
    on.to = std::move (receiver_opened.value ());
    spin_off (on.from->socket ());
    spin_off (on.to->socket ());
    must (on.to->bind (place).ok () && on.to->offer (service_name, place, 1).ok (), "bind");
    const service::listed_provider listed[] = {{.endpoint = place}};
    must (on.from->set_providers (service_name, listed).ok (), "connect");
    base::message part = made (on);
    must (on.from->send (service_name, {&part, 1}, {}, true).ok (), "the first message");
    part.close ();
    flush (on.from->socket ());
    receive (&on);
}

}  // namespace

int main ()
{
    test::still_world still;
    const auto context_opened = socket::context_open (still.world (), socket::header::zlink, nullptr);
    must (context_opened.ok (), "context_open");
    ends on;
    connect (on, still.world (), context_opened.value (),
             "ipc://@zlink-budgets-gateway-" + std::to_string (::getpid ()));
    still.stop ();
    one_way_sent ("gateway_one_way_64_send", on, send_copy);
    one_way_sent ("gateway_one_way_64_prepared_send", on, send_prepared);
    one_way_sent ("gateway_one_way_64_message_send", on, send);
    one_way_received (on);
    request ("gateway_request_64_ask", on, still.reactor, ask);
    request ("gateway_request_64_take", on, still.reactor, take);
    request ("gateway_request_64_answer", on, still.reactor, answer);
    still.reactor.open ();
    on.from->close ();
    on.to->close ();
    std::fflush (stdout);
    std::_Exit (0);
}
