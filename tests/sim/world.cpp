#include "sim/world.hpp"

#include <utility>

#include "base/atomic.hpp"

namespace zlink::sim {

base::wait_outcome virtual_waiter::wait (base::atomic<std::uint32_t> &word,
                                         std::uint32_t expected,
                                         base::time_ns deadline) noexcept
{
    switch (sim_.sleep_on (word, expected, deadline)) {
    case wait_end::ready:
        return base::wait_outcome::woken;
    case wait_end::timed_out:
        return base::wait_outcome::timed_out;
    case wait_end::interrupted:
        return base::wait_outcome::interrupted;
    }
    return base::wait_outcome::woken;
}

// --- resolver ------------------------------------------------------------------------

virtual_resolver::virtual_resolver (simulation &sim) : sim_ (sim)
{
    fibre_ = sim_.spawn (
      "resolver", [this] { work (); }, true);
}

virtual_resolver::~virtual_resolver ()
{
    stopping_ = true;
    sim_.wait ("joins the resolver", base::never_ns, [this] { return sim_.finished (fibre_); });
}

void virtual_resolver::submit (base::transport &by,
                               std::string address,
                               base::stream_options options,
                               std::function<void (base::resolve_result)> done)
{
    jobs_.push_back ({&by, std::move (address), std::move (options), std::move (done)});
}

void virtual_resolver::work ()
{
    for (;;) {
        sim_.wait ("waits for names", base::never_ns, [this] { return stopping_ || !jobs_.empty (); });
        if (stopping_)
            return;
        job next = std::move (jobs_.front ());
        jobs_.pop_front ();
        sim_.pass_time (static_cast<base::time_ns> (sim_.roll_below (20 * base::ns_per_ms)));
        next.done (next.by->resolve (next.address, next.options));
    }
}

// --- threads -------------------------------------------------------------------------

class virtual_threads::joined final : public base::joinable
{
  public:
    joined (virtual_threads &of, std::size_t fibre) noexcept : of_ (of), fibre_ (fibre) {}
    ~joined () override
    {
        of_.sim_.wait ("joins a thread", base::never_ns, [this] { return of_.sim_.finished (fibre_); });
        --of_.running_;
    }

  private:
    virtual_threads &of_;
    std::size_t fibre_;
};

base::result<std::unique_ptr<base::joinable>> virtual_threads::start (const base::thread_options &options,
                                                                      std::function<void ()> body) noexcept
{
    ++running_;
    const std::size_t fibre = sim_.spawn (options.name, std::move (body), true);
    return std::unique_ptr<base::joinable> (std::make_unique<joined> (*this, fibre));
}

// --- world ---------------------------------------------------------------------------

virtual_world::virtual_world (simulation &of, const world_choice &choice)
  : sim (of), files (of), time (of), sleep (of, choice.cores), pollers (files, choice.nests), dice (of),
    secrets (of), net (files, choice.sky), threads (of),
    names (of), transports{&net}, seams{time,    sleep,      pollers, dice,    names,
                                        threads, transports, nullptr, &secrets}
{
}

}  // namespace zlink::sim
