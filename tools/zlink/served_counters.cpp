#include "tools/zlink/served_counters.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <zlink/zlink.h>

namespace zlink::tool {

void add_statistics (CLI::App &command, std::string &endpoint)
{
    command.add_option ("--statistics", endpoint,
                        "Serve the counters there while it runs, such as tcp://127.0.0.1:9600, for zlink top "
                        "and Prometheus; where is said on standard error");
}

bool served_counters::start (void *context, const std::string &endpoint) noexcept
{
    if (endpoint.empty ())
        return true;
    server_ = zlink_statistics_server_new (context, endpoint.c_str ());
    char at[512] = "";
    std::size_t size = sizeof at;
    if (server_ == nullptr || zlink_statistics_server_endpoint (server_, at, &size) != 0)
        return false;
    std::fprintf (stderr, "statistics at %s\n", at);
    return true;
}

void served_counters::stop () noexcept
{
    if (server_ != nullptr)
        zlink_statistics_server_destroy (&server_);
}

}  // namespace zlink::tool
