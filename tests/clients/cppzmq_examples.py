"""The examples that Debian's cppzmq-dev comes with, built as it says and run on ours by LD_LIBRARY_PATH alone.

cppzmq_examples.py --cmake CMAKE --library LIBZMQ
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

EXAMPLES = Path("/usr/share/doc/cppzmq-dev/examples")
PATIENCE_S = 60
# Of the example that never ends, what its two subscribers say, in any order; each line is written in pieces, which
# those of the other may come between.
ENDLESS = {f"Thread{thread}: [{letter}] Message in {letter} envelope"
           for thread, letters in ((2, "AB"), (3, "ABC")) for letter in letters}
WHOLE = re.compile(r"Thread\d: \[\w\] Message in \w envelope")
PIECES = re.compile(r"(Thread[23]: \[|[ABC]|\] |Message in [ABC] envelope)*")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=PATIENCE_S, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{' '.join(map(str, command))}: ended with {done.returncode}")
    return done.stdout


def expect(truth, complaint):
    if not truth:
        sys.exit(complaint)


def heard(program, variables):
    """What the endless one says until it has said all, or said too much without it."""
    missing = set(ENDLESS)
    with subprocess.Popen(["stdbuf", "-oL", program], text=True, env=variables, stdout=subprocess.PIPE) as running:
        patience = threading.Timer(PATIENCE_S, running.kill)
        patience.start()
        try:
            for line in running.stdout:
                said = line.rstrip("\n")
                expect(said in ENDLESS if WHOLE.fullmatch(said) else PIECES.fullmatch(said), f"unexpected: {line}")
                missing.discard(said)
                if not missing:
                    break
        finally:
            patience.cancel()
            running.kill()
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--library", type=Path, required=True)
    options = parser.parse_args()
    expect(EXAMPLES.is_dir(), f"there is no {EXAMPLES}: ./dev test --all installs cppzmq-dev")
    variables = dict(os.environ, LD_LIBRARY_PATH=str(options.library.parent))
    with tempfile.TemporaryDirectory(prefix="zlink-client-") as folder:
        run(options.cmake, "-S", EXAMPLES, "-B", folder)
        run(options.cmake, "--build", folder)
        programs = Path(folder) / "bin"
        loaded = run("ldd", programs / "hello_world", env=variables)
        expect(str(options.library.parent) in loaded, f"on another library:\n{loaded}")
        run(programs / "hello_world", env=variables)
        said = run(programs / "multipart_messages", env=variables)
        expect("Got 2 messages" in said, f"multipart_messages: {said}")
        missing = heard(programs / "pubsub_multithread_inproc", variables)
        expect(not missing, f"never heard: {missing}")
    print("cppzmq's examples: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
