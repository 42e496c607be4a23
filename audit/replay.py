"""Replaying a refutation: the pair of the witness, run again from scratch with fresh randomness."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attrs import evolve

from crowdproof.audit.auditor import DEFAULT_BUDGET, audit, name_of
from crowdproof.audit.data.as_json import data_from_json
from crowdproof.audit.request import Budget, Pair, Progress, Runner, Sampling
from crowdproof.audit.targets import Limits, Target, load_target
from crowdproof.claims import Claim, Neighbours
from crowdproof.errors import CrowdproofError, DataError, TargetError
from crowdproof.exact import Number
from crowdproof.findings import Finding, Note, PairWitness, Refuted
from crowdproof.mechanism import Mechanism

NAMED = 3
"""Files that a report names: the target's own and its neighbours, which a reader takes in at a glance."""


def replay(
    finding: Finding,
    target: Mechanism | None = None,
    *,
    seed: int,
    budget: Budget = DEFAULT_BUDGET,
    error: Number = "1e-6",
    deterministic: bool | None = None,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> Finding:
    """Run the witness of a refutation again; a verdict of REFUTED confirms it, any other does not.

    The target is the one that the finding names, or the given one. Of the earlier runs only the datasets are used. The
    caller judges: the false-alarm rate is the given `error`, and whether the target is `deterministic` is measured, or
    declared by the target or the caller, whatever the finding says of it.
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
        error=error,
        seed=seed,
        runner=runner,
        progress=progress,
        sampling=sampling,
        deterministic=deterministic,
        search=0,
    )
    notes = (_note(finding, again), Note("Code that was run", whose_code(mechanism, finding, given=target is not None)))
    return evolve(again, evidence=(*notes, *again.evidence))


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
    spec = parameters.get("target")
    if not isinstance(spec, Mapping):
        raise TargetError(
            "the finding does not tell how to load its target: name the target to replay it on, with --target."
        )
    try:
        return load_target(**{**spec, **_apart(spec)})
    except CrowdproofError as error:
        file = parameters.get("file")
        where = "in which it was audited" if file is None else f"of {file}"
        raise TargetError(
            f"the target {spec.get('spec')} cannot be loaded here ({str(error).partition(': ')[0]}): replay it in the "
            f"folder {where}, or name the target with --target."
        ) from None


def _apart(spec: Mapping[str, Any]) -> dict[str, Any]:
    """How the target is to run whatever a file says: never in this process, and never without a time limit."""
    isolate = "auto" if spec.get("isolate") == "none" else spec.get("isolate", "auto")
    timeout = Limits().seconds if spec.get("timeout") is None else spec["timeout"]
    return {"isolate": isolate, "timeout": timeout}


def whose_code(mechanism: Mechanism, finding: Finding, *, given: bool) -> str:
    """Which code confirms the refutation, or does not: who named it, its files, and what the file calls it."""
    name = name_of(mechanism)
    words = f"{name}, as {'you' if given else 'the file'} named it."
    files = sorted(mechanism.loaded.files) if isinstance(mechanism, Target) else []
    if files:
        words += f" It was loaded from {_first(files)}."
    if finding.subject != name:
        words += f" The file calls what it refutes {finding.subject!r}; that this is the same is not checked."
    return words


def _first(files: list[str]) -> str:
    """The first files by name, and how many others there are."""
    named = ", ".join(files[:NAMED])
    return named if len(files) <= NAMED else f"{named} and {len(files) - NAMED} other files"


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
