"""Reports in files: each is written whole, or what was there before stays, whatever a target has put in its place.

A target runs with the rights of the judge. It may make a FIFO of the name of a report, and to open that would wait for
a reader for ever; or a link to another file, which the report would replace; or put another folder in the place of the
report's. So a report is written to a new file, which then takes the name, in the folder that was there when the run
began. Devices, FIFOs and links that were there then are what the user asked for, and are written to.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

OF_SYSTEM = (Path("/dev"), Path("/proc"))
"""Folders whose files are no files: to put another in the place of /dev/stdout is never what is meant."""
OF_MEMORY = Path("/dev/shm")  # noqa: S108  (nothing is made there but what the user named)
"""A folder among them that anyone may write to, and whose files are files."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors that writing in another way would meet too, after it has emptied the file."""

_SPECIAL: dict[Path, tuple[int, int]] = {}
"""Path -> device and number of what was there when the run began, where that was no file."""
_LINKS: dict[Path, str | None] = {}
"""Path -> where the link led to that was there when the run began; None where there was no link."""
_FOLDERS: dict[Path, frozenset[tuple[int, int]]] = {}
"""Path -> device and number of its folder when the run began, and of the folder that a link led to."""


def remember(path: Path) -> None:
    """Remember what is at the path, before any target has run."""
    _LINKS[path] = _link(path)
    with contextlib.suppress(OSError):
        _FOLDERS[path] = frozenset(_identity(each.parent.stat()) for each in (path, path.resolve()))
    with contextlib.suppress(OSError):
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            _SPECIAL[path] = _identity(about)


def _identity(about: os.stat_result) -> tuple[int, int]:
    return about.st_dev, about.st_ino


def put(path: Path, content: bytes) -> None:
    """Write the content to the path."""
    if _is_planted(path):
        _replace(path, content, _FOLDERS.get(path))
        return
    if _is_of_system(path.absolute()) or _is_as_remembered(path):
        with path.open("wb") as file:
            file.write(content)
        return
    place = path.resolve()  # behind a link, which stays
    try:
        _replace(place, content, _FOLDERS.get(path))
    except _OtherFolderError:
        raise
    except OSError as error:
        if error.errno in FULL or not place.is_file():
            raise
        _overwrite(place, content)  # the folder takes no new file, or the file is mounted


class _OtherFolderError(NotADirectoryError):
    """A folder that was not there when the run began: the user named another one."""

    def __init__(self) -> None:
        super().__init__(errno.ENOTDIR, "another folder took the place of its folder")


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
    """Whether the path is in a folder of the system."""
    return any(folder in path.parents for folder in OF_SYSTEM) and OF_MEMORY not in path.parents


def _is_as_remembered(path: Path) -> bool:
    if path not in _SPECIAL:
        return False
    try:
        about = path.stat()
    except OSError:
        return False
    return _identity(about) == _SPECIAL[path]


def _replace(place: Path, content: bytes, folders: frozenset[tuple[int, int]] | None) -> None:
    """Put a new file with this content in the place of what is there, with the same rights."""
    with _opened_folder(place.parent, folders) as folder:
        home = Path() if folder is not None else place.parent
        new, name = home / f".crowdproof-{secrets.token_hex(8)}", home / place.name
        try:
            number = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), dir_fd=folder)
            with os.fdopen(number, "wb") as file:
                file.write(content)
                with contextlib.suppress(OSError):
                    os.chmod(number if folder is not None else new, _rights(name, folder))  # noqa: PTH101
            os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new, dir_fd=folder)
            raise


@contextlib.contextmanager
def _opened_folder(path: Path, folders: frozenset[tuple[int, int]] | None) -> Iterator[int | None]:
    """The folder, opened, if it is one of those `folders`; None where a system cannot open one."""
    if os.open not in os.supports_dir_fd:
        yield None
        return
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if folders is not None and _identity(os.fstat(number)) not in folders:
            raise _OtherFolderError
        yield number
    finally:
        os.close(number)


def _rights(name: Path, folder: int | None) -> int:
    """The rights of the file that is to be replaced; an OSError where it is none."""
    about = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EEXIST, "it is no file")
    return stat.S_IMODE(about.st_mode)


def _overwrite(place: Path, content: bytes) -> None:
    """Write into the file itself, if it is one: a FIFO that was put there in the meantime is not waited for."""
    number = os.open(place, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(number, "wb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EEXIST, "something that is no file took its place")
        file.truncate(0)
        file.write(content)
