"""From a TOML file to a `Project`: every mistake is collected and reported at once, with its line."""

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from cattrs.errors import BaseValidationError

from crowdproof.audit.gate.config import Project
from crowdproof.audit.gate.mistakes import contradictions, mistakes_of
from crowdproof.audit.gate.positions import line_of, positions
from crowdproof.audit.gate.structuring import config_from
from crowdproof.errors import ConfigError

FILE = "privacy.toml"
TABLE = ("tool", "crowdproof")
"""Where the configuration stands in a pyproject.toml."""


def find_project(given: Path | None = None, folder: Path | None = None) -> Project:
    """The given file, or the `privacy.toml` or `pyproject.toml` with a `[tool.crowdproof]` of that folder."""
    if given is not None:
        return read_project(given)
    folder = folder or Path()
    own, shared = folder / FILE, folder / "pyproject.toml"
    in_shared = shared.is_file() and TABLE[-1] in _table_at(_parse(shared), TABLE[:-1], shared)
    if own.is_file() and in_shared:
        raise ConfigError(f"there are claims in {own} and in {shared}: keep them in one of the two.")
    if own.is_file() or in_shared:
        return read_project(own if own.is_file() else shared)
    raise ConfigError(
        f"there is no {FILE} and no pyproject.toml with [tool.crowdproof]: write one with `crowdproof init TARGET`."
    )


def read_project(path: Path) -> Project:
    """The project of a file; all its mistakes are one `ConfigError`."""
    text = _read(path)
    root = TABLE if path.name == "pyproject.toml" else ()
    content = _table_at(_parse(path), root, path)
    lines = positions(text)
    try:
        config = config_from(content, path.parent)
        mistakes = list(contradictions(config))
    except BaseValidationError as error:
        mistakes = list(mistakes_of(error, ()))
    if mistakes:
        listed = sorted((line_of(root + each.where, lines), each.words) for each in mistakes)
        count = "a mistake" if len(listed) == 1 else f"{len(listed)} mistakes"
        raise ConfigError(f"{path} has {count}:\n" + "\n".join(f"  line {line}: {words}" for line, words in listed))
    named = {f"claims.{each.name}": line_of((*root, "claims", i), lines) for i, each in enumerate(config.claims)}
    numbered = {
        f"suppressions.{i}": line_of((*root, "suppressions", i), lines) for i in range(len(config.suppressions))
    }
    return Project(path, config, named | numbered)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}. Write one with `crowdproof init TARGET`.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"cannot read {path}: it is not UTF-8 text. Save it as UTF-8.") from None


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(path), parse_float=Decimal)
    except ArithmeticError:
        raise ConfigError(f"{path} has a number that is too large to be read: write a smaller one.") from None
    except ValueError as error:  # a syntax error, or a whole number of too many digits
        raise ConfigError(f"{path} is not TOML: {error}: correct it there.") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply: write its lists and tables flat.") from None


def _table_at(content: dict[str, Any], keys: tuple[str, ...], path: Path) -> dict[str, Any]:
    """The table that stands under these keys, one within the other; an empty one where there is none."""
    for place, key in enumerate(keys, start=1):
        found = content.get(key, {})
        if not isinstance(found, dict):
            name = ".".join(keys[:place])
            raise ConfigError(f"{path}: {name} is {found!r}, which is not a table: write it as [{name}].")
        content = found
    return content
