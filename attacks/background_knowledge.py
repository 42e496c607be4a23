"""The adversary can rule out a secret or two: of l in the bucket, fewer are left."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.bucketing import Ints, anatomy
from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.linkage import HIDDEN, columns
from crowdproof.attacks.measure import ERROR, at_most, confidence, proportion
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number, whole
from crowdproof.findings import Reproduce, Table

ATTACK = Attack(
    id="background-knowledge",
    title="It is not that one",
    knows="Which bucket of the release a person is in, and of a few of the secrets in it that they are not theirs: a "
    "colleague, a neighbour or common sense tells that.",
    sees="Buckets of l people and of l different secrets, without which secret is whose (Anatomy).",
    infers="One of the secrets that are left, each as likely as the others.",
    claim="In a bucket of l different secrets nobody's can be told with a probability above 1/l, whatever the "
    "adversary knows besides.",
    remedy="Publish buckets of l + b secrets where an adversary can rule out b of them: then l are left.",
    source="Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, l-diversity; Martin, Kifer, Machanavajjhala, "
    "Gehrke and Halpern 2007, worst-case background knowledge",
    severity=Severity.ATTRIBUTE,
)


def run(
    *,
    data: pl.DataFrame | None = None,
    secret: str | None = None,
    l: Number = 3,  # noqa: E741
    b: Number = 1,
    rows: Number = 6000,
    seed: int = 0,
) -> Story:
    """Buckets of l people, of whom each has b secrets of the bucket ruled out; and buckets of l + b people.

    `rows` people are drawn for the release, at most half of all; as many others are outside. Of them the adversary
    rules out b secrets, too, and says the commonest that is left. Success is that of one person from each bucket.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    hidden = secret or (HIDDEN if data is None else columns(people, None, None)[1])
    least, ruled_out = whole(l, "l", 2), whole(b, "b", 1)
    if ruled_out >= least:
        raise ParameterError(f"b is {ruled_out}: of {least} secrets at most {least - 1} can be ruled out; give less.")
    mix, victims, twins = np.random.default_rng(seed).spawn(3)
    codes, values = _codes(people, hidden, mix)
    count = min(whole(rows, "rows", 2), len(codes) // 2)
    inside, outside = codes[:count], codes[count : 2 * count]
    yardstick = at_most(Fraction(1, least), f"1/l = 1/{least}")
    found = _attacked(inside, outside, size=least, ruled_out=ruled_out, rng=victims)
    twin = _attacked(inside, outside, size=least + ruled_out, ruled_out=ruled_out, rng=twins)
    return Story(
        ATTACK,
        found.outcome(f"Anatomy, l = {least}", yardstick),
        defended=twin.outcome(f"Anatomy, l = {least + ruled_out}", yardstick),
        learned=(found.learned(values),),
        evidence=(_table((found, twin)),),
        reproduce=Reproduce(seed=seed, parameters={"l": least, "b": ruled_out, "secret": hidden, "rows": count}),
        seconds=time.monotonic() - start,
    )


def _codes(people: pl.DataFrame, secret: str, rng: np.random.Generator) -> tuple[Ints, list[str]]:
    """The secrets in random order as numbers, and what they stand for; people without a secret are left out."""
    if secret not in people.columns:
        raise DataError(f"the data has no column {secret!r}: it has {', '.join(people.columns)}.")
    texts = people[secret].drop_nulls().cast(pl.String)
    if len(texts) < 4:
        raise DataError(f"{len(texts)} rows have a {secret}: give at least four people.")
    values, codes = np.unique(texts.to_numpy().astype(str), return_inverse=True)
    return rng.permutation(codes).astype(np.int64), values.tolist()


@frozen(eq=False)
class Found:
    """What came of it: a person of each bucket, what is left for them, and how often what was said was true."""

    size: int
    ruled_out: int
    people: int
    in_buckets: int
    right: int
    buckets: int
    outside_right: int
    outside: int
    left: Ints
    """For the first person, the secrets of the bucket that are left."""
    gone: Ints
    """And those that were ruled out."""
    truth: int

    def outcome(self, name: str, yardstick: Yardstick) -> Outcome:
        """One person from each bucket, against people outside."""
        success, baseline = (
            proportion(right, of, ERROR / 2)
            for right, of in ((self.right, self.buckets), (self.outside_right, self.outside))
        )
        shown = Rows(self.in_buckets, self.people)
        return Outcome(name, success, baseline, confidence(), yardstick=yardstick, rows=shown, trials=1)

    def learned(self, values: list[str]) -> str:
        """The numbers in a sentence, and one person."""
        left, gone = (", ".join(values[each] for each in which) for which in (self.left, self.gone))
        return (
            f"With {self.ruled_out} of {self.size} ruled out, the secret of {self.right:,} of {self.buckets:,} people, "
            f"one from each bucket, is told rightly: {self.right / self.buckets:.1%}. Of people outside, with as many "
            f"ruled out, the commonest that is left is right for {self.outside_right / self.outside:.1%}. For one "
            f"person it is not {gone}, which leaves {left}; it is {values[self.truth]}."
        )


def _attacked(inside: Ints, outside: Ints, *, size: int, ruled_out: int, rng: np.random.Generator) -> Found:
    buckets = anatomy(inside, size, rng)
    if not len(buckets):
        raise DataError(f"there are not so many different secrets as {size}: give a smaller l or b.")
    shown = inside[buckets]
    person = rng.integers(size, size=len(buckets))
    kept = rng.permuted(np.tile(np.arange(size - 1), (len(buckets), 1)), axis=1)
    others = kept + (kept >= person[:, None])  # the places of the others in a bucket, in random order
    gone, left = others[:, :ruled_out], np.hstack([person[:, None], others[:, ruled_out:]])
    said = rng.permuted(left, axis=1)[:, 0]
    return Found(
        size=size,
        ruled_out=ruled_out,
        people=len(inside),
        in_buckets=buckets.size,
        right=int(np.count_nonzero(said == person)),
        buckets=len(buckets),
        outside_right=_without(inside, outside, ruled_out),
        outside=len(outside),
        left=np.sort(shown[0, left[0]]),
        gone=np.sort(shown[0, gone[0]]),
        truth=int(shown[0, person[0]]),
    )


def _without(inside: Ints, outside: Ints, ruled_out: int) -> int:
    """Of people outside, how often the commonest secret that is left is theirs; the commonest others are ruled out."""
    ranked = np.argsort(-np.bincount(inside, minlength=int(outside.max()) + 1), kind="stable")
    best = np.isin(outside, ranked[: ruled_out + 1])  # if theirs is not among these, one of them is left and is said
    return int(np.count_nonzero(best))


def _table(found: Sequence[Found]) -> Table:
    rows = tuple(
        (
            f"l = {each.size}",
            str(each.ruled_out),
            f"1 of {each.size - each.ruled_out}",
            f"{each.right / each.buckets:.1%}",
        )
        for each in found
    )
    return Table("What ruling out does", ("buckets", "ruled out", "left", "told rightly"), rows)
