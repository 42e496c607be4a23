"""A service on 127.0.0.1 that answers with bytes as they are, by the rules of HTTP or not."""

import itertools
import socket
import threading
import time
from contextlib import contextmanager


def head(status="200 OK", kind="text/csv", length=None, **more):
    """The head of an answer; an underscore in a name is a hyphen."""
    lines = [f"HTTP/1.1 {status}"]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"Content-Length: {length}"] if length is not None else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("iso-8859-1")


def whole(content, **more):
    """An answer with this body and its length."""
    return head(length=len(content), **more) + content


def in_chunks(*parts, end=b"0\r\n\r\n"):
    """The body alone, in chunks."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + end


def chunked(*parts, end=b"0\r\n\r\n", **more):
    """An answer with its body in chunks."""
    return head(Transfer_Encoding="chunked", **more) + in_chunks(*parts, end=end)


class RawService:
    """Answers every request with `pieces`, which may be endless, and a pause after each; `answers` go first."""

    def __init__(self, *pieces, pause=0.0):
        self.pieces, self.pause, self.asked = pieces, pause, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/x"
        threading.Thread(target=self._serve, daemon=True).start()

    def answer(self, request):
        """The pieces for one request; override it for a service that reads what it is sent."""
        return self.pieces

    def close(self):
        self._listener.close()

    def _serve(self):
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            with line:
                try:
                    self._answer(line)
                except OSError:
                    continue

    def _answer(self, line):
        request = _request(line)
        self.asked += 1
        for piece in self.answer(request):
            line.sendall(piece)
            if self.pause:
                time.sleep(self.pause)


@contextmanager
def serving(*pieces, pause=0.0):
    """A service for the time of a test."""
    service = RawService(*pieces, pause=pause)
    try:
        yield service
    finally:
        service.close()


def endless(piece):
    """The same piece again and again."""
    return itertools.repeat(piece)


def _request(line):
    """The body of a request."""
    content = b""
    while b"\r\n\r\n" not in content:
        content += _received(line)
    first, _, body = content.partition(b"\r\n\r\n")
    lengths = [each.partition(b":")[2] for each in first.lower().split(b"\r\n") if each.startswith(b"content-length")]
    while len(body) < int(lengths[0]):
        body += _received(line)
    return body


def _received(line):
    part = line.recv(1 << 16)
    if not part:
        raise OSError("the request broke off")
    return part
