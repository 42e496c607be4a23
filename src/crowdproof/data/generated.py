"""Data that is made on the spot, the same for the same arguments."""

import numpy as np
import polars as pl

from crowdproof.exact import whole

_MARITAL = ("Divorced", "Married", "Never-married", "Separated", "Widowed")
_RACES = ("Asian", "Black", "Native", "Other", "White")
_RACE_SHARES = (0.06, 0.13, 0.01, 0.04, 0.76)


def census(rows: int, seed: int = 0) -> pl.DataFrame:
    """A census-like table of any size: age, sex, race, years of education, marital status, weekly hours, ZIP code.

    Ages fall off after 60, marital status follows age, education and hours have their usual peaks (12 and 40), and
    ZIP codes are as uneven as towns are. About ten bytes a row.

    >>> census(3, seed=1).select("age", "sex", "zip_code").rows()
    [(42, 'Male', 13599), (42, 'Female', 10997), (51, 'Female', 11102)]
    """
    count = whole(rows, "rows", at_least=0)
    rng = np.random.default_rng(seed)
    age = np.clip(17 + rng.gamma(2.9, 8.0, count), 17, 95).astype(np.int8)
    zip_code = 10_000 + np.minimum(rng.exponential(2_000.0, count), 89_999).astype(np.int32)
    return pl.DataFrame(
        {
            "age": age,
            "sex": _category(("Female", "Male"), rng.random(count) < 0.5),
            "race": _category(_RACES, np.searchsorted(np.cumsum(_RACE_SHARES[:-1]), rng.random(count), side="right")),
            "education_years": _peaked(rng, count, peak=12, low=1, high=20, spread=2.5),
            "marital_status": _category(_MARITAL, _marital(rng.random(count), age)),
            "hours_per_week": _peaked(rng, count, peak=40, low=1, high=99, spread=12.0),
            "zip_code": zip_code,
        }
    )


def _category(names: tuple[str, ...], codes: np.ndarray) -> pl.Series:
    return pl.Series(names, dtype=pl.Enum(names)).gather(codes.astype(np.uint32))


def _peaked(rng: np.random.Generator, count: int, *, peak: int, low: int, high: int, spread: float) -> np.ndarray:
    values = np.clip(np.rint(rng.normal(peak, spread, count)), low, high)
    return np.where(rng.random(count) < 0.4, peak, values).astype(np.int8)


def _marital(uniform: np.ndarray, age: np.ndarray) -> np.ndarray:
    single = np.clip(1.3 - age / 40.0, 0.05, 0.97)
    widowed = np.clip((age - 50.0) / 100.0, 0.0, 0.4)
    borders = [widowed, widowed + single, widowed + single + 0.75 * (1 - single - widowed)]
    kind = sum((uniform >= border).astype(np.uint8) for border in borders)
    separated = (kind == 3) & (uniform > 0.98)
    return np.where(separated, 3, np.array([4, 2, 1, 0], dtype=np.uint8)[kind])


def town(*, rich: bool = True) -> pl.DataFrame:
    """The town of Li, Qardaji and Su: the net worth of 160 people, one of whom, with 35 million, is far above the rest.

    The next nineteen have from 900,000 to 1,440,000, so a release with groups of 20 shows [900000, 35000000]. Without
    the rich one (`rich=False`) the table is its neighbour of 159 rows.

    >>> town()["net_worth"].top_k(3).to_list()
    [35000000, 1440000, 1410000]
    """
    poor = [4_000 + 6_000 * i for i in range(140)]
    wealthy = [900_000 + 30_000 * i for i in range(19)]
    return pl.DataFrame({"net_worth": [*poor, *wealthy, *([35_000_000] if rich else [])]})
