"""The folder that a gate works in, and the way back from it."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Work in the folder, and then where we were, though a target gave that place another name or removed it.

    That there is no way back is no reason to lose what was found.
    """
    before = Path.cwd()
    home = os.open(".", os.O_RDONLY) if hasattr(os, "fchdir") else None
    try:
        os.chdir(folder)
        yield
    finally:
        if home is None or not _is_back(home):
            with contextlib.suppress(OSError):
                os.chdir(before)


def _is_back(home: int) -> bool:
    """Go to the folder that was opened, and close it; whether that went well: a target may have closed it before."""
    try:
        os.fchdir(home)
        os.close(home)
    except OSError:
        return False
    return True
