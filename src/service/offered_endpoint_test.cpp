#include "service/offered_endpoint.hpp"

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

// What a stranger, a neighbour and the own process are told.
std::string judged (std::string_view endpoint)
{
    std::string text;
    for (const nearness from : {nearness::elsewhere, nearness::same_host, nearness::same_process})
        text += std::string (offer_fault_name (judge_offer (endpoint, from))) + ' ';
    text.pop_back ();
    return text;
}

const std::string good = "none none none";
const std::string no = "malformed malformed malformed";
const std::string anywhere = "wildcard wildcard wildcard";
const std::string many = "multicast multicast multicast";
const std::string here = "loopback none none";

TEST (offered_endpoint, that_can_be_reached)
{
    for (const char *const each :
         {"tcp://10.0.0.7:5555", "tls://host.example:1", "ws://h:80", "ws://h:80/path/x:y",
          "wss://[2001:db8::1]:443/", "tcp://[fe80::1%eth0]:5555", "tcp://h_1-x.y:65535", "tcp://::2:5555",
          "tcp://128.0.0.1:1"})
        EXPECT_EQ (judged (each), good) << each;
}

TEST (offered_endpoint, that_is_none)
{
    for (const char *const each : {"",
                                   "x",
                                   "tcp://",
                                   "tcp://h",
                                   "tcp://:5",
                                   "tcp://h:",
                                   "tcp://h:65536",
                                   "tcp://h:123456",
                                   "tcp://h:-1",
                                   "tcp://h:5x",
                                   "tcp://h:5/path",
                                   "tcp://h/x:5",
                                   "udp://h:5",
                                   "http://h:80",
                                   "tcp:/h:5",
                                   "TCP://h:5",
                                   "tcp://a b:5",
                                   "tcp://h\n:5",
                                   "tcp://eth0;h:5",
                                   "tcp://[h:5",
                                   "tcp://[]:5",
                                   "tcp://h\xC3\xA4:5",
                                   "ws:///path:5",
                                   "inproc://",
                                   "ipc://"}) {
        const std::string told = judged (each);
        EXPECT_TRUE (told == no || told == anywhere) << each << ' ' << told;
        EXPECT_NE (told, good);
    }
    EXPECT_EQ (judged ("tcp://h:5/path"), no);
    EXPECT_EQ (judged ("udp://h:5"), no);
    EXPECT_EQ (judged (std::string ("tcp://h\0x:5", 11)), no);
    EXPECT_EQ (judged ("tcp://" + std::string (300, 'h') + ":5"), no);
}

TEST (offered_endpoint, that_is_nowhere_in_particular)
{
    for (const char *const each :
         {"tcp://*:5555", "tcp://0.0.0.0:5555", "tcp://[::]:5555", "tcp://[::ffff:0.0.0.0]:5", "tcp://h:0",
          "tcp://h:00", "tcp://h:*", "ws://*:80/x", "ipc://*"})
        EXPECT_EQ (judged (each), anywhere) << each;
}

TEST (offered_endpoint, that_is_many)
{
    for (const char *const each : {"tcp://224.0.0.1:5", "tcp://239.255.255.255:5", "tcp://255.255.255.255:5",
                                   "tcp://[ff02::1]:5", "tls://[::ffff:224.1.2.3]:5"})
        EXPECT_EQ (judged (each), many) << each;
}

TEST (offered_endpoint, that_is_another_one_for_each_reader)
{
    for (const char *const each :
         {"tcp://127.0.0.1:5", "tcp://127.8.8.8:5", "tcp://[::1]:5", "tcp://localhost:5", "tcp://LocalHost:5",
          "tls://[::ffff:127.0.0.1]:5", "wss://127.0.0.1:443/x"})
        EXPECT_EQ (judged (each), here) << each;
    EXPECT_EQ (judged ("ipc:///run/x"), "local none none");
    EXPECT_EQ (judged ("ipc://@abstract"), "local none none");
    EXPECT_EQ (judged ("inproc://x"), "local local none");
}

TEST (offered_endpoint, gets_a_host)
{
    const auto told = [] (std::string_view endpoint, std::string_view host) {
        const base::result<std::string> made = with_host (endpoint, host);
        return made ? made.value () : std::string ("?");
    };
    EXPECT_EQ (told ("tcp://*:5555", "10.0.0.7"), "tcp://10.0.0.7:5555");
    EXPECT_EQ (told ("tls://0.0.0.0:5555", "host"), "tls://host:5555");
    EXPECT_EQ (told ("tcp://[::]:5555", "2001:db8::7"), "tcp://[2001:db8::7]:5555");
    EXPECT_EQ (told ("wss://*:443/path", "h"), "wss://h:443/path");
    EXPECT_EQ (told ("tcp://10.0.0.8:5555", "10.0.0.7"), "tcp://10.0.0.8:5555") << "it says where it is";
    EXPECT_EQ (told ("tcp://127.0.0.1:5555", "10.0.0.7"), "tcp://127.0.0.1:5555");
    EXPECT_EQ (told ("ipc:///run/x", "h"), "ipc:///run/x");
    EXPECT_EQ (told ("inproc://x", "h"), "inproc://x");
    for (const char *const bad : {"tcp://*:*", "tcp://*:0", "tcp://*", "udp://*:5", ""})
        EXPECT_EQ (told (bad, "h"), "?") << bad;
}

}  // namespace
}  // namespace zlink::service
