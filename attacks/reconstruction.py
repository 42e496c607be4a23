"""Tables of counts, each of them harmless: together they allow hardly more than one set of records."""

import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.candidates import columns_of, require
from crowdproof.attacks.interface import Attack, Measure, Outcome, Severity, Story
from crowdproof.attacks.measure import ERROR, confidence, no_more, proportion
from crowdproof.attacks.tabulated import Coded, Country, Ints, Tables, tabulate
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.findings import Reproduce, Table
from crowdproof.mechanisms import Laplace

ATTACK = Attack(
    id="reconstruction",
    title="The census, taken apart",
    knows="How common each record is in the country, among people who are not in the tables.",
    sees="Of every block of a few people, for each two columns the table of counts.",
    infers="The records of the block solve linear equations over whole numbers, one for each count. A solution is "
    "looked for that is likely in the country.",
    claim="Tables of counts show no person's record: no more of a block is recovered than by what is common in the "
    "country.",
    remedy="Publish tables with noise for a total epsilon, of areas so large that the noise does not matter.",
    source="Dinur and Nissim 2003, revealing information while preserving privacy; Garfinkel, Abowd and Martindale "
    "2019, understanding database reconstruction attacks on public data (for the census of 2010, 46% of the records "
    "were recovered exactly from its tables; here on census rows of 1994 in blocks drawn at random)",
    severity=Severity.IDENTITY,
)
KNOWN = ("age", "sex", "race", "marital_status", "education")
YARDSTICK = no_more(Measure.RECORD)
Records = Counter[tuple[int, ...]]


def run(
    *,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    people: Number = 20,
    blocks: Number = 120,
    epsilon: Number = 1,
    seed: int = 0,
) -> Story:
    """`blocks` of so many people each, drawn from the data; everybody else is the country.

    One person of each block is tried: whether their complete record is among those that are recovered. The twin
    publishes the same tables of all blocks together, with noise for `epsilon`.
    """
    start = time.monotonic()
    rows = adult(complete=True) if data is None else data
    names = columns_of(known) or (KNOWN if data is None else tuple(rows.columns))
    require(rows, names)
    if len(names) < 3:
        raise ParameterError("tables of two columns each: name three columns or more, --set known=a,b,c.")
    size, many, loss = whole(people, "people", 2), whole(blocks, "blocks", 2), Epsilon.of(epsilon)
    draw, twins, trying = np.random.default_rng(seed).spawn(3)
    coded = Coded.of(rows, names)
    if len(coded.records) < 2 * size * many:
        raise DataError(
            f"the data has {len(coded.records)} rows without nulls, and {many} blocks of {size} are at most half of "
            "them: give smaller --set blocks= and people=."
        )
    sizes = [len(words) for words in coded.words]
    mixed = draw.permutation(coded.records)
    town, country = mixed[: size * many], Country.of(mixed[size * many :], sizes)
    told = [town[at : at + size] for at in range(0, len(town), size)]
    tables = [tabulate(each, sizes) for each in told]
    noisy = _noisy(tabulate(town, sizes), loss, twins)
    found = Tried.of(told, [country.consistent(each) for each in tables], country.likeliest(size), trying)
    fitted = country.fitted(noisy).likeliest(size)
    twin = Tried.of(told, [fitted] * many, country.likeliest(size), trying)
    return Story(
        ATTACK,
        found.outcome(f"exact tables of blocks of {size}"),
        defended=twin.outcome(f"tables of all {len(town):,} people, epsilon = {loss}"),
        learned=(found.learned(told, coded),),
        evidence=(_utility(tables, noisy, tabulate(town, sizes)), found.shares(told)),
        reproduce=Reproduce(
            seed=seed,
            parameters={"people": size, "blocks": many, "epsilon": str(loss), "known": list(names)},
        ),
        seconds=time.monotonic() - start,
    )


def _noisy(tables: Tables, epsilon: Epsilon, rng: np.random.Generator) -> Tables:
    """A person is counted once in each table: all of them together change by at most their number."""
    noise = Laplace(epsilon, len(tables))
    return [noise.perturb(each.ravel(), rng).reshape(each.shape) for each in tables]


@frozen(eq=False)
class Tried:
    """For each block the records that are named, and whether that of one person, drawn at random, is among them."""

    named: list[Records]
    by_country: Records
    right: int
    anyway: int

    @classmethod
    def of(cls, blocks: list[Ints], named: list[Records], by_country: Records, rng: np.random.Generator) -> "Tried":
        """Of people with the same record as many are recovered as were named."""
        right = anyway = 0
        for block, records in zip(blocks, named, strict=True):
            person = int(rng.integers(len(block)))
            record = tuple(block[person].tolist())
            before = int((block[:person] == block[person]).all(axis=1).sum())
            right, anyway = right + (records[record] > before), anyway + (by_country[record] > before)
        return cls(named, by_country, right, anyway)

    def outcome(self, name: str) -> Outcome:
        """One person from each block: blocks have nothing to do with each other."""
        trials = len(self.named)
        success, baseline = (proportion(each, trials, ERROR / 2) for each in (self.right, self.anyway))
        return Outcome(name, success, baseline, confidence(), yardstick=YARDSTICK, trials=1)

    def learned(self, blocks: list[Ints], coded: Coded) -> str:
        """The numbers in a sentence, and a person whose record was recovered."""
        people = sum(map(len, blocks))
        shares = [_recovered(block, named) for block, named in zip(blocks, self.named, strict=True)]
        all_of = sum(share == len(block) for share, block in zip(shares, blocks, strict=True))
        anyway = sum(_recovered(block, self.by_country) for block in blocks)
        example = next(
            (
                each
                for block, named in zip(blocks, self.named, strict=True)
                for each in block.tolist()
                if named[tuple(each)]
            ),
            None,
        )
        words = f" One of them: {coded.say(example)}." if example is not None else ""
        return (
            f"Of {people:,} people in {len(blocks):,} blocks the complete records of {sum(shares):,} "
            f"({sum(shares) / people:.1%}) are recovered, and in {all_of:,} blocks those of everybody; by what is "
            f"common in the country alone {anyway:,} ({anyway / people:.1%}).{words}"
        )

    def shares(self, blocks: list[Ints]) -> Table:
        """Blocks by how much of them is recovered."""
        shares = [_recovered(block, named) / len(block) for block, named in zip(blocks, self.named, strict=True)]
        limits = ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1), (1, 2))
        words = ("below a quarter", "a quarter to a half", "a half to three quarters", "three quarters or more", "all")
        rows = zip(words, (sum(low <= each < high for each in shares) for low, high in limits), strict=True)
        return Table(
            "How much of a block is recovered",
            ("records", "blocks"),
            tuple((word, f"{count:,}") for word, count in rows),
        )


def _recovered(block: Ints, named: Records) -> int:
    return (Counter(map(tuple, block.tolist())) & named).total()


def _utility(blocks: list[Tables], noisy: Tables, exact: Tables) -> Table:
    """How far the tables of the whole town are from the truth: those of the blocks add up to it."""
    summed = [sum((each[place] for each in blocks), np.zeros_like(exact[place])) for place in range(len(exact))]
    people = float(exact[0].sum())
    rows = []
    for name, tables in (("of every block", summed), ("of all together, noisy", noisy)):
        off = [float(abs(a - b).sum()) / 2 / people for a, b in zip(tables, exact, strict=True)]
        rows.append((name, f"{len(exact)}", f"{float(np.mean(off)):.2%}"))
    return Table(
        "How useful the tables are for the whole town",
        ("tables", "different", "people in the wrong cell, mean"),
        tuple(rows),
    )
