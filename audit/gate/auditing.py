"""The engine of the gate: the auditor's exact part first, then slices of its sequential part."""

from fractions import Fraction
from itertools import chain, islice
from typing import Any

import numpy as np
from attrs import define

from crowdproof import wire
from crowdproof.audit import audit
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.engine import DEFAULT_RUNS, DEFAULT_TIMEOUT, Case, table_of
from crowdproof.audit.gate.evidence import Slice
from crowdproof.audit.inline import Inline
from crowdproof.audit.interface import Budget, Pair, Sampling
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.sequential.engine import Audit
from crowdproof.audit.sequential.result import Direction, Ended, Refutation
from crowdproof.audit.sequential.summary import summarise
from crowdproof.audit.targets.load import load_target
from crowdproof.audit.witness import data_to_json
from crowdproof.claims import DP, DPS
from crowdproof.errors import TargetError
from crowdproof.findings import Confidence, Finding, Json, PairWitness, Refuted
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.sampling import Sampled

OWN_PAIRS, MADE_PAIRS = 2, 6
"""Pairs of neighbours that the statistical test looks at: of the user's own data, and made by hand."""


@define(eq=False)
class WholeAudit(Audit):
    """A sequential audit that goes on to the end of its budget, whatever it sees: see `evidence`."""

    @property
    def refuted(self) -> bool:
        """Never: that is for all slices together to say."""
        return False


class AuditEngine:
    """What `crowdproof.audit` offers, as the gate needs it."""

    def prepare(self, entry: Entry, project: Project) -> Case:
        """Load the target, read the data, and see how the target behaves on it."""
        defaults = project.config.defaults
        data = table_of(entry, project)
        target = load_target(
            entry.target,
            params=entry.params,
            form=entry.form or defaults.form,
            timeout=entry.timeout or defaults.timeout or DEFAULT_TIMEOUT,
            isolate=entry.isolate or defaults.isolate or "auto",
        )
        target.examine(data)
        return Case(entry, target, data, entry.runs or defaults.runs or DEFAULT_RUNS)

    def settle(self, case: Case, budget: Budget, error: Fraction, seed: int) -> Finding | None:
        """The auditor's finding where the target's output is determined by its input."""
        if isinstance(case.entry.claim, DP | DPS) and not case.target.deterministic:
            return None
        return audit(
            case.target,
            case.entry.claim,
            data=case.data,
            budget=budget,
            error=error,
            seed=seed,
            sampling=Sampling(case.entry.sampling),
        )

    def slice(self, case: Case, budget: Budget, alpha: Fraction, seed: np.random.SeedSequence, state: Any) -> Slice:
        """One slice of the sequential audit."""
        claim = case.entry.claim
        assert isinstance(claim, DP | DPS)
        pairs = _pairs(case, claim)
        running = WholeAudit.start(
            pairs, _mechanism(case, claim), claim.epsilon, claim.delta, alpha, budget, seed, Inline(), measure=False
        )
        running.warm(state)
        running.run()
        result = summarise(running, bounds=False)
        if result.ended is Ended.INTERRUPTED:
            raise KeyboardInterrupt
        if result.ended is Ended.FAILED:
            raise TargetError(result.failure)
        return Slice(
            result.log_e,
            result.trials,
            _kept(case, pairs, result.leading, alpha),
            result.state,
            f"In the last slice, {result.detectable.words}.",
            whole=result.ended is not Ended.SECONDS,
        )


def _mechanism(case: Case, claim: DP | DPS) -> Mechanism:
    sampled = isinstance(claim, DPS) and Sampling(case.entry.sampling) is Sampling.AUDITOR
    mechanism: Mechanism = Sampled(claim.beta, case.target) if sampled and isinstance(claim, DPS) else case.target
    return mechanism


def _pairs(case: Case, claim: DP | DPS) -> list[Pair]:
    """The same pairs in every slice, so that what was learned on one is of use to the next."""
    beta = claim.beta if isinstance(claim, DPS) else None
    proposals = Proposals(case.data, case.target, claim.neighbours, claim.epsilon, beta)
    return list(chain(islice(proposals.own_data(), OWN_PAIRS), islice(proposals.worst_cases(), MADE_PAIRS)))


def _kept(case: Case, pairs: list[Pair], seen: Refutation | None, alpha: Fraction) -> Json:
    """What the slice saw, as the finding that it would be."""
    if seen is None:
        return None
    pair = pairs[seen.pair]
    sides = ((pair.left, seen.p_left), (pair.right, seen.p_right))
    (left, p_left), (right, p_right) = sides if seen.direction is Direction.LEFT else sides[::-1]
    witness = PairWitness(data_to_json(left), data_to_json(right), seen.event, p_left, p_right, seen.excess)
    return wire.to_json(Finding(case.entry.name, case.entry.claim, Refuted(witness), Confidence(alpha)))
