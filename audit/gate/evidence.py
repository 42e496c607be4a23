"""The evidence file: what every run of the gate has seen, adding up under one false-alarm rate.

**Slices.** A claim is tested in slices: a slice is a number of runs fixed before it starts, and gives an e-value, whose
mean is at most 1 if the claim is true. A slice is numbered when it is drawn and committed, whatever it says, as soon as
it is known. So what is lost when a process is killed, and the order in which processes that run at once commit, do not
depend on what the slices say, and the product of the committed e-values is a test martingale: if the claim is true it
ever reaches 1/alpha with probability at most alpha. (Committing only at the end of a run would not do: a run that
stops early because it has found something is less likely to be killed than one that has not.)

**Epochs.** A claim about one version of one target is an epoch. A change begins a new epoch, and so does a crash. The
m-th epoch of the file has alpha = error / (m (m + 1)), which adds up to `error` over however many there will be.

**Reserves.** The file may fail while a gate runs. The gate then goes on in memory, and what it sees there must not use
up the error of an epoch that other runs go on with in the file. So each run takes numbers for that when it begins, from
`FIRST_RESERVE` on, where epochs have none, and gives back at its end those that it did not need.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from attrs import evolve, frozen

from crowdproof.audit.gate.evidence_file import BUSY_SECONDS, EvidenceFile
from crowdproof.errors import ParameterError
from crowdproof.findings import Json

FIRST_RESERVE = 1_000
"""The first number that is kept in reserve. At an error of 1e-6 its share asks for 28 nats of evidence where the first
epoch asks for 14: large leaks are still found. Later epochs come after all that is in use."""


@frozen
class Epoch:
    """One version of one claim, and the m of its share of the error."""

    number: int

    def alpha(self, error: Fraction) -> Fraction:
        """Its part of the gate's false-alarm rate; the parts of all epochs add up to less than the whole.

        >>> [str(Epoch(m).alpha(Fraction(1, 100))) for m in (1, 2, 3)]
        ['1/200', '1/600', '1/1200']
        """
        return error / (self.number * (self.number + 1))


@frozen
class Slice:
    """What came of the runs of one slice."""

    log_e: float
    runs: int
    witness: Json = None
    """What the slice saw, as JSON, where it saw something."""
    state: Json = None
    """What the next slice may learn from this one."""
    detectable: str = ""
    """The smallest leak that would have been seen, in words; not kept."""
    whole: bool = True
    """Whether it came to the end of its runs before its time was over; not kept."""
    sees: bool = True
    """Whether a leak could have shown in it, by its number of runs; not kept."""
    doubt: str = ""
    """Why its runs are not what the test takes them for, if they are not; not kept."""


@frozen
class Standing:
    """What an epoch's evidence amounts to."""

    log_e: float
    """The accumulated e-value's logarithm."""
    peak: float
    """The largest that it has been: it counts, since the bound is on ever reaching 1/alpha."""
    slices: int
    gates: int
    """How many runs of the gate have added to it."""
    runs: int
    state: Json
    witness: Json
    """What the slice with the strongest evidence saw."""
    closed: bool = False
    """Whether the epoch was closed, by this run or by another one at the same time: nothing is added any more."""
    best: float = -math.inf
    """The evidence of the slice that saw the witness."""

    def refutes(self, alpha: Fraction) -> bool:
        """Whether the evidence suffices at that level."""
        return self.peak >= -math.log(alpha)

    def after(self, found: Slice, *, first: bool) -> "Standing":
        """What it is with one more slice, the `first` of its gate or a later one."""
        log_e = self.log_e + _checked(found)
        shows = found.witness is not None and found.log_e > self.best
        return evolve(
            self,
            log_e=log_e,
            peak=max(self.peak, log_e),
            slices=self.slices + 1,
            gates=self.gates + first,
            runs=self.runs + found.runs,
            state=found.state,
            witness=found.witness if shows else self.witness,
            best=found.log_e if shows else self.best,
        )


NOTHING = Standing(log_e=0.0, peak=0.0, slices=0, gates=0, runs=0, state=None, witness=None)
"""Where an epoch begins."""


class Evidence:
    """An open evidence file; in memory where there is no file, so that a gate without one works the same way."""

    def __init__(self, path: Path | None = None, patience: Callable[[], float] = lambda: BUSY_SECONDS) -> None:
        self.path = path
        self._file = EvidenceFile(path, patience)

    def hurry(self, seconds: float) -> None:
        """Wait no longer than that from now on, whatever other processes do with the file."""
        self._file.patience = lambda: seconds

    def open_epoch(self, key: str, name: str) -> Epoch:
        """The epoch that is open for that key, or a new one."""
        with self._file.transaction() as base:
            found = base.execute("SELECT number FROM epochs WHERE key = ? AND closed IS NULL", (key,)).fetchone()
            if found is None:
                found = (_next(base, FIRST_RESERVE),)
                base.execute("INSERT INTO epochs (number, key, name) VALUES (?, ?, ?)", (*found, key, name))
        return Epoch(found[0])

    def reserve(self, run: str, count: int) -> list[Epoch]:
        """So many numbers that nobody else has had or will have, for what this run cannot keep in the file."""
        with self._file.transaction() as base:
            first = max(FIRST_RESERVE, _next(base))
            numbers = range(first, first + count)
            base.executemany(
                "INSERT INTO epochs (number, key, name, closed) VALUES (?, ?, 'in reserve', CURRENT_TIMESTAMP)",
                [(number, f"reserved {run} {number}") for number in numbers],
            )
        return [Epoch(number) for number in numbers]

    def give_back(self, run: str, unused: Iterable[Epoch]) -> None:
        """Let others have numbers that this run took and did not need."""
        keys = [(f"reserved {run} {epoch.number}",) for epoch in unused]
        with self._file.transaction() as base:
            base.executemany("DELETE FROM epochs WHERE key = ?", keys)

    def close_epoch(self, epoch: Epoch) -> None:
        """Let it rest: what was going on when a target crashed must not count, and neither what came before."""
        with self._file.transaction() as base:
            base.execute("UPDATE epochs SET closed = CURRENT_TIMESTAMP WHERE number = ?", (epoch.number,))

    def draw(self, epoch: Epoch) -> int:
        """The number of a slice that nobody else has had or will have: its randomness is derived from it."""
        with self._file.transaction() as base:
            base.execute("UPDATE epochs SET slices = slices + 1 WHERE number = ?", (epoch.number,))
            return int(_row(base, "SELECT slices FROM epochs WHERE number = ?", epoch)[0])

    def commit(self, epoch: Epoch, number: int, run: str, found: Slice) -> Standing:
        """Add a slice, for good and at most once, and tell what the evidence now amounts to."""
        _checked(found)
        with self._file.transaction() as base:
            if not self._closed(epoch):
                base.execute(
                    "INSERT INTO slices (epoch, number, run, log_e, runs) VALUES (?, ?, ?, ?, ?)",
                    (epoch.number, number, run, found.log_e, found.runs),
                )
                base.execute(
                    "UPDATE epochs SET state = ?, peak = max(peak, (SELECT sum(log_e) FROM slices WHERE epoch = ?)) "
                    "WHERE number = ?",
                    (json.dumps(found.state), epoch.number, epoch.number),
                )
                if found.witness is not None:  # of all slices the strongest is kept: a pair of tables may be large
                    base.execute(
                        "UPDATE epochs SET witness = ?, best = ? WHERE number = ? AND coalesce(best < ?, TRUE)",
                        (json.dumps(found.witness), found.log_e, epoch.number, found.log_e),
                    )
        return self.standing(epoch)

    def standing(self, epoch: Epoch) -> Standing:
        """What the evidence of the epoch amounts to."""
        with self._file.transaction() as base:
            log_e, slices, gates, runs = base.execute(
                "SELECT coalesce(sum(log_e), 0.0), count(*), count(DISTINCT run), coalesce(sum(runs), 0) "
                "FROM slices WHERE epoch = ?",
                (epoch.number,),
            ).fetchone()
            peak, state, witness, best = _row(
                base, "SELECT peak, state, witness, best FROM epochs WHERE number = ?", epoch
            )
            return Standing(
                log_e=log_e,
                peak=peak,
                slices=slices,
                gates=gates,
                runs=runs,
                state=_read(state),
                witness=_read(witness),
                closed=self._closed(epoch),
                best=-math.inf if best is None else best,
            )

    def _closed(self, epoch: Epoch) -> bool:
        (closed,) = _row(self._file.base, "SELECT closed FROM epochs WHERE number = ?", epoch)
        return closed is not None

    def close(self) -> None:
        """Let go of the file."""
        self._file.base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked(found: Slice) -> float:
    if math.isnan(found.log_e) or found.log_e == math.inf:
        raise ParameterError(f"log_e is {found.log_e}: an e-value is a number.")
    return found.log_e


def _next(base: sqlite3.Connection, below: int | None = None) -> int:
    """The number after all that are in use, or after those in use below a number while that is below it too."""
    if below is not None:
        (last,) = base.execute("SELECT coalesce(max(number), 0) FROM epochs WHERE number < ?", (below,)).fetchone()
        if last + 1 < below:
            return int(last + 1)
    return int(base.execute("SELECT coalesce(max(number), 0) FROM epochs").fetchone()[0] + 1)


def _row(base: sqlite3.Connection, question: str, epoch: Epoch) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = base.execute(question, (epoch.number,)).fetchone()
    if found is None:
        raise sqlite3.DatabaseError(f"its claim {epoch.number} is gone")
    return found


def _read(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise sqlite3.DatabaseError("what a slice left is no JSON") from None
