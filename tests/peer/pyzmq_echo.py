"""An echo in unmodified pyzmq on the system's libzmq; the contract is in conversations.py."""

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
    if pattern == "pair":
        source = sink = context.socket(zmq.PAIR)
        attach(source, *ends)
    else:
        source, sink = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        attach(source, *ends[:2])
        attach(sink, *ends[2:])
    while True:
        sink.send_multipart(source.recv_multipart())


if __name__ == "__main__":
    main()
