// Four threads scatter through one socket, without a lock of their own, and a gather
// takes what comes of it and of another one in turn.
#include <cstdio>
#include <thread>
#include <vector>

#include <zlink/zlink.hpp>

namespace {

constexpr int threads = 4;
constexpr int each = 25;

void scatter (zlink::scatter_socket &shared, int from)
{
    for (int i = from; i < from + each; ++i)
        shared.send (std::span (&i, 1));
}

}  // namespace

int main ()
{
    zlink::context in;
    zlink::gather_socket gather (in);
    zlink::scatter_socket shared (in);
    zlink::scatter_socket other (in);
    const std::string where = gather.bind ("ipc://*");
    shared.connect (where);
    other.connect (where);
    {
        std::vector<std::jthread> senders;
        for (int i = 0; i < threads; ++i)
            senders.emplace_back (scatter, std::ref (shared), 1 + i * each);
        scatter (other, 1 + threads * each);
    }
    constexpr int all = (threads + 1) * each;
    int sum = 0;
    for (int i = 0; i < all; ++i)
        sum += gather.receive ().as<int> ().value_or (0);
    std::printf ("1 to %d add up to %d\n", all, sum);
    return sum == all * (all + 1) / 2 ? 0 : 1;
}
