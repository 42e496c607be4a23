"""The command line with a witness: a process that judges, and one that only waits for its verdict.

The process that judges tells its exit code as its last act; where it did not, there is no verdict.
"""

import contextlib
import os
import sys
from typing import NoReturn

from crowdproof import cli, interrupts, watch
from crowdproof.cli import streams
from crowdproof.errors import ExitCode

VANISHED = (
    "crowdproof: the process that judged ended before it came to a verdict ({how}): a target that is not isolated, or "
    "a library, ended it. Run the target with --isolate fresh."
)
STUCK = (
    "crowdproof: the process that judged did not end within {patience:.0f} seconds of being asked to, and was killed: "
    "a target that is not isolated, or a library, holds it up. Run the target with --isolate fresh."
)
PATIENCE = 8.0
"""Seconds from SIGTERM to SIGKILL. To stop takes less than one, and reports a few; container runtimes kill everything
after ten, and before that the reason should be told."""
UNSTARTED = (
    "crowdproof: cannot start a process to work in ({why}): end other processes, or allow more of them and more memory."
)


def main() -> None:
    """Run the command line in a process of its own and end as it says; where there is no fork, run it here."""
    streams.stand_in()
    if not hasattr(os, "fork"):
        cli.main()
    try:
        here = watch.fork(PATIENCE, alone=True)
    except OSError as error:
        streams.tell(UNSTARTED.format(why=error.strerror))
        sys.exit(ExitCode.BROKEN)
    if isinstance(here, watch.Line):
        _judge(here)
    _end(here)


def _judge(line: watch.Line) -> NoReturn:
    """Run the command line, and tell its exit code when all is written."""
    interrupts.heed()
    try:
        cli.main()
    except SystemExit as end:
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a full disk, a closed stream, none at all
            sys.stdout.flush()
        line.tell(int(end.code or 0))
        raise
    raise AssertionError("the command line ends with an exit code")


def _end(ended: watch.Ended) -> NoReturn:
    """End with the code that was told; a pass counts only where the process ended in good order too."""
    code = ended.told
    if code is not None and (code != ExitCode.HELD or ended.status == ExitCode.HELD):
        sys.exit(code)
    words = STUCK.format(patience=PATIENCE) if ended.killed else VANISHED.format(how=ended.how)
    streams.tell(words)
    sys.exit(ExitCode.BROKEN)
