"""The evidence of one run of the gate: kept in the file for as long as that can be used, and then in memory.

A file can be locked, damaged or removed at any time, by another program or by a target. No finding is lost by that.
From the first failure on no evidence is written, and each claim goes on in memory from what was last known of it.
Whether the last write came through does not matter: what is in memory does not count it, and the file is left unread.

Other runs may go on with the same epoch in the file, so what is in memory has a share of the error of its own: one of
the numbers that were reserved before any target ran. A claim for which there is none cannot be tested.
"""

import contextlib
import uuid
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from attrs import Factory, define

from crowdproof import interrupts
from crowdproof.audit.gate.deadline import Deadline
from crowdproof.audit.gate.evidence import NOTHING, Epoch, Evidence, Slice, Standing
from crowdproof.audit.gate.evidence_file import BUSY_SECONDS, BusyError
from crowdproof.errors import DataError, ParameterError, pass_interrupts, told

T = TypeVar("T")

SHARES = 2
"""Numbers that a claim may need in one run: one to confirm an exact audit, and one for its slices."""
LEAST_SECONDS = 1.0
"""How long to wait for the file when the time of the gate is over, as it often is when the last slice is committed: a
guess, far above what a write takes."""


@contextlib.contextmanager
def opened(path: Path | None, error: Fraction, deadline: Deadline) -> Iterator["Ledger"]:
    """The ledger of a run that has until then. To wait for other programs takes a third of its time at most."""

    def patience() -> float:
        return max(LEAST_SECONDS, min(BUSY_SECONDS, deadline.left / 3))

    lost: str | None = None
    try:
        evidence = Evidence(path, patience)
    except BusyError as busy:
        evidence, lost = Evidence(), str(busy)
    with evidence:
        yield Ledger(evidence, error, lost=lost)


@define
class Account:
    """The epoch that a claim is tested in, its share of the error, and what the evidence amounts to."""

    epoch: Epoch
    alpha: Fraction
    standing: Standing
    alone: bool = False
    """Whether it is kept in memory, since the file could not be used any more."""
    own: Fraction | None = None
    """The share that it had in the file, where it had one."""
    added: bool = False
    """Whether this run has added to it."""


@define
class Ledger:
    """All accounts of one run of the gate."""

    evidence: Evidence
    error: Fraction
    """What the epochs of the file share."""
    run_id: str = Factory(lambda: uuid.uuid4().hex)
    """Tells this run of the gate from others that add to the same evidence."""
    lost: str | None = None
    """Why the file is not used any more."""
    _reserved: list[Epoch] = Factory(list)
    _unclosed: list[Epoch] = Factory(list)
    """Epochs that a crash ended when the file could not be written."""

    def reserve(self, claims: int) -> None:
        """Take what so many claims may need if the file fails, while no target can have harmed it."""
        if self.evidence.path is not None:
            self._reserved = self._in_file(lambda: self.evidence.reserve(self.run_id, SHARES * claims)) or []

    def open(self, key: str, name: str) -> Account:
        """The account of a claim: the epoch that earlier runs of the gate added to, or a new one."""
        return self._in_file(lambda: self._opened(key, name)) or self._account(self._take(), NOTHING, alone=True)

    def share(self, key: str, name: str) -> Fraction:
        """A share of the error for one test of this run alone."""
        epoch = self._in_file(lambda: self._closed(f"{key} {self.run_id}", name)) or self._take()
        return epoch.alpha(self.error)

    def draw(self, account: Account) -> int:
        """The number of the next slice: nobody else has had it, or will have."""
        number = self._in_file(lambda: self.evidence.draw(account.epoch))
        if number is None:
            self._go_alone(account)
            number = account.standing.slices + 1
        return number

    def commit(self, account: Account, number: int, found: Slice) -> None:
        """Add a slice, once. A signal waits for that; where it breaks in all the same, the slice counts in this run."""
        with interrupts.unbroken():
            try:
                standing = self._in_file(lambda: self.evidence.commit(account.epoch, number, self.run_id, found))
            except KeyboardInterrupt:
                self.lost = "the gate was interrupted."
                self._add(account, found)
                raise
            if standing is None:
                self._add(account, found)
            else:
                account.standing, account.added = standing, True

    def close(self, account: Account) -> None:
        """Let an epoch rest in which the target crashed."""
        if not account.alone:
            self._unclosed.append(account.epoch)
            self._in_file(self._close)

    def finish(self) -> None:
        """Tell the file what it still has to know, and see that it is there; a file that failed is tried once more."""
        before, self.lost = self.lost, None
        self._in_file(self._close)
        if self.evidence.path is not None:
            self._in_file(lambda: self.evidence.give_back(self.run_id, self._reserved))
        self.lost = before or self.lost

    def _opened(self, key: str, name: str) -> Account:
        epoch = self.evidence.open_epoch(key, name)
        return self._account(epoch, self.evidence.standing(epoch))

    def _account(self, epoch: Epoch, standing: Standing, *, alone: bool = False) -> Account:
        return Account(epoch, epoch.alpha(self.error), standing, alone)

    def _closed(self, key: str, name: str) -> Epoch:
        epoch = self.evidence.open_epoch(key, name)
        self.evidence.close_epoch(epoch)
        return epoch

    def _close(self) -> None:
        with interrupts.unbroken():
            for epoch in list(self._unclosed):
                self.evidence.close_epoch(epoch)
                self._unclosed.remove(epoch)

    def _add(self, account: Account, found: Slice) -> None:
        """Count a slice in memory."""
        self._go_alone(account)
        account.standing = account.standing.after(found, first=not account.added)
        account.added = True

    def _go_alone(self, account: Account) -> None:
        """From here on the claim has a share of the error that no other run can use."""
        if not account.alone:
            account.own = account.alpha
            account.epoch = self._take()
            account.alpha = account.epoch.alpha(self.error)
            account.alone = True

    def _take(self) -> Epoch:
        if not self._reserved:
            raise DataError(f"the claim has no share of the error that it may take: {self.lost}")
        return self._reserved.pop(0)

    def _in_file(self, act: Callable[[], T]) -> T | None:
        """What comes of using the file; None where it cannot be used, now or any more."""
        if self.lost is not None:
            return None
        try:
            return act()
        except ParameterError:
            raise
        except BaseException as error:  # noqa: BLE001  (whatever became of the file is no trouble of a claim)
            pass_interrupts(error)
            self.lost = told(error)
            self.evidence.hurry(LEAST_SECONDS)
            return None
