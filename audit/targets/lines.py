"""A program that stays up: one line of JSON in, one line of JSON out, for each run.

In:  {"columns": ["age"], "rows": [[31], [47]], "seed": 5, "params": {"k": 10}}
Out: {"columns": ["age"], "rows": [["[31, 47]"], ["[31, 47]"]]}, or {"value": 2.5}, or {"error": "too few rows"}
"""

import contextlib
import json
import os
import select
import shlex
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from crowdproof.audit.targets.behaviour import NOT_MEASURED, Behaviour, keeps_state, measure, until
from crowdproof.audit.targets.command import last_words, split, start, stop
from crowdproof.audit.targets.exchange import MOST_BYTES, as_text, from_json, to_json
from crowdproof.audit.targets.forms import require_table
from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.audit.targets.serve import status_words
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.errors import OutOfTimeError, ParameterError, TargetError
from crowdproof.findings import Json
from crowdproof.interrupts import unbroken

SURPLUS_SECONDS = 1.0
"""How long a program may take, after its last question, to end or to say more: most end when their input does."""


class LinesTarget(Target):
    """A program kept up for many runs; one that is seen to keep state is started anew for each run."""

    def __init__(
        self, command: str, params: Mapping[str, Json], form: str | None, limits: Limits, fresh: bool = False
    ) -> None:
        if form is not None:
            raise ParameterError(f"form is {form!r}, but a program of the line protocol is given JSON: leave it out.")
        self.name, self.params, self.limits, self.fresh = command, dict(params), limits, fresh
        self._words = split(command, {}, set())
        self._live: _Live | None = None
        self._lock = threading.Lock()

    @property
    def spec(self) -> Mapping[str, Json]:  # type: ignore[override]
        """The command and its limits; `isolate` is fresh where state was seen."""
        return {
            "spec": f"lines:{self.name}",
            "params": self.params,
            "timeout": self.limits.seconds,
            "memory": self.limits.memory,
            "isolate": "fresh" if self.fresh else "worker",
        }

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One line for each seed."""
        table = to_json(require_table(data, self.name))
        with self._lock:
            return [self._run(table, seed) for seed in seeds]

    def _run(self, table: Mapping[str, Json], seed: int) -> Any:
        live = self._live = self._live or _Live(self._words, self.limits)
        try:
            answer = live.ask(json.dumps({**table, "seed": seed, "params": self.params}, default=str))
        except BaseException:
            self.close()
            raise
        if self.fresh:
            self._finish(live)
        what = f"the answer of {self.name}"
        return from_json(as_text(answer, what), what)

    def _finish(self, live: "_Live") -> None:
        """End a program that has had its one question, if that was all that it had to say."""
        try:
            live.hear_the_end()
        finally:
            self.close()

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """Compare a program kept up with one started anew for each run."""
        self.close()
        try:
            behaviour = self._compare(data, seconds)
        except OutOfTimeError:
            behaviour = NOT_MEASURED
        self.close()
        self.fresh = self.fresh or behaviour.may_remember
        where = "The program is started anew for each run." if self.fresh else "The program is kept up for all runs."
        self.behaviour = evolve(behaviour, isolation=where)
        return self.behaviour

    def _compare(self, data: Any, seconds: float | None) -> Behaviour:
        with LinesTarget(self.name, self.params, None, self.limits, fresh=True) as anew:
            clean, kept = until(anew.runs, seconds), until(self.runs, seconds)
            deterministic, reproducible = measure(clean, data)
            stateful = None
            if not self.fresh:
                stateful = keeps_state(kept, clean, data, reproducible=reproducible)
        return Behaviour(deterministic, reproducible, stateful)

    def close(self) -> None:
        """End the program; the next run starts it again."""
        if self._live is not None:
            live, self._live = self._live, None
            live.end()


class _Live:
    """A running program."""

    def __init__(self, words: list[str], limits: Limits) -> None:
        self._name, self._limit = shlex.join(words), limits.seconds
        self._rest = bytearray()
        with unbroken():
            self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115  (its stderr; closed in end)
            self._process = start(words, limits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
            assert self._process.stdin is not None
            os.set_blocking(self._process.stdin.fileno(), False)
            self._finalize = weakref.finalize(self, _end, self._process, self._log)

    def end(self) -> None:
        """End the program and everything that it started."""
        with unbroken():
            self._finalize()

    def ask(self, line: str) -> bytes:
        """Send a line, wait for one."""
        deadline = None if self._limit is None else time.monotonic() + self._limit
        if self._rest:
            raise self._surplus()
        self._send(line.encode() + b"\n", deadline)
        while b"\n" not in self._rest:
            self._rest += self._read(deadline)
            self._check_length()
        answer, _, rest = bytes(self._rest).partition(b"\n")
        self._rest = bytearray(rest)
        return answer

    def _send(self, content: bytes, deadline: float | None) -> None:
        """Write the line, and read what comes meanwhile: a program that does not read is not waited for for ever."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        given, taken = self._process.stdin.fileno(), self._process.stdout.fileno()
        left = memoryview(content)
        while left:
            seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
            readable, writable, _ = select.select([taken], [given], [], seconds)
            if readable:
                self._rest += self._part()
                self._check_length()
            if writable:
                try:
                    left = left[os.write(given, left) :]
                except BlockingIOError:  # a pipe that takes a little, and not as much as it was given
                    continue
                except BrokenPipeError:
                    raise self._death() from None
            if not readable and not writable:
                raise TargetError(
                    f"{self._name} did not read its input within {self._limit} s and was stopped: let it read a line, "
                    f"or raise its time limit.{self._tail()}"
                )

    def _check_length(self) -> None:
        if len(self._rest) > MOST_BYTES:
            most = f"{MOST_BYTES >> 20:,} MiB"
            raise TargetError(f"{self._name} wrote a line of more than {most}: let it release less.")

    def hear_the_end(self) -> None:
        """There is no further question: whatever the program still writes, the line before was not the answer.

        A program that greets whoever starts it would be taken at its greeting.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        deadline = time.monotonic() + SURPLUS_SECONDS
        while not self._rest.strip() and (left := deadline - time.monotonic()) > 0:
            if not select.select([self._process.stdout], [], [], left)[0]:
                break
            part = os.read(self._process.stdout.fileno(), 1 << 20)
            if not part:
                break
            self._rest += part
        if self._rest.strip():
            raise self._surplus()

    def _surplus(self) -> TargetError:
        return TargetError(
            f"{self._name} wrote more than one line for a run: let it answer with one, and say nothing else on its "
            f"standard output.{self._tail()}"
        )

    def _read(self, deadline: float | None) -> bytes:
        assert self._process.stdout is not None
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([self._process.stdout], [], [], left)[0]:
            raise TargetError(
                f"{self._name} gave no line of answer within {self._limit} s and was stopped: raise its time limit, "
                f"and make sure that it flushes its output.{self._tail()}"
            )
        return self._part()

    def _part(self) -> bytes:
        """What the program has written by now, of which there is something."""
        assert self._process.stdout is not None
        part = os.read(self._process.stdout.fileno(), 1 << 20)
        if not part:
            raise self._death()
        return part

    def _death(self) -> TargetError:
        try:
            how = status_words(self._process.wait(5))
        except subprocess.TimeoutExpired:
            how = "its output closed"
        return TargetError(f"{self._name} ended with {how} instead of answering.{self._tail()}")

    def _tail(self) -> str:
        return last_words(self._log)


def _end(process: "subprocess.Popen[bytes]", log: Any) -> None:
    stop(process)
    for stream in filter(None, (process.stdin, process.stdout, log)):
        with contextlib.suppress(BrokenPipeError):  # what was still to be written to it
            stream.close()


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return LinesTarget(spec.place, spec.params, spec.form, spec.limits, fresh=spec.isolate == "fresh")
