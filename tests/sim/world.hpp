// Every seam of src/base on one simulation: what a context is built on.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/atomic.hpp"
#include "base/world.hpp"
#include "sim/network.hpp"
#include "sim/simulation.hpp"
#include "sim/virtual_poller.hpp"

namespace zlink::sim {

class virtual_clock final : public base::clock
{
  public:
    explicit virtual_clock (simulation &sim) noexcept : sim_ (sim) {}
    [[nodiscard]] base::time_ns now_ns () noexcept override { return sim_.read_clock (25); }
    [[nodiscard]] std::uint64_t ticks () noexcept override
    {
        return static_cast<std::uint64_t> (sim_.read_clock (10));
    }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 1000; }
    // A day of 2024.
    [[nodiscard]] std::int64_t unix_s () noexcept override
    {
        return std::int64_t{20'000} * 86'400 + sim_.now () / base::ns_per_s;
    }

  private:
    simulation &sim_;
};

// There are none: whoever speaks TLS has certificates from memory.
class virtual_files final : public base::files
{
  public:
    base::result<std::string> read (std::string_view) noexcept override { return base::errc::no_such_file; }
    base::result<std::string> read_system_trust () noexcept override { return base::errc::no_such_file; }
};

class virtual_waiter final : public base::waiter
{
  public:
    virtual_waiter (simulation &sim, unsigned cores) noexcept : sim_ (sim), cores_ (cores) {}
    base::wait_outcome wait (base::atomic<std::uint32_t> &word,
                             std::uint32_t expected,
                             base::time_ns deadline) noexcept override;
    void wake (base::atomic<std::uint32_t> &word, int count) noexcept override { sim_.wake_on (word, count); }
    bool barrier () noexcept override { return true; }
    void yield () noexcept override { sim_.give_way (); }
    void pause () noexcept override { sim_.read_clock (35); }
    [[nodiscard]] unsigned cores () const noexcept override { return cores_; }

  private:
    simulation &sim_;
    const unsigned cores_;
};

class seeded_random final : public base::random
{
  public:
    explicit seeded_random (simulation &sim) noexcept : sim_ (sim) {}
    [[nodiscard]] std::uint64_t next () noexcept override { return sim_.roll (); }

  private:
    simulation &sim_;
};

// For keys that every run with a seed makes again.
class seeded_entropy final : public base::entropy
{
  public:
    explicit seeded_entropy (simulation &sim) noexcept : sim_ (sim) {}
    [[nodiscard]] bool fill (base::bytes_span to) noexcept override
    {
        for (std::byte &each : to)
            each = static_cast<std::byte> (sim_.roll ());
        return true;
    }

  private:
    simulation &sim_;
};

// Pieces are done one after the other on a fibre of their own, made on first use.
class virtual_worker final : public base::worker
{
  public:
    virtual_worker (simulation &sim, const char *name) : sim_ (sim), name_ (name) {}
    ~virtual_worker () override;
    base::result<void> submit (std::function<void ()> piece) override;
    void begin ();

  private:
    void work ();

    simulation &sim_;
    const char *name_;
    std::deque<std::function<void ()>> pieces_;
    bool stopping_ = false;
    std::optional<std::size_t> fibre_;
};

class virtual_resolver final : public base::resolver
{
  public:
    explicit virtual_resolver (simulation &sim) : worker_ (sim, "resolver") { worker_.begin (); }
    void submit (base::transport &by,
                 std::string address,
                 base::stream_options options,
                 std::function<void (base::resolve_result)> done) override;

  private:
    virtual_worker worker_;
};

class virtual_threads final : public base::thread_factory
{
  public:
    explicit virtual_threads (simulation &sim) noexcept : sim_ (sim) {}
    base::result<std::unique_ptr<base::joinable>> start (const base::thread_options &options,
                                                         std::function<void ()> body) noexcept override;
    [[nodiscard]] std::size_t running () const noexcept { return running_; }

  private:
    class joined;
    simulation &sim_;
    std::size_t running_ = 0;
};

struct world_choice
{
    bool nests = true;  // false: sets are no members of sets, the reactor reads
    unsigned cores = 2;
    base::stream_layers around;  // every stream
    weather sky;
};

// Made and destroyed inside a fibre.
class virtual_world
{
  public:
    virtual_world (simulation &sim, const world_choice &choice);

    simulation &sim;
    kernel_table files;
    virtual_clock time;
    virtual_waiter sleep;
    virtual_poller_factory pollers;
    seeded_random dice;
    seeded_entropy secrets;
    network net;
    virtual_threads threads;
    virtual_resolver names;
    virtual_worker slow;
    virtual_files disk;
    base::kept tls{.secrets = &secrets};
    std::array<base::transport *, 1> transports;
    base::world seams;
};

}  // namespace zlink::sim
