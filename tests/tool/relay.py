"""zlink gateway, end to end: providers in this process over the library, clients that know
the relay's address alone, as processes of the command and by hand."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

WAIT = ["-t", "60"]  # a bound, not a measure


class Message(ctypes.Structure):
    _fields_ = [("octets", ctypes.c_ubyte * 64)]


class Library:
    """What is used of zlink.h."""

    def __init__(self, path):
        self.of = ctypes.CDLL(path)
        for name in ("ctx_new", "registry_new", "receiver_new", "msg_data", "request_parts"):
            getattr(self.of, "zlink_" + name).restype = ctypes.c_void_p
        self.of.zlink_msg_size.restype = ctypes.c_size_t
        self.of.zlink_request_traceparent.restype = ctypes.c_char_p
        self.of.zlink_request_key.restype = ctypes.c_char_p

    def __getattr__(self, name):
        return getattr(self.of, "zlink_" + name)

    def text(self, part):
        return ctypes.string_at(self.msg_data(ctypes.c_void_p(part)), self.msg_size(ctypes.c_void_p(part)))


class Provider:
    """Answers on a thread: what was asked in capitals, or as the first word says."""

    def __init__(self, library, endpoint, registry=None):
        self.of, self.told = library, []
        self.context = ctypes.c_void_p(library.ctx_new())
        self.handle = ctypes.c_void_p(library.receiver_new(self.context, None))
        assert library.receiver_bind(self.handle, endpoint.encode()) == 0
        assert registry is None or library.receiver_connect_registry(self.handle, registry.encode()) == 0
        assert library.receiver_register(self.handle, b"calc", None, 1) == 0
        self.heard = threading.Condition()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        request = ctypes.c_void_p()
        while self.of.receiver_recv(self.handle, ctypes.byref(request), -1) == 0:
            count = ctypes.c_size_t()
            first = self.of.request_parts(request, ctypes.byref(count))
            asked = b"|".join(self.of.text(first + 64 * i) for i in range(count.value))
            with self.heard:
                self.told.append((asked, self.of.request_traceparent(request)))
                self.heard.notify_all()
            if asked == b"refuse":
                self.of.request_fail(ctypes.byref(request), 8, 7, b"no wish")
            elif asked == b"keep":
                continue  # nobody ends it
            elif self.of.request_one_way(request):
                self.of.request_close(ctypes.byref(request))
            else:
                reply = Message()
                text = asked.upper()
                assert self.of.msg_init_size(ctypes.byref(reply), ctypes.c_size_t(len(text))) == 0
                ctypes.memmove(self.of.msg_data(ctypes.byref(reply)), text, len(text))
                self.of.request_reply(ctypes.byref(request), ctypes.byref(reply), ctypes.c_size_t(1))

    def await_told(self, asked):
        with self.heard:
            assert self.heard.wait_for(lambda: any(each[0] == asked for each in self.told), 60), self.told
            return next(each for each in self.told if each[0] == asked)

    def go(self):
        self.of.receiver_destroy(ctypes.byref(self.handle))
        self.thread.join()


class Relay:
    def __init__(self, program, *words):
        self.process = subprocess.Popen([program, "gateway", *words], stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        assert "zlink gateway: " in self.said, self.said

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        said = self.process.communicate(timeout=90)[1]
        assert self.process.returncode == 0, (self.process.returncode, said)
        return said


def run(program, *words, code=0, text=None):
    done = subprocess.run([program, *words], input=text, capture_output=True, text=True, timeout=90)
    assert done.returncode == code, (words, done)
    return done.stdout, done.stderr


def requests(program, library, at):
    provider = Provider(library, at("provider"))
    relay = Relay(program, "-b", at("relay"), "-p", "calc=" + at("provider"), "-v")
    assert run(program, "req", at("relay"), "-d", "calc\tone\ttwo", *WAIT)[0] == "OK\tONE|TWO\n"
    # A DEALER's envelope comes back with each reply.
    said, _ = run(program, "dealer", at("relay"), "-n", "3", "-d", "7\t\tcalc\ta", "-d", "8\t\tcalc\tb",
                  "-d", "x\ty\t\tcalc\tc", *WAIT)
    assert sorted(said.splitlines()) == ["7\t\tOK\tA", "8\t\tOK\tB", "x\ty\t\tOK\tC"], said
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    wish = '["calc\\ntimeout=60000\\nidempotent\\ntraceparent=%s", "traced"]' % trace
    assert json.loads(run(program, "req", at("relay"), "--json", *WAIT, text=wish)[0]) == ["OK", "TRACED"]
    assert provider.await_told(b"traced")[1] == trace.encode()
    # Nothing comes back, for which the client waits in vain.
    run(program, "dealer", at("relay"), "-d", "\tcalc\none-way\tquietly", "-t", "0.5", code=3)
    provider.await_told(b"quietly")
    said = relay.end()
    assert "ends after 5 requests, 0 failed, 1 one-way, 0 dropped" in said, said
    provider.go()


def failures(program, library, at):
    provider = Provider(library, at("provider"))
    relay = Relay(program, "-b", at("relay"), "-p", "calc=" + at("provider"), "-p", "gone=" + at("nobody"), "-v",
                  "--patience", "0.2")

    def asked(*parts):
        return json.loads(run(program, "req", at("relay"), "--json", *WAIT, text=json.dumps(parts))[0])

    assert asked("calc", "refuse") == ["ERROR refused maybe-done code=8 detail=7", "no wish"]
    assert asked("gone\ntimeout=100", "x") == ["ERROR no-provider", ""]
    assert asked("calc\ntimeout=100", "keep") == ["ERROR deadline maybe-done", ""]
    status, why = asked("calc\ntimeout=soon", "x")
    assert status == "ERROR malformed" and why.startswith("timeout takes "), why
    assert asked("", "x")[0] == "ERROR malformed"
    # Without an empty part there is nobody to answer.
    run(program, "dealer", at("relay"), "-d", "calc", "-t", "0.5", code=3)
    # What is under way in the end is told so.
    left = subprocess.Popen([program, "req", at("relay"), "--json", *WAIT], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    left.stdin.write(json.dumps(["calc\ntimeout=60000", "keep"]) + "\n")
    left.stdin.flush()
    with provider.heard:
        assert provider.heard.wait_for(lambda: len([1 for each in provider.told if each[0] == b"keep"]) == 2, 60)
    said = relay.end(signal.SIGINT)
    assert json.loads(left.communicate(timeout=90)[0]) == ["ERROR terminated maybe-done", ""]
    assert "gone: ERROR no-provider" in said and "6 requests, 6 failed, 0 one-way, 1 dropped" in said, said
    provider.go()


def registries(program, library, at):
    registry = ctypes.c_void_p(library.registry_new(ctypes.c_void_p(library.ctx_new())))
    assert library.registry_bind(registry, b"tcp://127.0.0.1:*") == 0
    where, size = ctypes.create_string_buffer(256), ctypes.c_size_t(256)
    assert library.registry_endpoint(registry, where, ctypes.byref(size)) == 0
    relay = Relay(program, "-b", at("relay"), "-r", where.value.decode())
    # The first request waits for the first provider.
    early = subprocess.Popen([program, "req", at("relay"), "-d", "calc\tearly", *WAIT], stdout=subprocess.PIPE,
                             text=True)
    provider = Provider(library, "tcp://127.0.0.1:*", where.value.decode())
    said = early.communicate(timeout=90)[0]
    assert said == "OK\tEARLY\n", said
    assert run(program, "req", at("relay"), "-d", "calc\tlate", *WAIT)[0] == "OK\tLATE\n"
    relay.end()
    provider.go()
    library.registry_destroy(ctypes.byref(registry))


def topics(program, library, at):
    relay = Relay(program, "-b", at("relay"), "--publishers", at("in"), "--subscribers", at("out"))
    subscriber = subprocess.Popen([program, "sub", at("out"), "--subscribe", "news", "-n", "1", *WAIT],
                                  stdout=subprocess.PIPE, text=True)
    run(program, "pub", at("in"), "--wait", "1", "-d", "sports", "-d", "news today", *WAIT)
    assert subscriber.communicate(timeout=90)[0] == "news today\n"
    relay.end()


def configured(program, library, at):
    provider = Provider(library, at("provider"))
    with open(at("file").removeprefix("ipc://"), "w", encoding="utf-8") as file:
        file.write("# ours\nbind = %s\nprovider = calc=%s\nverbose = true\n" % (at("relay"), at("provider")))
    relay = Relay(program, "--config", file.name)
    assert run(program, "req", at("relay"), "-d", "calc\tone", *WAIT)[0] == "OK\tONE\n"
    relay.end()
    provider.go()
    with open(file.name, "w", encoding="utf-8") as file:
        file.write("bind = %s\nprovidr = x\n" % at("relay"))
    assert ":2: " in run(program, "gateway", "--config", file.name, code=2)[1]


def wrong_calls(program, library, at):
    for words, rule in (([], "--bind"), (["-b", at("a")], "--registry"),
                        (["-b", at("a"), "-p", "calc"], "SERVICE=ENDPOINT"),
                        (["-b", at("a"), "--publishers", at("b")], "--subscribers"),
                        (["-b", at("a"), "-p", "x=" + at("b"), "-r", at("c")], "--provider is for")):
        assert rule in run(program, "gateway", *words, code=2)[1]
    assert "cannot bind" in run(program, "gateway", "-b", "no://x", "-p", "x=" + at("b"), code=1)[1]


def main(program, path, case):
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](program, Library(path), lambda name: f"ipc://{os.path.join(folder, name)}")
    print(f"{case}: ok")


main(*sys.argv[1:])
