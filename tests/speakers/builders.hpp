#pragma once

namespace zlink::test {

// Two make sockets in one context, bind, connect and close them, until a third
// has ended it under them. What it answers after that is ETERM or, once it is
// gone, EFAULT. endpoint: as bind takes it; the second is not needed.
void build_under_end (const char *endpoint, const char *);

}  // namespace zlink::test
