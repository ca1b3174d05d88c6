// Writes a grantor's votes down, on a thread of its own: one text at a time, the next when
// it is known what became of the last.
//
// Thread rule: one thread at a time, but for what its own thread does; wake is called
// there. Blocking: read(), end() and the destructor, as long as the disk does.
// Lifetime: the world outlives it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/world.hpp"
#include "service/grant_voter.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

class vote_keeper
{
  public:
    // wake: a text has been written, or could not be.
    vote_keeper (base::world &world, std::unique_ptr<base::durable_file> file, std::function<void ()> wake)
      : world_ (world), file_ (std::move (file)), wake_ (std::move (wake)), bell_ (world.sleep)
    {
    }
    ~vote_keeper () { stop (); }
    vote_keeper (const vote_keeper &) = delete;
    vote_keeper &operator= (const vote_keeper &) = delete;

    // Takes up what was written before: gives it to the voter, writes it anew, as of somebody
    // who votes again, and starts the thread. EBADMSG: it is damaged, and *why* says how; a
    // damaged file is left as it is. Else as the file and the threads say, or no_memory.
    base::result<void> begin (grant_voter &to, base::time_ns now, const char *&why) noexcept;

    // Nothing is being written.
    [[nodiscard]] bool idle () const noexcept { return !busy_; }
    // Idle only.
    void write (std::string text) noexcept;
    // What became of it, once; nothing: it is being written.
    [[nodiscard]] std::optional<base::result<void>> written () noexcept;
    // The last text, on this thread, behind whatever is being written.
    base::result<void> end (std::string_view text) noexcept;

  private:
    void run () noexcept;
    void stop () noexcept;

    base::world &world_;
    const std::unique_ptr<base::durable_file> file_;
    const std::function<void ()> wake_;
    bool busy_ = false;

    bell bell_;
    base::exchange_lock lock_;  // of the next ones
    std::optional<std::string> text_;
    std::optional<base::result<void>> outcome_;
    bool ending_ = false;

    std::unique_ptr<base::joinable> thread_;
};

}  // namespace zlink::service
