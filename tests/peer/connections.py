"""What shows on a connection besides messages, between our library and another, in both directions.

connections.py --library libzlink.so [--prefix zlink_] --ipc -- LIBZMQ
"""

import contextlib
import sys

import places
from against import run_against_peer
from ours import PATIENCE_MS, PULL, PUSH
from places import DEALER, SUB, XPUB, BothWays
from relay import DOWN, UP, Relay

PING, PONG = b"\4PING", b"\4PONG"  # with the lengths of their names
SEVERAL = 5
SOON_MS = 20
SILENCE_MS, LONG_MS = 400, 10_000
LARGE = 1 << 20
MANY = 60  # times LARGE: more than both queues and the system hold


class Connections(BothWays):
    # --- heartbeats ---

    def with_relay(self, check, first, second, needs=()):
        """check (first, second, relay, direction of what the first says) with two DEALERs, over tcp. needs: what the second
        must be able to."""

        def through(at):
            at.needs(1, *needs)
            with contextlib.ExitStack() as kept:
                one, other = at.open(0, DEALER, **first), at.open(1, DEALER, **second)

                def way(end):
                    self.relay = Relay(end)
                    kept.callback(self.relay.close)
                    return self.relay.endpoint

                at.join(one, other, way=way)
                check(one, other, self.relay, DOWN if at.first_binds else UP)

        self.everywhere(through, transports=["tcp"])

    def beaten(self, relay, *ways):
        """Heartbeats asked these ways are answered, all over one connection: the first that both took for made. One whose
        handshake took too long may have gone before."""
        for way in ways:
            relay.wait_for(DOWN if way == UP else UP, PONG, 1)
        connections = relay.connections
        for way in ways:
            relay.wait_for(way, PING, SEVERAL)
            relay.wait_for(DOWN if way == UP else UP, PONG, SEVERAL)
        return connections

    def talk(self, one, other):
        """Until the other hears the one; what was said into a connection that ended is lost."""
        while other.try_receive() is None:
            one.try_send([b"call"])
            one.wait(0)

    def read_all(self, *ends):
        for each in ends:
            while each.try_receive() is not None:
                pass

    def test_heartbeats_are_answered(self):
        def check(one, other, relay, way):
            connections = self.beaten(relay, way)
            self.talk(one, other)
            self.talk(other, one)
            self.assertEqual(relay.connections, connections)

        self.with_relay(check, {"HEARTBEAT_IVL": SOON_MS, "HEARTBEAT_TIMEOUT": PATIENCE_MS}, {})

    def test_heartbeats_of_both(self):
        def check(one, other, relay, _):
            connections = self.beaten(relay, UP, DOWN)
            self.talk(one, other)
            self.talk(other, one)
            self.assertEqual(relay.connections, connections)

        beating = {"HEARTBEAT_IVL": SOON_MS, "HEARTBEAT_TIMEOUT": PATIENCE_MS, "HEARTBEAT_TTL": PATIENCE_MS}
        self.with_relay(check, beating, beating)

    def silenced(self, first, second, hears_nothing, needs=()):
        """One end hears nothing any more, closes, and talks again over the connection that comes next. The other one hears
        nothing either, as nothing is answered, and bears it for longer.

        Both read all the time: ours counts no silence while something stands unread.
        """

        def check(one, other, relay, way):
            back = DOWN if way == UP else UP
            self.talk(one, other)
            self.talk(other, one)
            # It says how long silence is borne, and for some that is forgotten with the next message.
            relay.wait_for(way, PING, relay.count(way, PING) + 2)
            silenced, leaving = (back, way) if hears_nothing == "first" else (way, back)
            ends = relay.silence(silenced)
            self.assertEqual(relay.wait_for_end(ends, meanwhile=lambda: self.read_all(one, other)), leaving)
            relay.speak()
            self.talk(one, other)
            self.talk(other, one)
            self.assertGreater(relay.connections, 1)

        self.with_relay(check, first, second, needs)

    def test_who_does_not_answer_is_left(self):
        self.silenced({"HEARTBEAT_IVL": SOON_MS, "HEARTBEAT_TIMEOUT": SILENCE_MS}, {}, "first")

    def test_who_falls_silent_is_left_as_it_asked(self):
        beating = {"HEARTBEAT_IVL": SOON_MS, "HEARTBEAT_TTL": SILENCE_MS, "HEARTBEAT_TIMEOUT": LONG_MS}
        self.silenced(beating, {}, "second", needs=["SILENCE_AFTER_TTL"])

    # --- properties ---

    def test_properties(self):
        names = ["X-one", "X-other", "Socket-Type", "Identity"]
        said = [("one", b"X-one:first: of two", {"X-one": "first: of two"}), ("other", b"X-other:second", {"X-other": "second"})]

        def check(at):
            # What says no more than it must is heard all the same.
            free = [not at.lacked(which, "METADATA") for which in (0, 1)]
            settings = [{"ROUTING_ID": name.encode(), **({"METADATA": more} if able else {})} for (name, more, _), able in zip(said, free)]
            ends = at.pair(DEALER, DEALER, *settings)
            for which in (0, 1):
                ends[which].send([b"hello"])
                if at.lacked(1 - which, "PROPERTIES"):
                    self.assertEqual(ends[1 - which].receive(), [b"hello"])
                    continue
                name, _, properties = said[which]
                wanted = {**dict.fromkeys(names), **(properties if free[which] else {}), "Socket-Type": "DEALER", "Identity": name}
                self.assertEqual(ends[1 - which].receive_properties(names), wanted)

        self.everywhere(check)

    def test_addresses(self):
        def check(at):
            at.needs(1, "PROPERTIES")
            one, other = at.pair(DEALER, DEALER)
            one.send([b"hello"])
            told = other.receive_properties(["Peer-Address"])["Peer-Address"]
            # Some append the port.
            self.assertEqual(told.split(":")[0], "127.0.0.1")
            if at.libraries[1] is places.ours:
                self.assertEqual(told, "127.0.0.1")

        self.everywhere(check, transports=["tcp"])

    # --- one message only ---

    def say_again(self, at, source, sink, sent):
        """Says one more where the reader may sleep on the last, and answers how many were said: libzmq's pipe of one
        message loses the wake-up for what is written in the moment in which its reader finds it empty."""
        if at.libraries[1] is places.ours or sink.wait(SILENCE_MS) != 0:
            return sent
        source.send([b"%d " % sent])
        return sent + 1

    def test_only_the_last_is_received(self):
        def check(at):
            for kinds, sending, receiving in [
                ((PUSH, PULL), {}, {}),
                ((DEALER, DEALER), {}, {}),
                ((XPUB, SUB), {"XPUB_NODROP": 1}, {"SUBSCRIBE": b""}),
            ]:
                source, sink = at.pair(*kinds, first={"SNDHWM": 1, **sending},
                                       second={"RCVHWM": 1, "CONFLATE": 1, **receiving})
                if kinds[0] == XPUB:
                    self.assertEqual(source.receive(), [b"\1"])
                for number in range(MANY):
                    source.send([b"%d " % number + bytes(LARGE)])
                got, sent = [-1], MANY
                while got[-1] < sent - 1:
                    sent = self.say_again(at, source, sink, sent)
                    got.append(int(sink.receive()[0].split(b" ")[0]))
                self.assertEqual(got, sorted(set(got)))
                self.assertLess(len(got), sent)

        self.everywhere(check)

    def test_only_the_last_is_sent(self):
        def check(at):
            for kinds in [(PUSH, PULL), (DEALER, DEALER)]:
                source, sink = at.open(0, kinds[0], CONFLATE=1, SNDHWM=1), at.open(1, kinds[1])
                end = at.endpoint()
                source.attach("connect", end)
                for number in range(MANY):
                    source.send([b"%d" % number])
                sink.attach("bind", end)
                self.assertEqual(sink.receive(), [b"%d" % (MANY - 1)])
                source.send([b"end"])
                self.assertEqual(sink.receive(), [b"end"])

        self.everywhere(check, transports=["ipc"], first_binds=[False])


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, places.begin))
