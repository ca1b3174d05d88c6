"""A shared library has no way to end its process: it asks for no function that does.

endings.py LIBRARY

std::terminate alone is there: no source names it, but the compiler sends an exception that would leave a
noexcept function to it. So whatever may throw is listed below with what keeps it from getting that far, and a
function of the standard library that throws anything else fails the test.
"""

import subprocess
import sys

ENDINGS = {
    "abort", "exit", "_exit", "_Exit", "quick_exit", "at_quick_exit", "pthread_exit", "raise", "kill", "tgkill",
    "pthread_kill", "__assert", "__assert_fail", "__assert_perror_fail", "err", "errx", "verr", "verrx",
    "__cxa_pure_virtual", "__cxa_deleted_virtual", "longjmp", "siglongjmp", "alarm", "setrlimit",
    "std::unexpected()", "std::set_terminate(void (*)())", "std::__throw_bad_exception()",
    "__cxa_call_unexpected", "__stack_chk_fail", "__chk_fail", "__fortify_fail", "std::__glibcxx_assert_fail(char const*, int, char const*, char const*)",
}
# Name: why it does no harm.
THROWS = {
    "std::__throw_bad_alloc()": "memory is out: caught at the next edge and answered as no_memory",
    "std::__throw_bad_array_new_length()": "as bad_alloc, from which it derives",
    "std::__throw_length_error(char const*)": "a container of more than half of all memory; bad_alloc comes first",
    "std::__throw_logic_error(char const*)": "a std::string from a null pointer; ours come from views",
    "std::__throw_out_of_range(char const*)": "a key that a map has not; ours were just looked up or are the table's own",
    "__cxa_throw": "the services' own std::bad_alloc, where a message could not be made; as that of containers",
    "std::__throw_out_of_range_fmt(char const*, ...)": "a position behind a string's end; ours come from find ()",
    "std::__throw_bad_function_call()": "a thread without a body; nobody starts one",
    "std::__throw_system_error(int)": "a std::mutex or std::unique_lock used wrongly; ours are of one scope",
    "__cxa_throw_bad_array_new_length": "as bad_alloc, from which it derives",
    "__cxa_rethrow": "a container that clears up behind a bad_alloc and passes it on",
}
# What throws, by whatever name.
THROWING = ("std::__throw_", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_", "std::rethrow_exception")
# Ends the process, and is asked for by the compiler alone.
LAST_RESORT = "std::terminate()"


def asked_for(library):
    table = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", "--demangle", library], check=True, capture_output=True, text=True
    )
    names = (line.strip().split(" ", 1)[1] for line in table.stdout.splitlines() if line.strip())
    return {name.split("@")[0] for name in names}


def main():
    names = asked_for(sys.argv[1])
    found = sorted(names & ENDINGS)
    thrown = sorted(name for name in names if name.startswith(THROWING) and name not in THROWS)
    for name in found:
        print(f"can end the process: {name}")
    for name in thrown:
        print(f"may throw what nobody has thought of: {name}")
    for name in sorted(names & THROWS.keys()):
        print(f"may throw: {name}: {THROWS[name]}")
    if LAST_RESORT in names:
        print(f"{LAST_RESORT} stands behind every noexcept")
    print(f"{len(names)} functions asked for")
    return 1 if found or thrown or not names else 0


if __name__ == "__main__":
    sys.exit(main())
