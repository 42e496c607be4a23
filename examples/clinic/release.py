"""What a clinic publishes about its patients. Two of these releases keep their promise; the comments tell which."""

import numpy as np
import polars as pl


def age_table(patients: pl.DataFrame, k: int) -> pl.DataFrame:
    """How many patients of each sex there are in each decade of age; groups below k are left out.

    The decades are fixed before anyone looks at the data, so the recoding is strongly safe.
    """
    decade = pl.col("age") // 10 * 10
    counts = patients.group_by(decade.alias("from"), "sex").agg(pl.len().alias("patients"))
    return counts.filter(pl.col("patients") >= k).sort("from", "sex")


def noise(rng: np.random.Generator, epsilon: float) -> int:
    """A whole number z with probability proportional to exp(-epsilon |z|).

    Whole on purpose: the last digits of noise in floating point would tell the number that it was added to.
    """
    stay = -np.expm1(-epsilon)
    return int(rng.geometric(stay) - rng.geometric(stay))


def visits(patients: pl.DataFrame, rng: np.random.Generator, epsilon: float) -> int:
    """The number of patients, with noise: one patient more or less changes it by one."""
    return patients.height + noise(rng, epsilon)


def cost_ranges(patients: pl.DataFrame, k: int) -> pl.DataFrame:
    """Groups of k patients with similar costs, and the range of costs of each group.

    Wrong: the ends of a range are the values of real patients, and an outlier's are their own.
    """
    costs = patients["cost"].sort()
    groups = [costs[start : start + k] for start in range(0, len(costs) - k + 1, k)]
    if groups and len(costs) % k:
        groups[-1] = costs[(len(groups) - 1) * k :]
    return pl.DataFrame({"low": [g.min() for g in groups], "high": [g.max() for g in groups]}, strict=False)


def diabetics(patients: pl.DataFrame, rng: np.random.Generator, epsilon: float) -> int:
    """The number of diabetic patients, with noise.

    Wrong: half the noise that epsilon asks for.
    """
    return int(patients["diabetic"].sum()) + noise(rng, 2 * epsilon)


def by_district(patients: pl.DataFrame) -> pl.DataFrame:
    """Patients in each district.

    Broken: the column was renamed and nobody told this function.
    """
    return patients.group_by("district").agg(pl.len())
