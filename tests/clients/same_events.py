"""The same program says the same on the system's libzmq and on ours.

same_events.py PROGRAM FOLDER: runs it twice, the second time with FOLDER in the loader's way.
"""

import difflib
import os
import subprocess
import sys
import tempfile


def said(program, libraries):
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    if libraries:
        environment["LD_LIBRARY_PATH"] = libraries
    with tempfile.TemporaryDirectory(prefix="zlink-client-") as folder:
        done = subprocess.run([program, folder], env=environment, capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}on {libraries or 'the system'}: ended with {done.returncode}")
    return done.stderr.strip(), done.stdout.splitlines()


def main():
    program, libraries = sys.argv[1:]
    (theirs, wanted), (ours, found) = said(program, ""), said(program, libraries)
    if theirs == ours:
        sys.exit(f"both ran on {ours}")
    for line in difflib.unified_diff(wanted, found, theirs, ours, lineterm="", n=8):
        print(line)
    print(f"{len(wanted)} lines on {theirs}, {len(found)} on {ours}")
    return 0 if wanted == found and len(wanted) > 50 else 1


if __name__ == "__main__":
    sys.exit(main())
