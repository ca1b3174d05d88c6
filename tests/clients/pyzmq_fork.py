"""multiprocessing by fork, with Debian's python3-zmq on our libzmq.so.5: children of a process that has sockets.

pyzmq_fork.py LIBRARY: the tests fail unless LIBRARY is the one that was loaded.
"""

import multiprocessing
import os
import sys
import threading
import unittest
from pathlib import Path

import zmq

PATIENCE_MS = 30_000
forks = multiprocessing.get_context("fork")


def loaded():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {Path(line.split()[-1]).resolve() for line in maps if "libzmq" in line}


def patient(socket):
    socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
    socket.setsockopt(zmq.SNDTIMEO, PATIENCE_MS)
    return socket


def work(end, inherited):
    """A child: what it inherits is terminated, what it makes works."""
    try:
        inherited.send(b"not from here", zmq.DONTWAIT)
        os._exit(3)
    except zmq.ZMQError as problem:
        if problem.errno not in (zmq.ETERM, zmq.ENOTSOCK):
            os._exit(4)
    with zmq.Context() as context, patient(context.socket(zmq.PAIR)) as pair:
        pair.connect(end)
        for task in iter(pair.recv, b"end"):
            pair.send(b"%d %s" % (os.getpid(), task))


class Fork(unittest.TestCase):
    def test_workers_of_a_process_that_talks(self):
        self.assertEqual(loaded(), {Path(options[0]).resolve()})
        workers, tasks = 4, 2000
        context = zmq.Context.instance()
        pairs = [patient(context.socket(zmq.PAIR)) for _ in range(workers)]
        for pair in pairs:
            pair.bind("tcp://127.0.0.1:*")
        # Traffic of the parent's own goes on while it forks.
        here, there = patient(context.socket(zmq.PAIR)), patient(context.socket(zmq.PAIR))
        here.bind("tcp://127.0.0.1:*")
        there.connect(here.getsockopt_string(zmq.LAST_ENDPOINT))
        echoed = []
        stop = threading.Event()

        def echo():
            while not stop.is_set():
                here.send(b"%d" % len(echoed))
                echoed.append(there.recv() == b"%d" % len(echoed))

        beside = threading.Thread(target=echo)
        beside.start()
        try:
            processes = [forks.Process(target=work, args=(pair.getsockopt_string(zmq.LAST_ENDPOINT), here))
                         for pair in pairs]
            for process in processes:
                process.start()
            for task in range(tasks):
                for pair in pairs:
                    pair.send(b"%d" % task)
            for pair, process in zip(pairs, processes):
                for task in range(tasks):
                    self.assertEqual(pair.recv(), b"%d %d" % (process.pid, task))
                pair.send(b"end")
            for process in processes:
                process.join(PATIENCE_MS / 1000)
                self.assertEqual(process.exitcode, 0)
        finally:
            stop.set()
            beside.join()
        self.assertTrue(all(echoed) and echoed)
        for socket in (*pairs, here, there):
            socket.close(0)

    def test_a_pool_comes_and_goes_beside_an_open_context(self):
        context = zmq.Context()
        pair = context.socket(zmq.PAIR)
        pair.bind("tcp://127.0.0.1:*")
        for _ in range(5):
            with forks.Pool(3) as pool:
                self.assertEqual(pool.map(square, range(50)), [n * n for n in range(50)])
        pair.close(0)
        context.term()


def square(number):
    """With a socket of the child's own for every one."""
    with zmq.Context() as context, context.socket(zmq.PAIR) as one, context.socket(zmq.PAIR) as two:
        one.bind("inproc://square")
        two.connect("inproc://square")
        patient(one).send(b"%d" % (number * number))
        return int(patient(two).recv())


if __name__ == "__main__":
    options = sys.argv[1:2]
    del sys.argv[1:2]
    unittest.main(verbosity=2)
