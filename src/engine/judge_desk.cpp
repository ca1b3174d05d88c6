#include "engine/judge_desk.hpp"

#include <new>
#include <utility>

#include "base/atomic.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

// What one question is about. Held by who asked, the queue and who answers.
struct judge_desk::file
{
    file (std::shared_ptr<const policy> to, std::unique_ptr<const peer_claim> claim, socket_ref by) noexcept
      : whom (std::move (to)), about (std::move (claim)), asker (by)
    {
    }

    std::shared_ptr<const policy> whom;
    std::unique_ptr<const peer_claim> about;
    socket_ref asker;
    wire::zap_reply said;  // the worker's until answered
    base::atomic<bool> answered{false};
};

class judge_desk::question final : public verdict_source
{
  public:
    question (std::shared_ptr<judge_desk> at, std::shared_ptr<file> about) noexcept
      : desk_ (std::move (at)), file_ (std::move (about))
    {
    }
    ~question () override { desk_->withdraw (*file_); }

    [[nodiscard]] bool news () const noexcept override
    {
        return file_->answered.load (std::memory_order_acquire);
    }
    [[nodiscard]] bool hear (wire::zap_reply &to) override
    {
        if (!news ())
            return false;
        to = std::move (file_->said);
        return true;
    }
    [[nodiscard]] const policy *by () const noexcept override { return file_->whom.get (); }

  private:
    std::shared_ptr<judge_desk> desk_;
    std::shared_ptr<file> file_;
};

base::result<std::unique_ptr<verdict_source>> judge_desk::ask (std::shared_ptr<const policy> whom,
                                                               std::unique_ptr<const peer_claim> about,
                                                               socket_ref asker)
{
    auto opened = std::make_shared<file> (std::move (whom), std::move (about), asker);
    files one{opened};
    auto asked = std::make_unique<question> (weak_from_this ().lock (), std::move (opened));
    if (const result<void> entered = enter (one); !entered.ok ())
        return entered.failure ();
    return std::unique_ptr<verdict_source> (std::move (asked));
}

// All or nothing, also where it throws.
base::result<void> judge_desk::enter (files &one)
{
    turns turn (1);
    const base::locked hold (lock_);
    if (!serving_) {
        const auto begun = worker_.submit ([desk = weak_from_this ().lock ()] { desk->serve (); });
        if (!begun.ok ())
            return begun.failure ();
        serving_ = true;
    }
    const auto [place, fresh] = queues_.try_emplace (one.front ()->about->address);
    if (fresh) {
        turn.front () = place;
        place->second.turn = turn.begin ();
        turns_.splice (turns_.end (), turn);
    }
    place->second.waiting.splice (place->second.waiting.end (), one);
    return {};
}

// On the worker's thread, until nobody waits.
void judge_desk::serve ()
{
    for (;;) {
        std::shared_ptr<file> next;
        {
            const base::locked hold (lock_);
            next = take_next_locked ();
            serving_ = next != nullptr;
        }
        if (next == nullptr)
            return;
        try {
            next->whom->judge (*next->about, next->said);
        } catch (const std::bad_alloc &) {
            next->said.fault = base::close_reason::out_of_memory;
        }
        next->answered.store (true, std::memory_order_release);
        next->asker.slot->look_at_answers (next->asker.generation);
    }
}

// Null: nobody waits. Its address is the last in turn now.
std::shared_ptr<judge_desk::file> judge_desk::take_next_locked () noexcept
{
    if (turns_.empty ())
        return nullptr;
    const queues::iterator of = turns_.front ();
    std::shared_ptr<file> next = std::move (of->second.waiting.front ());
    of->second.waiting.pop_front ();
    if (of->second.waiting.empty ()) {
        turns_.pop_front ();
        queues_.erase (of);
    } else {
        turns_.splice (turns_.end (), turns_, turns_.begin ());
    }
    return next;
}

// No longer wanted: where it still waits it is taken out.
void judge_desk::withdraw (const file &which) noexcept
{
    files gone;
    const base::locked hold (lock_);
    const auto of = queues_.find (which.about->address);
    if (of == queues_.end ())
        return;
    files &waiting = of->second.waiting;
    for (auto each = waiting.begin (); each != waiting.end (); ++each)
        if (each->get () == &which) {
            gone.splice (gone.end (), waiting, each);
            break;
        }
    if (waiting.empty ()) {
        turns_.erase (of->second.turn);
        queues_.erase (of);
    }
}

std::shared_ptr<judge_desk> context::judges ()
{
    const base::locked hold (judges_lock_);
    if (judges_ == nullptr && world.slow != nullptr)
        judges_ = std::make_shared<judge_desk> (*world.slow);
    return judges_;
}

}  // namespace zlink::engine
