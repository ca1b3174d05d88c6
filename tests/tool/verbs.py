"""The verbs of the zlink command, end to end: each case starts real processes,
which find each other by ipc in a folder of their own, and looks at what they
print and how they end."""

import fcntl
import json
import os
import pty
import re
import select
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

import exposition

WAIT = ["-t", "60"]  # a bound, not a measure
DONE, FAILED, WRONG_CALL, LATE = 0, 1, 2, 3


class Desk:
    def __init__(self, program, folder):
        self.program, self.folder, self.running = program, folder, []
        beside = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "lib")
        self.libraries = [f"{beside}/libzmq.so.5", f"{beside}/libzlink.so", "/usr/lib/x86_64-linux-gnu/libzmq.so.5"]

    def at(self, name):
        return f"ipc://{self.folder}/{name}"

    def start(self, *words, text=None):
        """A process that goes on; what it prints is read by end()."""
        made = subprocess.Popen([self.program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, errors="replace")
        if text is not None:
            made.stdin.write(text)
            made.stdin.flush()
        self.running.append(made)
        return made

    def end(self, process, code=DONE, text=None):
        out, said = process.communicate(input=text, timeout=90)
        self.running.remove(process)
        assert process.returncode == code, (process.args, process.returncode, out, said)
        return out, said

    def run(self, *words, code=DONE, text=None):
        return self.end(self.start(*words), code, text)

    def stop_all(self):
        for process in self.running:
            process.kill()
            process.communicate()


def equal(got, wanted):
    assert got == wanted, f"{got!r}, not {wanted!r}"


def has(text, wanted):
    assert wanted in text, f"'{wanted}' is not in {text!r}"


def one_way(desk):
    puller = desk.start("pull", "--bind", desk.at("a"), "-n", "3", *WAIT)
    desk.run("push", desk.at("a"), *WAIT, text="one\ntwo\nthree")
    equal(desk.end(puller)[0], "one\ntwo\nthree\n")


def parts_and_views(desk):
    puller = desk.start("pull", "-b", desk.at("a"), "-n", "4", "--json", *WAIT)
    desk.run("push", "-c", desk.at("a"), *WAIT, "-d", "one\ttwo", "-d", "")
    desk.run("push", "-c", desk.at("a"), *WAIT, "--hex", text="00ff\t61 62\n")
    desk.run("push", "-c", desk.at("a"), *WAIT, "--json", text='["ä", {"hex": "80"}]\n')
    lines = [json.loads(line) for line in desk.end(puller)[0].splitlines()]
    equal(lines, [["one", "two"], [""], [{"hex": "00ff"}, "ab"], ["ä", {"hex": "80"}]])
    puller = desk.start("pull", "-b", desk.at("b"), "-n", "2", "--hex", "--separator", "|", *WAIT)
    desk.run("push", "-c", desk.at("b"), *WAIT, "--separator", ", ", text="a, b\nc\td\n")
    equal(desk.end(puller)[0], "61|62\n630964\n")


def publishing(desk):
    one = desk.start("sub", desk.at("a"), "-s", "room.", "-n", "2", *WAIT)
    everything = desk.start("sub", desk.at("a"), "-n", "3", *WAIT)
    desk.run("pub", "-b", desk.at("a"), "--wait", "2", *WAIT, "-d", "room.1\tx", "-d", "hall", "-d", "room.2")
    equal(desk.end(one)[0], "room.1\tx\nroom.2\n")
    equal(desk.end(everything)[0], "room.1\tx\nhall\nroom.2\n")


def patterns_and_options(desk):
    sub = desk.start("sub", desk.at("a"), "-p", "room.*.open", "-n", "1", "-o", "RCVHWM=10", *WAIT)
    desk.run("pub", "-b", desk.at("a"), "--wait", "1", *WAIT, "-d", "room.1.shut", "-d", "room.2.open")
    equal(desk.end(sub)[0], "room.2.open\n")


def asking(desk):
    answering_one = desk.start("rep", "-b", desk.at("a"), "-n", "3", *WAIT)
    out, _ = desk.run("req", desk.at("a"), *WAIT, text="one\ntwo\tparts\n")
    equal(out, "one\ntwo\tparts\n")
    equal(desk.run("req", desk.at("a"), *WAIT, "-d", "again")[0], "again\n")
    equal(desk.end(answering_one)[0], "one\ntwo\tparts\nagain\n")


def answering(desk):
    answering_one = desk.start("rep", "-b", desk.at("a"), "-n", "1", "--reply", "yes\tindeed", *WAIT)
    equal(desk.run("req", desk.at("a"), *WAIT, "-d", "question")[0], "yes\tindeed\n")
    equal(desk.end(answering_one)[0], "question\n")


def both_ways(desk):
    one = desk.start("pair", "-b", desk.at("a"), "-n", "2", *WAIT, "-d", "ping")
    other = desk.start("pair", desk.at("a"), "-n", "1", *WAIT, "-d", "pong", "-d", "again")
    equal(desk.end(other)[0], "ping\n")
    equal(desk.end(one)[0], "pong\nagain\n")
    sub = desk.start("xpub", "-b", desk.at("b"), "-n", "1", "--hex", *WAIT)
    asks = desk.start("xsub", desk.at("b"), "--hex", "-d", "01 61", *WAIT)
    equal(desk.end(sub)[0], "0161\n")
    asks.kill()


def routers(desk):
    router = desk.start("router", "-b", desk.at("a"), "-n", "1", *WAIT)
    dealer = desk.start("dealer", desk.at("a"), "-n", "1", "-o", "ROUTING_ID=me", "-d", "hello", *WAIT)
    equal(router.stdout.readline(), "me\thello\n")
    router.wait(timeout=90)
    router = desk.start("router", "-b", desk.at("a"), "-n", "2", *WAIT)
    # The dealer comes again by itself; its name is there when it speaks.
    other = desk.start("dealer", desk.at("a"), "-n", "1", "-o", "ROUTING_ID=other", "-d", "hello", *WAIT)
    equal(router.stdout.readline(), "other\thello\n")
    router.stdin.write("other\tanswer\n")
    router.stdin.flush()
    equal(desk.end(other)[0], "answer\n")
    dealer.kill()
    router.kill()


def plain_peers(desk):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    talker = desk.start("stream", f"tcp://127.0.0.1:{port}", "--json", *WAIT)
    peer, _ = listener.accept()
    name, news = json.loads(talker.stdout.readline())
    equal(news, "")
    talker.stdin.write(json.dumps([name, "GET /\r\n"]) + "\n")
    talker.stdin.flush()
    equal(peer.recv(100), b"GET /\r\n")
    peer.sendall(b"200")
    equal(json.loads(talker.stdout.readline()), [name, "200"])
    talker.kill()


def files_and_rates(desk):
    with open(f"{desk.folder}/file", "wb") as out:
        out.write(b"one\ntwo\t\0" * 1000)
    puller = desk.start("pull", "-b", desk.at("a"), "-n", "1", "--hex", *WAIT)
    desk.run("push", desk.at("a"), "-f", f"{desk.folder}/file", *WAIT)
    equal(desk.end(puller)[0], (b"one\ntwo\t\0" * 1000).hex() + "\n")
    puller = desk.start("pull", "-b", desk.at("b"), "-n", "3", *WAIT)
    began = time.monotonic()
    desk.run("push", desk.at("b"), "--rate", "10", "-n", "3", *WAIT, text="1\n2\n3\n4\n")
    assert time.monotonic() - began >= 0.2, "three messages of ten a second"
    equal(desk.end(puller)[0], "1\n2\n3\n")


def time_limits(desk):
    has(desk.run("pull", "-b", desk.at("a"), "-t", "0.1", code=LATE)[1], "nothing came within 0.1 s")
    has(desk.run("push", desk.at("b"), "-d", "x", "-t", "0.1", code=LATE)[1], "within 0.1 s")
    has(desk.run("req", desk.at("b"), "-d", "x", "-t", "0.1", code=LATE)[1], "within 0.1 s")
    has(desk.run("pub", "-b", desk.at("c"), "-d", "x", "--wait", "1", "-t", "0.1", code=LATE)[1], "peers")


def wrong_calls(desk):
    equal(desk.run("--version"), desk.run("version"))
    has(desk.run("pull", code=WRONG_CALL)[1], "--bind or to --connect")
    has(desk.run("pull", desk.at("a"), "--hex", "--json", code=WRONG_CALL)[1], "exclude each other")
    has(desk.run("pull", desk.at("a"), "-o", "SNDHWN=1", code=WRONG_CALL)[1], "'SNDHWN'")
    has(desk.run("pull", desk.at("a"), "--rate", "1", code=WRONG_CALL)[1], "--rate")
    has(desk.run("pull", desk.at("a"), "-t", "-1", code=WRONG_CALL)[1], "-t")
    has(desk.run("pul", desk.at("a"), code=WRONG_CALL)[1], "subcommand")


def failures(desk):
    has(desk.run("pull", "-b", "nothing://x", code=FAILED)[1], "cannot bind to nothing://x: ")
    has(desk.run("pull", desk.at("a"), "-o", "RCVHWM=-5", code=FAILED)[1], "cannot set RCVHWM: ")
    has(desk.run("push", desk.at("a"), "-f", f"{desk.folder}/none", code=FAILED)[1], f"{desk.folder}/none")
    has(desk.run("push", desk.at("a"), "--hex", "-d", "0", code=FAILED)[1], "pairs of hexadecimal digits")
    keep = desk.start("pull", "-b", desk.at("b"), "-v", *WAIT)
    equal(keep.stderr.readline(), f"bound to {desk.at('b')}\n")
    has(desk.run("pull", "-b", desk.at("b"), code=FAILED)[1], "cannot bind to " + desk.at("b"))


def keys(desk):
    said = dict(line.split() for line in desk.run("keygen")[0].splitlines())
    equal(sorted(said), ["public", "secret"])
    equal([len(said["public"]), len(said["secret"])], [40, 40])
    equal(desk.run("keygen", "--from", said["secret"])[0].splitlines()[0].split()[1], said["public"])
    server = desk.start("pull", "-b", desk.at("a"), "-n", "1", "-o", "CURVE_SERVER=1",
                        "-o", "CURVE_SECRETKEY=" + said["secret"], *WAIT)
    own = dict(line.split() for line in desk.run("keygen")[0].splitlines())
    desk.run("push", desk.at("a"), "-d", "sealed", "-o", "CURVE_SERVERKEY=" + said["public"],
             "-o", "CURVE_PUBLICKEY=" + own["public"], "-o", "CURVE_SECRETKEY=" + own["secret"], *WAIT)
    equal(desk.end(server)[0], "sealed\n")
    has(desk.run("keygen", "--from", "short", code=FAILED)[1], "40 letters")


def passwords(desk):
    line, _ = desk.run("passwd", "anna", text="open sesame\n")
    assert line.startswith("anna:$argon2id$") and line.endswith("\n"), line
    server = desk.start("pull", "-b", desk.at("a"), "-n", "1", "-o", "PLAIN_SERVER=1",
                        "-o", "PLAIN_PASSWORDS=" + line, *WAIT)
    desk.run("push", desk.at("a"), "-d", "from anna", "-o", "PLAIN_USERNAME=anna",
             "-o", "PLAIN_PASSWORD=open sesame", *WAIT)
    equal(desk.end(server)[0], "from anna\n")
    has(desk.run("passwd", "an:na", code=WRONG_CALL, text="x\n")[1], "colon")
    has(desk.run("passwd", "anna", code=FAILED, text="")[1], "no password")


def proxies(desk):
    between = desk.start("proxy", "pull@" + desk.at("in"), "push@" + desk.at("out"))
    puller = desk.start("pull", desk.at("out"), "-n", "2", *WAIT)
    desk.run("push", desk.at("in"), "-d", "one", "-d", "two\tparts", *WAIT)
    equal(desk.end(puller)[0], "one\ntwo\tparts\n")
    between.terminate()
    equal(between.wait(timeout=60), DONE)
    has(desk.run("proxy", "pull@" + desk.at("x"), "push" + desk.at("y"), code=WRONG_CALL)[1], "TYPE@ENDPOINT")
    has(desk.run("proxy", "pul@" + desk.at("x"), "push@" + desk.at("y"), code=WRONG_CALL)[1], "'pul'")


def doctors(desk):
    router = desk.start("router", "-b", desk.at("a"), *WAIT)
    # The path is there once it is bound; a doctor waits for nothing that refuses.
    desk.run("dealer", desk.at("a"), "-d", "x", "-n", "1", "-t", "0.1", code=LATE)
    has(desk.run("doctor", desk.at("a"), "-t", "60")[0], "ready ")
    # Either end may be the first to find out.
    unfit, _ = desk.run("doctor", desk.at("a"), "--type", "sub", "-t", "60", code=FAILED)
    assert "socket-type-incompatible" in unfit or "refused-by-peer" in unfit, unfit
    has(desk.run("doctor", desk.at("none"), "-t", "60", code=FAILED)[0], "connect-refused")
    router.kill()
    # A name may have two addresses, with nobody at the first one.
    for host in ("127.0.0.1", "localhost"):
        listener = socket.create_server(("127.0.0.1", 0))
        silent = f"tcp://{host}:{listener.getsockname()[1]}"
        said = desk.start("doctor", silent, "-t", "60")
        with listener.accept()[0] as peer:
            peer.sendall(b"SSH-2.0-none\r\n")
            has(desk.end(said, FAILED)[0], "is it the right port?")
    silent = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    has(desk.run("doctor", silent, "-t", "0.1", code=LATE)[0], "nothing")
    has(desk.run("doctor", "tcp://127.0.0.1", code=FAILED)[0], "Invalid argument")
    has(desk.run("doctor", silent, "--type", "none", code=WRONG_CALL)[1], "'none'")


def round_trips(desk):
    echo = desk.start("rtt", "--serve", "-b", desk.at("a"), "-n", "130", *WAIT)
    said, _ = desk.run("rtt", desk.at("a"), "-n", "100", "-s", "1000", "--json", *WAIT)
    figures = json.loads(said)
    equal([figures["round_trips"], figures["body_bytes"]], [100, 1000])
    order = [figures[name + "_us"] for name in ("min", "p50", "p90", "p99", "p99.9", "max")]
    equal(order, sorted(order))
    assert 0 < figures["min_us"] <= figures["mean_us"] <= figures["max_us"], figures
    dealer, _ = desk.run("dealer", desk.at("a"), "-d", "one\ttwo", "-n", "1", *WAIT)
    equal(dealer, "one\ttwo\n")
    has(desk.run("rtt", desk.at("a"), "-n", "8", "--first", "11", *WAIT)[0], "8 round trips of 64 bytes, in us\n")
    desk.end(echo)
    rep = desk.start("rep", "-b", desk.at("b"), "-n", "3", *WAIT)
    desk.run("rtt", desk.at("b"), "-n", "2", "--first", "1", "-i", "0.001", *WAIT)
    desk.end(rep)
    other = desk.start("rep", "-b", desk.at("c"), "--reply", "no", *WAIT)
    has(desk.run("rtt", desk.at("c"), *WAIT, code=FAILED)[1], "no echo")
    other.kill()
    has(desk.run("rtt", desk.at("none"), "-t", "0.1", code=LATE)[1], "no peer came within 0.1 s")
    has(desk.run("rtt", desk.at("a"), "-n", "0", code=WRONG_CALL)[1], "--count")
    has(desk.run("rtt", code=WRONG_CALL)[1], "--connect")


def in_terminal(desk, *words):
    """A process whose terminal is ours: it, and our end."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 100, 0, 0))
    process = subprocess.Popen([desk.program, *words], stdin=its, stdout=its, stderr=its, start_new_session=True,
                               env={**os.environ, "TERM": "xterm"})
    os.close(its)
    desk.running.append(process)
    return process, ours


def shown(terminal, wanted, text=""):
    """All that a terminal has shown until the text is there."""
    while wanted not in text:
        assert select.select([terminal], [], [], 60)[0], f"'{wanted}' is not in {text!r}"
        text += os.read(terminal, 4096).decode()
    return text


def serving(desk, *words):
    """A process that serves its counters, and where."""
    process = desk.start(*words, "--statistics", "tcp://127.0.0.1:*")
    return process, process.stderr.readline().removeprefix("statistics at ").strip()


def tops(desk):
    puller, where = serving(desk, "pull", "-b", desk.at("a"), "-n", "4", *WAIT)
    desk.run("push", desk.at("a"), "-d", "one", "-d", "two", "-d", "three", *WAIT)
    while json.loads(desk.run("top", where, "--once", "--json")[0])["sockets"][0]["messages_received"] < 3:
        pass
    said = json.loads(desk.run("top", where, "--once", "--json")[0])
    equal([said["endpoint"], len(said["sockets"])], [where, 1])
    equal(said["sockets"][0]["endpoints"][0]["endpoint"], desk.at("a"))
    lines = desk.run("top", where.rsplit(":", 1)[1], "--once")[0].splitlines()
    equal(lines[1].split()[:7], ["#", "TYPE", "PEERS", "IN", "OUT", "IN", "B"])
    equal(lines[2].split()[:6], ["1", "PULL", "0", "3", "0", "11"])
    rates = desk.run("top", where, where, "-n", "2", "-i", "0.05")[0]
    equal([rates.count("IN/s"), rates.count("QUEUED"), rates.count(chr(27))], [2, 4, 0])

    # Live: keys, and signals, give the terminal back.
    for end in (lambda process, terminal: os.write(terminal, b"xq"), lambda process, _: process.send_signal(2)):
        process, terminal = in_terminal(desk, "top", where, "-i", "0.05")
        begun = shown(terminal, "IN/s")
        has(begun, chr(27) + "[?1049h")
        has(begun, "PULL")
        end(process, terminal)
        shown(terminal, chr(27) + "[?1049l")
        equal(process.wait(timeout=60), DONE)
        desk.running.remove(process)
        os.close(terminal)
    # Nobody reads it any more.
    endless = desk.start("top", where, "-i", "0.05", "--json")
    endless.stdout.readline()
    endless.stdout.close()
    endless.stdout = None
    assert endless.wait(timeout=60) != LATE

    listener = socket.create_server(("127.0.0.1", 0))
    silent = f"127.0.0.1:{listener.getsockname()[1]}"
    has(desk.run("top", silent, "--once", "-t", "0.1", code=LATE)[0], f"{silent}: no answer in time")
    listener.close()
    has(desk.run("top", silent, "--once", "-t", "60", code=FAILED)[0], "refused")
    has(desk.run("top", silent, "--once", "--json", code=FAILED)[0], '"trouble":')
    has(desk.run("top", code=WRONG_CALL)[1], "endpoint")
    has(desk.run("top", where, "--once", "-n", "2", code=WRONG_CALL)[1], "--once")
    has(desk.run("pull", "-b", desk.at("b"), "--statistics", "inproc://a", code=FAILED)[1], "inproc://a")
    desk.run("push", desk.at("a"), "-d", "four", *WAIT)
    desk.end(puller)

    between, where = serving(desk, "proxy", "pull@" + desk.at("in"), "push@" + desk.at("out"))
    has(desk.run("top", where, "--once")[0], "PUSH")
    between.terminate()
    equal(between.wait(timeout=60), DONE)


def joining(desk):
    """A mesh by a seed; exact topics, prefixes, patterns; parts, views, counts."""
    seed = desk.start("spot", "sub", "room.1", "--prefix", "hall", "-p", "room.*.open", "-b", desk.at("seed"), "--seed",
                      "-n", "4", "-v", *WAIT)
    equal(seed.stderr.readline(), f"bound to {desk.at('seed')}\n")
    everything = desk.start("spot", "sub", "-b", desk.at("all"), "-j", desk.at("seed"), "--json", "-n", "6", "-v", *WAIT)
    equal(everything.stderr.readline(), f"bound to {desk.at('all')}\n")
    desk.run("spot", "pub", "-b", desk.at("pub"), "-j", desk.at("seed"), "--wait", "2", *WAIT,
             text="room.1\tone\tpart\nroom.2\tnot\nhall.1\nroom.2.open\tthree\nroom.1.x\tnot\nhall\tfour\n")
    equal(desk.end(seed)[0], "room.1\tone\tpart\nhall.1\t\nroom.2.open\tthree\nhall\tfour\n")
    lines = [json.loads(line) for line in desk.end(everything)[0].splitlines()]
    equal([lines[0], len(lines), lines[4][0]], [["room.1", "one", "part"], 6, "room.1.x"])


def peers_of_topics(desk):
    """One reads the other, over TCP and sealed; a topic behind the verb; a count of what is sent."""
    keys_of = [dict(line.split() for line in desk.run("keygen")[0].splitlines()) for _ in range(2)]
    publisher = desk.start("spot", "pub", "room", "-b", "tcp://127.0.0.1:*", "-v", "-n", "2", *WAIT,
                           "--bind-option", "CURVE_SERVER=1", "--bind-option", "CURVE_SECRETKEY=" + keys_of[0]["secret"],
                           "-d", "one", "-d", "two\tparts", "-d", "three")
    where = ""
    while not where.startswith("bound to "):
        where = publisher.stderr.readline()
    where = where.removeprefix("bound to ").strip()
    sealed = ["--connect-option", "CURVE_SERVERKEY=" + keys_of[0]["public"], "--connect-option",
              "CURVE_PUBLICKEY=" + keys_of[1]["public"], "--connect-option", "CURVE_SECRETKEY=" + keys_of[1]["secret"]]
    equal(desk.run("spot", "sub", "room", "--peer", where, *sealed, "-n", "2", *WAIT)[0], "room\tone\nroom\ttwo\tparts\n")
    desk.end(publisher)


def registered_topics(desk):
    registry = desk.start("registry", "--bind", desk.at("asked"))
    reader = desk.start("spot", "sub", "-r", desk.at("asked"), "-n", "1", *WAIT)
    desk.run("spot", "pub", "-b", desk.at("node"), "-r", desk.at("asked"), "-d", "room\tfound", *WAIT)
    equal(desk.end(reader)[0], "room\tfound\n")
    registry.terminate()
    equal(registry.wait(timeout=60), DONE)


def tops_of_topics(desk):
    publisher = desk.start("spot", "pub", "-b", desk.at("a"), "--rate", "50", *WAIT, text="room.1\tone\nroom.2\ttwo\n" * 2000)
    lines = desk.run("spot", "top", "--peer", desk.at("a"), "--plain", "-n", "2", "-i", "0.5")[0].splitlines()
    equal(lines[1].split(), ["MSG/s", "B/s", "MESSAGES", "B", "NODES", "TOPIC"])
    equal(sorted(line.split()[-1] for line in lines[-2:]), ["room.1", "room.2"])
    said = json.loads(desk.run("spot", "top", "room.2", "--peer", desk.at("a"), "--json", "--once")[0])
    equal([(each["topic"], each["nodes"]) for each in said["topics"]], [("room.2", 1)])
    assert said["topics"][0]["messages_lately"] > 0, said
    for end in (lambda process, terminal: os.write(terminal, b"xq"), lambda process, _: process.send_signal(2)):
        process, terminal = in_terminal(desk, "spot", "top", "--peer", desk.at("a"), "-i", "0.05")
        has(shown(terminal, "room.2"), "zlink spot top")
        end(process, terminal)
        shown(terminal, chr(27) + "[?1049l")
        equal(process.wait(timeout=60), DONE)
        desk.running.remove(process)
        os.close(terminal)
    publisher.send_signal(2)
    publisher.stdin.close()
    publisher.stdin = None
    equal(publisher.wait(timeout=60), DONE)
    equal(desk.run("spot", "top", "--peer", desk.at("a"), "--once", "-i", "0.05", code=FAILED)[0].splitlines()[0][:8], "0 topics")


def ends_of_topics(desk):
    """Exit codes, signals, and what is said of wrong calls."""
    has(desk.run("spot", "sub", "--peer", desk.at("a"), "-t", "0.1", code=LATE)[1], "nothing came within 0.1 s")
    has(desk.run("spot", "pub", "-b", desk.at("a"), "-d", "x", "-t", "0.1", code=LATE)[1], "did not come to read")
    desk.run("spot", "pub", "-b", desk.at("a"), "-d", "x", "--wait", "0", *WAIT)
    for number in (2, 15):
        reader = desk.start("spot", "sub", "-b", desk.at("b"), "-v")
        reader.stderr.readline()
        reader.send_signal(number)
        desk.end(reader)
    has(desk.run("spot", "sub", code=WRONG_CALL)[1], "--bind, --peer, --join or --registry")
    has(desk.run("spot", "sub", "-j", desk.at("a"), code=WRONG_CALL)[1], "--bind")
    has(desk.run("spot", "sub", "-j", "tcp://127.0.0.1:9", "-b", "tcp://*:*", code=WRONG_CALL)[1], "no address")
    has(desk.run("spot", "pub", "--peer", desk.at("a"), code=WRONG_CALL)[1], "--bind")
    has(desk.run("spot", "pub", "x", "y", "-b", desk.at("a"), code=WRONG_CALL)[1], "'y' is a second topic")
    has(desk.run("spot", "pub", "-p", "y", "-b", desk.at("a"), code=WRONG_CALL)[1], "--pattern")
    has(desk.run("spot", "sub", "-d", "y", "-b", desk.at("a"), code=WRONG_CALL)[1], "--data")
    has(desk.run("spot", "sub", "x" * 256, "-b", desk.at("a"), code=WRONG_CALL)[1], "1 to 255 bytes")
    has(desk.run("spot", "sub", "--advertise", "x", "-b", desk.at("a"), code=WRONG_CALL)[1], "--registry")
    has(desk.run("spot", "sub", "--ordered", "x=1", "-b", desk.at("a"), code=WRONG_CALL)[1], "--ordered is for zlink spot top")
    has(desk.run("spot", "top", "--ordered", "x=1", "--peer", desk.at("a"), code=WRONG_CALL)[1], "--bind")
    for wrong in ("x", "x=", "=1", "x=0", "x=one", "x=1 "):
        has(desk.run("spot", "top", "--ordered", wrong, "-b", desk.at("a"), code=WRONG_CALL)[1], f"'{wrong}' is no TOPIC=")
    many = [word for i in range(65) for word in ("--ordered", f"{i}=1")]
    has(desk.run("spot", "top", *many, "-b", desk.at("a"), code=WRONG_CALL)[1], "at most")
    has(desk.run("spot", "top", "--ordered", "x=65536", "--ordered", "y=1", "-b", desk.at("a"), code=FAILED)[1], "at most")
    has(desk.run("spot", "sing", code=WRONG_CALL)[1], "sing")
    has(desk.run("spot", "pub", "-b", desk.at("a"), "--wait", "0", "-d", "\tx", code=FAILED)[1], "is no topic")
    has(desk.run("spot", "sub", "-b", "nothing://x", code=FAILED)[1], "cannot bind to nothing://x: ")


def collecting(desk):
    """As Prometheus would."""
    exposition.find_planted()
    puller, where = serving(desk, "pull", "-b", desk.at('a"b'), "-n", "3", *WAIT)
    url = where.replace("tcp", "http") + "/metrics"

    def collect():
        got = subprocess.run(["curl", "-sSif", "--max-time", "60", url], capture_output=True, text=True, check=True)
        head, body = got.stdout.replace("\r", "").split("\n\n", 1)
        has(head, "Content-Type: text/plain; version=0.0.4; charset=utf-8")
        return exposition.read(body)

    desk.run("push", desk.at('a"b'), "-d", "one", "-d", "two", *WAIT)
    received = ("zlink_messages_received_total", (("socket", "1"), ("type", "PULL")))
    while collect()[received] < 2:
        pass
    found = collect()
    equal(found[("zlink_sockets", ())], 1)
    equal(len([1 for name, _ in found if name == "zlink_dropped_total"]), 15)
    assert any(dict(labels).get("endpoint") == desk.at('a\\"b') for _, labels in found), found
    desk.run("push", desk.at('a"b'), "-d", "three", *WAIT)
    desk.end(puller)


def recordings(desk):
    file = f"{desk.folder}/file"
    recorder = desk.start("record", file, "-b", desk.at("a"), "--type", "pull", "-n", "3", *WAIT)
    desk.run("push", desk.at("a"), "--rate", "10", "-d", "one", "-d", "two\tparts", *WAIT)
    desk.run("push", desk.at("a"), "--hex", "-d", "00ff", *WAIT)
    desk.end(recorder)
    with open(file) as lines:
        head, *messages = [json.loads(line) for line in lines]
    equal([head["zlink"], head["version"], head["type"]], ["recording", 1, "pull"])
    equal([message["parts"] for message in messages], [["one"], ["two", "parts"], [{"hex": "00ff"}]])
    times = [message["ns"] for message in messages]
    assert times == sorted(times) and times[1] - times[0] > 0, times

    puller = desk.start("pull", "-b", desk.at("b"), "-n", "6", "--hex", *WAIT)
    desk.run("replay", file, desk.at("b"), "--speed", "0", "--times", "2", "--wait", "1", *WAIT)
    equal(desk.end(puller)[0], "6f6e65\n74776f\t7061727473\n00ff\n" * 2)


def paced_replays(desk):
    lines = [{"zlink": "recording", "version": 1, "type": "sub"}]
    lines += [{"ns": 1000000000000 + 200000000 * i, "parts": ["a", str(i)]} for i in range(3)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    sub = desk.start("sub", desk.at("a"), "-s", "a", "-n", "3", *WAIT)
    began = time.monotonic()
    desk.run("replay", "-", "-b", desk.at("a"), "--speed", "2", "--wait", "1", *WAIT, text=text)
    assert time.monotonic() - began >= 0.2, "two pauses of a tenth of a second"
    equal(desk.end(sub)[0], "a\t0\na\t1\na\t2\n")


def recordings_that_end(desk):
    file = f"{desk.folder}/file"
    recorder = desk.start("record", file, "-b", desk.at("a"), "-s", "a", "-v", *WAIT)
    has(recorder.stderr.readline(), "bound to")
    desk.run("pub", desk.at("a"), "--wait", "1", "-d", "a1", "-d", "b2", "-d", "a3", *WAIT)
    while open(file).read().count("\n") < 3:  # a message is in the file before the next one is waited for
        assert recorder.poll() is None, recorder.communicate()
    recorder.terminate()
    desk.end(recorder)
    parts = [json.loads(line)["parts"] for line in open(file).read().splitlines()[1:]]
    equal(parts, [["a1"], ["a3"]])
    desk.run("record", file, "-b", desk.at("b"), "--seconds", "0.05", *WAIT)
    has(desk.run("record", file, "-b", desk.at("c"), "-t", "0.05", code=LATE)[1], "nothing came within 0.05 s")
    has(desk.run("record", file, "-b", desk.at("c"), "--type", "push", code=WRONG_CALL)[1], "--type push")
    has(desk.run("record", desk.folder, "-b", desk.at("c"), code=FAILED)[1], desk.folder)
    has(desk.run("replay", f"{desk.folder}/none", desk.at("c"), code=FAILED)[1], f"{desk.folder}/none")
    has(desk.run("replay", "-", desk.at("c"), code=FAILED, text="x\n")[1], "-, line 1: it is no recording")
    has(desk.run("replay", file, desk.at("c"), "--type", "sub", code=WRONG_CALL)[1], "--type sub")


def manuals(desk):
    has(desk.run("man")[0], ".BR zlink\\-pub (1).\n")
    has(desk.run("man", "pub")[0], "\\fB\\-\\-rate\\fR")
    desk.run("man", "--directory", desk.folder)
    pages = sorted(name for name in os.listdir(desk.folder) if name.endswith(".1"))
    assert {"zlink.1", "zlink-pub.1", "zlink-rtt.1"} < set(pages), pages
    if shutil.which("groff"):
        for page in pages:
            said = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z", f"{desk.folder}/{page}"],
                                  capture_output=True, text=True, check=True)
            equal(said.stderr, "")
    has(desk.run("man", "pubb", code=WRONG_CALL)[1], "'pubb'")
    has(desk.run("man", "--directory", f"{desk.folder}/none", code=FAILED)[1], f"{desk.folder}/none")


def completed(shell, script, words):
    """What a shell offers for the last of the words. None: the shell is not here."""
    if not shutil.which(shell):
        return None
    if shell == "bash":
        ask = f"source {script}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}\n"
        ask += "_zlink; printf '%s\\n' \"${COMPREPLY[@]}\""
    elif shell == "fish":
        ask = f"source {script}; complete -C {shlex.quote(' '.join(words))}"
    else:
        raise ValueError(shell)
    said = subprocess.run([shell, "-c", ask], capture_output=True, text=True, check=True)
    equal(said.stderr, "")
    return [line.split("\t")[0] for line in said.stdout.splitlines()]


def completions(desk):
    for shell in ("bash", "fish"):
        script = f"{desk.folder}/{shell}"
        with open(script, "w") as out:
            out.write(desk.run("completion", shell)[0])
        for words, wanted in ((["zlink", "do"], ["doctor"]), (["zlink", "doctor", "--ty"], ["--type"]),
                              (["zlink", "bench", "--abi", "zl"], ["zlink"]),
                              (["zlink", "completion", "z"], ["zsh"])):
            got = completed(shell, script, words)
            assert got is None or got == wanted, (shell, words, got)
    zsh = desk.run("completion", "zsh")[0]
    has(zsh, "#compdef zlink\n")
    if shutil.which("zsh"):
        # compinit is not wanted here; what it would define takes the script's word.
        checks = "compdef () { print defined $2 }\n" + zsh
        equal(subprocess.run(["zsh", "-f", "-c", checks], capture_output=True, text=True, check=True).stdout,
              "defined zlink\n")
    has(desk.run("completion", "csh", code=WRONG_CALL)[1], "csh")


def explanations(desk):
    has(desk.run("explain", "disconnected")[0], "DISCONNECTED: event 0x0200\n")
    has(desk.run("explain", "0x1000")[0], "in zmq.h HANDSHAKE_SUCCEEDED")
    has(desk.run("explain", "connect-refused")[0], "nobody listens")
    has(desk.run("explain", "--all")[0], "\nEvents\n======\n")
    has(desk.run("explain", "nothing", code=FAILED)[1], "'nothing'")


def certificates(desk):
    folder = f"{desk.folder}/certs"
    made = desk.run("cert", folder, "--client", "anna")[0].splitlines()
    equal(sorted(made), sorted(f"{folder}/{name}.{kind}" for name in ("ca", "server", "anna") for kind in ("key", "pem")))
    for file in (name for name in made if name.endswith(".key")):
        equal(oct(os.stat(file).st_mode & 0o777), "0o600")
    server = ["-o", f"TLS_CERT={folder}/server.pem", "-o", f"TLS_KEY={folder}/server.key",
              "-o", f"TLS_CA={folder}/ca.pem", "-o", "TLS_REQUIRE_CLIENT_CERT=1"]
    anna = ["-o", f"TLS_CERT={folder}/anna.pem", "-o", f"TLS_KEY={folder}/anna.key", "-o", f"TLS_CA={folder}/ca.pem"]
    puller = desk.start("pull", "-b", "tls://127.0.0.1:*", "-v", "-n", "1", *server, *WAIT)
    port = puller.stderr.readline().rsplit(":", 1)[1].strip()
    has(desk.run("doctor", f"tls://localhost:{port}", "--type", "push", *anna[4:], "-t", "60", code=FAILED)[0], "failed")
    desk.run("push", f"tls://localhost:{port}", "-d", "sealed", *anna, *WAIT)
    equal(desk.end(puller)[0], "sealed\n")

    has(desk.run("cert", folder, code=FAILED)[1], "--replace")
    before = open(f"{folder}/ca.pem").read()
    desk.run("cert", folder, "--replace", "--host", "other.example", "--days", "2")
    equal(open(f"{folder}/ca.pem").read(), before)
    other = desk.start("pull", "-b", "tls://127.0.0.1:*", "-v", *server[:4], *WAIT)
    port = other.stderr.readline().rsplit(":", 1)[1].strip()
    has(desk.run("doctor", f"tls://localhost:{port}", "--type", "push", "-o", f"TLS_CA={folder}/ca.pem", "-t", "60",
                 code=FAILED)[0], "certificate-of-another")
    other.kill()
    has(desk.run("cert", folder, "--host", "a,b", code=WRONG_CALL)[1], "--host 'a,b'")
    has(desk.run("cert", folder, "--client", "../x", code=WRONG_CALL)[1], "--client '../x'")
    has(desk.run("cert", folder, "--client", "ca", code=WRONG_CALL)[1], "--client 'ca'")
    has(desk.run("cert", f"{folder}/ca.pem/x", code=FAILED)[1], "cannot make")


def bridges(desk):
    pub = desk.start("pub", "-b", desk.at("from"), "--wait", "1", *WAIT)
    bridge = desk.start("bridge", desk.at("from"), desk.at("to"), "--pattern", "pubsub", "--to-option", "SNDHWM=10")
    sub = desk.start("sub", desk.at("to"), "-s", "a", "-n", "1", *WAIT)
    desk.end(pub, text="b1\na1\n")
    equal(desk.end(sub)[0], "a1\n")
    bridge.terminate()
    desk.end(bridge)

    rep = desk.start("rep", "-b", desk.at("ask"), "-n", "1", *WAIT)
    bridge = desk.start("bridge", desk.at("ask"), desk.at("asked"), "--pattern", "reqrep")
    equal(desk.run("req", desk.at("asked"), "-d", "question", *WAIT)[0], "question\n")
    equal(desk.end(rep)[0], "question\n")
    bridge.terminate()
    desk.end(bridge)

    puller = desk.start("pull", "-b", desk.at("out"), "-n", "1", *WAIT)
    bridge = desk.start("bridge", desk.at("in"), desk.at("out"), "--pattern", "pipeline", "--bind-from", "--connect-to")
    desk.run("push", desk.at("in"), "-d", "one\ttwo", *WAIT)
    equal(desk.end(puller)[0], "one\ttwo\n")
    bridge.terminate()
    desk.end(bridge)

    has(desk.run("bridge", desk.at("x"), desk.at("y"), "--pattern", "any", code=WRONG_CALL)[1], "--pattern")
    has(desk.run("bridge", desk.at("x"), desk.at("y"), code=WRONG_CALL)[1], "--pattern")
    has(desk.run("bridge", desk.at("x"), desk.at("y"), "--pattern", "pair", "--to-option", "X=1", code=WRONG_CALL)[1],
        "'X'")
    has(desk.run("bridge", desk.at("x"), desk.at("y"), "--pattern", "pair", "--to-option", "RCVHWM=-1",
                 code=FAILED)[1], "RCVHWM")
    has(desk.run("bridge", desk.at("x"), "no://y", "--pattern", "pair", code=FAILED)[1], "bind to no://y")


LATENCY = r"message size: {} \[B\]\nroundtrip count: {}\naverage latency: \d+\.\d{{3}} \[us\]\n"
THROUGHPUT = (r"message size: {} \[B\]\nmessage count: {}\nmean throughput: \d+ \[msg/s\]\n"
              r"mean throughput: \d+\.\d{{3}} \[Mb/s\]\n")


def said(text, form, *numbers):
    assert re.fullmatch(form.format(*numbers), text), text


def perf_tools(desk):
    libraries = [["--library", path] for path in desk.libraries if os.path.exists(path)]
    assert libraries, desk.libraries
    for library in libraries:
        local = desk.start("perf", "local_lat", desk.at("a"), "64", "100", *library)
        said(desk.run("perf", "remote_lat", desk.at("a"), "64", "100", *library)[0], LATENCY, 64, 100)
        equal(desk.end(local)[0], "")
        local = desk.start("perf", "local_thr", desk.at("b"), "1000", "500", *library)
        equal(desk.run("perf", "remote_thr", desk.at("b"), "1000", "500", *library)[0], "")
        said(desk.end(local)[0], THROUGHPUT, 1000, 500)
        said(desk.run("perf", "inproc_lat", "1", "200", *library)[0], LATENCY, 1, 200)
        said(desk.run("perf", "inproc_thr", "0", "2000", *library)[0], THROUGHPUT, 0, 2000)
        said(desk.run("perf", "proxy_thr", "64", "3000", *library)[0], THROUGHPUT, 64, 3000)
    has(desk.run("perf", "local_lat", "64", "100", code=WRONG_CALL)[1], "local_lat takes an endpoint,")
    has(desk.run("perf", "inproc_thr", "64", "1", code=WRONG_CALL)[1], "the count '1'")
    has(desk.run("perf", "inproc_lat", "x", "1", code=WRONG_CALL)[1], "the size 'x'")
    has(desk.run("perf", "inproc", "64", "1", code=WRONG_CALL)[1], "inproc")
    has(desk.run("perf", "inproc_lat", "1", "1", "--library", "/none.so", code=FAILED)[1], "--library: /none.so")
    has(desk.run("perf", "local_lat", "no://x", "1", "1", *libraries[0], code=FAILED)[1], "cannot bind to no://x: ")


def pcap(packets):
    """A capture of raw IP: (from port, to port, sequence, flags, payload) each."""
    made = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for i, (source, target, sequence, flags, payload) in enumerate(packets):
        tcp = struct.pack(">HHIIBBHHH", source, target, sequence & 0xFFFFFFFF, 0, 0x50, flags, 1024, 0, 0)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0, b"\x7f\0\0\1", b"\x7f\0\0\1")
        packet = ip + tcp + payload
        made += struct.pack("<IIII", 100, i, len(packet), len(packet)) + packet
    return made


def overheard(desk, *words):
    """What a pusher and a puller say to each other through here: (from the pusher, octets) each."""
    near, far = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in (near, far)]
    puller = desk.start("pull", f"tcp://127.0.0.1:{ports[1]}", "-n", "1", *words, *WAIT)
    pusher = desk.start("push", f"tcp://127.0.0.1:{ports[0]}", "-d", "hello\tparts", *words, *WAIT)
    ends = [near.accept()[0], far.accept()[0]]
    said = []
    while ends:
        for end in select.select(ends, [], [], 60)[0]:
            octets = end.recv(65536)
            others = [each for each in ends if each is not end]
            if not octets:
                ends = others
            elif others:
                others[0].sendall(octets)
            if octets:
                said.append((end.getsockname()[1] == ports[0], octets))
        if puller.poll() is not None and pusher.poll() is not None:
            break
    desk.end(puller)
    desk.end(pusher)
    return said


def decoding(desk):
    said = overheard(desk)
    sequences, packets = {True: 0xFFFFFFF0, False: 7}, []
    for side in (True, False):
        packets.append((40000 if side else 5555, 5555 if side else 40000, sequences[side] - 1, 2, b""))
    for side, octets in said:
        packets.append((40000 if side else 5555, 5555 if side else 40000, sequences[side], 16, octets))
        sequences[side] += len(octets)
    packets.append((9, 10, 1, 16, b"something else"))
    capture = f"{desk.folder}/capture"
    with open(capture, "wb") as out:
        out.write(pcap(packets))
    out, _ = desk.run("decode", capture, "--port", "5555")
    way = "  127.0.0.1:40000 -> 127.0.0.1:5555  "
    for line in (way + "greeting: ZMTP 3.1, NULL\n", way + 'READY Socket-Type="PUSH"', way + 'part, 5 bytes: "hello"\n',
                 way + 'message, 5 bytes: "parts"\n', "  127.0.0.1:5555 -> 127.0.0.1:40000  greeting: ZMTP 3.1, NULL\n"):
        has(out, line)
    assert "127.0.0.1:9 " not in out, out
    has(desk.run("decode", capture)[0], "127.0.0.1:9 -> 127.0.0.1:10  no greeting of ZMTP")

    pushed = b"".join(octets for side, octets in said if side)
    wanted = [line.split(way)[1] for line in out.splitlines() if way in line]
    with open(f"{desk.folder}/raw", "wb") as raw:
        raw.write(pushed)
    equal(desk.run("decode", f"{desk.folder}/raw", "--raw")[0].splitlines(), wanted)
    equal(desk.run("decode", "-", text=pushed.hex(" "))[0].splitlines(), wanted)
    dump = "".join(f"{at:08x}: {pushed[at:at + 16].hex()}  ..\n" for at in range(0, len(pushed), 16))
    equal(desk.run("decode", "-", "--hex", text=dump)[0].splitlines(), wanted)

    has(desk.run("decode", f"{desk.folder}/none", code=FAILED)[1], f"cannot read {desk.folder}/none")
    has(desk.run("decode", "-", code=FAILED, text="ff\nfx\n")[1], "-, line 2: it is not made of pairs")
    has(desk.run("decode", "-", code=FAILED, text="-----\n" * 9)[1], "no pcap file")
    has(desk.run("decode", capture, "--port", "0", code=WRONG_CALL)[1], "--port")
    with open(capture, "ab") as out:
        out.write(b"x")
    has(desk.run("decode", capture, code=FAILED)[1], "ends within a packet")


SHORT = ["--rounds", "1", "--seconds", "0.05"]


def benches(desk):
    name, cells = f"{desk.folder}/run", ["--cell", "PAIR/tcp/64,1024/throughput,latency"]

    def bench(*words, **more):
        return desk.run("bench", *cells, "--no-floor", *SHORT, *words, **more)

    lines = bench("--results", "--save", name)[0].splitlines()
    assert all(line.startswith(("RESULT,zlink,PAIR,tcp,", "RESULT,libzmq,PAIR,tcp,")) for line in lines), lines
    equal(sum(line.split(",")[5] in ("throughput", "latency") for line in lines), 8)
    with open(f"{name}.json") as file:
        record = json.load(file)
    equal([cell["cell"] for cell in record["cells"]],
          [f"PAIR/tcp/{size}/{metric}" for metric in ("throughput", "latency") for size in (64, 1024)])
    for fact in ("date", "kernel", "processors", "ours", "libzmq", "rounds"):
        assert record["facts"][fact], fact
    has(open(f"{name}.html").read(), "PAIR/tcp/1024/latency")

    record["cells"].pop()
    with open(f"{name}.json", "w") as file:
        json.dump(record, file)
    said, _ = bench("--save", name, "--resume", "--baseline", name, "--size-of", desk.libraries[1])
    for row in (r"size of ours +\d+ bytes stripped, \d\.\d\dx libzmq's, ", r"size of ours, another +\d+ ",
                r"size of libzmq +\d+ bytes stripped, 1.00x"):
        assert re.search(row, said), said
    has(said, "1 cells left, about")
    has(said, "3 cells against the baseline; worse by more than a tenth: none")
    equal(len(json.load(open(f"{name}.json"))["cells"]), 4)

    has(desk.run("bench", *cells, "--no-floor", "--rounds", "1", "--seconds", "0.06", "--save", name, "--resume",
                 code=WRONG_CALL)[1], "was measured with another: rounds")
    has(bench("--resume", code=WRONG_CALL)[1], "--save")
    has(bench("--library", ".", code=WRONG_CALL)[1], "'.' is a folder")
    has(bench("--baseline", f"{name}0", code=WRONG_CALL)[1], f"cannot read {name}0.json")
    has(bench("--quick", "--full", code=WRONG_CALL)[1], "--full")
    has(desk.run("bench", "--cell", "PAIRS", code=WRONG_CALL)[1], "--cell 'PAIRS'")


def sweeps(desk):
    said, _ = desk.run("bench", "sweep", "--cell", "PAIR/ipc/1024/throughput", *SHORT)
    for setting in ("default", "+io2", "+io4", "+kernel4m", "+batches64k", "+batch"):
        has(said, f"\n  {setting} ")
    assert re.search(r"the default is number \d+ of \d+, at \d+ % of the best", said), said
    has(desk.run("bench", "sweeping", code=WRONG_CALL)[1], "sweeping")


def sizes(desk):
    other = desk.libraries[1]
    said, _ = desk.run("bench", "sizes", "--size-of", other)
    rows = said.splitlines()
    names = ("ours", "ours, zlink.h", "ours, another", "libzmq")
    equal(len(rows), len(names))
    for row, name in zip(rows, names):
        assert re.fullmatch(rf"size of {name} +\d+ bytes stripped, \d\.\d\dx libzmq's, /\S+", row), row
    has(rows[2], other)
    has(desk.run("bench", "sizes", "--size-of", __file__, code=WRONG_CALL)[0], f"{__file__}: no size")


def pages(desk):
    """The page of a run, in a browser without a screen."""
    name = f"{desk.folder}/run"
    words = ["bench", "--cell", "PAIR,DEALER_ROUTER/tcp,ipc/64,1024/throughput,latency", *SHORT]
    process = desk.start(*words, "--save", name)
    process.communicate(timeout=90)  # a stage on which nothing is won or lost: whatever it says
    desk.running.remove(process)
    process = desk.start(*words, "--save", name, "--resume", "--baseline", name)
    process.communicate(timeout=90)
    desk.running.remove(process)
    shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={desk.folder}/user",
                            "--dump-dom", f"file://{name}.html"], capture_output=True, text=True, timeout=90, check=True)
    page = shown.stdout
    has(page, 'data-state="drawn"')
    equal(page.count('<td class="c"'), 8)  # of the heat map: two patterns, two transports, two sizes
    assert page.count("<path") == 6, page.count("<path")  # three lines in each of two charts
    assert page.count("<rect") >= 8, page.count("<rect")
    for text in ("cells won", "allocations", "DEALER_ROUTER · ipc", "99.9 %", "raw floor", "Since the baseline"):
        has(page, text)


def main(program, case):
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(program, folder)
        try:
            globals()[case](desk)
        finally:
            desk.stop_all()
    print(f"{case}: ok")


main(*sys.argv[1:])
