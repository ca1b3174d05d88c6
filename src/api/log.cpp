#include "api/log.hpp"

#include <array>
#include <new>
#include <string_view>

#include "api/errors.hpp"
#include "base/atomic.hpp"
#include "base/lasting.hpp"
#include "platform/error_output.hpp"

namespace zlink::api {

namespace {

// Never changed and never freed: another thread may be calling it, a fork may
// come at any moment. There are as many as a program has different ones.
struct target
{
    log_function *callback = nullptr;
    void *hint = nullptr;
    const target *older = nullptr;
};

constinit base::atomic<const target *> known{nullptr};   // all there were
constinit base::atomic<const target *> chosen{nullptr};  // null: standard error

const target *find (const target *from, log_function *callback, void *hint) noexcept
{
    while (from != nullptr && (from->callback != callback || from->hint != hint))
        from = from->older;
    return from;
}

// Null when memory is out.
const target *target_of (log_function *callback, void *hint) noexcept
{
    const target *first = known.load (std::memory_order_acquire);
    if (const target *const here = find (first, callback, hint); here != nullptr)
        return here;
    auto *const fresh = new (std::nothrow) target{callback, hint, first};
    if (fresh == nullptr)
        return nullptr;
    while (
      !known.compare_exchange_strong (first, fresh, std::memory_order_acq_rel, std::memory_order_acquire))
        fresh->older = first;
    return fresh;
}

void write_line (const base::log_line &line) noexcept
{
    std::array<char, 512> text;
    std::size_t used = 0;
    const auto add = [&] (std::string_view more) {
        more = more.substr (0, text.size () - 1 - used);
        used += more.copy (text.data () + used, more.size ());
    };
    add (line.weight == base::severity::error ? "zlink error: " : "zlink warning: ");
    add (line.text);
    add (*line.about == '\0' ? "" : " [");
    add (line.about);
    add (*line.about == '\0' ? "" : "]");
    text[used++] = '\n';
    platform::write_error_line ({text.data (), used});
}

class c_log final : public base::log_sink
{
  public:
    void take (const base::log_line &line) noexcept override
    {
        if (const target *const to = chosen.load (std::memory_order_acquire); to != nullptr)
            to->callback (static_cast<int> (line.weight), line.text, line.about, to->hint);
        else
            write_line (line);
    }
};

constinit base::lasting<c_log> sink;

}  // namespace

int set_log (log_function *callback, void *hint) noexcept
{
    const target *const next = callback == nullptr ? nullptr : target_of (callback, hint);
    if (next == nullptr && callback != nullptr)
        return failed (base::errc::no_memory);
    chosen.store (next, std::memory_order_release);
    return 0;
}

base::log_sink *process_log () noexcept { return sink.get (); }

}  // namespace zlink::api
