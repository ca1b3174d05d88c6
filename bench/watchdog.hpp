// Ends a run that hangs and says in which of its stages.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace zlink::bench {

// Thread rule: stage may be set by any thread. The destructor calls it off.
class watchdog
{
  public:
    explicit watchdog (std::int64_t limit_ns);
    ~watchdog ();
    watchdog (const watchdog &) = delete;
    watchdog &operator= (const watchdog &) = delete;

    // text lives for ever; "hung while <text>".
    static void stage (const char *text) noexcept;

  private:
    void watch (std::int64_t limit_ns);

    std::mutex lock_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace zlink::bench
