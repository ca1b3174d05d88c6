"""A peer that is not ours is killed in the middle of traffic, again and again;
and our own end goes and comes back, and the peer stays.

kills.py --library libzlink.so [--prefix zlink_] [--ipc] [--peer NAME] -- COMMAND...

COMMAND starts an echo as in conversations.py. Numbered messages go out all the
time, and what comes back is looked at: it is whole, its numbers only grow (so
nothing is doubled and the order is kept), and after every kill traffic goes
on with the peer's successor. What a killed peer held is lost: that is its own.

Where our end goes, what was under way to it may still come to its successor,
or be lost; it comes once, and what is said after the return comes in order.
"""

import errno
import itertools
import subprocess
import sys
import tempfile
import time
import unittest

from against import run_against_peer
from listed import lacks_of, must_have
from ours import PAIR, PULL, PUSH, Failure

KILLS = 8
RETURNS = 8
BEFORE_KILL = 300  # replies of an incarnation; as many before we go
# Where we go and the peer stays: an echo that waits for room to send reads nothing,
# and libzmq does not see the end of a connection that it does not read.
IN_FLIGHT_MAX = 200
PATIENCE_S = 60
QUIET_MS = 20

options = None
library = None
lacking = {}


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

    def __init__(self, test, sockets):
        self._test = test
        self._seen = set()
        self.sent = 0
        self.replies = 0
        self.go_on_with(sockets)

    def go_on_with(self, sockets):
        """Replies to what was sent before this may be missing, but none comes twice."""
        self._source, self._sink = sockets[-1], sockets[0]
        self._first = self.sent
        self.last = self._first - 1

    def until(self, holds, in_flight_max=None):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self._test.assertLess(time.monotonic(), deadline, f"stalled: {self.sent} sent, {self.last} came back last")
            moved = False
            if in_flight_max is None or self.sent - self.last <= in_flight_max:
                moved = self._send()
            moved = self._take() or moved
            if not moved and not self._source.wait(QUIET_MS) and self.last < self._first:
                # The peer may have answered all of it to whom we were before.
                self._send()

    def _send(self):
        """One more, if there is room."""
        taken = self._sink.try_send(message(self.sent))
        self.sent += taken
        return taken

    def _take(self):
        parts = self._source.try_receive()
        if parts is None:
            return False
        number = number_of(parts)
        self._test.assertNotIn(number, self._seen, "doubled")
        self._test.assertLess(number, self.sent)
        self._test.assertTrue(parts == message(number), f"message {number} came back changed")
        self._seen.add(number)
        if number >= self._first:
            self._test.assertGreater(number, self.last, "out of order")
            self.last = number
            self.replies += 1
        return True


def open_sockets(pattern):
    return [library.socket(kind) for kind in ([PAIR] if pattern == "pair" else [PUSH, PULL])]


def bind_again(socket, endpoint):
    """The end of the socket that had the endpoint may still be going on."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.attach("bind", endpoint)
        except Failure as failure:
            if failure.number != errno.EADDRINUSE or time.monotonic() > deadline:
                raise


class Scene:
    """Our sockets, the peer behind them and the traffic between."""

    def __init__(self, test, pattern, place, our_how):
        self._pattern, self._our_how = pattern, our_how
        self.sockets = open_sockets(pattern)
        if our_how == "bind":
            self._endpoints = [socket.attach("bind", place()) for socket in self.sockets]
            self.peer = Peer(pattern, [("connect", endpoint) for endpoint in self._endpoints])
        else:
            self.peer = Peer(pattern, [("bind", place()) for _ in self.sockets])
            self._endpoints = self.peer.endpoints()
            self._connect()
        self.traffic = Traffic(test, self.sockets)

    def return_anew(self):
        """Ends our sockets and opens others where they were."""
        for socket in self.sockets:
            socket.close()
        self.sockets = open_sockets(self._pattern)
        if self._our_how == "bind":
            for socket, endpoint in zip(self.sockets, self._endpoints):
                bind_again(socket, endpoint)
        else:
            self._connect()
        self.traffic.go_on_with(self.sockets)

    def _connect(self):
        for socket, endpoint in zip(self.sockets, self._endpoints):
            socket.attach("connect", endpoint)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for socket in self.sockets:
            socket.close()
        self.peer.kill()


class Kills(unittest.TestCase):
    def in_every_place(self, check, patterns=("pipeline", "pair"), hows=("bind", "connect"), needs=lambda *_: []):
        """Calls check with a fresh scene for each pattern, transport and binding side; needs names what the peer has to be
        able to for a transport and our side."""
        with tempfile.TemporaryDirectory(prefix="zlink-peer-") as folder:
            numbers = itertools.count()
            places = {"tcp": lambda: "tcp://127.0.0.1:*"}
            if options.ipc:
                places["ipc"] = lambda: f"ipc://{folder}/{next(numbers)}"
            for pattern, place, how in itertools.product(patterns, places, hows):
                with self.subTest(pattern=pattern, transport=place, ours=how):
                    must_have(lacking, *(["PAIR"] if pattern == "pair" else []), *needs(place, how))
                    with Scene(self, pattern, places[place], how) as scene:
                        check(scene)

    def test_traffic_goes_on_with_the_next(self):
        def check(scene):
            for _ in range(KILLS):
                traffic = scene.traffic
                enough = traffic.replies + BEFORE_KILL
                traffic.until(lambda: traffic.replies >= enough)
                scene.peer.kill()
                # Goes on against nobody, as far as there is room.
                pause = time.monotonic() + 0.02
                traffic.until(lambda: time.monotonic() > pause)
                scene.peer.start()
                news = traffic.sent
                traffic.until(lambda: traffic.last >= news)

        # Who is killed leaves its file behind.
        self.in_every_place(check, needs=lambda place, how: ["BINDING_OVER_FILES"] if (place, how) == ("ipc", "connect") else [])

    def check_returns(self, scene):
        def talk():
            enough = scene.traffic.replies + BEFORE_KILL
            scene.traffic.until(lambda: scene.traffic.replies >= enough, IN_FLIGHT_MAX)

        talk()
        for _ in range(RETURNS):
            scene.return_anew()
            talk()

    def test_the_peer_finds_us_again(self):
        """It connects: once more, to whoever is bound there now."""
        self.in_every_place(self.check_returns, hows=["bind"],
                            needs=lambda place, _: ["RECONNECTS", *(["RECONNECTS_OVER_IPC"] if place == "ipc" else [])])

    def test_the_peer_takes_us_again(self):
        """It is bound. A PAIR would turn the second away until it has seen the end of the first."""
        self.in_every_place(self.check_returns, patterns=["pipeline"], hows=["connect"])


def begin(given, loaded):
    global options, library, lacking
    options, library, lacking = given, loaded, lacks_of(given.peer)


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, begin))
