"""cost.py PROGRAM: the C++ interface costs at most 2 % more instructions a message.

Counted by callgrind, as the difference between a short and a long run.
"""

import re
import subprocess
import sys

SHORT, LONG = 1000, 6000
ALLOWED = 1.02


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
    for what in ("copies", "messages"):
        plain, wrapped = (per_message(program, f"{what}_in_{language}") for language in ("c", "cpp"))
        print(f"{what}: {plain:.1f} in C, {wrapped:.1f} in C++, {wrapped / plain - 1:+.1%}")
        dear = dear or wrapped > plain * ALLOWED
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
