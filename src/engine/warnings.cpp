#include "engine/warnings.hpp"

#include <algorithm>
#include <charconv>

#include "wire/zap.hpp"

namespace zlink::engine {

namespace {

// A line that is cut off where it is full.
template <std::size_t Size> class short_text
{
  public:
    explicit short_text (std::array<char, Size> &to) noexcept : to_ (to) { to_[0] = '\0'; }
    short_text &operator<< (std::string_view more) noexcept
    {
        for (const char each : more.substr (0, to_.size () - 1 - used_))
            to_[used_++] = static_cast<unsigned char> (each) < ' ' ? '?' : each;
        to_[used_] = '\0';
        return *this;
    }
    short_text &operator<< (std::int64_t number) noexcept
    {
        std::array<char, 24> digits;
        const auto end = std::to_chars (digits.data (), digits.data () + digits.size (), number);
        return *this << std::string_view (digits.data (),
                                          static_cast<std::size_t> (end.ptr - digits.data ()));
    }

  private:
    std::array<char, Size> &to_;
    std::size_t used_ = 0;
};

constexpr std::size_t text_bytes_max = 240;
using text_line = short_text<text_bytes_max>;

// The number that stands beside a reason: the system's, or an answer's about a peer.
void write_number (text_line &to, const warning &what) noexcept
{
    if (what.os_error == 0)
        return;
    const std::string_view meaning = wire::zap_status_meaning (what.os_error);
    if (static_cast<base::close_reason> (what.reason) == base::close_reason::authentication_failed
        && !meaning.empty ())
        to << " (status " << what.os_error << ": " << meaning << ")";
    else
        to << " (errno " << what.os_error << ")";
}

void write_what (text_line &to, const warning &what) noexcept
{
    const char *const why = what.kind == warning_kind::drop
                              ? drop_name (static_cast<drop_reason> (what.reason))
                              : reason_name (static_cast<base::close_reason> (what.reason));
    switch (what.kind) {
    case warning_kind::drop:
        to << "messages given up: " << static_cast<std::int64_t> (what.count) << ", " << why;
        break;
    case warning_kind::refusal:
        to << (what.reason == static_cast<std::uint8_t> (base::close_reason::turned_away)
                 ? "not let in by a peer: "
                 : "a peer turned away: ")
           << why;
        break;
    case warning_kind::listener:
        to << "cannot accept for a while: " << why;
        break;
    case warning_kind::system:
        to << "the system answered what nobody expects: " << why;
        break;
    case warning_kind::gave_up:
        to << "an endpoint is not tried again: " << why;
        break;
    case warning_kind::events:
        to << "events lost that nobody fetched: " << static_cast<std::int64_t> (what.count);
        break;
    case warning_kind::budget:
        to << "the byte budget is reached: a send, a read or a peer is held back";
        break;
    case warning_kind::policy:
        to << wire::unguarded_text (what.reason != 0);
        break;
    case warning_kind::passwords:
        to << wire::bad_password_text () << what.os_error;
        return;
    case warning_kind::tls:
        to << "TLS cannot be used here";
        return;
    case warning_kind::option:
        to << "an option was set that has no effect here: number " << what.os_error;
        return;
    case warning_kind::values:
        to << "last values not kept, a limit is reached: " << static_cast<std::int64_t> (what.count);
        break;
    }
    write_number (to, what);
}

base::severity weight_of (warning_kind kind) noexcept
{
    return kind == warning_kind::listener || kind == warning_kind::system ? base::severity::error
                                                                          : base::severity::warning;
}

}  // namespace

warning warning::dropped (drop_reason why, std::uint64_t messages) noexcept
{
    return {warning_kind::drop, static_cast<std::uint8_t> (why), messages, 0};
}

warning warning::refused (base::close_reason why, int os_error) noexcept
{
    return {warning_kind::refusal, static_cast<std::uint8_t> (why), 0, os_error};
}

warning warning::not_accepting (base::close_reason why, int os_error) noexcept
{
    return {warning_kind::listener, static_cast<std::uint8_t> (why), 0, os_error};
}

warning warning::odd_answer (base::close_reason why, int os_error) noexcept
{
    return {warning_kind::system, static_cast<std::uint8_t> (why), 0, os_error};
}

warning warning::gave_up (base::close_reason why, int os_error) noexcept
{
    return {warning_kind::gave_up, static_cast<std::uint8_t> (why), 0, os_error};
}

warning warning::events_lost (std::uint64_t events) noexcept { return {warning_kind::events, 0, events, 0}; }

warning warning::budget_reached () noexcept { return {warning_kind::budget, 0, 0, 0}; }

warning warning::values_not_kept (std::uint64_t messages) noexcept
{
    return {warning_kind::values, 0, messages, 0};
}

warning warning::unguarded (bool open_to_all) noexcept
{
    return {warning_kind::policy, static_cast<std::uint8_t> (open_to_all), 0, 0};
}

warning warning::bad_password_list (std::size_t line) noexcept
{
    return {warning_kind::passwords, 0, 0, static_cast<int> (line)};
}

warning warning::tls_unfit () noexcept { return {warning_kind::tls, 0, 0, 0}; }

warning warning::idle_option (int number) noexcept { return {warning_kind::option, 0, 0, number}; }

std::size_t warnings::place_of (const warning &what) noexcept
{
    const std::size_t reason = what.reason;
    constexpr std::size_t gave_up_first = drop_reasons + base::close_reasons;
    constexpr std::size_t system_first = gave_up_first + base::close_reasons;
    constexpr std::size_t listener_first = system_first + system_reasons;
    switch (what.kind) {
    case warning_kind::drop:
        return reason;
    case warning_kind::refusal:
        return drop_reasons + reason;
    case warning_kind::gave_up:
        return gave_up_first + reason;
    case warning_kind::system:
        return system_first + std::min (reason, system_reasons - 1);
    case warning_kind::listener:
        return listener_first
               + (reason == static_cast<std::size_t> (base::close_reason::limit_reached) ? 0 : 1);
    default:
        return places_max - 1
               - (static_cast<std::size_t> (what.kind) - static_cast<std::size_t> (warning_kind::events));
    }
}

bool warnings::note (const warning &what,
                     std::string_view where,
                     std::string_view peer,
                     base::time_ns now) noexcept
{
    const base::locked hold (lock_);
    place &here = places_[place_of (what)];
    const std::uint64_t count = here.last.count + what.count;
    here.last = what;
    here.last.count = count;
    short_text about (here.about);
    about << where << (where.empty () || peer.empty () ? "" : ", peer ") << peer;
    if (here.due || (here.ever && now - here.said_at_ns < warning_interval_ns)) {
        ++here.left_out;
        return false;
    }
    here.due = here.ever = true;
    here.said_at_ns = now;
    due_.fetch_add (1, std::memory_order_relaxed);
    return true;
}

bool warnings::take_due (place &to) noexcept
{
    const base::locked hold (lock_);
    const auto found = std::ranges::find_if (places_, [] (const place &each) { return each.due; });
    if (found == places_.end ())
        return false;
    to = *found;
    found->due = false;
    found->left_out = found->last.count = 0;
    due_.fetch_sub (1, std::memory_order_relaxed);
    return true;
}

void warnings::say (base::log_sink &to) noexcept
{
    place next;
    while (due_.load (std::memory_order_relaxed) > 0 && take_due (next)) {
        std::array<char, text_bytes_max> text;
        text_line line (text);
        write_what (line, next.last);
        if (next.left_out > 0)
            line << ", and " << static_cast<std::int64_t> (next.left_out) << " like it before";
        to.take ({weight_of (next.last.kind), text.data (), next.about.data ()});
    }
}

}  // namespace zlink::engine
