"""Which code a target really loaded, as the process that runs it tells: evidence is about that code and no other.

The process names files and packages; their content is read where evidence is filed, by `gate.code_hash`. What it says
is data like all that a target sends: a list that is too long or no list at all is not read, and that is remembered.
"""

import json
import sys
import sysconfig
from collections.abc import Collection, Iterator
from pathlib import Path

from attrs import define, field

MOST_NAMES = 10_000
"""Files and packages that are kept of one target. Large projects have some thousand modules."""
MOST_BYTES = 4 << 20
"""Bytes of a message that names them: so many names of 400 bytes."""
_INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders whose content is known by the version of a package."""


@define
class Loaded:
    """What the processes of a target have loaded so far."""

    files: set[str] = field(factory=set)
    """Paths of modules that belong to no installed package."""
    packages: set[str] = field(factory=set)
    """The first part of the names of modules of installed packages."""
    whole: bool = True
    """Whether all that was told could be read."""

    def hear(self, body: bytes) -> None:
        """Add what a process told."""
        told = _read(body)
        if told is None or len(self.files) + len(self.packages) + len(told[0]) + len(told[1]) > MOST_NAMES:
            self.whole = False
            return
        self.files |= told[0]
        self.packages |= told[1]

    def add_since(self, before: Collection[str]) -> None:
        """Add the modules that this process has loaded since only those named `before` were there."""
        self.hear(told_since(before))


def told_since(before: Collection[str]) -> bytes:
    """The modules that this process has loaded since, as a message tells of them."""
    files, packages = set(), set()
    for name, file in _modules(before):
        top = name.partition(".")[0]
        if _INSTALLED.intersection(Path(file).parts):
            packages.add(top)
        elif top != "crowdproof" and top not in sys.stdlib_module_names:
            files.add(file)
    return json.dumps([sorted(files), sorted(packages)]).encode()


def _modules(before: Collection[str]) -> Iterator[tuple[str, str]]:
    """Name and file of each module; those without a file, and those of Python itself, are left out."""
    own = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
    for name, module in list(sys.modules.items()):
        if type(name) is not str or name in before:
            continue
        file = getattr(module, "__dict__", {}).get("__file__")
        if type(file) is str and (_INSTALLED.intersection(Path(file).parts) or not file.startswith(own)):
            yield name, file


def _read(body: bytes) -> tuple[set[str], set[str]] | None:
    """Files and packages of a message; None where it is none, or too long."""
    if len(body) > MOST_BYTES:
        return None
    try:
        files, packages = json.loads(body)
    except (ValueError, TypeError, RecursionError):
        return None
    if not isinstance(files, list) or not isinstance(packages, list):
        return None
    if not all(type(each) is str for each in (*files, *packages)):
        return None
    return set(files), set(packages)
