// What readers of a partitioned topic are told beside messages: which numbers are gone for
// good, that an owner has left, and that another goes on.
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include <zlink/registry.hpp>
#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

namespace {

using namespace std::chrono_literals;

// Up to the message with that number.
std::string read_up_to (zlink::spot_reader &from, std::uint64_t number)
{
    std::string told;
    for (const zlink::spot_event &each : from.events (30s)) {
        if (each.kind () == ZLINK_SPOT_EVENT_GAP)
            told +=
              std::to_string (each.sequence ()) + " to " + std::to_string (each.last ()) + " are gone; ";
        else if (each.kind () == ZLINK_SPOT_EVENT_EPOCH)
            told += each.loss_possible () ? "something may be missing; " : "nothing is missing; ";
        else if (each.kind () == ZLINK_SPOT_EVENT_OWNER)
            std::printf ("%s\n", each.node () != 0 ? "it has an owner" : "it has lost its owner");
        else if (each.is_message ())
            told += std::string (each.text ()) + "; ";
        if (each.is_message () && each.sequence () == number)
            break;
    }
    std::printf ("%s\n", told.c_str ());
    return told;
}

}  // namespace

int main ()
{
    zlink::context in;
    zlink::registry books (in);
    const std::string grantor = books.bind ("tcp://127.0.0.1:*");
    zlink::spot_node office (in);
    office.add_grantor (grantor.c_str ());
    office.set (zlink::spot_options::owns, false);  // of what is declared behind this
    office.declare ("orders", 1);
    const std::string seed = office.bind ("tcp://127.0.0.1:*");
    office.join (nullptr);
    zlink::spot_publisher counter (office);
    std::array<std::optional<zlink::spot_node>, 2> shops;
    std::optional<zlink::spot_reader> reader;

    // One after the other, each with room for two messages for those who come late.
    std::string told;
    for (std::size_t round = 0; round < shops.size (); ++round) {
        zlink::spot_node &shop = shops[round].emplace (in);
        shop.add_grantor (grantor.c_str ());
        shop.set (zlink::spot_options::ring_messages, 2);
        shop.declare ("orders", 1);
        shop.bind ("tcp://127.0.0.1:*");
        shop.join (seed.c_str ());
        if (!shop.wait (round + 1, 30s))
            return 1;
        if (round > 0)
            shops[round - 1].reset ();  // hands over
        for (const char *const step : {"placed", "paid", "sent"})
            counter.publish ("orders", "17", step, 30s);
        if (!reader)
            reader.emplace (office, "orders", zlink::spot_from::sequence (1));
        told += read_up_to (*reader, round == 0 ? 3 : 6);
    }
    return told == "1 to 1 are gone; paid; sent; nothing is missing; placed; paid; sent; " ? 0 : 1;
}
