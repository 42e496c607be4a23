"""Sections 3.1 and 3.2 of Li, Qardaji and Su: what k-anonymity alone is worth, Apply, and Proposition 4."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from attrs import evolve

from crowdproof.proofs.binomial import at_least
from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.laws import both_ways, law
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
    Implication,
    Mutant,
    Obligation,
    Printed,
    Registered,
    Statement,
    at,
    case,
    edge,
    goal,
    without,
)

Rows = tuple[str, ...]


def _smallest(release: Rows) -> int:
    return min(Counter(release).values(), default=0)


def _duplicate(k: int, copies: int) -> dict[str, Fraction]:
    """Keep only the target's row, `copies` times: multiplicity of the release, and delta at e^eps = 1000."""

    def release(rows: Rows) -> Rows:
        return ("ann",) * copies if "ann" in rows else ("ben",) * copies

    one, two = release(("ann", "ben")), release(("ben",))
    delta = both_ways({one: Fraction(1)}, {two: Fraction(1)}, Fraction(1000))
    return {"smallest": Fraction(_smallest(one)), "k": Fraction(k), "delta": delta}


def _append(k: int) -> dict[str, Fraction]:
    """k rows recoded to one value, with Ann's diagnosis appended to each."""

    def release(diagnosis: str) -> Rows:
        return (f"[20, 40) {diagnosis}",) * k

    delta = both_ways({release("flu"): Fraction(1)}, {release("none"): Fraction(1)}, Fraction(1000))
    return {"smallest": Fraction(_smallest(release("flu"))), "k": Fraction(k), "delta": delta}


_CROWDS = tuple({"k": k} for k in (2, 5, 20))

K_WEAK = Statement(
    "k-weak",
    "LQS 3.1; slides",
    "k-anonymity of the output gives no privacy by itself: an algorithm that duplicates chosen rows k times, and one "
    "that "
    "appends one person's data to every row, satisfy it and reveal the person with certainty.",
    Registered.PROVED,
    (
        Obligation(
            "duplicate-anonymous",
            "The duplicating algorithm's release is k-anonymous.",
            Finite(_duplicate, "smallest >= k", tuple({"k": k, "copies": k} for k in (2, 5, 20))),
            (case("one copy less", k=5, copies=4),),
        ),
        Obligation(
            "duplicate-reveals",
            "And tells whether the target's row is there: delta = 1 at e^eps = 1000.",
            Finite(_duplicate, "delta == 1", tuple({"k": k, "copies": k} for k in (2, 5, 20))),
            (goal("delta < 1"), case("nothing released", copies=0)),
        ),
        Obligation(
            "append-anonymous",
            "The appending algorithm's release is k-anonymous in all columns.",
            Finite(_append, "smallest == k", _CROWDS),
            (goal("smallest > k"),),
        ),
        Obligation(
            "append-reveals",
            "And tells the person's diagnosis: delta = 1.",
            Finite(_append, "delta == 1", _CROWDS),
            (goal("delta < 1"),),
        ),
    ),
    extent="the examples shown",
)


def _local_recoding(values: tuple[int, ...], k: int) -> tuple[tuple[int, int], ...]:
    """Groups of at least k neighbouring values, each value replaced by the range of its group."""
    ordered = sorted(values)
    groups = len(ordered) // k
    cuts = [k * i for i in range(groups)] + [len(ordered)]
    return tuple((ordered[a], ordered[b - 1]) for a, b in pairwise(cuts) for _ in range(b - a) if groups)


def _extreme(n: int, k: int, beta: Fraction) -> dict[str, Fraction]:
    """The rich target among n - 1 others: the gain of the event that a published range ends at the target's value."""
    rich = 35_000_000
    events = []
    for target in (True, False):
        rows = [*(100 * i for i in range(1, n)), *([rich] if target else [])]
        outcomes = []
        for kept in product((0, 1), repeat=len(rows)):
            sample = tuple(value for value, taken in zip(rows, kept, strict=True) if taken)
            weight = beta ** len(sample) * (1 - beta) ** (len(rows) - len(sample))
            outcomes.append((any(high == rich for _, high in _local_recoding(sample, k)), weight))
        events.append(law(outcomes).get(True, Fraction(0)))
    return {"gain": events[0], "other": events[1], "predicted": _predicted(n, k, beta)}


def _predicted(n: int, k: int, beta: Fraction) -> Fraction:
    return beta * at_least(k - 1, n - 1, beta)


def _short(n: int, k: int, beta: Fraction, printed: str, moved: int = 0) -> dict[str, Any]:
    """How much the gain falls short of beta."""
    return against(beta - _predicted(n, k, beta), printed, moved)


_SIXTY = {"n": 60, "k": 10, "beta": Fraction(1, 2), "printed": "2.263e-9"}


_EXTREME = tuple({"n": n, "k": k, "beta": Fraction(beta)} for n in (2, 4, 7) for k in (2, 3) for beta in ("1/2", "1/5"))

CLR = Statement(
    "clr",
    "LQS 3.1, Alg 1",
    "Clustering with local recoding shows an extreme value whenever its row is sampled and a group of k forms: delta "
    "is at "
    "least beta Pr[Bin(n-1, beta) >= k-1] at every eps, which comes as near to beta as one likes. So no delta < beta "
    "holds.",
    Registered.PROVED,
    (
        Obligation(
            "shown",
            "The range ends at the target's value exactly when the target and k - 1 others are sampled.",
            Finite(_extreme, "gain == predicted", _EXTREME),
            (goal("gain < predicted"), goal("gain == predicted/2")),
        ),
        Obligation(
            "never-without",
            "Without the target no range ends there, so the gain is the same at every eps.",
            Finite(_extreme, "other == 0", _EXTREME),
            (goal("other > 0"),),
        ),
        Obligation(
            "near-beta",
            "For k = 10, beta = 1/2 and 60 rows it is 2.263e-9 short of beta.",
            Finite(_short, "shown == printed", (_SIXTY,)),
            (case(n=40), *off_by_one((_SIXTY,))),
        ),
        Obligation(
            "grows",
            "And it grows with the number of rows: Pr[Bin(n) >= k] = Pr[Bin(n-1) >= k] + b f(k-1; n-1) (see thm5).",
            Implication(
                ("tail == old + b*f", "b >= 0", "f >= 0"),
                "tail >= old",
                (at(tail=0, old=0, b=0, f=0), at(tail=1, old=0, b=1, f=1)),
            ),
            (without("f >= 0"), goal("tail > old")),
        ),
    ),
    remark="Never above beta (def-dps): sampling alone allows no more.",
    extent="n = 60",
)


def _apply(a: int, b: int, k: int, lower: int = 0) -> dict[str, Fraction]:
    """How many rows of cell A the library's Apply releases when there are a and b rows in two cells.

    A mutant lowers the threshold of the mechanism alone.
    """
    import polars as pl  # noqa: PLC0415  (a heavy import that only this obligation needs)

    from crowdproof.mechanisms.apply import drop_rare  # noqa: PLC0415

    table = pl.DataFrame({"cell": ["A"] * a + ["B"] * b}, schema={"cell": pl.String})
    shown = drop_rare(table, k - lower)["cell"].to_list().count("A")
    return {"shown": Fraction(shown), "kept": Fraction(a if a >= k else 0)}


_TOO_LOW = ({"a": 2, "b": 5, "k": 3, "lower": 1},)

APPLY = Statement(
    "apply",
    "LQS 3.2",
    "Apply(g, D, k) releases each recoded value either not at all, when it occurs fewer than k times, or as often as "
    "it "
    "occurs; what it releases of one cell depends on the count of that cell alone.",
    Registered.PROVED,
    (
        Obligation(
            "counts",
            "For up to five rows in each of two cells and k up to 3, by running crowdproof.mechanisms.apply.",
            Finite(
                _apply,
                "shown == kept",
                tuple({"a": a, "b": b, "k": k} for a in range(6) for b in (0, 2, 5) for k in (1, 2, 3)),
            ),
            (
                goal("shown == kept + 1"),
                goal("shown > kept"),
                Mutant("with a threshold that is one too low", lambda body: evolve(body, cases=_TOO_LOW)),
            ),
        ),
    ),
    extent="the datasets listed",
)

# --- Proposition 4 ------------------------------------------------------------------------------------------------


def _strongly_safe(g: tuple[int, ...], k: int, relation: str) -> dict[str, Fraction]:
    """The largest delta of the recoding `g` of three values, over neighbouring datasets of up to k + 2 rows."""

    def release(rows: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        counts = Counter(g[row] for row in rows)
        return tuple(sorted((cell, count) for cell, count in counts.items() if count >= k))

    worst, pairs = Fraction(0), 0
    for copies in range(k, k + 2):
        for value, other in product(range(3), repeat=2):
            base = (value,) * copies
            pair = (base, (*base, other)) if relation == "add-remove" else ((*base, value), (*base, other))
            worst, pairs = max(worst, Fraction(release(pair[0]) != release(pair[1]))), pairs + 1
    return {"delta": worst, "pairs": Fraction(pairs)}


_MAPS = tuple(product(range(3), repeat=3))
_DIFFERENT = tuple({"g": g, "k": k, "relation": "replace"} for g in _MAPS if len(set(g)) > 1 for k in (1, 2, 3))

PROP4 = Statement(
    "prop4",
    "LQS Prop 4, both versions",
    sentence("prop4"),
    Registered.PROVED,
    (
        Obligation(
            "still-shown",
            "With n > k rows in the target's cell, both n and n - 1 are shown.",
            Implication(("n > k",), "n - 1 >= k", (edge(n=2, k=1), edge(n=1, k=0)), ("n", "k")),
            (without("n > k"), goal("n - 1 > k")),
        ),
        Obligation(
            "delta-one",
            "An output with probability 1 against 0 needs delta >= 1, whatever eps.",
            Implication(("1 <= x*Q + d", "Q == 0"), "d >= 1", (edge(x=1, Q=0, d=1), edge(x=100, Q=0, d=1))),
            (without("Q == 0"), goal("d > 1")),
        ),
        Obligation(
            "add-remove",
            "All 27 recodings of three values, k up to 3: delta is 1 when a row is added.",
            Finite(
                _strongly_safe,
                "delta == 1",
                tuple({"g": g, "k": k, "relation": "add-remove"} for g in _MAPS for k in (1, 2, 3)),
            ),
            (goal("delta < 1"), case("replaced rows", relation="replace")),
        ),
        Obligation(
            "replace",
            "All recodings with two or more cells: delta is 1 when a row is replaced.",
            Finite(_strongly_safe, "delta == 1", _DIFFERENT),
            (case("a single cell", g=(0, 0, 0)),),
        ),
    ),
    theorem="prop4",
)

PROP4_REPLACE = Statement(
    "prop4-degenerate",
    "LQS Prop 4, arXiv version",
    "Read with replaced rows as neighbours, the arXiv version's proposition has no exception.",
    Registered.REFUTED,
    printed=Printed(
        "no strongly safe algorithm at all is (eps, delta)-DP for delta < 1, with replaced rows as neighbours",
        Finite(_strongly_safe, "delta == 1", ({"g": (0, 0, 0), "k": 2, "relation": "replace"},)),
        "The recoding with a single cell shows only the number of rows, which replacing a row does not change: delta "
        "= 0. The "
        "printed version excepts it; the arXiv proof removes a row, and for that relation there is no exception.",
        (case("a row added", relation="add-remove"), case("two cells", g=(0, 1, 1))),
    ),
)

STATEMENTS = (K_WEAK, CLR, APPLY, PROP4, PROP4_REPLACE)
