// What many TLS sessions have in common: who we are, whom we trust, what we
// insist on. Made from options, never changed afterwards: whoever reloads a
// certificate makes another context for the sessions to come, those that are
// there keep theirs alive.
//
// What is fixed: TLS 1.2 or 1.3; with 1.2 only ephemeral key agreement and
// authenticated ciphers; keys of 112 bits of security at least (RSA 2048, no
// SHA-1); no renegotiation, no compression, no early data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/tls_world.hpp"

struct ssl_ctx_st;     // OpenSSL's
struct bio_method_st;  // OpenSSL's

namespace zlink::crypto {

enum class tls_role : std::uint8_t
{
    dialer,
    listener,
};

// PEM in memory, or the path of a file of it; text wins. Both empty: there is none.
struct tls_pem
{
    std::string_view path{};
    std::string_view text{};
    [[nodiscard]] bool given () const noexcept { return !path.empty () || !text.empty (); }
};

// All of it is borrowed for the call. Nothing of the key or its passphrase is
// kept but inside OpenSSL, which overwrites it at the end.
struct tls_options
{
    tls_role role = tls_role::dialer;
    tls_pem certificate{};  // ours, then those between it and its root; a listener has to have one
    tls_pem key{};          // of the first certificate; empty: it stands beside it
    std::string_view passphrase{};
    tls_pem authority{};       // whom to trust; lists of revoked certificates among them are heeded
    bool trust_system = true;  // dialers: the system's authorities, too
    bool verify = true;        // dialers: check the listener's certificate and name
    // Listeners: nobody comes in without a certificate of the authority's. The
    // system's list is no answer to who may come in: authority has to be given.
    bool require_client_certificate = false;
    std::span<const std::string_view> protocols{};  // ALPN, best first; empty: none is spoken of
    std::int64_t now_s = 0;                         // Unix time: certificates have to be valid then
};

// What of the options a fault is about.
enum class tls_item : std::uint8_t
{
    none,
    certificate,
    key,
    passphrase,
    authority,
    system_trust,
    protocols,
};

enum class tls_fault : std::uint8_t
{
    none = 0,
    file_missing,
    file_forbidden,
    file_unreadable,     // os_code says why
    missing,             // it has to be given, and is not
    malformed,           // not what it ought to be, or not PEM
    passphrase_missing,  // the key is encrypted
    passphrase_wrong,
    key_mismatch,   // the key belongs to another certificate
    expired,        // our own certificate
    not_yet_valid,  // likewise
    too_weak,       // below 112 bits of security
    out_of_memory,
    not_built,
};
inline constexpr unsigned tls_faults = static_cast<unsigned> (tls_fault::not_built) + 1;

struct tls_error
{
    tls_fault fault = tls_fault::none;
    tls_item item = tls_item::none;
    std::string name{};  // the file's path; empty: from memory, or not about one
    int os_code = 0;
    // "key /etc/own.pem: belongs to another certificate". Throws bad_alloc.
    [[nodiscard]] std::string text () const;
};

class tls_context;

// Either a context, or why there is none.
struct tls_made
{
    std::shared_ptr<const tls_context> context;
    tls_error error{};
};

// Thread rule: any thread, sessions may be made from one by several at a time.
class tls_context
{
  public:
    // Reads the files; computes about a millisecond, 5 with the system's authorities.
    [[nodiscard]] static tls_made make (std::shared_ptr<tls_world> world,
                                        const tls_options &options) noexcept;
    ~tls_context ();
    tls_context (const tls_context &) = delete;
    tls_context &operator= (const tls_context &) = delete;

    [[nodiscard]] tls_role role () const noexcept { return role_; }
    [[nodiscard]] bool verifies () const noexcept { return verifies_; }
    // No two contexts of a process have the same, nor do they get it later.
    [[nodiscard]] std::uint64_t serial () const noexcept { return serial_; }

    // For the session.
    [[nodiscard]] const std::shared_ptr<tls_world> &world () const noexcept { return world_; }
    [[nodiscard]] ssl_ctx_st *settings () const noexcept { return settings_; }
    [[nodiscard]] bio_method_st *memory_io () const noexcept { return memory_io_; }
    // ALPN's list as it travels: each with its length in front.
    [[nodiscard]] std::span<const unsigned char> protocols () const noexcept { return protocols_; }

  private:
    friend class tls_maker;
    explicit tls_context (std::shared_ptr<tls_world> world) noexcept;

    std::shared_ptr<tls_world> world_;  // outlives the rest
    std::uint64_t serial_;
    tls_role role_ = tls_role::dialer;
    bool verifies_ = false;
    std::vector<unsigned char> protocols_;
    bio_method_st *memory_io_ = nullptr;
    ssl_ctx_st *settings_ = nullptr;
};

}  // namespace zlink::crypto
