// How many connections per second become ready: 64 dials in flight, each until
// its first message has gone round. Two processes; the one that dials is the
// calling one.
#pragma once

#include "bench/library.hpp"
#include "bench/outcome.hpp"
#include "bench/worker.hpp"

namespace zlink::bench {

// Each dial is of a socket of its own; of resumed handshakes the sockets stay, and
// dial again.
[[nodiscard]] outcome run_handshakes (const library &calls, const worker_task &task);

// What openssl's s_time gets from its s_server with the same certificate, by TLS 1.3 as
// ours: one dial after another, with a page fetched over each.
[[nodiscard]] outcome openssl_handshakes (const worker_task &task);

}  // namespace zlink::bench
