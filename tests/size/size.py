"""The libraries' sizes, stripped, against their bounds.

size.py minimal --source DIR --build DIR --cmake PROGRAM --cxx PROGRAM --cc PROGRAM
    builds the preset "minimal", asks that no library is above its bound
    (BOUNDS_BYTES), and runs a program on it
size.py uncurved --source DIR --build DIR --cmake PROGRAM --cxx PROGRAM --cc PROGRAM --theirs LIBRARY
    the same of the preset "uncurved", what is shipped without CURVE: libzmq.so.5 is not
    larger than theirs
size.py full --ours LIBRARY --theirs LIBRARY --with-services LIBRARY --work DIR
    asks that ours is not larger than theirs, which has the same features, and that
    libzlink.so, which has services too, is not above its own bound (WITH_SERVICES_BYTES)

Each first finds a file of one byte too many.
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


def built(given, bounds_bytes):
    """The preset of the verb's name: within its bounds, and it works."""
    build = Path(given.build)
    compilers = dict(os.environ, CXX=given.cxx, CC=given.cc)
    run(given.cmake, "--preset", given.verb, "-B", build, cwd=given.source, env=compilers)
    run(given.cmake, "--build", build, "--target", "libzlink", "libzmq")
    bad = [complaint for name, bound in bounds_bytes.items()
           for complaint in judge([stripped(build / "lib" / name, build)], bound)]
    if bad:
        return bad
    program = build / "traffic"
    run(given.cc, HERE / "traffic.c", "-o", program, "-I", Path(given.source) / "include", "-L", build / "lib", "-lzlink")
    print(run(program, given.verb, env=dict(os.environ, LD_LIBRARY_PATH=str(build / "lib")), timeout=60))
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
    of_builder = ("source", "build", "cmake", "cxx", "cc")
    for verb, wanted in (("minimal", of_builder), ("uncurved", (*of_builder, "theirs"))):
        one = verbs.add_parser(verb)
        for name in wanted:
            one.add_argument(f"--{name}", required=True)
    other = verbs.add_parser("full")
    for name in ("ours", "theirs", "with-services", "work"):
        other.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    if given.verb == "full":
        bad = full(given)
    elif given.verb == "minimal":
        bad = built(given, BOUNDS_BYTES)
    else:
        bad = built(given, {"libzmq.so.5": Path(given.theirs).stat().st_size})
    print("\n".join(bad), end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
