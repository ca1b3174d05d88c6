"""An echo in unmodified pyzmq on the system's libzmq; the contracts are in conversations.py and streams.py."""

import sys

import zmq


def attach(socket, how, endpoint):
    if how == "connect":
        socket.connect(endpoint)
    else:
        socket.bind(endpoint)
        print("bound", socket.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)


def main():
    pattern, *ends = sys.argv[1:]
    context = zmq.Context()
    if pattern in ("pair", "stream"):
        source = sink = context.socket(zmq.PAIR if pattern == "pair" else zmq.STREAM)
        attach(source, *ends)
    else:
        source, sink = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        attach(source, *ends[:2])
        attach(sink, *ends[2:])
    while True:
        message = source.recv_multipart()
        if pattern != "stream" or message[1]:  # an empty one tells of a comer or a goer
            sink.send_multipart(message)


if __name__ == "__main__":
    main()
