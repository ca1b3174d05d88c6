"""As much of the C interface as the peer tests need, through ctypes."""

import ctypes
import errno
import os

PAIR, PULL, PUSH, STREAM = 0, 7, 8, 11
LINGER, RCVMORE, RCVTIMEO, SNDTIMEO, LAST_ENDPOINT = 17, 13, 27, 28, 32
STREAM_RAW = 3004
DONTWAIT, SNDMORE = 1, 2
POLLIN = 1
PATIENCE_MS = 20_000
LOOK_EVERY_MS = 20
BYTES_MAX = 4 << 20
# zlink.h has other options under these numbers of libzmq's header, and these 1000 higher.
MOVED = range(90, 101)


class Failure(Exception):
    def __init__(self, name, number):
        super().__init__(f"{name}: {os.strerror(number)} ({number})")
        self.number = number


class PollItem(ctypes.Structure):
    _fields_ = [("socket", ctypes.c_void_p), ("fd", ctypes.c_int), ("events", ctypes.c_short),
                ("revents", ctypes.c_short)]


class MessageHead(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * 8)]


class Library:
    """The functions of a shared library whose names start with prefix."""

    def __init__(self, path, prefix):
        self._library = ctypes.CDLL(str(path))
        self._prefix = prefix
        self._context = self._call("ctx_new", restype=ctypes.c_void_p)

    def _call(self, name, *arguments, restype=ctypes.c_int):
        function = getattr(self._library, self._prefix + name)
        function.restype = restype
        return function(*arguments)

    def checked(self, name, *arguments):
        answer = self._call(name, *arguments)
        if answer < 0:
            raise Failure(name, self._call("errno"))
        return answer

    def socket(self, kind):
        handle = self._call("socket", ctypes.c_void_p(self._context), kind, restype=ctypes.c_void_p)
        if not handle:
            raise Failure("socket", self._call("errno"))
        return Socket(self, ctypes.c_void_p(handle))

    def own_number(self, option):
        """What the header of these functions calls the option that libzmq's has under this number."""
        return option + 1000 if self._prefix == "zlink_" and option in MOVED else option

    def properties_of(self, message, names):
        """What the peer said of itself, by name; None where it did not."""
        found = {}
        for name in names:
            text = self._call("msg_gets", ctypes.byref(message), name.encode(), restype=ctypes.c_char_p)
            found[name] = None if text is None else text.decode()
        return found

    def unchecked(self, name, *arguments, restype=ctypes.c_int):
        """A call that has no errors."""
        return self._call(name, *arguments, restype=restype)

    def term(self):
        self.checked("ctx_term", ctypes.c_void_p(self._context))


class Socket:
    """One socket; calls that wait give up after PATIENCE_MS."""

    def __init__(self, library, handle):
        self._library = library
        self._handle = handle
        self._buffer = ctypes.create_string_buffer(BYTES_MAX)
        self.set(RCVTIMEO, PATIENCE_MS)
        self.set(SNDTIMEO, PATIENCE_MS)
        self.set(LINGER, 0)

    def set(self, option, value):
        """option is libzmq's number or one of ours alone; value is a number, or bytes where the option takes those."""
        option = self._library.own_number(option)
        if isinstance(value, bytes):
            self._library.checked("setsockopt", self._handle, option, value, ctypes.c_size_t(len(value)))
            return
        number = ctypes.c_int(value)
        self._library.checked("setsockopt", self._handle, option, ctypes.byref(number),
                              ctypes.c_size_t(ctypes.sizeof(number)))

    def attach(self, how, endpoint):
        """Binds or connects; answers the endpoint a bind got."""
        self._library.checked(how, self._handle, endpoint.encode())
        if how == "connect":
            return endpoint
        size = ctypes.c_size_t(BYTES_MAX)
        self._library.checked("getsockopt", self._handle, LAST_ENDPOINT, self._buffer, ctypes.byref(size))
        return self._buffer.value.decode()

    def send(self, parts):
        for index, part in enumerate(parts):
            flags = SNDMORE if index + 1 < len(parts) else 0
            self._library.checked("send", self._handle, part, ctypes.c_size_t(len(part)), flags)

    def try_send(self, parts):
        """False when there is no room now: nothing of it was taken."""
        for index, part in enumerate(parts):
            flags = DONTWAIT | (SNDMORE if index + 1 < len(parts) else 0)
            try:
                self._library.checked("send", self._handle, part, ctypes.c_size_t(len(part)), flags)
            except Failure as failure:
                if failure.number != errno.EAGAIN:
                    raise
                return False
        return True

    def try_receive(self):
        """None when there is nothing now."""
        try:
            return self.receive(DONTWAIT)
        except Failure as failure:
            if failure.number != errno.EAGAIN:
                raise
            return None

    def wait(self, milliseconds):
        """For something to receive, at most so long; answers whether there is something."""
        item = PollItem(self._handle, 0, POLLIN, 0)
        return self._library.checked("poll", ctypes.byref(item), 1, ctypes.c_long(milliseconds))

    def receive(self, flags=0):
        parts, more = [], 1
        while more:
            size = self._library.checked("recv", self._handle, self._buffer, ctypes.c_size_t(BYTES_MAX), flags)
            parts.append(ctypes.string_at(self._buffer, size))
            flag, flag_size = ctypes.c_int(0), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
            self._library.checked("getsockopt", self._handle, RCVMORE, ctypes.byref(flag), ctypes.byref(flag_size))
            more = flag.value
        return parts

    def try_receive_properties(self, names):
        """Of the peer that the next message of one part comes from; None when there is none now."""
        return self._try_receive_message(lambda message, size: self._library.properties_of(message, names))

    def _send_message(self, body, name, word):
        """One part, of which a call says where it goes."""
        message = MessageHead()
        self._library.checked("msg_init_size", ctypes.byref(message), ctypes.c_size_t(len(body)))
        data = self._library.unchecked("msg_data", ctypes.byref(message), restype=ctypes.c_void_p)
        ctypes.memmove(data, body, len(body))
        try:
            self._library.checked(name, ctypes.byref(message), word)
            self._library.checked("msg_send", ctypes.byref(message), self._handle, 0)
        finally:
            self._library.checked("msg_close", ctypes.byref(message))

    def _try_receive_message(self, look):
        """What look(message, size) tells of the next part; None when there is none now."""
        message = MessageHead()
        self._library.checked("msg_init", ctypes.byref(message))
        try:
            size = self._library.checked("msg_recv", ctypes.byref(message), self._handle, DONTWAIT)
            return look(message, size)
        except Failure as failure:
            if failure.number != errno.EAGAIN:
                raise
            return None
        finally:
            self._library.checked("msg_close", ctypes.byref(message))

    def _try_receive_with(self, name, restype):
        """(what a call says of where it comes from, the body); None when there is none now."""

        def look(message, size):
            data = self._library.unchecked("msg_data", ctypes.byref(message), restype=ctypes.c_void_p)
            return self._library.unchecked(name, ctypes.byref(message), restype=restype), ctypes.string_at(data, size)

        return self._try_receive_message(look)

    def send_to(self, number, body):
        self._send_message(body, "msg_set_routing_id", ctypes.c_uint32(number))

    def send_group(self, group, body):
        self._send_message(body, "msg_set_group", group.encode())

    def try_receive_from(self):
        """(the sender's number, the body)."""
        return self._try_receive_with("msg_routing_id", ctypes.c_uint32)

    def try_receive_group(self):
        """(the group, the body)."""
        found = self._try_receive_with("msg_group", ctypes.c_char_p)
        return found and (found[0].decode(), found[1])

    def join(self, group):
        self._library.checked("join", self._handle, group.encode())

    def leave(self, group):
        self._library.checked("leave", self._handle, group.encode())

    def connect_peer(self, endpoint):
        """The peer's number."""
        number = self._library.unchecked("connect_peer", self._handle, endpoint.encode(), restype=ctypes.c_uint32)
        if number == 0:
            raise Failure("connect_peer", self._library.unchecked("errno"))
        return number

    def close(self):
        self._library.checked("close", self._handle)
