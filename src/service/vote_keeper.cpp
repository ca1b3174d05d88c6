#include "service/vote_keeper.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "service/votes_file.hpp"

namespace zlink::service {

using base::errc;
using base::result;

// It is written before anybody is voted for: the mark of a clean end is gone then, and it
// is known that the file can be written.
result<void> vote_keeper::begin (grant_voter &to, base::time_ns now, const char *&why) noexcept
try {
    result<std::string> text = file_->read (votes_bytes_max);
    if (!text && text.code () != errc::no_such_file)
        return text.failure ();
    if (text) {
        why = read_votes (text.value (), to);
        if (why != nullptr)
            return base::error{errc::os_failure, EBADMSG};
    }
    if (const result<void> replaced = file_->replace (votes_text (to, now, false)); !replaced)
        return replaced;
    base::thread_options options;
    options.name = "zlink/votes";
    result<std::unique_ptr<base::joinable>> started = world_.threads.start (options, [this] { run (); });
    if (!started)
        return started.failure ();
    thread_ = std::move (started).value ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void vote_keeper::write (std::string text) noexcept
{
    busy_ = true;
    {
        const base::locked guard (lock_);
        text_ = std::move (text);
    }
    bell_.ring ();
}

std::optional<result<void>> vote_keeper::written () noexcept
{
    const base::locked guard (lock_);
    std::optional<result<void>> found = std::exchange (outcome_, std::nullopt);
    busy_ = busy_ && !found;
    return found;
}

void vote_keeper::run () noexcept
{
    while (true) {
        const std::uint32_t heard = bell_.heard ();
        std::optional<std::string> text;
        bool ending = false;
        {
            const base::locked guard (lock_);
            text.swap (text_);
            ending = ending_;
        }
        if (text) {
            const result<void> outcome = file_->replace (*text);
            {
                const base::locked guard (lock_);
                outcome_ = outcome;
            }
            wake_ ();
        } else if (ending) {
            return;
        } else {
            (void)bell_.wait (heard, base::never_ns);
        }
    }
}

void vote_keeper::stop () noexcept
{
    {
        const base::locked guard (lock_);
        ending_ = true;
    }
    bell_.ring ();
    thread_.reset ();
}

result<void> vote_keeper::end (std::string_view text) noexcept
{
    stop ();
    return file_->replace (text);
}

}  // namespace zlink::service
