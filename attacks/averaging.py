"""The same noisy question, asked again and again: the noise averages out."""

import time
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.candidates import require
from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.linkage import HIDDEN, columns
from crowdproof.attacks.measure import ERROR, at_most, confidence, proportion, times
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.findings import Chart, Estimate, Reproduce, Series, Table
from crowdproof.mechanisms import Laplace

ATTACK = Attack(
    id="averaging",
    title="Asked a thousand times",
    knows="Everybody's secret but one person's, and that this person has the secret in question or not, one as likely "
    "as the other.",
    sees="How many people have the secret, with fresh Laplace noise for epsilon in every answer.",
    infers="The mean of the answers is near the true count; the person has the secret if it is nearer to one more.",
    claim="Every answer is epsilon-differentially private, so that nobody is right about the person with a probability "
    "above e^epsilon / (1 + e^epsilon).",
    remedy="Spend a budget: answer a question once, and give the same answer whenever it is asked again.",
    source="Dwork, McSherry, Nissim and Smith 2006, calibrating noise to sensitivity in private data analysis "
    "(composition)",
    severity=Severity.ATTRIBUTE,
)
_BLOCK = 1_000_000
"""Draws that are held at a time: a matter of memory."""


def run(
    *,
    data: pl.DataFrame | None = None,
    secret: str | None = None,
    value: str | None = None,
    epsilon: Number = "0.1",
    answers: Number = 1000,
    trials: Number = 1000,
    seed: int = 0,
) -> Story:
    """A count with noise for epsilon, answered `answers` times with fresh noise, or always by the first answer."""
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    hidden = secret or (HIDDEN if data is None else columns(people, None, None)[1])
    require(people, [hidden])
    texts = people[hidden].drop_nulls().cast(pl.String)
    if texts.is_empty():
        raise DataError(f"nobody has a {hidden}: give another --set secret=COLUMN.")
    asked = str(texts.value_counts().sort("count", hidden, descending=[True, False])[0, 0]) if value is None else value
    loss, many, runs = Epsilon.of(epsilon), whole(answers, "answers"), whole(trials, "trials")
    factor = times(loss)
    yardstick = at_most(factor / (1 + factor), f"e^{loss} / (1 + e^{loss})")
    victims, twins = np.random.default_rng(seed).spawn(2)
    others = int((texts == asked).sum()) - 1
    if others < 0:
        raise DataError(f"nobody has {asked!r} in {hidden}: give a --set value= that somebody has.")
    count = Counting(others, loss)
    victim = count.outcome(f"{many:,} answers with fresh noise", many, yardstick, trials=runs, rng=victims)
    twin = count.outcome("one answer, given again and again", 1, yardstick, trials=runs, rng=twins)
    told = count.means(many, np.array([1]), np.random.default_rng(seed))[0]
    return Story(
        ATTACK,
        victim,
        defended=twin,
        learned=(_learned(others, asked, many, told, first=_first(count, seed)),),
        evidence=(count.utility(np.random.default_rng(seed)), count.by_answers(many, np.random.default_rng(seed))),
        reproduce=Reproduce(
            seed=seed,
            parameters={"epsilon": str(loss), "answers": many, "secret": hidden, "value": asked, "trials": runs},
        ),
        seconds=time.monotonic() - start,
    )


@frozen
class Counting:
    """How many people have a secret: so many others, and the person or not."""

    others: int
    epsilon: Epsilon

    def means(self, answers: int, person: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """For each trial the mean of so many answers, where the person has the secret or has not."""
        noise = Laplace(self.epsilon)
        found = []
        step = max(1, _BLOCK // answers)
        for at in range(0, len(person), step):
            truth = self.others + person[at : at + step].astype(np.float64)
            found.append(noise.perturb(np.repeat(truth, answers), rng).reshape(-1, answers).mean(axis=1))
        return np.concatenate(found)

    def right(self, answers: int, trials: int, rng: np.random.Generator) -> int:
        """How often the person is said rightly to have it or not; every trial has a person of its own."""
        person = rng.integers(2, size=trials)
        return int(np.count_nonzero((self.means(answers, person, rng) > self.others + 0.5) == person))

    def outcome(
        self, name: str, answers: int, yardstick: Yardstick, *, trials: int, rng: np.random.Generator
    ) -> Outcome:
        """Without the answers nobody is right more often than not."""
        success = proportion(self.right(answers, trials, rng), trials, ERROR)
        half = Estimate.exactly(Fraction(1, 2))
        return Outcome(name, success, half, confidence(), yardstick=yardstick, trials=trials)

    def utility(self, rng: np.random.Generator) -> Table:
        """How far an answer is from the truth: the same for both."""
        draws = Laplace(self.epsilon).perturb(np.full(2 * 10_000, float(self.others)), rng)
        off = abs(draws - self.others).reshape(2, -1).mean(axis=1)
        names = ("with fresh noise", "given again and again")
        rows = tuple(
            (name, f"{each:.1f}", f"{each / max(self.others, 1):.2%}") for name, each in zip(names, off, strict=True)
        )
        return Table("How useful an answer is", ("answers", "off by, in people, mean", "of the count"), rows)

    def by_answers(self, most: int, rng: np.random.Generator) -> Chart:
        """How often the person is said rightly, by the number of answers."""
        sizes = sorted({1, *(round(most ** (each / 4)) for each in range(1, 5))})
        shares = [self.right(each, 300, rng) / 300 for each in sizes]
        x = tuple(map(float, sizes))
        return Chart(
            "Right about the person", "answers", "share", (Series("of 300 trials", x, tuple(shares)),), log_x=True
        )


def _first(count: Counting, seed: int) -> float:
    return float(Laplace(count.epsilon).perturb(np.array([count.others + 1.0]), np.random.default_rng(seed))[0])


def _learned(others: int, value: str, answers: int, told: float, *, first: float) -> str:
    nearer = others + (told > others + 0.5)
    return (
        f"{others:,} others have {value}. The first answer is {first:,.1f}, the mean of {answers:,} answers "
        f"{told:,.2f}: nearer to {nearer:,}, so that the person {'has' if nearer > others else 'does not have'} it; "
        f"the true count is {others + 1:,}."
    )
