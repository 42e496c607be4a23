"""Four points of a trace are enough: hardly anybody else was in the same four places at the same four times."""

import time
from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.candidates import columns_of
from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story
from crowdproof.attacks.measure import ERROR, confidence, no_more, of_nobody, proportion
from crowdproof.attacks.measure import rows as counted
from crowdproof.attacks.people import certified_gain, leave_out
from crowdproof.attacks.traces import COLUMNS, Index, Traces, generate
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Chart, Reproduce, Series, Table
from crowdproof.mechanisms import Keep, Sampled, Scheme, StronglySafe

ATTACK = Attack(
    id="unicity",
    title="Four places",
    knows="A few points of a person's trace, each a place and an hour: a receipt, a photograph, a meeting.",
    sees="Everybody's traces under random numbers instead of names.",
    infers="Only one trace has all of the points: it is the person's, and says where they were at all other times.",
    claim="Traces under random numbers cannot be traced to a person.",
    remedy="One place for each person, of a sample, and only places that k people share.",
    source="de Montjoye, Hidalgo, Verleysen and Blondel 2013, unique in the crowd (four points single out 95% of 1.5 "
    "million people; here on generated traces, or on those of your own)",
    severity=Severity.IDENTITY,
)
YARDSTICK = no_more()
_LOOKED_UP = 200
"""People of whom the chart is made: enough for a curve."""
GENERATED = of_nobody("The traces were generated; nobody is real.")
Point = tuple[int, int]


def run(
    *,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    points: Number = 4,
    people: Number = 1500,
    places: Number = 40,
    each: Number = 40,
    k: Number = 10,
    beta: Number = "2/3",
    trials: Number = 200,
    seed: int = 0,
) -> Story:
    """The adversary knows so many points of a person, and says where they were at another time, drawn at random.

    Without data: generated traces of `people` people with about `each` points in `places` places. Data has a row for
    each point; `known` names its columns for the person, the time and the place, which are person, hour and place
    otherwise.
    """
    start = time.monotonic()
    heard, runs, size, sample_rate = whole(points, "points"), whole(trials, "trials"), whole(k, "k"), rate(beta)
    names = columns_of(known) or COLUMNS
    if len(names) != len(COLUMNS):
        raise ParameterError("known names three columns, those of the person, the time and the place: known=a,b,c.")
    make, victims, twins = np.random.default_rng(seed).spawn(3)
    made = data is None
    if data is None:
        data = generate(whole(people, "people", 10), whole(places, "places", 2), whole(each, "each", 2), make)
    traces = Traces.of(data, names)
    listed = np.array([i for i, times in enumerate(traces.times) if len(times) > heard])
    if not len(listed):
        raise DataError(f"nobody has more than {heard} points: give fewer points.")
    index = Index.of(traces)
    asked = [_clue(traces, int(listed[i]), heard, victims) for i in victims.integers(len(listed), size=runs)]
    victim = _numbered(traces, index, asked)
    counts = _safe(traces, asked, k=size, beta=sample_rate, rng=twins)
    return Story(
        ATTACK,
        victim,
        defended=counts.outcome,
        learned=(_learned(traces, index, asked),),
        evidence=(
            *([GENERATED] if made else []),
            _by_points(traces, index, listed, np.random.default_rng(seed)),
            counts.utility(),
        ),
        reproduce=Reproduce(
            seed=seed,
            parameters={"points": heard, "people": traces.people, "k": size, "beta": str(sample_rate), "trials": runs},
        ),
        seconds=time.monotonic() - start,
    )


@frozen
class Clue:
    """A person, the points that the adversary knows, and the point that is looked for."""

    person: int
    points: tuple[Point, ...]
    wanted: Point


def _clue(traces: Traces, person: int, heard: int, rng: np.random.Generator) -> Clue:
    chosen = rng.permutation(len(traces.times[person]))[: heard + 1].tolist()
    wanted, *known = (traces.point(person, each) for each in chosen)
    return Clue(person, tuple(known), wanted)


def _says(index: Index, clue: Clue, *, left_out: bool) -> int:
    """The place at the wanted time in the only trace that fits, or else where most people were then."""
    found = index.candidates(clue.points) - ({clue.person} if left_out else set())
    when = clue.wanted[0]
    if len(found) == 1:
        (only,) = found
        if when in index.at[only]:
            return index.at[only][when]
    return index.common(when, without=clue.person if left_out else None)


def _numbered(traces: Traces, index: Index, asked: list[Clue]) -> Outcome:
    """With the person's trace among the others, and with it left out."""
    right, lucky = (sum(_says(index, clue, left_out=out) == clue.wanted[1] for clue in asked) for out in (False, True))
    success, baseline = (proportion(each, len(asked), ERROR / 2) for each in (right, lucky))
    shown = Rows(traces.people, traces.people)
    name = "names replaced by numbers"
    return Outcome(name, success, baseline, confidence(), yardstick=YARDSTICK, rows=shown, trials=1)


@frozen
class Safe:
    """The twin's outcome, and how useful its releases are."""

    outcome: Outcome
    off: float
    """By how much the share of a place differs from that of all points: half the sum of the differences."""

    def utility(self) -> Table:
        """Beside that of the traces."""
        rows = (("traces", "0.0%"), (self.outcome.against, f"{self.off:.1%}"))
        return Table("How useful the releases are", ("release", "distance of the shares of the places"), rows)


def _safe(traces: Traces, asked: list[Clue], *, k: int, beta: object, rng: np.random.Generator) -> Safe:
    """Of each person one place, drawn from their points, where k of the sample share it; the adversary says the "
    "first."""
    safe = Sampled(beta, StronglySafe(Scheme({"place": Keep()}), k))  # type: ignore[arg-type]
    drawn = [int(each[rng.integers(len(each))]) for each in traces.places]
    table = pl.DataFrame({"place": [str(each) for each in drawn]})
    truth = np.bincount(np.concatenate(traces.places), minlength=len(traces.place_words))
    right = lucky = 0
    heights, off = list[int](), []
    for clue in asked:
        for inside in (True, False):
            release = safe(table if inside else leave_out(table, clue.person), rng)["place"].cast(pl.Int64).to_numpy()
            counts = np.bincount(release, minlength=len(truth))
            hit = int(counts.argmax()) == clue.wanted[1]
            right, lucky = right + (hit and inside), lucky + (hit and not inside)
            heights.append(len(release))
            off.append(abs(counts / max(counts.sum(), 1) - truth / truth.sum()).sum() / 2)
    success, baseline = (proportion(each, len(asked), ERROR / 2) for each in (right, lucky))
    outcome = Outcome(
        f"one place each that {k} share, of a sample",
        success,
        baseline=baseline,
        certainty=confidence(),
        yardstick=YARDSTICK,
        rows=counted(heights, traces.people),
        trials=2 * len(asked),
        bound=certified_gain(k, safe.beta)(baseline.high),
    )
    return Safe(outcome, float(np.mean(off)))


def _learned(traces: Traces, index: Index, asked: list[Clue]) -> str:
    alone = [clue for clue in asked if index.candidates(clue.points) == {clue.person}]
    heard = len(asked[0].points)
    share = len(alone) / len(asked)
    counted_words = f"{heard} points single out the traces of {len(alone):,} of {len(asked):,} people ({share:.1%})."
    if not alone:
        return counted_words
    clue = alone[0]
    known = ", ".join(f"place {traces.place_words[place]} at {traces.time_words[when]}" for when, place in clue.points)
    when, place = clue.wanted
    others = len(traces.times[clue.person]) - heard - 1
    return (
        f"{counted_words} One of them was at {known}; only their trace has all of these, and says that they were at "
        f"place {traces.place_words[place]} at {traces.time_words[when]}, and where at "
        f"{others:,} other times."
    )


def _by_points(traces: Traces, index: Index, listed: np.ndarray, rng: np.random.Generator) -> Chart:
    sizes = (1, 2, 3, 4, 6)
    shares = []
    for size in sizes:
        people = [int(each) for each in listed if len(traces.times[each]) > size]
        chosen = rng.permutation(people)[:_LOOKED_UP]
        clues = [_clue(traces, int(each), size, rng) for each in chosen]
        alone = sum(len(index.candidates(clue.points)) == 1 for clue in clues)
        shares.append(alone / max(len(clues), 1))
    x = tuple(map(float, sizes))
    return Chart(
        "Unicity: traces that so many points single out", "points", "share", (Series("single", x, tuple(shares)),)
    )
