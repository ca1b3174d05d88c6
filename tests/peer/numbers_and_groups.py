"""The types whose messages have one part, between our library and another that has them, in both directions.

numbers_and_groups.py --library libzlink.so [--prefix zlink_] --remote -- COMMAND...
"""

import sys

import places
from against import run_against_peer
from places import CHANNEL, CLIENT, DISH, GATHER, PEER, RADIO, SCATTER, SERVER, BothWays

SIZES = [0, 1, 254, 255, 256, 8192, 70_000, 1 << 20]
MANY = 1_000


class NumbersAndGroups(BothWays):
    def test_a_server_answers_each_client(self):
        def check(at):
            server = at.open(0, SERVER)
            clients = [at.open(1, CLIENT) for _ in range(3)]
            at.join(server, *clients)
            numbers = []
            for index, client in enumerate(clients):
                client.send([b"from %d" % index])
                number, body = server.receive_from()
                self.assertEqual(body, b"from %d" % index)
                numbers.append(number)
            self.assertEqual(len(set(numbers) - {0}), len(clients))
            for index, number in reversed(list(enumerate(numbers))):
                server.send_to(number, b"to %d" % index)
            for index, client in enumerate(clients):
                self.assertEqual(client.receive(), [b"to %d" % index])

        self.everywhere(check, first_binds=[True])

    def test_a_client_is_bound(self):
        def check(at):
            client, server = at.pair(CLIENT, SERVER)
            client.send([b"what"])
            number, body = server.receive_from()
            self.assertEqual(body, b"what")
            server.send_to(number, b"that")
            self.assertEqual(client.receive(), [b"that"])

        self.everywhere(check)

    def exchange(self, one, other):
        """All sizes and many, both ways."""
        for size in SIZES:
            one.send([b"x" * size])
            self.assertTrue(other.receive() == [b"x" * size], f"{size} bytes")
            other.send([b"y" * size])
            self.assertTrue(one.receive() == [b"y" * size], f"{size} bytes")
        for number in range(MANY):
            one.send([b"%d" % number])
        for number in range(MANY):
            self.assertEqual(other.receive(), [b"%d" % number])

    def test_channels(self):
        self.everywhere(lambda at: self.exchange(*at.pair(CHANNEL, CHANNEL)))

    def test_what_is_scattered_is_gathered(self):
        def check(at):
            scattering = at.open(0, SCATTER)
            gathering = [at.open(1, GATHER) for _ in range(2)]
            at.join(scattering, *gathering)
            got = [[], []]
            number = 0
            while not all(got):  # until both are there
                scattering.send([b"%d" % number])
                number += 1
                for each, seen in zip(gathering, got):
                    message = each.try_receive()
                    if message is not None:
                        seen.append(int(message[0]))
            for size in SIZES:
                scattering.send([b"%d " % number + b"x" * size])
                number += 1
            while len(got[0]) + len(got[1]) < number:
                for each, seen in zip(gathering, got):
                    message = each.try_receive()
                    if message is not None:
                        seen.append(int(message[0].split(b" ")[0]))
                scattering.wait(0)
            self.assertEqual(sorted(got[0] + got[1]), list(range(number)))

        self.everywhere(check, first_binds=[True])

    def test_many_are_gathered(self):
        def check(at):
            gathering = at.open(0, GATHER)
            scattering = [at.open(1, SCATTER) for _ in range(3)]
            at.join(gathering, *scattering)
            for index, each in enumerate(scattering):
                for number in range(100):
                    each.send([b"%d %d" % (index, number)])
            got = [tuple(map(int, gathering.receive()[0].split())) for _ in range(300)]
            self.assertEqual(sorted(got), [(index, number) for index in range(3) for number in range(100)])
            for index in range(3):
                self.assertEqual([number for from_whom, number in got if from_whom == index], list(range(100)))

        self.everywhere(check, first_binds=[True])

    def test_groups(self):
        def check(at):
            radio, dish = at.open(0, RADIO), at.open(1, DISH)
            dish.join("weather")
            at.join(radio, dish)
            self.listen(radio, dish, "weather")
            for size in SIZES:
                radio.send_group("weathe", b"nobody's")
                radio.send_group("weather", b"x" * size)
                self.assertTrue(dish.receive_group() == ("weather", b"x" * size), f"{size} bytes")
            dish.join("wind")
            self.listen(radio, dish, "wind")
            dish.leave("weather")
            dish.join("sun")
            self.listen(radio, dish, "sun")  # behind the leave
            radio.send_group("weather", b"late")
            radio.send_group("wind", b"and this")
            self.assertEqual(dish.receive_group(), ("wind", b"and this"))

        self.everywhere(check)

    def listen(self, radio, dish, group):
        """Until what the radio says in the group is heard, and all of it has been."""
        heard = None
        while heard is None:
            radio.send_group(group, b"call")
            dish.wait(0)
            heard = dish.try_receive_group()
        radio.send_group(group, b"end")
        while heard != (group, b"end"):
            self.assertEqual(heard, (group, b"call"))
            heard = dish.receive_group()

    def test_peers(self):
        def check(at):
            bound, connecting = at.open(0, PEER), at.open(1, PEER)
            number = connecting.connect_peer(bound.attach("bind", at.endpoint()))
            for size in SIZES:
                connecting.send_to(number, b"x" * size)
                sender, body = bound.receive_from()
                self.assertTrue(body == b"x" * size, f"{size} bytes")
                bound.send_to(sender, b"y" * size)
                self.assertTrue(connecting.receive_from() == (number, b"y" * size), f"{size} bytes")

        self.everywhere(check, first_binds=[True])


if __name__ == "__main__":
    sys.exit(run_against_peer(__doc__, places.begin))
