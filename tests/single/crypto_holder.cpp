// The source that holds the library with its crypto parts.
#define ZLINK_IMPLEMENTATION
#define ZLINK_CRYPTO
#include "zlink_single.hpp"
