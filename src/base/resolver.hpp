// Seam: looking up names without stalling the reactor.
//
// submit() returns at once; done runs later on the resolver's own thread (in
// the simulator: as an event) and must not block. Thread rule: any thread.
#pragma once

#include <functional>
#include <string>

#include "base/stream.hpp"

namespace zlink::base {

class resolver
{
  public:
    virtual ~resolver () = default;  // waits for a running lookup; the rest are dropped

    virtual void submit (transport &by,
                         std::string address,
                         stream_options options,
                         std::function<void (resolve_result)> done) = 0;
};

}  // namespace zlink::base
