"""The bets: e-variables for `Pr[M(D) in E] <= x Pr[M(D') in E] + delta` in both directions at once, x = e^eps.

Releases are seen through cells. A run on D multiplies the wealth by A(cell of the release), a run on D' by B(its cell),
where

    top     (likelier on the left)    A = 1 + k + s,      B = 1 + m - x s
    bottom  (likelier on the right)   A = 1 + k - x t,    B = 1 + m + t
    rest                              A = 1 + k,          B = 1 + m

with s, t >= 0, k + m = -delta (s + t) and all six numbers positive. Under the claim

    (E[A] - 1) + (E[B] - 1) = s (P(top) - x Q(top) - delta) + t (Q(bottom) - x P(bottom) - delta) <= 0.

If a fair coin that the target cannot see decides on which of the two datasets each run is, the mean of one run is half
of E[A] plus half of E[B], so at most 1 given all that went before: whatever state, clock or load the target has, as
long as the claim holds for each call given that state. If the runs are independent of each other, no coin is needed: n
of them on either dataset have expectation E[A]^n E[B]^n <= exp(n (E[A] - 1 + E[B] - 1)) <= 1.

So the wealth is an e-variable whatever s, t and k are, as long as they are chosen before the runs. Several strategies
choose them, and the wealth is split between these at the start:

- one makes the expected logarithm of the wealth largest at the frequencies seen so far, shrunk by the share of that
  growth which chance alone would explain;
- some stake a fixed share of what may be lost, each half of the one before: one of them suits the excess, whatever
  it is, and need not wait until it is known;
- one stakes what makes it likeliest to reach the goal when the budget is spent: a test of fixed size, played as a bet.

All of them bet only on events that past trials show to violate the claim.
"""

from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from crowdproof.audit.compare.betting.concave import maximise, value

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

PRIOR = 1.0
"""Imagined outputs inside each event, split between the sides just as the claim allows."""
SLACK = 0.25
"""Standard errors by which a smaller event must be clearer than a larger one to be preferred."""
NOISE = 2.0
"""Twice the log-wealth that frequencies seem to promise by chance."""
SCALES = 0.95 * 0.5 ** np.arange(12)
"""Shares of what may be lost that are staked by the fixed strategies."""
CAP = 0.5
"""The largest share of what may be lost that is staked to reach the goal."""
HOPELESS = 500.0
"""Nats from the goal beyond which it makes no difference how many there are."""
REFUTE = np.array([0.3, *[0.6 / len(SCALES)] * len(SCALES), 0.1])
"""Shares of the wealth where a claim is to be refuted as soon as possible."""
BOUND = np.array([0.03, *[0.07 / len(SCALES)] * len(SCALES), 0.9])
"""Shares of the wealth where a bound is to be tight when the budget is spent."""


@frozen(eq=False)
class Nulls:
    """Claims (x, delta) that are tested side by side on the same trials; rounded up, which only favours the claim."""

    x: Floats
    delta: Floats

    @classmethod
    def of(cls, x: Any, delta: Any) -> "Nulls":
        """One claim or many; x and delta are broadcast against each other."""
        pair = np.broadcast_arrays(np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(delta, float)))
        exact_zero = pair[1] == 0
        return cls(np.nextafter(pair[0], np.inf), np.where(exact_zero, 0.0, np.nextafter(pair[1], np.inf)))

    def __getitem__(self, chosen: Any) -> "Nulls":
        return Nulls(self.x[chosen], self.delta[chosen])

    def easier(self, share: float) -> "Nulls":
        """Claims of this share of epsilon and delta, which are easier to refute."""
        return Nulls(self.x**share, self.delta * share)


@frozen(eq=False)
class Goal:
    """What the last strategy aims for: in so many trials to multiply its wealth by e to this many nats."""

    nats: Floats
    """One for each null; 0 and below where the goal is reached."""
    trials: int

    @property
    def deviation(self) -> Floats:
        """The standard deviation of log-wealth in each trial that makes reaching the goal likeliest.

        A wealth of w times the goal buys a chance w of reaching it. In the limit of small bets that chance moves with
        the trials as the normal distribution function does at its own quantile of w.
        """
        u = ndtri(np.exp(-np.clip(self.nats, 1e-9, HOPELESS)))
        hazard = np.exp(-u * u / 2 - np.log(2 * np.pi) / 2 - log_ndtr(u))
        return np.asarray(hazard / np.sqrt(max(self.trials, 1)) * (self.nats > 0))


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


@frozen(eq=False)
class Bets:
    """What each cell pays."""

    events: Events
    log_left: Floats
    """Log of A: by strategy, null and cell (top, bottom, rest)."""
    log_right: Floats
    growth: Floats
    """Expected log-wealth for each trial, at the frequencies that the bets were chosen for."""

    def pay(self, left: Ints, right: Ints) -> Floats:
        """Log-wealth gained on a block with these counts for each bin: by strategy and null."""
        gained = (three_cells(left, self.events) * self.log_left).sum(2)
        gained += (three_cells(right, self.events) * self.log_right).sum(2)
        largest = np.maximum(np.abs(self.log_left), np.abs(self.log_right)).max(2)
        return np.asarray(gained - 1e-14 * (left.sum() + right.sum()) * largest)  # the last: more than rounding can add


def three_cells(counts: Ints, events: Events) -> Floats:
    """Counts in the top event, the bottom event and the rest, one row for each null."""
    below = np.concatenate([[0], np.cumsum(counts)])
    high, low = below[-1] - below[events.top], below[events.bottom]
    return np.stack([high, low, below[-1] - high - low], axis=1).astype(float)


def strongest(left: Ints, right: Ints, nulls: Nulls) -> Events:
    """The events that promise the fastest growth, for each null."""
    bins = len(left)
    if trials_of(left, right) == 0 or bins < 2:
        return Events(np.full(len(nulls.x), bins), np.zeros(len(nulls.x), np.int64))
    top, up = best_threshold(left[::-1], right[::-1], nulls)
    bottom, down = best_threshold(right, left, nulls)
    return Events.apart(bins - top, bottom, up, down, bins)


def choose(left: Ints, right: Ints, nulls: Nulls, events: Events, goal: Goal) -> Bets:
    """The bets that these counts suggest. `left` and `right` count past releases of about as many runs each."""
    trials = trials_of(left, right)
    if trials == 0 or len(left) < 2:
        nothing = np.zeros((len(REFUTE), len(nulls.x), 3))
        return Bets(events, nothing, nothing, np.zeros(len(nulls.x)))
    seen = three_cells(left, events), three_cells(right, events)
    weights = _weights(*seen, nulls)
    edge = _on_the_edge(weights, nulls)
    coefficients, stake = _direction(weights, edge, _coefficients(nulls, *violated(*seen, nulls)))
    factors, growth = _payoffs(weights, coefficients, maximise(weights, coefficients))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = np.where(growth > 0, np.clip(1 - NOISE / (2 * trials * growth), 0.0, 1.0), 0.0)
    fixed = _fixed(edge, np.einsum("gij,gj->gi", coefficients, stake), goal)
    logs = np.log1p(np.concatenate([(share[:, None] * factors)[None], fixed]))
    return Bets(events, logs[:, :, [0, 2, 4]], logs[:, :, [1, 3, 5]], np.maximum(growth, 0.0))


def trials_of(left: Ints, right: Ints) -> float:
    """Runs on either dataset, on average; 0 where there are none on one of them."""
    sizes = float(left.sum()), float(right.sum())
    return sum(sizes) / 2 if min(sizes) > 0 else 0.0


def violated(left: Floats, right: Floats, nulls: Nulls) -> tuple[Bools, Bools]:
    """Whether counts of the three cells violate each null: by the top event, by the bottom event."""
    runs = left.sum(1), right.sum(1)
    ratio = runs[0] / runs[1]
    up = left[:, 0] > nulls.x * right[:, 0] * ratio + nulls.delta * runs[0]
    return up, right[:, 1] > nulls.x * left[:, 1] / ratio + nulls.delta * runs[1]


def best_threshold(heavy: Ints, light: Ints, nulls: Nulls) -> tuple[Ints, Floats]:
    """How many of the first bins make the best event 'likelier in heavy', and its growth; negative if none violates.

    Growth that was seen is partly chance, and small events have more of it: the largest of those that are nearly the
    best is taken.
    """
    trials = trials_of(heavy, light)
    p, q = ((np.cumsum(each)[:-1] + 0.5) / (each.sum() + 1) for each in (heavy, light))
    growth = growth_rate(p, q, nulls.x[:, None], nulls.delta[:, None])
    z = np.sign(growth) * np.sqrt(2 * trials * np.abs(growth))
    nearly = z >= z.max(1, keepdims=True) - SLACK
    best = nearly.shape[1] - 1 - nearly[:, ::-1].argmax(1)
    return best + 1, growth[np.arange(len(best)), best]


def growth_rate(p: Floats, q: Floats, x: Floats, delta: Floats) -> Floats:
    """KL distance of (p, q) from the claim p <= x q + delta: what the best bet on one event earns in each trial.

    Where the claim holds, minus the distance from its edge. The nearest (p0, q0) on the edge solves
    p - p0 = u p0 (1 - p0), q0 - q = u x q0 (1 - q0); two steps of that fixed point start from its solution for rare
    events.
    """
    with np.errstate(all="ignore"):
        margin = p - x * q - delta
        q0 = np.clip((p + q - delta) / (1 + x), 1e-300, None)
        p0 = np.minimum(x * q0 + delta, (1 + p) / 2)
        for _ in range(2):
            v, w = p0 * (1 - p0), x * q0 * (1 - q0)
            step = margin / (v + x * w)
            p0, q0 = p - step * v, q + step * w
        growth = _kl(p, p0) + _kl(q, q0)
    growth = np.where(np.isfinite(growth), growth, np.where(margin > 0, 0.0, np.inf))
    return np.asarray(np.where(margin > 0, growth, -growth))


def _kl(p: Floats, q: Floats) -> Floats:
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))


def _weights(left: Floats, right: Floats, nulls: Nulls) -> Floats:
    """Smoothed frequencies of the six factors, in the order of `_coefficients`."""
    share = PRIOR * nulls.x / (1 + nulls.x)
    seen = [left[:, 0] + share, right[:, 0] + PRIOR - share, left[:, 1] + PRIOR - share, right[:, 1] + share]
    runs = np.stack([left.sum(1), right.sum(1)] * 3, axis=1)
    return np.asarray(np.stack([*seen, left[:, 2] + PRIOR, right[:, 2] + PRIOR], axis=1) / (runs + PRIOR))


def _coefficients(nulls: Nulls, up: Bools, down: Bools) -> Floats:
    """Each factor is 1 + c . (k, x s, x t): one 6 x 3 matrix for each null, with unused directions struck out."""
    x, d = nulls.x, nulls.delta / nulls.x
    one, zero = np.ones_like(x), np.zeros_like(x)
    rows = [
        [one, 1 / x, zero],
        [-one, -one - d, -d],
        [one, zero, -one],
        [-one, -d, 1 / x - d],
        [one, zero, zero],
        [-one, -d, -d],
    ]
    matrix = np.array(rows).transpose(2, 0, 1)
    return np.asarray(matrix * np.stack([up | down, up, down], axis=1)[:, None, :])


def _payoffs(weights: Floats, coefficients: Floats, stake: Floats) -> tuple[Floats, Floats]:
    """What each factor adds to 1, and its growth: no stake below zero, and none at all where a factor would be."""
    stake = stake * [1.0, 0.0, 0.0] + np.maximum(stake, 0.0) * [0.0, 1.0, 1.0]
    added = np.einsum("gij,gj->gi", coefficients, stake)
    added = np.where((added > -1 + 1e-12).all(1)[:, None], added, 0.0)
    return added, value(weights, added)


def _direction(weights: Floats, edge: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
    """The coefficients of the directions to bet on, and the proportions of their stakes.

    Small stakes earn their excess less half their variance. That is largest with both directions or, where one of them
    would then be bet against, with one.
    """
    tried = coefficients * np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])[:, None, None, :]
    stakes, earned = _proportions(weights, edge, tried)
    best, rows = np.argmax(earned, axis=0), np.arange(len(weights))
    return tried[best, rows], stakes[best, rows]


def _proportions(weights: Floats, edge: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
    """Stakes that earn most, and how much; minus infinity if one of them is below zero. Any axes may come first."""
    scaled = coefficients * np.sqrt(edge)[:, :, None]
    idle = np.abs(coefficients).max(-2) == 0
    hessian = scaled.swapaxes(-1, -2) @ scaled + np.eye(3) * (idle[..., None, :] + 1e-12)
    excess = np.maximum((weights[:, None, :] @ coefficients)[..., 0, :], 0.0) * [0.0, 1.0, 1.0]
    stake = np.linalg.solve(hessian, excess[..., None])[..., 0]
    return stake, np.where((stake[..., 1:] >= 0).all(-1), (excess * stake).sum(-1), -np.inf)


def _fixed(edge: Floats, added: Floats, goal: Goal) -> Floats:
    """What stakes of given sizes add to each factor, by strategy and null, where `added` is what one of size 1 adds."""
    most, spread = -added.min(1), np.sqrt((edge * added**2).sum(1))
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.stack([*(scale / most for scale in SCALES), np.minimum(goal.deviation / spread, CAP / most)])
    return np.asarray(np.where((most > 0) & np.isfinite(sizes), sizes, 0.0)[:, :, None] * added)


def _on_the_edge(weights: Floats, nulls: Nulls) -> Floats:
    """The frequencies if the claim held just so: what is rare on the lighter side may not have shown yet."""
    edge = weights.copy()
    edge[:, 1] = np.maximum(weights[:, 1], (weights[:, 0] - nulls.delta) / nulls.x)
    edge[:, 2] = np.maximum(weights[:, 2], (weights[:, 3] - nulls.delta) / nulls.x)
    return edge
