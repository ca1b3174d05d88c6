#include "api/statistics_servers.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "api/errors.hpp"
#include "api/service_handles.hpp"
#include "service/statistics_server.hpp"

namespace zlink::api {

using base::errc;
using base::result;
using service::statistics_server;

namespace {

// Who does not say where is heard on this machine alone.
constexpr const char *usual_endpoint = "tcp://127.0.0.1:*";

class statistics_object final : public service_object
{
  public:
    statistics_object (std::shared_ptr<context_services> all, std::shared_ptr<statistics_server> one) noexcept
      : in (std::move (all)), is (std::move (one))
    {
    }
    void close () noexcept override { is->close (); }

    const std::shared_ptr<context_services> in;
    const std::shared_ptr<statistics_server> is;
};

result<void *> open_server (void *context, const char *endpoint)
{
    const result<std::shared_ptr<context_services>> in = services_of (context);
    if (!in)
        return in.failure ();
    const result<std::shared_ptr<statistics_server>> made =
      statistics_server::open (in.value ()->world, context, in.value ()->loop,
                               endpoint == nullptr ? usual_endpoint : endpoint, in.value ()->counted);
    if (!made)
        return made.failure ();
    std::shared_ptr<statistics_object> object;
    try {
        object = std::make_shared<statistics_object> (in.value (), made.value ());
    } catch (const std::bad_alloc &) {
        made.value ()->close ();
        return errc::no_memory;
    }
    void *const handle = open_service (handle_kind::statistics_server, std::move (object));
    return handle == nullptr ? result<void *> (errc::no_memory) : result<void *> (handle);
}

}  // namespace

void *statistics_server_new (void *context, const char *endpoint) noexcept
{
    return opened_handle ([&] { return open_server (context, endpoint); });
}

int statistics_server_endpoint (void *server, char *endpoint, std::size_t *size) noexcept
{
    return with_held<statistics_object> (server, handle_kind::statistics_server, [&] (statistics_object &of) {
        if (size == nullptr || (endpoint == nullptr && *size != 0))
            return failed (errc::bad_address);
        const std::string &bound = of.is->endpoint ();
        if (*size != 0) {
            const std::size_t copied = bound.copy (endpoint, *size - 1);
            std::memset (endpoint + copied, 0, *size - copied);
        }
        *size = bound.size () + 1;
        return 0;
    });
}

int statistics_server_destroy (void **server) noexcept
{
    return destroy_service (server, handle_kind::statistics_server);
}

}  // namespace zlink::api
