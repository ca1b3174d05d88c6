// Registries that keep their providers in a store, and the libraries that stores are in.
//
// A registration or a discovery that is told of "etcd://..." in the place of a registry's
// endpoint gets a registry in its own process, of its context and that URL, over inproc.
// It ends with the last service of the context.
//
// Thread rule: any thread. Blocking: while a library is loaded and threads are started.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/service_handles.hpp"
#include "base/lock.hpp"
#include "service/registration.hpp"
#include "service/registry.hpp"

namespace zlink::api {

// Whether it is a store's, and not an endpoint.
[[nodiscard]] bool is_store_url (std::string_view endpoint) noexcept;
// What opens that store. protocol_not_supported: no library for it can be loaded, which is
// logged with its name; no_memory.
[[nodiscard]] base::result<service::store_opener> opener_of (base::world &world,
                                                             std::string_view url) noexcept;

class stored_registries
{
  public:
    ~stored_registries ();

    struct entry
    {
        std::shared_ptr<service::registry> is;
        std::string endpoint;
    };
    // One that is there, or a new one. invalid_argument: the URL is wrong; as opener_of and
    // as a registry is opened and bound.
    base::result<entry> find_or_open (context_services &in, std::string_view url) noexcept;

  private:
    base::exchange_lock lock_;  // of the next one
    std::map<std::string, entry, std::less<>> by_url_;
};

// connect_registry() for an endpoint or a store.
template <class Whom>
base::result<void> connect_to_registry (context_services &in, Whom &whom, std::string_view endpoint) noexcept
{
    if (!is_store_url (endpoint))
        return whom.connect_registry (endpoint);
    const base::result<stored_registries::entry> found = in.stored->find_or_open (in, endpoint);
    if (!found)
        return found.failure ();
    if constexpr (requires { typename Whom::route_source; })
        whom.set_route_source ([from = std::weak_ptr (found.value ().is)] {
            const std::shared_ptr<service::registry> is = from.lock ();
            return is == nullptr ? std::nullopt : is->store_route_host ();
        });
    return whom.connect_registry (found.value ().endpoint);
}

}  // namespace zlink::api
