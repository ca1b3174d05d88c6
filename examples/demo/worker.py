"""worker.py SOURCE SINK: counts the words of every line that comes, one message each.

Plain pyzmq, nothing of ours: it runs on whatever libzmq the system has.
"""

import re
import sys
from collections import Counter

import zmq

WORD = re.compile(rb"[a-z]+")


def main():
    context = zmq.Context()
    source = context.socket(zmq.PULL)
    sink = context.socket(zmq.PUSH)
    source.connect(sys.argv[1])
    sink.connect(sys.argv[2])
    while True:
        counts = Counter(WORD.findall(source.recv().lower()))
        sink.send(b" ".join(b"%s %d" % item for item in counts.items()))


if __name__ == "__main__":
    main()
