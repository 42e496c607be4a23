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

import numpy as np
from attrs import frozen
from scipy.special import log_ndtr, ndtri

from crowdproof.audit.compare.betting.concave import maximise, value
from crowdproof.audit.compare.betting.hypotheses import Bools, Floats, Ints, Nulls
from crowdproof.audit.compare.betting.thresholds import Events, three_cells, trials_of, violated

PRIOR = 1.0
"""Imagined outputs inside each event, split between the sides just as the claim allows: the least that keeps every
frequency above 0. That it is 1 and not another small number is a guess."""
NOISE = 2.0
"""Twice the log-wealth that frequencies seem to promise by chance alone. Derived: by Wilks' theorem it is about the
number of stakes that are fitted, and a bet in one direction has two, k and s."""
SCALES = 0.95 * 0.5 ** np.arange(12)
"""Shares of what may be lost that the fixed strategies stake. Each is half of the one before, so that one of them is
within a factor of two of the best; the smallest, 1/2000, suits what takes millions of runs to see. 0.95 leaves a rest
of the wealth whatever happens. How many there are is a guess."""
CAP = 0.5
"""The largest share of what may be lost that is staked to reach the goal. A guess, for a goal that is out of reach: a
larger share loses nearly all in a few trials, a smaller one cannot hurry where few trials are left."""
HOPELESS = 500.0
"""Nats from the goal beyond which it makes no difference how many there are: e^-500 is still a float above 0."""
REFUTE = np.array([0.3, *[0.6 / len(SCALES)] * len(SCALES), 0.1])
"""Shares of the wealth, by strategy, where a claim is to be refuted as soon as possible: a guess that costs a strategy
at most -ln 0.05 = 3 nats. Stakes of all sizes halved the calls that an audit takes, measured by `benchmarks power`."""
BOUND = np.array([0.03, *[0.07 / len(SCALES)] * len(SCALES), 0.9])
"""Shares of the wealth where a bound is to be tight when the budget is spent: nearly all aims at the end. Chosen by
`benchmarks peers`, which measures the bounds on standard mechanisms."""
ROUNDING = 1e-14
"""What is taken off log-wealth for each run and unit of its logarithm: derived, some fifty times what the rounding of a
sum of floats can add."""
INSIDE = 1e-12
"""How far above 0 each factor of a bet must stay: derived from the precision of floats, some thousand units of it."""


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
class Bets:
    """By what a run multiplies the wealth, for each cell of the three that its release may fall into."""

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
        more_than_rounding_adds = ROUNDING * (left.sum() + right.sum()) * largest
        return np.asarray(gained - more_than_rounding_adds)


def choose(left: Ints, right: Ints, nulls: Nulls, events: Events, goal: Goal) -> Bets:
    """The bets on these events that past counts suggest, for each null and strategy.

    `left` and `right` count the releases, by bins, of about as many runs on either dataset.
    """
    trials = trials_of(left, right)
    if trials == 0 or len(left) < 2:
        nothing = np.zeros((len(REFUTE), len(nulls.x), 3))
        return Bets(events, nothing, nothing, np.zeros(len(nulls.x)))
    seen = three_cells(left, events), three_cells(right, events)
    weights = _weights(*seen, nulls)
    edge = _on_the_edge(weights, nulls)
    up, down = violated(*seen, nulls)
    coefficients, stake = _direction(weights, edge, coefficients=_coefficients(nulls, up, down=down))
    factors, growth = _payoffs(weights, coefficients, stake=maximise(weights, coefficients))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        no_chance = np.clip(1 - NOISE / (2 * trials * growth), 0.0, 1.0)
        share = np.where(growth > 0, no_chance, 0.0)
    fixed = _fixed(edge, np.einsum("gij,gj->gi", coefficients, stake), goal=goal)
    logs = np.log1p(np.concatenate([(share[:, None] * factors)[None], fixed]))
    return Bets(events, logs[:, :, [0, 2, 4]], logs[:, :, [1, 3, 5]], np.maximum(growth, 0.0))


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
    """What each factor adds to 1, and the expected growth.

    Stakes s and t below 0 are set to 0, and all stakes are where a factor would not stay positive.
    """
    stake = stake * [1.0, 0.0, 0.0] + np.maximum(stake, 0.0) * [0.0, 1.0, 1.0]
    added = np.einsum("gij,gj->gi", coefficients, stake)
    added = np.where((added > -1 + INSIDE).all(1)[:, None], added, 0.0)
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
    """The stakes that earn most, and how much they earn: minus infinity if s or t would be below 0.

    The coefficients may have further axes in front, for several choices that are tried at once.
    """
    scaled = coefficients * np.sqrt(edge)[:, :, None]
    idle = np.abs(coefficients).max(-2) == 0
    hessian = scaled.swapaxes(-1, -2) @ scaled + np.eye(3) * (idle[..., None, :] + 1e-12)
    excess = np.maximum((weights[:, None, :] @ coefficients)[..., 0, :], 0.0) * [0.0, 1.0, 1.0]
    stake = np.linalg.solve(hessian, excess[..., None])[..., 0]
    return stake, np.where((stake[..., 1:] >= 0).all(-1), (excess * stake).sum(-1), -np.inf)


def _fixed(edge: Floats, added: Floats, goal: Goal) -> Floats:
    """What the fixed strategies, and the one that aims for the goal, add to each factor: by strategy and null.

    `added` is what a stake of size 1 adds.
    """
    most, spread = -added.min(1), np.sqrt((edge * added**2).sum(1))
    with np.errstate(divide="ignore", invalid="ignore"):
        fixed_sizes = [scale / most for scale in SCALES]
        size_for_goal = np.minimum(goal.deviation / spread, CAP / most)
        sizes = np.stack([*fixed_sizes, size_for_goal])
    return np.asarray(np.where((most > 0) & np.isfinite(sizes), sizes, 0.0)[:, :, None] * added)


def _on_the_edge(weights: Floats, nulls: Nulls) -> Floats:
    """The frequencies, raised on the lighter side to what the claim asks for: what is rare may not have shown yet."""
    edge = weights.copy()
    edge[:, 1] = np.maximum(weights[:, 1], (weights[:, 0] - nulls.delta) / nulls.x)
    edge[:, 2] = np.maximum(weights[:, 2], (weights[:, 3] - nulls.delta) / nulls.x)
    return edge
