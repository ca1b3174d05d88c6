// The machine's own threads, clock and descriptors.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <span>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/surroundings.hpp"

namespace zlink::test {

class machine final : public surroundings
{
  public:
    std::unique_ptr<thread> start (std::function<void ()> body) override
    {
        return std::make_unique<own_thread> (std::move (body));
    }
    void give_way () override { ::sched_yield (); }
    void wait_while (const std::atomic<unsigned> &word, unsigned value) override { word.wait (value); }
    void wake_all (std::atomic<unsigned> &word) override { word.notify_all (); }
    std::int64_t now_us () override
    {
        const auto since = std::chrono::steady_clock::now ().time_since_epoch ();
        return std::chrono::duration_cast<std::chrono::microseconds> (since).count ();
    }
    std::unique_ptr<beater> make_beater (long period_us) override
    {
        return std::make_unique<timer> (period_us);
    }
    std::unique_ptr<bell> make_bell () override { return std::make_unique<event> (); }
    unsigned readable (std::span<const int> descriptors, int timeout_ms) override
    {
        std::vector<pollfd> entries;
        for (const int each : descriptors)
            entries.push_back ({each, POLLIN, 0});
        unsigned found = 0;
        if (::poll (entries.data (), entries.size (), timeout_ms) > 0)
            for (std::size_t i = 0; i < entries.size (); ++i)
                found |= entries[i].revents != 0 ? 1U << i : 0;
        return found;
    }

  private:
    class own_thread final : public thread
    {
      public:
        explicit own_thread (std::function<void ()> body) : runs_ (std::move (body)) {}
        ~own_thread () override { runs_.join (); }
        void interrupt (int signal_number) override
        {
            ::pthread_kill (runs_.native_handle (), signal_number);
        }

      private:
        std::thread runs_;
    };

    class timer final : public beater
    {
      public:
        explicit timer (long period_us) : descriptor_ (::timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC))
        {
            itimerspec spec{};
            spec.it_interval.tv_nsec = spec.it_value.tv_nsec = period_us * 1000;
            ::timerfd_settime (descriptor_, 0, &spec, nullptr);
        }
        ~timer () override { ::close (descriptor_); }
        void beat () override
        {
            std::uint64_t passed = 0;
            while (::read (descriptor_, &passed, sizeof passed) < 0 && errno == EINTR) {}
        }

      private:
        int descriptor_;
    };

    class event final : public bell
    {
      public:
        event () : descriptor_ (::eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
        ~event () override { ::close (descriptor_); }
        [[nodiscard]] int descriptor () const override { return descriptor_; }
        void raise () override { ::eventfd_write (descriptor_, 1); }
        void lower () override
        {
            eventfd_t value = 0;
            ::eventfd_read (descriptor_, &value);
        }

      private:
        int descriptor_;
    };
};

}  // namespace zlink::test
