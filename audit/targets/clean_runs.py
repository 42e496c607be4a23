"""How a function behaves, by runs in processes that import it anew against runs in one that is kept up."""

from typing import Any

from crowdproof.audit.releases import same
from crowdproof.audit.targets.behaviour import SEED, Behaviour, Runs, keeps_state, measure_with_outputs, outcome


def agreeing(data: Any, *, kept: Runs, hashed: Runs) -> Behaviour | None:
    """How the target behaves where a process that is kept up answers as clean ones with another hash seed do.

    None where it does not. Where no seed repeats an output, that is seen without the clean ones.
    """
    deterministic, reproducible, known = measure_with_outputs(hashed, data)
    differs = keeps_state(kept, hashed, data, reproducible=reproducible, known=known)
    if not reproducible:
        return Behaviour(deterministic, reproducible, stateful=differs)
    return None if differs else Behaviour(deterministic, reproducible, stateful=False, hash_seed=False)


def differing(data: Any, hashed: Runs, clean: Runs, kept: Runs) -> Behaviour:
    """How the target behaves where state or the hash seed makes a difference: one thing is changed at a time."""
    deterministic, reproducible, known = measure_with_outputs(clean, data)
    stateful = keeps_state(kept, clean, data, reproducible=reproducible, known=known)
    hash_seed = None
    if reproducible:
        hash_seed = not same(known[SEED], outcome(hashed, data, SEED))
    return Behaviour(deterministic, reproducible, stateful, hash_seed)
