"""cost.py PROGRAM: the C++ interface costs at most 2 % more instructions a message,
and awaiting, where nothing has to be waited for, at most 30 % more than blocking.

Counted by callgrind, as the difference between a short and a long run.
"""

import re
import subprocess
import sys

SHORT, LONG = 1000, 6000
# What is counted, beside what, and what it may come to.
ROWS = (
    ("copies_in_cpp", "copies_in_c", 1.02),
    ("messages_in_cpp", "messages_in_c", 1.02),
    ("messages_by_awaiting", "messages_by_blocking", 1.3),
)


def instructions(program, way, messages):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, way, str(messages)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
    return int(found[1])


def per_message(program, way):
    return (instructions(program, way, LONG) - instructions(program, way, SHORT)) / (LONG - SHORT)


def main():
    program = sys.argv[1]
    dear = False
    for way, beside, allowed in ROWS:
        cost, plain = per_message(program, way), per_message(program, beside)
        print(f"{way}: {cost:.1f}, {beside}: {plain:.1f}, {cost / plain - 1:+.1%}")
        dear = dear or cost > plain * allowed
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
