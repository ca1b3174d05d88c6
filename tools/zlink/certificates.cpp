#include "tools/zlink/certificates.hpp"

#include <algorithm>
#include <cctype>
#include <memory>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace zlink::tool {

namespace {

constexpr long clock_slack_s = 3600;
constexpr long day_s = 24L * 3600;
constexpr int serial_bits = 127;
constexpr long version_3 = 2;

template <auto Free> struct freed_by
{
    template <class T> void operator() (T *what) const noexcept { Free (what); }
};
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using number_ptr = std::unique_ptr<BIGNUM, freed_by<BN_free>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;

std::string error_text ()
{
    char text[256] = "";
    ERR_error_string_n (ERR_get_error (), text, sizeof text);
    ERR_clear_error ();
    return text;
}

std::string text_in (BIO *from)
{
    char *bytes = nullptr;
    const long size = BIO_get_mem_data (from, &bytes);
    return size > 0 ? std::string (bytes, static_cast<std::size_t> (size)) : std::string ();
}

bool is_address (const std::string &host)
{
    return host.find (':') != std::string::npos
           || host.find_first_not_of ("0123456789.") == std::string::npos;
}

std::string alternative_names (const std::vector<std::string> &hosts)
{
    std::string names;
    for (const std::string &each : hosts)
        names += (names.empty () ? "" : ",") + std::string (is_address (each) ? "IP:" : "DNS:") + each;
    return names;
}

bool add_extension (X509 *to, X509 *issuer, int kind, const std::string &value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb (&context);
    X509V3_set_ctx (&context, issuer, to, nullptr, nullptr, 0);
    const extension_ptr made (X509V3_EXT_conf_nid (nullptr, &context, kind, value.c_str ()));
    return made != nullptr && X509_add_ext (to, made.get (), -1) == 1;
}

bool set_serial (X509 *of)
{
    const number_ptr number (BN_new ());
    return number != nullptr && BN_rand (number.get (), serial_bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
           && BN_to_ASN1_INTEGER (number.get (), X509_get_serialNumber (of)) != nullptr;
}

// Everything but whose it is and what it may do.
bool fill (X509 *made, EVP_PKEY *key, const certificate_wish &wish)
{
    const auto *const name = reinterpret_cast<const unsigned char *> (wish.name.data ());
    return X509_set_version (made, version_3) == 1 && set_serial (made)
           && X509_gmtime_adj (X509_getm_notBefore (made), -clock_slack_s) != nullptr
           && X509_gmtime_adj (X509_getm_notAfter (made), wish.days * day_s) != nullptr
           && X509_set_pubkey (made, key) == 1
           && X509_NAME_add_entry_by_txt (X509_get_subject_name (made), "CN", MBSTRING_UTF8, name,
                                          static_cast<int> (wish.name.size ()), -1, 0)
                == 1;
}

std::optional<credential> as_text (X509 *certificate, EVP_PKEY *key)
{
    const bio_ptr public_part (BIO_new (BIO_s_mem ()));
    const bio_ptr secret_part (BIO_new (BIO_s_secmem ()));
    if (public_part == nullptr || secret_part == nullptr
        || PEM_write_bio_X509 (public_part.get (), certificate) != 1
        || PEM_write_bio_PrivateKey (secret_part.get (), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
        return std::nullopt;
    return credential{text_in (public_part.get ()), text_in (secret_part.get ())};
}

struct read_authority
{
    certificate_ptr certificate;
    key_ptr key;
};

read_authority read (const credential &authority)
{
    const auto open = [] (const std::string &text) {
        return bio_ptr (BIO_new_mem_buf (text.data (), static_cast<int> (text.size ())));
    };
    const bio_ptr certificate = open (authority.certificate);
    const bio_ptr key = open (authority.key);
    return {certificate_ptr (PEM_read_bio_X509 (certificate.get (), nullptr, nullptr, nullptr)),
            key_ptr (PEM_read_bio_PrivateKey (key.get (), nullptr, nullptr, nullptr))};
}

bool add_rights_of_authority (X509 *made)
{
    return add_extension (made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
           && add_extension (made, made, NID_key_usage, "critical,keyCertSign,cRLSign")
           && add_extension (made, made, NID_subject_key_identifier, "hash");
}

bool add_rights (X509 *made, X509 *issuer, const certificate_wish &wish)
{
    const bool serves = !wish.hosts.empty ();
    return add_extension (made, issuer, NID_basic_constraints, "critical,CA:FALSE")
           && add_extension (made, issuer, NID_key_usage, "critical,digitalSignature")
           && add_extension (made, issuer, NID_ext_key_usage, serves ? "serverAuth,clientAuth" : "clientAuth")
           && add_extension (made, issuer, NID_subject_key_identifier, "hash")
           && add_extension (made, issuer, NID_authority_key_identifier, "keyid")
           && (!serves || add_extension (made, issuer, NID_subject_alt_name, alternative_names (wish.hosts)));
}

}  // namespace

bool may_be_host (const std::string &text) noexcept
{
    const std::size_t start = text.starts_with ("*.") ? 2 : 0;
    const bool good =
      std::all_of (text.begin () + static_cast<std::ptrdiff_t> (start), text.end (), [] (unsigned char each) {
          return std::isalnum (each) != 0 || each == '.' || each == '-' || each == ':';
      });
    return good && text.size () > start;
}

std::optional<credential> make_authority (const certificate_wish &wish, std::string &why)
{
    const key_ptr key (EVP_EC_gen ("P-256"));
    const certificate_ptr made (X509_new ());
    const bool good = key != nullptr && made != nullptr && fill (made.get (), key.get (), wish)
                      && X509_set_issuer_name (made.get (), X509_get_subject_name (made.get ())) == 1
                      && add_rights_of_authority (made.get ())
                      && X509_sign (made.get (), key.get (), EVP_sha256 ()) > 0;
    std::optional<credential> text;
    if (good)
        text = as_text (made.get (), key.get ());
    if (!text)
        why = error_text ();
    return text;
}

std::optional<credential>
make_certificate (const credential &authority, const certificate_wish &wish, std::string &why)
{
    const read_authority by = read (authority);
    const key_ptr key (EVP_EC_gen ("P-256"));
    const certificate_ptr made (X509_new ());
    const bool good =
      by.certificate != nullptr && by.key != nullptr && key != nullptr && made != nullptr
      && X509_check_private_key (by.certificate.get (), by.key.get ()) == 1
      && fill (made.get (), key.get (), wish)
      && X509_set_issuer_name (made.get (), X509_get_subject_name (by.certificate.get ())) == 1
      && add_rights (made.get (), by.certificate.get (), wish)
      && X509_sign (made.get (), by.key.get (), EVP_sha256 ()) > 0;
    std::optional<credential> text;
    if (good)
        text = as_text (made.get (), key.get ());
    if (!text)
        why = error_text ();
    return text;
}

}  // namespace zlink::tool
