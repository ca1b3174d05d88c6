// Instead of handshake_run, where sockets are all that is measured: what asks for it ends
// the process. Chosen by bench/CMakeLists.txt; contracts are those of bench/handshake_run.hpp.
#include "bench/handshake_run.hpp"

#include "bench/roles.hpp"

namespace zlink::bench {

outcome openssl_handshakes (const worker_task &) { fail ("this program measures no handshakes"); }

}  // namespace zlink::bench
