"""Two answers about many people, whose difference is an answer about one."""

import time
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.attacks.candidates import Row
from crowdproof.attacks.grouped import Setting
from crowdproof.attacks.interface import Attack, Measure, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, proportion, times
from crowdproof.attacks.people import in_random_order, leave_out
from crowdproof.attacks.pointing import Floats
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.findings import Reproduce, Table
from crowdproof.mechanisms import Laplace

ATTACK = Attack(
    id="differencing",
    title="Everybody, and everybody but one",
    knows="The public values of a person.",
    sees="Counts of how many people have each secret, of any group that is asked about and has at least k people.",
    infers="Everybody is asked about, and then everybody but those with the person's public values. Both groups are "
    "large; the difference of the answers counts those few, the person among them, and the commonest secret is said.",
    claim="Answers about at least k people show nobody's secret: they tell at most e^epsilon times what is told "
    "without the person.",
    remedy="Spend a budget: noise on every answer, so much that all answers together are epsilon-differentially "
    "private.",
    source="Denning, Denning and Schwartz 1979, the tracker: a threat to statistical database security; Dwork and Roth "
    "2014, the algorithmic foundations of differential privacy, section 1.1",
    severity=Severity.ATTRIBUTE,
)
KNOWN = ("age", "sex", "race", "marital_status", "education_num", "hours_per_week")


@frozen(eq=False)
class Exact:
    """Answers every question about at least k people exactly."""

    k: int

    def __call__(self, counts: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG002
        """The answers: for each question how many people have each secret."""
        return np.where(counts.sum(axis=1, keepdims=True) >= self.k, counts, 0.0)


@frozen(eq=False)
class Budgeted:
    """Answers so many questions with noise of a total epsilon, and none after that."""

    k: int
    epsilon: Epsilon
    questions: int
    noise: Laplace = field(init=False)

    def __attrs_post_init__(self) -> None:
        # A person is counted once in each answer: all answers together change by at most the number of questions.
        object.__setattr__(self, "noise", Laplace(self.epsilon, self.questions))

    def __call__(self, counts: Floats, rng: np.random.Generator) -> Floats:
        """The noisy answers to the first questions; the others get none."""
        answers = np.zeros_like(counts)
        answers[: self.questions] = self.noise(counts[: self.questions], rng)
        return answers


Server = Exact | Budgeted


def run(
    *,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 100,
    epsilon: Number = "0.5",
    rows: Number = 4000,
    trials: Number = 250,
    seed: int = 0,
) -> Story:
    """A server answers exactly, if at least k people are asked about; the twin spends a budget of epsilon.

    `rows` people are in the data; `trials` of them are asked about, each beside answers without them.
    """
    start = time.monotonic()
    size, runs, loss = whole(k, "k"), whole(trials, "trials"), Epsilon.of(epsilon)
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    setting = Setting.of(data, known, secret, rows, usual=KNOWN, rng=draw)
    people = setting.tables.inside.drop_nulls()
    if people.height < size + 2:
        raise ParameterError(f"k is {size}, and the data has {people.height} rows without nulls: give a smaller k.")
    yardstick = Yardstick(
        Measure.PERSON,
        f"e^{loss} times what is told without the person",
        lambda baseline: min(Fraction(1), times(loss) * baseline),
    )
    adversary = Asking.of(people, setting)
    exact, budgeted = Exact(size), Budgeted(size, loss, questions=2)
    victim = adversary.measure("exact answers", exact, yardstick, runs, victims)
    twin = adversary.measure(f"noisy answers, epsilon = {loss} in all", budgeted, yardstick, runs, twins)
    return Story(
        ATTACK,
        victim,
        defended=twin,
        learned=(adversary.learned(exact, adversary.somebody(), draw),),
        evidence=(adversary.utility({"exact answers": exact, "noisy answers": budgeted}, draw),),
        reproduce=Reproduce(
            seed=seed,
            parameters={
                "k": size,
                "epsilon": str(loss),
                "known": list(setting.known),
                "secret": setting.secret,
                "rows": people.height,
            },
        ),
        seconds=time.monotonic() - start,
    )


@frozen(eq=False)
class Asking:
    """Asks about everybody, and about everybody but those with a person's public values."""

    people: pl.DataFrame
    known: tuple[str, ...]
    secret: str
    values: tuple[str, ...]

    @classmethod
    def of(cls, people: pl.DataFrame, setting: Setting) -> "Asking":
        """Which secrets there are is public."""
        values = tuple(people[setting.secret].cast(pl.String).unique().sort())
        return cls(people, setting.known, setting.secret, values)

    def counts(self, people: pl.DataFrame, person: Row) -> Floats:
        """Question x secret: how many people have it."""
        alike = people.select(pl.all_horizontal(pl.col(name) == person[name] for name in self.known)).to_series()
        texts = people[self.secret].cast(pl.String)
        return np.array([self._histogram(texts), self._histogram(texts.filter(~alike))])

    def _histogram(self, texts: pl.Series) -> Floats:
        found = dict(texts.value_counts().rows())
        return np.array([float(found.get(each, 0)) for each in self.values])

    def say(self, answers: Floats) -> str:
        """The secret of which the difference has most; the commonest of all, where the difference shows none."""
        difference = answers[0] - answers[1]
        shown = difference if difference.max() > 0 else answers[0]
        return self.values[int(shown.argmax())]

    def measure(
        self, name: str, server: Server, yardstick: Yardstick, trials: int, rng: np.random.Generator
    ) -> Outcome:
        """People are drawn at random; each is asked about with them in the data, and with them left out."""

        def is_right(people: pl.DataFrame, person: Row) -> bool:
            return self.say(server(self.counts(people, person), rng)) == str(person[self.secret])

        found = []
        for place in rng.integers(self.people.height, size=trials).tolist():
            right = partial(is_right, person=self.people.row(place, named=True))
            found.append(in_random_order(right, (self.people, leave_out(self.people, place)), rng))
        success, baseline = (proportion(sum(each), trials, ERROR / 2) for each in zip(*found, strict=True))
        return Outcome(name, success, baseline, confidence(), yardstick=yardstick, trials=2 * trials)

    def somebody(self) -> Row:
        """The first person whose public values nobody else has, or the first of all where there is none."""
        alone = self.people.with_row_index("\0place").filter(pl.len().over(self.known) == 1)["\0place"]
        return self.people.row(int(alone[0]) if len(alone) else 0, named=True)

    def learned(self, server: Server, person: Row, rng: np.random.Generator) -> str:
        """The two answers about one person."""
        answers = server(self.counts(self.people, person), rng)
        place = self.values.index(self.say(answers))
        groups = [int(each.sum()) for each in answers]
        about = ", ".join(str(person[name]) for name in self.known)
        return (
            f"Of {groups[0]:,} people {int(answers[0, place]):,} have {self.values[place]}; of the {groups[1]:,} of "
            f"them who are not {about}, {int(answers[1, place]):,}. So {int(answers[0, place] - answers[1, place]):,} "
            f"of {groups[0] - groups[1]:,} with these values has it. The person has {person[self.secret]}."
        )

    def utility(self, servers: dict[str, Server], rng: np.random.Generator) -> Table:
        """How far an answer is from the truth, in rows and as a share of the mean answer."""
        truth = self.counts(self.people, self.people.row(0, named=True))
        rows = []
        for name, server in servers.items():
            off = float(np.mean([abs(server(truth, rng) - truth).mean() for _ in range(20)]))
            rows.append((name, f"{off:.2f}", f"{off / max(float(truth.mean()), 1e-9):.2%}"))
        return Table(
            f"How useful the answers are: {len(self.values)} counts of {self.people.height:,} people",
            ("answers", "off by, in people, mean", "of the mean count"),
            tuple(rows),
        )
