"""The demo: lines go through a ventilator on our library, workers in unmodified
Python on the system's libzmq, and a sink on our library; the sum is compared
with what the standard tools count.

    ventilator (C, ours) --> workers (python3-zmq, libzmq) --> sink (C, ours)

run.py --build FOLDER [--messages N] [--workers N] [--no-table]
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEXTS = Path("/usr/share/common-licenses")
PYTHON = "/usr/bin/python3"  # the one that Debian's python3-zmq belongs to
SECONDS_MAX = 100  # for one transport


class Missing(Exception):
    """The demo cannot go on; the text says what is missing or wrong."""


def shell(command, **more):
    """The words of what a pipeline of standard tools prints."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}, **more)
    if done.returncode != 0:
        raise Missing(f"{command}: {done.stderr.strip()}")
    return done.stdout.split()


class Input:
    """The text, how often it is repeated, and what the standard tools count in it."""

    def __init__(self, folder, messages):
        self.file = folder / "text"
        if not TEXTS.is_dir():
            raise Missing(f"{TEXTS} is not here; Debian's base-files has it")
        shell(f"cat {TEXTS}/* > '{self.file}'")
        lines = int(shell(f"wc -l < '{self.file}'")[0])
        self.repeat = -(-messages // lines)
        self.messages = lines * self.repeat
        counted = shell(f"tr 'A-Z' 'a-z' < '{self.file}' | tr -cs 'a-z' '\\n' | grep . | sort | uniq -c")
        self.words = {word: int(count) * self.repeat for count, word in zip(counted[::2], counted[1::2])}
        self.lines = lines


class Program:
    """A child whose lines of output are read as they come."""

    def __init__(self, *command, on_line=lambda line: None):
        self.name = Path(command[-1] if command[0] == PYTHON else command[0]).name
        # The system's own libraries, whatever the caller's shell prefers.
        environment = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.bound = None
        self.ready = threading.Event()
        self.errors = []
        self._on_line = on_line
        self._readers = [threading.Thread(target=self._read_output, daemon=True),
                         threading.Thread(target=self._read_errors, daemon=True)]
        for reader in self._readers:
            reader.start()

    def _read_output(self):
        for line in self.process.stdout:
            if line.startswith("bound "):
                self.bound = line.split()[1].rstrip("\0")
                self.ready.set()
            else:
                self._on_line(line)
        self.ready.set()

    def _read_errors(self):
        self.errors.extend(self.process.stderr)

    def endpoint(self):
        if not self.ready.wait(20) or self.bound is None:
            raise Missing(f"{self.name} did not come up: {self.complaint()}")
        return self.bound

    def complaint(self):
        state = self.process.poll()
        said = "".join(self.errors[-8:]).strip()
        return f"exit status {state}" + (f", said: {said}" if said else "")

    def finish(self, seconds):
        """Ends its input, waits for its end and its last line; true when it was a good one."""
        self.process.stdin.close()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        for reader in self._readers:
            reader.join(5)
        return self.process.returncode == 0

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Tally:
    """What the sink says: how far it is, and its sums."""

    def __init__(self, messages):
        self.messages = messages
        self.got = 0
        self.words = {}
        self._shown = -1

    def line(self, text):
        match text.split():
            case ["got", number]:
                self.got = int(number)
                self._show()
            case ["word", word, number]:
                self.words[word] = int(number)

    def _show(self):
        percent = self.got * 100 // self.messages
        if sys.stdout.isatty():
            print(f"\r    {self.got:>9,} of {self.messages:,} messages ({percent} %)", end="", flush=True)
        elif percent // 20 > self._shown // 20:
            print(f"    {self.got:>9,} of {self.messages:,} messages ({percent} %)", flush=True)
        self._shown = percent


def wait_for_sink(sink, others, deadline):
    """Until the sink has everything; says who is at fault when it does not."""
    while sink.process.poll() is None:
        for program in others:
            if program.process.poll() not in (None, 0):
                raise Missing(f"{program.name} ended early: {program.complaint()}")
        if time.monotonic() > deadline:
            raise Missing(f"not done after {SECONDS_MAX} s")
        try:
            sink.process.wait(0.2)
        except subprocess.TimeoutExpired:
            pass
    if not sink.finish(10):
        raise Missing(f"sink: {sink.complaint()}")


def pass_through(build, work, where, workers):
    """Runs the whole line once; answers the tally and the seconds it took."""
    tally = Tally(work.messages)
    started = time.monotonic()
    running = []
    try:
        sink = Program(build / "bin/demo_sink", where("results"), work.messages, on_line=tally.line)
        running.append(sink)
        ventilator = Program(build / "bin/demo_ventilator", where("lines"), work.file, work.repeat)
        running.append(ventilator)
        ends = ventilator.endpoint(), sink.endpoint()
        running += [Program(PYTHON, HERE / "worker.py", *ends) for _ in range(workers)]
        wait_for_sink(sink, running[1:], started + SECONDS_MAX)
        seconds = time.monotonic() - started
        if not ventilator.finish(10):
            raise Missing(f"ventilator: {ventilator.complaint()}")
    except Missing as problem:
        raise Missing(f"{tally.got:,} of {tally.messages:,} messages came; {problem}") from None
    finally:
        for program in running:
            program.stop()
        if sys.stdout.isatty():
            print()
    return tally, seconds


def compare(tally, work):
    wrong = {w for w in tally.words.keys() | work.words.keys() if tally.words.get(w) != work.words.get(w)}
    for word in sorted(wrong)[:5]:
        print(f"    {word}: {tally.words.get(word, 0)} came, the standard tools count {work.words.get(word, 0)}")
    if wrong:
        raise Missing(f"{len(wrong)} words were miscounted")
    top = sorted(work.words.items(), key=lambda item: -item[1])[:4]
    print(f"    {sum(work.words.values()):,} words, {len(work.words):,} different, every count as the standard"
          f" tools have it: {', '.join(f'{word} {count:,}' for word, count in top)} ...")


def peer_version():
    """What the workers run on, as the loaded program itself sees it."""
    script = ("import zmq; print(zmq.__version__, zmq.zmq_version(), "
              "*{l.split()[-1] for l in open('/proc/self/maps') if 'libzmq' in l})")
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run([PYTHON, "-c", script], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Missing(f"{PYTHON} cannot import zmq; Debian's python3-zmq is missing: {done.stderr.strip()[-200:]}")
    pyzmq, libzmq, library = (done.stdout.split() + ["", "", ""])[:3]
    if not re.match(r"/(usr/)?lib/", library):
        raise Missing(f"the workers would not run on the system's libzmq but on {library or 'none'}")
    return f"python3-zmq {pyzmq} on {library} (libzmq {libzmq})"


def count_words(options, folder):
    print(f"workers: {options.workers} x {peer_version()}")
    work = Input(folder, options.messages)
    print(f"input:   {work.lines:,} lines from {TEXTS}, {work.repeat} times: {work.messages:,} messages")
    places = [("tcp", lambda name: "tcp://127.0.0.1:*"), ("ipc", lambda name: f"ipc://{folder}/{name}")]
    for transport, where in places:
        print(f"\n{transport}: ventilator (ours) -> {options.workers} workers (libzmq) -> sink (ours)", flush=True)
        tally, seconds = pass_through(options.build, work, where, options.workers)
        print(f"    {tally.got:,} messages there and {tally.got:,} back in {seconds:.1f} s")
        compare(tally, work)


def speed_table(build):
    print("\nspeed: ours, libzmq, raw floor, ratio", flush=True)
    table = [build / "bin/speed_table"]
    if subprocess.run(table).returncode != 0:
        print("\nonce more: what another program disturbs is no measurement", flush=True)
        if subprocess.run(table).returncode != 0:
            raise Missing("a quiet machine: the speed table failed twice")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, required=True)
    options.add_argument("--messages", type=int, default=1_000_000)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--no-table", action="store_true")
    chosen = options.parse_args()
    chosen.build = chosen.build.resolve()
    try:
        with tempfile.TemporaryDirectory(prefix="zlink-demo-") as folder:
            count_words(chosen, Path(folder))
        if not chosen.no_table:
            speed_table(chosen.build)
    except (Missing, FileNotFoundError) as problem:
        print(f"\nthe demo failed: {problem}", file=sys.stderr)
        return 1
    print("\nthe demo is done: nothing lost, nothing twice, every word counted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
