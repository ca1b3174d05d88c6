// The paths of SPOT, each run by itself for budgets.py to measure: as hot_paths.cpp.
//
// "unwanted" is what publishing costs where nobody wants the topic, be it with another node
// that wants others, "between" two nodes, "inside" one. With subscriptions in their number there is one path
// each, which must come to the same.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "budgets/measuring.hpp"
#include "budgets/still_world.hpp"
#include "budgets/turned_lanes.hpp"
#include "service/service_loop.hpp"
#include "service/spot_node.hpp"
#include "socket/facade.hpp"

namespace {

using namespace zlink;
using service::spot_match;
using service::spot_node;
using service::spot_subscription;
using test::must;

constexpr std::string_view topic = "sensors/line-1/heat";
constexpr int messages = 1000;
constexpr int rounds = 5;
constexpr int subscribers = 10;
constexpr int topics = 1000;  // of each of them

struct ends
{
    std::shared_ptr<spot_node> from;
    std::unique_ptr<spot_subscription> to;
    std::unique_ptr<spot_subscription> idle;  // of the first
    std::array<std::byte, 64> body{};
};

void publish (void *on)
{
    auto &all = *static_cast<ends *> (on);
    must (all.from->publish (topic, all.body, 0).ok (), "publish");
}

void receive (void *on)
{
    service::spot_item got;
    must (static_cast<ends *> (on)->to->receive (got, base::never_ns).ok ()
            && got.gap == service::spot_gap::none,
          "receive");
}

// Writes what the burst rule has left.
void flush (ends &on)
{
    service::spot_item none;
    (void)on.idle->receive (none, 0);
}

void add (test::counted &to, const test::counted &more)
{
    to.allocations += more.allocations;
    to.system_calls += more.system_calls;
}

void stream (const std::string &name, ends &on)
{
    test::counted sent;
    test::counted received;
    const auto repeat = [&] (void (*step) (void *)) {
        for (int i = 0; i < messages; ++i)
            step (&on);
    };
    for (int i = 0; i <= rounds; ++i) {
        if (i == 0)
            repeat (publish);
        else
            add (sent, test::measure (publish, &on, messages));
        flush (on);
        repeat (receive);
    }
    test::print_path (name + "_send", rounds * messages, sent);
    for (int i = 0; i < rounds; ++i) {
        repeat (publish);
        flush (on);
        add (received, test::measure (receive, &on, messages));
    }
    test::print_path (name + "_receive", rounds * messages, received);
}

// One after the other: each is the first of a burst, and leaves by itself.
void turns (const std::string &name, ends &on)
{
    const auto turn = [] (void *with) {
        publish (with);
        receive (with);
    };
    for (int i = 0; i < 10; ++i)
        turn (&on);
    test::print_path (name, messages, test::measure (turn, &on, messages));
}

// Another topic each time, so that nothing is known of it from the time before.
void publish_in_turn (void *on)
{
    static constexpr std::string_view unheard[] = {"sensors/line-2/heat", "sensors/line-3/heat"};
    static unsigned turn = 0;
    auto &all = *static_cast<ends *> (on);
    must (all.from->publish (unheard[++turn % 2], all.body, 0).ok (), "publish");
}

void unwanted (const std::string &name, ends &on, void (*step) (void *) = publish)
{
    const std::uint64_t before = on.from->counters ().received;
    step (&on);
    const test::counted seen = test::measure (step, &on, messages);
    test::print_path (name, messages, seen);
    flush (on);
    must (on.from->counters ().received == before, "keeping it from everybody");
}

std::shared_ptr<spot_node>
open_node (base::world &world, void *context, const std::shared_ptr<service::service_loop> &loop)
{
    auto opened = spot_node::open (world, context, loop, {});
    must (opened.ok (), "open");
    const int off = 0;
    constexpr int option_spin = 3003;
    must (socket::set_option (opened.value ()->subscriber (), option_spin, &off, sizeof off).ok (), "spin");
    return std::move (opened).value ();
}

std::unique_ptr<spot_subscription> subscribed (const std::shared_ptr<spot_node> &of, std::string_view what)
{
    auto made = std::make_unique<spot_subscription> (of, service::spot_bounds{});
    must (made->subscribe (spot_match::exact, what).ok (), "subscribe");
    return made;
}

// Of other topics, the same ones each.
std::vector<std::unique_ptr<spot_subscription>> crowd (const std::shared_ptr<spot_node> &of)
{
    std::vector<std::unique_ptr<spot_subscription>> all;
    for (int who = 0; who < subscribers; ++who) {
        all.push_back (std::make_unique<spot_subscription> (of, service::spot_bounds{}));
        for (int i = 0; i < topics; ++i)
            must (all.back ()
                    ->subscribe (spot_match::exact, "sensors/line-" + std::to_string (i) + "/dust")
                    .ok (),
                  "subscribe");
    }
    return all;
}

// Until it has come through, what was left is written by who looks.
void meet (ends &on)
{
    service::spot_item got;
    do {
        publish (&on);
        flush (on);
    } while (!on.to->receive (got, 0).ok ());
    for (int quiet = 0; quiet < 100; ++quiet) {
        flush (on);
        while (on.to->receive (got, 0).ok ())
            quiet = 0;
    }
}

}  // namespace

int main ()
{
    test::still_world still;
    const auto context_opened = socket::context_open (still.world (), socket::header::zlink, nullptr);
    must (context_opened.ok (), "context_open");
    void *const context = context_opened.value ();
    auto loop = service::service_loop::start (still.world (), context);
    must (loop.ok (), "loop");
    const auto make = [&] { return open_node (still.world (), context, loop.value ()); };

    ends none{make (), nullptr, nullptr};
    none.idle = subscribed (none.from, "other");
    ends inside{make (), nullptr, nullptr};
    inside.idle = subscribed (inside.from, "other");
    inside.to = subscribed (inside.from, topic);
    ends among{make (), nullptr, nullptr};
    among.idle = subscribed (among.from, "other");
    among.to = subscribed (among.from, topic);
    auto others = crowd (among.from);
    ends between{make (), nullptr, nullptr};
    between.idle = subscribed (between.from, "other");
    const std::shared_ptr<spot_node> reader = make ();
    between.to = subscribed (reader, topic);
    const std::string place = "ipc://@zlink-budgets-spot-" + std::to_string (::getpid ());
    must (between.from->bind (place).ok () && reader->add_peer (place).ok (), "connect");
    meet (inside);
    meet (among);
    meet (between);
    test::turn_lanes_over (context);
    still.stop ();
    unwanted ("spot_unwanted_64", none);
    unwanted ("spot_unwanted_between_64", between, publish_in_turn);
    stream ("spot_inside_64", inside);
    stream ("spot_topics_1000_64", among);
    stream ("spot_between_64", between);
    turns ("spot_between_64_turn", between);
    still.reactor.open ();
    others.clear ();
    for (ends *const each : {&none, &inside, &among, &between}) {
        each->to.reset ();
        each->idle.reset ();
        each->from->close ();
        each->from.reset ();
    }
    reader->close ();
    std::fflush (stdout);
    std::_Exit (0);
}
