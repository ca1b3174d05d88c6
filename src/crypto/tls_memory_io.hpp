// Between a session and OpenSSL: the BIO by which OpenSSL reads and writes the
// memory of the call that is under way, and what it tells us unasked. Nothing is
// buffered between: a record is copied from the input once, and once to the output.
//
// Internal to src/crypto; tls_session.cpp has the bodies.
#pragma once

struct bio_method_st;
struct ssl_ctx_st;

namespace zlink::crypto {

// Null: no memory. Freed by BIO_meth_free, behind everything that uses it.
[[nodiscard]] bio_method_st *new_memory_io () noexcept;

// A dialer's sessions hear of the tickets that come.
void watch_tickets (ssl_ctx_st *settings) noexcept;

}  // namespace zlink::crypto
