"""From a TOML file to a `Project`: every mistake is collected and reported at once, with its line."""

import datetime
import difflib
import tomllib
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from attrs import fields, frozen, has
from cattrs import Converter
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.errors import (
    BaseValidationError,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, override

from crowdproof.audit.gate.arithmetic import mismatch
from crowdproof.audit.gate.config import RECIPES, Cell, Config, Project, Recipe, Until
from crowdproof.audit.gate.positions import Where, line_of, positions
from crowdproof.claims import PARSEABLE, Claim, build_claim, parse_claim
from crowdproof.errors import ConfigError, ParameterError
from crowdproof.exact import rational
from crowdproof.findings import Json

FILE = "privacy.toml"
TABLE = ("tool", "crowdproof")
"""Where the configuration stands in a pyproject.toml."""


@frozen
class Mistake:
    """Something wrong at a place of the file."""

    where: Where
    words: str


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
        config = _CONVERTER.structure(content, Config)
        mistakes = list(_crossed(config))
    except BaseValidationError as error:
        mistakes = list(_mistakes(error, ()))
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
        raise ConfigError(f"{path} is not TOML: {error}.") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply: write its lists and tables flat.") from None


def _table_at(content: dict[str, Any], keys: tuple[str, ...], path: Path) -> dict[str, Any]:
    """The table that stands under these keys, one within the other; an empty one where there is none."""
    for place, key in enumerate(keys, start=1):
        found = content.get(key, {})
        if not isinstance(found, dict):
            name = ".".join(keys[:place])
            raise ConfigError(f"{path}: {name} is {_shown(found)}, which is not a table: write it as [{name}].")
        content = found
    return content


# --- structuring ------------------------------------------------------------------------------------------------


def _make_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook_factory(has, lambda kind: _table(kind, converter))
    converter.register_structure_hook_factory(_is_tuple, lambda kind: _array(kind, converter))
    converter.register_structure_hook(str, _strictly(str, "text"))
    converter.register_structure_hook(int, _strictly(int, "a whole number"))
    converter.register_structure_hook(bool, _truth)
    converter.register_structure_hook(float, lambda value, _: float(rational(value)))
    converter.register_structure_hook(Fraction, lambda value, _: rational(value))
    converter.register_structure_hook(Claim, _claim)
    converter.register_structure_hook(Until, _until)
    converter.register_structure_hook(Cell, _cell)
    converter.register_structure_hook_func(lambda kind: kind == dict[str, Json], _params)
    converter.register_structure_hook(Recipe | None, lambda value, _: _recipe(value, converter))
    return converter


def _table(kind: type, converter: Converter) -> Any:
    """Fields are converted one by one, not by the class, which would stop at the first that is wrong."""
    kinds = get_type_hints(kind)
    hooks = {
        each.name: override(struct_hook=_then(converter.get_structure_hook(kinds[each.name]), each.converter))
        for each in fields(kind)
        if each.converter is not None
    }
    make: Any = make_dict_structure_fn
    build = make(kind, converter, _cattrs_forbid_extra_keys=True, **hooks)
    strict = _strictly(dict, "a table")
    return lambda value, _: build(strict(value, _), kind)


def _then(structure: Any, convert: Any) -> Any:
    return lambda value, kind: convert(structure(value, kind))


def _is_tuple(kind: object) -> bool:
    return get_origin(kind) is tuple


def _array(kind: type, converter: Converter) -> Any:
    """Arrays alone: cattrs would take the letters of a text or the keys of a table as well."""
    strict, build = _strictly(list, "a list"), homogenous_tuple_structure_factory(kind, converter)
    return lambda value, _: build(strict(value, _), kind)


def _strictly(kind: type, words: str) -> Any:
    def structure(value: Any, _: object) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ParameterError(f"{_shown(value)} is not {words}.")
        return value

    return structure


def _truth(value: Any, _: object) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{_shown(value)} is neither true nor false.")
    return value


def _claim(value: Any, _: object) -> Claim:
    """A claim as text, or as a table with its notion and parameters."""
    if isinstance(value, str):
        return parse_claim(value)
    arguments = {name: _argument(each) for name, each in _strictly(dict, "a claim")(value, _).items()}
    notion = arguments.pop("notion", None)
    if notion not in PARSEABLE:
        raise ParameterError(f"the claim's notion is {notion!r}: write one of {', '.join(PARSEABLE)}.")
    return build_claim(notion, arguments)


def _argument(value: Any) -> Any:
    return value if isinstance(value, list) else str(value)


def _until(value: Any, _: object) -> Until:
    """A date as TOML writes it or as text; what is no date at all is kept as it was written."""
    if isinstance(value, datetime.datetime):
        return Until(value.isoformat(), value.date())
    if isinstance(value, datetime.date):
        return Until(value.isoformat(), value)
    try:
        return Until(str(value), datetime.date.fromisoformat(str(value)))
    except ValueError:
        return Until(str(value), None)


def _cell(value: Any, _: object) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _params(value: Any, _: object) -> dict[str, Json]:
    return {name: _plain(each) for name, each in _strictly(dict, "a table")(value, _).items()}


def _plain(value: Any) -> Json:
    match value:
        case Decimal():
            return float(value)
        case list():
            return [_plain(each) for each in value]
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return value


def _recipe(value: Any, converter: Converter) -> Recipe | None:
    if value is None:
        return None
    rest = dict(_strictly(dict, "a table")(value, None))
    kind = rest.pop("kind", None)
    if kind not in RECIPES:
        raise ParameterError(f"the mechanism's kind is {kind!r}: write one of {', '.join(RECIPES)}.")
    recipe: Recipe = converter.structure(rest, RECIPES[kind])
    return recipe


_CONVERTER = _make_converter()


# --- mistakes ---------------------------------------------------------------------------------------------------


def _mistakes(error: BaseException, where: Where) -> Iterator[Mistake]:
    """The leaves of what cattrs raises, each with its place."""
    match error:
        case ClassValidationError() | IterableValidationError():
            noted, plain = error.group_exceptions()
            for inner, note in noted:
                step = note.index if isinstance(note, IterableValidationNote) else note.name
                yield from _mistakes(inner, (*where, step))
            for inner in plain:
                yield from _mistakes(inner, where)
        case ForbiddenExtraKeysError():
            known = [each.name for each in fields(error.cl)]
            yield from (Mistake((*where, key), _unknown(key, known)) for key in sorted(error.extra_fields))
        case KeyError():
            yield Mistake(where, f"{_words(where[:-1])} has no {where[-1]}: add it.")
        case _:
            yield Mistake(where, f"{_words(where)}: {error}")


def _unknown(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"it may be {', '.join(known)}."
    return f"there is no key {key!r}: {hint}"


def _words(where: Where) -> str:
    """The place as people write it.

    >>> _words(("claims", 0, "name"))
    'claims[1].name'
    """
    text = "".join(f"[{each + 1}]" if isinstance(each, int) else f".{each}" for each in where)
    return text.lstrip(".") or "the file"


def _crossed(config: Config) -> Iterator[Mistake]:
    """What is wrong between the parts."""
    names = Counter(each.name for each in config.claims)
    for i, entry in enumerate(config.claims):
        if names[entry.name] > 1:
            yield Mistake(
                ("claims", i, "name"), f"{names[entry.name]} claims are called {entry.name!r}: names are unique."
            )
        wrong = mismatch(entry)
        if wrong is not None:
            yield Mistake(("claims", i, "mechanism"), wrong)
    for i, suppression in enumerate(config.suppressions):
        if suppression.claim not in names:
            words = _unknown(suppression.claim, list(names)).replace("key", "claim")
            yield Mistake(("suppressions", i, "claim"), f"the suppression matches nothing: {words}")


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Decimal) else repr(value)
