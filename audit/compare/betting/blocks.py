"""The record of one block of trials on one pair: what was known before it, which bets were made, and what came."""

from collections.abc import Sequence

from attrs import frozen

from crowdproof.audit.compare.betting.arms import Arm
from crowdproof.audit.compare.betting.bets import Bets
from crowdproof.audit.compare.betting.block_runs import Begun
from crowdproof.audit.compare.betting.hypotheses import Counts, Floats, Ints
from crowdproof.audit.releases import Score


@frozen(eq=False)
class Block:
    """One step of an audit of one pair. All counts are by bins of the score."""

    arm: int
    score: Score
    seen: Counts
    """Past outputs that the sizes of the bets were chosen by."""
    known: Counts
    """All past outputs that the score has counted."""
    bets: Bets
    """Those against the claim."""
    left: Ints
    right: Ints
    remaining: int
    """Trials that the audit was still to have, this block included, as far as was known."""
    leads: bool
    """Whether its pair has had most trials of those that ran together. Lower bounds are worked out from such blocks
    only, since the others share runs with them and so are not independent of them."""

    @property
    def gained(self) -> Floats:
        """Log-wealth that the bets gained: by strategy, for the claim."""
        return self.bets.pay(self.left, self.right)


@frozen(eq=False)
class Prepared:
    """What is known of a pair before a block of it runs, and the bets on it."""

    arm: Arm
    score: Score | None
    """None before anything was learned: then nothing is bet."""
    seen: Counts
    known: Counts
    bets: Bets

    def block(self, cells: Counts, *, remaining: int, leads: bool) -> Block:
        """The record of the block, once it has run and gave these counts by cells."""
        assert self.score is not None
        left, right = cells
        return Block(
            arm=self.arm.index,
            score=self.score,
            seen=self.seen,
            known=self.known,
            bets=self.bets,
            left=self.score.binned(left),
            right=self.score.binned(right),
            remaining=remaining,
            leads=leads,
        )


@frozen(eq=False)
class Step:
    """A block that was begun, of one pair or of several that have a dataset in common."""

    arms: Sequence[Arm]
    prepared: Sequence[Prepared]
    begun: Begun
    remaining: int
    """Trials that the audit was still to have, this block included, as far as was known."""
    promise: float
    """What its first pair promised when it was begun."""
