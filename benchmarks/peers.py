"""Certified lower bounds of epsilon against DP-Sniper and StatDP: the same mechanisms and pairs, no more calls.

Each mechanism gets as many calls as the more frugal of the peers had and is bounded at the stricter peer's confidence;
where that does not pass a peer that had more calls, it is run again with that peer's calls and confidence. The last
columns tell how many calls our bound needed to pass each peer's, as a share of that peer's calls. A second table
has the peers that are given the pair, which were measured on one mechanism only.
`python -m benchmarks.peers SVT1 SVT4` runs some of them.
"""

import math
import statistics
import sys
import time
from fractions import Fraction

import numpy as np

from benchmarks.standard import HALF, SUBJECTS, Subject
from crowdproof.audit.compare.betting.bets import BOUND
from crowdproof.audit.compare.betting.betting_audit import Audit
from crowdproof.audit.compare.betting.block_runs import BlockRuns
from crowdproof.audit.compare.betting.bounds import epsilon_ladder
from crowdproof.audit.compare.betting.hypotheses import Nulls
from crowdproof.audit.compare.betting.sharing import arms_of
from crowdproof.audit.compare.betting.trials import RunChunk
from crowdproof.audit.request import Budget
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Point

ERRORS = {"DP-Sniper": Fraction(1, 10), "StatDP": Fraction(1, 20)}
GIVEN = (
    ("jax_privacy, given scores", 0.4381, 10**4, Fraction(1, 20)),
    ("jax_privacy, given scores", 0.4747, 10**5, Fraction(1, 20)),
    ("jax_privacy, given scores", 0.4909, 10**6, Fraction(1, 20)),
    ("DP-Auditorium", 0.4375, 10**5, Fraction(1, 20)),
    ("Delta-Siege, its last step", 0.4951, 10**6, Fraction(1, 10)),
)
"""Peer, bound, outputs on either side and error on Laplace noise with e = 0.5."""
REPEATS = 9


def measure(
    subject: Subject, runs: int, error: Fraction, seed: int = 1
) -> tuple[float, list[tuple[int, float]], float]:
    """The bound, how it grew with the calls, and the CPU seconds."""
    start = time.process_time()
    log_error = math.log(error)
    ladder = epsilon_ladder(0.0, log_error, BOUND)
    audit = Audit(
        arms=arms_of(subject.pairs),
        block_runs=BlockRuns(RunChunk(subject.mechanism, in_batches=True), Inline(), seed=np.random.SeedSequence(seed)),
        claim=Nulls.of(1e300, 0.0),
        log_error=log_error,
        budget=Budget(runs=runs),
        ladder=ladder,
        points=[Point(690)],
        error=error,
        share=0.0,
    )
    grew: list[tuple[int, float]] = []

    class Watch:
        def update(self, done: int, _total: int | None, _message: str) -> None:
            grew.append((done, ladder.low))

    audit.run(Watch())
    assert not audit.failure, audit.failure
    return grew[-1][1], grew, time.process_time() - start


def _needed(grew: list[tuple[int, float]], bound: float) -> float:
    return next((float(done) for done, reached in grew if reached > bound), math.inf)


def main(*names: str) -> None:
    """Print one line for each mechanism and budget."""
    chosen = {each.name for each in SUBJECTS} & set(names)
    print(
        f"{'mechanism':20}{'truth':>8}{'ours':>9}{'calls':>9}{'CPU s':>7}   peers and our calls to pass them / theirs"
    )
    for subject in SUBJECTS:
        peers = {"DP-Sniper": subject.sniper, "StatDP": subject.statdp}
        known = {name: peer for name, peer in peers.items() if peer}
        if known and (not chosen or subject.name in chosen):
            _compare(subject, known)
    if not chosen:
        _print_given()


def _print_given() -> None:
    """The median of some seeds: with few outputs a single bound is mostly luck."""
    print(f"{HALF.name + ', peer':34}{'a side':>9}{'theirs':>9}{'ours':>9}{'lost, ours / theirs':>22}")
    for name, theirs, size, error in GIVEN:
        ours = statistics.median(measure(HALF, 2 * size, error, seed)[0] for seed in range(REPEATS))
        lost = (HALF.truth - ours) / (HALF.truth - theirs)
        print(f"{name:34}{size:9.0e}{theirs:9.4f}{ours:9.4f}{lost:22.2f}", flush=True)


def _compare(subject: Subject, peers: dict[str, tuple[float, float]]) -> None:
    for runs in sorted({calls for _, calls in peers.values()}):
        error = min(ERRORS[name] for name in peers)
        bound, grew, seconds = measure(subject, int(runs), error)
        shown = "   ".join(
            f"{name} {theirs:.4f}: {'passed' if bound > theirs else 'NOT PASSED'}, {_needed(grew, theirs) / calls:.3f}"
            for name, (theirs, calls) in peers.items()
        )
        sound = "" if bound < subject.truth else "  ABOVE THE TRUTH"
        line = f"{subject.name:20}{subject.truth:8.4f}{bound:9.4f}{runs:9.1e}{seconds:7.1f}   {shown}{sound}"
        print(line, flush=True)
        peers = {name: peer for name, peer in peers.items() if peer[1] > runs and peer[0] >= bound}
        if not peers:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
