"""From the values of a TOML file to the types of the configuration, strictly: nothing is taken for what it is not."""

import datetime
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from attrs import Attribute, fields, has
from cattrs import Converter
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.gen import make_dict_structure_fn, override

from crowdproof.audit.gate.config import Cell, Config, Until
from crowdproof.audit.gate.config_fields import key_of_field
from crowdproof.audit.gate.recipes import RECIPES, Recipe
from crowdproof.claims import PARSEABLE, Claim, build_claim, parse_claim
from crowdproof.errors import ParameterError
from crowdproof.exact import rational
from crowdproof.findings import Json


def config_from(content: Mapping[str, Any], folder: Path) -> Config:
    """The configuration in that folder; raises what cattrs does, with all that is wrong in it."""
    return _make_converter(folder).structure(content, Config)


def _make_converter(folder: Path) -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook_factory(has, lambda kind: _table(kind, converter))
    converter.register_structure_hook_factory(_is_tuple, lambda kind: _array(kind, converter))
    converter.register_structure_hook(str, _strictly(str, "text"))
    converter.register_structure_hook(int, _strictly(int, "a whole number"))
    converter.register_structure_hook(bool, _truth)
    converter.register_structure_hook(float, lambda value, _: float(rational(value)))
    converter.register_structure_hook(Fraction, lambda value, _: rational(value))
    converter.register_structure_hook(Claim, lambda value, _: _claim(value, folder))
    converter.register_structure_hook(Until, _until)
    converter.register_structure_hook(Cell, _cell)
    converter.register_structure_hook_func(lambda kind: kind == dict[str, Json], _params)
    converter.register_structure_hook(Recipe | None, lambda value, _: _recipe(value, converter))
    return converter


def _table(kind: type, converter: Converter) -> Any:
    """Fields are converted one by one, not by the class, which would stop at the first that is wrong."""
    kinds = get_type_hints(kind)
    hooks = {each.name: _override(each, converter.get_structure_hook(kinds[each.name])) for each in fields(kind)}
    make: Any = make_dict_structure_fn
    build = make(kind, converter, _cattrs_forbid_extra_keys=True, **hooks)
    strict = _strictly(dict, "a table")
    return lambda value, _: build(strict(value, _), kind)


def _override(field: "Attribute[Any]", structure: Any) -> Any:
    """How a field is read: under its key, and by its converter where it has one."""
    hook = structure if field.converter is None else _then(structure, field.converter)
    return override(rename=key_of_field(field), struct_hook=hook)


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


def _claim(value: Any, folder: Path) -> Claim:
    """A claim as text, or as a table with its notion and parameters."""
    if isinstance(value, str):
        return parse_claim(value, folder)
    arguments = {name: _argument(each) for name, each in _strictly(dict, "a claim")(value, None).items()}
    notion = arguments.pop("notion", None)
    if notion not in PARSEABLE:
        raise ParameterError(f"the claim's notion is {notion!r}: write one of {', '.join(PARSEABLE)}.")
    return build_claim(notion, arguments, folder)


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


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Decimal) else repr(value)
