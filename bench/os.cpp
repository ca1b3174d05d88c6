#include "bench/os.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace zlink::bench::os {

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
// A sleep wakes up to about 60 us late; the rest of the way is yielded.
constexpr std::int64_t sleep_margin_ns = 150'000;

std::int64_t ns_of (const timeval &time) noexcept
{
    return time.tv_sec * ns_per_s + time.tv_usec * std::int64_t{1000};
}

}  // namespace

std::int64_t now_ns () noexcept
{
    timespec time{};
    clock_gettime (CLOCK_MONOTONIC, &time);
    return time.tv_sec * ns_per_s + time.tv_nsec;
}

void wait_until (std::int64_t deadline_ns) noexcept
{
    const std::int64_t wake_ns = deadline_ns - sleep_margin_ns;
    if (now_ns () < wake_ns) {
        const timespec until{wake_ns / ns_per_s, wake_ns % ns_per_s};
        clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    }
    while (now_ns () < deadline_ns)
        sched_yield ();
}

std::int64_t cpu_ns () noexcept
{
    rusage usage{};
    getrusage (RUSAGE_SELF, &usage);
    return ns_of (usage.ru_utime) + ns_of (usage.ru_stime);
}

std::int64_t cpu_ns_of (int process) noexcept
{
    clockid_t account{};
    timespec time{};
    if (clock_getcpuclockid (process, &account) != 0 || clock_gettime (account, &time) != 0)
        return 0;
    return time.tv_sec * ns_per_s + time.tv_nsec;
}

int process_id () noexcept { return getpid (); }

std::int64_t resident_bytes () noexcept
{
    std::FILE *file = std::fopen ("/proc/self/statm", "r");
    if (file == nullptr)
        return 0;
    long long all = 0, resident = 0;
    const bool read = std::fscanf (file, "%lld %lld", &all, &resident) == 2;
    std::fclose (file);
    return read ? resident * sysconf (_SC_PAGESIZE) : 0;
}

void raise_descriptor_limit () noexcept
{
    rlimit limit{};
    if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit (RLIMIT_NOFILE, &limit);
}

void sleep_on (const std::atomic<std::uint32_t> *where, std::uint32_t seen) noexcept
{
    syscall (SYS_futex, where, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

void wake_sleepers (const std::atomic<std::uint32_t> *where) noexcept
{
    syscall (SYS_futex, where, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::int64_t peak_memory_kib () noexcept
{
    rusage usage{};
    getrusage (RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

std::vector<int> processors ()
{
    cpu_set_t set;
    CPU_ZERO (&set);
    std::vector<int> found;
    if (sched_getaffinity (0, sizeof set, &set) == 0)
        for (int i = 0; i < CPU_SETSIZE; ++i)
            if (CPU_ISSET (i, &set))
                found.push_back (i);
    if (found.empty ())
        found.push_back (0);
    return found;
}

double load_average () noexcept
{
    double minute = 0;
    return getloadavg (&minute, 1) == 1 ? minute : 0;
}

void bind_to_processor (int processor) noexcept
{
    cpu_set_t set;
    CPU_ZERO (&set);
    CPU_SET (processor, &set);
    sched_setaffinity (0, sizeof set, &set);
}

namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void note_interrupt (int) { interrupt_seen = 1; }

}  // namespace

void catch_interrupts () noexcept
{
    struct sigaction action = {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int> (SA_RESETHAND);
    sigaction (SIGINT, &action, nullptr);
    sigaction (SIGTERM, &action, nullptr);
}

bool interrupted () noexcept { return interrupt_seen != 0; }

void die_with_parent () noexcept { prctl (PR_SET_PDEATHSIG, SIGKILL); }

std::string make_directory ()
{
    char name[] = "/tmp/zlink-bench-XXXXXX";
    return mkdtemp (name) == nullptr ? std::string () : std::string (name);
}

void remove_directory (const std::string &path) noexcept
{
    DIR *directory = opendir (path.c_str ());
    if (directory == nullptr)
        return;
    while (const dirent *entry = readdir (directory))
        unlinkat (dirfd (directory), entry->d_name, 0);
    closedir (directory);
    rmdir (path.c_str ());
}

void *shared_memory (std::size_t size) noexcept
{
    void *memory = mmap (nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

int fork_role (const std::function<void ()> &body)
{
    std::fflush (nullptr);
    const pid_t child = fork ();
    if (child == 0) {
        die_with_parent ();
        body ();
        std::fflush (nullptr);
        _exit (0);
    }
    return child;
}

bool wait_role (int child) noexcept
{
    int status = 0;
    while (waitpid (child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

void end_role (int child) noexcept
{
    kill (child, SIGKILL);
    (void)wait_role (child);
}

void become (const std::vector<std::string> &arguments) noexcept
{
    const int nowhere = open ("/dev/null", O_RDWR);
    for (const int each : {0, 1, 2})
        dup2 (nowhere, each);
    std::vector<char *> pointers;
    for (const std::string &each : arguments)
        pointers.push_back (const_cast<char *> (each.c_str ()));
    pointers.push_back (nullptr);
    execvp (pointers.front (), pointers.data ());
}

busy_children::busy_children (unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        const int child = fork_role ([] {
            for (std::atomic<std::uint64_t> turns{0};;)
                turns.fetch_add (1, std::memory_order_relaxed);
        });
        if (child > 0)
            children_.push_back (child);
    }
}

busy_children::~busy_children ()
{
    for (const int child : children_)
        kill (child, SIGKILL);
    for (const int child : children_)
        (void)wait_role (child);
}

namespace {

// Reads until the end of the stream or the deadline. False at the deadline.
bool collect (int descriptor, std::int64_t deadline_ns, std::string *output)
{
    char chunk[4096];
    for (;;) {
        const std::int64_t left_ms = (deadline_ns - now_ns ()) / 1'000'000;
        if (left_ms <= 0)
            return false;
        pollfd entry{descriptor, POLLIN, 0};
        const int ready = poll (&entry, 1, static_cast<int> (left_ms > 1000 ? 1000 : left_ms));
        if (ready <= 0)
            continue;
        const ssize_t got = read (descriptor, chunk, sizeof chunk);
        if (got <= 0)
            return true;
        output->append (chunk, static_cast<std::size_t> (got));
    }
}

pid_t start (const std::vector<std::string> &arguments, const std::vector<std::string> &extra, int output)
{
    std::vector<char *> argv;
    for (const std::string &argument : arguments)
        argv.push_back (const_cast<char *> (argument.c_str ()));
    argv.push_back (nullptr);
    std::vector<char *> environment;
    for (const std::string &entry : extra)
        environment.push_back (const_cast<char *> (entry.c_str ()));
    for (char **entry = environ; *entry != nullptr; ++entry)
        environment.push_back (*entry);
    environment.push_back (nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_adddup2 (&actions, output, 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init (&attributes);
    posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup (&attributes, 0);
    pid_t child = -1;
    if (posix_spawnp (&child, argv[0], &actions, &attributes, argv.data (), environment.data ()) != 0)
        child = -1;
    posix_spawnattr_destroy (&attributes);
    posix_spawn_file_actions_destroy (&actions);
    return child;
}

}  // namespace

command_result run_command (const std::vector<std::string> &arguments,
                            std::int64_t time_limit_ns,
                            const std::vector<std::string> &extra_environment)
{
    command_result result;
    int ends[2];
    if (pipe2 (ends, O_CLOEXEC) != 0)
        return result;
    const std::int64_t deadline_ns = now_ns () + time_limit_ns;
    const pid_t child = start (arguments, extra_environment, ends[1]);
    ::close (ends[1]);
    if (child < 0) {
        ::close (ends[0]);
        return result;
    }
    result.started = true;
    result.timed_out = !collect (ends[0], deadline_ns, &result.output);
    // The child leads a group of its own: this reaches what it forked as well.
    if (result.timed_out)
        kill (-child, SIGKILL);
    ::close (ends[0]);
    int status = 0;
    while (waitpid (child, &status, 0) < 0 && errno == EINTR) {}
    result.exit_code = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
    return result;
}

std::string own_path () { return canonical_path ("/proc/self/exe"); }

bool file_exists (const std::string &path) noexcept
{
    struct stat facts = {};
    return stat (path.c_str (), &facts) == 0;
}

std::string canonical_path (const std::string &path)
{
    char resolved[PATH_MAX];
    return realpath (path.c_str (), resolved) == nullptr ? path : std::string (resolved);
}

bool live_terminal () noexcept { return isatty (2) == 1; }

}  // namespace zlink::bench::os
