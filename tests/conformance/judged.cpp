// Who is let in by the socket's own judges: lists of passwords, functions.
#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/secured.hpp"
#include "support/warnings.hpp"

namespace zlink::test {
namespace {

// Of "password", by the reference program of Argon2.
const std::string hash =
  "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

struct judged : conformance
{
    judged () { handler.bind ("inproc://zeromq.zap.01"); }

    [[nodiscard]] socket open_plain_server ()
    {
        socket made = open (ZMQ_PULL);
        made.set (ZMQ_PLAIN_SERVER, 1);
        return made;
    }
    [[nodiscard]] socket open_curve_server ()
    {
        socket made = open (ZMQ_PULL);
        made.set (ZMQ_CURVE_SERVER, 1);
        set_text (made, ZMQ_CURVE_SECRETKEY, servers.secret.data ());
        return made;
    }
    // What comes of the peer, whose user is this.
    static void expect_user (socket &server, caller &by, const std::string &user)
    {
        ASSERT_TRUE (by.push.send ("hello"));
        part got;
        ASSERT_EQ (zmq_msg_recv (got.raw (), server, 0), 5);
        EXPECT_EQ (zmq_msg_gets (got.raw (), "User-Id"), user);
    }
    [[nodiscard]] bool
    gets_in (const std::string &name, const std::string &password, const std::string &where)
    {
        return caller (own, name, password, where).gets_in ();
    }
    void expect_handler_unasked ()
    {
        EXPECT_FALSE (handler.receive (ZMQ_DONTWAIT)) << "the handler was asked";
    }

    keys servers;
    keys clients;
    socket handler = open (ZMQ_REP);
};

// A function that says who comes in. What it was asked stays, as text.
class judge
{
  public:
    explicit judge (int answer = 200, std::string user = "") : mind_ (std::make_shared<mind> ())
    {
        mind_->answer = answer;
        mind_->user = std::move (user);
    }

    // The hint has a part in the mind, which ends with it: once.
    void sit_at (socket &at)
    {
        auto hint = std::make_unique<std::shared_ptr<mind>> (mind_);
        ASSERT_EQ (zlink_set_authenticator (at, &judge::say, hint.get (), &judge::leave), 0)
          << zmq_strerror (errno);
        (void)hint.release ();
    }
    void think (bool on) { mind_->thinks = on; }
    [[nodiscard]] int left () const { return mind_->left; }
    [[nodiscard]] std::vector<std::string> asked () const
    {
        const std::lock_guard hold (mind_->lock);
        return mind_->asked;
    }
    [[nodiscard]] std::string address () const
    {
        const std::lock_guard hold (mind_->lock);
        return mind_->address;
    }
    [[nodiscard]] bool was_asked (std::size_t times = 1) const
    {
        return eventually ([&] { return asked ().size () >= times; });
    }

  private:
    struct mind
    {
        int answer = 0;
        std::string user;
        std::atomic<bool> thinks{false};  // as long as that
        std::atomic<int> left{0};
        std::mutex lock;
        std::vector<std::string> asked;
        std::string address;
    };
    static std::string word (const char *name, const char *value)
    {
        return value == nullptr ? "" : std::string (" ") + name + "=" + value;
    }
    static int say (const zlink_claim_t *about, char *user_id, void *hint)
    {
        mind &my = **static_cast<std::shared_ptr<mind> *> (hint);
        {
            const std::lock_guard hold (my.lock);
            my.asked.push_back (std::string (about->mechanism) + word ("domain", about->domain)
                                + word ("name", about->username) + word ("password", about->password)
                                + word ("key", about->public_key) + word ("as", user_id));
            my.address = about->address;
        }
        EXPECT_TRUE (eventually ([&] { return !my.thinks; }));
        if (!my.user.empty ())
            user_id[my.user.copy (user_id, ZLINK_USER_ID_BYTES - 1)] = '\0';
        return my.answer;
    }
    static void leave (void *hint, void *)
    {
        const std::unique_ptr<std::shared_ptr<mind>> end (static_cast<std::shared_ptr<mind> *> (hint));
        ++(*end)->left;
    }

    std::shared_ptr<mind> mind_;
};

TEST_F (judged, a_list_of_passwords_says_who_comes_in)
{
    socket server = open_plain_server ();
    server.set (ZLINK_REQUIRE_POLICY, 1);  // the list is one
    set_text (server, ZLINK_PLAIN_PASSWORDS, "# who may come\njoe:" + hash + "\nann:b:" + hash);
    const std::string where = server.bind (place ());
    caller joe (own, "joe", "password", where);
    ASSERT_TRUE (joe.gets_in ());
    expect_user (server, joe, "joe");
    EXPECT_TRUE (gets_in ("ann:b", "password", where));
    caller wrong (own, "joe", "Password", where);
    EXPECT_FALSE (wrong.gets_in ());
    EXPECT_EQ (wrong.push.status (where).last_os_error, 400);
    EXPECT_FALSE (gets_in ("ann", "password", where));

    // Another list is for those who come later.
    set_text (server, ZLINK_PLAIN_PASSWORDS, "bob:" + hash);
    EXPECT_TRUE (gets_in ("bob", "password", where));
    EXPECT_FALSE (gets_in ("joe", "password", where));
    expect_user (server, joe, "joe");
    set_text (server, ZLINK_PLAIN_PASSWORDS, "");
    EXPECT_FALSE (gets_in ("bob", "password", where));
    expect_handler_unasked ();
}

TEST_F (judged, a_file_of_passwords_says_who_comes_in_and_is_read_anew)
{
    if (!under_test ().reads_files)
        GTEST_SKIP () << "no files here";
    const std::string file = own_folder () + "/passwords";
    const auto set = [&file] (void *server) {
        return zlink_setsockopt (server, ZLINK_PLAIN_PASSWORDS, file.data (), file.size ());
    };
    socket server = open_plain_server ();
    EXPECT_EQ (set (server), -1);
    EXPECT_EQ (errno, ENOENT);
    std::ofstream (file) << "joe:" + hash + '\n';
    ASSERT_EQ (set (server), 0) << zlink_strerror (errno);
    const std::string where = server.bind (place ());
    EXPECT_TRUE (gets_in ("joe", "password", where));
    std::ofstream (file) << "bob:" + hash + '\n';
    EXPECT_TRUE (gets_in ("joe", "password", where)) << "not before it is set again";
    ASSERT_EQ (set (server), 0) << zlink_strerror (errno);
    EXPECT_TRUE (gets_in ("bob", "password", where));
    EXPECT_FALSE (gets_in ("joe", "password", where));
    const std::string folder = own_folder ();
    EXPECT_EQ (zlink_setsockopt (server, ZLINK_PLAIN_PASSWORDS, folder.data (), folder.size ()), -1);
    EXPECT_EQ (errno, EINVAL) << "no ordinary file";
}

TEST_F (judged, a_list_of_passwords_that_is_wrong_changes_nothing)
{
    socket server = open_plain_server ();
    set_text (server, ZLINK_PLAIN_PASSWORDS, "joe:" + hash);
    heard_warnings heard;
    const std::string wrong = "ann:" + hash + "\nbob:secret\n";
    EXPECT_EQ (zmq_setsockopt (server, ZLINK_PLAIN_PASSWORDS, wrong.data (), wrong.size ()), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_TRUE (heard_warnings::find ("PLAIN_PASSWORDS").text.ends_with (" line 2"));
    const std::string where = server.bind (place ());
    EXPECT_TRUE (gets_in ("joe", "password", where));
    EXPECT_FALSE (gets_in ("ann", "password", where));
    char room[64];
    std::size_t size = sizeof room;
    EXPECT_EQ (zmq_getsockopt (server, ZLINK_PLAIN_PASSWORDS, room, &size), -1) << "only written";
}

TEST_F (judged, hashes_are_made_for_the_list)
{
    std::array<char, ZLINK_PASSWORD_HASH_BYTES> made{};
    ASSERT_EQ (zlink_hash_password (made.data (), made.size (), "a b\0c", 5), 0) << zmq_strerror (errno);
    socket server = open_plain_server ();
    set_text (server, ZLINK_PLAIN_PASSWORDS, std::string ("joe:") + made.data ());
    const std::string where = server.bind (place ());
    EXPECT_TRUE (gets_in ("joe", {"a b\0c", 5}, where));
    EXPECT_FALSE (gets_in ("joe", "a b", where));
    std::array<char, ZLINK_PASSWORD_HASH_BYTES> again{};
    ASSERT_EQ (zlink_hash_password (again.data (), again.size (), "a b\0c", 5), 0);
    EXPECT_NE (made, again);
}

TEST_F (judged, a_function_is_asked_about_peers_of_all_mechanisms)
{
    judge yes;
    socket plain = open_plain_server ();
    set_text (plain, ZMQ_ZAP_DOMAIN, "home");
    yes.sit_at (plain);
    caller joe (own, "joe", "secret", plain.bind (place ()));
    ASSERT_TRUE (joe.gets_in ());
    expect_user (plain, joe, "joe");
    EXPECT_EQ (yes.address (), own_address ());

    judge named (200, "somebody");
    socket curve = open_curve_server ();
    named.sit_at (curve);
    caller keyed (own, servers, clients, curve.bind (place ()));
    ASSERT_TRUE (keyed.gets_in ());
    expect_user (curve, keyed, "somebody");

    judge of_null;
    socket null = open (ZMQ_PULL);
    of_null.sit_at (null);
    caller bare (own);
    bare.push.connect (null.bind (place ()));
    ASSERT_TRUE (bare.gets_in ());

    EXPECT_EQ (yes.asked (), (std::vector<std::string>{"PLAIN domain=home name=joe password=secret as=joe"}));
    EXPECT_EQ (named.asked (),
               (std::vector<std::string>{std::string ("CURVE domain= key=") + clients.open.data ()
                                         + " as=" + clients.open.data ()}));
    EXPECT_EQ (of_null.asked (), (std::vector<std::string>{"NULL domain= as="}));
    expect_handler_unasked ();
}

TEST_F (judged, what_a_function_answers_is_heard)
{
    for (const auto &[answer, heard] :
         std::vector<std::pair<int, int>>{{300, 0}, {400, 400}, {500, 500}, {7, 500}}) {
        judge no (answer);
        socket server = open_plain_server ();
        no.sit_at (server);
        const std::string where = server.bind (place ());
        caller joe (own, "joe", "secret", where);
        EXPECT_FALSE (joe.gets_in ()) << answer;
        if (heard != 0) {
            EXPECT_EQ (joe.push.status (where).last_os_error, heard) << answer;
        }
    }
}

// A list for the mechanism is asked, and nobody else.
TEST_F (judged, a_list_goes_before_the_function)
{
    judge yes;
    socket plain = open_plain_server ();
    yes.sit_at (plain);
    set_text (plain, ZLINK_PLAIN_PASSWORDS, "");
    EXPECT_FALSE (gets_in ("joe", "secret", plain.bind (place ())));
    socket curve = open_curve_server ();
    judge also;
    also.sit_at (curve);
    set_text (curve, ZLINK_CURVE_ALLOWED_KEYS, "");
    set_text (curve, ZLINK_PLAIN_PASSWORDS, "");  // which says nothing of CURVE
    EXPECT_FALSE (caller (own, servers, clients, curve.bind (place ())).gets_in ());
    EXPECT_TRUE (yes.asked ().empty () && also.asked ().empty ());
}

TEST_F (judged, who_is_in_waits_for_no_function)
{
    judge slow;
    socket server = open_plain_server ();
    slow.sit_at (server);
    const std::string where = server.bind (place ());
    caller first (own, "joe", "secret", where);
    ASSERT_TRUE (first.gets_in ());
    slow.think (true);
    caller second (own, "ann", "secret", where);
    ASSERT_TRUE (slow.was_asked (2));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (first.push.send (std::to_string (i)));
        ASSERT_EQ (server.receive (), std::to_string (i));
    }
    slow.think (false);
    EXPECT_TRUE (second.gets_in ());
}

// Not what the first one says, who was asked when it was the judge.
TEST_F (judged, who_is_asked_about_is_judged_by_who_is_the_judge_then)
{
    judge yes;
    judge no (400);
    yes.think (true);
    socket server = open_plain_server ();
    yes.sit_at (server);
    caller joe (own, "joe", "secret", server.bind (place ()));
    ASSERT_TRUE (yes.was_asked ());
    no.sit_at (server);
    yes.think (false);
    EXPECT_FALSE (joe.gets_in ());
    EXPECT_EQ (no.asked ().size (), 1u);
    EXPECT_TRUE (eventually ([&] { return yes.left () == 1; }));
}

TEST_F (judged, who_goes_while_others_are_judged_is_not_asked_about)
{
    judge slow;
    slow.think (true);
    socket server = open_plain_server ();
    slow.sit_at (server);
    const std::string where = server.bind (place ());
    caller first (own, "first", "secret", where);
    ASSERT_TRUE (slow.was_asked ());
    {
        events at_server (server, ZLINK_EVENT_ACCEPTED | ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
        caller second (own, "second", "secret", where);
        ASSERT_EQ (at_server.next ().event, ZLINK_EVENT_ACCEPTED);
        second.push.close ();
        ASSERT_EQ (at_server.next ().event, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    }
    caller third (own, "third", "secret", where);
    slow.think (false);
    EXPECT_TRUE (first.gets_in ());
    EXPECT_TRUE (third.gets_in ());
    EXPECT_EQ (slow.asked ().size (), 2u);
}

TEST_F (judged, functions_are_let_go_of_once)
{
    judge replaced;
    judge taken_away;
    judge closed;
    judge at_work;
    {
        socket server = open_plain_server ();
        replaced.sit_at (server);
        taken_away.sit_at (server);
        EXPECT_EQ (replaced.left (), 1);
        EXPECT_EQ (zlink_set_authenticator (server, nullptr, nullptr, nullptr), 0);
        EXPECT_EQ (taken_away.left (), 1);
        closed.sit_at (server);
    }
    EXPECT_TRUE (eventually ([&] { return closed.left () == 1; }));

    // The socket is closed while it works, and it is let go of behind that.
    at_work.think (true);
    socket server = open_plain_server ();
    at_work.sit_at (server);
    caller joe (own, "joe", "secret", server.bind (place ()));
    ASSERT_TRUE (at_work.was_asked ());
    server.close ();
    EXPECT_EQ (at_work.left (), 0);
    at_work.think (false);
    EXPECT_TRUE (eventually ([&] { return at_work.left () == 1; }));
    EXPECT_EQ (replaced.left () + taken_away.left () + closed.left (), 3);
}

TEST_F (judged, functions_are_set_at_sockets)
{
    int left = 0;
    const auto try_at = [&] (void *where) {
        return zlink_set_authenticator (
          where, [] (const zlink_claim_t *, char *, void *) { return 200; }, &left,
          [] (void *hint, void *) { ++*static_cast<int *> (hint); });
    };
    socket server = open_plain_server ();
    void *const gone = server;
    server.close ();
    for (void *const each : {static_cast<void *> (nullptr), gone}) {
        EXPECT_EQ (try_at (each), -1);
        EXPECT_EQ (errno, ENOTSOCK);
    }
    EXPECT_EQ (left, 0);
}

}  // namespace
}  // namespace zlink::test
