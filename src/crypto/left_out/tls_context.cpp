// Instead of tls_world, tls_context and tls_session, in a library without
// OpenSSL: there is no world (built), so there is no context and no session.
// Chosen by src/crypto/CMakeLists.txt; contracts are those of the headers.
#include "crypto/tls_context.hpp"

#include <utility>

#include "crypto/tls_session.hpp"

namespace zlink::crypto {

bool tls_world::built () noexcept { return false; }

std::shared_ptr<tls_world> tls_world::make (base::entropy &, base::files &) noexcept { return nullptr; }

tls_world::~tls_world () = default;

std::string tls_error::text () const { return "this library is built without TLS"; }

tls_made tls_context::make (std::shared_ptr<tls_world>, const tls_options &) noexcept
{
    return {nullptr, {tls_fault::not_built, tls_item::none, {}, 0}};
}

tls_context::~tls_context () = default;

const char *tls_reason_name (tls_reason) noexcept { return "none"; }

struct tls_ticket::kept
{
};

tls_ticket::tls_ticket () noexcept = default;
tls_ticket::tls_ticket (tls_ticket &&) noexcept = default;
tls_ticket &tls_ticket::operator= (tls_ticket &&) noexcept = default;
tls_ticket::~tls_ticket () = default;

void tls_tickets::put (tls_ticket) noexcept {}

tls_ticket tls_tickets::take () noexcept { return {}; }

base::result<std::unique_ptr<tls_session>> tls_session::make (std::shared_ptr<const tls_context>,
                                                              const tls_session_options &) noexcept
{
    return base::errc::protocol_not_supported;
}

tls_session::~tls_session () = default;

tls_session::moved tls_session::step (bytes_view, bytes_span) noexcept { return {}; }

tls_session::moved tls_session::encrypt (bytes_view, bytes_span) noexcept { return {}; }

tls_session::moved tls_session::decrypt (bytes_view, bytes_span) noexcept { return {}; }

void tls_session::rest () noexcept {}

std::size_t tls_session::held () const noexcept { return 0; }

std::size_t tls_session::close (bytes_span) noexcept { return 0; }

void tls_session::end_of_stream () noexcept {}

std::size_t tls_session::write_owed (bytes_span) noexcept { return 0; }

std::string tls_session::peer_subject () const noexcept { return {}; }

std::string_view tls_session::protocol () const noexcept { return {}; }

std::string_view tls_session::version () const noexcept { return {}; }

std::string_view tls_session::cipher () const noexcept { return {}; }

bool tls_session::resumed () const noexcept { return false; }

std::string_view tls_session::asked_host () const noexcept { return {}; }

tls_ticket tls_session::take_ticket () noexcept { return {}; }

}  // namespace zlink::crypto
