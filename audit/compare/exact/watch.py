"""Watching that a target stays as it was enumerated, where that it is deterministic was only measured."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen

from crowdproof.audit.compare.exact.enumerate import ExactResult
from crowdproof.audit.compare.exact.sample_runs import NotDeterministicError
from crowdproof.audit.targets.run import Outcome, attempt, key_of
from crowdproof.errors import NoReleaseError
from crowdproof.mechanism import Capabilities, Mechanism


@frozen(eq=False)
class Watched:
    """The mechanism itself, but that `NotDeterministicError` is raised where a run differs from what was enumerated.

    Runs on datasets that were not enumerated are not judged.
    """

    mechanism: Mechanism
    expected: Mapping[str, str]
    """Key of a dataset -> key of what came of it."""

    @classmethod
    def of(cls, mechanism: Mechanism, results: Iterable[ExactResult]) -> "Watched":
        """Expect what was enumerated; two results that contradict each other raise at once."""
        expected: dict[str, str] = {}
        for result in results:
            for sample, seen in result.ran:
                dataset = _key(result.grouped.dataset(sample.counts))
                if expected.setdefault(dataset, seen) != seen:
                    raise NotDeterministicError
        return cls(mechanism, expected)

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""
        dataset = _key(data)
        outcome = attempt(self.mechanism, data, rng)
        self._check(dataset, outcome)
        if outcome.failure is not None:
            raise NoReleaseError(outcome.failure)
        return outcome.output

    @property
    def answers(self) -> Callable[[Sequence[Any], Sequence[tuple[int, int]]], list[Any]] | None:
        """How a target answers many runs, each of them watched; None where the mechanism is no target."""
        answers = Capabilities.of(self.mechanism).answers
        return None if answers is None else partial(self._answers, answers)

    def _answers(
        self, answers: Callable[..., list[Any]], datasets: Sequence[Any], plan: Sequence[tuple[int, int]]
    ) -> list[Any]:
        keys = [_key(data) for data in datasets]
        outputs = answers(datasets, plan)
        for (place, _), output in zip(plan, outputs, strict=True):
            self._check(keys[place], Outcome(output))
        return outputs

    def _check(self, dataset: str, outcome: Outcome) -> None:
        expected = self.expected.get(dataset)
        if expected is not None and key_of(outcome) != expected:
            raise NotDeterministicError


def _key(data: Any) -> str:
    """Equal for equal datasets."""
    return key_of(Outcome(data))
