// The corpus over real sockets: each row against one that is bound, whole and
// an octet a segment, and the handshakes against one that connects as well.
#include <ostream>

#include "hostile/victim.hpp"
#include "support/sanitized.hpp"

namespace zlink::test {
namespace {

// Longer rows come whole only.
constexpr std::size_t pieces_max = 300;

struct trial
{
    const hostile_row *row;
    bool by_ipc;
    friend void PrintTo (const trial &of, std::ostream *to) { *to << of.row->name; }
};

std::string place_of (bool by_ipc) { return by_ipc ? ipc_place () : tcp_place (); }

const hostile_rows &rows_for_pull ()
{
    static const hostile_rows all = hostile_corpus ("PUSH");
    return all;
}

std::vector<trial> trials (bool with_traffic, bool by_ipc)
{
    std::vector<trial> all;
    for (const hostile_row &row : rows_for_pull ())
        if (with_traffic || row.begins != stage::traffic)
            all.push_back ({&row, by_ipc});
    return all;
}

std::string name_of (const testing::TestParamInfo<trial> &of) { return of.param.row->name; }

class corpus : public testing::TestWithParam<trial>
{
};

INSTANTIATE_TEST_SUITE_P (tcp, corpus, testing::ValuesIn (trials (true, false)), name_of);
INSTANTIATE_TEST_SUITE_P (ipc, corpus, testing::ValuesIn (trials (true, true)), name_of);

TEST_P (corpus, is_borne_by_who_listens)
{
    const hostile_row &row = *GetParam ().row;
    victim pull (ZMQ_PULL, place_of (GetParam ().by_ipc));
    ASSERT_NO_FATAL_FAILURE (pull.suffers (row, false));
    if (row.octets.size () < pieces_max)
        pull.suffers (row, true);
}

// The same socket bears them all, one after the other; beside a sanitizer each kind over
// one transport, the next over the other.
struct whole_trial
{
    victim_kind kind;
    bool by_ipc;
    friend void PrintTo (const whole_trial &of, std::ostream *to) { *to << of.kind.name; }
};

std::vector<whole_trial> whole_trials ()
{
    std::vector<whole_trial> all;
    bool turn = false;
    for (const victim_kind &kind : victim_kinds) {
        for (const bool by_ipc : {false, true})
            if (!sanitized || by_ipc == turn)
                all.push_back ({kind, by_ipc});
        turn = !turn;
    }
    return all;
}

class whole_corpus : public testing::TestWithParam<whole_trial>
{
};

INSTANTIATE_TEST_SUITE_P (of, whole_corpus, testing::ValuesIn (whole_trials ()), [] (const auto &of) {
    return of.param.kind.name + std::string (of.param.by_ipc ? "_by_ipc" : "_by_tcp");
});

TEST_P (whole_corpus, is_borne_by_one_socket)
{
    const auto &[kind, by_ipc] = GetParam ();
    victim one (kind.type, place_of (by_ipc));
    for (const hostile_row &row : hostile_corpus (kind.peer_type))
        ASSERT_NO_FATAL_FAILURE (one.suffers (row, false));
}

class answers : public testing::TestWithParam<trial>
{
};

INSTANTIATE_TEST_SUITE_P (tcp, answers, testing::ValuesIn (trials (false, false)), name_of);

// The reason is the endpoint's, and it goes on trying: a listener that behaves
// is welcome.
TEST_P (answers, are_borne_by_who_connects)
{
    const hostile_row &row = *GetParam ().row;
    (void)zlink_set_log (zlink_log_discard, nullptr);
    context own;
    const std::string there = tcp_place ();
    const raw_peer listener = raw_peer::listen_at (there);
    socket pull (own, ZMQ_PULL);
    pull.set (ZMQ_RECONNECT_IVL, 5);
    pull.connect (there);
    raw_peer peer = listener.accept ();
    ASSERT_TRUE (peer.valid ());
    peer.send (row.octets);
    if (row.ends)
        peer.end_output ();
    for (const std::vector<std::string> &message : row.delivered)
        ASSERT_TRUE (pull.receive_message () == message);
    if (row.expected == outcome::accepts) {
        ASSERT_TRUE (peer.send (zmtp_message (row.version, "behind it")));
        ASSERT_EQ (pull.receive (), "behind it");
        peer.close ();
    } else {
        EXPECT_TRUE (peer.sees_end ());
        ASSERT_TRUE (eventually ([&] { return pull.status (there).last_reason != 0; }));
        EXPECT_EQ (pull.status (there).reason_text, row.reason);
    }
    // It learns of the end while somebody waits for messages.
    worker reader ([&] { EXPECT_EQ (pull.receive (), "welcome"); });
    raw_peer second = listener.accept ();
    ASSERT_TRUE (second.valid ());
    ASSERT_TRUE (second.shake_hands ("PUSH"));
    ASSERT_TRUE (second.send (zmtp_frame (0, "welcome")));
}

}  // namespace
}  // namespace zlink::test
