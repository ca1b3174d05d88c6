"""The Debian packages, installed on a copy of this machine's package list, under programs of Debian's.

packages.py --build DIR --cpack PROGRAM

What is unpacked goes to a folder below the build; the machine stays as it is.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

TALK = """
import sys, zmq
context = zmq.Context()
reply, request = context.socket(zmq.REP), context.socket(zmq.REQ)
port = reply.bind_to_random_port('tcp://127.0.0.1')
request.connect(f'tcp://127.0.0.1:{port}')
request.send_string('over packages')
reply.send(reply.recv())
assert request.recv_string() == 'over packages'
context.destroy(linger=0)
used = {line.split()[-1] for line in open('/proc/self/maps') if 'libzmq' in line}
print(zmq.zmq_version(), *used)
"""


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def expect(condition, complaint):
    if not condition:
        sys.exit(complaint)


class Machine:
    """What dpkg believes to be one that has this one's packages."""

    def __init__(self, work, name):
        self.root = work / name
        self.list = work / f"{name}.list"
        self.root.mkdir()
        shutil.copytree("/var/lib/dpkg", self.list, symlinks=True, ignore=shutil.ignore_patterns("lock*"))
        self.tools = work / f"{name}.tools"
        self.tools.mkdir()
        (self.tools / "ldconfig").symlink_to("/bin/true")  # there is no cache to bring up to date

    def install(self, *packages):
        path = f"{self.tools}:/usr/sbin:/usr/bin:/sbin:/bin"
        run("dpkg", f"--admindir={self.list}", f"--instdir={self.root}", "--log=/dev/null", "--force-not-root",
            "--force-script-chrootless", "--no-triggers", "--auto-deconfigure", "--install", *packages,
            env=dict(os.environ, PATH=path, LC_ALL="C"))

    def has(self, package):
        shown = subprocess.run(["dpkg-query", f"--admindir={self.list}", "-W", "-f=${db:Status-Abbrev}", package],
                               capture_output=True, text=True, check=False)
        return shown.stdout.startswith("ii")

    def talk(self, folder):
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        if folder:
            environment["LD_LIBRARY_PATH"] = str(self.root / folder)
        version, *used = run("/usr/bin/python3", "-c", TALK, env=environment, timeout=60).split()
        expect(len(used) == 1, f"not one libzmq, but {used}")
        return version, Path(used[0])


def check_beside(work, packages):
    machine = Machine(work, "beside")
    machine.install(packages["libzlink-zmq5"])
    expect(machine.has("libzmq5") and machine.has("libzlink-zmq5"), "the two libraries are not installed side by side")
    version, used = machine.talk("usr/lib/zlink")
    expect(version == "4.3.5" and used.is_relative_to(machine.root), f"python3-zmq ran on {used}, {version}")
    version, used = machine.talk(None)
    expect(version != "4.3.5" and not used.is_relative_to(machine.root), f"unasked, python3-zmq ran on {used}")


def check_instead(work, packages):
    machine = Machine(work, "instead")
    machine.install(packages["zlink-libzmq5"], packages["zlink-libzmq-dev"])
    for package in ("libzmq5", "libzmq3-dev"):
        expect(not machine.has(package), f"{package} is still there")
    for package in ("zlink-libzmq5", "zlink-libzmq-dev", "python3-zmq", "libczmq4", "libczmq-dev"):
        expect(machine.has(package), f"{package} is not installed")
    version, used = machine.talk("usr/lib")
    expect(version == "4.3.5" and used.is_relative_to(machine.root), f"python3-zmq ran on {used}, {version}")


def check_others(work, packages):
    machine = Machine(work, "others")
    machine.install(packages["libzlink2"], packages["libzlink-dev"], packages["zlink-tools"])
    environment = dict(os.environ, LD_LIBRARY_PATH=str(machine.root / "usr/lib"))
    said = run(machine.root / "usr/bin/zlink", "version", env=environment)
    expect("2." in said, f"zlink says {said}")
    needs = run("dpkg-deb", "--field", packages["libzlink-dev"], "Depends").split(", ")
    for package in ("libsodium-dev", "libssl-dev"):
        expect(package in needs, f"libzlink-dev needs no more than {needs}")
    for name in ("include/zlink/zlink.h", "lib/libzlink.so", "lib/pkgconfig/zlink.pc", "lib/cmake/zlink/zlinkConfig.cmake"):
        expect((machine.root / "usr" / name).exists(), f"no {name}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "cpack"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    work = Path(given.build).resolve() / "tests" / "packages" / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(given.cpack, "-G", "DEB", "-B", work / "made", cwd=given.build)
    packages = {each.name.split("_")[0]: each for each in (work / "made").glob("*.deb")}
    wanted = {"libzlink2", "libzlink-etcd2", "libzlink-dev", "zlink-tools", "libzlink-zmq5", "zlink-libzmq5", "zlink-libzmq-dev"}
    expect(set(packages) == wanted, f"made {sorted(packages)}")
    for check in (check_beside, check_instead, check_others):
        check(work, packages)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
