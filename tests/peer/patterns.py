"""Every pattern with names and topics between our library and another, in both directions, over tcp and ipc.

patterns.py --library libzlink.so [--prefix zlink_] --ipc -- LIBZMQ
"""

import socket as plain
import struct
import sys
import unittest

import places
from against import run_against_peer
from ours import LOOK_EVERY_MS, PATIENCE_MS, PULL, PUSH, Failure
from places import DEALER, PUB, REP, REQ, ROUTER, SUB, SUBSCRIBE, UNSUBSCRIBE, XPUB, XSUB, BothWays

SIZES = [0, 1, 254, 255, 256, 8192, 70_000, 1 << 20]
MANY = 3_000
AT_ONCE = 200


class Patterns(BothWays):
    # --- topics ---

    def test_topics(self):
        def check(at):
            publisher, subscriber = at.pair(XPUB, SUB, second={"SUBSCRIBE": b"weather"})
            self.assertEqual(publisher.receive(), [b"\1weather"])
            for message in ([b"wind", b"x"], [b"weather.today", b"", b"rain"], [b"weathe"], [b"weather"]):
                publisher.send(message)
            self.assertEqual(subscriber.receive(), [b"weather.today", b"", b"rain"])
            self.assertEqual(subscriber.receive(), [b"weather"])
            subscriber.set(SUBSCRIBE, b"wind")
            self.assertEqual(publisher.receive(), [b"\1wind"])
            subscriber.set(UNSUBSCRIBE, b"weather")
            self.assertEqual(publisher.receive(), [b"\0weather"])
            publisher.send([b"weather"])
            publisher.send([b"wind"])
            self.assertEqual(subscriber.receive(), [b"wind"])

        self.everywhere(check)

    def test_a_plain_publisher(self):
        def check(at):
            publisher, subscriber = at.pair(PUB, SUB, second={"SUBSCRIBE": b""})
            self.hear(publisher, subscriber)

        self.everywhere(check)

    def test_a_quiet_publisher(self):
        def check(at):
            for kinds in [(PUB, XSUB), (XPUB, SUB), (XPUB, XSUB)]:
                asked = kinds[1] == SUB
                publisher = at.open(0, kinds[0], **({"quiet": True} if kinds[0] == XPUB else {}))
                subscriber = at.open(1, kinds[1], **({"SUBSCRIBE": b""} if asked else {}))
                at.join(publisher, subscriber)
                if not asked:
                    subscriber.send([b"\1"])
                self.hear(publisher, subscriber)

        self.everywhere(check)

    def hear(self, publisher, subscriber):
        """Until the subscriber has heard the publisher, and nothing else is under way."""
        heard = None
        for _ in range(PATIENCE_MS // LOOK_EVERY_MS):
            publisher.send([b"call"])
            heard = subscriber.try_receive()
            if heard is not None:
                break
            publisher.wait(0)
            subscriber.wait(LOOK_EVERY_MS)
        publisher.send([b"end"])
        while heard == [b"call"]:
            heard = subscriber.receive()
        self.assertEqual(heard, [b"end"])

    def test_all_sizes_and_many(self):
        def check(at):
            publisher, subscriber = at.pair(XPUB, SUB, first={"XPUB_NODROP": 1}, second={"SUBSCRIBE": b""})
            self.assertEqual(publisher.receive(), [b"\1"])
            for size in SIZES:
                publisher.send([b"s" * size, b"e"])
                self.assertTrue(subscriber.receive() == [b"s" * size, b"e"], f"{size} bytes")
            for start in range(0, MANY, AT_ONCE):
                for number in range(start, start + AT_ONCE):
                    publisher.send([b"%d" % number])
                for number in range(start, start + AT_ONCE):
                    self.assertEqual(subscriber.receive(), [b"%d" % number])

        self.everywhere(check)

    def test_all_sizes_from_a_plain_publisher(self):
        """One after the other: nothing is dropped for want of room."""

        def check(at):
            publisher, subscriber = at.pair(PUB, SUB, second={"SUBSCRIBE": b""})
            self.hear(publisher, subscriber)
            for size in SIZES:
                publisher.send([b"s" * size, b"e"])
                self.assertTrue(subscriber.receive() == [b"s" * size, b"e"], f"{size} bytes")

        self.everywhere(check)

    def test_a_pipeline(self):
        def check(at):
            source, sink = at.pair(PUSH, PULL)
            for size in SIZES:
                source.send([b"s" * size, b"", b"e"])
                self.assertTrue(sink.receive() == [b"s" * size, b"", b"e"], f"{size} bytes")
            for start in range(0, MANY, AT_ONCE):
                for number in range(start, start + AT_ONCE):
                    source.send([b"%d" % number])
                for number in range(start, start + AT_ONCE):
                    self.assertEqual(sink.receive(), [b"%d" % number])

        self.everywhere(check)

    def test_subscriptions_of_an_xsub(self):
        def check(at):
            at.needs(1, "MESSAGES_OF_XSUB")
            publisher, subscriber = at.pair(XPUB, XSUB)
            subscriber.send([b"\1a"])
            self.assertEqual(publisher.receive(), [b"\1a"])
            subscriber.send([b"upstream", b"part"])
            self.assertEqual(publisher.receive(), [b"upstream", b"part"])
            publisher.send([b"abc"])
            self.assertEqual(subscriber.receive(), [b"abc"])
            subscriber.send([b"\0a"])
            self.assertEqual(publisher.receive(), [b"\0a"])

        self.everywhere(check)

    def test_subscriptions_of_an_xsub_with_a_plain_publisher(self):
        def check(at):
            at.needs(0, "FILTERING_PUB")
            at.needs(1, "MESSAGES_OF_XSUB")
            publisher, subscriber = at.pair(PUB, XSUB)
            subscriber.send([b"\1a"])
            subscriber.send([b"for nobody"])  # a PUB has no ear for it
            heard = None
            while heard is None:
                publisher.send([b"b"])
                publisher.send([b"a", b"call"])
                heard = subscriber.try_receive()
            while heard == [b"a", b"call"]:
                publisher.send([b"a", b"end"])
                heard = subscriber.receive()
            self.assertEqual(heard, [b"a", b"end"])

        self.everywhere(check)

    def test_manual(self):
        """What the application says instead of what was asked for; what the subscriber asked for, it filters by."""

        def check(at):
            publisher, subscriber = at.pair(XPUB, SUB, first={"XPUB_MANUAL": 1}, second={"SUBSCRIBE": b"a"})
            self.assertEqual(publisher.receive(), [b"\1a"])
            publisher.set(SUBSCRIBE, b"ab")
            for message in ([b"ac"], [b"abc"]):
                publisher.send(message)
            self.assertEqual(subscriber.receive(), [b"abc"])
            subscriber.set(SUBSCRIBE, b"b")
            self.assertEqual(publisher.receive(), [b"\1b"])
            publisher.set(UNSUBSCRIBE, b"ab")
            publisher.set(SUBSCRIBE, b"b")
            for message in ([b"abc"], [b"bc"]):
                publisher.send(message)
            self.assertEqual(subscriber.receive(), [b"bc"])
            subscriber.set(UNSUBSCRIBE, b"a")
            self.assertEqual(publisher.receive(), [b"\0a"])

        self.everywhere(check)

    def test_manual_for_an_xsub(self):
        def check(at):
            at.needs(1, "UNFILTERED_XSUB")
            publisher, subscriber = at.pair(XPUB, XSUB, first={"XPUB_MANUAL": 1})
            subscriber.send([b"\1a"])
            self.assertEqual(publisher.receive(), [b"\1a"])
            publisher.set(SUBSCRIBE, b"b")
            for message in ([b"a"], [b"b"]):
                publisher.send(message)
            self.assertEqual(subscriber.receive(), [b"b"])

        self.everywhere(check)

    def test_last_value(self):
        """To a newcomer alone."""

        def check(at):
            publisher = at.open(0, XPUB, XPUB_MANUAL_LAST_VALUE=1)
            subscribers = [at.open(1, SUB) for _ in range(2)]
            at.join(publisher, *subscribers)
            for number, each in enumerate(subscribers):
                each.set(SUBSCRIBE, b"same")
                self.assertEqual(publisher.receive(), [b"\1same"])
                publisher.set(SUBSCRIBE, b"same")
                publisher.send([b"same", b"last for %d" % number])
                self.assertEqual(each.receive(), [b"same", b"last for %d" % number])
            publisher.send([b"same", b"new"])
            for each in subscribers:
                self.assertEqual(each.receive(), [b"same", b"new"])

        self.everywhere(check)

    def test_topics_in_first_parts_only(self):
        def check(at):
            publisher, subscriber = at.pair(XPUB, XSUB, first={"ONLY_FIRST_SUBSCRIBE": 1},
                                            second={"ONLY_FIRST_SUBSCRIBE": 1})
            subscriber.send([b"\1b"])
            self.assertEqual(publisher.receive(), [b"\1b"])
            subscriber.send([b"user", b"\1a"])
            self.assertEqual(publisher.receive(), [b"user", b"\1a"])
            for message in ([b"a"], [b"b"]):
                publisher.send(message)
            self.assertEqual(subscriber.receive(), [b"b"])

        self.everywhere(check)

    def test_verbose(self):
        def check(at):
            publisher = at.open(0, XPUB, XPUB_VERBOSE=1)
            subscribers = [at.open(1, SUB, SUBSCRIBE=b"same") for _ in range(2)]
            at.join(publisher, *subscribers)
            self.assertEqual([publisher.receive() for _ in subscribers], [[b"\1same"]] * 2)
            publisher.send([b"same"])
            for each in subscribers:
                self.assertEqual(each.receive(), [b"same"])

        self.everywhere(check)

    def test_very_verbose(self):
        def check(at):
            publisher = at.open(0, XPUB, XPUB_VERBOSER=1)
            subscribers = [at.open(1, SUB, SUBSCRIBE=b"same") for _ in range(2)]
            at.join(publisher, *subscribers)
            self.assertEqual([publisher.receive() for _ in subscribers], [[b"\1same"]] * 2)
            for each in subscribers:
                each.set(UNSUBSCRIBE, b"same")
            self.assertEqual([publisher.receive() for _ in subscribers], [[b"\0same"]] * 2)

        self.everywhere(check)

    def test_welcome(self):
        def check(at):
            _, subscriber = at.pair(XPUB, SUB, first={"WELCOME_MSG": b"hello"}, second={"SUBSCRIBE": b"hel"})
            self.assertEqual(subscriber.receive(), [b"hello"])

        self.everywhere(check)

    def open_drafted(self, at, kind, **settings):
        """An end of the first library, if that has these options: of libzmq's only a build with its drafts does."""
        try:
            return at.open(0, kind, **settings)
        except Failure as failure:
            if at.libraries[0] is places.ours:
                raise
            raise unittest.SkipTest(f"the peer has no {', '.join(settings)}") from failure

    def test_hello(self):
        """First on every connection, and no reply to anything."""

        def check(at):
            greeting = self.open_drafted(at, ROUTER, HELLO_MSG=b"welcome")
            others = [at.open(1, DEALER, ROUTING_ID=b"%d" % number) for number in range(2)]
            at.join(greeting, *others)
            for each in others:
                self.assertEqual(each.receive(), [b"welcome"])
                each.send([b"thanks"])
            self.assertEqual(sorted(greeting.receive() for _ in others), [[b"0", b"thanks"], [b"1", b"thanks"]])
            greeting.send([b"1", b"then"])
            self.assertEqual(others[1].receive(), [b"then"])

        self.everywhere(check)

    def test_every_cancellation(self):
        def check(at):
            subscriber = self.open_drafted(at, XSUB, XSUB_VERBOSE_UNSUBSCRIBE=1)
            publisher = at.open(1, XPUB, XPUB_VERBOSER=1)
            at.join(subscriber, publisher)
            subscriber.send([b"\1here"])  # what is taken back before there is anybody is not said at all
            self.assertEqual(publisher.receive(), [b"\1here"])
            for message in (b"\1a", b"\1a", b"\0a", b"\0a"):
                subscriber.send([message])
            self.assertEqual([publisher.receive() for _ in range(4)], [[b"\1a"], [b"\1a"], [b"\0a"], [b"\0a"]])

        self.everywhere(check)

    def test_inverted(self):
        def check(at):
            publisher, subscriber = at.pair(XPUB, SUB, first={"INVERT_MATCHING": 1},
                                            second={"INVERT_MATCHING": 1, "SUBSCRIBE": b"not"})
            self.assertEqual(publisher.receive(), [b"\1not"])
            for message in ([b"not this"], [b"this"]):
                publisher.send(message)
            self.assertEqual(subscriber.receive(), [b"this"])

        self.everywhere(check)

    def test_subscriptions_by_message(self):
        """A subscriber of protocol 3.0, byte by byte: it knows no commands for topics."""
        publisher = places.ours.socket(XPUB)
        try:
            port = publisher.attach("bind", "tcp://127.0.0.1:*").rsplit(":", 1)[1]
            with plain.create_connection(("127.0.0.1", int(port)), timeout=20) as wire:
                file = wire.makefile("rb")
                wire.sendall(b"\xff" + bytes(8) + b"\x7f\3\0NULL" + bytes(16) + b"\0" + bytes(31))
                self.assertEqual(len(file.read(64)), 64)
                ready = b"\5READY\x0bSocket-Type" + struct.pack(">I", 3) + b"SUB"
                wire.sendall(b"\4" + bytes([len(ready)]) + ready + b"\0\2\1a")
                self.assertEqual(publisher.receive(), [b"\1a"])
                publisher.send([b"b"])
                publisher.send([b"abc"])
                head = file.read(2)
                self.assertEqual(head[0] & 4, 4)  # their READY
                file.read(head[1])
                self.assertEqual(file.read(5), b"\0\3abc")
                wire.sendall(b"\0\2\0a")
                self.assertEqual(publisher.receive(), [b"\0a"])
        finally:
            publisher.close()

    # --- names ---

    def test_names(self):
        def check(at):
            at.needs(0, "ROUTER_NAMES")
            router, dealer = at.pair(ROUTER, DEALER, second={"ROUTING_ID": b"dealer"})
            for size in SIZES:
                dealer.send([b"q" * size, b"", b"end"])
                self.assertTrue(router.receive() == [b"dealer", b"q" * size, b"", b"end"], f"{size} bytes")
                router.send([b"dealer", b"a" * size])
                self.assertTrue(dealer.receive() == [b"a" * size], f"{size} bytes")
            for start in range(0, MANY, AT_ONCE):
                for number in range(start, start + AT_ONCE):
                    dealer.send([b"%d" % number])
                for number in range(start, start + AT_ONCE):
                    self.assertEqual(router.receive(), [b"dealer", b"%d" % number])

        self.everywhere(check)

    def test_a_router_answers(self):
        """Whatever it calls its peer."""

        def check(at):
            router, dealer = at.pair(ROUTER, DEALER)
            for size in SIZES:
                dealer.send([b"q" * size, b"", b"end"])
                name, *message = router.receive()
                self.assertTrue(message == [b"q" * size, b"", b"end"], f"{size} bytes")
                router.send([name, b"", b"a" * size])
                self.assertTrue(dealer.receive() == [b"", b"a" * size], f"{size} bytes")

        self.everywhere(check)

    def test_two_routers(self):
        def check(at):
            at.needs(0, "ROUTER_NAMES")
            one, other = at.pair(ROUTER, ROUTER, first={"ROUTING_ID": b"one", "PROBE_ROUTER": 1},
                                 second={"ROUTING_ID": b"other", "PROBE_ROUTER": 1})
            self.assertEqual(one.receive(), [b"other", b""])
            self.assertEqual(other.receive(), [b"one", b""])
            one.send([b"other", b"there"])
            self.assertEqual(other.receive(), [b"one", b"there"])
            other.send([b"one", b"and", b"back"])
            self.assertEqual(one.receive(), [b"other", b"and", b"back"])

        self.everywhere(check)

    def test_probe(self):
        def check(at):
            at.needs(0, "ROUTER_NAMES")
            router, dealer = at.pair(ROUTER, DEALER, second={"ROUTING_ID": b"probing", "PROBE_ROUTER": 1})
            self.assertEqual(router.receive(), [b"probing", b""])
            router.send([b"probing", b"seen"])
            self.assertEqual(dealer.receive(), [b"seen"])

        self.everywhere(check)

    def test_handover(self):
        def check(at):
            router = at.open(0, ROUTER, ROUTER_HANDOVER=1)
            dealers = [at.open(1, DEALER, ROUTING_ID=b"same") for _ in range(2)]
            end = at.join(router, dealers[0])
            dealers[0].send([b"first"])
            self.assertEqual(router.receive(), [b"same", b"first"])
            dealers[1].attach("connect", end)
            dealers[1].send([b"second"])
            self.assertEqual(router.receive(), [b"same", b"second"])
            router.send([b"same", b"to the second"])
            self.assertEqual(dealers[1].receive(), [b"to the second"])

        self.everywhere(check, first_binds=[True])

    # --- dealers ---

    def test_two_dealers(self):
        def check(at):
            one, other = at.pair(DEALER, DEALER)
            for size in SIZES:
                one.send([b"q" * size, b"", b"end"])
                other.send([b"a" * size])  # nobody waits for the other
                self.assertTrue(other.receive() == [b"q" * size, b"", b"end"], f"{size} bytes")
                self.assertTrue(one.receive() == [b"a" * size], f"{size} bytes")
            for start in range(0, MANY, AT_ONCE):
                for number in range(start, start + AT_ONCE):
                    one.send([b"%d" % number])
                    other.send([b"%d" % -number])
                for number in range(start, start + AT_ONCE):
                    self.assertEqual((other.receive(), one.receive()), ([b"%d" % number], [b"%d" % -number]))

        self.everywhere(check)

    def test_dealt_in_turn(self):
        def check(at):
            dealing = at.open(0, DEALER)
            others = [at.open(1, DEALER) for _ in range(3)]
            at.join(dealing, *others)
            for each in others:
                each.send([b"here"])
                self.assertEqual(dealing.receive(), [b"here"])
            for number in range(30):
                dealing.send([b"%d" % number, b"more"])
            got = [[each.receive() for _ in range(10)] for each in others]
            self.assertEqual(sorted(int(number) for each in got for number, _ in each), list(range(30)))
            for each in got:
                numbers = [int(number) for number, _ in each]
                self.assertEqual(numbers, list(range(numbers[0], 30, 3)))

        self.everywhere(check)

    # --- requests ---

    def test_requests(self):
        def check(at):
            asking, answering = at.pair(REQ, REP)
            for number in range(100):
                asking.send([b"%d" % number])
                self.assertEqual(answering.receive(), [b"%d" % number])
                answering.send([b"%d!" % number])
                self.assertEqual(asking.receive(), [b"%d!" % number])
            for size in SIZES[1:]:
                asking.send([b"q" * size])
                self.assertTrue(answering.receive() == [b"q" * size], f"{size} bytes")
                answering.send([b"a" * size])
                self.assertTrue(asking.receive() == [b"a" * size], f"{size} bytes")

        self.everywhere(check)

    def test_requests_in_parts(self):
        def check(at):
            at.needs(0, "REQUESTS_IN_PARTS")
            asking, answering = at.pair(REQ, REP)
            for number in range(100):
                asking.send([b"%d" % number, b"?"])
                self.assertEqual(answering.receive(), [b"%d" % number, b"?"])
                answering.send([b"!", b"%d" % number])
                self.assertEqual(asking.receive(), [b"!", b"%d" % number])

        self.everywhere(check)

    def test_requests_with_empty_parts(self):
        def check(at):
            at.needs(0, "REQUESTS_IN_PARTS")
            asking, answering = at.pair(REQ, REP)
            for message in ([b"1", b"", b"?"], [b""], [b"", b""]):
                asking.send(message)
                self.assertEqual(answering.receive(), message)
                answering.send([b"", *message])
                self.assertEqual(asking.receive(), [b"", *message])

        self.everywhere(check)

    def test_envelopes(self):
        def check(at):
            at.needs(0, "ROUTER_NAMES")
            router, asking = at.pair(ROUTER, REQ, second={"ROUTING_ID": b"asking"})
            asking.send([b"what"])
            self.assertEqual(router.receive(), [b"asking", b"", b"what"])
            router.send([b"asking", b"", b"that"])
            self.assertEqual(asking.receive(), [b"that"])

        self.everywhere(check)

    def test_deep_envelopes(self):
        def check(at):
            dealer, answering = at.pair(DEALER, REP)
            dealer.send([b"a", b"b" * 300, b"", b"what"])
            self.assertEqual(answering.receive(), [b"what"])
            answering.send([b"that"])
            self.assertEqual(dealer.receive(), [b"a", b"b" * 300, b"", b"that"])

        self.everywhere(check)

    def test_numbered_requests(self):
        def check(at):
            at.needs(0, "ROUTER_NAMES")
            router, asking = at.pair(ROUTER, REQ,
                                     second={"ROUTING_ID": b"asking", "REQ_CORRELATE": 1, "REQ_RELAXED": 1})
            asking.send([b"first"])
            first = router.receive()
            asking.send([b"second"])
            second = router.receive()
            self.assertEqual((first[0], len(first[1]), first[2:]), (b"asking", 4, [b"", b"first"]))
            self.assertNotEqual(first[1], second[1])
            router.send([*first[:3], b"to the first"])
            router.send([*second[:3], b"to the second"])
            self.assertEqual(asking.receive(), [b"to the second"])
            with self.assertRaises(Failure):  # it has its answer
                asking.try_receive()

        self.everywhere(check)


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, places.begin))
