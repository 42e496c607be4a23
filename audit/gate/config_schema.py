"""The configuration's JSON schema, made from its types, for editors that complete and check TOML."""

import types
from fractions import Fraction
from typing import Any, Union, get_args, get_origin, get_type_hints

from attrs import NOTHING, fields, has

from crowdproof.audit.gate.config import Cell, Config, Until
from crowdproof.audit.gate.config_fields import key_of_field
from crowdproof.audit.gate.recipes import RECIPES, Recipe
from crowdproof.claims import PARSEABLE, Claim
from crowdproof.findings import Json

_NUMBER: dict[str, Json] = {"type": ["number", "string"]}
_PLAIN: dict[Any, dict[str, Json]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: _NUMBER,
    Fraction: _NUMBER,
    Any: {},
    Cell: {"type": ["string", "number", "boolean", "null"]},
    Until: {"type": "string", "format": "date"},
    Claim: {
        "anyOf": [
            {"type": "string", "pattern": rf"^\s*({'|'.join(PARSEABLE)})\s*\(.*\)\s*$"},
            {"type": "object", "required": ["notion"], "properties": {"notion": {"enum": list(PARSEABLE)}}},
        ]
    },
}


def config_schema() -> dict[str, Json]:
    """The schema of a `privacy.toml`."""
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "privacy.toml of crowdproof", **_of(Config)}


def _of(kind: Any) -> dict[str, Json]:
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if kind == Recipe:
        return {"oneOf": [_object(each, {"kind": {"const": name}}) for name, each in RECIPES.items()]}
    if has(kind):
        return _object(kind, {})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (types.UnionType, Union):
        return _of(_without_none(arguments))
    if origin is tuple:
        return {"type": "array", "items": _of(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(arguments[1])}
    raise TypeError(f"{kind} has no schema")


def _without_none(kinds: tuple[Any, ...]) -> Any:
    some = [each for each in kinds if each is not type(None)]
    kind = some[0]
    for each in some[1:]:
        kind = kind | each
    return kind


def _object(kind: Any, tag: dict[str, Json]) -> dict[str, Json]:
    hints = get_type_hints(kind)
    properties = {
        key_of_field(each): {"description": each.metadata["about"], **_of(hints[each.name])} for each in fields(kind)
    }
    required = [*tag, *(key_of_field(each) for each in fields(kind) if each.default is NOTHING)]
    return {
        "type": "object",
        "description": str(kind.__doc__).splitlines()[0],
        "properties": tag | properties,
        "required": required,
        "additionalProperties": False,
    }
