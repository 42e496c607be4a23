"""One run: what a single release refutes, what it costs beside the target, and true claims at their edge."""

import math
import resource
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import binom

from crowdproof.audit import OneRunTerms, audit
from crowdproof.audit.targets import load_target
from crowdproof.claims import parse_claim
from crowdproof.data.embedded import adult
from crowdproof.findings import Refuted
from crowdproof.mechanisms import Apply, Grid, KMember, Mondrian, Sampled, Scheme, poisson_sample
from crowdproof.proofs.bounds import tight

NUMBERS = ["age", "fnlwgt", "education_num", "capital_gain", "hours_per_week"]
SEEDS = 3
EDGE_CANARIES = 150
LEVEL = Fraction(1, 20)


def main(audits: int = 500) -> None:
    """Print the leaks, then the rate of false alarms at 5% over so many audits of each true claim."""
    _leaks()
    _nulls(audits)


# --- leaks ------------------------------------------------------------------------------------------------------


def ranges(people: pl.DataFrame, rng: Any) -> pl.DataFrame:  # noqa: ARG001
    """The release of the tutorial: groups of five neighbours in one column, each published as its range."""
    values = np.sort(people["fnlwgt"].to_numpy())
    groups = np.array_split(values, max(1, len(values) // 5))
    return pl.DataFrame({"fnlwgt": [f"[{group[0]}, {group[-1]}]" for group in groups for _ in group]})


def bootstrap(people: pl.DataFrame, rng: Any) -> pl.DataFrame:
    """A synthetic table: rows drawn with replacement."""
    return people[rng.integers(people.height, size=people.height)]


def census(rows: int) -> pl.DataFrame:
    """People with four numbers and a category."""
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 100, rows),
            "income": rng.lognormal(10, 1, rows).round().astype(np.int64),
            "zip": rng.integers(10_000, 99_999, rows),
            "hours": rng.integers(0, 80, rows),
            "sex": rng.choice(["f", "m"], rows),
        }
    )


def _leaks() -> None:
    people = adult(complete=True).select(*NUMBERS, "education")
    million = census(1_000_000)
    mondrian = Mondrian(10, columns=tuple(NUMBERS))
    strict, loose = "dps(beta=0.1, epsilon=0.5, delta=1e-9)", "dps(beta=0.1, epsilon=0.5, delta=1e-8)"
    anonypy = load_target("anonypy", params={"k": 10, "qi": NUMBERS[:3], "sensitive": "education"})
    rows = [
        ("Mondrian, Adult", mondrian, people, strict, OneRunTerms(3000)),
        ("Mondrian, Adult", mondrian, people, loose, OneRunTerms(3000, 2)),
        ("Mondrian, a million", Mondrian(10, columns=tuple(million.columns[:4])), million, strict, OneRunTerms(5000)),
        ("k-member, Adult", KMember(10, columns=tuple(NUMBERS)), people.head(2000), strict, OneRunTerms(3000)),
        ("anonypy, Adult", anonypy, people.head(5000), strict, OneRunTerms(3000)),
        ("ranges, Adult", ranges, people, strict, OneRunTerms(5000)),
        ("bootstrap, Adult", bootstrap, people, "dp(epsilon=1, delta=1e-6)", OneRunTerms(1000, 3)),
    ]
    head = f"{'target':<22}{'claim':<42}{'refuted':>8}{'runs':>6}{'right':>12}"
    print(f"{head}{'epsilon >':>10}{'times target':>13}{'MB':>7}")
    for row in rows:
        for seed in range(SEEDS):
            _leak(*row, seed=seed)


def _leak(name: str, target: Any, data: pl.DataFrame, claim: str, terms: OneRunTerms, *, seed: int) -> None:
    start = time.process_time()
    sample = poisson_sample(data, "0.1", np.random.default_rng(seed)) if claim.startswith("dps") else data
    if isinstance(target, Mondrian | KMember):
        Sampled("0.1", target)(data, np.random.default_rng(seed))
    else:
        target(sample, np.random.default_rng(seed))
    own = time.process_time() - start
    start = time.process_time()
    finding = audit(target, parse_claim(claim), data=data, seed=seed, one_run=terms)
    spent, found = time.process_time() - start, finding.measures
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verdict = "yes" if isinstance(finding.verdict, Refuted) else finding.verdict.name.lower()
    print(
        f"{name:<22}{claim:<42}{verdict:>8}{finding.cost.runs:>6}"
        f"{found.get('right', 0):>6}/{found.get('guesses', 0):<5}{found.get('least_epsilon', 0):>10.2f}"
        f"{spent / max(own, 1e-9) / max(1, finding.cost.runs):>13.1f}{megabytes:>7.0f}",
        flush=True,
    )


# --- true claims at their edge ----------------------------------------------------------------------------------


def shown_or_not(people: pl.DataFrame, rng: Any) -> pl.DataFrame:
    """Each age that could be there is published as there or not, by randomized response at odds of three to one."""
    ages = np.arange(1000, 1000 + EDGE_CANARIES)
    there = np.isin(ages, people["age"].to_numpy())
    return pl.DataFrame({"age": ages[there == (rng.random(len(ages)) < 0.75)]})


def histogram(people: pl.DataFrame, rng: Any) -> pl.DataFrame:
    """How many there are of each age, with geometric noise exactly at epsilon = 1."""
    ages = np.arange(1000 + EDGE_CANARIES)
    counts = np.bincount(people["age"].to_numpy(), minlength=len(ages))[: len(ages)]
    p = 1 - math.exp(-1)
    return pl.DataFrame({"age": ages, "rows": counts + rng.geometric(p, len(ages)) - rng.geometric(p, len(ages))})


def synthetic(people: pl.DataFrame, rng: Any) -> pl.DataFrame:
    """A table drawn from the noisy histogram."""
    noisy = histogram(people, rng)
    weights = noisy["rows"].clip(0).to_numpy().astype(float)
    ages = rng.choice(noisy["age"].to_numpy(), size=people.height, p=weights / weights.sum())
    return pl.DataFrame({"age": ages})


def _nulls(audits: int) -> None:
    one = pl.DataFrame({"age": [999] * 3})
    some = pl.DataFrame({"age": np.random.default_rng(0).integers(900, 1000, 300)})
    grid = Apply(Scheme({"age": Grid(10)}), 5)
    delta = tight(5, "0.2", 1).high
    nulls: list[tuple[str, Callable[..., Any], pl.DataFrame, str]] = [
        ("shown or not", shown_or_not, one, "dp(epsilon=ln 3)"),
        ("noisy histogram", histogram, one, "dp(epsilon=1)"),
        ("synthetic table", synthetic, one, "dp(epsilon=1)"),
        ("sampled safe grid", grid, some, f"dps(beta=0.2, epsilon=1, delta={float(delta) * 1.000001:.9f})"),
    ]
    print(f"\n{'true claim':<22}{'audits':>8}{'refuted at 5%':>15}{'most allowed by chance':>24}")
    most = int(binom.ppf(0.999, audits, float(LEVEL)))
    for name, target, data, claim in nulls:
        terms = OneRunTerms(EDGE_CANARIES)
        alarms = sum(
            isinstance(
                audit(target, parse_claim(claim), data=data, seed=seed, error=LEVEL, one_run=terms).verdict, Refuted
            )
            for seed in range(audits)
        )
        print(f"{name:<22}{audits:>8}{alarms:>15}{most:>24}", flush=True)
