"""pyzmq built from its source, and its own tests: on the system's libzmq, then on ours.

suite.py --build FOLDER --cmake CMAKE --ready FOLDER [--only theirs|ours] [--test WORDS]

What passes on the system's passes on ours, too, but for what exceptions.txt lists. READY is put together by
./dev test --all: tools, an environment with what it takes to build and to test, and the source as it was published.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).parent
EXCEPTIONS_MAX = 5
CHANCES = 3  # of a test that failed beside the others
# Fewer than these, and something kept the suite from running.
TESTS_MIN = 400
PATIENCE_S = 900
# What the suite is without the modules that it tests, which are installed.
PARTS = ["tests", "mypy_tests", "examples", "pytest.ini", "mypy.ini"]
SHOW_LOADED = "import zmq; print(open('/proc/self/maps').read())"


def environment(**more):
    """Ours without what would have pyzmq leave tests out, or load another library."""
    left_out = ("CI", "LD_LIBRARY_PATH", "PYTHONPATH", "ZMQ_PREFIX", "ZMQ_DRAFT_API")
    return {**{name: value for name, value in os.environ.items() if name not in left_out}, **more}


def run(command, **options):
    """The output of what has to succeed."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{' '.join(map(str, command))}: ended with {done.returncode}")
    return done.stdout


class Side:
    """pyzmq on one library: an environment of its own, which sees the tools, and the suite beside it."""

    def __init__(self, folder, ready):
        self.folder, self.ready, self.variables = folder, ready, environment()
        self.python = folder / "environment/bin/python"
        self.suite = folder / "suite"

    def use(self, prefix):
        """Builds against what is installed there, drafts included, as the manual of pyzmq says."""
        self.variables = environment(ZMQ_PREFIX=str(prefix), ZMQ_DRAFT_API="1", C_INCLUDE_PATH=str(prefix / "include"),
                                     LIBRARY_PATH=str(prefix / "lib"), LD_RUN_PATH=str(prefix / "lib"))

    def prepare(self):
        run([sys.executable, "-m", "venv", "--without-pip", self.folder / "environment"])
        [packages] = (self.folder / "environment").glob("lib/python*/site-packages")
        [tools] = (self.ready / "tools").glob("lib/python*/site-packages")
        (packages / "tools.pth").write_text(f"{tools}\n", encoding="utf-8")
        [archive] = self.ready.glob("source/pyzmq-*.tar.gz")
        with tarfile.open(archive) as source:
            source.extractall(self.folder / "source")
        [source] = (self.folder / "source").iterdir()
        self.suite.mkdir()
        for part in PARTS:
            (source / part).rename(self.suite / part)
        return [self.python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
                "--disable-pip-version-check", "--config-settings=cmake.define.PYZMQ_NO_BUNDLE=ON", archive]

    def loaded(self):
        said = run([self.python, "-c", SHOW_LOADED], cwd=self.suite, env=self.variables)
        return {Path(line.split()[-1]).resolve() for line in said.splitlines() if "libzmq" in line}

    def test_with_chances(self, words, matters):
        """{test: outcome}, of all tests or of those that are named. Some go by the clock, and some that fail break those
        that follow: what does not pass and matters gets more chances on either library, by itself."""
        found = self.test(*words)
        for test in [test for test, outcome in found.items() if outcome in ("failure", "error") and matters(test)]:
            for _ in range(CHANCES):
                found.update(self.test(test))
                if found[test] not in ("failure", "error"):
                    break
        return found

    def test(self, *words):
        report = self.folder / "report.xml"
        command = [self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1",
                   f"--junitxml={report}", *words]
        with subprocess.Popen([str(word) for word in command], cwd=self.suite, env=self.variables, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as running:
            try:
                said, _ = running.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                said = None
            finally:
                # What a test left behind goes along.
                try:
                    os.killpg(running.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if said is None:
                said, _ = running.communicate()
                sys.exit(f"{said}{self.folder.name}: not done after {PATIENCE_S} s")
        print(said, flush=True)
        if not report.exists():
            sys.exit(f"{self.folder.name}: pytest ended with {running.returncode} and no report")
        return outcomes(report)


def outcomes(report):
    found = {}
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        file = case.get("file")
        module = file.removesuffix(".py").replace("/", ".")
        words = [file, *case.get("classname").removeprefix(module).lstrip(".").split("."), case.get("name")]
        worst = {child.tag for child in case} & {"failure", "error", "skipped"}
        found["::".join(word for word in words if word)] = min(worst) if worst else "passed"
    return found


def exceptions():
    listed = {}
    for line in (HERE / "exceptions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            test, _, why = line.partition(" ")
            listed[test] = why.strip()
    return listed


def verdict(theirs, ours):
    """What is wrong, line by line."""
    listed, wrong = exceptions(), []
    if len(theirs) < TESTS_MIN:
        wrong.append(f"only {len(theirs)} tests ran on the system's libzmq")
    if len(listed) > EXCEPTIONS_MAX or not all(listed.values()):
        wrong.append(f"exceptions.txt: at most {EXCEPTIONS_MAX} lines, each with its reason")
    for test, outcome in theirs.items():
        here = ours.get(test, "missing")
        if outcome == "passed" and here != "passed" and test not in listed:
            wrong.append(f"{test}: passes on the system's libzmq, {here} on ours")
        if test in listed and here == "passed":
            wrong.append(f"exceptions.txt: {test} passes on ours; remove its line")
    wrong += [f"exceptions.txt: there is no {test}" for test in listed if test not in theirs]
    return wrong


def build(options, folder):
    """Both sides, ready to be tested; the two are built at the same time."""
    prefix = folder / "prefix"
    for component in ("zmq", "zmq_dev"):
        run([options.cmake, "--install", options.build, "--prefix", prefix, "--component", component])
    sides = {name: Side(folder / name, options.ready) for name in ("theirs", "ours") if options.only in (None, name)}
    if "ours" in sides:
        sides["ours"].use(prefix)
    building = {side: subprocess.Popen([str(word) for word in side.prepare()], env=side.variables, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for side in sides.values()}
    for side, process in building.items():
        said, _ = process.communicate()
        if process.returncode != 0:
            sys.exit(f"{said}{side.folder.name}: pip ended with {process.returncode}")
    for name, side in sides.items():
        loaded = side.loaded()
        print(f"{name}: {', '.join(map(str, loaded))}", flush=True)
        if {file.parent == (prefix / "lib").resolve() for file in loaded} != {name == "ours"}:
            sys.exit(f"{name}: that is not the library")
    return sides


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="of ours, built")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--ready", type=Path, required=True)
    parser.add_argument("--only", choices=["theirs", "ours"], help="one side, without a verdict")
    parser.add_argument("--test", nargs="+", default=[], help="further words for pytest")
    options = parser.parse_args()
    options.ready = options.ready.resolve()
    folder = Path(tempfile.mkdtemp(prefix="zlink-pyzmq-")).resolve()
    try:
        found = {}
        for name, side in build(options, folder).items():
            found[name] = side.test_with_chances(options.test, lambda test: found.get("theirs", {}).get(test) in (None, "passed"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if len(found) == 1:
        return 0
    wrong = verdict(found["theirs"], found["ours"])
    more = sum(1 for test, outcome in found["ours"].items() if outcome == "passed" and found["theirs"].get(test) != "passed")
    print("\n".join(wrong))
    print(f"{sum(1 for outcome in found['theirs'].values() if outcome == 'passed')} pass on the system's libzmq, "
          f"{sum(1 for outcome in found['ours'].values() if outcome == 'passed')} on ours, {more} of them only there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
