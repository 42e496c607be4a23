"""A published mixture teaches its own key: what goes with what is learned across buckets and applied within each."""

import time
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story
from crowdproof.attacks.linkage import HIDDEN, KNOWN
from crowdproof.attacks.measure import ERROR, confidence, proportion
from crowdproof.attacks.people import certified_gain
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Chart, Estimate, Reproduce, Series, Table
from crowdproof.mechanisms import Grid, Keep, Scheme, StronglySafe, poisson_sample
from crowdproof.mechanisms.recoding import Recoding

ATTACK = Attack(
    id="definetti",
    title="The mixture teaches its own key",
    knows="The public values of the people, and which bucket of the release a person is in.",
    sees="Buckets of l people and of l different secrets, without which secret is whose (Anatomy).",
    infers="Over many buckets it shows which public values go with which secret; that decides who is who in each.",
    claim="In a bucket of l different secrets nobody's can be told with a probability above 1/l.",
    remedy="Recode by a fixed scheme, take a sample, publish groups of at least k: what is learned is then the same "
    "whether a person takes part or not.",
    source="Kifer 2009, attacks on privacy and deFinetti's theorem",
    severity=Severity.ATTRIBUTE,
)
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_ROUNDS, _BALANCING = 12, 8
_SMOOTH = 0.5


@frozen(eq=False)
class People:
    """Public values as codes, one column each, and the secret as a code."""

    features: tuple[Ints, ...]
    sizes: tuple[int, ...]
    secret: Ints
    secrets: int

    @classmethod
    def of(cls, table: pl.DataFrame, known: tuple[str, ...], secret: str) -> "People":
        """The rows of the table; a number is known to five units."""
        rounded = table.select(
            (pl.col(name) // 5 if table.schema[name].is_numeric() else pl.col(name)).alias(name) for name in known
        )
        coded = [np.unique(rounded[name].to_numpy(), return_inverse=True) for name in known]
        values, hidden = np.unique(table[secret].cast(pl.String).to_numpy().astype(str), return_inverse=True)
        return cls(tuple(each for _, each in coded), tuple(len(each) for each, _ in coded), hidden, len(values))

    def rows(self, which: Ints) -> "People":
        """Some of the people."""
        return People(tuple(each[which] for each in self.features), self.sizes, self.secret[which], self.secrets)


@frozen(eq=False)
class Model:
    """Naive Bayes: the logarithms of how common each secret is, and each value among those who have it."""

    prior: Floats
    tables: tuple[Floats, ...]

    @classmethod
    def learn(cls, people: People, belief: Floats) -> "Model":
        """From people and, for each, how likely each secret is held to be."""
        tables = []
        for codes, size in zip(people.features, people.sizes, strict=True):
            counts = np.stack([np.bincount(codes, belief[:, each], size) for each in range(people.secrets)]) + _SMOOTH
            tables.append(np.log(counts / counts.sum(axis=1, keepdims=True)))
        weight = belief.sum(axis=0) + _SMOOTH
        return cls(np.log(weight / weight.sum()), tuple(tables))

    def scores(self, people: People) -> Floats:
        """Person x secret: the logarithm of their joint probability."""
        total = np.tile(self.prior, (len(people.secret), 1))
        for codes, table in zip(people.features, self.tables, strict=True):
            total += table[:, codes].T
        return total


def anatomy(secret: Ints, l: int, rng: np.random.Generator) -> Ints:  # noqa: E741
    """Bucket x place: rows with l different secrets each, drawn from the commonest ones that are left (Anatomy).

    Rows that are left over when fewer than l secrets remain are not published.
    """
    piles = [rng.permutation(np.flatnonzero(secret == each)).tolist() for each in range(int(secret.max()) + 1)]
    buckets: list[Ints] = []
    while True:
        order = sorted(range(len(piles)), key=lambda each: -len(piles[each]))[:l]
        if len(order) < l or not piles[order[-1]]:
            return np.array(buckets, dtype=np.int64).reshape(-1, l)
        buckets.append(rng.permutation([piles[each].pop() for each in order]))


def match(people: People, buckets: Ints, rng: np.random.Generator) -> tuple[Model, Ints]:
    """Learn and match in turn; the model, and for each bucket and place the secret that is said to be that person's.

    What is seen of a bucket is its people and its secrets, shuffled: the truth is not used.
    """
    members = people.rows(buckets.ravel())
    shape = buckets.shape
    shown = rng.permuted(people.secret[buckets], axis=1)
    belief = np.zeros((*shape, people.secrets))
    np.put_along_axis(belief, np.repeat(shown[:, None, :], shape[1], axis=1), 1 / shape[1], axis=2)
    for _ in range(_ROUNDS):
        model = Model.learn(members, belief.reshape(-1, people.secrets))
        weights = _assignments(model, members, shown)
        belief[:] = 0
        np.put_along_axis(belief, np.repeat(shown[:, None, :], shape[1], axis=1), weights, axis=2)
    best = weights.argmax(axis=2)
    return model, np.take_along_axis(shown, best, axis=1)


def _assignments(model: Model, members: People, shown: Ints) -> Floats:
    """Bucket x person x shown secret: how likely they belong together, each person and each secret once."""
    scores = model.scores(members).reshape(*shown.shape, -1)
    chosen = (
        np.take_along_axis(scores, np.repeat(shown[:, None, :], shown.shape[1], axis=1), axis=2)
        - model.prior[shown][:, None, :]
    )
    weights: Floats = np.exp(chosen - chosen.max(axis=2, keepdims=True)) + 1e-12
    for _ in range(_BALANCING):
        weights /= weights.sum(axis=1, keepdims=True)
        weights /= weights.sum(axis=2, keepdims=True)
    return weights


def run(
    *,
    data: pl.DataFrame | None = None,
    l: Number = 3,  # noqa: E741
    k: Number = 20,
    beta: Number = "1/4",
    outside: Number = 4000,
    seed: int = 0,
) -> Story:
    """Census rows in buckets of l occupations; `outside` people are not in the data, and show what is learned anyway.

    Success on the victim is that of one person from each bucket: who is who in one says nothing of the others, but the
    people of a bucket are right or wrong together. The baseline is the better of 1/l and of what the learned model says
    of people outside.
    """
    start = time.monotonic()
    table = adult(complete=True) if data is None else data
    for name in (*KNOWN, HIDDEN):
        if name not in table.columns:
            raise DataError(f"the data has no column {name!r}, which this demonstration uses: give census rows.")
    size, left_out = whole(l, "l", 2), whole(outside, "outside")
    if left_out >= table.height // 2:
        raise DataError(f"outside is {left_out}: give less than half of the {table.height} rows.")
    mix, bucketing, twins = np.random.default_rng(seed).spawn(3)
    mixed = table[mix.permutation(table.height)]
    everybody = People.of(mixed, KNOWN, HIDDEN)
    apart, inside = np.arange(left_out), np.arange(left_out, table.height)
    victim, learned = _attacked(everybody.rows(inside), everybody.rows(apart), size, bucketing)
    if victim is None:
        raise DataError(f"l is {size}: there are not so many different secrets; give less.")
    return Story(
        ATTACK,
        victim,
        defended=_defended(mixed, left_out, k=whole(k, "k"), beta=rate(beta), rng=twins),
        learned=(learned,),
        evidence=(_table(victim, size), _by_l(everybody.rows(inside), bucketing)),
        reproduce=Reproduce(seed=seed, parameters={"l": size, "outside": left_out}),
        seconds=time.monotonic() - start,
    )


def _attacked(people: People, apart: People, l: int, rng: np.random.Generator) -> tuple[Outcome | None, str]:  # noqa: E741
    buckets = anatomy(people.secret, l, rng)
    if not len(buckets):
        return None, ""
    model, said = match(people, buckets, rng)
    hits = said == people.secret[buckets]
    right = int(np.count_nonzero(hits))
    success = proportion(int(np.count_nonzero(hits[:, 0])), len(buckets), ERROR / 2)  # who is first in one is random
    guessed = int(np.count_nonzero(model.scores(apart).argmax(axis=1) == apart.secret))
    anyway = proportion(guessed, len(apart.secret), ERROR / 2)
    baseline = Estimate(max(anyway.low, Fraction(1, l)), max(anyway.high, Fraction(1, l)))
    words = (
        f"Of {buckets.size:,} people in buckets of {l} the secret is told rightly for {right:,}, "
        f"{right / buckets.size:.1%}, where 1/{l} is {1 / l:.1%}; of people outside, the same model tells "
        f"{guessed / len(apart.secret):.1%}, so that {right / buckets.size - guessed / len(apart.secret):.1%} is what "
        "being in the release costs."
    )
    return Outcome(f"Anatomy, l = {l}", success, baseline, confidence(), 1), words


def _defended(mixed: pl.DataFrame, left_out: int, *, k: int, beta: Fraction, rng: np.random.Generator) -> Outcome:
    """Naive Bayes from a strongly safe release of a sample: as often right of people in the data as of others."""
    kept: dict[str, Recoding] = {"age": Grid(10), "sex": Keep(), "education": Keep(), HIDDEN: Keep()}
    release = StronglySafe(Scheme(kept), k)(poisson_sample(mixed.tail(mixed.height - left_out), beta, rng))
    known = tuple(name for name in kept if name != HIDDEN)
    recoded = Scheme(kept)(mixed)
    shown = People.of(pl.concat([recoded, release]), known, HIDDEN)
    taught = shown.rows(np.arange(mixed.height, mixed.height + release.height))
    model = Model.learn(taught, np.eye(shown.secrets)[taught.secret])
    right = model.scores(shown.rows(np.arange(mixed.height))).argmax(axis=1) == shown.secret[: mixed.height]
    inside = rng.permutation(np.arange(left_out, mixed.height))[:left_out]
    success, baseline = (
        proportion(int(right[which].sum()), left_out, ERROR / 2) for which in (inside, np.arange(left_out))
    )
    bound = certified_gain(k, beta)(baseline.high)
    return Outcome(
        f"strongly safe, k = {k}, of a sample at {beta}",
        success,
        baseline=baseline,
        certainty=confidence(),
        trials=1,
        bound=bound,
    )


def _table(victim: Outcome, l: int) -> Table:  # noqa: E741
    return Table(
        "How often the secret is told rightly",
        ("by", "right"),
        (
            ("the bucket alone", f"{1 / l:.1%}"),
            ("the better of that and the learned model", str(victim.baseline)),
            ("the bucket and the learned model", str(victim.success)),
        ),
    )


def _by_l(people: People, rng: np.random.Generator) -> Chart:
    sizes = (2, 3, 4, 6)
    shares = []
    for l in sizes:  # noqa: E741
        buckets = anatomy(people.secret, l, rng)
        said = match(people, buckets, rng)[1] if len(buckets) else buckets
        shares.append(float(np.mean(said == people.secret[buckets])) if len(buckets) else 0.0)
    x = tuple(map(float, sizes))
    return Chart(
        "Secrets told rightly",
        "l",
        "share",
        (Series("by the attack", x, tuple(shares)), Series("claimed: 1/l", x, tuple(1 / l for l in sizes))),  # noqa: E741
    )
