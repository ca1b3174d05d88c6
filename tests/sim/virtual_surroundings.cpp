#include "sim/virtual_surroundings.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace zlink::sim {

namespace {

constexpr time_ns look_max_ns = 20'000;

class fibre_thread final : public test::surroundings::thread
{
  public:
    fibre_thread (simulation &sim, std::function<void ()> body)
      : sim_ (sim), fibre_ (sim.spawn ("thread of the test", std::move (body)))
    {
    }
    ~fibre_thread () override
    {
        sim_.wait ("joins a thread of the test", base::never_ns, [this] { return sim_.finished (fibre_); });
    }
    void interrupt (int) override { sim_.interrupt (fibre_); }

  private:
    simulation &sim_;
    const std::size_t fibre_;
};

class virtual_beater final : public test::surroundings::beater
{
  public:
    virtual_beater (simulation &sim, time_ns period_ns) noexcept
      : sim_ (sim), period_ns_ (period_ns), next_ (sim.now () + period_ns)
    {
    }
    // Beats that were missed are made up for in one, as a timer does it.
    void beat () override
    {
        sim_.pass_time (std::max<time_ns> (next_ - sim_.now (), 0));
        next_ += period_ns_ * (1 + (sim_.now () - next_) / period_ns_);
    }

  private:
    simulation &sim_;
    const time_ns period_ns_;
    time_ns next_;
};

class virtual_bell final : public test::surroundings::bell, public kernel_file
{
  public:
    explicit virtual_bell (kernel_table &table) : kernel_file (table) {}
    [[nodiscard]] int descriptor () const override { return static_cast<int> (number ()); }
    void raise () override
    {
        sim_.call ("raise");
        raised_ = true;
        changed (level_in | level_out);
        sim_.call ("raised");
    }
    void lower () override
    {
        sim_.call ("lower");
        raised_ = false;
    }
    [[nodiscard]] std::uint32_t level () noexcept override
    {
        return raised_ ? level_in | level_out : std::uint32_t{level_out};
    }

  private:
    bool raised_ = false;
};

}  // namespace

std::unique_ptr<test::surroundings::thread> virtual_surroundings::start (std::function<void ()> body)
{
    world_.sim.call ("start");
    return std::make_unique<fibre_thread> (world_.sim, std::move (body));
}

void virtual_surroundings::give_way ()
{
    world_.sim.pass_time (1 + static_cast<time_ns> (world_.sim.roll_below (look_max_ns)));
}

void virtual_surroundings::wait_while (const std::atomic<unsigned> &word, unsigned value)
{
    world_.sim.wait ("waits for a word", base::never_ns, [&word, value] { return word.load () != value; });
}

std::unique_ptr<test::surroundings::beater> virtual_surroundings::make_beater (long period_us)
{
    return std::make_unique<virtual_beater> (world_.sim, period_us * 1000);
}

std::unique_ptr<test::surroundings::bell> virtual_surroundings::make_bell ()
{
    return std::make_unique<virtual_bell> (world_.files);
}

unsigned virtual_surroundings::readable (std::span<const int> descriptors, int timeout_ms)
{
    std::vector<base::poll_entry> entries;
    for (const int each : descriptors)
        entries.push_back ({each, base::interest_read, 0});
    const time_ns timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * base::ns_per_ms;
    unsigned found = 0;
    if (world_.pollers.wait_list (entries, timeout_ns, {}).ok ())
        for (std::size_t i = 0; i < entries.size (); ++i)
            found |= entries[i].ready != 0 ? 1U << i : 0;
    return found;
}

}  // namespace zlink::sim
