#include "crypto/keystream.hpp"

#include <algorithm>
#include <sodium.h>

namespace zlink::crypto {

static_assert (randombytes_SEEDBYTES == base::key_bytes);

void keystream::draw (drawing &to) noexcept
{
    base::secret<base::key_bytes + draw_bytes> stream;
    randombytes_buf_deterministic (stream.data (), stream.size (),
                                   reinterpret_cast<const unsigned char *> (key_.data ()));
    std::copy_n (stream.data (), base::key_bytes, key_.data ());
    std::copy_n (stream.data () + base::key_bytes, draw_bytes, to.data ());
}

}  // namespace zlink::crypto
