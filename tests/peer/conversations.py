"""Conversations with a peer that is not ours.

conversations.py --library libzlink.so [--prefix zlink_] [--ipc] [--peer NAME] -- COMMAND...

COMMAND starts an echo. It is given a pattern and its ends:

    pair      HOW ENDPOINT                  a PAIR that sends back what it gets
    pipeline  HOW ENDPOINT HOW ENDPOINT     a PULL, and a PUSH that passes it on

HOW is bind or connect; after a bind it prints "bound" and the endpoint.
"""

import itertools
import subprocess
import sys
import tempfile
import threading
import unittest
from collections import deque

from against import run_against_peer
from listed import lacks_of, must_have
from ours import PAIR, PULL, PUSH

SIZES = [0, 1, 7, 254, 255, 256, 8191, 8192, 65535, 65536, 300_000, 1 << 20]
STREAM = 20_000
IN_FLIGHT = 500

options = None
library = None
lacking = {}


def opposite(how):
    return "connect" if how == "bind" else "bind"


class Echo:
    """The peer's process. Only ends that it binds are announced by it."""

    def __init__(self, pattern, ends):
        self.process = subprocess.Popen([*options.command, pattern, *itertools.chain(*ends)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self._watchdog = threading.Timer(100, self.process.kill)
        self._watchdog.start()

    def bound(self):
        line = self.process.stdout.readline().split()
        if len(line) != 2 or line[0] != "bound":
            raise AssertionError(f"the peer did not come up: {line}")
        return line[1]

    def stop(self):
        self._watchdog.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Conversation:
    """Our ends and the peer's echo between them."""

    def __init__(self, pattern, endpoint, our_how):
        kinds = [PAIR] if pattern == "pair" else [PUSH, PULL]
        self.sockets = [library.socket(kind) for kind in kinds]
        if our_how == "bind":
            ends = [socket.attach("bind", endpoint(i)) for i, socket in enumerate(self.sockets)]
            self.echo = Echo(pattern, [("connect", end) for end in ends])
        else:
            self.echo = Echo(pattern, [("bind", endpoint(i)) for i in range(len(kinds))])
            for socket in self.sockets:
                socket.attach("connect", self.echo.bound())
        self.send, self.receive = self.sockets[0].send, self.sockets[-1].receive

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for socket in self.sockets:
            socket.close()
        self.echo.stop()


def body(size):
    return bytes(i * 31 % 251 for i in range(min(size, 4096))) * (size // 4096 + 1)


class Talk(unittest.TestCase):
    def in_every_place(self, check):
        """Calls check with a fresh conversation for each pattern, transport and binding side."""
        with tempfile.TemporaryDirectory(prefix="zlink-peer-") as folder:
            numbers = itertools.count()
            places = {"tcp": lambda i: "tcp://127.0.0.1:*"}
            if options.ipc:
                places["ipc"] = lambda i: f"ipc://{folder}/{next(numbers)}"
            for pattern, place, how in itertools.product(["pipeline", "pair"], places, ["bind", "connect"]):
                with self.subTest(pattern=pattern, transport=place, ours=how):
                    must_have(lacking, *(["PAIR"] if pattern == "pair" else []))
                    with Conversation(pattern, places[place], how) as talk:
                        check(talk)

    def test_sizes(self):
        def check(talk):
            for size in SIZES:
                message = [body(size)[:size]]
                talk.send(message)
                self.assertTrue(talk.receive() == message, f"{size} bytes came back changed")

        self.in_every_place(check)

    def test_multipart(self):
        messages = [[b"", b""], [b"a", b"", b"c" * 300], [b"%d" % i for i in range(100)], [b"x" * 70_000, b"end"]]

        def check(talk):
            for message in messages:
                talk.send(message)
                self.assertTrue(talk.receive() == message, f"{len(message)} parts came back changed")

        self.in_every_place(check)

    def test_stream(self):
        """Many in flight: none lost, none twice, none out of order."""

        def check(talk):
            waiting = deque()
            for number in range(STREAM):
                waiting.append([b"%d" % number * (number % 40 + 1)])
                talk.send(waiting[-1])
                if len(waiting) == IN_FLIGHT:
                    self.assertEqual(talk.receive(), waiting.popleft())
            while waiting:
                self.assertEqual(talk.receive(), waiting.popleft())

        self.in_every_place(check)


def begin(given, loaded):
    global options, library, lacking
    options, library, lacking = given, loaded, lacks_of(given.peer)


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, begin))
