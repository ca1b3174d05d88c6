"""zmq.asyncio of Debian's python3-zmq on our libzmq.so.5: an event loop that knows sockets by ZMQ_FD alone.

pyzmq_asyncio.py LIBRARY: the tests fail unless LIBRARY is the one that was loaded.
"""

import asyncio
import sys
import tempfile
import unittest
from pathlib import Path

import zmq
import zmq.asyncio

PATIENCE_S = 100
STREAM = 20_000


def loaded():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {Path(line.split()[-1]).resolve() for line in maps if "libzmq" in line}


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts its turns."""

    turns = 0

    def _run_once(self):
        self.turns += 1
        super()._run_once()


class Asyncio(unittest.TestCase):
    def in_every_place(self, conversation):
        self.assertEqual(loaded(), {Path(options[0]).resolve()})
        with tempfile.TemporaryDirectory(prefix="zlink-client-") as folder:
            for place in ["tcp://127.0.0.1:*", f"ipc://{folder}/socket", "inproc://here"]:
                with self.subTest(place=place):
                    loop = CountingLoop()
                    try:
                        loop.run_until_complete(asyncio.wait_for(self.joined(loop, place, conversation), PATIENCE_S))
                    finally:
                        loop.close()

    async def joined(self, loop, place, conversation):
        context = zmq.asyncio.Context()
        one, two = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
        try:
            one.bind(place)
            two.connect(one.getsockopt_string(zmq.LAST_ENDPOINT))
            await conversation(loop, one, two)
        finally:
            one.close(0)
            two.close(0)
            context.term()

    def test_streams_both_ways(self):
        async def send(socket):
            for number in range(STREAM):
                await socket.send(b"%d" % number)

        async def receive(socket):
            for number in range(STREAM):
                self.assertEqual(await socket.recv(), b"%d" % number)

        async def conversation(loop, one, two):
            await asyncio.gather(send(one), send(two), receive(one), receive(two))
            # Far fewer turns than messages: no loop that runs hot.
            self.assertLess(loop.turns, STREAM)

        self.in_every_place(conversation)

    def test_ping_pong_with_parts(self):
        async def echo(socket, rounds):
            for _ in range(rounds):
                await socket.send_multipart(await socket.recv_multipart())

        async def conversation(loop, one, two):
            rounds = 3000
            echoing = asyncio.ensure_future(echo(two, rounds))
            for number in range(rounds):
                message = [b"%d" % number, b"", b"x" * (number % 50 * 1000)]
                await one.send_multipart(message)
                self.assertEqual(await one.recv_multipart(), message)
            await echoing

        self.in_every_place(conversation)

    def test_at_rest_the_loop_stands_still(self):
        async def conversation(loop, one, two):
            await one.send(b"x")
            await two.recv()
            nothing = asyncio.ensure_future(two.recv())
            before = loop.turns
            self.assertEqual((await asyncio.wait([nothing], timeout=0.5))[0], set())
            self.assertLess(loop.turns - before, 50)
            await one.send(b"at last")
            self.assertEqual(await nothing, b"at last")

        self.in_every_place(conversation)

    def test_many_at_once(self):
        """Fifty pairs in one loop, each with a message under way."""

        async def conversation(loop, _one, _two):
            context = zmq.asyncio.Context()
            pairs = []
            for number in range(50):
                left, right = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
                left.bind("tcp://127.0.0.1:*")
                right.connect(left.getsockopt_string(zmq.LAST_ENDPOINT))
                pairs.append((left, right))

            async def talk(left, right):
                for number in range(200):
                    await left.send(b"%d" % number)
                    self.assertEqual(await right.recv(), b"%d" % number)
                    await right.send(b"back")
                    self.assertEqual(await left.recv(), b"back")

            await asyncio.gather(*(talk(*pair) for pair in pairs))
            context.destroy(0)

        self.in_every_place(conversation)


if __name__ == "__main__":
    options = sys.argv[1:2]
    del sys.argv[1:2]
    unittest.main(verbosity=2)
