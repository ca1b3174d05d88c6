// A registry's pages over HTTP: who is there as JSON, numbers for Prometheus, health, and a
// page to look at, which is told of changes as they happen. Reading only.
//
// Thread rule: start and stop by one thread. Blocking: stop(), until requests under way are
// answered.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <zlink/zlink.h>

#include "tools/zlink/registry_view.hpp"

namespace zlink::tool {

class registry_http
{
  public:
    using ask_info = std::function<zlink_registry_info_t ()>;

    // Both outlive it.
    registry_http (const registry_view &view, ask_info info);
    ~registry_http ();
    registry_http (const registry_http &) = delete;
    registry_http &operator= (const registry_http &) = delete;

    // "127.0.0.1:8080", "[::1]:0"; answers where it is, as a URL. Empty: it could not be, and
    // `why` says why.
    [[nodiscard]] std::string start (const std::string &address, std::string &why);
    // Behind the view's end().
    void stop ();

  private:
    class pages;
    std::unique_ptr<pages> pages_;
};

// The page, which loads nothing else but from its own server.
[[nodiscard]] std::string registry_page (const std::string &nonce);

}  // namespace zlink::tool
