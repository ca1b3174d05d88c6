// Reads what a server of statistics tells (zlink_statistics_server_new), by HTTP over a
// stream of the library's own. One thread at a time.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace zlink::tool {

// What was answered, or why nothing was.
struct told_statistics
{
    std::string endpoint;  // as it was asked for
    std::string trouble;   // not empty: why there are none
    bool late = false;     // the trouble is that time ran out
    nlohmann::ordered_json all;
};

class statistics_reader
{
  public:
    statistics_reader ();
    ~statistics_reader ();
    statistics_reader (const statistics_reader &) = delete;
    statistics_reader &operator= (const statistics_reader &) = delete;

    // Blocks for at most the limit.
    [[nodiscard]] told_statistics read (const std::string &endpoint, double limit_s);

  private:
    void *context_;
};

// The endpoint that is meant: a port of this machine, host:port, a URL of http, or an
// endpoint as the library has them.
[[nodiscard]] std::string endpoint_of (std::string_view text);

// Takes an answer apart: the body is JSON that tells of sockets. Pure.
[[nodiscard]] told_statistics parse_statistics (std::string_view answer);

}  // namespace zlink::tool
