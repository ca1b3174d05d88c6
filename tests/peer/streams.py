"""Bytes to and from a STREAM that is not ours.

streams.py --library libzlink.so [--prefix zlink_] [--ipc] -- COMMAND...

COMMAND starts an echo:

    stream    HOW ENDPOINT                  a STREAM that sends back what it gets

HOW is bind or connect; after a bind it prints "bound" and the endpoint. It ends
when it is killed.
"""

import itertools
import sys
import tempfile
import threading
import unittest

import conversations
from against import run_against_peer
from conversations import Echo, body
from ours import STREAM, STREAM_RAW

SIZES = [1, 7, 255, 256, 8191, 8192, 8193, 65536, 300_000, 1 << 20]
MESSAGES = 20_000


class Stream:
    """Our end and the peer's echo behind it."""

    def __init__(self, endpoint, our_how):
        self.socket = conversations.library.socket(STREAM)
        self.socket.set(STREAM_RAW, 1)
        if our_how == "bind":
            self.echo = Echo("stream", [("connect", self.socket.attach("bind", endpoint))])
        else:
            self.echo = Echo("stream", [("bind", endpoint)])
            self.socket.attach("connect", self.echo.bound())
        self.name, nothing = self.socket.receive()
        assert nothing == b"", "the peer's coming is told first"

    def send(self, some):
        self.socket.send([self.name, some])

    def receive(self, size):
        got = bytearray()
        while len(got) < size:
            name, some = self.socket.receive()
            assert name == self.name and some, "the peer has gone"
            got += some
        return bytes(got)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.echo.stop()


class Streams(unittest.TestCase):
    def in_every_place(self, check):
        with tempfile.TemporaryDirectory(prefix="zlink-peer-") as folder:
            places = {"tcp": "tcp://127.0.0.1:*"}
            if conversations.options.ipc:
                places["ipc"] = f"ipc://{folder}/"
            for place, how in itertools.product(places, ["bind", "connect"]):
                with self.subTest(transport=place, ours=how):
                    with Stream(places[place] + (how if place == "ipc" else ""), how) as stream:
                        check(stream)

    def test_sizes(self):
        def check(stream):
            for size in SIZES:
                sent = body(size)[:size]
                sender = threading.Thread(target=stream.send, args=[sent])
                sender.start()
                self.assertTrue(stream.receive(size) == sent, f"{size} bytes came back changed")
                sender.join()

        self.in_every_place(check)

    def test_many(self):
        """None lost, none twice, none out of order."""

        def check(stream):
            sent = [b"%d," % number * (number % 40 + 1) for number in range(MESSAGES)]
            sender = threading.Thread(target=lambda: [stream.send(each) for each in sent])
            sender.start()
            whole = b"".join(sent)
            self.assertTrue(stream.receive(len(whole)) == whole)
            sender.join()

        self.in_every_place(check)

    def test_end(self):
        """The peer's process dies: its end is told."""

        def check(stream):
            stream.send(b"hello")
            self.assertEqual(stream.receive(5), b"hello")
            stream.echo.stop()
            self.assertEqual(stream.socket.receive(), [stream.name, b""])

        self.in_every_place(check)


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, conversations.begin))
