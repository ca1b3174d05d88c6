// The counters of a verb's own context, served to others while it runs (zlink top,
// Prometheus).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace zlink::tool {

// --statistics.
void add_statistics (CLI::App &command, std::string &endpoint);

class served_counters
{
  public:
    served_counters () = default;
    ~served_counters () { stop (); }
    served_counters (const served_counters &) = delete;
    served_counters &operator= (const served_counters &) = delete;

    // Says on standard error where. Does nothing for an empty endpoint. False: it could
    // not be, and errno says why.
    bool start (void *context, const std::string &endpoint) noexcept;
    // Before the context ends.
    void stop () noexcept;

  private:
    void *server_ = nullptr;
};

}  // namespace zlink::tool
