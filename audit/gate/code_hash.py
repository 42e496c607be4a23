"""Which code a target is made of, as one hash: evidence is about that code and no other.

A Python target is its module and every module that these import, directly or not, as far as they lie in the project;
of installed packages the version counts. The imports are read from the source, and what the processes of the target
really loaded is added, wherever it was found. A program is its own file, every file that its command line names, and
what such a file imports, if it is Python. What else code reads at run time cannot be seen: it is named in the
configuration under `sources`.
"""

import contextlib
import hashlib
import json
import platform
import shlex
import shutil
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from attrs import field, frozen

from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.imported import imported_by, located, modules_of, package_of
from crowdproof.audit.gate.regular import opened
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.audit.targets.spec import Code as Where
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.errors import DataError
from crowdproof.findings import Json

MOST_HASHED = 1 << 30
"""Bytes of a file that is read whole, and of all files together that a target says it loaded, which takes seconds; a
larger one counts by its size and time of change."""
FIRST_LINE = 256
"""Bytes of the first line of a script, which tells its interpreter: Linux reads as many."""


@frozen
class Code:
    """The files and package versions that a target consists of."""

    files: Mapping[str, str] = field(factory=dict)
    """Path -> hash of the content."""
    packages: Mapping[str, str] = field(factory=dict)
    """Distribution -> version."""

    @property
    def digest(self) -> str:
        """One hash for all of it."""
        content = {"files": sorted(self.files.items()), "packages": sorted(self.packages.items())}
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def key_of(entry: Entry, code: Code, project: Project) -> str:
    """What evidence is kept under: the claim, the target with its parameters, its code, and how it is called."""
    form = entry.form or project.config.defaults.form
    content: list[Json] = [str(entry.claim), entry.target, entry.params, entry.sampling, form, code.digest]
    if entry.schema is not None:
        content.append(entry.schema)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code_of(entry: Entry, project: Project, loaded: Loaded | None = None) -> Code:
    """The code of the entry's target, with what was `loaded` where that is known already."""
    spec = TargetSpec.of(entry.target)
    packages = {"python": ".".join(platform.python_version_tuple()[:2])}
    files: set[Path] = set()
    if spec.kind.code is Where.PROGRAM:
        files = set(_programs(spec.place, project.folder))
        scripts = sorted(filter(_is_python, files))
        imported, found = imported_by(scripts, [*(each.parent for each in scripts), project.folder])
        files |= imported
        packages |= found
    elif spec.kind.code is Where.MODULE:
        files, found = modules_of(spec.place, project.folder)
        packages |= found
    files |= {_given(project, each) for each in entry.sources}
    hashes = {_relative(each, project.folder): _hash(each) for each in files}
    if loaded is None:
        return Code(hashes, packages)
    for name in sorted(loaded.packages):
        packages |= package_of(name)
    return Code({**_loaded_hashes(loaded, project.folder), **hashes}, packages)


def unfollowed(entry: Entry, loaded: Loaded | None) -> bool:
    """Whether the target may consist of more than `code_of` sees: a program tells nobody what it loads."""
    return TargetSpec.of(entry.target).kind.code is Where.PROGRAM or (loaded is not None and not loaded.whole)


def _loaded_hashes(loaded: Loaded, folder: Path) -> dict[str, str]:
    """Path -> hash of the files that were loaded; one that cannot be read any more counts by its name."""
    hashes = {}
    left = MOST_HASHED  # of all of them, since the target chooses how many there are
    for each in sorted(loaded.files):
        with contextlib.suppress(OSError, ValueError, RuntimeError):  # a name that no file can have, or a loop of links
            path = folder / each
            place = _relative(path, folder)
            try:
                hashes[place] = _hash(path, left)
                left = max(0, left - path.stat().st_size)
            except DataError:
                hashes[place] = "unreadable"
    return hashes


def _given(project: Project, written: str) -> Path:
    path = project.place(written)
    if not path.is_file():
        raise DataError(f"sources names {written}, and there is no such file: correct the path.")
    return path


def _programs(command: str, folder: Path) -> Iterator[Path]:
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    program = shutil.which(words[0]) if words else None
    if program is not None:
        yield Path(program)
    yield from (folder / word for word in words if _is_file(folder / word))
    for option, name in pairwise(words):
        if option == "-m":
            yield from located(name, [folder])


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a word that no file can have as its name
        return False


def _is_python(script: Path) -> bool:
    """Whether it is a script of Python, by its name or by its first line."""
    if script.suffix == ".py":
        return True
    try:
        with opened(script) as found:
            first = b"" if found is None or not found.size else found.file.readline(FIRST_LINE) or b""
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first


def _hash(path: Path, most: int = MOST_HASHED) -> str:
    try:
        with opened(path) as found:
            if found is None:
                raise DataError(f"{path}, which a target consists of, is no regular file: correct the path.")
            if found.size > most:
                return f"{found.size} bytes of {found.changed}"
            digest = hashlib.sha256()
            for part in found.parts():
                digest.update(part)
            return digest.hexdigest()
    except OSError as error:
        raise DataError(f"cannot read {path}, which a target consists of: {error.strerror}.") from None


def _relative(path: Path, folder: Path) -> str:
    resolved = path.resolve()
    return str(resolved.relative_to(folder.resolve())) if resolved.is_relative_to(folder.resolve()) else str(resolved)
