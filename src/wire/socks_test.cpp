#include "wire/socks.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

const std::string none_chosen = hex ("05 00");
const std::string password_chosen = hex ("05 02");
const std::string let_in = hex ("01 00");
const std::string connected = hex ("05 00 00 01 7f000001 1f90");

struct conversation
{
    explicit conversation (const socks_request &what) : client (what) { collect (); }

    void collect ()
    {
        said += as_text (client.output ());
        client.output_drained (client.output ().size ());
    }
    // What the proxy says, octet by octet, as far as it is wanted.
    std::size_t hear (std::string_view octets)
    {
        std::size_t taken = 0;
        while (taken < octets.size () && client.wanted () > 0) {
            client.feed (as_bytes (octets.substr (taken, 1)));
            ++taken;
            collect ();
        }
        return taken;
    }

    socks_client client;
    std::string said;
};

socks_request plain (std::string_view host = "server", std::uint16_t port = 0x1234)
{
    return {.host = host, .port = port, .user = {}, .password = {}};
}

socks_request with_user () { return {.host = "server", .port = 0x1234, .user = "me", .password = "secret"}; }

const std::string request_of_server = hex ("05 01 00 03 06") + "server" + hex ("12 34");

TEST (socks, without_a_user_one_method_is_offered)
{
    conversation with (plain ());
    EXPECT_EQ (with.said, hex ("05 01 00"));
    EXPECT_EQ (with.client.wanted (), 2U);
    EXPECT_EQ (with.client.status (), socks_status::need_more);
}

TEST (socks, names_are_left_to_the_proxy_and_numbers_are_numbers)
{
    const std::pair<const char *, std::string> table[] = {
      {"server.example.org", hex ("03 12") + "server.example.org"},
      {"10.1.2.3", hex ("01 0a010203")},
      {"2001:db8::7", hex ("04 20010db8000000000000000000000007")},
      {"::ffff:10.1.2.3", hex ("04 00000000000000000000ffff0a010203")},
      {"10.1.2", hex ("03 06") + "10.1.2"},
    };
    for (const auto &[host, octets] : table) {
        conversation with (plain (host, 443));
        with.hear (none_chosen);
        EXPECT_EQ (with.said, hex ("05 01 00") + hex ("05 01 00") + octets + hex ("01 bb")) << host;
    }
}

TEST (socks, who_has_a_user_is_asked_for_it_or_not)
{
    conversation asked (with_user ());
    EXPECT_EQ (asked.said, hex ("05 02 00 02"));
    EXPECT_EQ (asked.hear (password_chosen + let_in + connected), 14U);
    EXPECT_EQ (asked.said, hex ("05 02 00 02 01 02") + "me" + hex ("06") + "secret" + request_of_server);
    EXPECT_EQ (asked.client.status (), socks_status::done);
    conversation trusted (with_user ());
    trusted.hear (none_chosen + connected);
    EXPECT_EQ (trusted.said, hex ("05 02 00 02") + request_of_server);
    EXPECT_EQ (trusted.client.status (), socks_status::done);
}

TEST (socks, an_empty_password_is_one)
{
    conversation with ({.host = "s", .port = 1, .user = "me", .password = {}});
    with.hear (password_chosen);
    EXPECT_EQ (with.said, hex ("05 02 00 02 01 02") + "me" + hex ("00"));
}

TEST (socks, the_longest_texts_fit)
{
    const std::string longest (socks_text_bytes_max, 'x');
    conversation with ({.host = longest, .port = 1, .user = longest, .password = longest});
    with.hear (password_chosen + let_in);
    EXPECT_EQ (with.said, hex ("05 02 00 02 01 ff") + longest + hex ("ff") + longest + hex ("05 01 00 03 ff")
                            + longest + hex ("00 01"));
}

// Of every form of its answer, and no octet behind it: that is the far peer's.
TEST (socks, what_stands_behind_the_answer_is_not_taken)
{
    for (const std::string &address : {hex ("01 00000000"), hex ("04") + zeros (16), hex ("03 00"),
                                       hex ("03 03") + "abc", hex ("03 ff") + std::string (255, 'n')}) {
        conversation with (plain ());
        const std::string answer = none_chosen + hex ("05 00 00") + address + hex ("00 00");
        EXPECT_EQ (with.hear (answer + "greeting"), answer.size ());
        EXPECT_EQ (with.client.status (), socks_status::done);
        EXPECT_EQ (with.client.reason (), close_reason::none);
        EXPECT_EQ (with.client.wanted (), 0U);
    }
}

// At every octet it waits for at least one more and has failed nowhere.
TEST (socks, a_truncated_answer_is_waited_for)
{
    const std::string whole = password_chosen + let_in + connected;
    for (std::size_t cut = 0; cut < whole.size (); ++cut) {
        conversation with (with_user ());
        EXPECT_EQ (with.hear (std::string_view (whole).substr (0, cut)), cut);
        EXPECT_EQ (with.client.status (), socks_status::need_more) << cut;
        EXPECT_GT (with.client.wanted (), 0U) << cut;
    }
}

TEST (socks, pieces_of_any_size_end_the_same_way)
{
    const std::string whole = password_chosen + let_in + connected;
    for (std::size_t piece = 1; piece <= whole.size (); ++piece) {
        socks_client client (with_user ());
        std::size_t taken = 0;
        while (client.status () == socks_status::need_more) {
            const std::size_t size = std::min ({piece, client.wanted (), whole.size () - taken});
            client.feed (as_bytes (std::string_view (whole).substr (taken, size)));
            taken += size;
        }
        EXPECT_EQ (taken, whole.size ()) << piece;
        EXPECT_EQ (client.status (), socks_status::done);
    }
}

TEST (socks, a_refusal_tells_its_code_with_its_head)
{
    for (const unsigned code : {1U, 2U, 5U, 8U, 9U, 0xF4U}) {
        conversation with (plain ());
        with.hear (none_chosen + hex ("05") + static_cast<char> (code) + hex ("00 00 00"));
        EXPECT_EQ (with.client.status (), socks_status::failed);
        EXPECT_EQ (with.client.reason (), close_reason::proxy_refused);
        EXPECT_EQ (with.client.reply (), code);
        EXPECT_EQ (with.client.wanted (), 0U);
    }
}

TEST (socks, who_may_not_in_is_told_so)
{
    conversation no_method (plain ());
    no_method.hear (hex ("05 ff"));
    EXPECT_EQ (no_method.client.reason (), close_reason::proxy_authentication);
    conversation wrong_password (with_user ());
    wrong_password.hear (password_chosen + hex ("01 01"));
    EXPECT_EQ (wrong_password.client.reason (), close_reason::proxy_authentication);
    EXPECT_EQ (wrong_password.client.reply (), 0U);
}

TEST (socks, answers_that_are_none)
{
    const std::pair<const char *, std::string> table[] = {
      {"another version", hex ("04 00")},
      {"a method that was not offered", hex ("05 01")},
      {"a password that was not offered", password_chosen},
      {"another version later", none_chosen + hex ("04 00 00 01 00")},
      {"a reserved octet", none_chosen + hex ("05 00 01 01 00")},
      {"no type of address", none_chosen + hex ("05 00 00 00 00")},
      {"another type of address", none_chosen + hex ("05 00 00 02 00")},
      {"something else", "HTTP/1.1 400 Bad Request\r\n\r\n"},
    };
    for (const auto &[name, octets] : table) {
        conversation with (plain ());
        with.hear (octets);
        EXPECT_EQ (with.client.status (), socks_status::failed) << name;
        EXPECT_EQ (with.client.reason (), close_reason::proxy_malformed) << name;
        EXPECT_EQ (with.client.feed (as_bytes ("more")), socks_status::failed) << name;
    }
    conversation user (with_user ());
    user.hear (password_chosen + hex ("05 00"));
    EXPECT_EQ (user.client.reason (), close_reason::proxy_malformed);
}

}  // namespace
}  // namespace zlink::wire
