"""misuse.py COMPILER INCLUDES: what the C++ interface promises not to compile.

Each case is a statement that is right and one that is wrong; the wrong one must
be refused, and the right one, which differs in that alone, must not.
"""

import subprocess
import sys

INCLUDES = """
#include <zlink/zlink.hpp>
#include <string>
#include <vector>
"""
FUNCTION = """
void NAME ()
{
    zlink::context in;
    zlink::pub_socket pub (in);
    zlink::sub_socket sub (in);
    zlink::push_socket push (in);
    zlink::pull_socket pull (in);
    zlink::dealer_socket dealer (in);
    zlink::router_socket router (in);
    zlink::stream_socket stream (in);
    zlink::client_socket client (in);
    zlink::server_socket server (in);
    zlink::scatter_socket scatter (in);
    zlink::gather_socket gather (in);
    zlink::peer_socket peer (in);
    zlink::channel_socket channel (in);
    zlink::radio_socket radio (in);
    zlink::dish_socket dish (in);
    zlink::dgram_socket dgram (in);
    zlink::message body ("text");
    std::vector<zlink::message> parts;
    std::vector<std::string> texts;
    std::vector<int> numbers;
    zlink::loop<> loop;
    STATEMENT
}
"""

CASES = [
    ("a PUB has no receive", "(void)sub.receive ();", "(void)pub.receive ();"),
    ("a PULL has no send", 'push.send ("x");', 'pull.send ("x");'),
    ("a PUSH has no subscriptions", 'sub.subscribe ("x");', 'push.subscribe ("x");'),
    ("only a ROUTER sends to somebody", 'router.send_to ("a", "x");', 'dealer.send_to ("a", "x");'),
    ("a CLIENT's messages have one part", "push.send_parts (parts);", "client.send_parts (parts);"),
    ("a SCATTER has no receive", "(void)gather.receive ();", "(void)scatter.receive ();"),
    ("a GATHER has no send", 'scatter.send ("x");', 'gather.send ("x");'),
    ("a CHANNEL's messages have one part", "(void)pull.receive_parts ();", "(void)channel.receive_parts ();"),
    ("a SERVER says to whom", 'server.send_to (1, "x");', 'server.send ("x");'),
    ("only a PEER dials by number", '(void)peer.connect_peer ("x");', '(void)server.connect_peer ("x");'),
    ("a RADIO says to which group", 'radio.send_to_group ("g", "x");', 'radio.send ("x");'),
    ("a DGRAM says to which address", 'dgram.send_to ("127.0.0.1:1", "x");', 'dgram.send ("x");'),
    ("a RADIO joins no group", 'dish.join ("g");', 'radio.join ("g");'),
    ("a DISH has no topics", 'sub.subscribe ("x");', 'dish.subscribe ("x");'),
    ("a message is not copied", "zlink::message b (std::move (body)); (void)b;", "zlink::message b (body); (void)b;"),
    ("a message is given away to be sent", "push.send (std::move (body));", "push.send (body);"),
    ("a socket is not copied", "auto b (std::move (push));", "auto b (push);"),
    ("objects with owners are no bytes", "push.send (numbers);", "push.send (texts);"),
    ("a context needs no copy", "auto b (std::move (in));", "auto b (in);"),
    ("an option has its type", "push.set (zlink::options::sndhwm, 5);", 'push.set (zlink::options::sndhwm, "5");'),
    (
        "times are durations",
        "push.set (zlink::options::linger, std::chrono::seconds (1));",
        "push.set (zlink::options::linger, 1000);",
    ),
    ("nobody awaits the receive of a PUSH", "(void)loop.receive (pull);", "(void)loop.receive (push);"),
    (
        "nobody awaits the parts of a PULL",
        '(void)loop.send_parts (push, zlink::parts_of ("a", "b"));',
        '(void)loop.send_parts (pull, zlink::parts_of ("a", "b"));',
    ),
    (
        "parts are given away to be sent",
        "(void)loop.send_parts (push, std::move (parts));",
        "(void)loop.send_parts (push, parts);",
    ),
    (
        "only a ROUTER's message comes with its peer, or a STREAM's",
        "(void)loop.receive_from (router);",
        "(void)loop.receive_from (dealer);",
    ),
    (
        "a STREAM's message has one body",
        "(void)loop.send_to (stream, std::move (body), zlink::message ());",
        "(void)loop.send_to (stream, std::move (body), std::move (parts));",
    ),
    ("an owned container is given away", "auto m = zlink::message::owning (std::move (numbers));", "auto m = zlink::message::owning (numbers);"),
    (
        "a view owns nothing",
        "auto m = zlink::message::owning (std::move (numbers));",
        "auto m = zlink::message::owning (std::span (numbers));",
    ),
]


def compiled(compiler, includes, statements):
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{includes}", "-x", "c++", "-"]
    source = INCLUDES + "".join(
        FUNCTION.replace("NAME", f"f{i}").replace("STATEMENT", each) for i, each in enumerate(statements)
    )
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False)


def main():
    compiler, includes = sys.argv[1:]
    wrong = []
    answer = compiled(compiler, includes, [right for _, right, _ in CASES])
    if answer.returncode != 0:
        wrong.append(f"what is right is refused:\n{answer.stderr}")
    for rule, _, misuse in CASES:
        if compiled(compiler, includes, [misuse]).returncode == 0:
            wrong.append(f"{rule}: compiles: {misuse}")
    print("\n".join(wrong) or f"{len(CASES)} rules hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
