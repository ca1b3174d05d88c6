// A small server of HTTP over a STREAM: what anybody who speaks it may ask, a
// browser or curl. "/" greets, "/quit" ends the program. Without an argument the
// program asks itself.
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include <zlink/zlink.hpp>

namespace {

constexpr std::string_view end_of_head = "\r\n\r\n";

// Requests come as they come: in pieces, or several at once.
std::string answer_to (std::string_view head, bool &ends)
{
    const std::string_view path = head.substr (head.find (' ') + 1);
    const bool known = path.starts_with ("/ ") || path.starts_with ("/quit ");
    ends = ends || path.starts_with ("/quit ");
    const std::string body = known ? "hello from a STREAM\n" : "there is nothing here\n";
    return std::string ("HTTP/1.1 ") + (known ? "200 OK" : "404 Not Found")
           + "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string (body.size ()) + "\r\n\r\n"
           + body;
}

void serve (zlink::stream_socket &server)
{
    std::map<std::string, std::string> unfinished;  // by the peer's name
    for (bool ends = false; !ends;) {
        const zlink::streamed news = server.receive_from ();
        std::string &said = unfinished[std::string (news.peer.text ())];
        if (news.what == zlink::stream_news::went)
            unfinished.erase (std::string (news.peer.text ()));
        if (news.what != zlink::stream_news::data)
            continue;
        said += news.body.text ();
        for (std::size_t at; (at = said.find (end_of_head)) != said.npos;) {
            server.send_to (news.peer, answer_to (said.substr (0, at), ends));
            said.erase (0, at + end_of_head.size ());
        }
    }
}

}  // namespace

int main (int count, char **arguments)
{
    zlink::context context;
    zlink::stream_socket server (context);
    server.set (zlink::options::stream_raw, true);
    const std::string where = server.bind (count > 1 ? arguments[1] : "tcp://127.0.0.1:*");
    std::printf ("%s\n", where.c_str ());
    std::fflush (stdout);
    if (count > 1) {
        serve (server);
        return 0;
    }
    zlink::stream_socket client (context);
    client.set (zlink::options::stream_raw, true);
    client.connect (where);
    const zlink::streamed there = client.receive_from ();
    client.send_to (there.peer, "GET /quit HTTP/1.1\r\nHost: here\r\n\r\n");
    serve (server);
    std::string heard;
    while (heard.find ("a STREAM\n") == heard.npos)
        heard += client.receive_from ().body.text ();
    std::printf ("%s", heard.c_str ());
    return heard.starts_with ("HTTP/1.1 200 OK\r\n") ? 0 : 1;
}
