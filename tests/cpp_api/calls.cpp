// Which calls each class of socket has, one by one: what is promised for a type
// compiles, and what is not does not. The table is read by the compiler alone.
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <zlink/zlink.hpp>

namespace zlink::test {
namespace {

enum call : unsigned
{
    nothing = 0,
    send = 1U << 0,
    send_parts = 1U << 1,
    receive = 1U << 2,
    receive_parts = 1U << 3,
    subscribe = 1U << 4,
    patterns = 1U << 5,
    wait_subscribers = 1U << 6,
    wait_subscribed = 1U << 7,
    groups = 1U << 8,
    send_to_group = 1U << 9,
    send_to_number = 1U << 10,
    send_to_name = 1U << 11,
    send_to_address = 1U << 12,
    receive_from = 1U << 13,
    request = 1U << 14,
    connect_peer = 1U << 15,
};
constexpr unsigned both = send | receive;
constexpr unsigned in_parts = send_parts | receive_parts;

template <class S> constexpr unsigned calls_of ()
{
    constexpr auto has = [] (bool it, call which) { return it ? static_cast<unsigned> (which) : nothing; };
    return has (
             requires (S s) { s.send ("x"); } || requires (S s) { s.send (message ()); }, send)
           | has (
             requires (S s, std::span<message> all) { s.send_parts (all); }, send_parts)
           | has (
             requires (S s) { s.receive (); }, receive)
           | has (
             requires (S s) { s.receive_parts (); }, receive_parts)
           | has (
             requires (S s) { s.subscribe ("x"); } || requires (S s) { s.unsubscribe ("x"); }, subscribe)
           | has (
             requires (S s) { s.subscribe_pattern ("x"); }, patterns)
           | has (
             requires (S s) { s.wait_subscribers (1U); }, wait_subscribers)
           | has (
             requires (S s) { s.wait_subscribed (); }, wait_subscribed)
           | has (
             requires (S s) { s.join ("x"); } || requires (S s) { s.leave ("x"); }, groups)
           | has (
             requires (S s) { s.send_to_group ("g", "x"); }, send_to_group)
           | has (
             requires (S s) { s.send_to (1U, "x"); }, send_to_number)
           | has (
             requires (S s, const message &peer, std::span<message> all) { s.send_to (peer, all); }
               || requires (S s, const message &peer) { s.send_to (peer, "x"); },
             send_to_name)
           | has (
             requires (S s, std::string_view address) { s.send_to (address, "x"); }, send_to_address)
           | has (
             requires (S s) { s.receive_from (); }, receive_from)
           | has (
             requires (S s) { s.request ("x"); }, request)
           | has (
             requires (S s) { s.connect_peer ("x"); }, connect_peer);
}

static_assert (calls_of<pair_socket> () == (both | in_parts));
static_assert (calls_of<push_socket> () == (send | send_parts));
static_assert (calls_of<pull_socket> () == (receive | receive_parts));
static_assert (calls_of<pub_socket> () == (send | send_parts | wait_subscribers));
static_assert (calls_of<sub_socket> () == (receive | receive_parts | subscribe | patterns | wait_subscribed));
static_assert (calls_of<xpub_socket> () == (both | in_parts | subscribe | wait_subscribers));
static_assert (calls_of<xsub_socket> () == (both | in_parts | subscribe | wait_subscribed));
static_assert (calls_of<req_socket> () == (both | in_parts | request));
static_assert (calls_of<rep_socket> () == (both | in_parts));
static_assert (calls_of<dealer_socket> () == (both | in_parts));
// A ROUTER's name is text as well.
static_assert (calls_of<router_socket> ()
               == (both | in_parts | send_to_name | send_to_address | receive_from));
static_assert (calls_of<stream_socket> () == (send_to_name | receive_from));
static_assert (calls_of<client_socket> () == both);
static_assert (calls_of<server_socket> () == (receive | send_to_number));
static_assert (calls_of<peer_socket> () == (receive | send_to_number | connect_peer));
static_assert (calls_of<radio_socket> () == (send_to_group | wait_subscribers));
static_assert (calls_of<dish_socket> () == (receive | groups | wait_subscribed));
static_assert (calls_of<scatter_socket> () == send);
static_assert (calls_of<gather_socket> () == receive);
static_assert (calls_of<channel_socket> () == both);
static_assert (calls_of<dgram_socket> () == (send_to_address | receive_from));

}  // namespace
}  // namespace zlink::test
