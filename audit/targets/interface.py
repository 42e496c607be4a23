"""What every target is, whether it is a function, a program, a service or somebody else's files."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import numpy as np
from attrs import field, frozen

from crowdproof.audit.releases import Refusal, snapshot
from crowdproof.audit.targets.behaviour import Behaviour
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json
from crowdproof.mechanism import Mechanism

ISOLATION = ("auto", "none", "worker", "fresh", "spawn")
"""Where a Python function runs: here, in one process kept up, in a process for each run, in a new interpreter each."""


def _positive(limit: float | None) -> float | None:
    if limit is not None and not limit > 0:
        raise ParameterError(f"a limit of {limit} leaves nothing to run in: give a positive number, or none at all.")
    return limit


@frozen
class Limits:
    """What one run may use; None is no limit."""

    seconds: float | None = field(default=60.0, converter=_positive)
    memory: float | None = field(default=None, converter=_positive)
    """Bytes beyond what the idle process holds."""

    def judged(self, refusal: NoReleaseError) -> TargetError:
        """A refusal of a program, or the limit of memory where there is one: that may be why it gave up.

        To count this as an answer would refute a claim by a limit that is ours: the larger of two tables takes more.
        """
        if self.memory is None:
            return refusal
        return TargetError(
            f"under a memory limit of {self.memory / 2**20:,.0f} MiB nobody can tell a refusal from too little memory: "
            f"raise the limit, or leave it out where the program refuses such data anyway. {refusal}"
        )


class Target(ABC):
    """Something to audit: a mechanism `(data, rng) -> output` that knows its name and how to be loaded again.

    All randomness that we control enters as one integer for each run, drawn from `rng`: the same rng gives the same
    runs, one by one or in a batch. `spec` is JSON from which `load_target(**spec)` makes the target again, in another
    process, on another machine, or when a witness is replayed; pickling sends just that.
    """

    name: str
    spec: Mapping[str, Json]
    params: Mapping[str, Json]
    independent = False
    """Nobody stands for it that its runs do not depend on one another."""
    available: int | None = None
    """How many runs there can be at all, over both datasets of a pair; None is no bound."""
    behaviour: Behaviour | None = None
    """What `examine` measured, once it has."""

    @abstractmethod
    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One output for each seed.

        A run that refuses its input (an exception, an exit status, nothing returned) is a `NoReleaseError`; one that
        hangs, crashes or returns what is no release is a `TargetError`. Either shows what happened.
        """

    def answers(self, datasets: Sequence[Any], plan: Sequence[tuple[int, int]]) -> list[Any]:
        """One item for each (which dataset, seed) of the plan, in its order: the output, or a `Refusal`.

        A run that is broken is a `TargetError`. No run can see which runs are to come.
        """
        return [self._answer(datasets[which], seed) for which, seed in plan]

    def _answer(self, data: Any, seed: int) -> Any:
        try:
            return snapshot(self.runs(data, [seed])[0])
        except NoReleaseError as error:
            return Refusal(str(error))

    def get_ready(self, datasets: Sequence[Any]) -> None:  # noqa: B027  (most kinds are ready once they are loaded)
        """Settle on data like those of the audit what holds for all of its runs: the form in which it takes a table."""

    @abstractmethod
    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """Measure, on this data, whether the target is deterministic, keeps state, or depends on the hash seed.

        After `seconds`, and the run that is under way then, it is given up: the least is assumed of such a target.
        """

    def afresh(self) -> "Target":
        """The target whose runs each start from nothing, so that none repeats what another drew when it started.

        It is the target itself where its runs do so anyway, or where that cannot be had.
        """
        if self.spec.get("isolate") != "worker":
            return self
        load, arguments = reload_call({**self.spec, "isolate": "fresh"})
        anew: Target = load(*arguments)
        return anew

    def close(self) -> None:  # noqa: B027  (most kinds hold nothing)
        """Let go of processes and connections; the target opens them again when it is used again."""

    @property
    def loaded(self) -> Loaded:
        """Which modules were loaded to run it, as far as that can be seen."""
        return Loaded()

    @property
    def deterministic(self) -> bool | None:
        """Whether the output depended on the data alone, as measured; None before `examine`."""
        return None if self.behaviour is None else self.behaviour.deterministic

    @property
    def k(self) -> int | None:
        """The group size among the parameters, where there is one: worst cases are built around it."""
        k = self.params.get("k")
        return k if isinstance(k, int) else None

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""
        return self.runs(data, draw_seeds(rng, 1))[0]

    def batch(self, data: Any, rng: np.random.Generator, size: int, /) -> list[Any]:
        """`size` independent runs on the same data."""
        return self.runs(data, draw_seeds(rng, size))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return reload_call(self.spec)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def afresh(mechanism: Mechanism) -> Mechanism:
    """The mechanism with runs that start from nothing, where such can be had."""
    return mechanism.afresh() if isinstance(mechanism, Target) else mechanism


@contextmanager
def started_afresh(mechanism: Mechanism) -> Iterator[Mechanism]:
    """The same for as long as the block lasts: then its processes end."""
    anew = afresh(mechanism)
    try:
        yield anew
    finally:
        if isinstance(anew, Target) and anew is not mechanism:
            anew.close()


def reload_call(spec: Mapping[str, Json]) -> Any:
    """What pickle should do to get the target of that spec."""
    from crowdproof.audit.targets.load import reload  # noqa: PLC0415  (load imports every kind of target)

    return reload, (json.dumps(spec, sort_keys=True),)


def draw_seeds(rng: np.random.Generator, size: int) -> list[int]:
    """The integers that `size` runs get their randomness from."""
    seeds: list[int] = rng.integers(0, 2**63, size=size).tolist()
    return seeds
