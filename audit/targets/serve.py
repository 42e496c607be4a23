"""The other side of `process`: an interpreter that holds one target and runs it, in itself or in a fork for each run.

The process that forks never touches the data: polars and other libraries start threads on first use, and threads do
not survive a fork. It only passes the bytes on, so each fork starts from the state right after the import.
"""

import contextlib
import importlib
import os
import pickle
import resource
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crowdproof.audit.targets.find import find
from crowdproof.audit.targets.functions import Function, bind
from crowdproof.errors import CrowdproofError, TargetError


def main(channel: int) -> None:
    """Answer requests until the other side hangs up."""
    connection = Connection(channel)
    target, params, form, memory, fresh = connection.recv()
    try:
        function = bind(find(target), target, params, form)
    except CrowdproofError as error:
        connection.send(error)
        return
    if function.form.startswith("pandas"):
        importlib.import_module("pandas")  # once, and not in each fork
    connection.send(None)
    if not fresh:
        _limit(memory)
    with contextlib.suppress(EOFError):
        while True:
            data, seeds = connection.recv_bytes(), connection.recv()
            if fresh:
                _forks(connection, function, data, seeds, memory)
            else:
                _answer(connection, function, data, seeds)


def _answer(connection: Any, function: Function, data: bytes, seeds: list[int]) -> bool:
    """Send (True, output) for each seed, or (False, error) for the first run that fails; whether none failed."""
    try:
        table = pickle.loads(data)  # noqa: S301  (our own bytes)
        for seed in seeds:
            connection.send((True, function(table, seed)))
    except CrowdproofError as error:
        connection.send((False, error))
        return False
    except MemoryError:
        connection.send((False, TargetError(f"{function.name} ran out of memory: give it a larger memory limit.")))
        return False
    return True


def _forks(connection: Any, function: Function, data: bytes, seeds: list[int], memory: float | None) -> None:
    for seed in seeds:
        answered, report = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _limit(memory)
                os.write(report, b"+" if _answer(connection, function, data, [seed]) else b"-")
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(report)
        os.set_blocking(answered, False)  # a process that the run left behind may hold the other end
        try:
            word = os.read(answered, 1)
        except BlockingIOError:
            word = b""
        os.close(answered)
        if not word:  # the run ended its process, whatever the status, before it could answer
            connection.send((False, status_words(status)))
        if word != b"+":
            return


def status_words(code: int | None) -> str:
    """How a process ended, in words.

    >>> status_words(3), status_words(-11)
    ('exit status 3', 'signal SIGSEGV')
    """
    if code is None or code >= 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _limit(memory: float | None) -> None:
    """Allow `memory` bytes of data beyond what is held now."""
    if memory is None:
        return
    held = 0
    with contextlib.suppress(OSError, IndexError):  # where there is no /proc the limit counts from nothing
        held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    limit = held + int(memory)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
