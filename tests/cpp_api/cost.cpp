// cost KIND COUNT: sends and receives so many messages in one of four ways, for
// counting what the C++ interface costs beside the C calls below it.
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

struct way
{
    std::string_view name;
    void (*pass) (linked &);
};
constexpr way ways[] = {
  {"copies_in_c", copies_in_c},
  {"copies_in_cpp", copies_in_cpp},
  {"messages_in_c", messages_in_c},
  {"messages_in_cpp", messages_in_cpp},
};

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
            for (long i = 0; i < messages; ++i)
                each.pass (of);
    return of.taken == static_cast<std::size_t> (messages) * body_bytes ? 0 : 1;
}
