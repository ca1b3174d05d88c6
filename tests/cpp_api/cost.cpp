// cost KIND COUNT: sends and receives so many messages in one of several ways, for
// counting what the C++ interface costs beside the C calls below it, and what
// awaiting costs beside calls that block.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <zlink/zlink.hpp>

namespace {

constexpr std::size_t body_bytes = 64;

struct linked
{
    zlink::context in;
    zlink::pair_socket here{in};
    zlink::pair_socket there{in};
    std::array<std::byte, body_bytes> body{};
    std::size_t taken = 0;
};

void copies_in_c (linked &of)
{
    zlink_send (of.there.handle (), of.body.data (), body_bytes, 0);
    of.taken += static_cast<std::size_t> (zlink_recv (of.here.handle (), of.body.data (), body_bytes, 0));
}

void copies_in_cpp (linked &of)
{
    of.there.send (of.body);
    of.taken += of.here.receive (std::span (of.body)).size;
}

void messages_in_c (linked &of)
{
    zlink_send (of.there.handle (), of.body.data (), body_bytes, 0);
    zlink_msg_t part;
    zlink_msg_init (&part);
    zlink_msg_recv (&part, of.here.handle (), 0);
    of.taken += zlink_msg_size (&part);
    zlink_msg_close (&part);
}

void messages_in_cpp (linked &of)
{
    of.there.send (of.body);
    of.taken += of.here.receive ().size ();
}

void messages_by_blocking (linked &of)
{
    of.there.send (zlink::message (of.body));
    of.taken += of.here.receive ().size ();
}

zlink::task<> pass_awaiting (zlink::loop<> &in, linked &of, long messages)
{
    for (long i = 0; i < messages; ++i) {
        co_await in.send (of.there, zlink::message (of.body));
        const zlink::message found = co_await in.receive (of.here);
        of.taken += found.size ();
    }
}

void messages_by_awaiting (linked &of, long messages)
{
    zlink::loop<> in;
    in.spawn (pass_awaiting (in, of, messages));
    in.run_until_done ();
}

struct way
{
    std::string_view name;
    void (*pass_one) (linked &);
    void (*pass_all) (linked &, long messages);
};
constexpr way ways[] = {
  {"copies_in_c", copies_in_c, nullptr},
  {"copies_in_cpp", copies_in_cpp, nullptr},
  {"messages_in_c", messages_in_c, nullptr},
  {"messages_in_cpp", messages_in_cpp, nullptr},
  {"messages_by_blocking", messages_by_blocking, nullptr},
  {"messages_by_awaiting", nullptr, messages_by_awaiting},
};

void run (const way &which, linked &of, long messages)
{
    if (which.pass_all != nullptr)
        return which.pass_all (of, messages);
    for (long i = 0; i < messages; ++i)
        which.pass_one (of);
}

}  // namespace

int main (int count, char **arguments)
{
    if (count != 3)
        return 2;
    linked of;
    of.there.connect (of.here.bind ("inproc://cost"));
    const long messages = std::atol (arguments[2]);
    for (const way &each : ways)
        if (each.name == arguments[1])
            run (each, of, messages);
    return of.taken == static_cast<std::size_t> (messages) * body_bytes ? 0 : 1;
}
