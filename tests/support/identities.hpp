// Certificates made on the spot, of days that the test chooses: nothing that
// expires lies in the tree. Any TLS will do with them; nothing of ours is used.
// Thread rule: one thread at a time; identities may be made by one only.
#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string>
#include <string_view>

namespace zlink::test {

inline constexpr std::int64_t day_s = 86'400;
inline constexpr std::int64_t today_s = 20'000 * day_s;  // a day in 2024

struct key_freed
{
    void operator() (EVP_PKEY *key) const noexcept { EVP_PKEY_free (key); }
    void operator() (X509 *certificate) const noexcept { X509_free (certificate); }
    void operator() (BIO *io) const noexcept { BIO_free_all (io); }
    void operator() (X509_CRL *list) const noexcept { X509_CRL_free (list); }
    void operator() (ASN1_TIME *time) const noexcept { ASN1_TIME_free (time); }
};

inline std::string text_of (const std::function<void (BIO *)> &write)
{
    const std::unique_ptr<BIO, key_freed> io (BIO_new (BIO_s_mem ()));
    write (io.get ());
    char *from = nullptr;
    const long size = BIO_get_mem_data (io.get (), &from);
    return {from, static_cast<std::size_t> (size)};
}

enum class key_kind
{
    ed25519,
    p256,
    rsa1024,
};

// What a certificate says; valid for a month on either side of today.
struct wanted
{
    std::string name = "peer";
    std::string alternative = "DNS:peer.example";  // empty: none
    std::int64_t from_s = today_s - 30 * day_s;
    std::int64_t until_s = today_s + 30 * day_s;
    key_kind kind = key_kind::ed25519;
};

// A certificate and its key; with a key of its own it can sign others.
class identity
{
  public:
    // A root, or one that `by` signed.
    explicit identity (const wanted &what, const identity *by = nullptr)
      : key_ (new_key (what.kind)), certificate_ (X509_new ())
    {
        static long serial = 0;
        X509 *const made = certificate_.get ();
        X509_set_version (made, X509_VERSION_3);
        ASN1_INTEGER_set (X509_get_serialNumber (made), ++serial);
        ASN1_TIME_set (X509_getm_notBefore (made), static_cast<std::time_t> (what.from_s));
        ASN1_TIME_set (X509_getm_notAfter (made), static_cast<std::time_t> (what.until_s));
        X509_set_pubkey (made, key_.get ());
        X509_NAME *const subject = X509_get_subject_name (made);
        X509_NAME_add_entry_by_txt (subject, "O", MBSTRING_UTF8, octets ("Example"), -1, -1, 0);
        X509_NAME_add_entry_by_txt (subject, "CN", MBSTRING_UTF8, octets (what.name.c_str ()), -1, -1, 0);
        X509 *const issuer = by == nullptr ? made : by->certificate_.get ();
        X509_set_issuer_name (made, X509_get_subject_name (issuer));
        extend (issuer, NID_basic_constraints, by == nullptr ? "critical,CA:TRUE" : "critical,CA:FALSE");
        extend (issuer, NID_subject_key_identifier, "hash");
        if (!what.alternative.empty ())
            extend (issuer, NID_subject_alt_name, what.alternative.c_str ());
        EVP_PKEY *const signer = by == nullptr ? key_.get () : by->key_.get ();
        const bool has_digest = EVP_PKEY_is_a (signer, "ED25519") != 1;
        EXPECT_GT (X509_sign (made, signer, has_digest ? EVP_sha256 () : nullptr), 0);
    }

    [[nodiscard]] std::string certificate () const
    {
        return text_of ([&] (BIO *to) { PEM_write_bio_X509 (to, certificate_.get ()); });
    }
    [[nodiscard]] std::string key (std::string_view passphrase = {}) const
    {
        return text_of ([&] (BIO *to) {
            PEM_write_bio_PKCS8PrivateKey (
              to, key_.get (), passphrase.empty () ? nullptr : EVP_aes_256_cbc (), passphrase.data (),
              static_cast<int> (passphrase.size ()), nullptr, nullptr);
        });
    }

    // Signed by this one: what was revoked of what it had signed, as of these days.
    [[nodiscard]] std::string revocations (std::initializer_list<const identity *> revoked,
                                           std::int64_t until_s = today_s + 30 * day_s,
                                           std::int64_t from_s = today_s - 30 * day_s) const
    {
        const std::unique_ptr<X509_CRL, key_freed> made (X509_CRL_new ());
        X509_CRL_set_version (made.get (), 1);
        X509_CRL_set_issuer_name (made.get (), X509_get_subject_name (certificate_.get ()));
        const std::unique_ptr<ASN1_TIME, key_freed> from (
          ASN1_TIME_set (nullptr, static_cast<std::time_t> (from_s)));
        const std::unique_ptr<ASN1_TIME, key_freed> until (
          ASN1_TIME_set (nullptr, static_cast<std::time_t> (until_s)));
        X509_CRL_set1_lastUpdate (made.get (), from.get ());
        X509_CRL_set1_nextUpdate (made.get (), until.get ());
        for (const identity *const each : revoked) {
            X509_REVOKED *const row = X509_REVOKED_new ();
            X509_REVOKED_set_serialNumber (row, X509_get_serialNumber (each->certificate_.get ()));
            X509_REVOKED_set_revocationDate (row, from.get ());
            X509_CRL_add0_revoked (made.get (), row);
        }
        const bool has_digest = EVP_PKEY_is_a (key_.get (), "ED25519") != 1;
        EXPECT_GT (X509_CRL_sign (made.get (), key_.get (), has_digest ? EVP_sha256 () : nullptr), 0);
        return text_of ([&] (BIO *to) { PEM_write_bio_X509_CRL (to, made.get ()); });
    }

  private:
    static EVP_PKEY *new_key (key_kind kind)
    {
        if (kind == key_kind::rsa1024)
            return EVP_PKEY_Q_keygen (nullptr, nullptr, "RSA", std::size_t{1024});
        return kind == key_kind::p256 ? EVP_PKEY_Q_keygen (nullptr, nullptr, "EC", "P-256")
                                      : EVP_PKEY_Q_keygen (nullptr, nullptr, "ED25519");
    }
    static const unsigned char *octets (const char *text)
    {
        return reinterpret_cast<const unsigned char *> (text);
    }
    void extend (X509 *issuer, int what, const char *value)
    {
        X509V3_CTX about{};
        X509V3_set_ctx (&about, issuer, certificate_.get (), nullptr, nullptr, 0);
        X509_EXTENSION *const made = X509V3_EXT_conf_nid (nullptr, &about, what, value);
        ASSERT_NE (made, nullptr) << value;
        X509_add_ext (certificate_.get (), made, -1);
        X509_EXTENSION_free (made);
    }

    std::unique_ptr<EVP_PKEY, key_freed> key_;
    std::unique_ptr<X509, key_freed> certificate_;
};

}  // namespace zlink::test
