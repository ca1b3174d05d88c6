// Seam: one HTTP request after the other, over a connection that is kept.
//
// Thread rule: post() by one thread at a time; stop() from any. Blocking: post(), until the
// answer is there, the time is over or it was stopped.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace zlink::etcd {

// How long a request may take that is answered at once.
inline constexpr base::time_ns request_ns_max = 2 * base::ns_per_s;
// Of HTTP: it is as it shall be.
inline constexpr int status_well = 200;

struct posted
{
    int status = 0;          // of HTTP; 0: there was no answer
    bool was_sent = false;   // it may have reached them
    std::string body{};      // but for what a reader took
    std::string why{};       // of 0, for people
    std::string our_host{};  // our end of the connection
};

class poster
{
  public:
    // Takes a part of the answer as it comes; false: no more.
    using reader = std::function<bool (std::string_view)>;

    virtual ~poster () = default;
    // To "host:port" and a path. Longest at a time: 0 is for ever, for an answer that goes
    // on. A null reader leaves it in the body, up to a limit. May throw std::bad_alloc.
    virtual posted post (const std::string &host,
                         const std::string &path,
                         const std::string &body,
                         base::time_ns longest,
                         const reader &take) = 0;
    // The request under way ends, and each to come, until resume(). Leaves no trace in the
    // posted but status 0.
    virtual void stop () noexcept = 0;
    virtual void resume () noexcept = 0;
};

// Null: no memory.
using poster_maker = std::function<std::unique_ptr<poster> ()>;

}  // namespace zlink::etcd
