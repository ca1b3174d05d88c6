#include "bench/cipher.hpp"

#include <array>
#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <vector>

#include "bench/os.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

namespace {

template <auto Free> struct freed
{
    template <class T> void operator() (T *what) const noexcept { Free (what); }
};
template <class T, auto Free> using owned = std::unique_ptr<T, freed<Free>>;

void require (bool done)
{
    if (!done)
        fail ("OpenSSL does not do as it is asked");
}

template <class Write> std::string pem_of (Write write)
{
    const owned<BIO, BIO_free_all> to (BIO_new (BIO_s_mem ()));
    require (write (to.get ()) == 1);
    char *from = nullptr;
    const long size = BIO_get_mem_data (to.get (), &from);
    return {from, static_cast<std::size_t> (size)};
}

certificate sign_oneself ()
{
    constexpr long day_s = 86'400;
    const owned<EVP_PKEY, EVP_PKEY_free> key (EVP_EC_gen ("P-256"));
    const owned<X509, X509_free> made (X509_new ());
    require (key != nullptr && made != nullptr);
    X509_set_version (made.get (), X509_VERSION_3);
    ASN1_INTEGER_set (X509_get_serialNumber (made.get ()), 1);
    X509_gmtime_adj (X509_getm_notBefore (made.get ()), -day_s);
    X509_gmtime_adj (X509_getm_notAfter (made.get ()), day_s);
    X509_NAME *const name = X509_get_subject_name (made.get ());
    X509_NAME_add_entry_by_txt (name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char *> ("bench"),
                                -1, -1, 0);
    X509_set_issuer_name (made.get (), name);
    X509_set_pubkey (made.get (), key.get ());
    const owned<X509_EXTENSION, X509_EXTENSION_free> host (
      X509V3_EXT_conf_nid (nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1"));
    require (host != nullptr && X509_add_ext (made.get (), host.get (), -1) == 1);
    require (X509_sign (made.get (), key.get (), EVP_sha256 ()) > 0);
    return {pem_of ([&] (BIO *to) { return PEM_write_bio_X509 (to, made.get ()); }), pem_of ([&] (BIO *to) {
                return PEM_write_bio_PrivateKey (to, key.get (), nullptr, nullptr, 0, nullptr, nullptr);
            })};
}

}  // namespace

const certificate &own_certificate ()
{
    static const certificate made = sign_oneself ();
    return made;
}

enciphered encipher (std::int64_t duration_ns)
{
    constexpr int record_bytes = 16 * 1024;
    constexpr unsigned records_a_look = 64;
    std::array<unsigned char, 32> key{};
    std::array<unsigned char, 12> nonce{};
    std::array<unsigned char, 16> tag;
    std::vector<unsigned char> plain (record_bytes, 7);
    std::vector<unsigned char> sealed (record_bytes);
    const owned<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free> cipher (EVP_CIPHER_CTX_new ());
    require (cipher != nullptr
             && EVP_EncryptInit_ex (cipher.get (), EVP_aes_256_gcm (), nullptr, key.data (), nonce.data ())
                  == 1);
    const std::int64_t begun_ns = os::now_ns ();
    enciphered done;
    std::int64_t spent_ns = 0;
    do {
        for (unsigned i = 0; i < records_a_look; ++i) {
            int size = 0;
            ++nonce[0];
            EVP_EncryptInit_ex (cipher.get (), nullptr, nullptr, nullptr, nonce.data ());
            EVP_EncryptUpdate (cipher.get (), sealed.data (), &size, plain.data (), record_bytes);
            EVP_EncryptFinal_ex (cipher.get (), sealed.data (), &size);
            EVP_CIPHER_CTX_ctrl (cipher.get (), EVP_CTRL_AEAD_GET_TAG, static_cast<int> (tag.size ()),
                                 tag.data ());
        }
        done.bytes += static_cast<double> (records_a_look) * record_bytes;
        spent_ns = os::now_ns () - begun_ns;
    } while (spent_ns < duration_ns);
    done.seconds = static_cast<double> (spent_ns) / 1e9;
    return done;
}

}  // namespace zlink::bench
