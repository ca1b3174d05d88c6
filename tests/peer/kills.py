"""A peer that is not ours is killed in the middle of traffic, again and again.

kills.py --library libzlink.so [--prefix zlink_] [--ipc] -- COMMAND...

COMMAND starts an echo as in conversations.py. Numbered messages go out all the
time, and what comes back is looked at: it is whole, its numbers only grow (so
nothing is doubled and the order is kept), and after every kill traffic goes
on with the peer's successor. What a killed peer held is lost: that is its own.
"""

import itertools
import subprocess
import sys
import tempfile
import time
import unittest

from against import run_against_peer
from ours import PAIR, PULL, PUSH

KILLS = 8
BEFORE_KILL = 300  # replies of an incarnation
PATIENCE_S = 60

options = None
library = None


def message(number):
    """Of all sizes, some in several parts, all telling their number in every part."""
    mark = b"%d " % number
    if number % 97 == 0:
        return [mark, mark * 20_000]
    if number % 7 == 0:
        return [mark, b"", mark * 3]
    return [mark * (number % 40 + 1)]


def number_of(parts):
    return int(parts[0].split()[0])


class Peer:
    """The echo's process and those that follow it."""

    def __init__(self, pattern, ends):
        self._pattern = pattern
        self._ends = ends  # (how, endpoint) each
        self._process = None
        self.start()

    def start(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self._try_to_start():
            if time.monotonic() > deadline:
                raise AssertionError("the peer did not come up")

    def _try_to_start(self):
        """False when an endpoint of the last one's was still in use. Settles wildcards."""
        self._process = subprocess.Popen([*options.command, self._pattern, *itertools.chain(*self._ends)],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, text=True)
        for index, (how, _) in enumerate(self._ends):
            if how == "bind":
                line = self._process.stdout.readline().split()
                if line[:1] != ["bound"]:
                    self.kill()
                    return False
                self._ends[index] = (how, line[1])
        return True

    def endpoints(self):
        return [endpoint for _, endpoint in self._ends]

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


class Traffic:
    """Our side: sends what there is room for and checks what comes back."""

    def __init__(self, test, source, sink):
        self._test, self._source, self._sink = test, source, sink
        self.sent = 0
        self.last = -1
        self.replies = 0

    def until(self, holds):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self._test.assertLess(time.monotonic(), deadline, f"stalled: {self.sent} sent, {self.last} came back last")
            moved = self._sink.try_send(message(self.sent))
            self.sent += moved
            moved = self._take() or moved
            if not moved:
                self._source.wait(1)

    def _take(self):
        parts = self._source.try_receive()
        if parts is None:
            return False
        number = number_of(parts)
        self._test.assertGreater(number, self.last, "doubled, or out of order")
        self._test.assertLess(number, self.sent)
        self._test.assertTrue(parts == message(number), f"message {number} came back changed")
        self.last = number
        self.replies += 1
        return True


class Kills(unittest.TestCase):
    def test_traffic_goes_on_with_the_next(self):
        with tempfile.TemporaryDirectory(prefix="zlink-peer-") as folder:
            numbers = itertools.count()
            places = {"tcp": lambda: "tcp://127.0.0.1:*"}
            if options.ipc:
                places["ipc"] = lambda: f"ipc://{folder}/{next(numbers)}"
            for pattern, place, how in itertools.product(["pipeline", "pair"], places, ["bind", "connect"]):
                with self.subTest(pattern=pattern, transport=place, ours=how):
                    self.check(pattern, places[place], how)

    def check(self, pattern, place, our_how):
        sockets = [library.socket(kind) for kind in ([PAIR] if pattern == "pair" else [PUSH, PULL])]
        if our_how == "bind":
            peer = Peer(pattern, [("connect", socket.attach("bind", place())) for socket in sockets])
        else:
            peer = Peer(pattern, [("bind", place()) for _ in sockets])
            for socket, endpoint in zip(sockets, peer.endpoints()):
                socket.attach("connect", endpoint)
        try:
            traffic = Traffic(self, sockets[-1], sockets[0])
            for _ in range(KILLS):
                enough = traffic.replies + BEFORE_KILL
                traffic.until(lambda: traffic.replies >= enough)
                peer.kill()
                # Goes on against nobody, as far as there is room.
                pause = time.monotonic() + 0.02
                traffic.until(lambda: time.monotonic() > pause)
                peer.start()
                news = traffic.sent
                traffic.until(lambda: traffic.last >= news)
        finally:
            for socket in sockets:
                socket.close()
            peer.kill()


def begin(given, loaded):
    global options, library
    options, library = given, loaded


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, begin))
