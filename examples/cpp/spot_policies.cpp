// Subscribers that do not keep up: what becomes of messages for which their queues have no
// room, and how they are told. Each has room for two of five.
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

namespace {

// What is there, as a text.
std::string all_of (zlink::spot_subscriber &from)
{
    std::string text;
    for (;;) {
        const auto got = from.receive (std::nothrow, std::chrono::milliseconds (0));
        if (!got)
            return text + "(the end) ";  // disconnected
        if (!*got)
            return text;
        const zlink::spot_message &each = **got;
        text += each.is_gap () ? "(" + std::to_string (each.missing ()) + " missing) "
                               : std::string (each.text ()) + " ";
    }
}

}  // namespace

int main ()
{
    using zlink::spot_policy;
    struct expectation
    {
        const char *name;
        spot_policy policy;
        std::string text;
    };
    const std::array<expectation, 4> slow{{
      {"drop newest", spot_policy::drop_newest, "1 2 (3 missing) "},
      {"drop oldest", spot_policy::drop_oldest, "(3 missing) 4 5 "},
      {"conflate", spot_policy::conflate, "5 "},
      {"disconnect", spot_policy::disconnect, "1 2 (the end) "},
    }};
    zlink::context in;
    zlink::spot_node node (in);
    zlink::spot_publisher stock (node);
    zlink::spot_subscriber prompt (node);
    prompt.subscribe ("price");
    std::vector<zlink::spot_subscriber> all;
    for (const expectation &each : slow) {
        all.emplace_back (node);
        all.back ().set_policy (each.policy, 2);
        all.back ().subscribe ("price");
    }
    for (const char *const each : {"1", "2", "3", "4", "5"})
        stock.publish ("price", each);
    for (int i = 0; i < 5; ++i)  // who receives reads for all of the node
        if (!prompt.receive (std::chrono::seconds (30)))
            return 1;
    int wrong = 0;
    for (std::size_t i = 0; i < slow.size (); ++i) {
        const std::string text = all_of (all[i]);
        std::printf ("%s: %s\n", slow[i].name, text.c_str ());
        wrong += text != slow[i].text;
    }
    return wrong;
}
