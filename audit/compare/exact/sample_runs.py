"""The runs on one sample of a dataset, as they are sent to a runner, and what a target tells of its law."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import field, frozen

from crowdproof.audit.compare.exact.law import checked
from crowdproof.audit.compare.exact.samples import Sample
from crowdproof.audit.data.copies import own_copy
from crowdproof.audit.data.rows import GroupedPair
from crowdproof.audit.targets.generators import Sent
from crowdproof.audit.targets.run import Outcome, attempt, key_of
from crowdproof.errors import TargetError
from crowdproof.mechanism import Mechanism

NOT_DETERMINISTIC = (
    "the target is said to be deterministic, but two runs on the same data differ: "
    "audit it as a randomized one, or run it isolated if it keeps state from one call to the next."
)


class NotDeterministicError(TargetError):
    """The target answered the same data in two ways."""

    def __init__(self, message: str = NOT_DETERMINISTIC) -> None:  # the message comes along from another process
        super().__init__(message)


@frozen(eq=False)
class RunSample:
    """The runs on one sample: what may come out, and with which probability. Picklable, for any runner."""

    sent: Sent = field(converter=Sent)
    pair: GroupedPair
    stream: np.random.SeedSequence
    law: bool = False
    """Whether the mechanism declares its law."""

    def __call__(self, task: tuple[Sample, bool]) -> list[tuple[str, Outcome, int | Fraction]]:
        """`(sample, again)`: with `again` the target is run once more, and must give the same."""
        sample, again = task
        data = self.pair.dataset(sample.counts)
        if self.law:
            law = self.sent.mechanism.law(own_copy(data))  # type: ignore[attr-defined]
            return [(key_of(Outcome(output)), Outcome(output), p) for output, p in checked(law)]
        own = np.random.SeedSequence(self.stream.entropy, spawn_key=(*self.stream.spawn_key, *sample.counts))
        seeds = own.generate_state(1 + again).tolist()
        with self.sent.ready(own) as mechanism:
            outcome = only_outcome(mechanism, data, seeds)
        return [(key_of(outcome), outcome, 1)]


def only_outcome(mechanism: Mechanism, data: Any, seeds: Sequence[int]) -> Outcome:
    """What a deterministic target does: it is run with each of the seeds, and must do the same."""

    def run(seed: int) -> Outcome:
        return attempt(mechanism, data, np.random.default_rng(seed))

    first = run(seeds[0])
    if any(key_of(run(each)) != key_of(first) for each in seeds[1:]):
        raise NotDeterministicError
    return first


@frozen(eq=False)
class RunSampleOnce:
    """One run with its own seed: the key of what came out. Picklable, for any runner."""

    sent: Sent = field(converter=Sent)
    pair: GroupedPair

    def __call__(self, task: tuple[Sample, int]) -> str:
        """`(sample, seed)`: the key of what came of that run."""
        sample, seed = task
        with self.sent.ready(np.random.SeedSequence(seed)) as mechanism:
            return key_of(only_outcome(mechanism, self.pair.dataset(sample.counts), [seed]))
