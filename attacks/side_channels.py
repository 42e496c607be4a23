"""What a release tells besides its cells: the order of its rows, a row number, rows of stars, the size of the table."""

import time
from fractions import Fraction

import numpy as np
import polars as pl

from crowdproof.attacks.interface import Attack, Measure, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.leaky import CHANNELS, Leaky, law, lonely, town
from crowdproof.attacks.measure import ERROR, certified, confidence, no_more, of_nobody, private, proportion, rows
from crowdproof.attacks.people import in_random_order, leave_out, name_of, town_of
from crowdproof.attacks.published import published
from crowdproof.audit.check import Terms, check
from crowdproof.audit.check.groups import group
from crowdproof.audit.check.numbering import row_numbers
from crowdproof.audit.check.stars import star_rows
from crowdproof.claims import Assertion
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Counterexample, Estimate, Exact, Finding, NotRefuted, Refuted, Reproduce, Table
from crowdproof.mechanism import Mechanism
from crowdproof.proofs.bounds import tight

ATTACK = Attack(
    id="side-channels",
    title="Read between the rows",
    knows="Everybody else's row and the order of the source; not whether the person is in it.",
    sees="A table whose cells are strongly safe, and something more: its order, a row number, stars, or its size.",
    infers="A row out of order, a number left out, a row of stars, one row more: each is there only if the person is.",
    claim="What is not in the cells of a release tells nothing.",
    remedy="Sort the rows by content, publish no row number, leave no trace of dropped rows, draw a sample first.",
    source="Found in real anonymizers: stars in ARX, row numbers in anjana; 'crowdproof check' looks for them",
    severity=Severity.PRESENCE,
)


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    channel: str = "stars",
    k: Number = 2,
    beta: Number = "1/2",
    others: Number = 8,
    trials: Number = 40,
    seed: int = 0,
) -> Story:
    """The exact laws of the release with and without the person, for one of: order, index, stars, size.

    The source is a few people, and the mechanism is run on every sample of it. A target of your own is run on your data
    instead, `trials` times with and without a person drawn at random, and only the shapes of its releases are compared.
    """
    start = time.monotonic()
    if channel not in CHANNELS:
        raise ParameterError(f"channel is {channel!r}: choose from {', '.join(CHANNELS)}.")
    size, sample_rate, count = whole(k, "k"), rate(beta), whole(others, "others", 2)
    if count > 10:
        raise ParameterError(f"others is {count}: all samples are enumerated, so give at most 10.")
    if (target is None) != (data is None):
        raise ParameterError("a target is run on data, and data needs a target: give both, or neither.")
    if target is not None and data is not None:
        return _of_target(target, data, whole(trials, "trials"), seed)
    yardstick = private(Fraction(3), tight(size, sample_rate, "ln 3").high, "what the cells alone are held to")
    outcomes = {each: _exact(each, size, sample_rate, others=count, yardstick=yardstick) for each in CHANNELS}
    twin = _exact("none", size, sample_rate, others=count, yardstick=yardstick, lone=channel != "order")
    return Story(
        ATTACK,
        outcomes[channel],
        defended=certified(twin),
        learned=(_learned(channel, outcomes[channel]),),
        evidence=(of_nobody(f"The person and {count} others are made up."), _table(outcomes)),
        reproduce=Reproduce(seed=seed, parameters={"channel": channel, "k": size, "beta": str(sample_rate)}),
        seconds=time.monotonic() - start,
    )


def _exact(
    channel: str, k: int, beta: Fraction, *, others: int, yardstick: Yardstick, lone: bool | None = None
) -> Outcome:
    """The event is every release that is more than three times as likely with the person as without."""
    alone = channel != "order" if lone is None else lone
    people, place = lonely(others) if alone else town(others)
    without = people.filter(pl.int_range(people.height) != place)
    inside, outside = (law(Leaky(k, channel, table.height), table, beta) for table in (people, without))
    event = [each for each, p in inside.items() if p > 3 * outside.get(each, Fraction(0))]
    success, baseline = (
        sum((side.get(each, Fraction(0)) for each in event), Fraction(0)) for side in (inside, outside)
    )
    name = "nothing but the cells" if channel == "none" else channel
    runs = 2 ** (others + 1) + 2**others
    return Outcome(
        name,
        Estimate.exactly(success),
        baseline=Estimate.exactly(baseline),
        certainty=Exact(),
        yardstick=yardstick,
        rows=Rows(Leaky(k, channel, people.height)(people).height, people.height),
        trials=runs,
    )


SHAPE = ("rows of stars", "row numbers left out")


def shape(release: pl.DataFrame) -> tuple[int, ...]:
    """What is seen of a release without reading its cells: rows of stars, numbers missing among row numbers.

    The number of rows is none of it: the cells tell it, and in a release that keeps its rows it is that of the data.
    """
    if release.is_empty():
        return 0, 0
    lazy = release.lazy()
    numbered = row_numbers(lazy, release.columns, release.height)
    named = [name for name in release.columns if name not in {each.column for each in numbered}] or release.columns
    return star_rows(group(lazy, named)), sum(each.missing for each in numbered)


def _of_target(target: Mechanism, data: pl.DataFrame, trials: int, seed: int) -> Story:
    """The adversary runs the target on everybody else, and says 'present' where the published shape is another."""
    start, rng = time.monotonic(), np.random.default_rng(seed)
    present = absent = 0
    differs, heights = [0] * len(SHAPE), list[int]()
    for place in town_of(pl.DataFrame({"row": range(data.height)}), trials, rng)["row"].to_list():
        without = leave_out(data, place)
        releases = in_random_order(lambda table: published(target, table, rng), (without, data, without), rng)
        expected, shown, other = map(shape, releases)
        heights.append(releases[1].height)
        differs = [count + (a != b) for count, a, b in zip(differs, shown, expected, strict=True)]
        present, absent = present + (shown != expected), absent + (other != expected)
    runs = min(trials, data.height)
    success, baseline = (proportion(each, runs, ERROR / 2) for each in (present, absent))
    counts = tuple((name, f"{count} of {runs}") for name, count in zip(SHAPE, differs, strict=True))
    return Story(
        ATTACK,
        Outcome(
            name_of(target),
            success,
            baseline=baseline,
            certainty=confidence(),
            yardstick=no_more(Measure.EVENT),
            rows=rows(heights, data.height),
            trials=3 * runs,
        ),
        defended=None,
        learned=(f"In {present} of {runs} runs the shape of the release alone tells that the person is in the data.",),
        evidence=(Table("What is another with the person than without", ("of the release", "runs"), counts),),
        reproduce=Reproduce(seed=seed, parameters={"trials": runs}),
        seconds=time.monotonic() - start,
    )


def _learned(channel: str, outcome: Outcome) -> str:
    shown = {
        "order": "a gout stands before a flu, in a source sorted by illness",
        "index": "a row number is left out where the person was dropped",
        "stars": "a row of stars stands for the person who was dropped",
        "size": "the source is said to have one row more than the adversary can name",
    }[channel]
    return (
        f"With probability {float(outcome.success.low):.6g} {shown}; without the person such a release has probability "
        f"{float(outcome.baseline.high):.6g}."
    )


def _table(outcomes: dict[str, Outcome]) -> Table:
    rows = tuple((name, str(each.success), str(each.baseline)) for name, each in outcomes.items())
    return Table("The same cells through four channels", ("channel", "with the person", "without"), rows)


def read(release: pl.DataFrame, *, k: Number = 2) -> Finding:
    """The channels of a bare release file: row numbers, rows of stars, an order that is neither sort nor shuffle."""
    names = {"row-numbers", "star-rows", "row-order"}
    found = [
        each for each in check(release, Terms(k=k)) if isinstance(each.claim, Assertion) and each.claim.id in names
    ]
    open_channels = [each for each in found if isinstance(each.verdict, Refuted)]
    table = Table("Channels", ("channel", "verdict"), tuple((_id(each), each.verdict.name) for each in found))
    claim = Assertion(ATTACK.id, ATTACK.claim)
    if not open_channels:
        words = "No row number, no rows of stars, an order like that of a sort or a shuffle; no other was looked for."
        return Finding("the release", claim, NotRefuted(words), None, (table,))
    words = " ".join(_words(each) for each in open_channels)
    witness = Counterexample(words, {"channels": ", ".join(map(_id, open_channels))})
    return Finding("the release", claim, Refuted(witness), open_channels[-1].certainty, (table,))


def _id(finding: Finding) -> str:
    return finding.claim.id if isinstance(finding.claim, Assertion) else ""


def _words(finding: Finding) -> str:
    witness = finding.verdict.witness if isinstance(finding.verdict, Refuted) else None
    return witness.words if isinstance(witness, Counterexample) else ""
