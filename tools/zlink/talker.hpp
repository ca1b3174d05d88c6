// One socket in a context of its own, for the length of a verb: options, endpoints,
// whole messages. Blocks within the attachment's time limit. What cannot be is thrown
// as a stop, which the verb prints and turns into its exit code. One thread sends, one
// receives.
#pragma once

#include <cstddef>
#include <string>

#include "tools/zlink/attachment.hpp"
#include "tools/zlink/line_format.hpp"
#include "tools/zlink/served_counters.hpp"

namespace zlink::tool {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_late = 3;

// Why a verb ends before its time.
struct stop
{
    int code;
    std::string why;
};

// Prints it and answers its code.
int say_why (const char *verb, const stop &why);

class talker
{
  public:
    // type: of zlink.h. The socket has the attachment's options, and is attached to
    // nothing yet. `where` outlives the talker.
    talker (int type, const attachment &where);
    ~talker () { close (); }
    talker (const talker &) = delete;
    talker &operator= (const talker &) = delete;

    // What was sent goes out first, within the time limit.
    void close () noexcept;

    void set (int number, const void *value, std::size_t size, const std::string &what);
    // Binds, then connects.
    void attach ();
    void await_peers (unsigned count);

    // At least one part.
    void send (const parts &message);
    [[nodiscard]] parts receive ();
    // False: nothing is there.
    [[nodiscard]] bool receive_now (parts &message);

    // `good` was the answer of the library's latest call; `what` was to be done by it.
    static void demand (bool good, const std::string &what);
    // The same of a call that may have run into the time limit.
    void in_time (bool good, const char *what) const;

    [[nodiscard]] void *handle () const noexcept { return socket_; }
    [[nodiscard]] int limit_ms () const;

  private:
    void bind (const std::string &endpoint);

    const attachment &where_;
    int type_;
    void *context_ = nullptr;
    void *socket_ = nullptr;
    served_counters counters_;
};

}  // namespace zlink::tool
