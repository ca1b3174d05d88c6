// Two threads that talk over a pair: one counts words, the other says which.
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>

#include <zlink/zlink.hpp>

namespace {

// An empty line ends it.
void count_words (zlink::context &in)
{
    zlink::pair_socket asked (in);
    asked.connect ("inproc://words");
    for (;;) {
        const zlink::message line = asked.receive ();
        if (line.empty ())
            return;
        std::istringstream words{std::string (line.text ())};
        std::string word;
        int count = 0;
        while (words >> word)
            ++count;
        asked.send (std::span (&count, 1));
    }
}

}  // namespace

int main ()
{
    zlink::context in;
    zlink::pair_socket asking (in);
    asking.bind ("inproc://words");
    const std::jthread counter (count_words, std::ref (in));
    int sum = 0;
    for (const char *line : {"the quick brown fox", "jumps over", "the lazy dog"}) {
        asking.send (line);
        const int count = asking.receive ().as<int> ().value_or (0);
        std::printf ("%d: %s\n", count, line);
        sum += count;
    }
    asking.send ("");
    return sum == 9 ? 0 : 1;
}
