// Seam: the reactor's and the resolver's threads. The simulator runs the
// body as a fibre.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace zlink::base {

class joinable
{
  public:
    virtual ~joinable () = default;  // joins
};

struct thread_options
{
    std::string name;
    int priority = -1;
    int policy = -1;
    std::vector<int> cpus;
};

class thread_factory
{
  public:
    virtual ~thread_factory () = default;
    virtual result<std::unique_ptr<joinable>> start (const thread_options &options,
                                                     std::function<void ()> body) noexcept = 0;
};

}  // namespace zlink::base
