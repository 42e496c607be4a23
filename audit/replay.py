"""Replaying a refutation: the pair of the witness, run again from scratch with fresh randomness."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attrs import evolve

from crowdproof.audit.auditor import DEFAULT_BUDGET, audit
from crowdproof.audit.data.as_json import data_from_json
from crowdproof.audit.request import Budget, Pair, Progress, Runner, Sampling
from crowdproof.claims import Claim, Neighbours
from crowdproof.errors import CrowdproofError, DataError, TargetError
from crowdproof.exact import rational
from crowdproof.findings import Finding, Note, PairWitness, Refuted
from crowdproof.mechanism import Mechanism


def replay(
    finding: Finding,
    target: Mechanism | None = None,
    *,
    seed: int,
    budget: Budget = DEFAULT_BUDGET,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> Finding:
    """Run the witness of a refutation again; a verdict of REFUTED confirms it, any other does not.

    The target is the one that the finding names, or the given one. Of the earlier runs only the datasets are used.
    """
    if not isinstance(finding.verdict, Refuted):
        raise DataError(f"the finding about {finding.subject} refutes nothing: give one whose verdict is REFUTED.")
    parameters, datasets = finding.reproduce.parameters, _datasets(finding)
    with _as_written():
        sampling = Sampling(parameters.get("sampling", Sampling.AUDITOR.value))
        mechanism = load_again(parameters) if target is None else target
    again = audit(
        mechanism,
        finding.claim,
        **datasets,
        budget=budget,
        error=rational(parameters.get("error", "1e-6"), "error"),
        seed=seed,
        runner=runner,
        progress=progress,
        sampling=sampling,
        deterministic=parameters.get("deterministic"),
        search=0,
        subject=finding.subject if target is None else None,
    )
    return evolve(again, evidence=(_note(finding, again), *again.evidence))


@contextmanager
def _as_written() -> Iterator[None]:
    """Around what takes the parameters of a file for what crowdproof writes there."""
    try:
        yield
    except CrowdproofError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(
            f"the finding does not tell how it was made ({error}): give a witness file that crowdproof wrote."
        ) from None


def load_again(parameters: Mapping[str, Any]) -> Mechanism:
    """The target that the finding was about."""
    from crowdproof.audit.targets import load_target  # noqa: PLC0415  (targets of all kinds, needed only here)

    spec = parameters.get("target")
    if not isinstance(spec, Mapping):
        raise TargetError(
            "the finding does not tell how to load its target: name the target to replay it on, with --target."
        )
    try:
        return load_target(**spec)
    except CrowdproofError as error:
        file = parameters.get("file")
        where = "in which it was audited" if file is None else f"of {file}"
        raise TargetError(
            f"the target {spec.get('spec')} cannot be loaded here ({str(error).partition(': ')[0]}): replay it in the "
            f"folder {where}, or name the target with --target."
        ) from None


def _datasets(finding: Finding) -> dict[str, Any]:
    assert isinstance(finding.verdict, Refuted)
    witness = finding.verdict.witness
    if isinstance(witness, PairWitness):
        left, right = data_from_json(witness.left), data_from_json(witness.right)
        return {"pairs": [Pair(left, right, relation_of(finding.claim), "the pair of the witness")]}
    data = finding.reproduce.parameters.get("data")
    if data is None:
        command = finding.reproduce.command
        remedy = f"see it again with: {command}" if command else "audit it again with the data it was made on."
        raise DataError(f"the finding about {finding.subject} holds no data to replay it on: {remedy}")
    return {"data": data_from_json(data)}


def relation_of(claim: Claim) -> Neighbours:
    """Which datasets count as neighbours for that claim."""
    relation = getattr(claim, "neighbours", Neighbours.ADD_REMOVE)
    assert isinstance(relation, Neighbours)
    return relation


def _note(finding: Finding, again: Finding) -> Note:
    confirmed = isinstance(again.verdict, Refuted)
    text = "The refutation is confirmed" if confirmed else "The refutation is not confirmed"
    return Note(
        "Replay",
        f"{text}: the datasets of the witness were run again with seed {again.reproduce.seed}, "
        f"the finding was made with seed {finding.reproduce.seed}.",
    )
