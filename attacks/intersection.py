"""Two k-anonymous releases about the same person: what both allow is often one value."""

import time
from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl
from attrs import evolve

from crowdproof.attacks.hospitals import Hospitals, Intersecting, admit, shared
from crowdproof.attacks.interface import Attack, Measure, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.linkage import columns
from crowdproof.attacks.measure import ERROR, confidence, no_more, proportion, rows
from crowdproof.attacks.people import (
    certified_gain,
    crowds,
    fixed_scheme,
    height,
    in_random_order,
    leave_out,
    name_of,
    says,
)
from crowdproof.attacks.premise import smallest_group, unmet
from crowdproof.data import adult
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Chart, Estimate, Reproduce, Series, Table
from crowdproof.mechanism import Mechanism, is_deterministic
from crowdproof.mechanisms import Mondrian, Sampled, StronglySafe

ATTACK = Attack(
    id="intersection",
    title="Treated in two hospitals",
    knows="The public values of a person who was in both hospitals.",
    sees="A k-anonymous table from each hospital, made without knowing of the other's.",
    infers="In each table the secret is one of those of the person's group; where only one value is in both groups, "
    "that is it; of several, the likeliest is named.",
    claim="Releases that are each k-anonymous hide a person among k together too.",
    remedy="Strongly safe releases, each of a fresh sample: their guarantees add up, whoever makes them.",
    source="Ganta, Kasiviswanathan and Smith 2008, composition attacks",
    severity=Severity.ATTRIBUTE,
)
YARDSTICK = Yardstick(
    Measure.PERSON,
    "the better of one release alone and of both without the person",
    no_more().allowed,
)
_LOOKED_UP = 500
"""People of whom the chart is made: enough for a curve."""


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 3,
    beta: Number = "2/3",
    rows: Number = 6000,
    trials: Number = 60,
    seed: int = 0,
) -> Story:
    """Two hospitals with `rows` people each, half of them in both, publish by Mondrian (or by the target).

    A person in both is looked up in two releases of their own, and in the first of them alone.
    """
    start = time.monotonic()
    size, sample_rate, runs = whole(k, "k"), rate(beta), whole(trials, "trials")
    people = adult(complete=True) if data is None else data
    names, hidden = columns(people, known, secret)
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    hospitals = admit(people.select(*names, hidden), whole(rows, "rows", 2), draw)
    anonymizer: Mechanism = Mondrian(size, names) if target is None else target
    adversary = Intersecting(names, hidden)
    cells = crowds(hospitals.shared, 2 * sample_rate, size)  # a hospital has twice as many people
    safe = Sampled(sample_rate, StronglySafe(fixed_scheme(people, names, hidden, cells), size))
    victim = _measured(
        f"{name_of(anonymizer)}, two releases", anonymizer, hospitals, adversary, trials=runs, rng=victims
    )
    twin = _measured(
        f"strongly safe, k = {size}, each of a fresh sample at {sample_rate}",
        safe,
        hospitals,
        adversary,
        trials=runs,
        rng=twins,
    )
    releases = hospitals.publish((anonymizer, anonymizer), hospitals.shared, np.random.default_rng(seed))
    counts = values_left(releases, hospitals.shared, adversary)
    return Story(
        ATTACK,
        victim,
        defended=evolve(twin, bound=certified_gain(size, sample_rate, times=2)(twin.baseline.high)),
        learned=(_learned(counts, [smallest_group(each, names) for each in releases]),),
        evidence=(_table(counts), *([_by_k(hospitals, adversary)] if target is None else [])),
        reproduce=Reproduce(seed=seed, parameters={"k": size, "known": list(names), "secret": hidden}),
        seconds=time.monotonic() - start,
        unmet=next(filter(None, (unmet(each, names) for each in releases)), ""),
    )


def _measured(
    name: str, how: Mechanism, hospitals: Hospitals, adversary: Intersecting, *, trials: int, rng: np.random.Generator
) -> Outcome:
    """People in both, against one release alone and against the same people left out of both.

    Each person that is tried meets releases of their own. Where these are known to be deterministic, there are no
    others with everybody, and everybody is looked up in them.
    """
    shared, secret = hospitals.shared, adversary.secret
    heights: list[int] = []

    def right(people: pl.DataFrame, places: Sequence[int]) -> list[tuple[bool, bool]]:
        """For each of the places whether both releases, and the first alone, tell the secret of the person there."""
        releases = hospitals.publish((how, how), people, rng)
        heights.append(height(releases))
        guesses = [adversary(seen) for seen in (releases, releases[:1])]
        persons = [shared.row(place, named=True) for place in places]
        return [(says(guesses[0], each, secret), says(guesses[1], each, secret)) for each in persons]

    tried = rng.integers(shared.height, size=trials).tolist()
    if is_deterministic(how):
        present = right(shared, range(shared.height))
        absent = [right(leave_out(shared, place), [place]) for place in tried]
    else:
        found = [
            in_random_order(partial(right, places=[place]), (shared, leave_out(shared, place)), rng) for place in tried
        ]
        present, absent = [each[0] for each, _ in found], [each for _, each in found]
    counts = ([both for both, _ in present], [one for _, one in present], [each[0][0] for each in absent])
    success, *others = (proportion(sum(each), len(each), ERROR / 3) for each in counts)  # any of the three may miss
    return Outcome(
        name,
        success,
        baseline=Estimate(max(each.low for each in others), max(each.high for each in others)),
        certainty=confidence(),
        yardstick=YARDSTICK,
        rows=rows(heights, hospitals.height),
        trials=2 * len(heights),  # each time both hospitals publish
    )


Left = list[tuple[int, int, bool]]
"""For each person how many values the first release leaves, how many both leave, and whether only the truth is left."""


def values_left(releases: Sequence[pl.DataFrame], people: pl.DataFrame, adversary: Intersecting) -> Left:
    """How many values are possible for each person."""
    seen = [adversary.values(release) for release in releases]
    found: Left = []
    for person in people.iter_rows(named=True):
        possible = [values(person) for values in seen]
        both = shared(possible)
        found.append((len(possible[0]), len(both), set(both) == {str(person[adversary.secret])}))
    return found


def _learned(counts: Left, smallest: list[int]) -> str:
    alone, both = (sum(each[which] == 1 for each in counts) for which in (0, 1))
    true = sum(each[2] for each in counts)
    return (
        f"Of {len(counts)} people in both hospitals, one release leaves {alone} with a single possible secret, and the "
        f"two together {both}; for {true} of these it is the truth."
        f" In each release the smallest group has {' and '.join(map(str, smallest))} rows."
    )


def _table(counts: Left) -> Table:
    limits = ((0, 0, "none"), (1, 1, "one"), (2, 2, "two"), (3, 3, "three"), (4, 10**9, "four or more"))
    rows = tuple(
        (name, *(str(sum(low <= each[which] <= high for each in counts)) for which in (0, 1)))
        for low, high, name in limits
    )
    return Table("Values of the secret that are left for a person", ("values", "by one release", "by both"), rows)


def _by_k(hospitals: Hospitals, adversary: Intersecting) -> Chart:
    sizes, looked_up = (2, 3, 5, 10), hospitals.shared.head(_LOOKED_UP)
    shares = []
    for k in sizes:
        mechanism = Mondrian(k, adversary.known)
        releases = hospitals.publish((mechanism, mechanism), hospitals.shared, np.random.default_rng(0))
        counts = values_left(releases, looked_up, adversary)
        shares.append([sum(each[which] == 1 for each in counts) / len(counts) for which in (0, 1)])
    lines = zip(("by one release", "by both"), zip(*shares, strict=True), strict=True)
    return Chart(
        "People whose secret is determined beyond doubt",
        "k",
        "share",
        tuple(Series(name, tuple(map(float, sizes)), tuple(line)) for name, line in lines),
    )
