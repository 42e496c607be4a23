"""Reports in files: each is written whole, or what was there before stays, whatever a target has put in its place.

A target runs with the rights of the judge. It may make a FIFO of the name of a report, and to open that would wait for
a reader for ever; or a link to another file, which the report would replace. So a report is written to a new file,
which then takes the name. Devices, FIFOs and links that were there when the run began are what the user asked for, and
are written to.
"""

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

OF_SYSTEM = (Path("/dev"), Path("/proc"))
"""Folders whose files are no files: to put another in the place of /dev/stdout is never what is meant."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors that writing in another way would meet too, after it has emptied the file."""

_SPECIAL: dict[Path, tuple[int, int]] = {}
"""Path -> device and number of what was there when the run began, where that was no file."""
_LINKS: dict[Path, str | None] = {}
"""Path -> where the link led to that was there when the run began; None where there was no link."""


def remember(path: Path) -> None:
    """Remember what is at the path, before any target has run."""
    _LINKS[path] = _link(path)
    with contextlib.suppress(OSError):
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            _SPECIAL[path] = (about.st_dev, about.st_ino)


def put(path: Path, content: bytes) -> None:
    """Write the content to the path."""
    if _is_planted(path):
        _replace(path, content)
        return
    if _is_of_system(path) or _is_as_remembered(path):
        with path.open("wb") as file:
            file.write(content)
        return
    place = path.resolve()  # behind a link, which stays
    try:
        _replace(place, content)
    except OSError as error:
        if error.errno in FULL or not place.is_file():
            raise
        _overwrite(place, content)  # the folder takes no new file, or the file is mounted


def _is_planted(path: Path) -> bool:
    """Whether the path is a link that was not there when the run began, or led elsewhere: no report follows it."""
    return path in _LINKS and _link(path) not in {None, _LINKS[path]}


def _link(path: Path) -> str | None:
    """Where a link leads to; None where there is none."""
    try:
        return str(path.readlink())
    except OSError:
        return None


def _is_of_system(path: Path) -> bool:
    """Whether the path as it is written, or what it leads to, is in a folder of the system."""
    return any(folder in each.parents for each in (path.absolute(), path.resolve()) for folder in OF_SYSTEM)


def _is_as_remembered(path: Path) -> bool:
    if path not in _SPECIAL:
        return False
    try:
        about = path.stat()
    except OSError:
        return False
    return (about.st_dev, about.st_ino) == _SPECIAL[path]


def _replace(place: Path, content: bytes) -> None:
    """Put a new file with this content in the place of what is there, with the same rights."""
    new = place.with_name(f".crowdproof-{secrets.token_hex(8)}")
    try:
        with new.open("xb") as file:
            file.write(content)
            with contextlib.suppress(OSError):
                before = place.stat()
                if stat.S_ISREG(before.st_mode):
                    new.chmod(stat.S_IMODE(before.st_mode))
        new.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def _overwrite(place: Path, content: bytes) -> None:
    """Write into the file itself, if it is one: a FIFO that was put there in the meantime is not waited for."""
    number = os.open(place, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(number, "wb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EEXIST, "something that is no file took its place")
        file.truncate(0)
        file.write(content)
