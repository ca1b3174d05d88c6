// Servers of statistics behind handles: checks of C arguments, and errno.
//
// Thread rule: any thread. Blocking: no longer than zlink.h says.
#pragma once

#include <cstddef>

namespace zlink::api {

void *statistics_server_new (void *context, const char *endpoint) noexcept;
int statistics_server_endpoint (void *server, char *endpoint, std::size_t *size) noexcept;
int statistics_server_destroy (void **server) noexcept;

}  // namespace zlink::api
