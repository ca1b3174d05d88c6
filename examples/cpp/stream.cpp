// A server for programs that know nothing of messages: whoever connects by tcp
// says lines, and gets each back in capitals. Here the client is a stream, too.
#include <cctype>
#include <cstdio>
#include <map>
#include <string>

#include <zlink/zlink.hpp>

namespace {

// Bytes come as they come: a line may be in several pieces, a piece may hold
// several lines.
zlink::task<> serve (zlink::loop<> &in, zlink::stream_socket &server)
{
    std::map<std::string, std::string> unfinished;  // by the peer's name
    for (;;) {
        const zlink::streamed news = co_await in.receive_from (server);
        std::string &said = unfinished[std::string (news.peer.text ())];
        if (news.what == zlink::stream_news::went)
            co_return;
        if (news.what != zlink::stream_news::data)
            continue;
        for (const char each : news.body.text ()) {
            said += static_cast<char> (std::toupper (static_cast<unsigned char> (each)));
            if (each != '\n')
                continue;
            co_await in.send_to (server, news.peer.share (), zlink::message (said));
            said.clear ();
        }
    }
}

zlink::task<> call (zlink::loop<> &in, zlink::stream_socket &client, std::string &heard)
{
    const zlink::streamed there = co_await in.receive_from (client);
    co_await in.send_to (client, there.peer.share (), zlink::message ("hello, st"));
    co_await in.send_to (client, there.peer.share (), zlink::message ("ream\nand good bye\n"));
    while (heard.size () < 27)
        heard += (co_await in.receive_from (client)).body.text ();
    client.disconnect_peer (there.peer);
}

}  // namespace

int main ()
{
    zlink::context context;
    zlink::stream_socket server (context);
    zlink::stream_socket client (context);
    for (zlink::stream_socket *each : {&server, &client})
        each->set (zlink::options::stream_raw, true);
    client.connect (server.bind ("tcp://127.0.0.1:*"));
    zlink::loop<> loop;
    std::string heard;
    loop.spawn (serve (loop, server));
    loop.spawn (call (loop, client, heard));
    loop.run_until_done ();
    std::printf ("%s", heard.c_str ());
    return heard == "HELLO, STREAM\nAND GOOD BYE\n" ? 0 : 1;
}
