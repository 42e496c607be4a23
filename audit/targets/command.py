"""A program that is started for each run: table in by file or stdin, release out by file or stdout."""

import contextlib
import math
import os
import shlex
import shutil
import signal
import stat
import string
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from crowdproof.audit.targets.behaviour import Behaviour, order_behaviour
from crowdproof.audit.targets.exchange import MOST_BYTES, check_format, decode, encode
from crowdproof.audit.targets.forms import require_table
from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.audit.targets.serve import status_words
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json
from crowdproof.interrupts import unbroken

LAST_REFUSAL = 123
"""Exit statuses above are those of `timeout`, `env`, shells and containers: a program that did not start or was killed.
"""
LOOK_SECONDS = 1.0
"""How often it is looked at how much a program prints: a guess; a disk takes no more than a GiB or so in that time."""
LAST_WORDS = 400
"""Bytes of stderr that an error shows: a few lines."""


class CommandTarget(Target):
    """`./anonymize --in {input} --out {output} --k {k} --seed {seed}`.

    Without `{input}` the table comes on stdin, without `{output}` the release is read from stdout. The seed of the
    run is also in the environment, as CROWDPROOF_SEED and as PYTHONHASHSEED: so a Python program gets a new hash seed
    for each run, as it would in use, and the same one when the run is repeated.
    """

    def __init__(self, command: str, params: Mapping[str, Json], form: str | None, limits: Limits) -> None:
        self.command, self.params, self.form, self.limits = command, dict(params), check_format(form), limits
        self.name = command
        self._words = split(command, params, {"input", "output", "seed"})
        self.spec = {
            "spec": f"command:{command}",
            "params": self.params,
            "form": self.form,
            "timeout": limits.seconds,
            "memory": limits.memory,
        }

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One process for each seed."""
        content = encode(require_table(data, self.name), self.form)
        return [self._run(content, seed) for seed in seeds]

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """Each run is a new process, so state could only be in files or elsewhere."""
        self.behaviour = order_behaviour(self.runs, data, seconds=seconds, clocked=True)
        return self.behaviour

    def _run(self, content: bytes, seed: int) -> Any:
        with _temporary_folder() as folder, _Printed() as printed:
            files = {name: folder / f"{name}.{self.form}" for name in ("input", "output")}
            files["input"].write_bytes(content)
            values = {**self.params, **files, "seed": seed}
            words = [word.format_map(values) for word in self._words]
            self._run_to_end(words, files["input"], printed, seed)
            if "{output}" not in self.command:
                released, what = content_of(printed.stdout, words), "output of {}"
            else:
                with _opened(files["output"], words, printed) as output:
                    released, what = content_of(output, words), "file that {} wrote"
            return decode(released, self.form, f"the {what.format(shlex.join(words))}")

    def _run_to_end(self, words: list[str], given: Path, printed: "_Printed", seed: int) -> None:
        """Run the program."""
        limit = self.limits.seconds
        environment = {**os.environ, "CROWDPROOF_SEED": str(seed), "PYTHONHASHSEED": str(seed % 2**32)}
        with (
            given.open("rb") as stdin,
            _started(
                words, self.limits, stdin=stdin, stdout=printed.stdout, stderr=printed.stderr, env=environment
            ) as process,
        ):
            code = printed.ended(process, words, limit)
        if code != 0:  # a program that says no has answered; one that was killed has not
            how = f"{shlex.join(words)} ended with {status_words(code)}.{last_words(printed.stderr)}"
            raise self.limits.judged(NoReleaseError(how)) if 0 < code <= LAST_REFUSAL else TargetError(how)


def split(command: str, params: Mapping[str, Json], known: set[str]) -> list[str]:
    """The words of a command line; a placeholder that nothing fills is an error."""
    try:
        words = shlex.split(command)
        placeholders = {name for word in words for _, name, _, _ in string.Formatter().parse(word) if name is not None}
    except ValueError as error:
        raise ParameterError(f"the command {command!r} cannot be read: {error}.") from None
    if not words:
        raise ParameterError("the command is empty: write it like ./anonymize --in {input} --out {output}.")
    unknown = sorted(placeholders - known - set(params))
    if unknown:
        raise ParameterError(
            f"nothing fills {{{unknown[0]}}} in the command {command!r}: give it as a parameter, or write one of "
            f"{', '.join(f'{{{name}}}' for name in sorted(known))}."
        )
    unused = sorted(set(params) - placeholders)
    if unused:
        raise ParameterError(f"the command {command!r} has no place for {unused[0]!r}: write {{{unused[0]}}} in it.")
    return words


def start(words: list[str], limits: Limits, **streams: Any) -> "subprocess.Popen[bytes]":
    """Start the program in a session of its own, so that what it starts can be stopped with it."""
    if shutil.which(words[0]) is None:
        raise TargetError(f"there is no program {words[0]!r} (command: {shlex.join(words)}): check its path.")
    if limits.memory is not None:  # the shell sets the limit: code between fork and exec is not safe with threads
        words = ["sh", "-c", f'ulimit -d {int(limits.memory / 1024)} && exec "$@"', "sh", *words]
    try:
        return subprocess.Popen(words, start_new_session=True, **streams)
    except OSError as error:
        raise TargetError(f"cannot start {shlex.join(words)}: {error.strerror}.") from None


@contextlib.contextmanager
def _started(words: list[str], limits: Limits, **streams: Any) -> "Iterator[subprocess.Popen[bytes]]":
    """The program, which is ended with the block, also where a signal comes as it starts."""
    process: subprocess.Popen[bytes] | None = None
    try:
        with unbroken():
            process = start(words, limits, **streams)
        yield process
    finally:
        if process is not None:
            stop(process)


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End the program and everything that it started."""
    with unbroken():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder that is gone after the block, also where a signal comes as it is made or removed."""
    made: tempfile.TemporaryDirectory[str] | None = None
    try:
        with unbroken():
            made = tempfile.TemporaryDirectory(prefix="crowdproof-")
        yield Path(made.name)
    finally:
        if made is not None:
            with unbroken():
                _remove(made)


def _remove(made: "tempfile.TemporaryDirectory[str]") -> None:
    """Remove the folder as far as that is possible: the program may have done anything to it."""
    try:
        made.cleanup()
    except (RecursionError, OSError):  # folders within folders, more of them than Python goes down or can hold open
        with contextlib.suppress(OSError):
            subprocess.run(["rm", "-rf", made.name], check=False, stderr=subprocess.DEVNULL)  # noqa: S607


class _Printed:
    """What a program prints, in files without a name: it cannot put anything else in their place."""

    def __enter__(self) -> Self:
        with unbroken():
            self.stdout, self.stderr = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        return self

    def ended(self, process: "subprocess.Popen[bytes]", words: list[str], limit: float | None) -> int:
        """The status with which the program ends; one that takes too long, or prints without end, is stopped."""
        end = math.inf if limit is None else time.monotonic() + limit
        while True:
            left = end - time.monotonic()
            try:
                return process.wait(max(0.0, min(left, LOOK_SECONDS)))
            except subprocess.TimeoutExpired:
                check_size(self.stdout, words)
                check_size(self.stderr, words)
            if left <= LOOK_SECONDS:
                late = f"was stopped after {limit} s without ending: raise its time limit."
                raise TargetError(f"{shlex.join(words)} {late}{last_words(self.stderr)}")

    def __exit__(self, *_: object) -> None:
        with unbroken():
            self.stdout.close()
            self.stderr.close()


def _opened(path: Path, words: list[str], printed: _Printed) -> IO[bytes]:
    """The file that the program wrote, if it is one: what is put in its place, such as a FIFO, is not waited for."""
    with contextlib.suppress(OSError):
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
        if stat.S_ISREG(os.fstat(number).st_mode):
            return os.fdopen(number, "rb")
        os.close(number)
    raise TargetError(f"{shlex.join(words)} ended with exit status 0 and wrote no file.{last_words(printed.stderr)}")


def check_size(file: IO[bytes], words: list[str]) -> int:
    """How many bytes a program has written, if these are not too many: they take space that nobody sees."""
    size = os.fstat(file.fileno()).st_size
    if size > MOST_BYTES:
        raise TargetError(
            f"{shlex.join(words)} wrote {size >> 20:,} MiB, and {MOST_BYTES >> 20:,} are read: let it write less."
        )
    return size


def content_of(file: IO[bytes], words: list[str]) -> bytes:
    """All that is in a file, if that is not too much."""
    try:
        size = check_size(file, words)
        file.seek(0)
        return file.read(size)
    except (OSError, MemoryError) as error:
        raise TargetError(f"what {shlex.join(words)} wrote cannot be read ({type(error).__name__}).") from None


def last_words(file: IO[bytes]) -> str:
    """How that which a program wrote to stderr ends, however long it is or claims to be."""
    try:
        file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_WORDS))
        text = file.read(LAST_WORDS).decode(errors="replace").strip(" \n\r\t\0")
    except (OSError, MemoryError):
        text = ""
    return f" Its stderr ends: {text}" if text else " It wrote nothing to stderr."


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return CommandTarget(spec.place, spec.params, spec.form, spec.limits)
