#include "api/stored_registries.hpp"

#include <new>
#include <utility>

#include "base/record_store.hpp"
#include "platform/shared_code.hpp"

namespace zlink::api {

using base::errc;
using base::result;
using service::registry;

namespace {

constexpr std::string_view etcd_scheme = "etcd://";
constexpr const char *etcd_library = "libzlink_etcd.so.2";
// Of a process that speaks to a store by itself: when it is killed, nobody but the store
// can tell.
constexpr base::time_ns direct_lease_ns = 5 * base::ns_per_s;

void warn_of_missing (base::world &world, const platform::load_complaint &why) noexcept
{
    if (world.log != nullptr)
        world.log->take ({.weight = base::severity::error,
                          .text =
                            "etcd:// takes libzlink_etcd.so.2, which cannot be loaded: install it beside "
                            "libzlink.so",
                          .about = why.data ()});
}

void close_registry (registry *which) noexcept { which->close (); }

}  // namespace

bool is_store_url (std::string_view endpoint) noexcept { return endpoint.starts_with (etcd_scheme); }

result<service::store_opener> opener_of (base::world &world, std::string_view url) noexcept
try {
    if (!is_store_url (url))
        return errc::protocol_not_supported;
    platform::load_complaint why{};
    const result<void *> found =
      platform::function_of_library (etcd_library, base::record_store_opener_name, why);
    if (!found) {
        warn_of_missing (world, why);
        return errc::protocol_not_supported;
    }
    auto *const open = reinterpret_cast<base::record_store_opener *> (found.value ());
    return service::store_opener (
      [open, &world, text = std::string (url)] (
        base::record_listener &listener, base::time_ns lease) -> result<std::unique_ptr<base::record_store>> {
          base::record_store *made = nullptr;
          const errc outcome =
            open ({.url = text.c_str (), .lease = lease, .listener = &listener, .on = &world}, &made);
          if (outcome != errc::ok)
              return outcome;
          return std::unique_ptr<base::record_store> (made);
      });
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

stored_registries::~stored_registries ()
{
    for (auto &[url, each] : by_url_)
        each.is->close ();
}

result<stored_registries::entry> stored_registries::find_or_open (context_services &in,
                                                                  std::string_view url) noexcept
try {
    {
        const base::locked guard (lock_);
        if (const auto known = by_url_.find (url); known != by_url_.end ())
            return known->second;
    }
    const result<service::store_opener> open = opener_of (in.world, url);
    if (!open)
        return open.failure ();
    service::registry_options options;
    options.lease_ns = direct_lease_ns;
    const result<std::shared_ptr<registry>> made = registry::open (in.world, in.context, in.loop, options);
    if (!made)
        return made.failure ();
    // Whatever fails from here on, it is closed: the loop would hold it for ever.
    std::unique_ptr<registry, decltype (&close_registry)> undo (made.value ().get (), close_registry);
    entry fresh{.is = made.value (),
                .endpoint = "inproc://zlink-etcd-" + std::to_string (in.world.dice.next ())};
    if (const result<void> set = made.value ()->set_store (open.value ()); !set)
        return set.failure ();
    if (const result<std::string> bound = made.value ()->bind (fresh.endpoint); !bound)
        return bound.failure ();
    const base::locked guard (lock_);
    const auto [at, is_new] = by_url_.try_emplace (std::string (url), std::move (fresh));
    if (is_new)
        (void)undo.release ();
    return at->second;  // another thread may have been faster
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

}  // namespace zlink::api
