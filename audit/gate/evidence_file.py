"""The SQLite file that evidence is kept in: made whole, checked when it is opened, written by transactions.

It has a rollback journal, so nothing of it stands beside the file once a run has ended. A file that is damaged or that
is not ours is reported and left as it is.
"""

import contextlib
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from crowdproof.errors import DataError
from crowdproof.interrupts import asked, unbroken

T = TypeVar("T")

APPLICATION = 0x43524F57
"""Marks a SQLite file as ours: the letters CROW, in ASCII."""
VERSION = 1
"""The version of the tables below; a file of another version is left as it is.

Early builds of crowdproof 0.1 wrote version 1 with other columns: such a file is known by these, and left as it is too.
"""
BUSY_SECONDS = 30.0
"""How long to wait for another process that is writing: a guess, far above what a write of a few rows takes."""
ASKED_SECONDS = 1.0
"""How long to wait once the process was asked to end, which is killed some seconds later: a guess, as above."""
STEP_SECONDS = 0.2
"""How long SQLite waits by itself: no signal is noticed in the meantime."""
MOVED = 1032
"""What SQLite calls SQLITE_READONLY_DBMOVED: there is no such file any more, or another one in its place."""

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


class BusyError(DataError):
    """Another program kept the file to itself for too long."""


class EvidenceFile:
    """An open file; in memory where there is no path. `patience` tells how many seconds to wait for other processes."""

    def __init__(self, path: Path | None, patience: Callable[[], float] = lambda: BUSY_SECONDS) -> None:
        self.path, self.patience = path, patience
        with self.explained():
            if path is None:
                self.base = sqlite3.connect(":memory:", isolation_level=None)
                self.base.executescript(_TABLES)
                return
            if not path.exists():
                _create(path)
            self.base = _connect(path)
            try:
                self._check()
            except BaseException:
                self.base.close()
                raise

    def _check(self) -> None:
        (application,) = self._patiently(lambda: self.base.execute("PRAGMA application_id").fetchone())
        (version,) = self._patiently(lambda: self.base.execute("PRAGMA user_version").fetchone())
        if application != APPLICATION:
            raise DataError(f"{self.path} is no evidence file of crowdproof: name another file, it was left as it is.")
        if version != VERSION:
            raise DataError(
                f"{self.path} is an evidence file of version {version}, and this crowdproof reads version {VERSION}: "
                "name another file, it was left as it is."
            )
        with self.transaction() as base:  # nobody else is at the file in the meantime
            answers = [row[0] for row in base.execute("PRAGMA quick_check")]
            (pages,), (size,) = (base.execute(f"PRAGMA {each}").fetchone() for each in ("page_count", "page_size"))
            if self.path is not None and self.path.stat().st_size != pages * size:
                raise sqlite3.DatabaseError("it ends in the middle of a page")  # of which SQLite takes no notice
            if answers != ["ok"]:
                raise sqlite3.DatabaseError(answers[0])
            if base.execute("PRAGMA foreign_key_check").fetchone():
                raise sqlite3.DatabaseError("it holds slices of claims that are gone")
            self._check_columns()

    def _check_columns(self) -> None:
        """Refuse a table that has other columns than are written today, and all that is no table of ours.

        A table that is missing is told as damage.
        """
        with contextlib.closing(sqlite3.connect(":memory:")) as fresh:
            fresh.executescript(_TABLES)
            for table in ("epochs", "slices"):
                if _columns(self.base, table) not in ([], _columns(fresh, table)):
                    raise DataError(
                        f"{self.path} is an evidence file of an early build of crowdproof 0.1, whose columns this one "
                        "does not read: name another file, it was left as it is."
                    )
            foreign = sorted(_objects(self.base) - _objects(fresh))
        if foreign:  # a trigger or a view would run whenever a slice is written
            raise sqlite3.DatabaseError(f"it holds the {foreign[0][0]} {foreign[0][1]}, which is not ours")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Around what is to be written as a whole, or not at all; other processes wait."""
        with self.explained():
            self._patiently(lambda: self.base.execute("BEGIN IMMEDIATE"))
            try:
                yield self.base
                self._patiently(lambda: self.base.execute("COMMIT"))  # it waits for those who read
            except BaseException:
                if self.base.in_transaction:
                    self.base.execute("ROLLBACK")
                raise

    def _patiently(self, act: Callable[[], T]) -> T:
        """Do something as soon as no other process has the file, if that is before our patience is over."""
        began = time.monotonic()
        end = began + self.patience()
        while True:
            try:
                return act()
            except sqlite3.OperationalError as error:
                now = time.monotonic()
                over = now >= end or (asked() and now >= began + ASKED_SECONDS)
                if not _busy(error) or over:
                    raise
                time.sleep(STEP_SECONDS / 20)  # SQLite does not always wait

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Errors of SQLite and of the file system in one sentence; the file is never touched to get rid of them."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # which is what a missing table is
            if _busy(error):
                raise BusyError(
                    f"cannot use the evidence file {self.path}: another program has it open to write or to copy it, "
                    "and did not let go of it. End that program and run the gate again."
                ) from None
            if code == MOVED:
                raise DataError(
                    f"the evidence file {self.path} was moved or removed while it was in use: put it back, or restore "
                    "it from a copy, since a new file begins the false-alarm rate anew."
                ) from None
            if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
                raise DataError(f"cannot use the evidence file {self.path}: {error}. Is its folder writable?") from None
            raise DataError(
                f"the evidence file {self.path} is damaged or no evidence file ({error}): restore it from a copy, or "
                "move it away to start anew; it was left as it is."
            ) from None
        except UnicodeDecodeError:
            raise DataError(
                f"the evidence file {self.path} is damaged or no evidence file (it holds texts that are none): restore "
                "it from a copy, or move it away to start anew; it was left as it is."
            ) from None
        except OSError as error:
            raise DataError(f"cannot use the evidence file {self.path}: {error.strerror}.") from None


def _busy(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _columns(base: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in base.execute(f"PRAGMA table_info({table})")]


def _objects(base: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Tables, indices, triggers and views, by kind, name and definition."""
    found = base.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master")
    return {(str(kind), str(name), str(definition)) for kind, name, definition in found}


def _connect(path: Path) -> sqlite3.Connection:
    if path.stat().st_size == 0:  # SQLite would take it for a new file, and forget what was in it
        raise sqlite3.DatabaseError("it is empty")
    uri = f"{path.resolve().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=STEP_SECONDS)


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
