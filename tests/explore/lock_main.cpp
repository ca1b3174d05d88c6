#include "explore/command.hpp"

int main (int count, char **words)
{
    return zlink::explore::run_command (zlink::explore::lock_scenarios (), count, words);
}
