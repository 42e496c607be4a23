"""A guided search for neighbouring tables: Hypothesis climbs to larger leaks and shrinks the pair that it finds.

The search chooses a pair and nothing else. What is concluded about that pair is worked out exactly, or from randomness
that the search never saw.
"""

import contextlib
from collections.abc import Callable
from typing import Any

from attrs import define, frozen

from crowdproof.audit.neighbours.schema import Row, Schema
from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours

MOST_KINDS = 3
"""Distinct rows beside the one that comes or goes: a guess. With few kinds of rows an exact audit takes few runs."""

Score = Callable[[Pair], float | None]
"""How much the claim is exceeded on a pair: above 0 refutes it. None where the pair cannot be judged."""


@frozen(eq=False)
class Space:
    """The pairs of tables to search: up to three kinds of rows, each in one of the `sizes`, and one row more."""

    schema: Schema
    relation: Neighbours
    sizes: tuple[int, ...]
    """Smallest first, since that is where the search makes pairs small."""

    def strategy(self) -> Any:
        """A Hypothesis strategy for pairs; simpler pairs have fewer, more usual rows."""
        from hypothesis import strategies as st  # noqa: PLC0415  (slow to import, and only the search needs it)

        row = st.tuples(*(st.sampled_from(column.values) for column in self.schema.columns))
        odd = st.tuples(
            *(st.sampled_from(column.values) | st.sampled_from(column.extremes) for column in self.schema.columns)
        )
        crowd = st.lists(
            st.tuples(row, st.sampled_from(self.sizes)), max_size=MOST_KINDS, unique_by=lambda each: repr(each[0])
        )
        return st.builds(self.pair, crowd, odd, row)

    def pair(self, crowd: list[tuple[Row, int]], extra: Row, instead: Row) -> Pair:
        """The crowd with the extra row, against the crowd alone or, for replace, with another row."""
        removed = self.relation is Neighbours.ADD_REMOVE
        left = self.schema.table([*crowd, (extra, 1)])
        right = self.schema.table(crowd if removed else [*crowd, (instead, 1)])
        return Pair(
            left, right, self.relation, f"found by search and made small: {left.height} rows against {right.height}"
        )


class _FoundError(Exception):
    """Tells Hypothesis that a pair refutes the claim, so that it makes the pair smaller."""


@define(eq=False)
class Climb:
    """What the search has met so far."""

    score: Score
    best: Pair | None = None
    best_score: float = float("-inf")
    smallest: Pair | None = None
    """The last pair that exceeded the claim: Hypothesis ends with the smallest it knows."""
    tried: int = 0

    def visit(self, pair: Pair) -> None:
        """Judge a pair; raises where it exceeds the claim."""
        import hypothesis  # noqa: PLC0415

        value = self.score(pair)
        if value is None:
            return
        self.tried += 1
        hypothesis.target(value, label="excess")
        if value > self.best_score:
            self.best, self.best_score = pair, value
        if value > 0:
            self.smallest = pair
            raise _FoundError


def search(space: Space, score: Score, *, examples: int, seed: int) -> Climb:
    """Try up to that many pairs, and what it takes to make a found one small."""
    import hypothesis  # noqa: PLC0415
    from hypothesis import errors  # noqa: PLC0415

    climb = Climb(score)
    settings = hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.generate, hypothesis.Phase.target, hypothesis.Phase.shrink),
    )

    @hypothesis.seed(seed)
    @settings
    @hypothesis.given(space.strategy())
    def visit(pair: Pair) -> None:
        climb.visit(pair)

    # flaky: the budget ended while a pair was made smaller
    with contextlib.suppress(_FoundError, errors.Flaky, errors.Unsatisfiable):
        visit()
    return climb
