"""Sockets of a library that is not C's, in a process of its own, with the calls of those in ours.py.

The process is told by its standard input and answers on its standard output. What goes either way is a list of
fields: their count, then the length of each and its bytes; lengths have four bytes, the highest first. What is asked
for is a verb, and the number of the socket but for the first; what comes is "done" and more, "nothing" where there is
nothing or no room now, or "wrong" and why.

    socket KIND            its number
    number|bytes S OPTION VALUE
    bind|connect S ENDPOINT    where it is now
    send S FLAGS PART...
    receive S              the parts of a message that is there
    wait S MILLISECONDS    for something to receive; lets the library look at what has happened
    close S
    properties S NAME...   what the peer said of itself that the last message came from; empty where it did not
    sender S, group S      of the last message
    send_to S NUMBER BODY, send_group S GROUP BODY
    join|leave S GROUP
    connect_peer S ENDPOINT    the number of the peer
"""

import errno
import struct
import subprocess
import threading

from ours import DONTWAIT, LINGER, PATIENCE_MS, RCVTIMEO, SNDTIMEO, Failure

WATCHDOG_S = 580
LENGTH = struct.Struct(">I")


class Remote:
    def __init__(self, command, always):
        """always: options, by number, that every socket gets."""
        self._always = always
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._watchdog = threading.Timer(WATCHDOG_S, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    def _read_number(self):
        field = self._process.stdout.read(LENGTH.size)
        if len(field) != LENGTH.size:
            raise AssertionError("the peer's process has ended")
        return LENGTH.unpack(field)[0]

    def ask(self, *fields):
        """The fields of the answer; None when there is nothing now."""
        fields = [field if isinstance(field, bytes) else str(field).encode() for field in fields]
        said = b"".join([LENGTH.pack(len(fields)), *(LENGTH.pack(len(field)) + field for field in fields)])
        self._process.stdin.write(said)
        self._process.stdin.flush()
        answer = [self._process.stdout.read(self._read_number()) for _ in range(self._read_number())]
        if answer[0] == b"wrong":
            raise Failure(f"{fields[0].decode()}: {answer[1].decode()}", errno.EINVAL)
        return answer[1:] if answer[0] == b"done" else None

    def socket(self, kind):
        return RemoteSocket(self, int(self.ask("socket", kind)[0]), self._always)

    def term(self):
        self._process.stdin.close()
        self._process.wait()
        self._watchdog.cancel()
        self._process.stdout.close()


class RemoteSocket:
    def __init__(self, library, number, always):
        self._library = library
        self._number = number
        self.set(RCVTIMEO, PATIENCE_MS)
        self.set(SNDTIMEO, PATIENCE_MS)
        self.set(LINGER, 0)
        for option, value in always.items():
            self.set(option, value)

    def _ask(self, verb, *fields):
        return self._library.ask(verb, self._number, *fields)

    def _must(self, verb, *fields):
        answer = self._ask(verb, *fields)
        if answer is None:
            raise Failure(verb, errno.EAGAIN)
        return answer

    def set(self, option, value):
        self._must("bytes" if isinstance(value, bytes) else "number", option, value)

    def attach(self, how, endpoint):
        return self._must(how, endpoint)[0].decode()

    def send(self, parts):
        self._must("send", 0, *parts)

    def try_send(self, parts):
        return self._ask("send", DONTWAIT, *parts) is not None

    def try_receive(self):
        return self._ask("receive")

    def receive(self):
        self.wait(PATIENCE_MS)
        return self._must("receive")

    def wait(self, milliseconds):
        self._must("wait", milliseconds)

    def try_receive_properties(self, names):
        if self._ask("receive") is None:
            return None
        return {name: value.decode() or None for name, value in zip(names, self._must("properties", *names))}

    def try_receive_from(self):
        """(the sender's number, the body)."""
        parts = self._ask("receive")
        return None if parts is None else (int(self._must("sender")[0]), *parts)

    def try_receive_group(self):
        """(the group, the body)."""
        parts = self._ask("receive")
        return None if parts is None else (self._must("group")[0].decode(), *parts)

    def send_to(self, number, body):
        self._must("send_to", number, body)

    def send_group(self, group, body):
        self._must("send_group", group, body)

    def join(self, group):
        self._must("join", group)

    def leave(self, group):
        self._must("leave", group)

    def connect_peer(self, endpoint):
        return int(self._must("connect_peer", endpoint)[0])

    def close(self):
        self._must("close")
