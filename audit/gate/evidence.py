"""The evidence file: what every run of the gate has seen, adding up under one false-alarm rate.

**Slices.** A claim is tested in slices: a slice is a number of runs fixed before it starts, and gives an e-value, whose
mean is at most 1 if the claim is true. A slice is numbered when it is drawn and committed, whatever it says, as soon as
it is known. So what is lost when a process is killed, and the order in which processes that run at once commit, do not
depend on what the slices say, and the product of the committed e-values is a test martingale: if the claim is true it
ever reaches 1/alpha with probability at most alpha. (Committing only at the end of a run would not do: a run that
stops early because it has found something is less likely to be killed than one that has not.)

**Epochs.** A claim about one version of one target is an epoch. A change begins a new epoch, and so does a crash. The
m-th epoch of the file has alpha = error / (m (m + 1)), which adds up to `error` over however many there will be.

SQLite keeps the file, with a rollback journal: nothing of it stands beside the file once a run has ended.
"""

import contextlib
import json
import math
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Self

from attrs import frozen

from crowdproof.errors import DataError, ParameterError
from crowdproof.findings import Json
from crowdproof.interrupts import unbroken

APPLICATION = 0x43524F57
"""Marks a SQLite file as ours ('CROW')."""
VERSION = 1
BUSY_SECONDS = 120.0

_TABLES = """
CREATE TABLE epochs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    opened TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    closed TEXT,
    slices INTEGER NOT NULL DEFAULT 0,
    peak REAL NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'null',
    best REAL,
    witness TEXT NOT NULL DEFAULT 'null'
);
CREATE UNIQUE INDEX one_open_epoch ON epochs (key) WHERE closed IS NULL;
CREATE TABLE slices (
    epoch INTEGER NOT NULL REFERENCES epochs (number),
    number INTEGER NOT NULL,
    run TEXT NOT NULL,
    committed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    log_e REAL NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (epoch, number)
);
"""


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
    """Whether a leak could have shown in it: it had runs enough, after those that it learned from; not kept."""


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

    def refutes(self, alpha: Fraction) -> bool:
        """Whether the evidence suffices at that level."""
        return self.peak >= -math.log(alpha)


class Evidence:
    """An open evidence file; in memory where there is no file, so that a gate without one works the same way."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        with self._explained():
            if path is None:
                self._base = sqlite3.connect(":memory:", isolation_level=None)
                self._base.executescript(_TABLES)
                return
            if not path.exists():
                _create(path)
            self._base = _connect(path)
            try:
                self._check()
            except BaseException:
                self._base.close()
                raise

    def open_epoch(self, key: str, name: str) -> Epoch:
        """The epoch that is open for that key, or a new one."""
        with self._transaction() as base:
            found = base.execute("SELECT number FROM epochs WHERE key = ? AND closed IS NULL", (key,)).fetchone()
            if found is None:
                base.execute("INSERT INTO epochs (key, name) VALUES (?, ?)", (key, name))
                found = base.execute("SELECT last_insert_rowid()").fetchone()
        return Epoch(found[0])

    def close_epoch(self, epoch: Epoch) -> None:
        """Let it rest: what was going on when a target crashed must not count, and neither what came before."""
        with self._transaction() as base:
            base.execute("UPDATE epochs SET closed = CURRENT_TIMESTAMP WHERE number = ?", (epoch.number,))

    def draw(self, epoch: Epoch) -> int:
        """The number of a slice that nobody else has had or will have: its randomness is derived from it."""
        with self._transaction() as base:
            base.execute("UPDATE epochs SET slices = slices + 1 WHERE number = ?", (epoch.number,))
            return int(base.execute("SELECT slices FROM epochs WHERE number = ?", (epoch.number,)).fetchone()[0])

    def commit(self, epoch: Epoch, number: int, run: str, found: Slice) -> Standing:
        """Add a slice, for good and at most once, and tell what the evidence now amounts to."""
        if math.isnan(found.log_e) or found.log_e == math.inf:
            raise ParameterError(f"log_e is {found.log_e}: an e-value is a number.")
        with self._transaction() as base:
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
        with self._transaction() as base:
            log_e, slices, gates, runs = base.execute(
                "SELECT coalesce(sum(log_e), 0.0), count(*), count(DISTINCT run), coalesce(sum(runs), 0) "
                "FROM slices WHERE epoch = ?",
                (epoch.number,),
            ).fetchone()
            peak, state, witness = base.execute(
                "SELECT peak, state, witness FROM epochs WHERE number = ?", (epoch.number,)
            ).fetchone()
            return Standing(log_e, peak, slices, gates, runs, _read(state), _read(witness), closed=self._closed(epoch))

    def _closed(self, epoch: Epoch) -> bool:
        found = self._base.execute("SELECT closed FROM epochs WHERE number = ?", (epoch.number,)).fetchone()
        return found[0] is not None

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self) -> None:
        (application,) = self._base.execute("PRAGMA application_id").fetchone()
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise DataError(f"{self.path} is no evidence file of crowdproof: name another file, it was left as it is.")
        if version != VERSION:
            raise DataError(
                f"{self.path} is an evidence file of version {version}, and this crowdproof reads version {VERSION}: "
                "name another file, it was left as it is."
            )
        with self._transaction() as base:  # nobody else is at the file in the meantime
            answers = [row[0] for row in base.execute("PRAGMA quick_check")]
            (pages,), (size,) = (base.execute(f"PRAGMA {each}").fetchone() for each in ("page_count", "page_size"))
            if self.path is not None and self.path.stat().st_size != pages * size:
                raise sqlite3.DatabaseError("it ends in the middle of a page")  # of which SQLite takes no notice
        if answers != ["ok"]:
            raise sqlite3.DatabaseError(answers[0])

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of SQLite and of the file system in one sentence; the file is never touched to get rid of them."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # which is what a missing table is
            if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
                raise DataError(f"cannot use the evidence file {self.path}: {error}. Is its folder writable?") from None
            raise DataError(
                f"the evidence file {self.path} is damaged or no evidence file ({error}): restore it from a copy, or "
                "move it away to start anew; it was left as it is."
            ) from None
        except OSError as error:
            raise DataError(f"cannot use the evidence file {self.path}: {error.strerror}.") from None


def _read(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise sqlite3.DatabaseError("what a slice left is no JSON") from None


def _connect(path: Path) -> sqlite3.Connection:
    if path.stat().st_size == 0:  # SQLite would take it for a new file, and forget what was in it
        raise sqlite3.DatabaseError("it is empty")
    uri = f"{path.resolve().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)


def _create(path: Path) -> None:
    """Make the file whole, and only then give it its name: of several at once the first wins, none sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with unbroken(), tempfile.TemporaryDirectory(dir=path.parent, prefix=".crowdproof-") as folder:
        fresh = Path(folder) / "evidence"
        base = sqlite3.connect(fresh, isolation_level=None)
        base.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};{_TABLES}")
        base.close()
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
