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

virtual_worker::~virtual_worker ()
{
    stopping_ = true;
    if (fibre_)
        sim_.wait ("joins a worker", base::never_ns, [this] { return sim_.finished (*fibre_); });
}

void virtual_worker::begin ()
{
    if (!fibre_)
        fibre_ = sim_.spawn (
          name_, [this] { work (); }, true);
}

base::result<void> virtual_worker::submit (std::function<void ()> piece)
{
    pieces_.push_back (std::move (piece));
    begin ();
    return {};
}

void virtual_worker::work ()
{
    for (;;) {
        sim_.wait ("waits for work", base::never_ns, [this] { return stopping_ || !pieces_.empty (); });
        if (stopping_)
            return;
        const std::function<void ()> next = std::move (pieces_.front ());
        pieces_.pop_front ();
        sim_.pass_time (static_cast<base::time_ns> (sim_.roll_below (20 * base::ns_per_ms)));
        next ();
    }
}

void virtual_resolver::submit (base::transport &by,
                               std::string address,
                               base::stream_options options,
                               std::function<void (base::resolve_result)> done)
{
    (void)worker_.submit ([&by, address = std::move (address), options = std::move (options),
                           done = std::move (done)] { done (by.resolve (address, options)); });
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
    secrets (of), net (files, choice.sky, choice.around), threads (of), names (of),
    slow (of, "worker"), transports{&net}, seams{time,       sleep,   pollers,  dice,  names, threads,
                                                 transports, nullptr, &secrets, &slow, &disk, &tls}
{
}

}  // namespace zlink::sim
