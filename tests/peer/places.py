"""Both libraries in this one process, and the ends that talk in it.

A script that uses this is called so:

    SCRIPT --library libzlink.so [--prefix zlink_] --ipc -- LIBZMQ

or, with a library that is not C's, whose sockets are in a process of their own (remote.py), so:

    SCRIPT --library libzlink.so [--prefix zlink_] --remote --peer NAME [--always NAME=NUMBER...] -- COMMAND...

Nothing waits for time to pass: an end that is to be heard of is asked.
"""

import functools
import itertools
import subprocess
import tempfile
import unittest
from pathlib import Path

from listed import defects_of, lacks_of, must_have
from ours import LOOK_EVERY_MS, PAIR, PATIENCE_MS, PULL, PUSH, Library
from remote import Remote

PUB, SUB, REQ, REP, DEALER, ROUTER, XPUB, XSUB = 1, 2, 3, 4, 5, 6, 9, 10
SERVER, CLIENT, RADIO, DISH, GATHER, SCATTER, DGRAM, PEER, CHANNEL = 12, 13, 14, 15, 16, 17, 18, 19, 20
ROUTING_ID, SUBSCRIBE, UNSUBSCRIBE, SNDHWM, RCVHWM = 5, 6, 7, 23, 24
XPUB_VERBOSE, PROBE_ROUTER, REQ_CORRELATE, REQ_RELAXED, CONFLATE, ROUTER_HANDOVER = 40, 51, 52, 53, 54, 56
XPUB_NODROP, XPUB_MANUAL, WELCOME_MSG, INVERT_MATCHING, XPUB_VERBOSER = 69, 71, 72, 74, 78
HEARTBEAT_IVL, HEARTBEAT_TTL, HEARTBEAT_TIMEOUT, METADATA, ONLY_FIRST_SUBSCRIBE = 75, 76, 77, 95, 108
XPUB_MANUAL_LAST_VALUE, HELLO_MSG, XSUB_VERBOSE_UNSUBSCRIBE = 98, 110, 115
PLAIN_SERVER, PLAIN_USERNAME, PLAIN_PASSWORD, ZAP_DOMAIN, ZAP_ENFORCE_DOMAIN = 44, 45, 46, 55, 93
CURVE_SERVER, CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY = 47, 48, 49, 50
HANDSHAKE_IVL = 66
WSS_KEY_PEM, WSS_CERT_PEM, WSS_TRUST_PEM, WSS_HOSTNAME = 103, 104, 105, 106

# What a type that a peer has not is called in lacks.txt.
KINDS = {PAIR: "PAIR", PUB: "PUB", SUB: "SUB", REQ: "REQ", REP: "REP", DEALER: "DEALER", ROUTER: "ROUTER", PULL: "PULL",
         PUSH: "PUSH", XPUB: "XPUB", XSUB: "XSUB", SERVER: "SERVER", CLIENT: "CLIENT", RADIO: "RADIO", DISH: "DISH",
         GATHER: "GATHER", SCATTER: "SCATTER", DGRAM: "DGRAM", PEER: "PEER", CHANNEL: "CHANNEL"}

options = None
ours = None
theirs = None
lacking = {}
spared = set()


class End:
    """A socket whose waits let the other ends work: libzmq takes note of who has connected in the calls of its user."""

    def __init__(self, place, made):
        self._place = place
        self._made = made

    def __getattr__(self, name):
        return getattr(self._made, name)

    def receive(self):
        return self._got(self._made.try_receive)

    def receive_properties(self, names):
        return self._got(lambda: self._made.try_receive_properties(names))

    def receive_from(self):
        return self._got(self._made.try_receive_from)

    def receive_group(self):
        return self._got(self._made.try_receive_group)

    def _got(self, attempt):
        for _ in range(PATIENCE_MS // LOOK_EVERY_MS):
            message = attempt()
            if message is not None:
                return message
            for each in self._place.opened:
                each.wait(0)
            self._made.wait(LOOK_EVERY_MS)
        raise AssertionError("nothing came")


class Place:
    """Two libraries, a transport, and which end binds."""

    def __init__(self, first, second, endpoint, first_binds, always=None):
        """always: options of every socket, by number."""
        self.libraries = first, second
        self.endpoint = endpoint
        self.always = always or {}
        self.first_binds = first_binds
        self.opened = []

    def open(self, which, kind, quiet=False, **settings):
        """A socket of one of the two libraries; settings are options by name. Of a quiet XPUB nobody asks who
        subscribes."""
        told = ["TOLD_SUBSCRIPTIONS"] if kind == XPUB and not quiet else []
        self.needs(which, KINDS[kind], *told, *settings)
        made = End(self, self.libraries[which].socket(kind))
        self.opened.append(made)
        for option, value in self.always.items():
            made.set(option, value)
        for name, value in settings.items():
            made.set(globals()[name], value)
        return made

    def lacked(self, which, *names):
        """Those that the library is said to lack, where it is the peer's."""
        return set(lacking).intersection(names) if self.libraries[which] is theirs else set()

    def needs(self, which, *names):
        """Leaves the check out where that library is the peer's and has no such options, or else is said to lack it."""
        must_have(lacking, *self.lacked(which, *names))

    def join(self, first, second, *more_seconds, way=lambda end: end):
        """Ends of the same kind come behind the second; then the first binds. way: where those who connect go
        instead of to the end that was bound."""
        binder, others = (first, [second, *more_seconds])
        if not self.first_binds and not more_seconds:
            binder, others = second, [first]
        theirs_binds = self.libraries[0 if binder is first else 1] is theirs
        if ("all", "bound") in spared and theirs_binds != options.defects:
            raise unittest.SkipTest("a defect of the peer where it binds, see defects.txt")
        end = way(binder.attach("bind", self.endpoint()))
        for each in others:
            each.attach("connect", end)
        return end

    def pair(self, first_kind, second_kind, first=None, second=None):
        one = self.open(0, first_kind, **(first or {}))
        other = self.open(1, second_kind, **(second or {}))
        self.join(one, other)
        return one, other

    def close(self):
        while self.opened:
            self.opened.pop().close()


@functools.cache
def certificates():
    """What both ends of wss say and trust: a certificate that is made on the spot, of this host."""
    with tempfile.TemporaryDirectory(prefix="zlink-peer-") as folder:
        key, certificate = Path(folder, "key"), Path(folder, "certificate")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                        "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
        own = certificate.read_bytes()
        return {WSS_KEY_PEM: key.read_bytes(), WSS_CERT_PEM: own, WSS_TRUST_PEM: own, WSS_HOSTNAME: b"localhost"}


def spare(test, sides):
    """Leaves the test out with these sides as a defect of the peer; where only those are run, as none."""
    if ((test._testMethodName, sides) in spared) != options.defects and ("all", "bound") not in spared:
        test.skipTest("a defect of the peer, see defects.txt")


class BothWays(unittest.TestCase):
    """Each check runs with ours in the one place and in the other, and with either end binding."""

    def everywhere(self, check, transports=None, first_binds=(True, False)):
        """transports: the only ones that the check is for."""
        numbers = itertools.count()
        with tempfile.TemporaryDirectory(prefix="zlink-peer-") as folder:
            endpoints = {"tcp": lambda: "tcp://127.0.0.1:*"}
            if options.ipc:
                endpoints["ipc"] = lambda: f"ipc://{folder}/{next(numbers)}"
            sides = {"ours first": (ours, theirs), "theirs first": (theirs, ours)}
            if options.over:
                endpoints["ipc"] = lambda: f"ipc://{folder}/{next(numbers)}"
                endpoints = {name: endpoints.get(name, lambda name=name: f"{name}://127.0.0.1:*") for name in options.over}
            used = [name for name in endpoints if transports is None or name in transports]
            for (name, (first, second)), transport, binds in itertools.product(sides.items(), used, first_binds):
                with self.subTest(sides=name, transport=transport, first_binds=binds):
                    spare(self, name)
                    always = certificates() if transport == "wss" else {}
                    place = Place(first, second, endpoints[transport], binds, always)
                    try:
                        check(place)
                    finally:
                        place.close()


def begin(given, loaded):
    """Answers what is to be called in the end."""
    global options, ours, theirs, lacking, spared
    options, ours = given, loaded
    if not given.remote:
        theirs = Library(given.command[0], "zmq_")
        return lambda: None
    always = (setting.split("=") for setting in given.always)
    theirs = Remote(given.command, {globals()[name]: int(value) for name, value in always})
    lacking = lacks_of(given.peer)
    spared = defects_of(given.peer)
    return theirs.term
