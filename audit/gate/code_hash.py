"""Which code a target is made of, as one hash: evidence is about that code and no other.

A Python target is its module and every module that these import, directly or not, as far as they lie in the project;
of installed packages the version counts. A program is its own file and every file that its command line names.
Nothing is imported: the imports are read from the source. What code reads at run time cannot be seen this way, and is
named in the configuration under `sources`.
"""

import ast
import hashlib
import importlib.metadata
import json
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from attrs import field, frozen

from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.targets.spec import Code as Where
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.errors import DataError
from crowdproof.findings import Json


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
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def code_of(entry: Entry, project: Project) -> Code:
    """The code of the entry's target."""
    spec = TargetSpec.of(entry.target)
    packages = {"python": ".".join(platform.python_version_tuple()[:2])}
    files: set[Path] = set()
    if spec.kind.code is Where.PROGRAM:
        files = set(_programs(spec.place, project.folder))
    elif spec.kind.code is Where.MODULE:
        files, found = _modules(spec.place, project.folder)
        packages |= found
    files |= {_given(project, each) for each in entry.sources}
    return Code({_relative(each, project.folder): _hash(each) for each in files}, packages)


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
    yield from (folder / word for word in words if (folder / word).is_file())


# --- Python modules ---------------------------------------------------------------------------------------------


def _modules(target: str, folder: Path) -> tuple[set[Path], dict[str, str]]:
    """The project's files that the target's module needs, and the versions of the packages."""
    place = target.rpartition(":")[0]
    path = folder / place
    roots = [path.parent if place.endswith(".py") else folder, folder]
    pending = [path] if place.endswith(".py") else _located(place, roots) if place else []
    files: set[Path] = set()
    packages = {} if pending else _package(place)
    while pending:
        file = pending.pop().resolve()
        if file in files or not file.is_file():
            continue
        files.add(file)
        for name in _imports(file, roots):
            found = _located(name, roots)
            pending += found
            if not found:
                packages |= _package(name)
    return files, packages


def _imports(file: Path, roots: list[Path]) -> Iterator[str]:
    """The dotted names that a file imports; `from a import b` may mean a module `a.b`."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return  # the target will not load, and that is reported where it is loaded
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module, names, level):
                base = _absolute(file, module or "", level or 0, roots)
                yield from (f"{base}.{alias.name}".strip(".") for alias in names)
            case ast.Call(
                ast.Name("import_module" | "__import__") | ast.Attribute(attr="import_module"),
                [ast.Constant(str(name)), *_],
            ):
                yield name


def _absolute(file: Path, module: str, level: int, roots: list[Path]) -> str:
    if level == 0:
        return module
    package = file.parents[level - 1]
    for root in roots:
        if package.is_relative_to(root.resolve()):
            return ".".join([*package.relative_to(root.resolve()).parts, *([module] if module else [])])
    return module


def _located(name: str, roots: list[Path]) -> list[Path]:
    """The file of a module of the project, and those of the packages around it; none for an installed one."""
    parts = name.split(".")
    for root in (*roots, *(root / "src" for root in roots)):
        found = [root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
        files = [file for each in found for file in (each / "__init__.py", each.with_suffix(".py")) if file.is_file()]
        if files or root.joinpath(parts[0]).is_dir():
            return files
    return []


def _package(name: str) -> dict[str, str]:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return {}
    return {each: importlib.metadata.version(each) for each in _distributions().get(top, ())}


@cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(f"cannot read {path}, which a target consists of: {error.strerror}.") from None


def _relative(path: Path, folder: Path) -> str:
    resolved = path.resolve()
    return str(resolved.relative_to(folder.resolve())) if resolved.is_relative_to(folder.resolve()) else str(resolved)
