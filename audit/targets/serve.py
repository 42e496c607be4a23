"""The other side of `process`: an interpreter that holds one target and runs it, in itself or in a fork for each run.

The process that forks never touches the data, and does not import the target: each fork imports it anew. So whatever
the target draws or remembers on import is drawn anew for each run, wherever it keeps it. Only well-known libraries are
imported before the fork, which takes most of the time; their generators are set from the seed of the run before the
target is imported, since it may draw from them meanwhile. Polars and other libraries start threads on first use, and
threads do not survive a fork; so the data is passed on as bytes.

Requests come one by one, each after the answer to the one before: which run comes next is not here to be seen.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from crowdproof.audit.targets import libraries
from crowdproof.audit.targets.answer_bytes import encode
from crowdproof.audit.targets.binding import bind
from crowdproof.audit.targets.channel import NO_TICKET, Channel, ClosedError, Kind, message
from crowdproof.audit.targets.find import find
from crowdproof.audit.targets.functions import Function
from crowdproof.audit.targets.generators import OfProcess, alive
from crowdproof.audit.targets.loaded import told_since
from crowdproof.audit.targets.transport import decode, own_table
from crowdproof.errors import CrowdproofError, DataError, NoReleaseError, ParameterError, TargetError

ERRORS: dict[str, type[CrowdproofError]] = {
    each.__name__: each for each in (ParameterError, DataError, TargetError, NoReleaseError)
}
"""What a target may have done wrong, by the name that travels."""
_BEFORE = frozenset(sys.modules)


def main(number: int) -> None:
    """Answer requests until the other side hangs up."""
    os.set_inheritable(number, False)  # what the target starts shall not hold the line
    channel = Channel(socket.socket(fileno=number))
    setup = Assignment(**json.loads(channel.receive().body))
    try:
        run = _ready(channel, setup)
    except CrowdproofError as error:
        channel.send(message(Kind.ERROR, NO_TICKET, error_body(error)))
        return
    forms = () if run.function is None else run.function.forms
    channel.send(run.news(NO_TICKET) + message(Kind.READY, NO_TICKET, json.dumps(forms).encode()))
    with contextlib.suppress(ClosedError):
        _serve(channel, run, run.in_fork if setup.fresh else run.here)


@frozen
class Assignment:
    """Which function this process is to run, and how."""

    target: str
    params: dict[str, Any]
    form: str | None
    memory: float | None
    fresh: bool

    def load(self) -> Function:
        """Import the target, and see what it takes."""
        return _with_library(bind(find(self.target), self.target, self.params, self.form))


def _with_library(function: Function) -> Function:
    """The function, once the library is imported that its table comes from."""
    if function.form.startswith(("pandas", "batches")):
        importlib.import_module("pandas")
    return function


def _ready(channel: Channel, setup: Assignment) -> "_Run":
    if setup.fresh:
        libraries.preload(setup.load)
        run = _Run(channel, setup)  # which finds the generators of the libraries
        gc.freeze()  # a fork then finds those of the target without going over all that was here before
        return run
    run = _Run(channel, setup, setup.load())
    limit_memory(setup.memory)
    return run


def _serve(channel: Channel, run: "_Run", answer: Callable[[int, bytes, int], object]) -> None:
    while True:
        asked = channel.receive()
        if asked.kind is Kind.DATASET:
            run.keep(int.from_bytes(asked.ticket, "big"), asked.body)
        elif asked.kind is Kind.FORM:
            run.take_form(asked.body.decode())
        else:
            which, seed = map(int, asked.body.split())
            answer(which, asked.ticket, seed)


@define
class _Run:
    """Runs the function and sends what came of it."""

    channel: Channel
    setup: Assignment
    function: Function | None = None
    """The target, where it is imported already."""
    generators: OfProcess = field(factory=OfProcess)
    contents: list[bytes] = field(factory=list)
    tables: dict[int, Any] = field(factory=dict)
    before: frozenset[str] = _BEFORE
    """Modules that are here whatever the target is."""
    known: int = len(_BEFORE)
    """How many modules there were when it was told last which they are."""

    def keep(self, number: int, content: bytes) -> None:
        """Keep a dataset for the requests to come; with the first, the earlier ones are over."""
        if number == 0:
            self.contents.clear()
        self.tables.clear()
        self.contents.append(content)

    def take_form(self, form: str) -> None:
        """Give the function that is imported here its table in this form from now on; without a name, the likeliest."""
        assert self.function is not None
        self.function = _with_library(evolve(self.function, form=form or self.function.forms[0]))

    def here(self, which: int, ticket: bytes, seed: int) -> None:
        """Run in this process, and answer."""
        home = os.getpid()
        kind, body = self._outcome(which, seed)
        if os.getpid() != home:
            error = TargetError(f"{self.setup.target} forks, and returns in both processes: let one of them end.")
            self.channel.send(message(Kind.ERROR, ticket, error_body(error)))
            os._exit(1)
        self.channel.send(self.news(ticket) + message(kind, ticket, body))

    def news(self, ticket: bytes) -> bytes:
        """A message that names the modules which were loaded, where there are others than when it was told last."""
        if len(sys.modules) == self.known:
            return b""
        self.known = len(sys.modules)
        return message(Kind.LOADED, ticket, told_since(self.before))

    def _outcome(self, which: int, seed: int) -> tuple[Kind, bytes]:
        try:
            function = self._function(seed)
            self.generators.reseed(seed)
            return Kind.OUTPUT, encode(function(self._table(which), seed))
        except CrowdproofError as error:
            return Kind.ERROR, error_body(error)
        except MemoryError:
            spent = TargetError(f"{self.setup.target} ran out of memory: give it a larger memory limit.")
            return Kind.ERROR, error_body(spent)
        except BaseException as error:  # noqa: BLE001  (foreign code: anything may come)
            return Kind.ERROR, error_body(TargetError(f"{self.setup.target} broke with {type(error).__name__}."))

    def _function(self, seed: int) -> Function:
        if self.function is None:
            self.generators.before_import(seed)
            self.function = self.setup.load()
            self.generators.found += alive()
            limit_memory(self.setup.memory)
        return self.function

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


def limit_memory(memory: float | None) -> None:
    """Allow `memory` bytes of data beyond what is held now."""
    if memory is None:
        return
    held = 0
    with contextlib.suppress(OSError, IndexError):  # where there is no /proc the limit counts from nothing
        held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    limit = held + int(memory)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
