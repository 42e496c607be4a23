"""A target in an interpreter of its own: what hangs is stopped, what crashes takes nobody along."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Self

from attrs import evolve

from crowdproof.audit.releases import Refusal
from crowdproof.audit.targets.answer_bytes import encode
from crowdproof.audit.targets.interpreter import Interpreter, Setup
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.audit.targets.plain import plain
from crowdproof.audit.targets.transport import MOST_BYTES
from crowdproof.errors import DataError, NoReleaseError, TargetError


class Process:
    """One interpreter, started when it is first needed and again after it had to be stopped."""

    def __init__(self, setup: Setup, loaded: Loaded | None = None) -> None:
        self.setup = setup
        self.loaded = Loaded() if loaded is None else loaded
        """What was loaded, also before it had to be started again."""
        self._live: Interpreter | None = None
        self._lock = threading.Lock()

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One output for each seed; the first refusal is a `NoReleaseError`."""
        with self._given([data]) as live, contextlib.closing(live.answers((0, seed) for seed in seeds)) as answers:
            return [_released(each) for each in answers]

    def answers(self, datasets: Sequence[Any], plan: Sequence[tuple[int, int]]) -> list[Any]:
        """One output or `Refusal` for each (dataset, seed) of the plan."""
        with self._given(datasets) as live:
            return list(live.answers(plan))

    @contextlib.contextmanager
    def _given(self, datasets: Sequence[Any]) -> Iterator[Interpreter]:
        """The interpreter, with these datasets at hand."""
        contents = [_content(each) for each in datasets]
        with self._lock:
            live = self._live = self._live or Interpreter(self.setup, self.loaded)
            try:
                live.give(contents)
                yield live
            except NoReleaseError:  # an answer like any other
                raise
            except BaseException:  # the other side may be gone, or still busy
                self._stop()
                raise

    def take_form(self, form: str | None) -> None:
        """Give the function its table in this form from now on, or in the likeliest."""
        with self._lock:
            self.setup = evolve(self.setup, form=form)
            if self._live is not None:
                self._live.take_form(form)

    def start(self) -> None:
        """Import the target now: what is wrong with it is an error at once."""
        with self._lock:
            self._live = self._live or Interpreter(self.setup, self.loaded)

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms in which the function may want its table, where the interpreter is up and has told."""
        return () if self._live is None else self._live.forms

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
            live, self._live = self._live, None
            live.end()


def _content(data: Any) -> bytes:
    """A dataset as bytes."""
    try:
        content = encode(plain(data, "the caller"))
    except TargetError:
        raise DataError(
            f"a dataset of type {type(data).__name__} cannot be given to another process: give a polars DataFrame, an "
            "array or a list."
        ) from None
    if len(content) > MOST_BYTES:
        raise DataError(f"the dataset takes more than {MOST_BYTES >> 20} MiB: audit a part of it.")
    return content


def _released(answer: Any) -> Any:
    if isinstance(answer, Refusal):
        raise NoReleaseError(answer.reason)
    return answer
