"""The other side of `process`: an interpreter that holds one target and runs it, in itself or in a fork for each run.

The process that forks never touches the data: polars and other libraries start threads on first use, and threads do
not survive a fork. It only passes the bytes on, so each fork starts from the state right after the import.

Requests come one by one, each after the answer to the one before: which run comes next is not here to be seen.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field

from crowdproof.audit.targets.answer_bytes import encode
from crowdproof.audit.targets.channel import NO_TICKET, Channel, ClosedError, Kind, message
from crowdproof.audit.targets.find import find
from crowdproof.audit.targets.functions import Function, bind
from crowdproof.audit.targets.generators import OfProcess
from crowdproof.audit.targets.transport import decode, own_table
from crowdproof.errors import CrowdproofError, DataError, NoReleaseError, ParameterError, TargetError

ERRORS: dict[str, type[CrowdproofError]] = {
    each.__name__: each for each in (ParameterError, DataError, TargetError, NoReleaseError)
}
"""What a target may have done wrong, by the name that travels."""


def main(number: int) -> None:
    """Answer requests until the other side hangs up."""
    os.set_inheritable(number, False)  # what the target starts shall not hold the line
    channel = Channel(socket.socket(fileno=number))
    setup = json.loads(channel.receive().body)
    try:
        function = bind(find(setup["target"]), setup["target"], setup["params"], setup["form"])
    except CrowdproofError as error:
        channel.send(message(Kind.ERROR, NO_TICKET, error_body(error)))
        return
    if function.form.startswith("pandas"):
        importlib.import_module("pandas")  # once, and not in each fork
    channel.send(message(Kind.READY, NO_TICKET))
    if not setup["fresh"]:
        _limit(setup["memory"])
    run = _Run(channel, function, setup["memory"], generators=OfProcess())
    with contextlib.suppress(ClosedError):
        _serve(channel, run, run.in_fork if setup["fresh"] else run.here)


def _serve(channel: Channel, run: "_Run", answer: Callable[[int, bytes, int], object]) -> None:
    while True:
        asked = channel.receive()
        if asked.kind is Kind.DATASET:
            run.keep(int.from_bytes(asked.ticket, "big"), asked.body)
        else:
            which, seed = map(int, asked.body.split())
            answer(which, asked.ticket, seed)


@define
class _Run:
    """Runs the function and sends what came of it."""

    channel: Channel
    function: Function
    memory: float | None
    generators: OfProcess
    contents: list[bytes] = field(factory=list)
    tables: dict[int, Any] = field(factory=dict)

    def keep(self, number: int, content: bytes) -> None:
        """Keep a dataset for the requests to come; with the first, the earlier ones are over."""
        if number == 0:
            self.contents.clear()
        self.tables.clear()
        self.contents.append(content)

    def here(self, which: int, ticket: bytes, seed: int) -> None:
        """Run in this process, and answer."""
        home = os.getpid()
        kind, body = self._outcome(which, seed)
        if os.getpid() != home:
            error = TargetError(f"{self.function.name} forks, and returns in both processes: let one of them end.")
            self.channel.send(message(Kind.ERROR, ticket, error_body(error)))
            os._exit(1)
        self.channel.send(message(kind, ticket, body))

    def _outcome(self, which: int, seed: int) -> tuple[Kind, bytes]:
        try:
            self.generators.reseed(seed)
            return Kind.OUTPUT, encode(self.function(self._table(which), seed))
        except CrowdproofError as error:
            return Kind.ERROR, error_body(error)
        except MemoryError:
            spent = TargetError(f"{self.function.name} ran out of memory: give it a larger memory limit.")
            return Kind.ERROR, error_body(spent)
        except BaseException as error:  # noqa: BLE001  (foreign code: anything may come)
            return Kind.ERROR, error_body(TargetError(f"{self.function.name} broke with {type(error).__name__}."))

    def _table(self, which: int) -> Any:
        if which not in self.tables:
            self.tables[which] = decode(self.contents[which], "the dataset", table=own_table)
        return self.tables[which]

    def in_fork(self, which: int, ticket: bytes, seed: int) -> None:
        """Run in a fork, which answers; where it ends before it could, say how."""
        answered, report = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _limit(self.memory)
                self.here(which, ticket, seed)
                os.write(report, b"+")
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
            self.channel.send(message(Kind.DIED, ticket, status_words(status).encode()))


def error_body(error: CrowdproofError) -> bytes:
    """An error as it travels: its name and its words."""
    name = next(each.__name__ for each in type(error).__mro__ if each.__name__ in ERRORS)
    return json.dumps([name, str(error)]).encode()


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
