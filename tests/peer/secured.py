"""NULL, PLAIN and CURVE between our library and another, in both directions, over tcp and ipc.

secured.py --library libzlink.so [--prefix zlink_] --ipc -- LIBZMQ
"""

import sys

import places
from against import run_against_peer
from ours import PAIR, PULL, PUSH
from places import DEALER, PUB, REP, REQ, ROUTER, SUB, BothWays

SIZES = [0, 1, 30, 31, 32, 222, 223, 255, 256, 8192, 70_000, 1 << 20]
# Of zmq_curve.7 and zmq_z85_encode.3.
SERVERS = {"CURVE_PUBLICKEY": b"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
           "CURVE_SECRETKEY": b"JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"}
CLIENTS = {"CURVE_PUBLICKEY": b"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
           "CURVE_SECRETKEY": b"D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"}
MECHANISMS = {
    "NULL": ({"ZAP_DOMAIN": b"home"}, {}),
    "PLAIN": ({"PLAIN_SERVER": 1}, {"PLAIN_USERNAME": b"me", "PLAIN_PASSWORD": b"secret"}),
    "CURVE": ({"CURVE_SERVER": 1, **SERVERS}, {**CLIENTS, "CURVE_SERVERKEY": SERVERS["CURVE_PUBLICKEY"]}),
}
# Of a server whose library asks nobody.
WITHOUT_HANDLER = {
    "NULL": {},
    "PLAIN": {"PLAIN_SERVER": 1, "PLAIN_USERNAME": b"me", "PLAIN_PASSWORD": b"secret"},
    "CURVE": MECHANISMS["CURVE"][0],
}


class Secured(BothWays):
    @classmethod
    def setUpClass(cls):
        # One in each library, for all tests: libzmq gives a name back some time after its socket was closed.
        cls.handlers = {}
        asking = (places.ours, places.theirs) if "ZAP" not in places.lacking else (places.ours,)
        for library in asking:
            cls.handlers[library] = library.socket(REP)
            cls.handlers[library].attach("bind", "inproc://zeromq.zap.01")

    @classmethod
    def tearDownClass(cls):
        for handler in cls.handlers.values():
            handler.close()

    def let_in(self, at, server_kind, client_kind, mechanism, client=None):
        """A server, about whose peer its own library asks if it asks at all, and its client."""
        of_server, of_client = MECHANISMS[mechanism]
        for which in (0, 1):
            at.needs(which, mechanism, *(["CONNECTING_SERVER"] if mechanism != "NULL" and not at.first_binds else []))
        asks = not at.lacked(0, "ZAP")
        if not asks:
            of_server = WITHOUT_HANDLER[mechanism]
        ends = at.pair(server_kind, client_kind, first=of_server, second={**of_client, **(client or {})})
        if not asks:
            return ends
        handler = places.End(at, self.handlers[at.libraries[0]])
        question = handler.receive()
        self.assertEqual((question[:2], question[5]), ([b"1.0", b"1"], mechanism.encode()))
        handler.send([b"1.0", question[1], b"200", b"OK", b"joe", b""])
        return ends

    def with_each(self, check):
        for mechanism in MECHANISMS:
            with self.subTest(mechanism=mechanism):
                self.everywhere(lambda at, mechanism=mechanism: check(at, mechanism))

    def test_pairs(self):
        def check(at, mechanism):
            server, client = self.let_in(at, PAIR, PAIR, mechanism)
            for message in ([b"x" * size] for size in SIZES):
                client.send(message)
                self.assertEqual(server.receive(), message)
                server.send([b"to", b"", *message])
                self.assertEqual(client.receive(), [b"to", b"", *message])

        self.with_each(check)

    def test_many(self):
        def check(at, mechanism):
            server, client = self.let_in(at, PULL, PUSH, mechanism)
            for number in range(500):
                client.send([b"%d" % number])
            for number in range(500):
                self.assertEqual(server.receive(), [b"%d" % number])

        self.with_each(check)

    def test_topics(self):
        def check(at, mechanism):
            publisher, subscriber = self.let_in(at, PUB, SUB, mechanism, client={"SUBSCRIBE": b"a"})
            heard = None
            while heard is None:
                publisher.send([b"b"])
                publisher.send([b"and", b"x" * 300])
                heard = subscriber.try_receive()
            self.assertEqual(heard, [b"and", b"x" * 300])

        self.with_each(check)

    def test_requests_and_routing(self):
        def check(at, mechanism):
            answering, asking = self.let_in(at, REP, REQ, mechanism)
            question = [b"what", b"now"] if not at.lacked(1, "REQUESTS_IN_PARTS") else [b"what"]
            asking.send(question)
            self.assertEqual(answering.receive(), question)
            answering.send([b"that"])
            self.assertEqual(asking.receive(), [b"that"])

        self.with_each(check)

        def route(at, mechanism):
            router, dealer = self.let_in(at, ROUTER, DEALER, mechanism, client={"ROUTING_ID": b"dealer"})
            dealer.send([b"hello"])
            self.assertEqual(router.receive(), [b"dealer", b"hello"])
            router.send([b"dealer", b"again"])
            self.assertEqual(dealer.receive(), [b"again"])

        self.with_each(route)

    def test_heartbeats(self):
        def check(at, mechanism):
            at.needs(0, "HEARTBEAT_IVL")
            server, client = self.let_in(at, PAIR, PAIR, mechanism, client={"HEARTBEAT_IVL": 5, "HEARTBEAT_TIMEOUT": 20_000})
            for number in range(20):
                client.wait(places.LOOK_EVERY_MS)
                client.send([b"%d" % number])
                self.assertEqual(server.receive(), [b"%d" % number])

        self.with_each(check)

    def test_who_is_let_in_is_known(self):
        def check(at, mechanism):
            at.needs(0, "ZAP", "PROPERTIES")
            server, client = self.let_in(at, PULL, PUSH, mechanism)
            client.send([b"hello"])
            self.assertEqual(server.receive_properties(["User-Id"]), {"User-Id": "joe"})

        self.with_each(check)


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, places.begin))
