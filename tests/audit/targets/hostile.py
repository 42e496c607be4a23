"""Targets that try to end, deceive or choke whoever judges them, by kind."""

# ruff: noqa: T201

import ctypes
import os
import signal
import struct
import sys
import time
from collections import namedtuple

MEGABYTE = 1 << 20


def _leave(*_):
    os._exit(0)


def _evil(base, **methods):
    """A subclass whose pickle, if anyone reads it, ends the reader with status 0."""
    return type("Evil", (base,), {"__reduce__": lambda self: (os._exit, (0,)), **methods})


def _raising(*_):
    raise SystemExit(0)


class Masked:
    """Says that it is a str, and is none."""

    @property
    def __class__(self):
        return str


class BadWordsError(Exception):
    def __str__(self):
        return _leave()


class Silent(BaseException):
    """Not an Exception: handlers of errors let it pass."""


def _raise(error):
    raise error


def _write_everywhere(content):
    for number in range(3, 64):
        try:
            os.write(number, content)
        except OSError:
            continue


def _close_everything():
    os.closerange(3, 1024)


def _forged(kind=b"o", length=5, body=b"\0\0\0\x013"):
    return struct.pack(">c8sQ", kind, b"guessing", length) + body


def _fork():
    os.fork()


def _deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def _recursive():
    value = []
    value.append(value)
    return value


def _print_much():
    for _ in range(100):
        print("x" * MEGABYTE)
    os._exit(0)


Pair = namedtuple("Pair", "left right")  # noqa: PYI024

VALUES = {
    "a text": lambda: _evil(str)("a"),
    "a whole number": lambda: _evil(int)(3),
    "a number": lambda: _evil(float)(0.5),
    "a list": lambda: _evil(list)([1]),
    "a dict": lambda: _evil(dict)(a=1),
    "a tuple": lambda: Pair(1, "b"),
    "bytes": lambda: _evil(bytes)(b"a"),
    "within a list": lambda: [_evil(str)("a")],
    "with other words": lambda: _evil(str, __str__=_leave, __repr__=_leave)("a"),
    "with other length": lambda: _evil(list, __len__=_leave, __iter__=_leave)([1]),
    "with other equality": lambda: _evil(int, __eq__=_leave, __hash__=_leave)(3),
}
"""Values of a class of their own, of which the content arrives."""

CONTENTS = {
    "a text": "a",
    "a whole number": 3,
    "a number": 0.5,
    "a list": [1],
    "a dict": {"a": 1},
    "a tuple": (1, "b"),
    "bytes": b"a",
    "within a list": ["a"],
    "with other words": "a",
    "with other length": [1],
    "with other equality": 3,
}

REFUSALS = {
    "sys.exit": lambda: sys.exit(0),
    "SystemExit": lambda: _raise(SystemExit(0)),
    "an error": lambda: _raise(ValueError("no")),
    "nothing": lambda: None,
}
"""What counts as a refusal."""

CRASHES = {
    "exits": _leave,
    "exits with words": lambda: _raise(BadWordsError()),
    "kills itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "KeyboardInterrupt": lambda: _raise(KeyboardInterrupt()),
    "GeneratorExit": lambda: _raise(GeneratorExit()),
    "BaseException": lambda: _raise(Silent("quietly")),
    "closes everything": _close_everything,
    "writes rubbish": lambda: _write_everywhere(b"rubbish" * 10),
    "writes a little": lambda: _write_everywhere(b"o"),
    "writes half a message": lambda: _write_everywhere(_forged(length=1000)),
    "forges an answer": lambda: _write_everywhere(_forged()),
    "announces 600 MB": lambda: _write_everywhere(_forged(length=600 * MEGABYTE)),
    "prints 100 MB": _print_much,
    "holds itself": _recursive,
    "is deep": lambda: _deep(10_000),
    "a lock": lambda: __import__("threading").Lock(),
    "a mask": Masked,
    "raises when read": lambda: _evil(dict, items=_raising)(a=Masked()),
    "a long text": lambda: "x" * (2 * MEGABYTE),
}
"""What is no answer. Of the long text a lowered limit is told."""


def hostile(table, kind):
    for group in (VALUES, REFUSALS, CRASHES):
        if kind in group:
            return group[kind]()
    raise KeyError(kind)


def forks(table, rng):
    """Returns twice."""
    _fork()
    return table.height


def hangs_up(table):
    _close_everything()
    time.sleep(600)


def at_home(table, kind):
    """For a target that is not isolated."""
    if kind == "writes and exits":
        _write_everywhere(bytes(17))
    if kind in {"exits for good", "writes and exits"}:
        ctypes.CDLL(None)._exit(0)
    return hostile(table, kind)


def leaks(table):
    return sorted(table["age"].to_list())


def honest(table):
    return "hello"
