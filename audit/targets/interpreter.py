"""One Python interpreter for one function: it is started, asked for runs and ended; what it answers is parsed."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from attrs import evolve, frozen

from crowdproof.audit.releases import Refusal
from crowdproof.audit.targets.channel import (
    LISTEN_SECONDS,
    NO_TICKET,
    TICKET_BYTES,
    Channel,
    ClosedError,
    Kind,
    LateError,
    Message,
    message,
)
from crowdproof.audit.targets.forms import forms_told
from crowdproof.audit.targets.interface import Limits
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.audit.targets.log_file import cut, log_file
from crowdproof.audit.targets.serve import ERRORS, status_words
from crowdproof.audit.targets.transport import decode
from crowdproof.errors import CrowdproofError, NoReleaseError, TargetError
from crowdproof.findings import Json
from crowdproof.interrupts import unbroken

START_SECONDS = 120.0
"""How long an interpreter may take to import the target."""
AHEAD = 16
"""Requests under way: the target is kept busy, and of the runs to come it holds these few at most."""
LAST_WORDS = 400
"""Bytes of what a target printed that an error shows: a few lines."""
ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Runs go on side by side, so each has one thread; and the order in which threads add up cannot change an output."""


@frozen
class Setup:
    """Which function, and what kind of process for it."""

    target: str
    params: Mapping[str, Json]
    form: str | None
    limits: Limits
    fresh: bool = False
    """A process for each run, which imports the target anew."""
    hash_seed: int = 0


class Interpreter:
    """An interpreter that runs one function, and the channel to it."""

    def __init__(self, setup: Setup, loaded: Loaded) -> None:
        self.setup = setup
        self._loaded = loaded
        self.forms: tuple[str, ...] = ()
        with unbroken():
            self._start()
        self._begin()

    def _start(self) -> None:
        """Start the interpreter; from here on it ends with this object at the latest."""
        self._log = log_file()  # what the target prints; closed in end
        ours, theirs = socket.socketpair()
        with theirs:
            code = (
                f"import sys; sys.path[:] = {sys.path!r}; "
                f"from crowdproof.audit.targets.serve import main; main({theirs.fileno()})"
            )
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env={**ONE_THREAD, **os.environ, "PYTHONHASHSEED": str(self.setup.hash_seed)},
                start_new_session=True,
            )
        process = self._process
        self._channel = Channel(ours, alive=lambda: process.poll() is None)
        self._finalize = weakref.finalize(self, _end, self._process, self._channel, self._log)

    def end(self) -> None:
        """End the interpreter and everything that it started."""
        with unbroken():
            self._finalize()

    def _begin(self) -> None:
        setup = self.setup
        asked = {
            "target": setup.target,
            "params": dict(setup.params),
            "form": setup.form,
            "memory": setup.limits.memory,
            "fresh": setup.fresh,
        }
        try:
            self._send(message(Kind.SETUP, NO_TICKET, json.dumps(asked).encode()))
            answer = self._receive(START_SECONDS, f"was not imported within {START_SECONDS:g} s")
        except BaseException:
            self.end()
            raise
        if answer.kind is not Kind.READY:
            failure = self._failure(answer)
            self.end()
            raise failure
        self.forms = forms_told(answer.body)

    def take_form(self, form: str | None) -> None:
        """Give the function its table in this form from now on, or in the likeliest. A process for each run has one."""
        assert not self.setup.fresh
        self.setup = evolve(self.setup, form=form)
        self._send(message(Kind.FORM, NO_TICKET, (form or "").encode()))

    def give(self, contents: list[bytes]) -> None:
        """Let the interpreter have these datasets, for the runs that are asked for next."""
        self._log.truncate(0)
        for number, content in enumerate(contents):
            self._send(message(Kind.DATASET, number.to_bytes(TICKET_BYTES, "big"), content))

    def answers(self, plan: Iterable[tuple[int, int]]) -> Generator[Any]:
        """Run on (dataset, seed) after (dataset, seed): the output of each, or a `Refusal`.

        A few requests are under way at a time, so that neither side waits for the other. Whoever stops listening
        leaves them answered.
        """
        left, asked = iter(plan), deque[bytes]()
        try:
            while asked or not self._asked_all(left, asked):
                yield self._answer(asked.popleft())
                if len(asked) <= AHEAD // 2:
                    self._asked_all(left, asked)
        except GeneratorExit:
            while asked:
                self._answer(asked.popleft())
            raise
        if not self._channel.silent:
            raise self._out_of_turn()

    def _asked_all(self, left: Iterator[tuple[int, int]], asked: deque[bytes]) -> bool:
        """Send requests until enough are under way; whether none is under way since there is none left."""
        messages = []
        for which, seed in islice(left, AHEAD - len(asked)):
            asked.append(os.urandom(TICKET_BYTES))
            messages.append(message(Kind.REQUEST, asked[-1], b"%d %d" % (which, seed)))
        if messages:
            self._send(b"".join(messages))
        return not asked

    def _answer(self, ticket: bytes) -> Any:
        limit = self.setup.limits.seconds
        cut(self._log)
        answer = self._receive(limit, f"gave no result within {limit} s and was stopped: raise its time limit")
        if answer.ticket != ticket:
            raise self._out_of_turn()
        if answer.kind is Kind.OUTPUT:
            return decode(answer.body, f"what {self.setup.target} returned")
        failure = self._failure(answer)
        if isinstance(failure, NoReleaseError):
            return Refusal(str(failure))
        raise failure

    def _out_of_turn(self) -> TargetError:
        return TargetError(
            f"{self.setup.target} answered more than once, or before it was asked: let it return once, and leave the "
            f"open files of its process alone.{self._tail()}"
        )

    def _failure(self, answer: Message) -> CrowdproofError:
        """The error that an answer tells of."""
        if answer.kind is Kind.DIED:
            return self._death(answer.body.decode(errors="replace")[:LAST_WORDS])
        try:
            name, words = json.loads(answer.body)
            return ERRORS[name](str(words))
        except (ValueError, KeyError, TypeError, RecursionError):
            return TargetError(f"{self.setup.target} wrote what is no answer into its channel.{self._tail()}")

    def _send(self, content: bytes) -> None:
        limit = self.setup.limits.seconds
        try:
            self._channel.send(content, limit)
        except LateError:
            raise TargetError(f"{self.setup.target} did not take its input within {limit} s.{self._tail()}") from None
        except ClosedError:  # it died: receiving tells how
            return

    def _receive(self, seconds: float | None, late: str) -> Message:
        try:
            return self._heard(seconds)
        except LateError:
            raise TargetError(f"{self.setup.target} {late}.{self._tail()}") from None
        except ClosedError:
            raise self._death(self._ended()) from None
        except TargetError as error:
            raise TargetError(f"{self.setup.target}: {error}") from None

    def _heard(self, seconds: float | None) -> Message:
        """The next answer; what was loaded may be told before it, once."""
        end = None if seconds is None else time.monotonic() + seconds
        answer = self._channel.receive(seconds)
        if answer.kind is not Kind.LOADED:
            return answer
        self._loaded.hear(answer.body)
        return self._channel.receive(None if end is None else max(0.0, end - time.monotonic()))

    def _ended(self) -> str:
        """How the process ended; one that goes on after it has hung up is ended here."""
        try:
            return status_words(self._process.wait(LISTEN_SECONDS))
        except subprocess.TimeoutExpired:
            return "a closed channel"

    def _death(self, how: str) -> TargetError:
        limit = self.setup.limits.memory
        cause = f" (its memory limit is {limit / 2**20:.0f} MiB)" if limit else ""
        return TargetError(
            f"{self.setup.target} ended its process with {how}{cause} instead of returning.{self._tail()}"
        )

    def _tail(self) -> str:
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - LAST_WORDS))
        text = self._log.read(LAST_WORDS).decode(errors="replace").strip()
        return f" It last printed: {text}" if text else ""


def _end(process: "subprocess.Popen[bytes]", channel: Channel, log: Any) -> None:
    channel.close()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    log.close()
