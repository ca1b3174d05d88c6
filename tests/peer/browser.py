"""A page in Chromium, with bindings/browser/zws.js, against our library over ws.

browser.py --library libzlink.so [--prefix zlink_] [--chromium PATH]
"""

import argparse
import contextlib
import errno
import http.server
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from ours import PATIENCE_MS, Failure, Library

SUB, REQ, REP, DEALER, ROUTER, XPUB, ROUTING_ID, SUBSCRIBE, UNSUBSCRIBE = 2, 3, 4, 5, 6, 9, 5, 6, 7
HERE = Path(__file__).resolve().parent
FILES = {
    "/page.html": (HERE / "browser" / "page.html", "text/html"),
    "/page.js": (HERE / "browser" / "page.js", "text/javascript"),
    "/zws.js": (HERE.parents[1] / "bindings" / "browser" / "zws.js", "text/javascript"),
}
SIZES = 7  # how many the page tries
MANY = 300
START_S = 120  # on a busy machine
# It is root's in CI, and is to look for nothing outside.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--no-proxy-server"]

options = None
library = None


# --- the other ends: each gets a socket that is bound ---


def dealer(router):
    for _ in range(SIZES + MANY):
        name, *rest = router.receive()
        assert name == b"page", name
        router.send([name, *rest])


def router(ours):
    ours.send([b"hello", b"page"])
    assert ours.receive() == [b"hello", b"you"]
    ours.send([b"done"])


def req(rep):
    for _ in range(MANY):
        rep.send([b"answer", *rep.receive()])


def rep(ours):
    for number in range(MANY):
        ours.send([b"%d" % number])
        assert ours.receive() == [b"answer", b"%d" % number]


def sub(publisher):
    assert publisher.receive() == [b"\1weather"]
    for message in ([b"wind"], [b"weather.today", b"rain"]):
        publisher.send(message)
    assert {publisher.receive()[0], publisher.receive()[0]} == {b"\1wind", b"\0weather"}
    for message in ([b"weather"], [b"wind"]):
        publisher.send(message)


def pub(ours):
    ours.set(SUBSCRIBE, b"we")
    assert ours.receive() == [b"weather", b"yes"]
    ours.set(UNSUBSCRIBE, b"we")


def again(ours):
    assert ours.receive()[1:] == [b"first"]
    end = ours.endpoint
    ours.close()
    ours.open_again(end)
    name, body = ours.receive()
    assert body == b"second", body
    ours.send([name, b"seen"])


ENDS = {"dealer": (dealer, ROUTER), "router": (router, DEALER), "req": (req, REP), "rep": (rep, REQ), "sub": (sub, XPUB),
        "pub": (pub, SUB), "again": (again, ROUTER)}


class End:
    """A socket of ours that is bound, and can be bound again where it was."""

    def __init__(self, kind):
        self._kind = kind
        self._made = None
        self.endpoint = None
        self.open_again("ws://127.0.0.1:*/page")

    def __getattr__(self, name):
        return getattr(self._made, name)

    def open_again(self, endpoint):
        self._made = library.socket(self._kind)
        if self._kind == DEALER:
            self._made.set(ROUTING_ID, b"ours")
        until = time.monotonic() + PATIENCE_MS / 1000
        while True:
            try:
                self.endpoint = self._made.attach("bind", endpoint)
                return
            except Failure as failure:  # the last one's end may still be going on
                if failure.number != errno.EADDRINUSE or time.monotonic() > until:
                    raise


class Site(http.server.ThreadingHTTPServer):
    """Has the page and where our ends are, and is told what came of each trial."""

    def __init__(self, endpoints):
        self.endpoints = json.dumps(endpoints).encode()
        self.outcomes = queue.Queue()
        self.visited = threading.Event()
        super().__init__(("127.0.0.1", 0), Visit)
        self.page = f"http://127.0.0.1:{self.server_address[1]}/page.html"


class Visit(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/endpoints":
            self.server.visited.set()
            self.answer(self.server.endpoints, "application/json")
        elif self.path in FILES:
            file, kind = FILES[self.path]
            self.answer(file.read_bytes(), kind)
        else:
            self.send_error(404)

    def do_POST(self):
        said = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.outcomes.put(json.loads(said))
        self.answer(b"", "text/plain")


@contextlib.contextmanager
def browsing(page):
    with tempfile.TemporaryDirectory(prefix="zlink-browser-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen([options.chromium, *FLAGS, f"--user-data-dir={folder}", page],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


class Page(unittest.TestCase):
    def test_each_type_talks(self):
        ends = {name: End(kind) for name, (_, kind) in ENDS.items()}
        wrong = queue.Queue()

        def work(name):
            try:
                ENDS[name][0](ends[name])
            except (AssertionError, Failure) as why:
                wrong.put(f"{name}: {why!r}")

        with Site({name: end.endpoint for name, end in ends.items()}) as site, browsing(site.page):
            serving = threading.Thread(target=site.serve_forever)
            serving.start()
            workers = [threading.Thread(target=work, args=[name]) for name in ends]
            try:
                # The patience of our own calls begins when the page is there.
                self.assertTrue(site.visited.wait(START_S), "the browser never came")
                for each in workers:
                    each.start()
                found = {}
                while len(found) < len(ends):
                    found.update([site.outcomes.get(timeout=START_S)])
            finally:
                site.shutdown()
                serving.join()
        for each in workers:
            each.join()
        for end in ends.values():
            end.close()
        self.assertEqual(list(wrong.queue), [])
        self.assertEqual(found, dict.fromkeys(ends, "ok"))


def main():
    global options, library
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--prefix", default="zlink_")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    library = Library(options.library, options.prefix)
    outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    library.term()
    return 0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
