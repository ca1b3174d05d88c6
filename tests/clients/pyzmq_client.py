"""Debian's python3-zmq, unmodified, on whichever libzmq.so.5 the loader finds.

pyzmq_client.py LIBRARY: the tests fail unless LIBRARY is the one that was loaded.
"""

import sys
import tempfile
import threading
import unittest
from pathlib import Path

import zmq
from zmq.utils.monitor import recv_monitor_message

PATIENCE_MS = 20_000


def loaded():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {Path(line.split()[-1]).resolve() for line in maps if "libzmq" in line}


class Client(unittest.TestCase):
    def setUp(self):
        self.context = zmq.Context()
        self.context.setsockopt(zmq.LINGER, 0)
        self.context.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
        self.context.setsockopt(zmq.SNDTIMEO, PATIENCE_MS)
        self.folder = tempfile.TemporaryDirectory(prefix="zlink-client-")
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.context.destroy)

    def places(self):
        return ["tcp://127.0.0.1:*", "ipc://*", f"ipc://{self.folder.name}/socket", "inproc://here"]

    def joined(self, place, receiving=zmq.PULL, sending=zmq.PUSH):
        receiver, sender = self.context.socket(receiving), self.context.socket(sending)
        receiver.bind(place)
        sender.connect(receiver.getsockopt_string(zmq.LAST_ENDPOINT))
        return receiver, sender

    def everywhere(self, check, *kinds):
        for place in self.places():
            with self.subTest(place=place):
                receiver, sender = self.joined(place, *kinds)
                with receiver, sender:
                    check(receiver, sender)

    def test_the_library_is_the_one_asked_for(self):
        self.assertEqual(loaded(), {Path(options[0]).resolve()})
        self.assertEqual(zmq.zmq_version_info()[:2], (4, 3))

    def test_strings_and_multipart(self):
        def check(receiver, sender):
            sender.send_string("grüße")
            sender.send_multipart([b"a", b"", b"c" * 100_000])
            self.assertEqual(receiver.recv_string(), "grüße")
            self.assertEqual(receiver.recv_multipart(), [b"a", b"", b"c" * 100_000])

        self.everywhere(check)

    def test_messages_by_reference(self):
        def check(receiver, sender):
            body = bytearray(b"x" * 1_000_000)
            tracker = sender.send(body, copy=False, track=True)
            frame = receiver.recv(copy=False)
            self.assertTrue(frame.bytes == body)
            del frame
            tracker.wait(PATIENCE_MS / 1000)

        self.everywhere(check)

    def test_pair_both_ways(self):
        def check(here, there):
            for number in range(1000):
                there.send(b"%d" % number)
                here.send(b"%d" % -number)
            for number in range(1000):
                self.assertEqual(here.recv(), b"%d" % number)
                self.assertEqual(there.recv(), b"%d" % -number)

        self.everywhere(check, zmq.PAIR, zmq.PAIR)

    def test_objects(self):
        receiver, sender = self.joined("tcp://127.0.0.1:*")
        with receiver, sender:
            sender.send_json({"a": [1, 2, 3]})
            sender.send_pyobj({"b": (4, 5)})
            self.assertEqual(receiver.recv_json(), {"a": [1, 2, 3]})
            self.assertEqual(receiver.recv_pyobj(), {"b": (4, 5)})

    def test_poller_and_dontwait(self):
        def check(receiver, sender):
            poller = zmq.Poller()
            poller.register(receiver, zmq.POLLIN)
            self.assertEqual(poller.poll(0), [])
            with self.assertRaises(zmq.Again):
                receiver.recv(zmq.DONTWAIT)
            sender.send(b"x")
            self.assertEqual(poller.poll(PATIENCE_MS), [(receiver, zmq.POLLIN)])
            self.assertEqual(receiver.recv(zmq.DONTWAIT), b"x")

        self.everywhere(check)

    def test_the_descriptor_wakes_an_event_loop(self):
        receiver, sender = self.joined("tcp://127.0.0.1:*")
        with receiver, sender:
            loop = zmq.Poller()
            loop.register(receiver.getsockopt(zmq.FD), zmq.POLLIN)
            for number in range(100):
                sender.send(b"%d" % number)
                while not receiver.getsockopt(zmq.EVENTS) & zmq.POLLIN:
                    self.assertTrue(loop.poll(PATIENCE_MS), "the descriptor stayed silent")
                self.assertEqual(receiver.recv(zmq.DONTWAIT), b"%d" % number)

    def test_a_stream_between_threads(self):
        def check(receiver, sender):
            def send():
                for number in range(20_000):
                    sender.send(b"%d" % number)

            thread = threading.Thread(target=send)
            thread.start()
            for number in range(20_000):
                self.assertEqual(receiver.recv(), b"%d" % number)
            thread.join()

        self.everywhere(check)

    def test_monitors(self):
        for place in ["tcp://127.0.0.1:*", f"ipc://{self.folder.name}/monitored"]:
            with self.subTest(place=place), self.context.socket(zmq.PULL) as receiver:
                monitor = receiver.get_monitor_socket()
                receiver.bind(place)
                where = receiver.getsockopt(zmq.LAST_ENDPOINT).rstrip(b"\0")
                with self.context.socket(zmq.PUSH) as sender:
                    sender.connect(where.decode())
                    sender.send(b"x")
                    self.assertEqual(receiver.recv(), b"x")
                for wanted in [
                    zmq.EVENT_LISTENING,
                    zmq.EVENT_ACCEPTED,
                    zmq.EVENT_HANDSHAKE_SUCCEEDED,
                    zmq.EVENT_DISCONNECTED,
                ]:
                    said = recv_monitor_message(monitor)
                    self.assertEqual((said["event"], said["endpoint"]), (wanted, where))
                receiver.disable_monitor()
                self.assertEqual(recv_monitor_message(monitor)["event"], zmq.EVENT_MONITOR_STOPPED)

    def test_a_monitor_that_is_read_by_a_poller(self):
        with self.context.socket(zmq.PUSH) as sender:
            monitor = sender.get_monitor_socket(zmq.EVENT_CONNECT_RETRIED)
            sender.connect("tcp://127.0.0.1:1")
            self.assertTrue(monitor.poll(PATIENCE_MS, zmq.POLLIN))
            self.assertEqual(recv_monitor_message(monitor)["event"], zmq.EVENT_CONNECT_RETRIED)

    def test_errors(self):
        with self.context.socket(zmq.PULL) as receiver:
            for wrong in ["tcp://", "nonsense", "what://ever"]:
                with self.assertRaises(zmq.ZMQError):
                    receiver.bind(wrong)
            with self.assertRaises(zmq.ZMQError) as caught:
                receiver.send(b"x")
            self.assertEqual(caught.exception.errno, zmq.ENOTSUP)
            receiver.setsockopt(zmq.RCVTIMEO, 1)
            with self.assertRaises(zmq.Again):
                receiver.recv()
        with self.assertRaises(zmq.ZMQError):
            receiver.recv()


if __name__ == "__main__":
    options = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
