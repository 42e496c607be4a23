"""Which events to bet on: the bins of a score from some threshold on, and those below another."""

import numpy as np
from attrs import frozen

from crowdproof.audit.compare.betting.hypotheses import Bools, Floats, Ints, Nulls, growth_rate

SLACK = 0.25
"""Standard errors by which a smaller event must be clearer than a larger one to be preferred: a guess, small against
the one standard error that chance moves either of them by."""


@frozen(eq=False)
class Events:
    """For each null: the top event is `bins >= top`, the bottom event is `bins < bottom`."""

    top: Ints
    bottom: Ints

    @classmethod
    def apart(cls, top: Ints, bottom: Ints, up: Floats, down: Floats, bins: int) -> "Events":
        """Both events, or that of the stronger direction where noise makes them meet."""
        clash = bottom > top
        return cls(np.where(clash & (up < down), bins, top), np.where(clash & (up >= down), 0, bottom))

    def repeated(self, times: int) -> "Events":
        """The same events for so many nulls."""
        return Events(np.repeat(self.top, times), np.repeat(self.bottom, times))


def three_cells(counts: Ints, events: Events) -> Floats:
    """Counts in the top event, the bottom event and the rest, one row for each null."""
    below = np.concatenate([[0], np.cumsum(counts)])
    high, low = below[-1] - below[events.top], below[events.bottom]
    return np.stack([high, low, below[-1] - high - low], axis=1).astype(float)


def trials_of(left: Ints, right: Ints) -> float:
    """Runs on either dataset, on average; 0 where there are none on one of them."""
    sizes = float(left.sum()), float(right.sum())
    return sum(sizes) / 2 if min(sizes) > 0 else 0.0


def strongest(left: Ints, right: Ints, nulls: Nulls) -> Events:
    """The events that promise the fastest growth, for each null."""
    bins = len(left)
    if trials_of(left, right) == 0 or bins < 2:
        return Events(np.full(len(nulls.x), bins), np.zeros(len(nulls.x), np.int64))
    top, up = best_threshold(left[::-1], right[::-1], nulls)
    bottom, down = best_threshold(right, left, nulls)
    return Events.apart(bins - top, bottom, up, down, bins)


def violated(left: Floats, right: Floats, nulls: Nulls) -> tuple[Bools, Bools]:
    """Whether these counts of the three cells contradict each null: by the top event, and by the bottom event."""
    runs = left.sum(1), right.sum(1)
    ratio = runs[0] / runs[1]
    up = left[:, 0] > nulls.x * right[:, 0] * ratio + nulls.delta * runs[0]
    return up, right[:, 1] > nulls.x * left[:, 1] / ratio + nulls.delta * runs[1]


def best_threshold(heavy: Ints, light: Ints, nulls: Nulls) -> tuple[Ints, Floats]:
    """For each null: how many of the first bins make the best event, and how fast bets on that event would grow.

    The event is to be likelier on the `heavy` side. A growth below 0 says that no event contradicts the null. Growth
    that was seen is partly chance, and small events have more of it, so the largest of the nearly best is taken.
    """
    trials = trials_of(heavy, light)
    p, q = ((np.cumsum(each)[:-1] + 0.5) / (each.sum() + 1) for each in (heavy, light))
    growth = growth_rate(p, q, nulls.x[:, None], nulls.delta[:, None])
    z = np.sign(growth) * np.sqrt(2 * trials * np.abs(growth))
    nearly = z >= z.max(1, keepdims=True) - SLACK
    best = nearly.shape[1] - 1 - nearly[:, ::-1].argmax(1)
    return best + 1, growth[np.arange(len(best)), best]
