// Stream sockets between processes of one host.
//
// Addresses: a path; "@name" in the abstract space; "*" to listen on a fresh
// path in a fresh private folder, both removed with the listener. A file left
// behind by a dead listener is taken over, a live listener's is
// address_in_use, and so is a file that is no socket. Errors beside those:
// invalid_argument (empty, "@" alone, "*" in a connect), name_too_long,
// no_such_file, permission_denied, too_many_files, no_memory.
// Thread rule: any thread; stateless.
#pragma once

#include "base/stream.hpp"

namespace zlink::transport {

class ipc final : public base::transport
{
  public:
    [[nodiscard]] std::string_view scheme () const noexcept override { return "ipc"; }
    base::result<void> check_remote (std::string_view address,
                                     const base::stream_options &options) noexcept override;
    [[nodiscard]] bool must_ask (std::string_view, const base::stream_options &) const noexcept override
    {
        return false;
    }
    base::resolve_result resolve (std::string_view address,
                                  const base::stream_options &options) noexcept override;
    // to must come from resolve().
    base::result<std::unique_ptr<base::stream>> dial (const base::address &to,
                                                      const base::stream_options &options) noexcept override;
    base::result<std::unique_ptr<base::listener>>
    listen (std::string_view address, const base::stream_options &options) noexcept override;
};

}  // namespace zlink::transport
