"""The tests that Debian's czmq holds of itself, on the system's libzmq and on ours, side by side.

czmq_selftests.py PROGRAM FOLDER: the second time with FOLDER in the loader's way. What passes on the system's passes
on ours. Its tests wait by sleeping: on a busy machine zgossip's fails now and then on either library. One that failed
is run again, and said to have been.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE_S = 120
TRIES = 3
PASSING_MIN = 12


def environment(libraries):
    kept = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    return {**kept, "LD_LIBRARY_PATH": libraries} if libraries else kept


def whose(libraries):
    return "ours" if libraries else "the system's"


def outcome(program, name, libraries):
    """(whether it passed once, what it said the last time)."""
    for attempt in range(TRIES):
        passes, said = run_once(program, name, libraries)
        if passes:
            break
        print(f"{name}: failed, {attempt + 1} of {TRIES} on {whose(libraries)}")
    return passes, said


def run_once(program, name, libraries):
    """(whether it passed, what it said)."""
    with tempfile.TemporaryDirectory(prefix="zlink-client-") as folder:
        for part in ("src/selftest-rw", "src/selftest-ro"):
            (Path(folder) / part).mkdir(parents=True)
        try:
            done = subprocess.run([program, name], cwd=folder, env=environment(libraries), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired as late:
            return False, (late.stdout or b"").decode(errors="replace") + f"{name}: not done after {PATIENCE_S} s\n"
    said = done.stdout.decode(errors="replace")
    return done.returncode == 0, said if done.returncode == 0 else f"{said}{name}: ended with {done.returncode}\n"


def main():
    program, libraries = sys.argv[1:]
    names = subprocess.run([program], env=environment(""), capture_output=True, text=True, check=True).stdout.split()
    passing, worse = 0, []
    for name in names:
        passes, said = outcome(program, name, libraries)
        passing += passes
        if passes:
            continue
        passes_there, said_there = outcome(program, name, "")
        if passes_there:
            worse.append(name)
            print(f"on ours:\n{said}on the system's:\n{said_there}")
        else:
            print(f"{name} passes on neither")
    print(f"{passing} of {len(names)} pass on ours; only on the system's: {', '.join(worse) or 'none'}")
    return 0 if not worse and passing >= PASSING_MIN else 1


if __name__ == "__main__":
    sys.exit(main())
