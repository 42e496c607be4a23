"""What the modules of a target import, read from their source: nothing is imported for that."""

import ast
import importlib.metadata
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from crowdproof.audit.gate.regular import opened

MOST_PARSED = 1 << 24
"""Bytes of a file whose imports are looked for: no module that somebody wrote is of that size."""


def modules_of(target: str, folder: Path) -> tuple[set[Path], dict[str, str]]:
    """The project's files that the target's module needs, and the versions of the packages."""
    place = target.rpartition(":")[0]
    if place.endswith(".py"):
        return imported_by([folder / place], [(folder / place).parent, folder])
    found = located(place, [folder]) if place else []
    return imported_by(found, [folder]) if found else (set(), package_of(place))


def imported_by(scripts: Iterable[Path], roots: list[Path]) -> tuple[set[Path], dict[str, str]]:
    """These files and what they import, directly or not: files below the roots, and the versions of packages."""
    pending = list(scripts)
    files: set[Path] = set()
    packages: dict[str, str] = {}
    while pending:
        file = pending.pop().resolve()
        if file in files or not file.is_file():
            continue
        files.add(file)
        for name in _imports(file, roots):
            found = located(name, roots)
            pending += found
            if not found:
                packages |= package_of(name)
    return files, packages


def _imports(file: Path, roots: list[Path]) -> Iterator[str]:
    """The dotted names that a file imports; `from a import b` may mean a module `a.b`."""
    try:
        with opened(file) as found:
            tree = ast.parse(b"".join(found.parts()) if found is not None and found.size <= MOST_PARSED else b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
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


def located(name: str, roots: list[Path]) -> list[Path]:
    """The file of a module of the project, and those of the packages around it; none for an installed one."""
    parts = name.split(".")
    for root in (*roots, *(root / "src" for root in roots)):
        found = [root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
        files = [file for each in found for file in (each / "__init__.py", each.with_suffix(".py")) if file.is_file()]
        if files or root.joinpath(parts[0]).is_dir():
            return files
    return []


def package_of(name: str) -> dict[str, str]:
    """Distribution -> version, of the distributions that such a module belongs to."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return {}
    return {each: importlib.metadata.version(each) for each in _distributions().get(top, ())}


@cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()
