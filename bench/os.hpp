// What the benchmark asks of the operating system, in one place: time, CPU
// accounts, processors, child processes. POSIX only.
//
// Thread rule: every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zlink::bench::os {

// Monotonic time in nanoseconds; comparable between processes of one machine.
[[nodiscard]] std::int64_t now_ns () noexcept;

// Returns at the deadline. Sleeps while it is far away and yields when near,
// so that a schedule of 10 us is kept without owning a core for ever.
void wait_until (std::int64_t deadline_ns) noexcept;

// User and system time of this process so far, all threads.
[[nodiscard]] std::int64_t cpu_ns () noexcept;

// The same of another process that this one may look at; 0 where it is gone.
[[nodiscard]] std::int64_t cpu_ns_of (int process) noexcept;
[[nodiscard]] int process_id () noexcept;

// Resident size of this process now; 0 where the system does not say.
[[nodiscard]] std::int64_t resident_bytes () noexcept;

// As many descriptors as the system lets this process have.
void raise_descriptor_limit () noexcept;

// Sleeps while *where is seen, until wake_sleepers, also in memory that
// processes share. May return early.
void sleep_on (const std::atomic<std::uint32_t> *where, std::uint32_t seen) noexcept;
void wake_sleepers (const std::atomic<std::uint32_t> *where) noexcept;

// The largest resident size of this process so far.
[[nodiscard]] std::int64_t peak_memory_kib () noexcept;

// The processors this process may use, and how many.
[[nodiscard]] std::vector<int> processors ();

// How many threads of the whole machine wanted a processor in the last
// minute, on average; 0 where the system does not say.
[[nodiscard]] double load_average () noexcept;

// Binds the calling thread (and threads it creates later) to one processor.
void bind_to_processor (int processor) noexcept;

// From now on SIGINT and SIGTERM only make interrupted() true, so that the
// caller can stop in order. A second one ends the process.
void catch_interrupts () noexcept;
[[nodiscard]] bool interrupted () noexcept;

// Ends this process when its parent ends.
void die_with_parent () noexcept;

// A new empty directory for socket files, and its removal.
[[nodiscard]] std::string make_directory ();
void remove_directory (const std::string &path) noexcept;

// Memory that stays shared with children made by fork(); zeroed.
[[nodiscard]] void *shared_memory (std::size_t size) noexcept;

// Runs body in a child process that ends with the parent; answers its id.
[[nodiscard]] int fork_role (const std::function<void ()> &body);
// Ends a child at once.
void end_role (int child) noexcept;
// Becomes another program, found on PATH, whose output nobody sees. Returns where
// there is none. Of a child.
void become (const std::vector<std::string> &arguments) noexcept;
// True when the child ended well.
[[nodiscard]] bool wait_role (int child) noexcept;

// Children that only burn processor time, until this object goes.
class busy_children
{
  public:
    explicit busy_children (unsigned count);
    ~busy_children ();
    busy_children (const busy_children &) = delete;
    busy_children &operator= (const busy_children &) = delete;

  private:
    std::vector<int> children_;
};

struct command_result
{
    bool started = false;
    bool timed_out = false;
    int exit_code = -1;  // 128 + signal when a signal ended it
    std::string output;  // standard output
};

// Runs arguments[0] (searched on PATH), collects its standard output and
// kills it, and what it started, at the time limit. extra_environment entries
// are "NAME=value".
[[nodiscard]] command_result run_command (const std::vector<std::string> &arguments,
                                          std::int64_t time_limit_ns,
                                          const std::vector<std::string> &extra_environment = {});

// The path of the running program.
[[nodiscard]] std::string own_path ();
[[nodiscard]] bool file_exists (const std::string &path) noexcept;
[[nodiscard]] std::string canonical_path (const std::string &path);

// True when standard error is a terminal that can redraw a line.
[[nodiscard]] bool live_terminal () noexcept;

}  // namespace zlink::bench::os
