// Nodes of SPOT that speak CURVE: one structure has the keys of all that a node listens
// and connects with. Here all nodes have one pair, and who has another is not let in.
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include <zlink/security.hpp>
#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

namespace {

struct pair_of_keys
{
    explicit pair_of_keys (zlink::context &in)
    {
        zlink_curve_keypair (open.data (), secret.data ());
        zlink::dealer_socket asked (in);  // for the 32 bytes of a key that is written in 40 letters
        std::size_t size = bytes.size ();
        zlink_setsockopt (asked.handle (), ZLINK_CURVE_PUBLICKEY, open.data (), open.size ());
        zlink_getsockopt (asked.handle (), ZLINK_CURVE_PUBLICKEY, bytes.data (), &size);
    }
    // Who has this pair, and speaks with those that have the other.
    [[nodiscard]] zlink::security with (const pair_of_keys &others) const
    {
        zlink::security how;
        how.curve_public_key = open.data ();
        how.curve_secret_key = secret.data ();
        how.curve_server_key = others.open.data ();
        how.curve_allowed_keys = others.bytes.data ();
        how.curve_allowed_keys_size = others.bytes.size ();
        return how;
    }
    std::array<char, 41> open{}, secret{};
    std::array<unsigned char, 32> bytes{};
};

}  // namespace

int main ()
{
    using namespace std::chrono_literals;
    if (zlink_has ("curve") == 0)
        return 0;  // this library was built without
    zlink::context in;
    const pair_of_keys ours (in), theirs (in);
    zlink::spot_node kitchen (in), garden (in), stranger (in);
    kitchen.secure (ours.with (ours));  // before they are bound and joined
    garden.secure (ours.with (ours));
    stranger.secure (theirs.with (ours));  // knows our public key, and is turned away all the same

    zlink::spot_subscriber thermometer (kitchen);
    thermometer.subscribe ("temperature");
    const std::string seed = kitchen.bind ("tcp://127.0.0.1:*");
    garden.bind ("tcp://127.0.0.1:*");
    kitchen.join (nullptr);
    garden.join (seed.c_str ());
    stranger.connect (seed.c_str ());
    if (!garden.wait (1, 30s))
        return 1;

    zlink::spot_publisher outside (garden);
    outside.publish ("temperature", "21");
    const auto told = thermometer.receive (30s);
    if (!told)
        return 1;
    std::printf ("%.*s, read by %d other node\n", static_cast<int> (told->text ().size ()),
                 told->text ().data (), static_cast<int> (garden.counters ().nodes));
    return told->text () == "21" && kitchen.counters ().nodes == 1 ? 0 : 1;
}
