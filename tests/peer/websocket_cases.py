"""What implementations of WebSocket are commonly tried with (RFC 6455), as far as it applies to ZWS 2.0, whose messages are
binary: sizes, fragments, control frames, closes and their codes and reasons. Ours is the server and the client.

websocket_cases.py --library libzlink.so [--prefix zlink_]
"""

import argparse
import sys
import unittest

import wire_6455
from ours import PULL, Library
from wire_6455 import BINARY, CLOSE, CONTINUED, FIN, PING, PONG, READY_OF, TEXT, code

SIZES = [0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536]  # of bodies: an octet goes in front
LARGE = 1 << 22  # as much as ours.py takes
FRAGMENT_SIZES = [1, 126, 997, 4096]
GOOD_CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
BAD_CODES = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
GOOD_REASONS = ["", "bye", "x" * 123, "Grüße", "κόσμε", "\U0001f40d", "\ud7ff", "\ue000", "\ufffd", "\U0010ffff", "\0"]
BAD_REASONS = [
    b"\x80", b"\xbf", b"\xff", b"\xfe", b"\xc3", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xc1\xbf", b"\xe0\x9f\xbf",
    b"\xf0\x8f\xbf\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
    b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited", b"ok\xe2\x82",
]

library = None


class Role:
    """A PULL of ours and the wire to it."""

    def __init__(self, ours_binds):
        self.pull = library.socket(PULL)
        self._listener = None
        if ours_binds:
            self.wire = wire_6455.as_client(self.pull.attach("bind", "ws://127.0.0.1:*"))
        else:
            self._listener = wire_6455.Listener()
            self.pull.attach("connect", self._listener.endpoint)
            self.wire, _ = self._listener.accept()
        self.wire.send(BINARY, READY_OF["PUSH"])
        front, ready = self.wire.receive()
        assert front == FIN | BINARY and ready.startswith(b"\2\5READY"), ready

    def close(self):
        self.wire.close()
        if self._listener is not None:
            self._listener.close()
        self.pull.close()


class Cases(unittest.TestCase):
    def in_both_roles(self, check, cases=(None,)):
        for ours_binds in (True, False):
            for case in cases:
                with self.subTest(ours_binds=ours_binds, case=case):
                    role = Role(ours_binds)
                    try:
                        check(role) if case is None else check(role, case)
                    finally:
                        role.close()

    def goes_on(self, role):
        role.wire.send(BINARY, b"\0end")
        self.assertEqual(role.pull.receive(), [b"end"])

    # --- messages ---

    def test_sizes(self):
        def check(role):
            for size in [*SIZES, LARGE - 1]:
                body = bytes(i % 251 for i in range(min(size, 5000))) * (size // 5000 + 1)
                role.wire.send(BINARY, b"\0" + body[:size])
                self.assertTrue(role.pull.receive() == [body[:size]], f"{size} octets")

        self.in_both_roles(check)

    def test_in_pieces_of_the_stream(self):
        def check(role):
            for size in (1, 997):
                role.wire.say_slowly(role.wire.frame(BINARY, b"\0" + b"p" * 3000), size)
                self.assertEqual(role.pull.receive(), [b"p" * 3000])

        self.in_both_roles(check)

    def test_fragments(self):
        def check(role):
            for size in FRAGMENT_SIZES:
                role.wire.send_in_fragments(b"\0" + b"f" * 20_000, size)
                self.assertEqual(role.pull.receive(), [b"f" * 20_000])
            for pieces in ([b"\0", b"", b"", b"x"], [b"", b"\0", b"x", b""], [b"\0x", b""]):
                for index, piece in enumerate(pieces):
                    role.wire.send(BINARY if index == 0 else CONTINUED, piece, fin=index + 1 == len(pieces))
                self.assertEqual(role.pull.receive(), [b"x"])
            role.wire.send_in_fragments(b"\0" + b"L" * (LARGE - 1), 1 << 16)
            self.assertTrue(role.pull.receive() == [b"L" * (LARGE - 1)])

        self.in_both_roles(check)

    def test_parts_in_fragments(self):
        def check(role):
            role.wire.send_in_fragments(b"\1first", 2)
            role.wire.send_in_fragments(b"\1", 1)
            role.wire.send_in_fragments(b"\0last", 3)
            self.assertEqual(role.pull.receive(), [b"first", b"", b"last"])

        self.in_both_roles(check)

    def test_text_is_refused(self):
        def check(role, payload):
            role.wire.send(TEXT, payload)
            self.assertEqual(role.wire.close_code(), 1003)

        self.in_both_roles(check, [b"", b"text", "Grüße".encode(), b"\xff"])

    # --- control frames ---

    def test_pings_are_answered(self):
        def check(role):
            for payload in (b"", b"hello", b"\0\xff\xfe\xfd", b"p" * 125):
                role.wire.send(PING, payload)
                self.assertEqual(role.wire.receive(), (FIN | PONG, payload))
            for number in range(10):
                role.wire.send(PING, b"%d" % number)
            answered = []
            while not answered or answered[-1] != b"9":
                front, payload = role.wire.receive()
                self.assertEqual(front, FIN | PONG)
                answered.append(payload)
            # Only the latest has to be answered, and none twice.
            self.assertEqual(answered, sorted(set(answered)))
            role.wire.send(PONG, b"nobody asked")
            self.goes_on(role)

        self.in_both_roles(check)

    def test_pings_between_fragments(self):
        def check(role):
            role.wire.send_in_fragments(b"\0" + b"f" * 100, 10, between=role.wire.frame(PING, b"now"))
            self.assertEqual(role.pull.receive(), [b"f" * 100])
            self.assertEqual(role.wire.receive(), (FIN | PONG, b"now"))

        self.in_both_roles(check)

    def test_what_is_no_frame_ends_it(self):
        def check(role, case):
            front, payload = case
            octets = bytearray(role.wire.frame(BINARY, payload))
            octets[0] = front
            role.wire.say(bytes(octets))
            self.assertEqual(role.wire.close_code(), 1002)

        reserved_bits = [(FIN | BINARY | bit, b"\0x") for bit in (0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70)]
        reserved_opcodes = [(FIN | opcode, b"") for opcode in (3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF)]
        controls = [(PING, b""), (PONG, b"x"), (CLOSE, b""), (FIN | PING, b"p" * 126), (FIN | CLOSE, b"c" * 126)]
        continued = [(FIN | CONTINUED, b"x"), (CONTINUED, b"")]
        self.in_both_roles(check, reserved_bits + reserved_opcodes + controls + continued)

    def test_a_message_within_another_ends_it(self):
        def check(role):
            role.wire.send(BINARY, b"\0a", fin=False)
            role.wire.send(BINARY, b"\0b")
            self.assertEqual(role.wire.close_code(), 1002)

        self.in_both_roles(check)

    # --- closes ---

    def test_codes(self):
        def good(role, number):
            role.wire.send(CLOSE, code(number))
            self.assertEqual(role.wire.close_code(), number)

        def bad(role, number):
            role.wire.send(CLOSE, code(number))
            self.assertEqual(role.wire.close_code(), 1002)

        self.in_both_roles(good, GOOD_CODES)
        self.in_both_roles(bad, BAD_CODES)

    def test_reasons(self):
        def good(role, reason):
            role.wire.send(CLOSE, code(1000) + reason.encode())
            self.assertEqual(role.wire.close_code(), 1000)

        def bad(role, reason):
            role.wire.send(CLOSE, code(1000) + reason)
            self.assertEqual(role.wire.close_code(), 1007)

        self.in_both_roles(good, GOOD_REASONS)
        self.in_both_roles(bad, BAD_REASONS)

    def test_a_close_without_a_code(self):
        def check(role):
            role.wire.send(CLOSE)
            self.assertEqual(role.wire.close_code(), 0)

        self.in_both_roles(check)

    def test_a_close_of_one_octet(self):
        def check(role):
            role.wire.send(CLOSE, b"x")
            self.assertEqual(role.wire.close_code(), 1002)

        self.in_both_roles(check)

    def test_nothing_counts_behind_a_close(self):
        def check(role):
            role.wire.say(role.wire.frame(BINARY, b"\0before") + role.wire.frame(CLOSE, code(1000))
                          + role.wire.frame(BINARY, b"\0after") + role.wire.frame(PING, b"?"))
            self.assertEqual(role.pull.receive(), [b"before"])
            self.assertEqual(role.wire.close_code(), 1000)
            self.assertIsNone(role.pull.try_receive())

        self.in_both_roles(check)

    def test_our_own_close(self):
        def check(role):
            self.goes_on(role)
            role.pull.close()
            try:
                self.assertEqual(role.wire.close_code(), 1000)
            finally:
                role.pull = library.socket(PULL)  # which the role closes

        self.in_both_roles(check)


def main():
    global library
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--prefix", default="zlink_")
    options = parser.parse_args()
    library = Library(options.library, options.prefix)
    outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    library.term()
    return 0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
