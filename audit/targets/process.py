"""A target in an interpreter of its own: what hangs is stopped, what crashes takes nobody along."""

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, Self

from attrs import frozen

from crowdproof.audit.targets.interface import Limits
from crowdproof.audit.targets.serve import status_words
from crowdproof.errors import CrowdproofError, NoReleaseError, TargetError
from crowdproof.findings import Json

START_SECONDS = 120.0
"""How long an interpreter may take to import the target."""
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
    """A fork for each run, from the state right after the import."""
    hash_seed: int = 0


class Process:
    """One interpreter, started when it is first needed and again after it had to be stopped."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._live: _Live | None = None
        self._lock = threading.Lock()

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One output for each seed."""
        with self._lock:
            live = self._live = self._live or _Live(self.setup)
            try:
                return live.runs(data, list(seeds))
            except NoReleaseError:  # an answer like any other
                raise
            except BaseException:  # the other side may be gone, or still busy
                self._stop()
                raise

    def start(self) -> None:
        """Import the target now: what is wrong with it is an error at once."""
        with self._lock:
            self._live = self._live or _Live(self.setup)

    def stop(self) -> None:
        """End the interpreter and everything that it started."""
        with self._lock:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.end()
            self._live = None


class _Live:
    """A running interpreter and the line to it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115  (what the target prints; closed in end)
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
                env={**ONE_THREAD, **os.environ, "PYTHONHASHSEED": str(setup.hash_seed)},
                start_new_session=True,
            )
        self._line = Connection(ours.detach())
        self.end = weakref.finalize(self, _end, self._process, self._line, self._log)
        self._begin()

    def _begin(self) -> None:
        setup = self.setup
        self._send(setup.target, setup.params, setup.form, setup.limits.memory, setup.fresh)
        try:
            problem = self._receive(START_SECONDS, f"was not imported within {START_SECONDS:g} s")
        except BaseException:
            self.end()
            raise
        if isinstance(problem, CrowdproofError):
            self.end()
            raise problem

    def runs(self, data: Any, seeds: list[int]) -> list[Any]:
        limit = self.setup.limits.seconds
        self._log.truncate(0)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it died: receiving tells how
            self._line.send_bytes(pickle.dumps(data, protocol=pickle.HIGHEST_PROTOCOL))
            self._line.send(seeds)
        outputs = []
        for _ in seeds:
            done, value = self._receive(limit, f"gave no result within {limit} s and was stopped: raise its time limit")
            if not done:
                raise value if isinstance(value, CrowdproofError) else self._death(value)
            outputs.append(value)
        return outputs

    def _send(self, *message: Any) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._line.send(message)

    def _receive(self, seconds: float | None, late: str) -> Any:
        if not self._line.poll(seconds):
            raise TargetError(f"{self.setup.target} {late}.{self._tail()}")
        try:
            return self._line.recv()
        except (EOFError, ConnectionResetError):
            raise self._death(status_words(self._process.wait())) from None

    def _death(self, how: str) -> TargetError:
        limit = self.setup.limits.memory
        cause = f" (its memory limit is {limit / 2**20:.0f} MiB)" if limit else ""
        return TargetError(
            f"{self.setup.target} ended its process with {how}{cause} instead of returning.{self._tail()}"
        )

    def _tail(self) -> str:
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 400))
        text = self._log.read().decode(errors="replace").strip()
        return f" It last printed: {text}" if text else ""


def _end(process: "subprocess.Popen[bytes]", line: "Connection[Any, Any]", log: Any) -> None:
    line.close()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    log.close()
