// Peers of a server that wants PLAIN or CURVE, and do not come in, or not any
// more: whatever they say in place of it, nobody is let in without, and a good
// peer that came in before goes on talking.
#include <array>
#include <functional>
#include <ostream>

#include "hostile/curve_peers.hpp"
#include "hostile/victim.hpp"

namespace zlink::test {
namespace {

using wire::session;
using wire::session_status;
using wire::test::counting_entropy;
using wire::test::drain;
using wire::test::key_pair;

constexpr int handshake_brief_ms = 150;

// A PULL that asks for a mechanism, and a good PUSH that is in.
class guarded
{
  public:
    guarded (int mechanism, const std::string &place, int handshake_ms = watchdog_ms)
      : handler_ (context_, ZMQ_REP), own_ (context_, ZMQ_PULL), events_ (own_), good_ (context_, ZMQ_PUSH)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);
        own_.set (ZMQ_HANDSHAKE_IVL, handshake_ms);
        if (mechanism == ZMQ_PLAIN) {
            handler_.bind ("inproc://zeromq.zap.01");
            own_.set (ZMQ_PLAIN_SERVER, 1);
            EXPECT_EQ (zmq_setsockopt (good_, ZMQ_PLAIN_USERNAME, "me", 2), 0);
            EXPECT_EQ (zmq_setsockopt (good_, ZMQ_PLAIN_PASSWORD, "secret", 6), 0);
        } else {
            own_.set (ZMQ_CURVE_SERVER, 1);
            set_key (own_, ZMQ_CURVE_SECRETKEY, servers ().secret);
            be_curve_client (good_);
        }
        where_ = own_.bind (place);
        good_.connect (where_);
        if (mechanism == ZMQ_PLAIN)
            answer ("200");
        EXPECT_TRUE (own_.has_peers ());
    }

    [[nodiscard]] socket &own () { return own_; }
    [[nodiscard]] context &of () { return context_; }
    [[nodiscard]] const std::string &where () const { return where_; }
    void answer (const std::string &status)
    {
        EXPECT_FALSE (handler_.receive_message ().empty ());
        EXPECT_TRUE (handler_.send (std::vector<std::string>{"1.0", "1", status, "", "", ""}));
    }
    void good_goes_on ()
    {
        ASSERT_TRUE (good_.send ("good"));
        ASSERT_EQ (own_.receive (), "good");
    }
    // The peer is cut off, for that reason, and has left nothing behind.
    void turns_away (const raw_peer &peer, const std::string &reason)
    {
        own_.set (ZMQ_RCVTIMEO, 1);  // while somebody waits for messages the socket reads by itself
        zlink_event_t told{};
        ASSERT_TRUE (eventually ([&] {
            EXPECT_FALSE (own_.receive ());
            return (told = events_.next (0)).reason != 0 && told.reason_text == reason;
        }))
          << "no event says " << reason << ", the last: " << told.reason_text;
        own_.set (ZMQ_RCVTIMEO, watchdog_ms);
        EXPECT_TRUE (peer.sees_end ());
        EXPECT_EQ (own_.status (where_).reason_text, reason);
        ASSERT_NO_FATAL_FAILURE (good_goes_on ());
        EXPECT_EQ (own_.status (where_).connected, 1u);
    }

  private:
    context context_;
    socket handler_;
    socket own_;
    events events_;
    socket good_;
    std::string where_;
};

// --- what is said without knowing more than the server's address -------------------

struct stranger
{
    std::string name;
    int mechanism;
    std::string reason;
    std::string octets;
};

std::vector<stranger> strangers ()
{
    std::vector<stranger> all;
    for (const auto &[prefix, mechanism, own, other] :
         {std::tuple{"plain_", ZMQ_PLAIN, "PLAIN", "CURVE"}, {"curve_", ZMQ_CURVE, "CURVE", "PLAIN"}}) {
        const auto add = [&, p = std::string (prefix), m = mechanism] (
                           const std::string &name, const char *why, const std::string &octets) {
            all.push_back ({p + name, m, why, octets});
        };
        const std::string type = zmtp_type_octet ("PUSH");
        add ("wants_none", "mechanism-mismatch", zmtp_greeting () + zmtp_ready ("PUSH"));
        add ("wants_none_as_3_0", "mechanism-mismatch", zmtp_greeting (3, 0) + zmtp_ready ("PUSH"));
        add ("wants_another", "mechanism-mismatch", zmtp_greeting (3, 1, other));
        add ("wants_an_unknown_one", "mechanism-mismatch", zmtp_greeting (3, 1, "GSSAPI"));
        add ("wants_nothing_at_all", "greeting-malformed", zmtp_greeting (3, 1, ""));
        add ("is_2_0", "version-unsupported", zmtp_signature () + octet (1) + type + zmtp_frame (0, ""));
        add ("is_1_0_with_a_version", "version-unsupported", zmtp_signature () + octet (0) + type);
        add ("is_1_0", "version-unsupported", octet (1) + octet (0) + octet (2) + octet (0) + "x");
        const std::string begun = zmtp_greeting (3, 1, own);
        add ("only_ready", "command-unexpected", begun + zmtp_ready ("PUSH"));
        add ("only_initiate", "command-unexpected",
             begun + zmtp_command ("INITIATE", std::string (300, 'x')));
        add ("only_a_message", "data-before-ready", begun + zmtp_frame (0, "hello"));
        add ("an_error", "refused-by-peer", begun + zmtp_command ("ERROR", "\3bad"));
        add ("hello_of_0", "hello-malformed", begun + hello_of (""));
    }
    const std::string plain = zmtp_greeting (3, 1, "PLAIN");
    const auto plainly = [&] (const std::string &name, const std::string &data) {
        all.push_back ({"plain_" + name, ZMQ_PLAIN, "hello-malformed", plain + hello_of (data)});
    };
    plainly ("name_past_the_end", "\3me");
    plainly ("no_password", "\2me");
    plainly ("password_past_the_end", "\2me\7secret");
    plainly ("more_behind_it", "\2me\6secret.");
    const std::string curve = zmtp_greeting (3, 1, "CURVE");
    const std::string hello = good_hello ();
    const std::string body = hello.substr (2);
    const auto with = [&] (const std::string &name, const char *why, std::string said) {
        all.push_back ({"curve_" + name, ZMQ_CURVE, why, curve + zmtp_frame (4, said)});
    };
    with ("hello_of_199", "hello-malformed", body.substr (0, 199));
    with ("hello_of_201", "hello-malformed", body + '.');
    with ("hello_of_version_2", "hello-malformed", std::string (body).replace (6, 1, 1, '\2'));
    with ("hello_number_0", "sequence-invalid", std::string (body).replace (112, 8, 8, '\0'));
    with ("hello_of_no_key", "box-unopened", std::string (body).replace (80, 32, 32, '\0'));
    with ("hello_of_low_order", "box-unopened", std::string (body).replace (80, 32, octet (1) + zeros (31)));
    with ("hello_for_another", "box-unopened", std::string (body).replace (199, 1, 1, '.'));
    all.push_back ({"curve_hello_twice", ZMQ_CURVE, "command-unexpected", curve + hello + hello});
    all.push_back ({"curve_initiate_by_heart", ZMQ_CURVE, "box-unopened",
                    curve + hello + zmtp_command ("INITIATE", std::string (300, 'x'))});
    all.push_back ({"curve_initiate_of_256", ZMQ_CURVE, "initiate-malformed",
                    curve + hello + zmtp_command ("INITIATE", std::string (256 - 9, 'x'))});
    return all;
}

class uninvited : public testing::TestWithParam<row_by_transport<stranger>>
{
};

INSTANTIATE_TEST_SUITE_P (tcp,
                          uninvited,
                          testing::ValuesIn (rows_by_transport (strangers (), false)),
                          name_of_row<stranger>);
INSTANTIATE_TEST_SUITE_P (ipc,
                          uninvited,
                          testing::ValuesIn (rows_by_transport (strangers (), true)),
                          name_of_row<stranger>);

TEST_P (uninvited, do_not_come_in)
{
    const stranger &row = GetParam ().row;
    guarded one (row.mechanism, GetParam ().place ());
    for (const bool in_pieces : {false, true}) {
        const raw_peer peer = raw_peer::connect_to (one.where ());
        ASSERT_TRUE (peer.valid ());
        in_pieces ? peer.trickle (row.octets) : peer.send (row.octets);
        ASSERT_NO_FATAL_FAILURE (one.turns_away (peer, row.reason));
    }
}

// --- what is said by one that could come in ----------------------------------------

// Changes what is to be said, before it is.
using twist = std::function<void (std::string &)>;

class crooked
{
  public:
    explicit crooked (const std::string &where, const key_pair &shown = clients ())
      : dice_ (next_seed ()), peer_ (raw_peer::connect_to (where)),
        own_ (wire::test::end_of (wire::socket_type::push, credentials (shown), &dice_))
    {
        own_.start ();
    }
    [[nodiscard]] const raw_peer &peer () const { return peer_; }

    // Until the handshake is done, or the other side has ended it.
    bool meet (const twist &change = [] (std::string &) {})
    {
        for (std::string said; own_.status () != session_status::failed;) {
            said = drain (own_);
            change (said);
            if (!peer_.send (said))
                return false;
            if (own_.status () == session_status::ready)
                break;
            std::string heard = peer_.read_exactly (1);
            if (heard.empty ())
                return false;
            heard += peer_.read_what_is_there ();
            std::size_t consumed = 0;
            (void)own_.feed (base::as_bytes (heard), consumed);
        }
        how_ = own_.take_sealing ();
        return how_ != nullptr;
    }
    // Behind that: a frame as it is to be.
    [[nodiscard]] std::string sealed (std::string_view text, bool command = false)
    {
        std::string frame (text.size () + 64, '\0');
        frame.resize (how_->out.seal (reinterpret_cast<std::byte *> (frame.data ()), {false, command},
                                      base::as_bytes (text)));
        return frame;
    }

  private:
    // No two have the same random numbers.
    static unsigned next_seed () { return static_cast<unsigned> (next_place ()) * 1031; }
    static wire::security credentials (const key_pair &shown)
    {
        wire::security wish = wire::test::curve_client (clients (), servers ().open);
        wish.own_public = shown.open;
        return wish;
    }

    counting_entropy dice_;
    raw_peer peer_;
    session own_;
    std::unique_ptr<wire::sealing> how_;
};

class curve_server : public testing::TestWithParam<bool>
{
  protected:
    // Where INITIATE's data begins: a long frame, its name.
    static constexpr std::size_t data_at = 9 + 9;

    void turns_away (const std::string &reason, const twist &change, const key_pair &shown = clients ())
    {
        crooked guest (one.where (), shown);
        EXPECT_FALSE (guest.meet (change)) << reason;
        ASSERT_NO_FATAL_FAILURE (one.turns_away (guest.peer (), reason));
    }
    void changed_initiate (const std::string &reason, const std::function<void (std::string &)> &change)
    {
        turns_away (reason, [&] (std::string &said) {
            if (said.find ("\10INITIATE") != std::string::npos)
                change (said);
        });
    }
    void ends_traffic (const std::string &reason, const std::function<std::string (crooked &)> &said)
    {
        crooked guest (one.where ());
        ASSERT_TRUE (guest.meet ()) << reason;
        ASSERT_TRUE (guest.peer ().send (guest.sealed ("in")));
        ASSERT_EQ (one.own ().receive (), "in");
        ASSERT_TRUE (guest.peer ().send (said (guest)));
        ASSERT_NO_FATAL_FAILURE (one.turns_away (guest.peer (), reason));
    }

    guarded one{ZMQ_CURVE, GetParam () ? ipc_place () : tcp_place ()};
};

INSTANTIATE_TEST_SUITE_P (by, curve_server, testing::Bool (), [] (const auto &of) {
    return of.param ? "ipc" : "tcp";
});

TEST_P (curve_server, takes_no_changed_initiate)
{
    changed_initiate ("box-unopened", [] (std::string &said) { said[data_at] ^= 1; });       // cookie's nonce
    changed_initiate ("box-unopened", [] (std::string &said) { said[data_at + 95] ^= 1; });  // its box
    changed_initiate ("box-unopened", [] (std::string &said) { said.back () ^= 1; });        // the box
    changed_initiate ("box-unopened", [] (std::string &said) { said[data_at + 96 + 7] ^= 4; });  // the number
    changed_initiate ("sequence-invalid",
                      [] (std::string &said) { said.replace (data_at + 96, 8, zeros (8)); });
    changed_initiate ("sequence-invalid", [] (std::string &said) {
        said.replace (data_at + 96, 8, big_endian (1, 8));  // HELLO's
    });
}

TEST_P (curve_server, takes_no_cookie_of_another)
{
    std::string cookie;
    crooked first (one.where ());
    EXPECT_FALSE (first.meet ([&] (std::string &said) {
        if (said.find ("\10INITIATE") == std::string::npos)
            return;
        cookie = said.substr (data_at, 96);
        said[data_at + 100] ^= 1;
    }));
    ASSERT_EQ (cookie.size (), 96u);
    ASSERT_NO_FATAL_FAILURE (one.turns_away (first.peer (), "box-unopened"));
    changed_initiate ("box-unopened", [&] (std::string &said) { said.replace (data_at, 96, cookie); });
}

TEST_P (curve_server, takes_no_key_that_its_owner_does_not_show)
{
    turns_away (
      "key-exchange", [] (std::string &) {}, key_pair (3000));
}

TEST_P (curve_server, takes_nothing_behind_the_handshake_but_good_boxes)
{
    ends_traffic ("command-unexpected", [] (crooked &) { return zmtp_frame (0, "in the open"); });
    ends_traffic ("command-unexpected", [] (crooked &) { return zmtp_command ("PING", zeros (2)); });
    ends_traffic ("command-unexpected", [] (crooked &) { return zmtp_frame (0, ""); });
    ends_traffic ("message-malformed", [] (crooked &) { return zmtp_frame (0, "\7MESSAGE" + zeros (24)); });
    ends_traffic ("sequence-invalid", [] (crooked &) { return zmtp_frame (0, "\7MESSAGE" + zeros (25)); });
    ends_traffic ("box-unopened", [] (crooked &by) {
        std::string said = by.sealed ("changed");
        said.back () ^= 1;
        return said;
    });
    ends_traffic ("sequence-invalid", [this] (crooked &by) {
        const std::string first = by.sealed ("twice");
        EXPECT_TRUE (by.peer ().send (first));
        EXPECT_EQ (one.own ().receive (), "twice");
        return first;
    });
    ends_traffic ("command-malformed", [] (crooked &by) { return by.sealed ("\5PIN", true); });
}

// --- options that change under a handshake -----------------------------------------

// They are for the handshakes to come: what has begun goes on as it was wished for.
TEST (begun_handshakes, take_what_comes_with_their_end_as_it_was_sealed)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    context of;
    const std::string where = tcp_place ();
    const raw_peer door = raw_peer::listen_at (where);
    socket pull (of, ZMQ_PULL);
    be_curve_client (pull);
    pull.connect (where);
    const raw_peer peer = door.accept ();
    ASSERT_TRUE (peer.valid ());
    counting_entropy dice (1);
    wire::security wish = wire::test::curve_server (servers ());
    wish.enforce_domain = true;  // nobody is asked
    session server (wire::test::end_of (wire::socket_type::push, wish, &dice));
    server.start ();
    std::string last_word = drain (server);
    while (server.status () == session_status::need_more) {
        ASSERT_TRUE (peer.send (last_word));
        std::string heard = peer.read_exactly (1);
        ASSERT_FALSE (heard.empty ());
        heard += peer.read_what_is_there ();
        std::size_t consumed = 0;
        (void)server.feed (base::as_bytes (heard), consumed);
        last_word = drain (server);
    }
    ASSERT_EQ (server.status (), session_status::ready);
    const std::unique_ptr<wire::sealing> how = server.take_sealing ();
    std::string frame (64, '\0');
    frame.resize (how->out.seal (reinterpret_cast<std::byte *> (frame.data ()), {false, false},
                                 base::as_bytes ("early")));
    pull.set (ZMQ_PLAIN_SERVER, 1);
    ASSERT_TRUE (peer.send (last_word + frame));
    EXPECT_EQ (pull.receive (), "early");
}

TEST (begun_handshakes, let_nobody_in_whom_they_would_not_have)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    context of;
    socket pull (of, ZMQ_PULL);
    const events told (pull);
    pull.set (ZMQ_PLAIN_SERVER, 1);
    const raw_peer peer = raw_peer::connect_to (pull.bind (tcp_place ()));
    ASSERT_TRUE (peer.send (zmtp_greeting (3, 1, "PLAIN")));
    ASSERT_EQ (peer.read_exactly (64).size (), 64u);
    pull.set (ZMQ_CURVE_SERVER, 1);  // which lets in whom nobody is asked about
    set_key (pull, ZMQ_CURVE_SECRETKEY, servers ().secret);
    ASSERT_TRUE (peer.send (hello_of ("\2me\6secret")));
    EXPECT_TRUE (peer.sees_end ());
    EXPECT_STREQ (pull.status (pull.last_endpoint ()).reason_text, "zap-unavailable");
}

// A list of keys is for all who are not in yet.
TEST (begun_handshakes, go_by_a_list_of_keys_that_comes_meanwhile)
{
    (void)zlink_set_log (zlink_log_discard, nullptr);
    for (const int enforced : {0, 1}) {  // the handler would be asked; nobody would
        context of;
        socket pull (of, ZMQ_PULL);
        be_curve_server (pull);
        pull.set (ZMQ_ZAP_ENFORCE_DOMAIN, enforced);
        pull.bind (tcp_place ());
        const raw_peer peer = raw_peer::connect_to (pull.last_endpoint ());
        counting_entropy dice (1);
        session client (wire::test::end_of (wire::socket_type::push,
                                            wire::test::curve_client (clients (), servers ().open), &dice));
        client.start ();
        std::string said = drain (client);
        while (said.find ("INITIATE") == std::string::npos) {
            ASSERT_TRUE (peer.send (said));
            std::string heard = peer.read_exactly (1);
            heard += peer.read_what_is_there ();
            std::size_t consumed = 0;
            ASSERT_EQ (client.feed (base::as_bytes (heard), consumed), session_status::need_more);
            said = drain (client);
        }
        ASSERT_EQ (zmq_setsockopt (pull, ZLINK_CURVE_ALLOWED_KEYS, servers ().open.data (), 32), 0);
        ASSERT_TRUE (peer.send (said));
        EXPECT_TRUE (peer.sees_end ());
        EXPECT_STREQ (pull.status (pull.last_endpoint ()).reason_text, "authentication-failed") << enforced;
    }
}

// --- many at once --------------------------------------------------------------------

// Strangers that begin and go no further: each costs a connection until the
// deadline, and a good newcomer comes in beside them.
TEST_P (curve_server, lets_good_ones_in_beside_many_that_do_not_finish)
{
    constexpr std::size_t crowd = 500;
    const std::string said = zmtp_greeting (3, 1, "CURVE") + good_hello ();
    std::vector<raw_peer> half_open;
    for (std::size_t i = 0; i < crowd; ++i) {
        half_open.push_back (raw_peer::connect_to (one.where ()));
        ASSERT_TRUE (half_open.back ().valid ());
        ASSERT_TRUE (half_open.back ().send (said.substr (0, 1 + i % said.size ())));
    }
    socket late (one.of (), ZMQ_PUSH);
    be_curve_client (late);
    late.connect (one.where ());
    ASSERT_TRUE (late.send ("late"));
    EXPECT_EQ (one.own ().receive (), "late");
    ASSERT_NO_FATAL_FAILURE (one.good_goes_on ());
    half_open.clear ();
    EXPECT_TRUE (eventually ([&] { return one.own ().status (one.where ()).connected == 2; }));
}

TEST (half_open, handshakes_end_at_the_deadline_whatever_was_asked)
{
    for (const int mechanism : {ZMQ_PLAIN, ZMQ_CURVE}) {
        guarded one (mechanism, tcp_place (), handshake_brief_ms);
        const std::string whole = mechanism == ZMQ_CURVE
                                    ? zmtp_greeting (3, 1, "CURVE") + good_hello ()
                                    : zmtp_greeting (3, 1, "PLAIN") + hello_of ("\2me\6secret");
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{11}, std::size_t{64}, whole.size () - 1, whole.size ()}) {
            const raw_peer peer = raw_peer::connect_to (one.where ());
            ASSERT_TRUE (peer.send (whole.substr (0, size)));
            ASSERT_NO_FATAL_FAILURE (one.turns_away (peer, "handshake-timeout"));
        }
    }
}

}  // namespace
}  // namespace zlink::test
