"""WebSocket by hand, in both roles: as much as a test needs to say what it likes to our library, and to see what comes."""

import base64
import contextlib
import hashlib
import os
import socket
import struct

PATIENCE_S = 20
ACCEPT_KEY = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
FIN = 0x80
READY_OF = {"PUSH": b"\2\5READY\x0bSocket-Type\0\0\0\4PUSH", "PULL": b"\2\5READY\x0bSocket-Type\0\0\0\4PULL"}


def code(number):
    return struct.pack(">H", number)


class Wire:
    """One connection behind its upgrade. masks: this end is the client."""

    def __init__(self, plain, masks):
        self._plain = plain
        self._plain.settimeout(PATIENCE_S)
        self._file = plain.makefile("rb")
        self._masks = masks

    def _lines(self):
        lines = []
        while True:
            line = self._file.readline().rstrip(b"\r\n")
            if not line:
                return lines
            lines.append(line)

    def upgrade_as_client(self, protocol, path="/"):
        key = base64.b64encode(os.urandom(16))
        host, port = self._plain.getpeername()
        self._plain.sendall(b"GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            b"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: %s\r\n\r\n"
                            % (path.encode(), host.encode(), port, key, protocol.encode()))
        lines = self._lines()
        assert lines[0].startswith(b"HTTP/1.1 101 "), lines
        accepted = base64.b64encode(hashlib.sha1(key + ACCEPT_KEY).digest())
        assert any(line.lower().startswith(b"sec-websocket-accept:") and line.endswith(accepted) for line in lines), lines

    def upgrade_as_server(self, protocol):
        """The lines of the request."""
        lines = self._lines()
        key = next(line.split(b":", 1)[1].strip() for line in lines if line.lower().startswith(b"sec-websocket-key:"))
        accepted = base64.b64encode(hashlib.sha1(key + ACCEPT_KEY).digest())
        self._plain.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            b"Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\n\r\n"
                            % (accepted, protocol.encode()))
        return lines

    def frame(self, opcode, payload=b"", fin=True):
        front = bytes([opcode | (FIN if fin else 0)])
        mark = 0x80 if self._masks else 0
        if len(payload) < 126:
            front += bytes([mark | len(payload)])
        elif len(payload) < 1 << 16:
            front += bytes([mark | 126]) + struct.pack(">H", len(payload))
        else:
            front += bytes([mark | 127]) + struct.pack(">Q", len(payload))
        if not self._masks:
            return front + payload
        key = os.urandom(4)
        stream = (key * (len(payload) // 4 + 1))[:len(payload)]
        masked = int.from_bytes(payload, "big") ^ int.from_bytes(stream, "big")
        return front + key + masked.to_bytes(len(payload), "big")

    def send(self, opcode, payload=b"", fin=True):
        self._plain.sendall(self.frame(opcode, payload, fin))

    def send_in_fragments(self, payload, size, between=b""):
        """between: what is said after each but the last."""
        pieces = [payload[i:i + size] for i in range(0, len(payload), size)] or [b""]
        said = b""
        for index, piece in enumerate(pieces):
            last = index + 1 == len(pieces)
            said += self.frame(BINARY if index == 0 else CONTINUED, piece, fin=last) + (b"" if last else between)
        self._plain.sendall(said)

    def say(self, octets):
        self._plain.sendall(octets)

    def say_slowly(self, octets, size):
        for i in range(0, len(octets), size):
            self._plain.sendall(octets[i:i + size])

    def receive(self):
        """(fin and opcode, payload) of the next frame; None at the end."""
        front = self._file.read(2)
        if len(front) < 2:
            return None
        size = front[1] & 0x7F
        if size == 126:
            size = struct.unpack(">H", self._file.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._file.read(8))[0]
        masked = bool(front[1] & 0x80)
        assert masked != self._masks, "a client masks, a server does not"
        key = self._file.read(4) if masked else bytes(4)
        payload = self._file.read(size)
        return front[0], bytes(octet ^ key[i % 4] for i, octet in enumerate(payload))

    def close_code(self):
        """What our end says when it goes, None where it says nothing; and that it goes."""
        found = None
        with contextlib.suppress(ConnectionResetError):
            while (frame := self.receive()) is not None:
                if frame[0] == FIN | CLOSE:
                    found = struct.unpack(">H", frame[1][:2])[0] if frame[1] else 0
        return found

    def close(self):
        self._file.close()
        self._plain.close()


def as_client(endpoint, protocol="ZWS2.0/NULL", path="/"):
    """Of a listener of ours at ws://host:port."""
    host, port = endpoint.split("//")[1].split("/")[0].rsplit(":", 1)
    wire = Wire(socket.create_connection((host, int(port)), timeout=PATIENCE_S), masks=True)
    wire.upgrade_as_client(protocol, path)
    return wire


class Listener:
    """Takes what a socket of ours dials."""

    def __init__(self):
        self._plain = socket.create_server(("127.0.0.1", 0))
        self._plain.settimeout(PATIENCE_S)
        self.endpoint = f"ws://127.0.0.1:{self._plain.getsockname()[1]}"

    def accept(self, protocol="ZWS2.0/NULL"):
        """The next connection, and the lines of its request."""
        wire = Wire(self._plain.accept()[0], masks=False)
        return wire, wire.upgrade_as_server(protocol)

    def close(self):
        self._plain.close()
