"""`zlink registry` end to end: real processes that register, are killed and come back, its
file, its settings and its pages, the last also in a browser without a screen.

registry.py ZLINK LIBRARY CASE [SCREENSHOTS]
registry.py provide LIBRARY REGISTRY NAME...    a provider, until it is killed; used by the cases
"""

import base64
import contextlib
import ctypes
import json
import os
import queue
import re
import resource
import select
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PATIENCE_S = 60  # a bound, not a measure
DONE, FAILED, WRONG_CALL = 0, 1, 2
HOSTILE = "</script><img src=x onerror=document.title='broken'>"
BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
           "--no-proxy-server", "--remote-debugging-pipe"]


def equal(got, wanted):
    assert got == wanted, f"{got!r}, not {wanted!r}"


def has(text, wanted):
    assert wanted in text, f"{wanted!r} is not in {text!r}"


class Library:
    """zlink.h, whose answers below zero are exceptions, and whose handles are pointers."""

    def __init__(self, path):
        self._lib = ctypes.CDLL(path)
        for name in ("zlink_ctx_new", "zlink_receiver_new", "zlink_discovery_new_typed", "zlink_spot_node_new",
                     "zlink_spot_pub_new"):
            getattr(self._lib, name).restype = ctypes.c_void_p

    def __getattr__(self, name):
        call = getattr(self._lib, "zlink_" + name)
        if call.restype is ctypes.c_void_p:
            return lambda *words: ctypes.c_void_p(call(*words))

        def checked(*words):
            answer = call(*words)
            if answer < 0:
                raise OSError(self._lib.zlink_errno(), name)
            return answer

        return checked


def offering(lib, context, registry, names):
    receiver = lib.receiver_new(context, None)
    lib.receiver_bind(receiver, b"tcp://127.0.0.1:*")
    lib.receiver_connect_registry(receiver, registry.encode())
    for name in names:
        lib.receiver_register(receiver, name.encode(), None, 1)
    return receiver


def provide(library, registry, *names):
    """Registers each name, says so a line each, and stays."""
    lib = Library(library)
    receiver = offering(lib, lib.ctx_new(), registry, names)
    for name in names:
        status, where = ctypes.c_int(), ctypes.create_string_buffer(256)
        lib.receiver_register_result(receiver, name.encode(), ctypes.byref(status), where, None)
        equal(status.value, 0)
        print(where.value.decode(), flush=True)
    sys.stdin.read()  # as long as whoever started it is there


class Process:
    """One whose standard error is read as it comes."""

    def __init__(self, words):
        self.words = words
        self.lines = queue.Queue()
        self.said = []
        self._made = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      text=True, errors="replace")
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self._made.stderr:
            self.lines.put(line)
        self.lines.put(None)

    def wait_for(self, pattern):
        """The first match in what it has said since the last one."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                line = self.lines.get(timeout=max(0, until - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"no {pattern!r} in {self.said}"
            self.said.append(line)
            found = re.search(pattern, line)
            if found:
                return found

    def end(self, code=DONE):
        self._made.terminate()
        return self.ended(code)

    def ended(self, code):
        equal((self._made.wait(timeout=PATIENCE_S), self.words)[0], code)
        self._reader.join()
        while not self.lines.empty():
            self.said.append(self.lines.get() or "")
        return "".join(self.said)

    def kill(self):
        self._made.kill()

    def wait(self):
        self._made.wait()
        self._reader.join()


class Desk:
    def __init__(self, program, library, folder):
        self.program, self.library, self.folder, self.running = program, library, folder, []

    def registry(self, *words):
        made = Process([self.program, "registry", *words])
        self.running.append(made)
        return made

    def provider(self, registry, *names):
        made = subprocess.Popen([sys.executable, __file__, "provide", self.library, registry, *names],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.running.append(made)
        made.endpoints = [made.stdout.readline().strip() for _ in names]
        assert all(made.endpoints), "a provider could not register"
        return made

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def stop_all(self):
        for each in self.running:
            each.kill()
            each.wait()


def where(registry):
    return registry.wait_for(r" bound endpoint=(\S+)")[1]


def pages_of(registry):
    return registry.wait_for(r" pages at=(\S+)")[1]


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE_S) as answer:
        return answer.read().decode(), answer.headers


def kill(process):
    process.kill()  # SIGKILL
    process.wait()


# --- the cases ---


def life(desk):
    """Who comes, who is killed and why, and a clean end by each of the signals."""
    registry = desk.registry("--bind", "tcp://127.0.0.1:*", "--lease", "600")
    place = where(registry)
    provider = desk.provider(place, "calc", "echo two")
    line = r' registered service="(.*)" endpoint=(\S+) instance=[0-9a-f]{16} weight=1'
    came = [registry.wait_for(line).groups() for _ in range(2)]  # in any order
    equal(sorted(came), list(zip(("calc", "echo two"), provider.endpoints)))
    kill(provider)
    registry.wait_for(r' gone service="calc" endpoint=\S+ instance=[0-9a-f]{16} reason=lost')
    has(registry.end(), "stopping")
    quiet = desk.registry("--bind", place, "--quiet")
    where(quiet)
    desk.provider(place, "calc")
    quiet._made.send_signal(2)  # SIGINT
    assert "calc" not in quiet.ended(DONE)


def settings(desk):
    """Flags, a file, and what is wrong with either."""
    config = desk.write("config", "# ours\nbind = tcp://127.0.0.1:*\nlease = 5\nrenew = 1\noption = SNDTIMEO=7\n"
                        "max-providers = 1\npeer = tcp://127.0.0.1:1\n")
    registry = desk.registry("--config", config)
    place = where(registry)
    desk.provider(place, "calc")
    registry.wait_for("registered service=\"calc\"")
    registry.end()
    for text, why in (("bind = tcp://*:*\nleese = 5\n", ":2: there is no setting 'leese'"),
                      ("lease = long\n", ":1: lease: "), ("lease\n", ":1: 'lease' is not of the form name = value")):
        has(desk.registry("-f", desk.write("wrong", text)).ended(WRONG_CALL), f"{desk.folder}/wrong{why}")
    has(desk.registry().ended(WRONG_CALL), "--bind")
    has(desk.registry("-b", "tcp://127.0.0.1:*", "-o", "SNDHWN=1").ended(WRONG_CALL), "'SNDHWN'")
    has(desk.registry("-b", "tcp://127.0.0.1:*", "--lease", "1", "--renew", "2").ended(WRONG_CALL), "--renew")
    has(desk.registry("-b", "nowhere").ended(FAILED), "cannot bind to nowhere: ")
    has(desk.registry("-b", "tcp://127.0.0.1:*", "-p", "nowhere").ended(FAILED), "nowhere")
    # Open to everybody: said loudly; not when somebody is asked who comes in.
    open_door = desk.registry("-b", "tcp://*:*")
    where(open_door)
    has(open_door.end(), "open to every address")
    secret = subprocess.run([desk.program, "keygen"], capture_output=True, text=True, check=True).stdout.split()[-1]
    closed = desk.registry("-f", desk.write("closed", "bind = tcp://*:*\noption = CURVE_SERVER=1\n"
                                            f"option = CURVE_SECRETKEY={secret}\n"))
    where(closed)
    assert "open to every address" not in closed.end()


def partitions(desk):
    """What it grants: `zlink spot top` shows who owns each partition, how far it has come, and the lag."""
    granting = ["--bind", "tcp://127.0.0.1:*", "--votes", f"{desk.folder}/votes"]
    first = desk.registry(*granting)
    where(first)
    first.end()  # of a clean end nobody has to wait behind the start
    place = where(desk.registry(*granting))
    lib = Library(desk.library)
    owner, seed, size = lib.spot_node_new(lib.ctx_new()), ctypes.create_string_buffer(256), ctypes.c_size_t(256)
    lib.spot_node_bind(owner, b"tcp://127.0.0.1:*")
    lib.spot_node_endpoint(owner, seed, ctypes.byref(size))
    lib.spot_node_add_grantor(owner, place.encode())
    lib.spot_node_declare(owner, b"prices", 2)
    lib.spot_node_join(owner, None)
    publisher, sent = lib.spot_pub_new(owner), 0
    top = [desk.program, "spot", "top", "--ordered", "prices=2", "-b", "tcp://127.0.0.1:*", "-j", seed.value.decode()]
    with subprocess.Popen([*top, "--json", "-i", "0.05"], stdout=subprocess.PIPE, text=True) as shown:
        desk.running.append(shown)
        for line in shown.stdout:
            said = json.loads(line)
            one, other = sorted(said["partitions"], key=lambda each: -each["messages"])
            if one["messages"] >= 3 and one["last"] == sent and other["owner"]:
                break
            if one["messages"] < 3:
                lib.spot_pub_send_key(publisher, b"prices", b"k", ctypes.c_size_t(1), b"12345", ctypes.c_size_t(5), None, -1)
                sent += 1
        shown.send_signal(2)  # SIGINT
        shown.stdout.read()
        equal(shown.wait(timeout=PATIENCE_S), DONE)
    equal([one[name] for name in ("topic", "lag", "missing")], ["prices", 0, 0])
    equal(one["bytes"], 5 * one["messages"])
    assert one["epoch"] >= 1 and re.fullmatch("[0-9a-f]{16}", one["owner"]), one
    equal([other[name] for name in ("owner", "last", "lag", "messages")], [one["owner"], 0, None, 0])
    equal(said["topics"], [])  # nobody has asked for any without partitions
    # As a table, by somebody who knows nobody.
    alone = subprocess.run([*top[:-2], "--once", "-i", "0.05"], capture_output=True, text=True, check=False)
    equal([alone.returncode, alone.stdout.splitlines()[0]], [FAILED, "2 partitions; 2 without an owner, 0 missing"])
    equal(alone.stdout.splitlines()[1].split(), "MSG/s B/s MESSAGES B LAST LAG EPOCH OWNER PARTITION".split())


def snapshots(desk):
    """What is remembered, confirmed, given up, and not believed."""
    file = f"{desk.folder}/snapshot"
    words = ["--snapshot", file, "--http", "127.0.0.1:0", "--lease", "600", "--bind"]
    first = desk.registry(*words, "tcp://127.0.0.1:*")
    place = where(first)
    living = desk.provider(place, "calc")
    dead = desk.provider(place, "echo")
    first.wait_for(' registered service="echo"')
    first.end()
    kill(dead)
    kept = open(file, encoding="utf-8").read()
    has(kept, '"service":"calc"')
    # Both are told of at once; who lives confirms it, and who does not is not believed for ever.
    second = desk.registry(*words, place)
    second.wait_for(f"snapshot file={file} providers=2")
    pages = pages_of(second)
    second.wait_for(r' confirmed service="calc"')
    shown = {each["name"]: each["providers"][0] for each in json.loads(get(pages + "api/services")[0])["services"]}
    equal([shown[name]["confirmed"] for name in ("calc", "echo")], [True, False])
    equal(shown["calc"]["endpoint"], living.endpoints[0])
    second.end()
    third = desk.registry("--snapshot", file, "--lease", "2", "--bind", place)
    third.wait_for(r' gone service="echo" endpoint=\S+ instance=[0-9a-f]{16} reason=expired')
    third.kill()
    third.wait()  # the file is whole whenever that is
    # A broken one names file and reason, and is put aside.
    desk.write("snapshot", kept[:-30])
    fourth = desk.registry(*words, place)
    said = fourth.wait_for("snapshot not believed: (.*)")[1]
    has(said, f"{file}: it ends behind line 3, without its last line")
    equal(open(f"{file}.broken", encoding="utf-8").read(), kept[:-30])
    fourth.wait_for(' registered service="calc"')  # not remembered
    fourth.end()
    os.mkdir(f"{desk.folder}/folder")
    has(desk.registry("--snapshot", f"{desk.folder}/folder", "--bind", place).ended(FAILED), "Is a directory")


def pages(desk):
    """JSON, metrics, health, news as they happen, and who is kept out."""
    registry = desk.registry("--bind", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--lease", "600")
    place, at = where(registry), pages_of(registry)
    with urllib.request.urlopen(at + "api/events", timeout=PATIENCE_S) as news:
        equal(news.readline(), b"data: 0\n")
        provider = desk.provider(place, "calc", HOSTILE)
        while news.readline() != b"data: 2\n":
            pass
        services = json.loads(get(at + "api/services")[0])
        equal(sorted(each["name"] for each in services["services"]), sorted(["calc", HOSTILE]))
        equal(services["services"][1]["providers"][0]["endpoint"], provider.endpoints[0])
        kill(provider)
        while news.readline() != b"data: 4\n":
            pass
        registry.end()
        while news.readline():  # it ends with the registry
            pass
    registry = desk.registry("--bind", place, "--http", "127.0.0.1:0")
    at = pages_of(registry)
    desk.provider(place, "calc")
    registry.wait_for("registered")
    metrics, headers = get(at + "metrics")
    has(headers["Content-Type"], "version=0.0.4")
    has(metrics, 'zlink_registry_providers{service_namespace="gateway",service_name="calc"} 1\n')
    for line in metrics.splitlines():
        assert re.fullmatch(r'#.*|[a-z_]+(\{.*\})? [0-9]+', line), line
    equal(json.loads(get(at + "healthz")[0])["status"], "ok")
    page, headers = get(at)
    nonce = re.search("script-src 'nonce-([0-9a-f]+)'", headers["Content-Security-Policy"])[1]
    has(page, f'<script nonce="{nonce}">')
    assert nonce not in get(at)[0], "the word is another one each time"
    for url, headers, code in ((at + "none", {}, 404), (at, {"Host": "elsewhere.example"}, 421)):
        try:
            get(url, **headers)
            raise AssertionError(f"{url} was answered")
        except urllib.error.HTTPError as answer:
            equal(answer.code, code)
    has(desk.registry("-b", "tcp://127.0.0.1:*", "--http", "nowhere").ended(FAILED), "--http 'nowhere'")
    has(desk.registry("-b", "tcp://127.0.0.1:*", "--http", at[7:-1]).ended(FAILED), "cannot bind --http")


# --- many ---


def used_by(process):
    """Memory in MiB and seconds of processor time, as the system counts them."""
    with open(f"/proc/{process._made.pid}/status", encoding="ascii") as status:
        memory = int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) / 1024
    with open(f"/proc/{process._made.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return memory, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def scale(desk):
    """1,000 services with 10 providers each, 100 watchers: memory is bounded, the rest is said."""
    receivers, each, services, watchers, memory_mib = 100, 100, 1000, 100, 100
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))
    registry = desk.registry("--bind", "tcp://127.0.0.1:*", "--quiet", "--http", "127.0.0.1:0")
    place = where(registry)
    lib = Library(desk.library)
    context = lib.ctx_new()
    looks = [lib.discovery_new_typed(context, 1) for _ in range(watchers)]
    for look in looks:
        lib.discovery_connect_registry(look, place.encode())
        lib.discovery_subscribe(look, b"service.0")
    begun = time.monotonic()
    for at in range(receivers):
        offering(lib, context, place, [f"service.{(at * (services // receivers) + step) % services}" for step in range(each)])
    every = lib.discovery_new_typed(context, 1)
    lib.discovery_connect_registry(every, place.encode())
    for number in range(services):
        lib.discovery_subscribe(every, b"service.%d" % number)
        lib.discovery_wait(every, b"service.%d" % number, receivers * each // services, PATIENCE_S * 1000)
    registered_s = time.monotonic() - begun
    for look in looks:
        lib.discovery_wait(look, b"service.0", receivers * each // services, PATIENCE_S * 1000)
    begun = time.monotonic()
    offering(lib, context, place, ["service.0"])
    for look in looks:
        lib.discovery_wait(look, b"service.0", receivers * each // services + 1, PATIENCE_S * 1000)
    change_ms = (time.monotonic() - begun) * 1000
    memory, before = used_by(registry)
    idle_s = 10
    select.select([], [], [], idle_s)
    memory, behind = used_by(registry)
    print(f"{receivers * each} registered in {registered_s:.2f} s; a change was with {watchers} watchers after {change_ms:.0f} ms; "
          f"{memory:.0f} MiB; {(behind - before) / idle_s:.2%} of a processor when nothing happens")
    assert memory <= memory_mib, f"{memory} MiB"
    equal(json.loads(get(pages_of(registry) + "api/services")[0])["providers"], receivers * each + 1)


# --- a browser ---


class Browser:
    """Chromium, asked over a pipe. Keeps what it complains of."""

    def __init__(self, folder):
        ours_in, its_out = os.pipe()
        its_in, ours_out = os.pipe()
        self._made = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{its_in} 4>&{its_out}', "bash", *BROWSER,
                                       f"--user-data-dir={folder}/user", "about:blank"], pass_fds=[its_in, its_out],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(its_in)
        os.close(its_out)
        self._in, self._out, self._rest = ours_in, ours_out, b""
        self._number, self._session, self.complaints = 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            self.ask(f"{domain}.enable")

    def _receive(self):
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 16)
            assert more, "the browser has gone"
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **what):
        self._number += 1
        request = {"id": self._number, "method": method, "params": what}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._out, json.dumps(request).encode() + b"\0")
        while True:
            told = self._receive()
            if told.get("id") == self._number:
                assert "error" not in told, (method, told["error"])
                return told["result"]
            kind, about = told.get("method"), told.get("params", {})
            if kind == "Runtime.exceptionThrown" or (kind == "Log.entryAdded" and about["entry"]["level"] == "error") \
                    or (kind == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert")):
                self.complaints.append(told)

    def run(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, condition):
        """Waits in the page, which looks whenever something in it changes; milliseconds that took."""
        return self.run("""new Promise((well, ill) => {
            const begun = performance.now(), holds = () => (%s);
            const look = () => { if (holds()) { seer.disconnect(); well(performance.now() - begun); } };
            const seer = new MutationObserver(look);
            seer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
            setTimeout(() => ill(new Error("never: " + document.body.innerText)), %d);
            look();
        })""" % (condition, PATIENCE_S * 1000))

    def visit(self, url, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Page.navigate", url=url)
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def picture(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def close(self):
        self._made.kill()
        self._made.wait()
        os.close(self._in)
        os.close(self._out)


def browser(desk, pictures=None):
    """The page shows who is there, loses who is killed, and fits a telephone."""
    registry = desk.registry("--bind", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--lease", "600")
    place, at = where(registry), pages_of(registry)
    long_name = "a.service.with.a.name.that.is.longer.than.any.telephone." + "x" * 150
    desk.provider(place, "calc", "echo", HOSTILE, long_name)
    desk.provider(place, "calc")
    victim = desk.provider(place, "calc", "echo")
    gone = victim.endpoints[0]
    row = f"document.querySelectorAll(`[data-endpoint='{gone}']`).length"
    with contextlib.closing(Browser(desk.folder)) as page:
        for width, height in ((1280, 900), (390, 844)):
            page.visit(at, width, height)
            page.until("document.body.dataset.changes >= 7 && document.getElementById('link').textContent === 'live'")
            equal(page.run("document.querySelectorAll('.provider').length"), 7)
            # The registry, four services, seven providers.
            equal(page.run("document.querySelectorAll('#map circle').length"), 8)
            equal(page.run("document.querySelectorAll('#map rect').length"), 4)
            assert page.run("document.documentElement.scrollWidth") <= width, page.run("document.documentElement.scrollWidth")
            equal(page.run("[document.querySelectorAll('img').length, document.title]"), [0, "zlink registry"])
            has(page.run("document.getElementById('services').innerText"), HOSTILE)
            page.until("document.getElementById('rate').childElementCount > 0")
            if pictures:
                page.picture(f"{pictures}/registry_{width}.png")
        equal(page.run(f"window.visited = 1, {row}"), 2)
        kill(victim)
        took = page.until(f"{row} === 0 && document.querySelectorAll('.provider').length === 5")
        print(f"its rows were gone {took:.0f} ms behind kill -9")
        equal(page.run("window.visited"), 1)  # it was not loaded again
        again = desk.provider(place, "later")
        page.until(f"document.querySelectorAll(`[data-endpoint='{again.endpoints[0]}']`).length === 1")
        # Who writes into the filter sees what fits.
        page.run("(() => { const box = document.getElementById('filter'); box.value = 'later';"
                 " box.dispatchEvent(new Event('input')); })()")
        equal(page.run("document.querySelectorAll('.provider').length"), 1)
        if pictures:
            page.picture(f"{pictures}/registry_after.png")
        equal(page.complaints, [])


def main(program, library, case, *more):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        desk = Desk(program, library, folder)
        try:
            globals()[case](desk, *more)
        finally:
            desk.stop_all()
    print(f"{case}: ok")


provide(*sys.argv[2:]) if sys.argv[1] == "provide" else main(*sys.argv[1:])
