#include "crypto/tls_context.hpp"

#include <openssl/x509_vfy.h>

#include "support/identities.hpp"
#include "support/tls_ends.hpp"

namespace zlink::crypto {
namespace {

using test::day_s;
using test::files_in_memory;
using test::identity;
using test::key_kind;
using test::seeded;
using test::today_s;
using test::wanted;

class tls_contexts : public testing::Test
{
  protected:
    tls_contexts ()
    {
        files.held["own.pem"] = own.certificate ();
        files.held["key.pem"] = own.key ();
        files.held["root.pem"] = root.certificate ();
    }

    tls_made make (const tls_options &options) { return tls_context::make (world, options); }

    // One fault is expected, about that item and file.
    void expect (const tls_options &options, tls_fault fault, tls_item item, std::string_view name)
    {
        const tls_made made = make (options);
        EXPECT_EQ (made.context, nullptr);
        EXPECT_EQ (made.error.fault, fault) << made.error.text ();
        EXPECT_EQ (made.error.item, item) << made.error.text ();
        EXPECT_EQ (made.error.name, name);
    }

    tls_options listening ()
    {
        return {.role = tls_role::listener,
                .certificate = {"own.pem", {}},
                .key = {"key.pem", {}},
                .now_s = today_s};
    }

    seeded secrets{1};
    files_in_memory files;
    std::shared_ptr<tls_world> world = tls_world::make (secrets, files);
    identity root{{.name = "root", .alternative = {}}};
    identity own{{}, &root};
};

TEST_F (tls_contexts, is_made_of_files_or_of_memory)
{
    EXPECT_NE (make (listening ()).context, nullptr);

    const std::string certificate = own.certificate ();
    const std::string key = own.key ();
    tls_options options = listening ();
    options.certificate = {"missing.pem", certificate};  // what is given as text wins
    options.key = {{}, key};
    EXPECT_NE (make (options).context, nullptr);

    const std::string both = certificate + root.certificate () + key;
    options.certificate = {{}, both};
    options.key = {};
    EXPECT_NE (make (options).context, nullptr) << "the key beside its certificate";
    const std::string reversed = key + certificate;
    options.certificate = {{}, reversed};
    EXPECT_NE (make (options).context, nullptr);
}

TEST_F (tls_contexts, a_list_of_revoked_certificates_has_to_be_one)
{
    files.held["trust.pem"] = root.certificate () + root.revocations ({&own});
    tls_options options;
    options.authority = {"trust.pem", {}};
    options.trust_system = false;
    EXPECT_NE (make (options).context, nullptr);
    files.held["trust.pem"] += "-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n";
    expect (options, tls_fault::malformed, tls_item::authority, "trust.pem");
}

TEST_F (tls_contexts, keys_of_the_usual_kinds_and_weak_ones)
{
    const identity p256 ({.kind = key_kind::p256}, &root);
    const std::string certificate = p256.certificate ();
    const std::string key = p256.key ();
    tls_options options = listening ();
    options.certificate = {{}, certificate};
    options.key = {{}, key};
    EXPECT_NE (make (options).context, nullptr);

    const identity weak ({.kind = key_kind::rsa1024}, &root);
    files.held["weak.pem"] = weak.certificate ();
    options.certificate = {"weak.pem", {}};
    expect (options, tls_fault::too_weak, tls_item::certificate, "weak.pem");
}

TEST_F (tls_contexts, files_that_are_not_there_are_named)
{
    tls_options options = listening ();
    options.certificate = {"gone.pem", {}};
    expect (options, tls_fault::file_missing, tls_item::certificate, "gone.pem");
    EXPECT_EQ (make (options).error.text (), "certificate gone.pem: no such file");
    options = listening ();
    options.key = {"forbidden.pem", {}};
    expect (options, tls_fault::file_forbidden, tls_item::key, "forbidden.pem");
    options = listening ();
    options.require_client_certificate = true;
    options.authority = {"broken.pem", {}};
    expect (options, tls_fault::file_unreadable, tls_item::authority, "broken.pem");
    EXPECT_EQ (make (options).error.os_code, 5);
}

TEST_F (tls_contexts, what_must_be_given_is_missed)
{
    expect ({.role = tls_role::listener, .now_s = today_s}, tls_fault::missing, tls_item::certificate, "");
    expect ({.key = {"key.pem", {}}, .now_s = today_s}, tls_fault::missing, tls_item::certificate, "");
    tls_options options = listening ();
    options.key = {};
    expect (options, tls_fault::missing, tls_item::key, "");
    options = listening ();
    options.require_client_certificate = true;  // the system's list says nothing about clients
    expect (options, tls_fault::missing, tls_item::authority, "");
    expect ({.trust_system = false, .now_s = today_s}, tls_fault::missing, tls_item::authority, "");
    EXPECT_NE (make ({.trust_system = false, .verify = false, .now_s = today_s}).context, nullptr);
    EXPECT_NE (make ({.now_s = today_s}).context, nullptr) << "a system that trusts nobody";
}

TEST_F (tls_contexts, a_key_belongs_to_its_certificate)
{
    files.held["other.pem"] = identity ({}, &root).key ();
    tls_options options = listening ();
    options.key = {"other.pem", {}};
    expect (options, tls_fault::key_mismatch, tls_item::key, "other.pem");
    files.held["p256.pem"] = identity ({.kind = key_kind::p256}, &root).key ();
    options.key = {"p256.pem", {}};
    expect (options, tls_fault::key_mismatch, tls_item::key, "p256.pem");
}

TEST_F (tls_contexts, a_passphrase_opens_a_key)
{
    files.held["locked.pem"] = own.key ("open sesame");
    tls_options options = listening ();
    options.key = {"locked.pem", {}};
    expect (options, tls_fault::passphrase_missing, tls_item::key, "locked.pem");
    options.passphrase = "open barley";
    expect (options, tls_fault::passphrase_wrong, tls_item::key, "locked.pem");
    const std::string endless (100'000, 'x');
    options.passphrase = endless;
    expect (options, tls_fault::passphrase_wrong, tls_item::key, "locked.pem");
    options.passphrase = "open sesame";
    EXPECT_NE (make (options).context, nullptr);
}

TEST_F (tls_contexts, what_is_not_pem_is_malformed)
{
    files.held["words.pem"] = "these are words";
    files.held["cut.pem"] = own.certificate ().substr (0, 200);
    std::string bent = own.certificate ();
    bent.replace (60, 8, "AAAAAAAA");
    files.held["bent.pem"] = bent;
    files.held["tail.pem"] = own.certificate () + bent;
    files.held["empty.pem"] = "";
    for (const char *file : {"words.pem", "cut.pem", "bent.pem", "tail.pem", "empty.pem"}) {
        tls_options options = listening ();
        options.certificate = {file, {}};
        expect (options, tls_fault::malformed, tls_item::certificate, file);
        options = {.authority = {file, {}}, .now_s = today_s};
        expect (options, tls_fault::malformed, tls_item::authority, file);
        if (std::string_view (file) == "tail.pem")
            continue;
        options = listening ();
        options.key = {file, {}};
        expect (options, tls_fault::malformed, tls_item::key, file);
    }
}

TEST_F (tls_contexts, our_own_certificate_is_valid_now)
{
    tls_options options = listening ();
    options.now_s = today_s + 31 * day_s;
    expect (options, tls_fault::expired, tls_item::certificate, "own.pem");
    options.now_s = today_s - 31 * day_s;
    expect (options, tls_fault::not_yet_valid, tls_item::certificate, "own.pem");
    options.now_s = today_s + 29 * day_s;
    EXPECT_NE (make (options).context, nullptr);
}

TEST_F (tls_contexts, the_systems_authorities_are_read_if_they_are_trusted)
{
    files.system = "not certificates";
    expect ({.now_s = today_s}, tls_fault::malformed, tls_item::system_trust, "");
    EXPECT_NE (make ({.authority = {"root.pem", {}}, .trust_system = false, .now_s = today_s}).context,
               nullptr);
    EXPECT_NE (make ({.verify = false, .now_s = today_s}).context, nullptr);
    EXPECT_NE (make (listening ()).context, nullptr) << "a listener has no use for them";
    files.system = root.certificate () + own.certificate ();
    EXPECT_NE (make ({.now_s = today_s}).context, nullptr);
}

TEST_F (tls_contexts, protocols_have_a_name_of_255_octets_at_most)
{
    const std::string longest (255, 'p');
    const std::string longer (256, 'p');
    const std::string_view fit[] = {"zmtp", longest};
    const std::string_view too_long[] = {longer};
    const std::string_view empty[] = {""};
    const tls_made made = make ({.protocols = fit, .now_s = today_s});
    ASSERT_NE (made.context, nullptr);
    EXPECT_EQ (made.context->protocols ().size (), 1 + 4 + 1 + 255U);
    expect ({.protocols = too_long, .now_s = today_s}, tls_fault::malformed, tls_item::protocols, "");
    expect ({.protocols = empty, .now_s = today_s}, tls_fault::malformed, tls_item::protocols, "");
}

TEST_F (tls_contexts, each_has_a_number_of_its_own)
{
    const tls_made one = make (listening ());
    const tls_made other = make (listening ());
    ASSERT_TRUE (one.context && other.context);
    EXPECT_NE (one.context->serial (), other.context->serial ());
    EXPECT_EQ (one.context->role (), tls_role::listener);
    EXPECT_FALSE (one.context->verifies ());
    EXPECT_TRUE (make ({.now_s = today_s}).context->verifies ());
}

}  // namespace
}  // namespace zlink::crypto
