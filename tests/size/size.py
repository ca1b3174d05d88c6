"""The libraries' sizes, stripped, against their bounds.

size.py minimal --source DIR --build DIR --cmake PROGRAM --cxx PROGRAM --cc PROGRAM
    builds the preset "minimal", asks that no library is above its bound
    (BOUNDS_BYTES), and runs a program on it
size.py full --ours LIBRARY --theirs LIBRARY --with-services LIBRARY --work DIR
    asks that ours is not larger than theirs, which has the same features, and that
    libzlink.so, which has services too, is not above its own bound (WITH_SERVICES_BYTES)

Either first finds a file of one byte too many.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BOUNDS_BYTES = {"libzmq.so.5": 300 * 1024, "libzlink.so": 300 * 1024}  # docs/decisions/0010
WITH_SERVICES_BYTES = 3 * 512 * 1024  # docs/decisions/0032


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def too_large(files, bound):
    return [f"{each.name}: {each.stat().st_size} bytes, {each.stat().st_size - bound} too many"
            for each in files if each.stat().st_size > bound]


def find_planted(bound):
    with tempfile.TemporaryDirectory() as folder:
        planted = Path(folder) / "planted"
        for size, wanted in ((bound, 0), (bound + 1, 1)):
            with planted.open("wb") as file:
                file.truncate(size)
            if len(too_large([planted], bound)) != wanted:
                sys.exit(f"{size} bytes against {bound} are not judged")


def judge(files, bound):
    find_planted(bound)
    for each in files:
        print(f"{each.name}: {each.stat().st_size} of {bound} bytes")
    return too_large(files, bound)


def stripped(library, folder):
    to = folder / f"{library.resolve().name}.stripped"
    run("strip", "-o", to, library)
    return to


def minimal(given):
    build = Path(given.build)
    compilers = dict(os.environ, CXX=given.cxx, CC=given.cc)
    run(given.cmake, "--preset", "minimal", "-B", build, cwd=given.source, env=compilers)
    run(given.cmake, "--build", build, "--target", "libzlink", "libzmq")
    bad = [complaint for name, bound in BOUNDS_BYTES.items()
           for complaint in judge([stripped(build / "lib" / name, build)], bound)]
    if bad:
        return bad
    program = build / "traffic"
    run(given.cc, HERE / "traffic.c", "-o", program, "-I", Path(given.source) / "include", "-L", build / "lib", "-lzlink")
    print(run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(build / "lib")), timeout=60))
    return []


def full(given):
    work = Path(given.work) / "full"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return [*judge([stripped(Path(given.ours), work)], Path(given.theirs).stat().st_size),
            *judge([stripped(Path(given.with_services), work)], WITH_SERVICES_BYTES)]


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("minimal")
    for name in ("source", "build", "cmake", "cxx", "cc"):
        one.add_argument(f"--{name}", required=True)
    other = verbs.add_parser("full")
    for name in ("ours", "theirs", "with-services", "work"):
        other.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    bad = minimal(given) if given.verb == "minimal" else full(given)
    print("\n".join(bad), end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
