"""A program that stays up and is asked line by line: whatever it says without being asked is an error of it."""

import contextlib
import math
import os
import select
import shlex
import subprocess
import time
import weakref
from typing import Any

from crowdproof.audit.targets.command import LOOK_SECONDS, check_size, last_words, start, stop
from crowdproof.audit.targets.exchange import MOST_BYTES
from crowdproof.audit.targets.interface import Limits
from crowdproof.audit.targets.log_file import cut, log_file
from crowdproof.audit.targets.serve import status_words
from crowdproof.errors import TargetError
from crowdproof.interrupts import unbroken

SURPLUS_SECONDS = 1.0
"""How long a program may take, after its last question, to end or to say more: most end when their input does."""


class LineProgram:
    """A running program."""

    def __init__(self, words: list[str], limits: Limits) -> None:
        self._name, self._limit = shlex.join(words), limits.seconds
        self._rest = bytearray()
        with unbroken():
            self._log = log_file()  # its stderr; closed in end
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
        self.hear_nothing()
        cut(self._log)
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
                if b"\n" in self._rest:  # it has not been asked yet
                    raise self._surplus()
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

    def hear_nothing(self) -> None:
        """There is no question: a line that has come would be taken for the answer to the next one."""
        assert self._process.stdout is not None
        if not self._rest and select.select([self._process.stdout], [], [], 0)[0]:
            self._rest += self._part()
        if self._rest:
            raise self._surplus()

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
        end = math.inf if deadline is None else deadline
        while not select.select([self._process.stdout], [], [], max(0.0, min(end - time.monotonic(), LOOK_SECONDS)))[0]:
            check_size(self._log, [self._name])
            if time.monotonic() >= end:
                raise TargetError(
                    f"{self._name} gave no line of answer within {self._limit} s and was stopped: raise its time "
                    f"limit, and make sure that it flushes its output.{self._tail()}"
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
