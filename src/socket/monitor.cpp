#include "socket/monitor.hpp"

#include "engine/limits.hpp"
#include "socket/entries.hpp"
#include "socket/facade.hpp"

namespace zlink::socket {

using base::errc;

monitor::monitor (void *speaker, const monitor_format &format, std::uint64_t mask)
  : speaker_ (speaker), format_ (format), mask_ (mask), queue_ (engine::events_queued_default)
{
}

monitor::~monitor () { drop (); }

bool monitor::take (const engine::event_record &what) noexcept
{
    const bool wanted = what.kind == engine::event_kind::stopped || (format_.number (what) & mask_) != 0;
    return !wanted || queue_.push (what);
}

// One thread speaks; the others count themselves, and it goes on until it has
// seen all of them.
void monitor::deliver () noexcept
{
    if (callers_.fetch_add (1, std::memory_order_acq_rel) != 0)
        return;
    std::uint32_t seen = 0;
    do {
        seen = callers_.load (std::memory_order_acquire);
        speak ();
    } while (callers_.fetch_sub (seen, std::memory_order_acq_rel) != seen);
}

void monitor::speak () noexcept
{
    if (closed_)
        return;
    const bool over = queue_.ended ();  // before the queue is emptied
    if (over)
        (void)with_target (
          speaker_, [] (engine::socket_core &self, std::uint32_t life) { return self.lift_marks (life); });
    while (obtain () && (send () || over))
        if (over)
            drop ();  // no other event waits for what cannot be sent now
    if (!over)
        return;
    closed_ = true;
    (void)close (speaker_);
}

// The next event as parts; false when there is none.
bool monitor::obtain () noexcept
{
    engine::event_record next;
    while (parts_count_ == 0 && queue_.pop (next))
        if ((format_.number (next) & mask_) != 0)  // the last one comes unasked
            parts_count_ = format_.encode (next, parts_);
    return parts_count_ != 0;
}

// False when it has to wait for room or for a reader, who will wake us.
bool monitor::send () noexcept
{
    for (unsigned attempts = 0; attempts < 2; ++attempts) {
        const io_count sent = send_parts (speaker_, {parts_.data (), parts_count_}, io_dont_wait);
        if (sent.ok ()) {
            parts_count_ = 0;
            return true;
        }
        if (sent.code () == errc::no_memory)
            return false;  // it goes before the next one
        if (sent.code () != errc::would_block) {
            drop ();  // its context is terminating: nobody will ever read it
            return true;
        }
        base::io_handle kernel = base::no_handle;
        const base::result<unsigned> now = watch (speaker_, weak_from_this ().lock (), kernel);
        if (!now.ok () || (now.value () & event_out) == 0)
            return false;
    }
    return false;
}

void monitor::drop () noexcept
{
    for (std::size_t i = 0; i < parts_count_; ++i)
        parts_[i].close ();
    parts_count_ = 0;
}

}  // namespace zlink::socket
