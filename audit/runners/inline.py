"""The simplest place to run: here and now."""

from collections.abc import Callable, Iterable, Iterator

from attrs import define

from crowdproof.audit.request import Item, Result


@define
class Inline:
    """Runs every trial in this process, when its result is asked for."""

    workers: int = 1

    def map(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
        """The results of `function` on `items`, in order."""
        return map(function, items)
