"""The bets: e-variables for `Pr[M(D) in E] <= x Pr[M(D') in E] + delta` in both directions at once, x = e^eps.

Outputs are seen through cells. A trial is one output X of M(D) and one output Y of M(D'), independent. It multiplies
the wealth by A(cell of X) B(cell of Y), where

    top     (likelier on the left)    A = 1 + k + s,      B = 1 + m - x s
    bottom  (likelier on the right)   A = 1 + k - x t,    B = 1 + m + t
    rest                              A = 1 + k,          B = 1 + m

with s, t >= 0, k + m = -delta (s + t) and all six numbers positive. Under the claim n trials have expectation

    E[A]^n E[B]^n <= exp(n (E[A] - 1 + E[B] - 1))
                   = exp(n (s (P(top) - x Q(top) - delta) + t (Q(bottom) - x P(bottom) - delta))) <= 1,

so the wealth is an e-variable whatever s, t and k are, as long as they are chosen before the trials. Three strategies
choose them, and the wealth is split between these at the start:

- two make the expected logarithm of the wealth largest at the frequencies seen so far, shrunk by the share of that
  growth which chance alone would explain; one of them takes little for chance and one takes much;
- one stakes what is best for the smallest excess that the budget can show at all: it need not know the excess.
"""

from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.sequential.concave import maximise, value

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

PRIOR = 1.0
"""Imagined outputs inside each event, split between the sides just as the claim allows."""
CAUTION = 1.0
"""Standard errors by which the ratio of a smaller event must stand out."""
NOISE = (2.0, 10.0)
"""Twice the log-wealth that frequencies seem to promise by chance: what the bold and the careful strategy take off."""
REFUTE = (0.35, 0.35, 0.3)
"""Shares of the wealth where a claim is to be refuted as soon as possible."""
BOUND = (0.1, 0.1, 0.8)
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


@frozen
class Horizon:
    """What the third strategy aims for: this much log-wealth after so many trials."""

    nats: float
    trials: int


@frozen(eq=False)
class Bets:
    """For each null: the top event is `bins >= top`, the bottom event is `bins < bottom`, and what each cell pays."""

    top: Ints
    bottom: Ints
    log_left: Floats
    """Log of A: by strategy, null and cell (top, bottom, rest)."""
    log_right: Floats
    growth: Floats
    """Expected log-wealth for each trial, at the frequencies that the bets were chosen for."""

    def pay(self, left: Ints, right: Ints) -> Floats:
        """Log-wealth gained on a block with these counts for each bin: by strategy and null."""
        gained = (three_cells(left, self.top, self.bottom) * self.log_left).sum(2)
        gained += (three_cells(right, self.top, self.bottom) * self.log_right).sum(2)
        largest = np.maximum(np.abs(self.log_left), np.abs(self.log_right)).max(2)
        return np.asarray(gained - 1e-14 * (left.sum() + right.sum()) * largest)  # the last: more than rounding can add


def three_cells(counts: Ints, top: Ints, bottom: Ints) -> Floats:
    """Counts in the top event, the bottom event and the rest, one row for each null."""
    below = np.concatenate([[0], np.cumsum(counts)])
    high, low = below[-1] - below[top], below[bottom]
    return np.stack([high, low, below[-1] - high - low], axis=1).astype(float)


def choose(left: Ints, right: Ints, nulls: Nulls, horizon: Horizon) -> Bets:
    """The bets that these counts suggest. `left` and `right` count past outputs of as many runs on either side."""
    trials = int(max(left.sum(), right.sum()))
    edges, size = len(left), len(nulls.x)
    if trials == 0 or edges < 2:
        nothing = np.zeros((len(REFUTE), size, 3))
        return Bets(np.full(size, edges), np.zeros(size, np.int64), nothing, nothing, np.zeros(size))
    top, up = best_threshold(left[::-1], right[::-1], nulls, trials)
    bottom, down = best_threshold(right, left, nulls, trials)
    top = edges - top
    clash = (
        bottom > top
    )  # each event is where its own direction is violated: keep the stronger if noise makes them meet
    bottom, down = np.where(clash & (up >= down), 0, bottom), np.where(clash & (up >= down), -np.inf, down)
    top, up = np.where(clash & (up < down), edges, top), np.where(clash & (up < down), -np.inf, up)
    weights = _weights(three_cells(left, top, bottom), three_cells(right, top, bottom), nulls, trials)
    coefficients = _coefficients(nulls, up > 0, down > 0)
    factors, growth = _payoffs(weights, coefficients, maximise(weights, coefficients))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shares = [np.where(growth > 0, np.clip(1 - noise / (2 * trials * growth), 0.0, 1.0), 0.0) for noise in NOISE]
    close = -1.0 / (2 * trials)  # within one standard error of a violation
    far = _far_sighted(weights, _coefficients(nulls, up > close, down > close), horizon, trials)
    logs = np.log1p(np.stack([*(share[:, None] * factors for share in shares), far]))
    return Bets(top, bottom, logs[:, :, [0, 2, 4]], logs[:, :, [1, 3, 5]], np.maximum(growth, 0.0))


def best_threshold(heavy: Ints, light: Ints, nulls: Nulls, trials: int) -> tuple[Ints, Floats]:
    """How many of the first bins make the best event 'likelier in heavy', and its growth; negative if none violates."""
    p, q = (np.cumsum(heavy)[:-1] + 0.5) / (trials + 1), (np.cumsum(light)[:-1] + 0.5) / (trials + 1)
    ratio, surest = _nested_ratios(p, q, trials)
    mass = (p + q) / (1 + ratio)
    growth = growth_rate(mass * ratio, mass, nulls.x[:, None], nulls.delta[:, None])
    best = growth.argmax(1)
    best = np.where(growth[np.arange(len(best)), best] > 0, best, surest)
    return best + 1, growth[np.arange(len(best)), best]


def _nested_ratios(p: Floats, q: Floats, trials: int) -> tuple[Floats, int]:
    """Ratios p / q of events that grow, each as sure as the surest event that holds it; and which is the surest of all.

    A smaller event of higher score has no smaller ratio. So each takes over the ratio of that larger event (or itself)
    whose ratio less one standard error is highest: a small event must earn its higher ratio before it is preferred.
    """
    logs, spread = np.log(p / q), np.sqrt((1 / p + 1 / q) / trials)
    low = logs - CAUTION * spread
    best = np.maximum.accumulate(low[::-1])[::-1]
    place = np.minimum.accumulate(np.where(low == best, np.arange(len(low)), len(low) - 1)[::-1])[::-1]
    return np.exp(logs[place]), int(place[0])


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


def _weights(left: Floats, right: Floats, nulls: Nulls, trials: int) -> Floats:
    """Smoothed frequencies of the six factors, in the order of `_coefficients`."""
    share = PRIOR * nulls.x / (1 + nulls.x)
    seen = [left[:, 0] + share, right[:, 0] + PRIOR - share, left[:, 1] + PRIOR - share, right[:, 1] + share]
    return np.stack([*seen, left[:, 2] + PRIOR, right[:, 2] + PRIOR], axis=1) / (trials + PRIOR)


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


def _far_sighted(weights: Floats, coefficients: Floats, horizon: Horizon, trials: int) -> Floats:
    """Stakes for the smallest excess that ends with the wanted log-wealth, along the excesses that look possible."""
    scaled = coefficients * np.sqrt(weights)[:, :, None]
    idle = np.abs(coefficients).max(1) == 0
    hessian = np.einsum("gij,gik->gjk", scaled, scaled) + np.eye(3)[None] * (idle[:, None, :] + 1e-12)
    margin = np.einsum("gi,gij->gj", weights, coefficients)
    margin[:, 0] = 0.0
    spread = np.sqrt(np.einsum("gii->gi", hessian) / trials)
    hoped = np.where(idle, 0.0, np.maximum(margin + spread, 0.0)) * [0.0, 1.0, 1.0]
    stake = np.linalg.solve(hessian, hoped[:, :, None])[:, :, 0]
    power = (hoped * stake).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(power > 0, np.sqrt(2 * horizon.nats / (horizon.trials * power)), 0.0)
    stake *= scale[:, None]
    lowest = np.einsum("gij,gj->gi", coefficients, stake).min(1)
    stake *= np.minimum(1.0, 0.5 / np.maximum(-lowest, 1e-12))[:, None]
    return _payoffs(weights, coefficients, stake)[0]
