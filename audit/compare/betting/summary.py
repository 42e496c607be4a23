"""What an audit has found, from its record of blocks."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from crowdproof.audit.compare.betting.bets import BOUND, REFUTE
from crowdproof.audit.compare.betting.blocks import Block
from crowdproof.audit.compare.betting.bounds import ProfilePoint, delta_low, epsilon_low, profile
from crowdproof.audit.compare.betting.drift import drifts, shared_noise
from crowdproof.audit.compare.betting.hypotheses import growth_rate
from crowdproof.audit.compare.betting.tested import Detectable, Direction, Ended, Refutation, SequentialResult
from crowdproof.audit.compare.betting.thresholds import three_cells
from crowdproof.audit.proportion import clopper_pearson
from crowdproof.audit.releases import event
from crowdproof.findings import Estimate

if TYPE_CHECKING:
    from crowdproof.audit.compare.betting.betting_audit import Audit

POWER = 1.2816
"""Derived: the standard normal quantile of 0.9, the probability with which a detectable leak would have been found."""
REACH = 3.0
"""Times the evidence that an audit needs which knows the event beforehand: this one learns it from its runs.

Measured by `python -m benchmarks detectable` on planted leaks that one part of the release shows, 30 audits of each
kind. With twice that evidence seven to ten leaks of ten were found, by kind; with three times, in audits of 5,000 runs,
more than nine of each.
"""
PROFILE = (0.0, 0.5, 1.0, 2.0)
"""Epsilons at which the profile is bounded, besides the claimed one: usual values, a guess at what readers look for."""


def summarise(audit: "Audit", *, bounds: bool) -> SequentialResult:
    """The result; `bounds` replays the audit for the lower bounds."""
    place = int(np.argmax(audit.held))
    x, delta, point = float(audit.claim.x[place]), float(audit.claim.delta[place]), audit.points[place]
    leading = _leading(audit, place)
    audit.ended = _doubted(audit, leading) or audit.ended
    drifted = audit.ended in {Ended.DRIFT, Ended.SHARED_NOISE}
    blocks = [block for block in audit.blocks if block.leads] if bounds and not drifted else []
    shares = REFUTE if audit.ladder is None else BOUND
    # which point leads is known only in the end, so each of them has its part of the error
    level = math.log(audit.error) - math.log(len(audit.points))
    bounded: tuple[ProfilePoint, ...] = ()
    if blocks:
        bounded = profile(blocks, sorted({*PROFILE, float(point.epsilon)}), log_error=level, shares=shares)
    return SequentialResult(
        refuted=leading if audit.refuted and not drifted else None,
        log_e=min(audit.log_e, 0.0) if drifted else audit.log_e,
        epsilon_low=_epsilon_low(audit, blocks, delta, level=level) if not drifted else 0.0,
        delta_low=delta_low(blocks, x, log_error=level, shares=shares),
        profile=bounded,
        trials=audit.runs,
        refused=audit.block_runs.refused,
        keys=frozenset(audit.block_runs.course.keys),
        stopped=audit.block_runs.course.stopped,
        bet=bool(audit.blocks) or any(arm.blocks > 1 for arm in audit.arms),
        pair_trials=tuple(arm.trials for arm in audit.arms),
        detectable=detectable(audit),
        trace=tuple(audit.trace),
        ended=audit.ended,
        failure=audit.failure,
        coins=audit.coins,
        leading=leading,
        point=point,
        state=audit.state,
    )


def _doubted(audit: "Audit", leading: Refutation | None) -> Ended | None:
    """Why the evidence does not count: the runs are not what the test takes them for; None where they seem to be."""
    if not audit.coins:
        return Ended.DRIFT if drifts([pool.joined() for arm in audit.arms for pool in arm.pools]) else None
    if leading is None or audit.log_e <= 0:
        return None
    arm = audit.arms[leading.pair]
    if arm.score is None:
        return None
    return Ended.SHARED_NOISE if shared_noise([arm.score.bins(each.joined()) for each in arm.pools]) else None


def _epsilon_low(audit: "Audit", blocks: Sequence[Block], delta: float, level: float) -> float:
    """The bound that the audit has raised on its way, if it measures; else what bets on its blocks would reach."""
    if audit.ladder is not None:
        return audit.ladder.low
    return epsilon_low(blocks, delta, log_error=level, shares=REFUTE)


def _leading(audit: "Audit", point: int) -> Refutation | None:
    """The event of the block that won most against that point, told with the counts of that block."""
    if not audit.blocks:
        return None
    gains = [float(block.gained[:, point].max()) for block in audit.blocks]
    place = int(np.argmax(gains))
    return _witness(audit, audit.blocks[place], place, point=point) if gains[place] > 0 or audit.refuted else None


def _witness(audit: "Audit", block: Block, place: int, *, point: int) -> Refutation:
    """The direction that won more in the block, and intervals that hold for all blocks together."""
    bets = block.bets
    left, right = three_cells(block.left, bets.events)[point], three_cells(block.right, bets.events)[point]
    top_from, bottom_to = int(bets.events.top[point]), int(bets.events.bottom[point])
    winner = int(block.gained[:, point].argmax())
    won = left * bets.log_left[winner, point] + right * bets.log_right[winner, point]
    top = bool(won[0] >= won[1]) if top_from < len(block.left) and bottom_to > 0 else bottom_to == 0
    cell = 0 if top else 1
    threshold = top_from if top else bottom_to
    # of each block and point four intervals may be shown: two events on two datasets; the shares sum to one
    level = float(audit.error) / (4 * (place + 1) * (place + 2) * len(audit.points))
    p_left, p_right = (clopper_pearson(int(each[cell]), int(each.sum()), level) for each in (left, right))
    heavy, light = (p_left, p_right) if top else (p_right, p_left)
    x = Fraction(float(audit.claim.x[point]))
    return Refutation(
        pair=block.arm,
        direction=Direction.LEFT if top else Direction.RIGHT,
        event=event(block.score, threshold, top=top),
        p_left=p_left,
        p_right=p_right,
        excess=Estimate(heavy.low - x * light.high, heavy.high - x * light.low),
        runs=(int(left.sum()), int(right.sum())),
        hits=(int(left[cell]), int(right[cell])),
        point=audit.points[point] if len(audit.points) > 1 else None,
        alone=bool(audit.most[point] >= -audit.log_error),
    )


def detectable(audit: "Audit") -> Detectable:
    """The smallest leaks that this many runs on the pair that had most of them find in nine cases of ten.

    A leak is found as soon as it breaks one of the claim's points, which is bet on with its part of the wealth.
    """
    trials = max((arm.trials for arm in audit.arms), default=0)
    # it started with less than 1 where it was shared
    nats = needed_nats(audit.log_error + audit.share - math.log(len(audit.points)), len(audit.arms))
    points = list(zip(audit.claim.x.tolist(), audit.claim.delta.tolist(), strict=True))
    epsilon, rare = (
        min(smallest_epsilon(trials, REACH * nats, x=x, delta=delta, mass=mass) for x, delta in points)
        for mass in (0.1, 0.01)
    )
    catastrophe = min(_smallest_delta(trials, REACH * nats, x=x, delta=delta) for x, delta in points)
    words = detectable_words(trials, epsilon, rare=rare, catastrophe=catastrophe)
    nothing = all(_smallest_delta(audit.runs // 2, nats, x=x, delta=delta) >= 1 for x, delta in points)
    return Detectable(words, epsilon, delta=catastrophe, nothing=nothing)


def needed_nats(log_error: float, pairs: int) -> float:
    """Log-wealth that an audit which knows the event must expect, to refute in nine cases of ten at this error."""
    needed = -log_error + (math.log(2 * pairs) if pairs > 1 else 0)
    return (math.sqrt(2 * needed) + POWER) ** 2 / 2  # log-wealth grows like a z-score's square, with spread one


def detectable_words(trials: int, epsilon: float, *, rare: float, catastrophe: float) -> str:
    """Which leaks the test would have found and which it could have missed, in whole sentences.

    `epsilon` is the smallest one at which a leak is found that shows in a tenth of the releases, and `rare` in a
    hundredth; infinite is none. `catastrophe` is the least probability at which a release is found that the other
    dataset never gives; 1 is none.
    """
    found = []
    if math.isfinite(epsilon):
        found.append(f"a leak that shows in one release of ten and has an epsilon of {epsilon:.3g} or more")
    if math.isfinite(rare):
        found.append(f"a leak that shows in one release of a hundred and has an epsilon of {rare:.3g} or more")
    if catastrophe < 1:
        found.append(
            f"a release that only one of the datasets gives and that has a probability of {catastrophe:.2g} or more"
        )
    enough = f"In nine audits of ten that is enough to find {', or '.join(found)}. " if found else ""
    return (
        f"The pair tested most had {trials:,} runs on each dataset. {enough}Smaller or rarer leaks could have been "
        "missed, and so could a leak that only several parts of a release show together, or only a part of a number "
        "or word."
    )


def smallest_epsilon(trials: int, nats: float, x: float, delta: float, mass: float) -> float:
    """Solve trials * growth = nats for an event of this total mass, in the ratio of its two probabilities.

    Infinite where no ratio does: what is claimed of delta may allow such an event altogether.
    """
    if delta >= 2 * mass:
        return math.inf
    ratio = np.exp(np.linspace(math.log(x), math.log(x) + 30, 30_001))
    q = (2 * mass - delta) / (1 + ratio)
    growth = growth_rate(np.minimum(ratio * q + delta, 1 - 1e-12), q, np.array(x), np.array(delta))
    found = np.flatnonzero(trials * growth >= nats)
    return float(np.log(ratio[found[0]])) if len(found) else math.inf


def _smallest_delta(trials: int, nats: float, x: float, delta: float) -> float:
    p = delta + (1 - delta) * np.geomspace(1e-12, 1 - 1e-9, 5000)
    growth = growth_rate(p, np.full_like(p, 1e-15), np.array(x), np.array(delta))
    found = np.flatnonzero(trials * growth >= nats)
    return float(p[found[0]]) if len(found) else 1.0
