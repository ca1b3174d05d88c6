// What TLS takes from the world: bytes that nobody can guess, and certificates
// that lie in files. OpenSSL runs in a library context of its own
// (OSSL_LIB_CTX), whose randomness is the entropy that it was made with, for
// keys, nonces and tickets alike: a seeded one repeats a handshake byte for byte.
// No configuration file and no environment variable is read, and nothing is
// shared with the program's own use of OpenSSL but its memory functions.
//
// Making one takes about a millisecond and some hundred KiB: one for the process
// is enough, and it should last as long; each thread that computes leaves a little
// in it until it ends.
#pragma once

#include <memory>

#include "base/entropy.hpp"
#include "base/files.hpp"
#include "crypto/tls_settings.hpp"

struct ossl_lib_ctx_st;   // OpenSSL's
struct ossl_provider_st;  // OpenSSL's

namespace zlink::crypto {

// Thread rule: any thread.
class tls_world
{
  public:
    // False in a library that is built without TLS: then make answers null.
    [[nodiscard]] static bool built () noexcept;

    // Null: no memory. Both are borrowed, for as long as the world or anything
    // made in it lives.
    [[nodiscard]] static std::shared_ptr<tls_world> make (base::entropy &secrets,
                                                          base::files &files) noexcept;
    ~tls_world ();
    tls_world (const tls_world &) = delete;
    tls_world &operator= (const tls_world &) = delete;

    [[nodiscard]] ossl_lib_ctx_st *library () const noexcept { return library_; }
    [[nodiscard]] base::files &files () const noexcept { return files_; }
    // Of those who have said nothing.
    [[nodiscard]] const std::shared_ptr<const tls_settings> &no_settings () const noexcept
    {
        return no_settings_;
    }
    [[nodiscard]] tls_shelf &shelf () noexcept { return shelf_; }

  private:
    explicit tls_world (base::files &files)
      : files_ (files), no_settings_ (std::make_shared<const tls_settings> ())
    {
    }

    base::files &files_;
    std::shared_ptr<const tls_settings> no_settings_;
    tls_shelf shelf_;
    ossl_lib_ctx_st *library_ = nullptr;
    ossl_provider_st *seam_ = nullptr;
    ossl_provider_st *algorithms_ = nullptr;
};

}  // namespace zlink::crypto
