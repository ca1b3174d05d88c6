"""A wire of tcp between two ends: it counts what passes, and can be cut without a word."""

import contextlib
import socket
import threading

from ours import LOOK_EVERY_MS, PATIENCE_MS

UP, DOWN = "from who connects", "from who binds"


class Relay:
    """Passes on what comes, over as many connections as are made. What is said while a direction is silenced is lost.

    What passed and what ended can be waited for.
    """

    def __init__(self, endpoint):
        self._to = ("127.0.0.1", int(endpoint.rsplit(":", 1)[1]))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._changed = threading.Condition()
        self._silent = set()
        self._passed = {UP: [], DOWN: []}  # all that was said of commands is found in these chunks
        self._ends = []  # the directions in which connections ended, as they did
        self.connections = 0
        self._open = []
        self._threads = []
        self._begin(self._accept)

    def _begin(self, work, *arguments):
        self._threads.append(threading.Thread(target=work, args=arguments))
        self._threads[-1].start()

    def _accept(self):
        with contextlib.suppress(OSError):  # close() ends it
            while True:
                connecting, _ = self._listener.accept()
                binding = socket.create_connection(self._to)
                with self._changed:
                    self._open += connecting, binding
                    self.connections += 1
                self._begin(self._pass, UP, connecting, binding)
                self._begin(self._pass, DOWN, binding, connecting)

    def _pass(self, direction, source, sink):
        ended = direction
        with contextlib.suppress(OSError):
            while some := source.recv(1 << 16):
                with self._changed:
                    if direction in self._silent:
                        continue
                    self._passed[direction].append(some)
                    self._changed.notify_all()
                ended = DOWN if direction == UP else UP  # whoever does not take it has left
                sink.sendall(some)
                ended = direction
        with self._changed:
            self._ends.append(ended)
            self._changed.notify_all()
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _wait(self, holds, what, meanwhile=lambda: None):
        for _ in range(PATIENCE_MS // LOOK_EVERY_MS):
            with self._changed:
                if self._changed.wait_for(holds, LOOK_EVERY_MS / 1000):
                    return
            meanwhile()
        raise AssertionError(f"never seen: {what}")

    def _count(self, direction, command):
        return b"".join(self._passed[direction]).count(command)

    def count(self, direction, command):
        """How often these bytes have passed that way."""
        with self._changed:
            return self._count(direction, command)

    def wait_for(self, direction, command, count):
        """Until they have so often."""
        self._wait(lambda: self._count(direction, command) >= count, f"{command} {direction}")

    def silence(self, direction):
        """Answers how many connections have ended; none after this by itself."""
        with self._changed:
            self._silent.add(direction)
            return len(self._ends)

    def wait_for_end(self, ends, meanwhile):
        """Until somebody has ended a connection since there were so many ends; meanwhile() is called again and again.
        Answers the direction in which the one talks that did."""
        self._wait(lambda: len(self._ends) > ends, "an end", meanwhile)
        return self._ends[ends]

    def speak(self):
        with self._changed:
            self._silent.clear()

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for each in self._threads[1:]:
            each.join()
        for each in (self._listener, *self._open):
            each.close()
