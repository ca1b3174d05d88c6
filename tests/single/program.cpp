// A program of two sources over the single header: this one only uses it.
#include "zlink_single.hpp"

#include <cstdio>
#include <string>

namespace {

// A request and its reply through the C++ interface, over tcp.
bool asks_and_is_answered ()
{
    zlink::context context;
    zlink::rep_socket server (context);
    zlink::req_socket client (context);
    client.connect (server.bind ("tcp://127.0.0.1:*"));
    client.send (zlink::message (std::string_view ("question")));
    const zlink::message question = server.receive ();
    server.send (zlink::message (std::string (question.text ()) + " answered"));
    return client.receive ().text () == "question answered";
}

// The C interface, within the process.
bool passes_a_message ()
{
    void *const context = zlink_ctx_new ();
    void *const pull = zlink_socket (context, ZLINK_PULL);
    void *const push = zlink_socket (context, ZLINK_PUSH);
    char got[8] = {};
    const bool good = zlink_bind (pull, "inproc://here") == 0 && zlink_connect (push, "inproc://here") == 0
                      && zlink_send (push, "hello", 5, 0) == 5 && zlink_recv (pull, got, sizeof got, 0) == 5
                      && std::string (got) == "hello";
    zlink_close (push);
    zlink_close (pull);
    return zlink_ctx_term (context) == 0 && good;
}

// Without ZLINK_CRYPTO nothing else is needed, and it says so.
bool knows_what_it_has ()
{
    bool good = zlink_has ("tcp") == 1 && zlink_has ("ipc") == 1;
    for (const char *each : {"curve", "tls", "ws", "wss", "services"})
        good = good && zlink_has (each) == 0;
    return good;
}

}  // namespace

int main ()
{
    const bool asked = asks_and_is_answered ();
    const bool passed = passes_a_message ();
    const bool knows = knows_what_it_has ();
    std::printf ("%s %s %s\n", asked ? "answered" : "not answered", passed ? "passed" : "not passed",
                 knows ? "knows" : "does not know");
    return asked && passed && knows ? 0 : 1;
}
