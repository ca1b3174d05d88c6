// Whom a tcp connection dials: the endpoint's host, or a SOCKS5 proxy on the way
// to it (stream_options::proxy).
//
// Pure. Throws bad_alloc. Errors: what parse_remote_address answers;
// invalid_argument for a proxy that is no host:port, or a host that no proxy
// can be asked for; not_supported for any proxy in a minimal library.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "base/stream.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::transport {

// Whom to dial on the way to an endpoint, and whom to ask for behind it.
struct way
{
    tcp_remote to;
    host_and_port beyond;  // no host: nobody
};

base::result<way> find_way (std::string_view address, const base::stream_options &options);

}  // namespace zlink::transport
