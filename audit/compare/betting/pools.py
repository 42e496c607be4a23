"""Past releases of one side of a pair, kept for learning; memory stays bounded."""

from attrs import Factory, define

from crowdproof.audit.releases import Releases

KEPT_NUMBERS = 2**21
"""Numbers kept for each side of a pair: 16 MiB of floats. A guess at what a machine has for each of some pairs."""
KEPT_ROWS = 2**18
"""Outputs kept for each side of a pair where they are numbers: a guess, above what any score is fitted to."""
KEPT_RECORDS = 4000
"""Outputs kept for each side of a pair where they are not numbers: a guess, since such outputs take much more memory
and time to read."""


@define(eq=False)
class Pool:
    """The first releases of one side, up to a limit."""

    pieces: list[Releases] = Factory(list)
    size: int = 0

    def room(self) -> int:
        """How many more are wanted."""
        form = self.pieces[0].form if self.pieces else None
        if form is None:
            return max(KEPT_RECORDS - self.size, 0)
        return max(min(KEPT_ROWS, KEPT_NUMBERS // form.width) - self.size, 0)

    def add(self, releases: Releases) -> None:
        """Keep these as well, as far as they are wanted."""
        kept = releases[: self.room()]
        if len(kept):
            self.pieces.append(kept)
            self.size += len(kept)

    def joined(self) -> Releases:
        """All of them."""
        if not self.pieces:
            return Releases.of([])
        self.pieces = [Releases.joined(self.pieces)]
        return self.pieces[0]
