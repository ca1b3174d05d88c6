#include "socket/event_stream.hpp"

namespace zlink::socket {

using base::errc;
using base::result;

bool event_stream::take (const engine::event_record &what) noexcept
{
    const bool wanted = what.kind == engine::event_kind::stopped || (number_ (what) & mask_) != 0;
    return !wanted || closed_.load (std::memory_order_relaxed) || queue_.push (what);
}

void event_stream::deliver () noexcept
{
    news_.fetch_add (1, std::memory_order_seq_cst);
    sleep_.wake (news_, INT32_MAX);
}

void event_stream::context_ends () noexcept { context_over_.store (true, std::memory_order_release); }

result<void> event_stream::receive (engine::event_record &oldest, base::time_ns deadline) noexcept
{
    for (;;) {
        const std::uint32_t seen = news_.load (std::memory_order_seq_cst);
        if (closed_.load (std::memory_order_acquire))
            return errc::not_a_socket;
        const bool ended = context_over_.load (std::memory_order_acquire) || queue_.ended ();
        if (queue_.pop (oldest))
            return {};
        if (ended)
            return errc::terminated;
        if (deadline == 0)
            return errc::would_block;
        switch (sleep_.wait (news_, seen, deadline)) {
        case base::wait_outcome::woken:
            break;
        case base::wait_outcome::timed_out:
            deadline = 0;  // a last look
            break;
        case base::wait_outcome::interrupted:
            return errc::interrupted;
        }
    }
}

void event_stream::close () noexcept
{
    closed_.store (true, std::memory_order_release);
    deliver ();
}

}  // namespace zlink::socket
