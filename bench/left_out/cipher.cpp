// Instead of cipher, where nothing has TLS: what asks for it ends the process.
// Chosen by bench/CMakeLists.txt; contracts are those of bench/cipher.hpp.
#include "bench/cipher.hpp"

#include "bench/roles.hpp"

namespace zlink::bench {

const certificate &own_certificate () { fail ("there is no TLS in this build"); }

enciphered encipher (std::int64_t) { fail ("there is no TLS in this build"); }

}  // namespace zlink::bench
