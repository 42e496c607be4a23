"""The way of a one-run audit: canaries into the data, one run of the target, bets on the coins, a conclusion."""

from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.one_run.canaries import Canaries, design
from crowdproof.audit.one_run.comparing import compare_with
from crowdproof.audit.one_run.judging import Judgement, enough, judge
from crowdproof.audit.one_run.one_run_report import Told, conclude
from crowdproof.audit.one_run.stakes import Stakes
from crowdproof.audit.releases import Refusal, canonical
from crowdproof.audit.request import Conclusion, OneRunTerms, Request, Sampling
from crowdproof.audit.targets.run import Outcome, RunOnce
from crowdproof.claims import DP, DPS, Claim, Neighbours
from crowdproof.errors import DataError, NoReleaseError, ParameterError
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.sampling import Sampled, bernoulli, for_samples

Coins = NDArray[np.bool_]


@frozen(eq=False)
class Planted:
    """Data with canaries for one run, and what must not be known before it is judged."""

    data: pl.DataFrame
    canaries: Canaries
    coins: Coins
    seed: int
    """Of the run of the target."""


def examine(request: Request) -> Conclusion:
    """Judge the claim by one release of the whole data, or by a few, each with fresh canaries and coins."""
    claim, terms = _asked(request)
    allowance = Allowance.of(request)
    target = _target(request, claim)
    judgements: list[Judgement] = []
    interrupted = False
    try:
        for run in range(terms.repeat):
            if judgements and (enough(judgements, request.error) or allowance.spent):
                break
            allowance.draw(0, f"run {run + 1} of {terms.repeat} with {terms.canaries:,} canaries")
            stream = allowance.stream(Stream.CANARIES, run)
            planted = plant(request.data, terms, stream, twins=has_twins(claim))
            judgements.append(_judged(planted, target, request, claim))
            allowance.count(1)
    except KeyboardInterrupt:
        interrupted = True
    told = Told(claim, terms, request.error, tuple(judgements), interrupted=interrupted)
    return conclude(told)


def _asked(request: Request) -> tuple[DP | DPS, OneRunTerms]:
    claim, terms = stated(request.claim), request.one_run
    assert terms is not None
    if not isinstance(request.data, pl.DataFrame):
        raise DataError("canaries are put into a table: give one with --data FILE.")
    return claim, terms


def _target(request: Request, claim: DP | DPS) -> Mechanism:
    """What runs on the whole data, the sampling of a dps claim included."""
    if isinstance(request.target, Sampled) or not isinstance(claim, DPS) or request.sampling is Sampling.TARGET:
        return request.target
    return for_samples(request.target)  # type: ignore[no-any-return]


def plant(data: pl.DataFrame, terms: OneRunTerms, stream: np.random.SeedSequence, *, twins: bool) -> Planted:
    """Make canaries for the data, throw their coins, and put in those whose coin came up."""
    for_design, for_coins, for_places, for_run = stream.spawn(4)
    canaries = design(data, terms.canaries, np.random.default_rng(for_design), twins=twins)
    coins = np.random.default_rng(for_coins).integers(2, size=len(canaries)).astype(np.bool_)
    planted = canaries.planted(data, coins, np.random.default_rng(for_places))
    return Planted(planted, canaries, coins, int(for_run.generate_state(1, np.uint64)[0] >> 1))


def stated(claim: Claim) -> DP | DPS:
    """The claim, if one run can be judged by it."""
    if not isinstance(claim, DP | DPS):
        raise ParameterError(f"one run is judged by a dp or a dps claim, and this is '{claim}': audit it without.")
    return claim


def has_twins(claim: DP | DPS) -> bool:
    """Whether a coin chooses between two rows, and does not put in one or none."""
    return claim.neighbours is Neighbours.REPLACE


def _judged(planted: Planted, target: Mechanism, request: Request, claim: DP | DPS) -> Judgement:
    """Run once, and bet on the coins."""
    data = planted.data
    if isinstance(claim, DPS) and request.sampling is Sampling.AUDITOR and not isinstance(request.target, Sampled):
        rng = np.random.default_rng([planted.seed, 1])
        data = data.filter(pl.Series(bernoulli(claim.beta, rng, data.height)))
    release = _release(RunOnce(target)((data, planted.seed)))
    stakes = Stakes.of(claim.epsilon, claim.delta, len(planted.canaries))
    return judge(compare_with(planted.canaries, release), planted.coins, stakes)


def _release(outcome: Outcome) -> Any:
    """The canonical release; a target that refuses the canaries has released nothing that could be judged."""
    failure = outcome.failure
    release = None if failure is not None else canonical(outcome.output)
    if isinstance(release, Refusal):
        failure = release.reason
    if failure is not None:
        raise NoReleaseError(f"with the canaries in the data {failure}")
    return release
