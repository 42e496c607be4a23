"""The simplest place to run: here and now."""

import operator
import time
from collections.abc import Callable, Iterable, Iterator

from attrs import Factory, define

from crowdproof.audit.request import Item, Result, Results, Work
from crowdproof.audit.runners.pace import Pace


class Mapped(map):  # type: ignore[type-arg]
    """Results that are worked out when they are asked for."""

    def close(self) -> None:
        """Nothing is under way."""


@define
class Inline:
    """Runs every trial in this process, when its result is asked for."""

    workers: int = 1
    pace: Pace = Factory(Pace)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> Results[Result]:
        """The results of `function` on `items`, in order."""
        return Mapped(function, items)

    def spread(self, work: Work[Result], /) -> Results[Result]:
        """The results of all pieces of the work, in order."""
        return Mapped(operator.call, self._pieces(work))

    def _pieces(self, work: Work[Result]) -> Iterator[Callable[[], Result]]:
        """The pieces, each of which is done when the next one is asked for."""
        start = 0
        while start < work.units:
            stop = start + self.pace.units(work.units - start, workers=1)
            begun = time.perf_counter()
            yield work.cut(start, stop)
            self.pace.took(time.perf_counter() - begun, stop - start)
            start = stop
