"""curl against the small HTTP server of examples/cpp/http_server.cpp, which is a STREAM socket.

curl_stream.py SERVER: asks for pages one after the other over one connection, for one that is not there, from several
curls at a time, and ends the server.
"""

import subprocess
import sys

TIMEOUT_S = 60


def curl(*arguments):
    done = subprocess.run(["curl", "--silent", "--show-error", "--max-time", str(TIMEOUT_S), *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"curl {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r} instead of {wanted!r}")


def main():
    server = subprocess.Popen([sys.argv[1], "tcp://127.0.0.1:*"], stdout=subprocess.PIPE, text=True)
    try:
        where = "http" + server.stdout.readline().strip().removeprefix("tcp")
        hello = "hello from a STREAM\n"
        expect("a page", curl(where + "/"), hello)
        codes = curl("--write-out", "%{http_code} %{num_connects}\n", where + "/", where + "/nothing", where + "/")
        expect("three over one connection", codes,
               f"{hello}200 1\nthere is nothing here\n404 0\n{hello}200 0\n")
        several = [subprocess.Popen(["curl", "--silent", "--max-time", str(TIMEOUT_S), where + "/"],
                                    stdout=subprocess.PIPE, text=True) for _ in range(8)]
        for each in several:
            expect("one of eight", each.communicate(timeout=TIMEOUT_S)[0], hello)
        expect("the last", curl(where + "/quit"), hello)
        expect("how the server ends", server.wait(timeout=TIMEOUT_S), 0)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
