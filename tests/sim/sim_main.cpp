#include "sim/command.hpp"

int main (int count, char **words) { return zlink::sim::run_command (count, words); }
