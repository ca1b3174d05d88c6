// What tests that wait need of the world around them: threads, time,
// descriptors. The machine's own, unless the test program has put others in
// their place before its first test: a simulator's fibres and virtual time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace zlink::test {

class surroundings
{
  public:
    // Its end waits for the body's end.
    class thread
    {
      public:
        virtual ~thread () = default;
        // Sends it a signal.
        virtual void interrupt (int signal_number) = 0;
    };
    // beat() returns once per period.
    class beater
    {
      public:
        virtual ~beater () = default;
        virtual void beat () = 0;
    };
    // A descriptor that is readable while it is raised, and always writable.
    class bell
    {
      public:
        virtual ~bell () = default;
        [[nodiscard]] virtual int descriptor () const = 0;
        virtual void raise () = 0;
        virtual void lower () = 0;
    };

    virtual ~surroundings () = default;

    [[nodiscard]] virtual std::unique_ptr<thread> start (std::function<void ()> body) = 0;
    // Lets others go first: for whoever looks at something in a loop.
    virtual void give_way () = 0;
    // Sleeps while the word has this value; whoever changes it wakes.
    virtual void wait_while (const std::atomic<unsigned> &word, unsigned value) = 0;
    virtual void wake_all (std::atomic<unsigned> &word) = 0;
    // Steady time.
    [[nodiscard]] virtual std::int64_t now_us () = 0;
    [[nodiscard]] virtual std::unique_ptr<beater> make_beater (long period_us) = 0;
    [[nodiscard]] virtual std::unique_ptr<bell> make_bell () = 0;
    // Which of at most 32 descriptors are readable, a bit each; waits so long
    // for the first.
    [[nodiscard]] virtual unsigned readable (std::span<const int> descriptors, int timeout_ms) = 0;
};

}  // namespace zlink::test
