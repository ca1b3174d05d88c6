#include "crypto/box.hpp"

#include <algorithm>
#include <cstring>
#include <sodium.h>

namespace zlink::crypto {

namespace {

static_assert (crypto_box_PUBLICKEYBYTES == key_bytes && crypto_box_SECRETKEYBYTES == key_bytes);
static_assert (crypto_box_BEFORENMBYTES == key_bytes && crypto_secretbox_KEYBYTES == key_bytes);
static_assert (crypto_box_NONCEBYTES == nonce_bytes && crypto_secretbox_NONCEBYTES == nonce_bytes);
static_assert (crypto_box_MACBYTES == mac_bytes && crypto_secretbox_MACBYTES == mac_bytes);
static_assert (crypto_core_hsalsa20_OUTPUTBYTES == key_bytes && crypto_stream_salsa20_KEYBYTES == key_bytes);

// The first block of the key stream: its first half is the key of the
// authentication, what is encrypted begins with its second.
constexpr std::size_t block_bytes = 64;
constexpr std::size_t mac_key_bytes = crypto_onetimeauth_poly1305_KEYBYTES;
constexpr std::size_t front_bytes = block_bytes - mac_key_bytes;

// Chooses the fastest code for this processor, once; a failure leaves the
// portable one.
[[maybe_unused]] const int sodium_ready = sodium_init ();

unsigned char *octets (std::byte *at) noexcept { return reinterpret_cast<unsigned char *> (at); }
const unsigned char *octets (const std::byte *at) noexcept
{
    return reinterpret_cast<const unsigned char *> (at);
}

using short_nonce = std::array<std::byte, crypto_stream_salsa20_NONCEBYTES>;

short_nonce number_nonce (std::uint64_t number) noexcept
{
    short_nonce once;
    static_assert (sizeof once == sizeof number);
    base::store_u64_be (once.data (), number);
    return once;
}

}  // namespace

bool built () noexcept { return true; }

public_key public_key_of (const secret_key &own) noexcept
{
    public_key made{};
    crypto_scalarmult_base (octets (made.data ()), octets (own.data ()));
    return made;
}

bool agree (const public_key &peer, const secret_key &own, secret_key &shared) noexcept
{
    return crypto_box_beforenm (octets (shared.data ()), octets (peer.data ()), octets (own.data ())) == 0;
}

void seal (std::byte *to, bytes_view plain, const nonce &once, const secret_key &key) noexcept
{
    crypto_secretbox_easy (octets (to), octets (plain.data ()), plain.size (), octets (once.data ()),
                           octets (key.data ()));
}

bool open (std::byte *to, bytes_view box, const nonce &once, const secret_key &key) noexcept
{
    return box.size () >= mac_bytes
           && crypto_secretbox_open_easy (octets (to), octets (box.data ()), box.size (),
                                          octets (once.data ()), octets (key.data ()))
                == 0;
}

bool equal (bytes_view a, bytes_view b) noexcept
{
    return a.size () == b.size () && sodium_memcmp (a.data (), b.data (), a.size ()) == 0;
}

numbered_key::numbered_key (const secret_key &shared, bytes_view prefix) noexcept
{
    crypto_core_hsalsa20 (octets (key_.data ()), octets (prefix.data ()), octets (shared.data ()), nullptr);
}

void numbered_key::seal (std::byte *to, std::byte first, bytes_view rest, std::uint64_t number) const noexcept
{
    const short_nonce once = number_nonce (number);
    const std::size_t in_front = std::min (front_bytes - 1, rest.size ());
    base::secret<block_bytes> block;
    block.data ()[mac_key_bytes] = first;
    if (in_front > 0)
        std::memcpy (block.data () + mac_key_bytes + 1, rest.data (), in_front);
    crypto_stream_salsa20_xor (octets (block.data ()), octets (block.data ()), mac_key_bytes + 1 + in_front,
                               octets (once.data ()), octets (key_.data ()));
    std::byte *const sealed = to + mac_bytes;
    std::memcpy (sealed, block.data () + mac_key_bytes, 1 + in_front);
    if (rest.size () > in_front)
        crypto_stream_salsa20_xor_ic (octets (sealed + front_bytes), octets (rest.data () + in_front),
                                      rest.size () - in_front, octets (once.data ()), 1,
                                      octets (key_.data ()));
    crypto_onetimeauth_poly1305 (octets (to), octets (sealed), 1 + rest.size (), octets (block.data ()));
}

bool numbered_key::open (std::byte &first, std::byte *to, bytes_view box, std::uint64_t number) const noexcept
{
    const short_nonce once = number_nonce (number);
    const bytes_view sealed = box.subspan (mac_bytes);
    const std::size_t in_front = std::min (front_bytes, sealed.size ());
    base::secret<block_bytes> block;
    std::memcpy (block.data () + mac_key_bytes, sealed.data (), in_front);
    crypto_stream_salsa20_xor (octets (block.data ()), octets (block.data ()), mac_key_bytes + in_front,
                               octets (once.data ()), octets (key_.data ()));
    if (crypto_onetimeauth_poly1305_verify (octets (box.data ()), octets (sealed.data ()), sealed.size (),
                                            octets (block.data ()))
        != 0)
        return false;
    first = block.data ()[mac_key_bytes];
    if (in_front > 1)  // an empty one may have no place
        std::memcpy (to, block.data () + mac_key_bytes + 1, in_front - 1);
    if (sealed.size () > in_front)
        crypto_stream_salsa20_xor_ic (octets (to + in_front - 1), octets (sealed.data () + in_front),
                                      sealed.size () - in_front, octets (once.data ()), 1,
                                      octets (key_.data ()));
    return true;
}

}  // namespace zlink::crypto
