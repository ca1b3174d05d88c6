// A ventilator deals work to three workers, whose answers a sink adds up.
#include <cstdio>
#include <thread>
#include <vector>

#include <zlink/zlink.hpp>

namespace {

void work (zlink::context &in, const std::string &tasks, const std::string &answers)
{
    zlink::pull_socket from (in);
    zlink::push_socket to (in);
    from.connect (tasks);
    to.connect (answers);
    for (;;) {
        const zlink::result<zlink::message> task = from.receive (std::nothrow);
        if (!task)
            return;  // the context was shut down
        const int number = task->as<int> ().value_or (0);
        const int square = number * number;
        to.send (std::span (&square, 1));
    }
}

}  // namespace

int main ()
{
    zlink::context in;
    zlink::push_socket ventilator (in);
    zlink::pull_socket sink (in);
    const std::string tasks = ventilator.bind ("tcp://127.0.0.1:*");
    const std::string answers = sink.bind ("inproc://answers");
    std::vector<std::jthread> workers;
    for (int i = 0; i < 3; ++i)
        workers.emplace_back (work, std::ref (in), tasks, answers);
    if (!ventilator.wait_peers (3))
        return 1;
    for (int i = 1; i <= 100; ++i)
        ventilator.send (std::span (&i, 1));
    int sum = 0;
    for (int i = 1; i <= 100; ++i)
        sum += sink.receive ().as<int> ().value_or (0);
    in.shutdown ();  // wakes the workers, who wait for more
    std::printf ("the squares of 1 to 100 add up to %d\n", sum);
    return sum == 338350 ? 0 : 1;
}
