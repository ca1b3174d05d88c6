"""Python's websockets, an implementation of RFC 6455 that is not ours, in both roles; what it carries is said here, octet by
octet, as ZWS 2.0 has it. And nginx, through which ours talk.

websockets_peer.py --library libzlink.so [--prefix zlink_]
"""

import argparse
import asyncio
import contextlib
import shutil
import socket as plain
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ours import PATIENCE_MS, PULL, PUSH, Library

try:
    import websockets
except ImportError:
    websockets = None

DEALER, ROUTER, REQ, REP, SUB, XPUB, ROUTING_ID, SUBSCRIBE = 5, 6, 3, 4, 2, 9, 5, 6
SIZES = [0, 1, 124, 125, 126, 65_534, 65_535, 65_536, (1 << 20) - 1]
MANY = 3000
PATIENCE_S = PATIENCE_MS / 1000
FREE = 0
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")

library = None


def ready(kind, identity):
    said = b"\2\5READY"
    for name, value in {"Socket-Type": kind, "Identity": identity}.items():
        said += bytes([len(name)]) + name.encode() + len(value).to_bytes(4, "big") + value.encode()
    return said


def run(work):
    """work(), a coroutine, under the watchdog."""
    return asyncio.run(asyncio.wait_for(work, PATIENCE_S * 3))


def aside(call, *arguments):
    """A call of ours, which waits, beside what the peer has to do meanwhile: to be awaited."""
    return asyncio.get_running_loop().run_in_executor(None, call, *arguments)


@contextlib.contextmanager
def ours(kind, **options):
    socket = library.socket(kind)
    for name, value in options.items():
        socket.set(globals()[name], value)
    try:
        yield socket
    finally:
        socket.close()


@contextlib.asynccontextmanager
async def client_of(socket, _, path="", identity=""):
    """It offers no names with a slash: bare ZWS2.0, in which both ends say their names first, and no types."""
    end = socket.attach("bind", "ws://127.0.0.1:*" + path)
    async with websockets.connect(end, subprotocols=["ZWS2.0"], max_size=None) as wire:
        await wire.send(b"\0" + identity.encode())
        heard = await wire.recv()
        assert heard[:1] == b"\0", heard
        yield wire


class Chooses(websockets.WebSocketServerProtocol if websockets else object):
    """It takes no header with a slash in it, either: this is chosen for it."""

    @staticmethod
    def process_subprotocol(headers, _):
        offered = [each.strip() for each in headers["Sec-WebSocket-Protocol"].split(",")]
        return "ZWS2.0/NULL" if offered == ["ZWS2.0/NULL", "ZWS2.0"] else None


@contextlib.asynccontextmanager
async def server_for(socket, kind, path="", serve_more=None, identity=""):
    """The server's end of what our socket dials."""
    arrived = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def serve(wire, *_):
        if arrived.done() and serve_more is None:
            return  # it came back, and nobody waits for it
        await wire.send(ready(kind, identity))
        heard = await wire.recv()
        assert heard.startswith(b"\2\5READY"), heard
        if arrived.done():
            await serve_more(wire)
        else:
            arrived.set_result(wire)
            await over.wait()

    async with websockets.serve(serve, "127.0.0.1", FREE, create_protocol=Chooses, max_size=None) as server:
        socket.attach("connect", f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}{path}")
        try:
            yield await arrived
        finally:
            over.set()


@unittest.skipUnless(websockets, "python3-websockets is not here")
class Websockets(unittest.TestCase):
    def in_both_roles(self, our_kind, their_kind, check, **properties):
        for role in (client_of, server_for):
            with self.subTest(theirs=role.__name__):

                async def work(role=role):
                    with ours(our_kind) as socket:
                        async with role(socket, their_kind, **properties) as wire:
                            await check(socket, wire)

                run(work())

    def test_both_ways(self):
        async def check(dealer, wire):
            for size in SIZES:
                await wire.send(b"\1a")
                await wire.send(b"\0" + b"x" * size)
                self.assertTrue(await aside(dealer.receive) == [b"a", b"x" * size], f"{size} octets")
                sending = aside(dealer.send, [b"y" * size, b""])
                self.assertTrue(await wire.recv() == b"\1" + b"y" * size, f"{size} octets")
                self.assertEqual(await wire.recv(), b"\0")
                await sending

        self.in_both_roles(DEALER, "DEALER", check)

    def test_many(self):
        async def check(dealer, wire):
            for number in range(MANY):
                await wire.send(b"\0%d" % number)
            for number in range(MANY):
                self.assertEqual(await aside(dealer.receive), [b"%d" % number])
            sending = aside(lambda: [dealer.send([b"%d" % number]) for number in range(MANY)])
            for number in range(MANY):
                self.assertEqual(await wire.recv(), b"\0%d" % number)
            await sending

        self.in_both_roles(DEALER, "DEALER", check)

    def test_fragments(self):
        async def check(pull, wire):
            await wire.send([b"\0", b"", b"in ", b"pieces"])
            self.assertEqual(await aside(pull.receive), [b"in pieces"])

        self.in_both_roles(PULL, "PUSH", check)

    def test_pings(self):
        async def check(pull, wire):
            await asyncio.wait_for(await wire.ping(b"there?"), PATIENCE_S)
            await wire.pong(b"unasked")
            await wire.send(b"\0on")
            self.assertEqual(await aside(pull.receive), [b"on"])

        self.in_both_roles(PULL, "PUSH", check)

    def test_compression_is_declined(self):
        async def check(_, wire):
            self.assertEqual(wire.extensions, [])

        self.in_both_roles(PULL, "PUSH", check)

    def test_what_is_asked_for(self):
        async def work():
            with ours(PUSH) as push:
                async with server_for(push, "PULL", path="/some/where") as wire:
                    self.assertEqual(wire.path, "/some/where")
                    self.assertEqual(wire.request_headers["Host"], f"127.0.0.1:{wire.local_address[1]}")
                    self.assertEqual(wire.subprotocol, "ZWS2.0/NULL")

        run(work())

    def test_a_path_that_nobody_serves(self):
        async def work():
            with ours(PULL) as pull:
                end = pull.attach("bind", "ws://127.0.0.1:*/here")
                with self.assertRaises(websockets.InvalidStatusCode) as refused:
                    async with websockets.connect(end.replace("/here", "/there"), subprotocols=["ZWS2.0"]):
                        pass
                self.assertEqual(refused.exception.status_code, 404)

        run(work())

    def test_topics(self):
        async def check(publisher, wire):
            await wire.send(b"\0\1we")  # a subscription, as a message
            self.assertEqual(await aside(publisher.receive), [b"\1we"])
            for message in (b"wind", b"weather"):
                publisher.send([message])
            self.assertEqual(await wire.recv(), b"\0weather")

        self.in_both_roles(XPUB, "SUB", check)

    def test_names(self):
        async def check(router, wire):
            await wire.send(b"\0hello")
            self.assertEqual(await aside(router.receive), [b"me", b"hello"])
            router.send([b"me", b"", b"you"])
            self.assertEqual((await wire.recv(), await wire.recv()), (b"\1", b"\0you"))

        self.in_both_roles(ROUTER, "DEALER", check, identity="me")

    def test_requests(self):
        async def check(rep, wire):
            await wire.send(b"\1")
            await wire.send(b"\0what")
            self.assertEqual(await aside(rep.receive), [b"what"])
            rep.send([b"that"])
            self.assertEqual((await wire.recv(), await wire.recv()), (b"\1", b"\0that"))

        self.in_both_roles(REP, "REQ", check)

    def test_closes(self):
        for code, reason in [(1000, ""), (1001, "Grüße"), (4000, "x" * 123)]:

            async def check(pull, wire, code=code, reason=reason):
                await wire.close(code, reason)
                self.assertEqual(wire.close_code, code)

            self.in_both_roles(PULL, "PUSH", check)

    def test_our_close(self):
        async def check(pull, wire):
            closing = aside(pull.close)
            with self.assertRaises(websockets.ConnectionClosedOK):
                await wire.recv()
            await closing
            self.assertEqual(wire.close_code, 1000)

        # The socket is closed within: no with.
        async def as_client():
            pull = library.socket(PULL)
            async with client_of(pull, "PUSH") as wire:
                await check(pull, wire)

        async def as_server():
            pull = library.socket(PULL)
            async with server_for(pull, "PUSH") as wire:
                await check(pull, wire)

        run(as_client())
        run(as_server())

    def test_we_come_back(self):
        async def work():
            told = asyncio.get_running_loop().create_future()

            async def serve_more(wire):
                told.set_result(await wire.recv())

            with ours(PUSH) as push:
                async with server_for(push, "PULL", serve_more=serve_more) as wire:
                    await aside(push.send, [b"first"])
                    self.assertEqual(await wire.recv(), b"\0first")
                    await wire.close(1012, "restarting")
                    await aside(push.send, [b"second"])
                    self.assertEqual(await told, b"\0second")

        run(work())


class Nginx:
    """In front of a listener of ours, under another path. It is told a free port; another may take that first."""

    CONFIGURATION = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors warn;
events {{ worker_connections 64; }}
http {{
    access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{front};
        location /bus {{
            proxy_pass http://127.0.0.1:{back}/inner; proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade"; proxy_set_header Host $host;
        }}
    }}
}}
"""

    def __init__(self, back):
        with plain.create_server(("127.0.0.1", FREE)) as free:
            front = free.getsockname()[1]
        self.end = f"ws://127.0.0.1:{front}/bus"
        self._folder = tempfile.TemporaryDirectory(prefix="zlink-nginx-")
        configuration = Path(self._folder.name, "nginx.conf")
        configuration.write_text(self.CONFIGURATION.format(folder=self._folder.name, front=front, back=back), encoding="utf-8")
        self._process = subprocess.Popen([NGINX, "-p", self._folder.name, "-c", str(configuration)], stderr=subprocess.DEVNULL)

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()


@unittest.skipUnless(NGINX, "nginx is not here")
class ReverseProxy(unittest.TestCase):
    def through(self, kind, dialling, check):
        """check (what is behind the proxy, who dials it); ours both."""
        with ours(kind) as behind, ours(dialling) as dials:
            end = behind.attach("bind", "ws://127.0.0.1:*/inner")
            proxy = Nginx(end.split(":")[2].split("/")[0])
            try:
                dials.attach("connect", proxy.end)  # again and again, until the proxy is up
                check(behind, dials)
            finally:
                proxy.stop()

    def test_both_ways(self):
        def check(behind, dials):
            for size in SIZES:
                dials.send([b"q" * size, b"", b"end"])
                self.assertTrue(behind.receive() == [b"q" * size, b"", b"end"], f"{size} octets")
                behind.send([b"a" * size])
                self.assertTrue(dials.receive() == [b"a" * size], f"{size} octets")

        self.through(DEALER, DEALER, check)

    def test_requests(self):
        def check(behind, dials):
            for number in range(100):
                dials.send([b"%d" % number])
                self.assertEqual(behind.receive(), [b"%d" % number])
                behind.send([b"%d!" % number])
                self.assertEqual(dials.receive(), [b"%d!" % number])

        self.through(REP, REQ, check)

    def test_topics(self):
        def check(behind, dials):
            dials.set(SUBSCRIBE, b"we")
            self.assertEqual(behind.receive(), [b"\1we"])
            for message in (b"wind", b"weather"):
                behind.send([message])
            self.assertEqual(dials.receive(), [b"weather"])

        self.through(XPUB, SUB, check)


def main():
    global library
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--prefix", default="zlink_")
    parser.add_argument("--only", nargs="*", default=[], help="names of tests; all without it")
    options = parser.parse_args()
    library = Library(options.library, options.prefix)
    outcome = unittest.main(argv=[sys.argv[0], *options.only], exit=False, verbosity=2).result
    library.term()
    return 0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
