"""The verbs of the zlink command, end to end: each case starts real processes,
which find each other by ipc in a folder of their own, and looks at what they
print and how they end."""

import json
import socket
import subprocess
import sys
import tempfile
import time

WAIT = ["-t", "60"]  # a bound, not a measure
DONE, FAILED, WRONG_CALL, LATE = 0, 1, 2, 3


class Desk:
    def __init__(self, program, folder):
        self.program, self.folder, self.running = program, folder, []

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
    listener = socket.create_server(("127.0.0.1", 0))
    silent = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    said = desk.start("doctor", silent, "-t", "60")
    listener.accept()[0].sendall(b"SSH-2.0-none\r\n")
    has(desk.end(said, FAILED)[0], "is it the right port?")
    has(desk.run("doctor", silent, "-t", "0.1", code=LATE)[0], "nothing")
    has(desk.run("doctor", "tcp://127.0.0.1", code=FAILED)[0], "Invalid argument")
    has(desk.run("doctor", silent, "--type", "none", code=WRONG_CALL)[1], "'none'")


def main(program, case):
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(program, folder)
        try:
            globals()[case](desk)
        finally:
            desk.stop_all()
    print(f"{case}: ok")


main(*sys.argv[1:])
