#include "crypto/tls_world.hpp"

#include <cstddef>
#include <mutex>
#include <new>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include "base/lock.hpp"

namespace zlink::crypto {

namespace {

constexpr const char *seam_name = "zlink-entropy";
constexpr unsigned strength_bits = 256;
constexpr std::size_t request_bytes_max = 1 << 16;

// A provider is not told whose it is: while one is made, under the lock, this says it.
base::exchange_lock handover_lock;
base::entropy *handed_over = nullptr;

// A generator of random numbers, as OpenSSL asks for one, that asks the seam.
struct generator
{
    base::entropy &secrets;
    int state = EVP_RAND_STATE_UNINITIALISED;
};

void *generator_new (void *provider, void *, const OSSL_DISPATCH *) noexcept
{
    return new (std::nothrow) generator{*static_cast<base::entropy *> (provider)};
}

void generator_free (void *self) noexcept { delete static_cast<generator *> (self); }

int generator_begin (
  void *self, unsigned, int, const unsigned char *, std::size_t, const OSSL_PARAM[]) noexcept
{
    static_cast<generator *> (self)->state = EVP_RAND_STATE_READY;
    return 1;
}

int generator_end (void *self) noexcept
{
    static_cast<generator *> (self)->state = EVP_RAND_STATE_UNINITIALISED;
    return 1;
}

int generator_fill (
  void *self, unsigned char *to, std::size_t size, unsigned, int, const unsigned char *, std::size_t) noexcept
{
    const base::bytes_span room (reinterpret_cast<std::byte *> (to), size);
    if (static_cast<generator *> (self)->secrets.fill (room))
        return 1;
    ERR_raise (ERR_LIB_RAND, RAND_R_ERROR_RETRIEVING_ENTROPY);
    return 0;
}

// The seam may be asked by any thread at any time.
int generator_lockable (void *) noexcept { return 1; }
int generator_lock (void *) noexcept { return 1; }
void generator_unlock (void *) noexcept {}

int generator_tell (void *self, OSSL_PARAM asked[]) noexcept
{
    OSSL_PARAM *one = OSSL_PARAM_locate (asked, OSSL_RAND_PARAM_STATE);
    if (one != nullptr && OSSL_PARAM_set_int (one, static_cast<generator *> (self)->state) == 0)
        return 0;
    one = OSSL_PARAM_locate (asked, OSSL_RAND_PARAM_STRENGTH);
    if (one != nullptr && OSSL_PARAM_set_uint (one, strength_bits) == 0)
        return 0;
    one = OSSL_PARAM_locate (asked, OSSL_RAND_PARAM_MAX_REQUEST);
    return one == nullptr || OSSL_PARAM_set_size_t (one, request_bytes_max) != 0 ? 1 : 0;
}

template <class F> OSSL_DISPATCH entry (int what, F *function) noexcept
{
    return {what, reinterpret_cast<void (*) ()> (function)};
}

const OSSL_DISPATCH generator_calls[] = {
  entry (OSSL_FUNC_RAND_NEWCTX, generator_new),
  entry (OSSL_FUNC_RAND_FREECTX, generator_free),
  entry (OSSL_FUNC_RAND_INSTANTIATE, generator_begin),
  entry (OSSL_FUNC_RAND_UNINSTANTIATE, generator_end),
  entry (OSSL_FUNC_RAND_GENERATE, generator_fill),
  entry (OSSL_FUNC_RAND_ENABLE_LOCKING, generator_lockable),
  entry (OSSL_FUNC_RAND_LOCK, generator_lock),
  entry (OSSL_FUNC_RAND_UNLOCK, generator_unlock),
  entry (OSSL_FUNC_RAND_GET_CTX_PARAMS, generator_tell),
  {0, nullptr},
};

const OSSL_ALGORITHM generators[] = {
  {seam_name, "provider=zlink-entropy", generator_calls, "asks zlink's seam"},
  {nullptr, nullptr, nullptr, nullptr},
};

const OSSL_ALGORITHM *algorithms_of (void *, int operation, int *no_cache) noexcept
{
    *no_cache = 0;
    return operation == OSSL_OP_RAND ? generators : nullptr;
}

const OSSL_DISPATCH provider_calls[] = {
  entry (OSSL_FUNC_PROVIDER_QUERY_OPERATION, algorithms_of),
  {0, nullptr},
};

int provider_begin (const OSSL_CORE_HANDLE *,
                    const OSSL_DISPATCH *,
                    const OSSL_DISPATCH **calls,
                    void **provider) noexcept
{
    *calls = provider_calls;
    *provider = handed_over;
    return 1;
}

// OpenSSL's own end must not come before ours: threads of ours may still compute
// while the process leaves through exit.
bool library_ready () noexcept
{
    return OPENSSL_init_crypto (OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1
           && OPENSSL_init_ssl (OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1;
}

OSSL_PROVIDER *load_seam (OSSL_LIB_CTX *library, base::entropy &secrets) noexcept
{
    if (OSSL_PROVIDER_add_builtin (library, seam_name, provider_begin) != 1)
        return nullptr;
    const std::lock_guard hold (handover_lock);
    handed_over = &secrets;
    return OSSL_PROVIDER_load (library, seam_name);
}

}  // namespace

bool tls_world::built () noexcept { return true; }

std::shared_ptr<tls_world> tls_world::make (base::entropy &secrets, base::files &files) noexcept
try {
    if (!library_ready ())
        return nullptr;
    std::shared_ptr<tls_world> made (new tls_world (files));
    made->library_ = OSSL_LIB_CTX_new ();
    if (made->library_ == nullptr)
        return nullptr;
    made->seam_ = load_seam (made->library_, secrets);
    made->algorithms_ = made->seam_ == nullptr ? nullptr : OSSL_PROVIDER_load (made->library_, "default");
    if (made->algorithms_ == nullptr
        || RAND_set_DRBG_type (made->library_, seam_name, nullptr, nullptr, nullptr) != 1)
        return nullptr;
    return made;
} catch (const std::bad_alloc &) {
    return nullptr;
}

// What was loaded has to be unloaded: the library context does not do it.
tls_world::~tls_world ()
{
    for (OSSL_PROVIDER *const each : {algorithms_, seam_})
        if (each != nullptr)
            OSSL_PROVIDER_unload (each);
    OSSL_LIB_CTX_free (library_);
}

}  // namespace zlink::crypto
