// The program's source that holds the library.
#define ZLINK_IMPLEMENTATION
#include "zlink_single.hpp"
