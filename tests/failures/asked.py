"""Every function of the system that the library asks for is refused by the campaign, or stands here with the reason
why it is not.

asked.py WRAPPED[,WRAPPED...] ARCHIVE...
"""

import subprocess
import sys

NOT_REFUSED = {
    "it only looks at memory, or computes": "ceil memchr memcmp memcpy memmove memset strcasecmp strcmp strlen strncasecmp strnlen strtol atoi "
    "inet_ntop inet_pton in6addr_any in6addr_loopback strerror sigaddset sigemptyset sigfillset sigismember "
    "__sched_cpucount __popcountdi2 __cmsg_nxthdr __errno_location __libc_single_threaded __tls_get_addr",
    "it gives back": "close shutdown freeaddrinfo freeifaddrs endhostent pthread_join pthread_detach unlink rmdir "
    "__sched_cpufree",
    "it tells what is known": "clock_gettime getpid gethostname sysconf pthread_self pthread_getschedparam "
    "sched_get_priority_max sched_get_priority_min sigpending",
    "it waits or wakes": "epoll_wait poll syscall usleep sched_yield sigtimedwait pthread_mutex_lock "
    "pthread_mutex_unlock",
    "eight bytes for an eventfd that has room, a line on stderr, or a file of votes, whose tests make it fail": "write",
    "a thread wishes it of itself, and does without": "prctl pthread_setname_np pthread_setschedparam "
    "pthread_sigmask sched_setaffinity",
    "a look at a file or a name that may find nothing anyway": "gethostent_r sethostent if_indextoname",
    "a library that is not there is an answer": "dladdr dlerror dlopen dlsym",
    "a mask of processors: without memory for it they are counted otherwise": "__sched_cpualloc",
    "a registry's file of votes: failures are caused by what is on the disk, in its own tests": "fsync rename",
    "once in a process, before there is a socket": "pthread_atfork",
}
OF_THE_COMPILER = ("_Z", "__cxa_", "_Unwind_", "__gxx_", "__dso_", "_GLOBAL_OFFSET")


def names(archives):
    """What the machine code defines, and what it asks others for; nm would look at what is kept for the linker."""
    table = subprocess.run(["readelf", "--wide", "--syms", *archives], check=True, capture_output=True, text=True)
    rows = [line.split() for line in table.stdout.splitlines()]
    rows = [row for row in rows if len(row) == 8 and row[4] in ("GLOBAL", "WEAK")]
    defined = {row[7] for row in rows if row[6] != "UND"}
    return defined, {row[7] for row in rows if row[6] == "UND"}


def main():
    wrapped, archives = set(sys.argv[1].split(",")), sys.argv[2:]
    defined, asked = names(archives)
    asked = {name for name in asked - defined if not name.startswith(OF_THE_COMPILER)}
    listed = {name for group in NOT_REFUSED.values() for name in group.split()}
    wrong = [f"asked for, and neither refused nor listed: {name}" for name in sorted(asked - wrapped - listed)]
    # What is listed a compiler may do itself.
    wrong += [f"refused, and never asked for: {name}" for name in sorted(wrapped - asked)]
    wrong += [f"refused and listed: {name}" for name in sorted(wrapped & listed)]
    for line in wrong:
        print(line)
    print(f"{len(asked)} functions asked for")
    return 0 if asked and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
