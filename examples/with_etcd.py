"""Runs programs one after the other, each with the URL of an etcd as its argument.

with_etcd.py PROGRAM...

The etcd is begun for them, in a folder of its own, and ends with them.
"""

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

PATIENCE_S = 60
LOOK_S = 0.1


def free_addresses(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = ["127.0.0.1:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return addresses


def wait_for(etcd, client):
    end = time.monotonic() + PATIENCE_S
    while etcd.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://{client}/health", timeout=LOOK_S) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(LOOK_S)
    sys.exit("etcd does not answer")


def main(programs):
    client, peer = free_addresses(2)
    with tempfile.TemporaryDirectory() as folder:
        try:
            etcd = subprocess.Popen(
                ["etcd", f"--data-dir={folder}/data", "--unsafe-no-fsync",
                 f"--listen-client-urls=http://{client}", f"--advertise-client-urls=http://{client}",
                 f"--listen-peer-urls=http://{peer}", f"--initial-advertise-peer-urls=http://{peer}",
                 f"--initial-cluster=default=http://{peer}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            sys.exit("there is no etcd: install etcd-server")
        try:
            wait_for(etcd, client)
            for number, program in enumerate(programs):
                subprocess.run([program, f"etcd://{client}/examples/{number}"], check=True, timeout=PATIENCE_S)
        finally:
            etcd.kill()
            etcd.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
