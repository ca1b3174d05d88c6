"""RADIO and DISH, and DGRAM, over udp between our library and another, in both directions.

datagrams.py --library libzlink.so [--prefix zlink_] -- LIBZMQ
datagrams.py --library libzlink.so [--prefix zlink_] --remote --peer NAME -- COMMAND...

To one host and to a group of hosts, of IPv4 and of IPv6; what a machine has not of these is skipped with a word.
"""

import itertools
import socket as plain
import sys
import unittest

import places
from against import run_against_peer
from listed import must_have
from ours import LOOK_EVERY_MS, PATIENCE_MS
from places import DGRAM, DISH, RADIO

IPV6 = 42
SIZES = [0, 1, 254, 255, 256, 8000]
LONGEST = 127  # of a group's name: of a longer one, over udp, libzmq 4.3.5 ends its process
TRIES_OF_A_DEFECT = 100
# (name, family, where to bind, where to connect); the port goes in.
WAYS = [
    ("one host", plain.AF_INET, "udp://127.0.0.1:{}", "udp://127.0.0.1:{}"),
    ("a group of hosts", plain.AF_INET, "udp://127.0.0.1;239.255.78.1:{}", "udp://127.0.0.1;239.255.78.1:{}"),
    ("one host of IPv6", plain.AF_INET6, "udp://[::1]:{}", "udp://[::1]:{}"),
    ("a group of hosts of IPv6", plain.AF_INET6, "udp://{through};[ff02::78:1]:{}", "udp://{through};[ff02::78:1]:{}"),
]


def free_port(family):
    with plain.socket(family, plain.SOCK_DGRAM) as probe:
        probe.bind(("::1" if family == plain.AF_INET6 else "127.0.0.1", 0))
        return probe.getsockname()[1]


def interface_with_groups():
    """The first that carries groups of IPv6 to itself; None where there is none."""
    for index, name in plain.if_nameindex():
        with plain.socket(plain.AF_INET6, plain.SOCK_DGRAM) as probe:
            try:
                probe.bind(("::", 0))
                joined = plain.inet_pton(plain.AF_INET6, "ff02::78:1") + index.to_bytes(4, sys.byteorder)
                probe.setsockopt(plain.IPPROTO_IPV6, plain.IPV6_JOIN_GROUP, joined)
                probe.setsockopt(plain.IPPROTO_IPV6, plain.IPV6_MULTICAST_IF, index)
                probe.settimeout(1)
                probe.sendto(b"probe", ("ff02::78:1", probe.getsockname()[1], 0, index))
                probe.recv(16)
                return name
            except OSError:
                pass
    return None


class Datagrams(unittest.TestCase):
    def everywhere(self, check, ways):
        """check (sending library, receiving library, family, where to bind, where to connect)."""
        for way, (one, other) in itertools.product(ways, [(places.ours, places.theirs), (places.theirs, places.ours)]):
            name, family, binds, connects = way
            sides = "ours first" if one is places.ours else "theirs first"
            with self.subTest(way=name, sides=sides):
                must_have(places.lacking, *(["MULTICAST"] if ";" in binds else []))
                places.spare(self, sides)
                try:
                    port = free_port(family)
                except OSError:
                    self.skipTest(f"{name}: this machine has none")
                through = interface_with_groups() if "through" in binds else ""
                if through is None:
                    self.skipTest(f"{name}: no interface carries them")
                check(one, other, family, binds.format(port, through=through), connects.format(port, through=through))

    def opened(self, library, kind, family):
        if library is places.theirs:
            must_have(places.lacking, places.KINDS[kind])
        made = library.socket(kind)
        self.addCleanup(made.close)
        if family == plain.AF_INET6:
            made.set(IPV6, 1)
        return made

    def heard(self, attempt, wait, say, is_it):
        """The first that attempt() brings of what is meant; say() before each, as a datagram may be lost, or come late."""
        for _ in range(TRIES_OF_A_DEFECT if places.options.defects else PATIENCE_MS // LOOK_EVERY_MS):
            say()
            wait(LOOK_EVERY_MS)
            found = attempt()
            if found is not None and is_it(found):
                return found
        raise AssertionError("nothing came")

    def test_groups_in_datagrams(self):
        def check(sending, receiving, family, binds, connects):
            radio, dish = self.opened(sending, RADIO, family), self.opened(receiving, DISH, family)
            names = ("weather", "w" * LONGEST)
            for group in names:
                dish.join(group)
            dish.attach("bind", binds)
            radio.attach("connect", connects)
            for group, size in itertools.product(names, SIZES):

                def say(group=group, size=size):
                    radio.send_group("weathe", b"nobody's")
                    radio.send_group(group, b"x" * size)

                wanted = (group, b"x" * size)
                self.heard(dish.try_receive_group, dish.wait, say, lambda found, wanted=wanted: found == wanted)
            dish.leave("weather")
            dish.join("sun")

            def say_both():
                radio.send_group("weather", b"left")
                radio.send_group("sun", b"joined")

            found = self.heard(dish.try_receive_group, dish.wait, say_both, lambda found: found[1] in (b"left", b"joined"))
            self.assertEqual(found, ("sun", b"joined"))

        self.everywhere(check, WAYS)

    def test_two_parts_to_an_address(self):
        """libzmq's DGRAM is for IPv4 alone."""

        def check(asking, answering, family, binds, _):
            one, other = self.opened(asking, DGRAM, family), self.opened(answering, DGRAM, family)
            other.attach("bind", binds)
            own = f"127.0.0.1:{free_port(family)}"
            one.attach("bind", f"udp://{own}")
            there = binds.removeprefix("udp://").encode()
            for size in SIZES:
                body = b"x" * size
                for end, far, to in ((other, one, there), (one, other, own.encode())):
                    told, _ = self.heard(end.try_receive, end.wait, lambda far=far, to=to, body=body: far.send([to, body]),
                                         lambda found, body=body: found[1] == body)
                    self.assertEqual(told.rstrip(b"\0"), own.encode() if far is one else there)

        self.everywhere(check, WAYS[:1])


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, places.begin))
