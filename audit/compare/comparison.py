"""The one place where it is decided whether neighbouring datasets can be told apart better than is claimed.

Pairs whose output law is finite and small are settled exactly, and take no share of the error. The others are tested by
betting, all together, with the whole error.

Where it was only measured that the target is deterministic, two tests are run at most, each with half of the error, so
that a true claim is refuted with at most the whole. The first goes by what was enumerated. If that breaks the claim,
fresh runs have to confirm it. If not, a test by betting looks for what a rare random release would show, on the pairs
that were enumerated as well. What was enumerated decides which of the two it is, and either has its error whatever that
was, since its runs are fresh. The second test is run only when a run comes out otherwise than was enumerated: it bets
against a target of which nothing is assumed.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, islice, zip_longest
from typing import Any

import numpy as np
from attrs import define, evolve, field

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare import betting_story
from crowdproof.audit.compare.betting import SequentialResult, sequential_audit
from crowdproof.audit.compare.enumeration import Enumeration
from crowdproof.audit.compare.exact import NotDeterministicError, Watched
from crowdproof.audit.compare.exact.sample_runs import NOT_DETERMINISTIC
from crowdproof.audit.compare.measured import GOING_ON
from crowdproof.audit.compare.pilot import best_by_search
from crowdproof.audit.compare.question import Question
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.targets.copying import Copying
from crowdproof.audit.targets.interface import started_afresh
from crowdproof.audit.targets.probe import probe
from crowdproof.errors import NoReleaseError
from crowdproof.findings import Note, PairWitness

PROBED = 2
"""Datasets on which the target is tried before the comparison: one could be refused for a reason of its own."""
MOST_PAIRS = 16
"""Pairs that are tested by betting side by side. A guess: the usual budgets teach enough about so many; more would get
too few runs each, and with fewer the pair that leaks may not be among them."""
RUNS_PER_PAIR = 2_000
"""With a small budget fewer pairs are tested, so that there are this many runs for each."""

INTERRUPTED = "it was interrupted"
"""Why a comparison ended that somebody interrupted."""


def compare(question: Question, allowance: Allowance, *, going_on: bool = True, bounds: bool = True) -> "Comparison":
    """Try to tell the neighbours of the question apart: enumerate, confirm, bet, fall back.

    Without `going_on` it ends with what was enumerated, even where it was only measured that the target is
    deterministic. Without `bounds` no lower bounds of epsilon and delta are worked out. An interrupt ends it with what
    was found so far.
    """
    comparison = Comparison(question, allowance, bounds=bounds)
    comparison.run(going_on=going_on)
    return comparison


@define(eq=False)
class Comparison:
    """A comparison under way, or done: whatever ended it, nothing that was found is lost."""

    question: Question
    allowance: Allowance
    bounds: bool = True
    """Whether lower bounds of epsilon and delta are worked out, for a report."""
    enumeration: Enumeration = field(init=False)
    pairs: Sequence[Pair] = ()
    """Those that were tested by betting."""
    tested: SequentialResult | None = None
    ended: str | None = None
    """Why it ended early, if it did."""
    tested_keys: frozenset[str] = frozenset()
    """Keys of the releases of all tests by betting that count."""

    def __attrs_post_init__(self) -> None:
        self.enumeration = Enumeration(self.question, self.allowance)

    def run(self, *, going_on: bool = True) -> None:
        """Do all of it."""
        try:
            self._look(going_on)
        except KeyboardInterrupt:
            self.ended = INTERRUPTED

    def probe(self) -> None:
        """Try the target on a few datasets. To release nothing on one side of a pair only may be a leak."""
        question = self.question
        if question.recorded:
            return
        if question.pairs is None:
            hand_made = (pair.left for pair in islice(question.proposals.worst_cases(), PROBED - 1))
            self._probe([question.data, *hand_made])
            return
        some = question.pairs[:PROBED]
        try:
            self._probe([pair.left for pair in some])
        except NoReleaseError:
            self.allowance.count(len(some))
            self._probe([pair.right for pair in some])

    def _probe(self, datasets: Sequence[Any]) -> None:
        question = self.question
        copying = Copying(question.mechanism) if question.runner.workers > 1 else None
        found = probe(question.mechanism, datasets, until=self.allowance.until)
        self.allowance.count(found.runs)
        self.allowance.pace = found.pace
        if copying is None:
            return
        objection = copying.objection(datasets, until=self.allowance.until)
        if objection is not None:
            known = evolve(question.known, notes=(*question.known.notes, objection))
            self.question = evolve(question, runner=Inline(), known=known)
            self.enumeration = Enumeration(self.question, self.allowance)

    def enumerate(self) -> None:
        """Settle what can be enumerated; what refutes is confirmed by fresh runs where that is needed."""
        if not self.question.known.finite:
            return
        part = self.enumeration
        part.examine(list(self.question.in_turn()))
        part.look_at_rows()
        if part.refuting is None and self.question.search and not self.allowance.spent:
            part.search()
        part.confirm()

    def search(self, question: Question, allowance: Allowance) -> list[Pair]:
        """The most promising pair of a randomized target, by runs that no verdict rests on."""
        if question.search and not question.known.finite:
            return best_by_search(question, allowance)
        return []

    def slice(
        self,
        budget: Budget,
        *,
        error: Fraction,
        seed: np.random.SeedSequence,
        first: Sequence[Pair] = (),
        learned: Any = None,
    ) -> SequentialResult:
        """One slice of a test by betting that goes on to the end of its budget, whatever it sees.

        The pairs, with some to be looked at `first`, are the same in every slice, so that what was `learned` on one is
        of use to the next.
        """
        pairs = list(islice(chain(first, self.question.own_data_first()), MOST_PAIRS))
        return self._test(
            self.question, pairs, error=error, budget=budget, seed=seed, warm=learned, stop=False, bounds=False
        )

    @property
    def keys(self) -> frozenset[str]:
        """Keys of all releases that count."""
        return self.enumeration.keys | self.tested_keys

    @property
    def error(self) -> Fraction:
        """The error of the test by betting: half of it all where fresh runs might have confirmed an enumeration."""
        return self.allowance.error / 2 if self.question.known.distrusted else self.allowance.error

    @property
    def witness(self) -> PairWitness | None:
        """What tells two of the datasets apart beyond the claim; None where nothing was shown that does."""
        enumerated = self.enumeration.refuting
        if enumerated is not None:
            return enumerated.witness() if self.enumeration.sure else None
        if self.tested is not None and self.tested.refuted is not None:
            return betting_story.witness(self.tested.refuted, self.pairs)
        return None

    def _look(self, going_on: bool) -> None:
        question = self.question
        if not question.known.finite:
            self._bet(question, list(question.own_data_first()), self.allowance, Stream.BETTING)
            return
        try:
            self.enumerate()
            if self.enumeration.refuting is None:
                self._go_on(going_on)
        except NotDeterministicError as error:
            self.enumeration.forget(error)
            self.pairs, self.tested, self.tested_keys = (), None, frozenset()
            if not going_on:
                return
            with started_afresh(question.mechanism) as mechanism:  # it may have drawn its noise when it started
                known = evolve(question.known, finite=False)
                randomized = evolve(question, mechanism=mechanism, known=known)
                self._bet(randomized, list(randomized.own_data_first()), self.allowance, Stream.BETTING)

    def _go_on(self, going_on: bool) -> None:
        """Test by betting what enumeration leaves open."""
        question, part = self.question, self.enumeration
        left = [pair for pair, _ in part.unaffordable]
        if not question.known.distrusted:
            self._bet(question, left, self.allowance, Stream.BETTING)
            return
        if not going_on:
            return
        watched = Watched.of(question.mechanism, [each.result for each in part.examined])
        in_turn = chain.from_iterable(zip_longest(part.worst_first(), left))
        pairs = [pair for pair in in_turn if pair is not None]
        own = self.allowance.part(1, seconds=GOING_ON if part.settled else None)
        self._bet(evolve(question, mechanism=watched), pairs, own, Stream.WATCHED)
        if self.tested is None:
            return
        if self.tested.failure == NOT_DETERMINISTIC:
            raise NotDeterministicError
        part.watched = self.tested.trials
        text = f"{part.watched:,} further runs of the test by betting came out as enumerated wherever that was done."
        part.notes.append(Note("No run differed", text))

    def _bet(self, question: Question, pairs: list[Pair], allowance: Allowance, stream: Stream) -> None:
        """Test by betting on these pairs, with what is left of the budget."""
        if allowance.spent:
            if allowance.left().runs != 0:
                self.ended = "the budget of time was spent"
            return
        pairs = [*self.search(question, allowance), *pairs]
        if not pairs:
            return
        tested = self._test(
            question,
            pairs[: _most_pairs(allowance)],
            error=self.error,
            budget=allowance.left(),
            seed=allowance.stream(stream),
            progress=allowance.progress,
            bounds=self.bounds,
            pace=allowance.pace,
        )
        allowance.count(tested.trials)

    def _test(self, question: Question, pairs: list[Pair], **options: Any) -> SequentialResult:
        """Run a test by betting on these pairs and keep what it says; the options are those of `sequential_audit`."""
        self.pairs = pairs
        self.tested = sequential_audit(pairs, question.whole, question.bet_on, runner=question.runner, **options)
        self.tested_keys |= self.tested.keys
        return self.tested


def _most_pairs(allowance: Allowance) -> int:
    """How many pairs the rest of the budget is enough for."""
    runs = allowance.expected()
    return MOST_PAIRS if runs is None else max(1, min(MOST_PAIRS, runs // RUNS_PER_PAIR))
