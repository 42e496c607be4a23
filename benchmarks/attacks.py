"""Intersection of two releases on Adult, ours beside anonypyx's own attacker on the same releases; downcoding by k.

Run it where anonypyx is installed: `make .venv-integration/.installed`, then
`.venv-integration/bin/python -m benchmarks attacks`.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from crowdproof.attacks.downcoding import CENSUS, Country, MinimalHierarchical, divided, restore
from crowdproof.attacks.intersection import Hospitals, Intersecting, admit, shared
from crowdproof.data import adult

KNOWN = ("age", "sex", "race", "marital_status", "education_num")
SECRET = "occupation"
ROWS = 600


def main() -> None:
    """Print, for each k, how many people's secrets either attacker determines, how many rightly, and the seconds."""
    _intersection()
    _downcoding()


def _intersection() -> None:
    try:
        import anonypyx  # noqa: F401, PLC0415
    except ImportError:
        print("intersection: anonypyx is not installed here; use .venv-integration/bin/python -m benchmarks attacks")
        return
    people = adult(complete=True).select(*KNOWN, SECRET)
    hospitals = admit(people, ROWS, np.random.default_rng(0))
    print(f"Intersection of two releases of anonypyx's Mondrian, {hospitals.shared.height} people in both")
    print(f"{'k':>3} {'attacker':<12}{'determined':>12}{'rightly':>10}{'seconds':>10}{'ratio':>8}")
    for k in (2, 3, 5):
        ours = _timed(lambda k=k: _our_values(hospitals, k))
        theirs = _timed(lambda k=k: _their_values(hospitals, k))
        for name, (left, seconds) in (("crowdproof", ours), ("anonypyx", theirs)):
            print(
                f"{k:>3} {name:<12}{_shares(left, hospitals.shared[SECRET])}{seconds:>10.2f}{theirs[1] / seconds:>8.1f}"
            )


def _shares(left: list[frozenset[str]], truth: pl.Series) -> str:
    known = [(value, true) for value, true in zip(left, truth, strict=True) if len(value) == 1]
    right = sum(next(iter(value)) == true for value, true in known)
    return f"{len(known) / len(left):>12.1%}{right / len(left):>10.1%}"


def _timed(attack: Callable[[], tuple[list[frozenset[str]], float]]) -> tuple[list[frozenset[str]], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attack()


def _tables(hospitals: Hospitals) -> list[pl.DataFrame]:
    return [pl.concat([hospitals.shared, others]) for others in (hospitals.first, hospitals.second)]


def _our_values(hospitals: Hospitals, k: int) -> tuple[list[frozenset[str]], float]:
    """What both releases leave, by our attacker, which reads the human-readable cells."""
    from crowdproof.audit.targets.adapters.anonypyx import anonymise  # noqa: PLC0415

    releases = [pl.from_pandas(anonymise(each.to_pandas(), k, KNOWN, SECRET)) for each in _tables(hospitals)]
    start = time.perf_counter()
    adversary = Intersecting(KNOWN, SECRET)
    seen = [adversary.values(release) for release in releases]
    left = [frozenset(shared([values(person) for values in seen])) for person in hospitals.shared.iter_rows(named=True)]
    return left, time.perf_counter() - start


def _their_values(hospitals: Hospitals, k: int) -> tuple[list[frozenset[str]], float]:
    """The same by anonypyx's attacker, which wants releases and people in its machine-readable form."""
    import pandas as pd  # noqa: PLC0415
    from anonypyx import Anonymiser  # noqa: PLC0415
    from anonypyx.attackers.intersection_attacker import IntersectionAttacker  # noqa: PLC0415
    from anonypyx.generalisation.machinereadable import MachineReadable  # noqa: PLC0415

    frames: list[Any] = [each.to_pandas() for each in _tables(hospitals)]
    texts = [name for name in frames[0].columns if frames[0][name].dtype.kind not in "biuf"]
    kinds = {name: pd.CategoricalDtype(sorted(set(frames[0][name]) | set(frames[1][name]))) for name in texts}
    frames = [each.astype(kinds) for each in frames]
    schema = MachineReadable.create_for_data(pd.concat(frames), list(KNOWN))
    releases = [
        Anonymiser(each, k=k, feature_columns=list(KNOWN), sensitive_column=SECRET).anonymise() for each in frames
    ]
    for release in releases:
        missing = [name for name in schema.quasi_identifier() if name not in release.columns]
        release[missing] = False
    count = hospitals.shared.height
    knowledge = schema.generalise(frames[0].head(count), [pd.Index([place]) for place in range(count)]).drop(
        "count", axis=1
    )
    knowledge["ID"] = np.arange(count)
    start = time.perf_counter()
    attacker = IntersectionAttacker(knowledge, list(KNOWN), SECRET, schema)
    for release in releases:
        attacker.observe(release, [*KNOWN, SECRET], list(range(count)))
    left = [frozenset(map(str, attacker.predict(place, SECRET))) for place in range(count)]
    return left, time.perf_counter() - start


def _downcoding() -> None:
    town, others = divided(adult(complete=True), 3000, np.random.default_rng(0))
    print(f"Downcoding of a minimal hierarchical recoding, {town.height} rows of Adult")
    print(f"{'k':>3}{'rows with a cell restored':>28}{'by the country alone':>24}")
    for k in (2, 3, 5, 10):
        mechanism = MinimalHierarchical.of(CENSUS, k)
        texts, country = mechanism.texts(town), Country.of(mechanism.texts(others))
        groups = mechanism.groups(texts)
        found, prior = (restore(groups, texts, country, each) for each in (k, None))
        print(f"{k:>3}{found.rows_right / found.rows:>28.1%}{prior.rows_right / prior.rows:>24.1%}")
