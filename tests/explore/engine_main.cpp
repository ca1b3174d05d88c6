#include "explore/command.hpp"

int main (int count, char **words)
{
    return zlink::explore::run_command (zlink::explore::engine_scenarios (), count, words);
}
