"""A shared library has no way to end its process: it asks for no function that does.

endings.py LIBRARY

std::terminate alone is there, for the compiler sends an exception that would leave a noexcept
function to it; what the standard library may throw is listed, so that nothing joins it unseen.
"""

import subprocess
import sys

ENDINGS = {
    "abort", "exit", "_exit", "_Exit", "quick_exit", "at_quick_exit", "pthread_exit", "raise", "kill", "tgkill",
    "pthread_kill", "__assert", "__assert_fail", "__assert_perror_fail", "err", "errx", "verr", "verrx",
    "__cxa_pure_virtual", "__cxa_deleted_virtual", "longjmp", "siglongjmp", "alarm", "setrlimit",
    "std::unexpected()", "std::__throw_bad_exception()", "std::__glibcxx_assert_fail(char const*, int, char const*, char const*)",
}
THROWS = {
    "std::__throw_bad_alloc()", "std::__throw_bad_array_new_length()", "std::__throw_bad_function_call()",
    "std::__throw_length_error(char const*)", "std::__throw_logic_error(char const*)",
    "std::__throw_out_of_range_fmt(char const*, ...)", "std::__throw_system_error(int)",
}


def asked_for(library):
    table = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", "--demangle", library], check=True, capture_output=True, text=True
    )
    names = (line.strip().split(" ", 1)[1] for line in table.stdout.splitlines() if line.strip())
    return {name.split("@")[0] for name in names}


def main():
    names = asked_for(sys.argv[1])
    found = sorted(names & ENDINGS)
    thrown = sorted(name for name in names if name.startswith("std::__throw") and name not in THROWS)
    for name in found:
        print(f"can end the process: {name}")
    for name in thrown:
        print(f"may throw what nobody has thought of: {name}")
    print(f"{len(names)} functions asked for")
    return 1 if found or thrown or not names else 0


if __name__ == "__main__":
    sys.exit(main())
