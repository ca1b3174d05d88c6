"""Debian's rsyslog with its czmq modules, both daemons on ours by LD_LIBRARY_PATH alone, from end to end.

rsyslog_czmq.py LIBZMQ

What is pushed to the first daemon goes on to the second, in the clear and under CURVE, and from there back here and to
subscribers. This end is Debian's python3-zmq on the library that the loader finds for it.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import zmq
import zmq.auth

DAEMON = "/usr/sbin/rsyslogd"
PATIENCE_MS = 60_000
LOOK_EVERY_MS = 20
MESSAGES = 3000
AS_IT_CAME = 'template(name="as_it_came" type="string" string="%rawmsg%")\n'
FIRST = """
module(load="imczmq")
module(load="omczmq" {client})
input(type="imczmq" endpoints="@ipc://{folder}/first" socktype="PULL" ruleset="on")
ruleset(name="on") {{
    action(name="on" type="omczmq" endpoints=">ipc://{folder}/second" socktype="PUSH" template="as_it_came")
}}
"""
SECOND = """
module(load="imczmq" {server})
module(load="omczmq")
input(type="imczmq" endpoints="@ipc://{folder}/second" socktype="PULL" ruleset="on")
ruleset(name="on") {{
    action(name="back" type="omczmq" endpoints=">ipc://{folder}/back" socktype="PUSH" template="as_it_came")
    action(name="news" type="omczmq" endpoints="@ipc://{folder}/news" socktype="PUB" topicframe="on"
           topics="weather,sports" template="as_it_came")
}}
"""


def certificates(folder):
    """Settings of the server and of its client, by files that are made."""
    (folder / "friends").mkdir()
    server, _ = zmq.auth.create_certificates(folder, "server")
    client, _ = zmq.auth.create_certificates(folder, "client")
    os.rename(client, folder / "friends/client.key")
    return {"server": f'authenticator="on" authtype="CURVESERVER" servercertpath="{folder}/server.key_secret" '
                      f'clientcertpath="{folder}/friends"',
            "client": f'authtype="CURVECLIENT" clientcertpath="{folder}/client.key_secret" servercertpath="{server}"'}


class Daemon:
    def __init__(self, folder, name, settings):
        file = folder / f"{name}.conf"
        file.write_text(f'global(workDirectory="{folder}")\n{AS_IT_CAME}{settings}', encoding="utf-8")
        self.process = subprocess.Popen([DAEMON, "-n", "-f", file, "-i", folder / f"{name}.pid"],
                                        stdin=subprocess.DEVNULL)

    def loaded(self):
        maps = Path(f"/proc/{self.process.pid}/maps").read_text(encoding="utf-8")
        return {Path(line.split()[-1]).resolve() for line in maps.splitlines() if "libzmq" in line}

    def stop(self):
        """Whether it ended when it was told to. In what way does not count: on the system's libzmq, too, rsyslogd with
        these modules breaks its own heap more often than not when it ends."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_MS / 1000)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True

    def kill(self):
        self.process.kill()
        self.process.wait()


class Chain(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="zlink-client-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, 0)
        self.entry, self.exit, self.news = (self.open(kind) for kind in (zmq.PUSH, zmq.PULL, zmq.SUB))
        self.exit.bind(f"ipc://{self.folder}/back")
        self.news.subscribe("sports")
        self.entry.connect(f"ipc://{self.folder}/first")
        self.news.connect(f"ipc://{self.folder}/news")

    def open(self, kind):
        socket = self.context.socket(kind)
        socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
        socket.setsockopt(zmq.SNDTIMEO, PATIENCE_MS)
        return socket

    def daemon(self, name, text, settings):
        daemon = Daemon(self.folder, name, text.format(folder=self.folder, **settings))
        self.addCleanup(daemon.kill)
        return daemon

    def through(self, settings):
        """Daemons that begin after the messages for them, and that end when they are told to."""
        messages = [b"%d %s" % (number, b"x" * (number % 5000)) for number in range(MESSAGES)]
        daemons = [self.daemon("second", SECOND, settings), self.daemon("first", FIRST, settings)]
        for message in messages:
            self.entry.send(message)
        for message in messages:
            self.assertEqual(self.exit.recv(), message)
        heard = None
        while heard is None:  # whoever subscribes late hears the next
            self.entry.send(b"news")
            self.assertEqual(self.exit.recv(), b"news")
            if self.news.poll(LOOK_EVERY_MS):
                heard = self.news.recv_multipart()
        self.assertEqual(heard[0], b"sports")
        self.assertIn(heard[1], [b"news", *messages])
        for daemon in daemons:
            self.assertEqual(daemon.loaded(), {library})
        self.assertTrue(all([daemon.stop() for daemon in daemons]))

    def test_in_the_clear(self):
        self.through({"client": "", "server": ""})

    def test_under_curve(self):
        self.through(certificates(self.folder))

    def test_a_daemon_comes_again(self):
        settings = {"client": "", "server": ""}
        first, second = self.daemon("first", FIRST, settings), self.daemon("second", SECOND, settings)
        for number in range(5):
            self.entry.send(b"%d" % number)
            self.assertEqual(self.exit.recv(), b"%d" % number)
            self.assertTrue(second.stop())
            second = self.daemon("second", SECOND, settings)
        self.assertTrue(second.stop() and first.stop())


if __name__ == "__main__":
    library = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
